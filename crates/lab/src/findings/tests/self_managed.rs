//! Scripted slots of the built-in study of searches, and what is said of them.

use std::path::PathBuf;

use flow::{Answer, SelfManagedUsage, SlotSpec};
use workload::{Design, Reading, Work};

use crate::data::{Preset, Settings, Study};
use crate::findings::testing::{begins, has, results};
use crate::findings::{CaseResult, Cause, StudyResult};
use crate::testing::{MS, Mock, PROOF, done, header};

fn study() -> Study {
    let mut study = crate::plan::study::builtin("search", Preset::Quick)
        .unwrap()
        .for_cpus(2);
    for case in &mut study.cases {
        let own = case.variants.iter_mut().filter_map(|v| v.work.as_mut());
        for work in own.chain([&mut case.work]) {
            if let Work::Search(search) = work {
                search.tree = vec![PathBuf::from("/srv/tree")];
            }
        }
    }
    study
}

/// What a slot takes, in ms, and what its flows do: the figures of a tree of 80,000 files on
/// two CPUs, as threads and processes were seen to search it.
struct Seen {
    ms: f64,
    made: u64,
    system_ms: f64,
    waits: u64,
}

fn seen(spec: &SlotSpec<Work>) -> Seen {
    let Work::Search(search) = &spec.work else {
        panic!("no search")
    };
    let flows = f64::from(spec.variant.flows);
    let model = spec.variant.model.to_string();
    let mapped = search.io == Reading::Mmap;
    let (ms, system_ms, waits) = match (search.design, mapped, model.as_str()) {
        (Design::Sequential, ..) => (390.0, 200.0, 0),
        (Design::PerFile, ..) => (3_900.0, 5_000.0, 83_000),
        (_, false, _) if flows < 2.0 => (400.0, 200.0, 2),
        (_, false, "thread-private-files") => (200.0, 200.0, 27),
        (_, false, "thread") => (207.0, 200.0, 27),
        (_, false, _) => (207.4, 200.0, 10),
        (_, true, "process") => (520.0 + 400.0 * f64::from(flows < 2.0), 600.0, 4),
        (_, true, _) if flows < 2.0 => (980.0, 700.0, 4),
        (_, true, _) => (1_340.0 + flows, 1_900.0, 5_000),
    };
    Seen {
        ms,
        made: match search.design {
            Design::Sequential => 0,
            Design::PerFile => 78_579,
            _ => u64::from(spec.variant.flows),
        },
        system_ms,
        waits,
    }
}

fn answer(n: usize, spec: &SlotSpec<Work>, disk_blocks: u64) -> Answer {
    let seen = seen(spec);
    // Some noise, another one for each number of flows.
    let wobble = (n * 7 + spec.variant.flows as usize * 3) % 11;
    let ns = |factor: f64| (seen.ms * MS as f64 * factor * (1.0 + wobble as f64 / 2e4)) as u64;
    let Answer::Done(mut record) = done(spec, ns(1.0), PROOF) else {
        panic!("not done")
    };
    let own = |timed: bool| SelfManagedUsage {
        user_ns: ns(0.5),
        system_ns: (seen.system_ms * MS as f64) as u64,
        made: seen.made,
        most: seen.made.min(u64::from(spec.variant.flows)),
        held_at: (seen.made > 1_000).then_some(256),
        disk_blocks,
        peak_rss: 6 << 20,
        counts: [("files", 78_579), ("lines", 39), ("errors", 3)]
            .map(|(name, count)| (name.to_owned(), count))
            .into(),
        forgotten: None,
        classes_ns: match timed {
            true => [("walk".to_owned(), ns(0.1)), ("read".to_owned(), ns(0.6))].into(),
            false => Default::default(),
        },
    };
    for rep in record.reps.iter_mut().chain(&mut record.warmups) {
        rep.self_managed = Some(Box::new(own(false)));
        rep.flows.truncate(1);
        rep.flows[0].steady.voluntary_switches = seen.waits;
        rep.flows[0].proof = PROOF;
    }
    if spec.timers {
        let mut timed = record.reps[0].clone();
        timed.steady_ns += ns(0.02);
        timed.self_managed = Some(Box::new(own(true)));
        record.timed = Some(Box::new(timed));
    }
    Answer::Done(record)
}

fn result() -> StudyResult {
    result_of(0)
}

fn case<'a>(result: &'a StudyResult, name: &str) -> &'a CaseResult {
    let mut cases = result.cases.iter();
    cases.find(|case| case.case.name == name).unwrap()
}

/// Each repetition reads this many blocks from a disk.
fn result_of(disk_blocks: u64) -> StudyResult {
    let (result, mock) = run_with(disk_blocks, |_| {});
    let timed = mock.specs.iter().filter(|spec| spec.timers).count();
    let variants: usize = study().cases.iter().map(|case| case.variants.len()).sum();
    assert_eq!(timed, 7 * variants, "the pilot and six rounds");
    result
}

/// With other settings than the usual ones.
fn run_with(disk_blocks: u64, set: impl FnOnce(&mut Settings)) -> (StudyResult, Mock) {
    let mut mock = Mock::new(move |_, _, n, spec| answer(n, spec, disk_blocks));
    let mut header = header(vec![study()]);
    set(&mut header.settings);
    (results(header, &mut mock).studies.remove(0), mock)
}

/// Of one and two rounds it was said which number is best, and by how much.
#[test]
fn no_number_is_best_before_there_are_rounds_for_an_interval() {
    for rounds in [1, 2, 4] {
        let (result, _) = run_with(0, |settings| settings.max_rounds = rounds);
        let told = result.cases.iter().filter_map(|case| case.optimum.as_ref());
        assert!(told.clone().count() == 4 && told.clone().all(|best| !best.is_told));
        let said = result.sentences.join("\n");
        let yet = "threads-mmap: the best number of threads is not known yet (too few rounds)";
        has(&said, yet);
        for claim in ["best with", "too many cost", "flat", "with 16 threads"] {
            assert!(!said.contains(claim), "{claim}: {said}");
        }
    }
    let told = result();
    let mut best = told.cases.iter().filter_map(|case| case.optimum.as_ref());
    assert!(best.all(|best| best.is_told));
}

/// Paired by round the best number took longer than another one.
#[test]
fn no_number_takes_less_time_than_the_best() {
    let numbers = result().cases.into_iter().filter_map(|case| case.optimum);
    for at in numbers.flat_map(|best| best.numbers) {
        let ratio = at.estimate.map_or(1.0, |estimate| estimate.ratio);
        assert!(ratio >= 1.0, "{at:?}");
    }
}

#[test]
fn questions_without_time_are_named_beside_the_headline() {
    let (result, _) = run_with(0, |settings| settings.budget_s = Some(200.0));
    assert!(
        case(&result, "designs-mmap").rounds > 0,
        "{:#?}",
        result.sentences
    );
    assert_eq!(case(&result, "flow-per-file").rounds, 0);
    let without: Vec<&str> = result
        .cases
        .iter()
        .filter(|case| case.rounds == 0)
        .map(|case| case.case.name.as_str())
        .collect();
    let said = &result.sentences[1];
    let begin = format!(
        "stopped at the time limit: {} questions have no answer yet: ",
        without.len()
    );
    begins(said, &begin);
    assert!(without.iter().all(|name| said.contains(name)), "{said}");
    let all = self::result().sentences;
    assert!(!all.iter().any(|said| said.starts_with("stopped at")));
}

/// Where time is short, the most expensive comparison falls away, and not what is like the source's.
#[test]
fn the_table_and_the_chart_of_the_source_come_before_what_takes_longest() {
    let study = study();
    let names: Vec<&str> = study.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(study.headline, "designs-mmap");
    assert_eq!(names[..2], ["designs-mmap", "threads-mmap"]);
    assert_eq!(names[8..], ["flow-per-file"]);
}

#[test]
fn the_known_behaviour_is_found_and_explained() {
    let result = result();
    let said = |start: &str| {
        let mut sentences = result.sentences.iter();
        let found = sentences.find(|sentence| sentence.starts_with(start));
        found.unwrap_or_else(|| panic!("nothing of {start}: {:#?}", result.sentences))
    };
    let each = said("designs: thread per file takes");
    has(each, "19x as long as pool [18x … 19x]");
    has(each, "78,579 flows are made, not 2");
    has(said("threads-mmap: best with 1 thread "), "too many cost");
    let crowd = said("threads-mmap: with 16 threads");
    has(
        crowd,
        "the kernel takes 1.90 s for the same work instead of 700 ms",
    );
    has(crowd, "give up their CPU 5,000 times instead of 4");
    let flat = said("threads-read: best with");
    has(flat, "flat from there on: up to 16");
    has(flat, "1 takes 1.93x");
    let held = said("designs-mmap, designs: thread per file was held to");
    has(held, "256 flows at one time");
}

/// What holds for all cases was said once for each of them, one line after the other.
#[test]
fn what_holds_for_several_cases_is_said_once() {
    let said = |result: &StudyResult, what: &str| -> Vec<String> {
        let sentences = result.sentences.iter();
        sentences
            .filter(|said| said.contains(what))
            .cloned()
            .collect()
    };
    let all = "designs-mmap, threads-mmap, processes-mmap, models-mmap, designs, threads-read, \
               processes-read, models-read, flow-per-file";
    let result = result();
    assert_eq!(
        said(&result, "could not be read"),
        [format!(
            "{all}: 3 paths could not be read and were searched by no variant"
        )]
    );
    assert!(said(&result, "read from a disk").is_empty());
    let result = result_of(8);
    let read = said(&result, "read from a disk");
    let reps: usize = result
        .cases
        .iter()
        .flat_map(|case| &case.variants)
        .filter_map(|variant| Some(variant.self_managed.as_ref()?.reps))
        .sum();
    let reps = crate::data::number::count(reps as u64);
    let begin = format!("{all}: {reps} of {reps} repetitions read from a disk although");
    assert!(read.len() == 1 && read[0].starts_with(&begin), "{read:#?}");
}

#[test]
fn what_many_flows_cost_is_told_by_their_faults() {
    let result = result();
    let mut threads = case(&result, "threads-mmap").clone();
    for variant in &mut threads.variants {
        let flows = f64::from(variant.self_managed.as_ref().unwrap().most as u32);
        variant.counts.as_mut().unwrap().flow_faults = Some(100.0 * flows);
    }
    let said = crate::findings::self_managed::sentences(&[threads]);
    let crowd = said
        .iter()
        .find(|said| said.contains("with 16 threads"))
        .unwrap();
    has(crowd, "there are 1,600 page faults instead of 100");
}

#[test]
fn three_models_tell_the_address_space_from_the_table_of_files() {
    let result = result();
    let shared = |name: &str| case(&result, name).shared.unwrap();
    let mapped = shared("models-mmap");
    assert_eq!(mapped.cause, Cause::AddressSpace);
    assert!((2.5..2.7).contains(&mapped.address_space.estimate.ratio));
    let read = shared("models-read");
    assert!(
        (1.03..1.04).contains(&read.file_table.estimate.ratio),
        "{read:?}"
    );
    let why = &case(&result, "models-mmap").findings[1].why;
    let waits = "threads wait for each other at the address space that they share: 5,000 times in \
                 the steady phase against 4";
    assert!(why.iter().any(|reason| reason == waits), "{why:#?}");
}

#[test]
fn timers_and_what_they_cost_stand_beside_what_was_counted_without_them() {
    let result = result();
    let pool = &result.cases[0].variants[2];
    assert_eq!(pool.label, "pool");
    let own = pool.self_managed.as_ref().unwrap();
    assert_eq!(own.made, 2.0);
    assert_eq!(own.counts["files"], 78_579.0);
    assert!(own.classes_ns["read"] > own.classes_ns["walk"]);
    assert!((0.019..0.021).contains(&own.timers_cost.unwrap()));
    assert_eq!((own.reps, own.from_disk), (20, 0));
    assert!(pool.memory.is_some(), "of a script");
}
