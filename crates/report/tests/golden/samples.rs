//! Slots with a sampler beside them.

use flow::Samples;
use flow::sampler::{Sample, Totals};
use lab::Results;
use measure::Measured;
use report::html;

use crate::support::{self, results};

/// Two samples 100 ms apart and the end, of a slot that is busy at first.
fn samples() -> Samples {
    let sample = |tick: u64, cpu_ns, memory| Sample {
        at_ns: tick * 100_000_000,
        cpu_ns,
        processes: 3,
        tasks: 3,
        rss: tick << 20,
        memory,
        written: Some(tick * 4_096),
        disk: None,
    };
    Samples {
        interval_ns: 100_000_000,
        cpus: vec![1],
        samples: vec![
            sample(1, 150_000_000, Some(900_000)),
            sample(2, 200_000_000, None),
        ],
        end: Some(Totals {
            at_ns: 290_000_000,
            cpu_ns: 210_000_000,
            written: Some(12_288),
            disk: None,
        }),
        missed: 1,
        not_kept: 0,
        own_cpu_ns: 1_000_000,
        span_ns: 290_000_000,
        not_available: Vec::new(),
    }
}

/// The run with a sampler beside the first slots of its first case, of which one was lost.
pub(crate) fn sampled() -> Results {
    let mut results = results();
    let slots = &mut results.studies[0].cases[0].slots;
    for slot in &mut slots[..3] {
        slot.outcome.samples = Some(Measured::Value(samples()));
    }
    let lost = Measured::not_available("the sampler was lost: it ended", "");
    slots[3].outcome.samples = Some(lost);
    results
}

#[test]
fn each_sample_is_a_row_and_each_end_too() {
    let table = support::table("samples.csv", &sampled()).expect("slots were sampled");
    let head: Vec<&str> = table.lines().take(4).collect();
    insta::assert_snapshot!(head.join("\n"));
    assert_eq!(table.lines().count(), 1 + 3 * 3);
}

#[test]
fn the_terminal_says_what_was_seen_and_what_it_cost() {
    let text = support::whole_text(&sampled(), 80);
    let said = text
        .lines()
        .skip_while(|line| !line.starts_with("  sampled "));
    let lines: Vec<&str> = said.take(9).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_page_shows_what_was_sampled_over_time() {
    let page = html::page(&sampled());
    for title in [
        "CPU over time (100 % is one CPU)",
        "Memory over time (PSS, page tables and kernel stacks)",
        "RSS over time, shared pages counted in each process",
        "Bytes written to storage, so far",
    ] {
        assert!(page.contains(title), "{title}");
        assert!(!html::page(&results()).contains(title));
    }
    assert!(
        !page.contains("Disk space of the folder"),
        "it was not asked for"
    );
}
