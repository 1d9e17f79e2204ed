//! Numbers of flows that depend on the machine, filled in before a run.
//!
//! A study file may say `"cpus"` or `"2 cpus"` where it means as many flows as the machine has
//! CPUs. A study is read without looking at a machine, so such a variant is not complete until
//! [`Study::for_cpus`] has filled its number in. A number that another variant of the case has
//! already is no further variant.

use super::{Case, LabelledVariant, Study};

/// Stands in the label of a variant for its number of flows.
pub(super) const FLOWS: &str = "{flows}";

/// One flow is no question of how flows share work, so a machine of one CPU counts as two.
const LEAST: u32 = 2;

impl Study {
    /// The study for a machine of so many CPUs: with numbers of flows where it had multiples
    /// of them.
    #[must_use]
    pub fn for_cpus(mut self, cpus: u32) -> Self {
        for case in &mut self.cases {
            fill(case, cpus.max(LEAST));
        }
        self
    }
}

fn fill(case: &mut Case, cpus: u32) {
    if case.variants.iter().all(|v| v.of_cpus.is_none()) {
        return;
    }
    let mut filled: Vec<LabelledVariant> = Vec::new();
    for mut variant in case.variants.drain(..) {
        let relative = variant.of_cpus.take();
        if let Some(times) = relative {
            variant.variant.flows = times.saturating_mul(cpus);
            let flows = variant.variant.flows.to_string();
            variant.label = variant.label.replace(FLOWS, &flows);
        }
        let there = |other: &LabelledVariant| {
            other.variant == variant.variant && other.work == variant.work
        };
        if relative.is_none() || !filled.iter().any(there) {
            filled.push(variant);
        }
    }
    if differ_in_flows_alone(&filled) {
        filled.sort_by_key(|variant| variant.variant.flows);
    }
    case.variants = filled;
}

/// Whether variants are alike but for their number of flows.
pub(crate) fn differ_in_flows_alone(variants: &[LabelledVariant]) -> bool {
    variants.windows(2).all(|two| {
        let as_first = flow::Variant {
            flows: two[0].variant.flows,
            ..two[1].variant.clone()
        };
        as_first == two[0].variant && two[0].work == two[1].work
    })
}

#[cfg(test)]
mod tests {
    use crate::{Preset, Study};

    fn study(flows: &str) -> Study {
        let text = format!(
            r#"
            schema = 1
            name = "s"
            title = "t"
            stands_for = "x"
            headline = "c"
            [[case]]
            name = "c"
            title = "t"
            work = {{ kind = "search", pattern = "x" }}
            [[case.variant]]
            model = "thread"
            flows = {flows}
            "#
        );
        crate::study::parse(&text, "s.toml", Preset::Quick).unwrap()
    }

    fn labels(flows: &str, cpus: u32) -> Vec<(String, u32)> {
        let study = study(flows).for_cpus(cpus);
        let variants = study.cases[0].variants.iter();
        variants
            .map(|v| (v.label.clone(), v.variant.flows))
            .collect()
    }

    #[test]
    fn multiples_become_numbers_in_their_order_and_none_is_there_twice() {
        let all = r#"[1, 2, 4, 16, "cpus", "2 cpus"]"#;
        let flows = |cpus| labels(all, cpus).into_iter().map(|(_, flows)| flows);
        assert_eq!(flows(2).collect::<Vec<_>>(), [1, 2, 4, 16]);
        assert_eq!(flows(6).collect::<Vec<_>>(), [1, 2, 4, 6, 12, 16]);
        assert_eq!(flows(24).collect::<Vec<_>>(), [1, 2, 4, 16, 24, 48]);
        assert_eq!(labels(all, 24)[5].0, "thread x48");
        assert_eq!(labels(all, 24)[1].0, "thread x2");
    }

    #[test]
    fn one_cpu_counts_as_two() {
        assert_eq!(labels(r#""cpus""#, 1), [("thread".to_owned(), 2)]);
    }
}
