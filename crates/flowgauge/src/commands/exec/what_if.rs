//! Changes of a program from outside, each a variant: the knobs that need no cause to be tried.

use flow::placement::Cpus;
use lab::LabelledVariant;
use lab::knob::KNOBS;
use workload::Work;

pub(super) fn variants(
    as_it_is: LabelledVariant,
    work: &Work,
    cpus: &Cpus,
) -> Vec<LabelledVariant> {
    let knobs = KNOBS.iter().filter(|knob| knob.is_tried_unasked);
    let changed: Vec<LabelledVariant> = knobs
        .flat_map(|knob| knob.turned(&as_it_is, work, cpus))
        .collect();
    let label = "as it is".to_owned();
    let mut all = vec![LabelledVariant { label, ..as_it_is }];
    all.extend(changed);
    all
}
