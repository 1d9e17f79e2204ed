use super::{Clause, Evidence, Part, Reason, Weight};
use crate::data::Metric;
use crate::data::number::time;

fn are_told(evidence: &Evidence<'_>) -> bool {
    evidence.metric == Metric::Total && evidence.differ() && evidence.has_phases()
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    if !are_told(evidence) {
        return None;
    }
    let [s, r] = [evidence.subject, evidence.reference].map(|side| side.profile.phases);
    let create = s.create_ns - r.create_ns;
    let teardown = s.teardown_ns - r.teardown_ns;
    let steady = s.steady_ns - r.steady_ns;
    let typical = evidence.both(|side| side.typical_ns).map(|[s, r]| s - r);
    Some(Reason {
        weight: Weight::Whole,
        text: said(create, teardown, steady, typical)?,
    })
}

pub(super) fn steady(evidence: &Evidence<'_>) -> Option<Reason> {
    let text = evidence.steady.clone().filter(|_| are_told(evidence))?;
    Some(Reason {
        weight: Weight::Part,
        text,
    })
}

/// Medians' differences add up to the whole's within this, or have no shares.
const NEARLY: f64 = 0.01;

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let is_total = evidence.metric == Metric::Total;
    if !is_total || !evidence.has_phases() || evidence.is_about_making() {
        return None;
    }
    let (_, share) = evidence.making()?;
    (0.0..=1.0).contains(&share).then(|| Clause {
        share,
        part: Part::Making,
        text: "starting and ending flows".to_owned(),
    })
}

fn said(create: f64, teardown: f64, steady: f64, whole: Option<f64>) -> Option<String> {
    let making = create + teardown;
    let total = making + steady;
    if total == 0.0 || (create, teardown) == (0.0, 0.0) {
        return None;
    }
    let share = making / total;
    if !(0.0..=1.0).contains(&share) {
        return Some(format!(
            "create and tear-down take {}, the steady phase {}",
            more_or_less(making),
            more_or_less(steady)
        ));
    }
    let difference = match whole {
        Some(whole) if (whole - total).abs() <= NEARLY * whole.abs() => {
            format!("of the difference of {}", time(whole.abs()))
        }
        Some(_) => format!(
            "by the medians of the phases, which differ by {} together",
            time(total.abs())
        ),
        None => format!("of the difference of {}", time(total.abs())),
    };
    let part = |ns: f64| match create * teardown < 0.0 {
        true => more_or_less(ns),
        false => time(ns.abs()),
    };
    Some(format!(
        "{difference}, {:.0} % is create and tear-down ({} and {}) and {:.0} % the steady phase",
        100.0 * share,
        part(create),
        part(teardown),
        100.0 - (100.0 * share).round()
    ))
}

fn more_or_less(ns: f64) -> String {
    let word = if ns < 0.0 { "less" } else { "more" };
    format!("{} {word}", time(ns.abs()))
}

#[cfg(test)]
mod tests {
    use super::said;
    use crate::findings::testing::{begins, has};

    /// Of a shorter create and a longer tear-down it said "40 % is create and tear-down (1.00 ms
    /// and 5.00 ms)", which do not add up.
    #[test]
    fn phases_that_go_against_each_other_say_which_way() {
        let mixed = said(-1e6, 5e6, 6e6, None).unwrap();
        has(
            &mixed,
            "40 % is create and tear-down (1.00 ms less and 5.00 ms more) and 60 %",
        );
        assert_eq!(
            said(-5e6, 1e6, 6e6, None).unwrap(),
            "create and tear-down take 4.00 ms less, the steady phase 6.00 ms more"
        );
        let alike = said(-1e6, -2e6, -9e6, None).unwrap();
        has(&alike, "25 % is create and tear-down (1.00 ms and 2.00 ms)");
    }

    /// The reason spoke of another difference than the table beside it.
    #[test]
    fn the_difference_is_that_of_the_table_or_says_what_it_is() {
        let of = |whole| said(1e6, 0.0, 9e6, whole).unwrap();
        begins(
            &of(Some(10.05e6)),
            "of the difference of 10.1 ms, 10 % is create",
        );
        // Of a difference of 10.3 ms it said that 100 % are 6.32 ms and 3.32 ms.
        for whole in [15e6, 10.4e6] {
            begins(
                &of(Some(whole)),
                "by the medians of the phases, which differ by 10.0 ms together, 10 % is create",
            );
        }
    }
}
