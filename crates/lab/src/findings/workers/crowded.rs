use crate::data::LabelledVariant;
use crate::findings::CaseResult;

/// Expected CPU share of workers that only compute on one CPU.
const OWN: f64 = 0.9;

/// Other programs had part of that CPU: times include them.
pub(in crate::findings) fn crowded(case: &CaseResult) -> Option<String> {
    let one_cpu = |v: &LabelledVariant| v.variant.placement.is_one_cpu();
    if !case.case.work.only_computes() || !case.case.variants.iter().all(one_cpu) {
        return None;
    }
    let shares = case.variants.iter().filter_map(|v| v.workers.as_ref());
    let least = shares
        .map(|workers| workers.sum.cpu_share)
        .min_by(f64::total_cmp)?;
    (least < OWN).then(|| {
        format!(
            "{}: the workers only compute and had {:.0} % of their CPU: other programs, or a quota, \
             had the rest, so times are longer and less steady than they would be; free that CPU, \
             or name another one (--cpu)",
            case.case.name,
            100.0 * least
        )
    })
}
