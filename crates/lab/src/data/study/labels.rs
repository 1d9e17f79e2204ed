use flow::{Model, Variant};

use super::LabelledVariant;
use crate::data::axis::{AXES, Axis};

/// Labels: the model's name, then flows and axes in which the variants differ; equals are numbered.
#[must_use]
pub fn labelled(variants: Vec<Variant>) -> Vec<LabelledVariant> {
    let all = labels(&variants).into_iter().zip(variants);
    unique(
        all.map(|(label, variant)| LabelledVariant::new(label, variant))
            .collect(),
    )
}

fn labels(variants: &[Variant]) -> Vec<String> {
    let differ = |part: &dyn Fn(&Variant) -> Option<String>| {
        let mut pairs = variants.windows(2);
        pairs.any(|two| part(&two[0]) != part(&two[1]))
    };
    let flows = differ(&|variant| Some(variant.flows.to_string()));
    let axes: Vec<&Axis> = AXES.iter().filter(|axis| differ(&axis.word)).collect();
    let label = |variant: &Variant| {
        let mut words = vec![variant.model.to_string()];
        // A mix has its flows in its name.
        if flows && !matches!(variant.model, Model::Mix { .. }) {
            words.push(format!("x{}", variant.flows));
        }
        let own = axes.iter();
        words.extend(own.filter_map(|axis| (axis.label)(variant, variants)));
        words.join(" ")
    };
    variants.iter().map(label).collect()
}

pub(crate) fn unique(mut variants: Vec<LabelledVariant>) -> Vec<LabelledVariant> {
    let mut taken: Vec<String> = Vec::new();
    for LabelledVariant { label, .. } in &mut variants {
        let own = label.clone();
        for number in 2.. {
            if !taken.contains(label) {
                break;
            }
            *label = format!("{own} #{number}");
        }
        taken.push(label.clone());
    }
    variants
}

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
    use super::*;
    use flow::{Channel, Pages, ParentMemory, Placement, Schedule};

    fn variant(model: &str, flows: u32) -> Variant {
        Variant::new(model.parse().unwrap(), flows)
    }

    fn names(variants: Vec<Variant>) -> Vec<String> {
        labelled(variants).into_iter().map(|v| v.label).collect()
    }

    #[test]
    fn the_model_alone_where_nothing_else_differs() {
        let names = names(vec![variant("process", 5), variant("thread", 5)]);
        assert_eq!(names, ["process", "thread"]);
    }

    #[test]
    fn what_differs_is_named() {
        let mut queue = variant("thread", 5);
        queue.schedule = Schedule::Queue;
        let schedules = names(vec![variant("thread", 5), queue]);
        assert_eq!(schedules, ["thread static", "thread queue"]);
        let models = [("thread", 4), ("thread", 8), ("4x2", 8)];
        let flows = names(models.map(|(model, flows)| variant(model, flows)).to_vec());
        assert_eq!(flows, ["thread x4", "thread x8", "4x2"]);
        let mut shm = variant("thread", 5);
        shm.channel = Channel::Shm;
        shm.placement = Placement::One;
        let both = names(vec![variant("process", 5), shm]);
        assert_eq!(both, ["process free fifo", "thread one shm"]);
    }

    #[test]
    fn parent_memory_is_named_where_it_differs() {
        let with = |bytes, pages| Variant {
            parent_memory: Some(ParentMemory { bytes, pages }),
            ..variant("process", 1)
        };
        let (small, huge) = (with(1 << 20, Pages::Small), with(1 << 20, Pages::Huge));
        let pages = names(vec![small.clone(), huge.clone()]);
        assert_eq!(pages, ["process 4k", "process huge"]);
        let sizes = names(vec![variant("thread", 1), small.clone(), huge]);
        assert_eq!(sizes, ["thread", "process 1M 4k", "process 1M huge"]);
        assert_eq!(names(vec![small.clone(), small])[0], "process");
    }

    #[test]
    fn the_same_variant_thrice_is_numbered() {
        let names = names(vec![variant("thread", 2); 3]);
        assert_eq!(names, ["thread", "thread #2", "thread #3"]);
    }
}
