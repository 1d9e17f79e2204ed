//! Numbers of flows that depend on the machine: `"cpus"` or `"2 cpus"` in a study file is open
//! until [`Study::for_cpus`]. A number that another variant or case has makes none.

use crate::data::{Case, LabelledVariant, Study, differ_in_flows_alone};

pub(super) const FLOWS: &str = "{flows}";

/// A machine of one CPU counts as two: one flow shares nothing.
const LEAST: u32 = 2;

impl Study {
    /// The study for a machine of this many CPUs, with numbers of flows in place of multiples.
    #[must_use]
    pub fn for_cpus(mut self, cpus: u32) -> Self {
        let cpus = cpus.max(LEAST);
        let cases = self.cases.iter();
        let open: Vec<bool> = cases.map(|case| of_sweep(case).is_some()).collect();
        for case in &mut self.cases {
            let named = case.name.clone();
            match of_sweep(case) {
                Some(times) => fill_point(case, times.saturating_mul(cpus)),
                None => fill(case, cpus),
            }
            if self.headline == named {
                self.headline.clone_from(&case.name);
            }
        }
        if open.contains(&true) {
            self.drop_what_is_there_twice(&open);
            let same_sweep =
                |a: &Case, b: &Case| sweep_of(a).is_some() && sweep_of(a) == sweep_of(b);
            for sweep in self.cases.chunk_by_mut(same_sweep) {
                sweep.sort_by(|a, b| value_of(a).total_cmp(&value_of(b)));
            }
        }
        self
    }

    fn drop_what_is_there_twice(&mut self, open: &[bool]) {
        let cases = std::mem::take(&mut self.cases);
        for (at, case) in cases.iter().enumerate() {
            let mut others = cases.iter().enumerate();
            let same = others.find(|(other, known)| {
                open[at] && (!open[*other] || *other < at) && asks_the_same(known, case)
            });
            match same {
                Some((_, known)) if self.headline == case.name => {
                    self.headline.clone_from(&known.name);
                }
                Some(_) => {}
                None => self.cases.push(case.clone()),
            }
        }
    }
}

fn of_sweep(case: &Case) -> Option<u32> {
    case.sweep.as_ref()?;
    case.work.flows()?;
    case.variants.first()?.of_cpus
}

fn sweep_of(case: &Case) -> Option<&str> {
    case.sweep.as_ref().map(|point| point.sweep.as_str())
}

fn value_of(case: &Case) -> f64 {
    case.sweep.as_ref().map_or(0.0, |point| point.value)
}

fn asks_the_same(a: &Case, b: &Case) -> bool {
    a.work == b.work && a.metric == b.metric && a.variants == b.variants
}

fn fill_point(case: &mut Case, flows: u32) {
    case.work = case.work.clone().for_flows(flows.into());
    for variant in &mut case.variants {
        variant.of_cpus = None;
        variant.variant.flows = flows;
        variant.work = variant.work.take().map(|work| work.for_flows(flows.into()));
    }
    if let Some(point) = &mut case.sweep {
        point.value = flows.into();
    }
    if let Some((head, _)) = case.name.rsplit_once('/') {
        case.name = format!("{head}/{flows}");
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

#[cfg(test)]
mod tests {
    use crate::data::{Preset, Study};
    use crate::testing::Says;

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
        swept(&text).unwrap()
    }

    fn labels(flows: &str, cpus: u32) -> Vec<(String, u32)> {
        let study = study(flows).for_cpus(cpus);
        let variants = study.cases[0].variants.iter();
        let told = variants.map(|one| (one.label.clone(), one.variant.flows));
        told.collect()
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

    const SWEPT: &str = r#"
        schema = 1
        name = "s"
        title = "t"
        stands_for = "x"
        headline = "flows/cpus"
        [[case]]
        name = "two"
        title = "t"
        work = { kind = "operation", operation = "dup", flows = 2 }
        [[case.variant]]
        model = "process"
        [[case.variant]]
        model = "thread"
        [[case]]
        name = "flows"
        title = "t"
        work = { kind = "operation", operation = "dup", flows = 1 }
        [case.sweep]
        name = "flows"
        parameter = "flows"
        values = [1, 8, "cpus", "2 cpus"]
        unit = "flows"
        [[case.variant]]
        model = "process"
        [[case.variant]]
        model = "thread"
        "#;

    fn swept(text: &str) -> Result<Study, String> {
        crate::plan::study::parse(text, "s.toml", Preset::Quick).map_err(|error| error.to_string())
    }

    #[test]
    fn points_of_a_sweep_take_their_number_from_the_machine() {
        let points = |cpus| {
            let study = swept(SWEPT).unwrap().for_cpus(cpus);
            let points = study.cases.iter().filter(|case| case.sweep.is_some());
            for case in points.clone() {
                let flows = case.work.flows().unwrap();
                assert_eq!(case.sweep.as_ref().unwrap().value, flows as f64);
                assert_eq!(case.name, format!("flows/{flows}"));
                for one in &case.variants {
                    let found = (u64::from(one.variant.flows), one.of_cpus);
                    assert_eq!(found, (flows, None));
                }
            }
            let flows: Vec<u64> = points.filter_map(|case| case.work.flows()).collect();
            (flows, study.headline)
        };
        assert_eq!(points(6), ([1, 6, 8, 12].to_vec(), "flows/6".to_owned()));
        assert_eq!(points(8), ([1, 8, 16].to_vec(), "flows/8".to_owned()));
        // What the case of two asks is not asked again.
        assert_eq!(points(2), ([1, 4, 8].to_vec(), "two".to_owned()));
        assert_eq!(swept(SWEPT).unwrap().for_cpus(4).for_cpus(4).cases.len(), 4);
    }

    #[test]
    fn cpus_are_no_value_of_what_is_no_number_of_flows() {
        let after = |from: &str, to: &str| swept(&SWEPT.replace(from, to)).unwrap_err();
        after("parameter = \"flows\"", "parameter = \"ops\"")
            .says("ops is none: its values are numbers");
        let few = "model = \"thread\"\nmost_flows = 3";
        after("model = \"thread\"", few).says("most_flows");
        after("\"2 cpus\"", "\"many\"").says("\"2 cpus\"");
    }

    #[test]
    fn one_cpu_counts_as_two() {
        assert_eq!(labels(r#""cpus""#, 1), [("thread".to_owned(), 2)]);
    }
}
