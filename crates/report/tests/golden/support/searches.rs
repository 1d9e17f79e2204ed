//! A run of the built-in study of searches that never was, with what such searches took on a
//! large tree: a thread for each file ten times as long as none, threads that map files slower
//! the more of them there are, and all else alike.

use flow::{Answer, SelfManagedUsage};
use lab::{Case, Outcome, Preset, Results, Study};
use workload::{Design, Reading, Work};

use super::journal::{Writer, header};
use super::made;
use super::slots::{Like, Noise, done};

/// The run.
pub(crate) fn searches() -> Results {
    made("searches-golden", text)
}

fn study() -> Study {
    let study = lab::builtin("search", Preset::Quick).expect("it is built in");
    let mut study = study.for_cpus(2);
    for case in &mut study.cases {
        let own = case.variants.iter_mut().filter_map(|v| v.work.as_mut());
        for work in own.chain([&mut case.work]) {
            if let Work::Search(search) = work {
                search.tree = vec!["/usr/include".into(), "/usr/share".into()];
            }
        }
    }
    study
}

fn text() -> String {
    Writer::whole((&header(vec![study()]), 20, 19.0), Noise(5), slot)
}

fn slot(case: &Case, variant: usize, round: usize, noise: &mut Noise) -> Outcome {
    let Work::Search(search) = case.work_of(variant) else {
        panic!("no search")
    };
    let labelled = &case.variants[variant].variant;
    let (flows, isolates) = (labelled.flows, labelled.model.isolates());
    let few = f64::from(flows.min(2));
    let (create, steady, made, waits) = match (search.design, search.io) {
        (Design::Sequential, _) => (0.0, 6.1e6, 0, 0),
        (Design::PerFile, _) => (31e6, 29e6, 800, 870),
        (_, Reading::Mmap) if !isolates => (0.1e6, 9.0e6 + 2.0e6 * few, flows, 60 * flows),
        (_, io) => {
            let dear = if io == Reading::Mmap { 1.5 } else { 1.0 };
            (0.1e6, dear * 6.1e6 / few, flows, 3)
        }
    };
    let like = Like {
        create,
        steady,
        teardown: 0.05e6,
        pss: 6_000_000,
        processes: 1,
        faults: 20,
    };
    let mut outcome = done(like, 1, noise, true);
    let own = |timed: bool| own((made, flows), steady, timed);
    if let Answer::Done(record) = &mut outcome.answer {
        for rep in record.reps.iter_mut().chain(&mut record.warmups) {
            rep.kernel_counters = None;
            rep.self_managed = Some(Box::new(own(false)));
            rep.flows[0].steady.voluntary_switches = waits.into();
        }
        record.timed = (round < 5).then(|| {
            let mut timed = record.reps[0].clone();
            timed.steady_ns += timed.steady_ns / 50;
            timed.self_managed = Some(Box::new(own(true)));
            Box::new(timed)
        });
    }
    outcome
}

/// What flows of which this many were made, and this many asked for, tell of a repetition.
fn own((made, flows): (u32, u32), steady: f64, timed: bool) -> SelfManagedUsage {
    let counts = [
        ("files", 800),
        ("folders", 143),
        ("bytes", 11_912_345),
        ("lines", 37),
        ("matched_files", 12),
        ("errors", 0),
    ];
    let classes = [
        ("walk", 400_000),
        ("open", 1_600_000),
        ("read", 2_200_000),
        ("search", 1_900_000),
        ("print", 20_000),
        ("create", 10_000),
        ("wait", 300_000),
    ];
    let named = |(name, value): (&str, u64)| (name.to_owned(), value);
    SelfManagedUsage {
        user_ns: 2_100_000,
        system_ns: steady as u64 / 2,
        made: made.into(),
        most: u64::from(made.min(flows)),
        held_at: (made > flows).then_some(flows.into()),
        disk_blocks: 0,
        peak_rss: 6_400_000,
        counts: counts.map(named).into(),
        forgotten: None,
        classes_ns: match timed {
            true => classes.map(named).into(),
            false => std::collections::BTreeMap::new(),
        },
    }
}
