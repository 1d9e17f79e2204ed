use measure::clock;
use measure::usage::ProcessUsage;

/// CPU time of this process comes from its exact clock, split by the kernel's lagging sums of user
/// and system time; sums over ended processes are exact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    own_cpu_ns: u64,
    own: ProcessUsage,
    reaped: ProcessUsage,
}

impl Reading {
    pub(crate) fn now() -> Reading {
        Reading {
            own_cpu_ns: clock::process_cpu_ns(),
            own: ProcessUsage::own().unwrap_or_default(),
            reaped: ProcessUsage::reaped().unwrap_or_default(),
        }
    }

    pub(crate) fn since(&self, earlier: &Reading) -> ProcessUsage {
        let mut own = self.own.since(earlier.own);
        let cpu_ns = self.own_cpu_ns - earlier.own_cpu_ns;
        let user_share = own.user_ns as f64 / own.flows.cpu_ns.max(1) as f64;
        own.flows.cpu_ns = cpu_ns;
        own.user_ns = (cpu_ns as f64 * user_share) as u64;
        own.system_ns = cpu_ns - own.user_ns;
        own + self.reaped.since(earlier.reaped)
    }
}
