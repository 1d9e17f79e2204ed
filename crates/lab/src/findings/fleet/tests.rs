use flow::{Answer, Placement, SlotSpec};
use proptest::prelude::*;
use stats::{Rule, Verdict};
use tempfile::tempdir;
use workload::{Cpu, Work};

use super::merge::{Journals, is_finished};
use super::*;
use crate::data::Metric;
use crate::findings::testing::{has, record};
use crate::findings::{Results, Word};
use crate::run::progress::Silent;
use crate::run::{Journal, run};
use crate::testing::{MS, Mock, PROOF, case, done, estimate, header, lost, study};

/// A machine whose findings are these, as (case, log ratio, half the width of the interval).
fn node(name: &str, kernel: &str, findings: &[(&str, f64, f64)]) -> Node {
    let finding = |(case, log, half): &(&str, f64, f64)| {
        let estimate = estimate(log.exp(), (log - half).exp(), (log + half).exp());
        let verdict = Rule::default().judge(&estimate);
        NodeFinding {
            study: "mock".into(),
            case: (*case).into(),
            subject: "thread".into(),
            reference: "process".into(),
            metric: Metric::Total,
            is_headline: *case == "head",
            work: 0,
            estimate: Some(estimate),
            verdict,
            floor: 0.01,
            p_value: Some(if verdict.is_decided() { 0.0001 } else { 0.4 }),
            noise: Some(0.01),
        }
    };
    Node {
        name: name.to_owned(),
        version: "1".to_owned(),
        traits: vec![("kernel".to_owned(), kernel.to_owned())],
        state: "finished".to_owned(),
        warnings: Vec::new(),
        findings: findings.iter().map(finding).collect(),
    }
}

/// As many machines as there are log ratios, each known to 1 %.
fn nodes(logs: impl IntoIterator<Item = f64>) -> Vec<Node> {
    let named =
        |(place, log): (usize, f64)| node(&format!("m{place:03}"), "6.1", &[("head", log, 0.01)]);
    logs.into_iter().enumerate().map(named).collect()
}

/// One comparison on such machines.
fn on(logs: &[f64]) -> Comparison {
    let fleet = Fleet::of(nodes(logs.iter().copied()));
    fleet.comparisons.into_iter().next().unwrap()
}

#[test]
fn what_holds_on_all_on_most_and_what_flips() {
    let faster = Word::Faster;
    assert_eq!(on(&[-0.1; 4]).agreement, Agreement::All { verdict: faster });
    let most = on(&[-0.1, -0.12, -0.11, 0.0]);
    assert_eq!(most.agreement, Agreement::Most { verdict: faster });
    assert_eq!(on(&[-0.1, -0.1, -0.1, 0.1]).agreement, Agreement::Flips);
    assert_eq!(on(&[-0.1, 0.0, 0.0, -0.1]).agreement, Agreement::Mixed);
    assert_eq!(on(&[0.005; 3]).agreement, Agreement::CannotTell);
    has(&most.sentence, "faster on most of 4 machines");
    let one = on(&[0.005]).sentence;
    has(&one, "no verdict on the one machine");
}

/// One machine of a hundred that names the other direction at 4 % is what chance makes of a hundred.
#[test]
fn a_dissenter_that_chance_explains_does_not_flip_a_verdict() {
    let mut nodes = nodes([-0.1; 100]);
    nodes[7] = node("m007", "6.1", &[("head", 0.02, 0.019)]);
    nodes[7].findings[0].verdict = Verdict::Slower { at_least: 0.001 };
    nodes[7].findings[0].p_value = Some(0.0499);
    let found = Fleet::of(nodes.clone());
    // All others are established, so 5 % of discoveries may be false: it just passes alone.
    let fragile = Fleet::of(
        nodes
            .split_off(7)
            .into_iter()
            .take(3)
            .map(|mut node| {
                node.findings[0].p_value = node.findings[0].p_value.map(|p| p.max(0.04));
                node
            })
            .collect(),
    );
    assert_eq!(found.comparisons[0].tally.slower, 1);
    assert_eq!(fragile.comparisons[0].tally.slower, 1);
    let quiet = |place: usize| {
        let mut one = node(&format!("q{place}"), "6.1", &[("head", 0.0, 0.02)]);
        one.findings[0].p_value = Some(0.5);
        one
    };
    let mut undecided: Vec<Node> = (0..98).map(quiet).collect();
    for (name, log) in [("x", -0.03), ("y", 0.03)] {
        let mut one = node(name, "6.1", &[("head", log, 0.02)]);
        one.findings[0].p_value = Some(0.01);
        undecided.push(one);
    }
    let found = Fleet::of(undecided);
    let one = &found.comparisons[0];
    assert_eq!((one.tally.faster, one.tally.slower), (1, 1));
    assert_eq!(one.agreement, Agreement::CannotTell);
}

#[test]
fn the_trait_that_separates_machines_is_named() {
    let nodes = (0..12).map(|place| {
        let (kernel, log) = if place % 2 == 0 {
            ("6.1", -0.1)
        } else {
            ("6.18", 0.1)
        };
        let wiggle = f64::from(place) * 0.001;
        node(
            &format!("m{place:02}"),
            kernel,
            &[("head", log + wiggle, 0.01)],
        )
    });
    let fleet = Fleet::of(nodes.collect());
    let one = &fleet.comparisons[0];
    assert_eq!(one.agreement, Agreement::Flips);
    assert_eq!(one.apart.len(), 1);
    assert_eq!(one.apart[0].traits, ["kernel"]);
    assert!(one.apart[0].share > 0.95, "{:?}", one.apart);
    has(&one.sentence, "kernel separates the machines");
}

#[test]
fn other_work_is_left_out_and_named() {
    let mut nodes = nodes([-0.1; 4]);
    nodes[2].findings[0].work = 1;
    let one = Fleet::of(nodes).comparisons.remove(0);
    assert_eq!(one.left_out, ["m002"]);
    assert_eq!(one.tally.faster, 3);
}

#[test]
fn the_order_of_machines_does_not_matter() {
    let mut nodes: Vec<Node> = (0..7)
        .map(|place| {
            let log = 0.01 * f64::from(place);
            node(
                &format!("m{place}"),
                "6.1",
                &[("head", log, 0.01), ("side", -log, 0.02)],
            )
        })
        .collect();
    let forwards = serde_json::to_string(&Fleet::of(nodes.clone())).unwrap();
    nodes.reverse();
    assert_eq!(serde_json::to_string(&Fleet::of(nodes)).unwrap(), forwards);
}

/// Flows that had half of the CPU time that they have elsewhere.
fn crowded(spec: &SlotSpec<Work>, ns: u64) -> Answer {
    let mut answer = done(spec, ns, PROOF);
    let reps = record(&mut answer).reps.iter_mut();
    let flows = reps.flat_map(|rep| &mut rep.flows);
    flows.for_each(|flow| flow.steady.cpu_ns /= 2);
    answer
}

/// What a fleet leaves out of a journal changes nothing of what it says.
#[test]
fn verdicts_alone_are_those_of_all_results() {
    let folder = tempdir().unwrap();
    let models = ["process", "thread", "thread"];
    let mut mock = Mock::new(|units, label, n, spec| match (units, n) {
        (9, 3) => lost(),
        _ => crowded(spec, MS * (20 + u64::from(label == "thread")) + n as u64),
    });
    // What single flows did is asked for of these two.
    let mut of_units = case("units", 5, &models);
    of_units.metric = Metric::Unit;
    let mut busy = case("busy", 7, &models);
    busy.work = Work::Cpu(Cpu {
        workers: 7,
        loops: 1,
    });
    for variant in &mut busy.variants {
        variant.variant.placement = Placement::One;
    }
    let cases = vec![
        case("one", 1, &models),
        case("two", 9, &models),
        of_units,
        busy,
    ];
    let mut journal = Journal::create(folder.path(), header(vec![study(cases)])).unwrap();
    let clock = mock.clock();
    run(&mut journal, &mut mock, &clock, &mut Silent).unwrap();
    let read = Results::from_journal(journal.path()).unwrap();
    let warned = read.warnings.iter().any(|one| one.contains("only compute"));
    assert!(warned, "{:?}", read.warnings);
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded");
    let recorded = std::fs::read_dir(recorded).unwrap();
    let recorded = recorded.map(|entry| entry.unwrap().path());
    let is_journal = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "jsonl");
    let mut journals: Vec<_> = recorded.filter(is_journal).collect();
    journals.push(journal.path().to_owned());
    for path in journals {
        let all = Results::from_journal(&path).unwrap();
        let verdicts = Results::verdicts_of_journal(&std::fs::read(&path).unwrap(), &path).unwrap();
        assert!(verdicts.studies[0].sentences.is_empty());
        let node = Node::of("m", &[all]).unwrap();
        assert!(!node.findings.is_empty(), "{}", path.display());
        assert_eq!(Node::of("m", &[verdicts]), Some(node), "{}", path.display());
    }
}

const END: &str = r#"{"line":"end","interrupted":null,"at_s":1.0}"#;

#[test]
fn a_run_that_ended_answers_before_a_longer_one_that_was_cut() {
    let mut all = Journals::default();
    assert!(!all.take(b""));
    assert!(!all.take(b"half a first li"));
    let ended = format!("run 1\na\n{END}\n");
    assert!(is_finished(ended.as_bytes()) && !is_finished(b"run 1\n"));
    assert!(all.take(b"run 2\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\nq\nr\ns\nt\nu\nv\n"));
    assert!(all.take(ended.as_bytes()));
    let files: Vec<String> = all.files().map(|(name, _)| name).collect();
    assert_eq!(files, ["journal.jsonl", "journal-2.jsonl"]);
    assert_eq!(all.best_first()[0], ended.as_bytes());
}

/// Journals of a few runs of a machine: lines, with an end or without.
fn journals() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let lines = prop::collection::vec("[ab]{0,3}", 0..6);
    let journal = (0..3u8, lines, any::<bool>()).prop_map(|(run, lines, ends)| {
        let mut text = format!("run {run}\n");
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        if ends {
            text.push_str(END);
            text.push('\n');
        }
        text.into_bytes()
    });
    prop::collection::vec(journal, 1..6)
}

fn merged<'a>(texts: impl IntoIterator<Item = &'a Vec<u8>>) -> Journals {
    let mut all = Journals::default();
    for text in texts {
        all.take(text.as_slice());
    }
    all
}

fn files(all: &Journals) -> Vec<(String, Vec<u8>)> {
    all.files()
        .map(|(name, text)| (name, text.to_vec()))
        .collect()
}

proptest! {
    #[test]
    fn merged_twice_in_any_order_cut_anywhere(
        texts in journals(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..8),
        seed in any::<u64>(),
        split in any::<prop::sample::Index>(),
    ) {
        let whole = merged(&texts);
        let mut more = texts.clone();
        for (which, at) in &cuts {
            let text = which.get(&texts);
            more.push(text[..at.index(text.len())].to_vec());
        }
        more.extend(texts.clone());
        let count = more.len();
        for last in (1..count).rev() {
            let other = usize::try_from(seed.rotate_left(u32::try_from(last).unwrap()) % (last as u64 + 1)).unwrap();
            more.swap(last, other);
        }
        prop_assert_eq!(files(&merged(&more)), files(&whole));
        // In groups, and with what was merged before.
        let (left, right) = more.split_at(split.index(more.len()));
        let mut grouped = merged(left);
        grouped.merge(merged(right));
        grouped.merge(whole.clone());
        prop_assert_eq!(files(&grouped), files(&whole));
        // And from the files that were written.
        let again: Vec<Vec<u8>> = files(&whole).into_iter().map(|(_, text)| text).collect();
        prop_assert_eq!(files(&merged(again.iter().rev())), files(&whole));
    }
}
