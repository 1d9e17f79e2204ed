//! Whether the timed switches happened, counted in slots that are data points.

use flow::record::Turns;

use super::CaseResult;
use crate::data::Metric;
use crate::data::number::count;

pub(crate) fn switched(cases: &[CaseResult]) -> Option<String> {
    let mut all = Turns::default();
    let mut lowest = f64::INFINITY;
    let switching = cases
        .iter()
        .filter(|case| case.case.metric == Metric::Switch);
    for turns in switching.flat_map(turns_of) {
        all += turns;
        if turns.handed_over > 0 {
            lowest = lowest.min(turns.switches as f64 / turns.handed_over as f64);
        }
    }
    if all.checked == 0 {
        return None;
    }
    let orderly = 100.0 * all.orderly as f64 / all.checked as f64;
    let counted = if all.handed_over == 0 {
        String::new()
    } else {
        format!(
            "the kernel counted {} switches for {} hand-overs ({:.1} % in the worst repetition); ",
            count(all.switches),
            count(all.handed_over),
            100.0 * lowest
        )
    };
    Some(format!(
        "did the switches happen? {counted}every flow ran between two turns of the same flow in \
         {orderly:.1} % of {} turns checked",
        count(all.checked)
    ))
}

fn turns_of(case: &CaseResult) -> impl Iterator<Item = Turns> {
    let done = case
        .slots
        .iter()
        .filter_map(|slot| slot.outcome.answer.done());
    done.flat_map(|record| &record.reps)
        .filter_map(|rep| rep.turns)
}
