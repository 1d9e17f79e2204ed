//! What a model of another machine counted: a chart of each kind of misses, with the source beside it.

use lab::findings::simulated::{Count, SimulatedCase, SimulatedCount, Spread};
use lab::{Results, Simulation, Topology};
use report::terminal::{self, PLAIN_WIDTH, Style};
use report::{html, plots};

use crate::support::scaling::scaled;
use crate::support::whole_text;

fn ratio(median: f64) -> Spread {
    Spread {
        median,
        least: median * 0.98,
        most: median * 1.02,
    }
}

/// Threads over processes in LLC misses and in misses of the data TLB.
fn case(flows: u32, llc: f64, dtlb: f64) -> SimulatedCase {
    let count = |count, over: f64| SimulatedCount {
        count,
        reference: 100.0,
        subject: 100.0 * over,
        ratio: Some(ratio(over)),
        verdict: lab::findings::Word::CannotTell,
        draws: 3,
        exact: false,
        in_parts: vec![(16, over * 0.9), (4, over * 0.95)],
        longer_turns: Some(over * 1.2),
        counted: None,
    };
    SimulatedCase {
        case: format!("wiki/smt/{flows}"),
        workload: "wiki".to_owned(),
        along: Some(Topology::Smt),
        flows,
        subject: "thread".to_owned(),
        reference: "process".to_owned(),
        launches: 3,
        units: 400.0,
        counted: 0.5,
        traces: Vec::new(),
        throughput: ratio(1.01),
        time: Vec::new(),
        counts: vec![count(Count::Llc, llc), count(Count::Dtlb, dtlb)],
    }
}

fn simulated() -> Results {
    let machine = simulate::builtin("ultrasparc-t1").expect("it is good");
    let mut results = scaled();
    results.header.settings.simulate = Some(Box::new(Simulation {
        page: 8192,
        turn: 100,
        timeslice: 1 << 18,
        window: 1 << 21,
        keep: None,
        machine: machine.expect("it is built in"),
    }));
    results.studies[0].parts.simulated = vec![
        case(1, 0.70, 0.99),
        case(2, 0.75, 0.60),
        case(4, 0.78, 0.41),
    ];
    results
}

/// A run that did not come to `wiki` on all hardware threads, of which the source has a figure.
fn stopped_early() -> Results {
    let mut results = simulated();
    let study = &mut results.studies[0];
    let mut missing = study.cases[0].clone();
    missing.case.name = "wiki/all".to_owned();
    study.cases.push(missing);
    results
}

/// The words of a page or of the terminal, wherever lines break.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn simulated_misses_have_a_chart_each_with_a_conclusion_a_cause_and_the_source() {
    let results = simulated();
    let page = words(&html::page(&results));
    let terminal = words(&whole_text(&results, PLAIN_WIDTH));
    for said in [
        "with 4 flows threads have 22 % fewer LLC misses than processes",
        "with 4 flows threads have 59 % fewer DTLB misses than processes",
        "With one flow, which shares nothing, it is 0.70x already: 100 % of the difference",
        "99 % of the difference comes from sharing a core: with one flow it is 0.99x; with longer turns 0.49x",
        "Beside it, in 2010: Its misses of the data TLB, on one core: reduced by 60 %",
    ] {
        assert!(page.contains(said), "{said}");
        assert!(terminal.contains(said), "{said}: {terminal}");
    }
    assert!(page.contains("in 2010: reduced by 60 %"), "the mark's name");
    let plots = plots::all(&results);
    let tlb = plots.iter().find(|plot| plot.name.ends_with("-tlb"));
    let tlb = &tlb.expect("a chart of the data TLB").svg;
    assert!(tlb.contains("at 4 flows: 0.410x, between 0.402x and 0.418x"));
    assert!(tlb.contains("at 4 flows: 0.400x"), "the source's");
    assert!(plots.iter().any(|plot| plot.name.ends_with("-caches")));
}

/// The first screen of a run that was simulated had launches and times, and no miss.
#[test]
fn the_first_screen_shows_the_misses_of_the_largest_number_of_flows() {
    let text = terminal::run(&simulated(), &Style::default(), None);
    let row = "wiki, smt 4 LLC misses 0.78x, DTLB misses 0.41x (threads / processes)";
    assert!(words(&text).contains(row), "{text}");
    assert_eq!(text.matches("LLC misses").count(), 1, "{text}");
}

#[test]
fn the_sentence_of_a_chart_stands_once() {
    let results = simulated();
    let said = "with 4 flows threads have 59 % fewer DTLB misses than processes";
    let page = words(&html::page(&results));
    let (_, body) = page.split_once("<body").expect("a page");
    let captions = body.matches(&format!("{said}</figcaption>")).count();
    let texts = body.matches(&format!("{said}</p>")).count();
    let with_cause = body.matches(&format!("{said}. ")).count();
    assert_eq!((captions, texts, with_cause), (1, 0, 0));
}

#[test]
fn the_sources_mark_is_drawn_where_ours_was_not_run() {
    let results = stopped_early();
    let said = "In 2010, wiki on all hardware threads: DTLB misses of threads reduced by only 19 %; \
                ours was not run";
    let page = words(&html::page(&results));
    assert!(page.contains(said) && page.contains("add --workload wiki --along all"));
    assert!(words(&whole_text(&results, PLAIN_WIDTH)).contains(said));
    let plots = plots::all(&results);
    let mark = |plot: &plots::Plot| plot.svg.contains("at 32 flows: 0.810x");
    assert!(plots.iter().any(mark), "the source's point");
    // A work that was not asked for has no such chart, and one that was run has its own.
    assert!(!plots::all(&simulated()).iter().any(mark));
}
