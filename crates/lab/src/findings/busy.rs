//! That other programs, a host or a quota had the CPUs that the work needed.

use super::{CaseResult, Results};
use crate::data::words::{listed, whole_percent};

/// Others who have more than this share of all CPUs make a machine busy.
const OTHERS: f64 = 0.1;
/// So much time is missed where a host or a quota takes it.
const MISSED: f64 = 0.05;

impl Results {
    /// Who else had the CPUs while the run lasted; `None` where nobody had much.
    #[must_use]
    pub fn busy(&self) -> Option<String> {
        let load = self.load.as_ref()?;
        let throttled = load.throttled().filter(|share| *share > MISSED);
        let took = [
            (load.others() > OTHERS).then(|| {
                format!(
                    "other processes took {} of the CPUs",
                    whole_percent(load.others())
                )
            }),
            (load.host() > MISSED).then(|| {
                format!(
                    "the host of this virtual machine took {}",
                    whole_percent(load.host())
                )
            }),
            throttled.map(|share| format!("a CPU quota held it up for {}", whole_percent(share))),
        ];
        let took: Vec<String> = took.into_iter().flatten().collect();
        if took.is_empty() {
            return None;
        }
        let got = self.cpu_share().map_or_else(String::new, |share| {
            format!("; {} got {} of one", self.whose(), whole_percent(share))
        });
        Some(format!("Busy machine: {}{got}", listed(&took)))
    }

    fn cases(&self) -> impl Iterator<Item = &CaseResult> {
        self.studies.iter().flat_map(|study| &study.cases)
    }

    fn whose(&self) -> &'static str {
        match self.cases().all(CaseResult::work_is_a_command) {
            true => "your commands",
            false => "what was measured",
        }
    }

    fn cpu_share(&self) -> Option<f64> {
        let variants = self.cases().flat_map(|case| &case.variants);
        let used = variants.filter_map(|one| Some((one.cpu_ns?, one.phases?.total())));
        let (cpu, wall) = used.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (wall > 0.0).then_some(cpu / wall)
    }
}
