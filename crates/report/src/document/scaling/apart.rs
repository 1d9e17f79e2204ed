//! Why ratios in one row of throughput differ: threads over processes is of slots of the same
//! round, *of one* is that of two samples, what is below *a second* is of typical times.

use flow::Model;
use lab::{Scaling, ScalingPoint, Throughput};

const OTHER: f64 = 1.15;

pub(crate) fn apart(work: &Scaling) -> Option<String> {
    let one = work.points.iter().find(|point| point.flows == work.one);
    let one = one.and_then(|point| point.variants.first());
    let points = work.points.iter();
    let others: Vec<String> = points.flat_map(|point| others(point, one)).collect();
    (!others.is_empty()).then(|| {
        format!(
            "ratios are of slots of the same round, and of one those of two samples; rounds differ \
             so much that what is done in a second would alone make it {}",
            others.join("; ")
        )
    })
}

fn others(point: &ScalingPoint, one: Option<&Throughput>) -> Vec<String> {
    let pair = point.of(Model::Thread).zip(point.of(Model::Process));
    let flows = point.flows;
    let over = point.threads_over_processes.zip(pair);
    let over = over.and_then(|(told, (threads, processes))| {
        let ratio = other(threads.per_s / processes.per_s, told.ratio)?;
        Some(format!("at {flows} flows {ratio:.2}x over processes"))
    });
    let of_one = point.variants.iter().filter_map(|variant| {
        let ratio = other(variant.per_s / one?.per_s, variant.over_one?.ratio)?;
        Some(format!(
            "at {flows} flows {ratio:.2}x of one for {}",
            variant.label
        ))
    });
    over.into_iter().chain(of_one).collect()
}

fn other(ratio: f64, told: f64) -> Option<f64> {
    ((ratio / told).ln().abs() > OTHER.ln()).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use lab::{Ratio, Topology};
    use measure::Measured;

    use super::*;

    fn throughput(label: &str, per_s: f64, over_one: f64) -> Throughput {
        Throughput {
            label: label.to_owned(),
            model: label.parse().ok(),
            processes: 1,
            threads: 1,
            per_s,
            over_one: Some(ratio(over_one)),
            memory: Measured::Value(1),
            footprint: None,
        }
    }

    fn ratio(ratio: f64) -> Ratio {
        Ratio {
            ratio,
            interval: None,
        }
    }

    /// One flow that does 100 a second, and two that do this many times as much.
    fn work(threads: f64, told: f64, over_one: f64) -> Scaling {
        let point = |flows, variants, threads_over_processes| ScalingPoint {
            flows,
            case: format!("work/cores/{flows}"),
            variants,
            threads_over_processes,
            dtlb_misses: Measured::not_available("not counted", ""),
        };
        let one = vec![throughput("process", 100.0, 1.0)];
        let two = vec![
            throughput("process", 200.0, 2.0),
            throughput("thread", threads, over_one),
        ];
        Scaling {
            workload: "work".to_owned(),
            along: Topology::Cores,
            room: 2,
            counted: "things".to_owned(),
            allocates: None,
            one: 1,
            points: vec![point(1, one, None), point(2, two, Some(ratio(told)))],
        }
    }

    #[test]
    fn ratios_that_what_is_done_in_a_second_bears_out_need_no_word() {
        assert_eq!(apart(&work(190.0, 0.95, 1.9)), None);
        assert_eq!(apart(&work(190.0, 1.05, 1.75)), None, "nearly the same");
    }

    #[test]
    fn ratios_that_it_does_not_bear_out_are_named_with_what_it_would_make_of_them() {
        let said = apart(&work(150.0, 1.1, 2.1)).unwrap();
        assert!(said.contains("at 2 flows 0.75x over processes"), "{said}");
        assert!(said.contains("1.50x of one for thread"), "{said}");
        let said = apart(&work(150.0, 0.75, 2.1)).unwrap();
        assert!(!said.contains("over processes"), "{said}");
    }
}
