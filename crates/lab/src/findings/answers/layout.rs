use crate::findings::{CaseResult, Finding};

/// What the order of objects alone was seen to make, and some more.
const BY_LAYOUT: f64 = 0.1;

/// Of two files with one build each that may differ by less.
pub(super) fn warning(case: &CaseResult, finding: &Finding) -> Option<String> {
    let program = |label: &str| case.case.work_of(case.place(label)?).program();
    let sides = [program(&finding.subject)?, program(&finding.reference)?];
    let [one, other] = sides.map(|side| side.command.split_whitespace().next());
    let has_one_build = sides.iter().any(|side| side.layout.builds.len() < 2);
    let (low, high) = finding.estimate?.interval()?;
    let least = low.ln().abs().min(high.ln().abs());
    let may_be = one != other && has_one_build && least < BY_LAYOUT.ln_1p();
    may_be.then(|| {
        "one build of each: the place of code in memory alone can make some percent; --builds draws \
         from several"
            .to_owned()
    })
}
