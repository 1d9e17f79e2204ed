//! What a model of another machine counted: a chart of each kind of misses, with the source beside it.

use flow::Simulation;
use lab::results::simulated::{Count, SimulatedCase, SimulatedCount, Spread};
use lab::{Results, Topology};
use report::terminal::{self, Style};
use report::{html, plots};

use crate::support::scaling::scaled;

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
        longer_turns: Some(over * 1.2),
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
    results.studies[0].simulated = vec![
        case(1, 0.70, 0.99),
        case(2, 0.75, 0.60),
        case(4, 0.78, 0.41),
    ];
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
    let style = Style {
        verbose: true,
        ..Style::default()
    };
    let terminal = words(&terminal::run(&results, &style, None));
    for said in [
        "with 4 flows threads have 22 % fewer LLC misses than processes",
        "with 4 flows threads have 59 % fewer DTLB misses than processes",
        "One flow alone has 0.70x: 100 % of it is there without anything to share",
        "99 % of it comes with sharing a core: one flow alone has 0.99x; with longer turns 0.49x",
        "Beside it, in 2010: Its misses of the data TLB: reduced by 60 %",
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
