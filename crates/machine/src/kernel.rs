//! Kernel, distribution, mitigations, clock.

use measure::Measured;
use measure::clock::ClockCost;
use serde::{Deserialize, Serialize};

use crate::root::{Root, field, listed};

const VULNERABILITIES: &str = "/sys/devices/system/cpu/vulnerabilities";
const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0";

/// The system software.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// Release of the kernel, as `uname -r` prints it.
    pub release: Measured<String>,
    /// Name of the distribution with its version.
    pub distribution: Measured<String>,
    /// Mitigations by flaw of the CPU. They slow system calls and switches, not all models alike.
    pub mitigations: Measured<Vec<Mitigation>>,
    /// The clock source in use.
    pub clock: Measured<String>,
    /// The clock sources that could be used.
    pub clocks: Measured<String>,
    /// What reading the clock costs.
    pub clock_cost: ClockCost,
}

/// Mitigation status of one CPU vulnerability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mitigation {
    /// The flaw, such as `spectre_v2`.
    pub flaw: String,
    /// `Not affected`, `Vulnerable...` or `Mitigation: ...`.
    pub state: String,
}

impl Mitigation {
    /// Whether this CPU has the flaw.
    pub fn concerns(&self) -> bool {
        self.state != "Not affected"
    }
}

impl Kernel {
    pub(crate) fn read(root: &Root) -> Self {
        Self {
            release: root.text("/proc/sys/kernel/osrelease"),
            distribution: distribution(root),
            mitigations: mitigations(root),
            clock: root.text(&format!("{CLOCK}/current_clocksource")),
            clocks: root.text(&format!("{CLOCK}/available_clocksource")),
            clock_cost: measure::clock::cost(),
        }
    }
}

fn distribution(root: &Root) -> Measured<String> {
    let release = root.first_text(&["/etc/os-release", "/usr/lib/os-release"]);
    release.and_then(|text| {
        let name = field(&text, '=', "PRETTY_NAME").or_else(|| field(&text, '=', "NAME"));
        let name = name.map(|name| name.trim_matches(['"', '\'']).to_owned());
        Measured::of(name, "os-release has no name", "")
    })
}

fn mitigations(root: &Root) -> Measured<Vec<Mitigation>> {
    let flaw = |flaw: String| {
        let state = root.told(format!("{VULNERABILITIES}/{flaw}"))?;
        Some(Mitigation { flaw, state })
    };
    let flaws = root.names(VULNERABILITIES).into_iter().filter_map(flaw);
    listed(flaws.collect(), "this kernel does not tell its mitigations")
}
