//! `--events`: events that may be counted here are, and the others say why not.

use std::fs;

use flow::record::counted::Came;
use flow::{Rep, SlotRecord};
use lab::Results;
use measure::counters::Event;

use super::common::{Home, Row, Run, says, unbroken};

fn counted(home: &Home, arguments: &str) -> Run {
    let line = format!("{arguments} --out out");
    let run = home.run(&line).answered();
    home.assert_nothing_left();
    run
}

fn records(results: &Results) -> Vec<&SlotRecord> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let slots = cases.flat_map(|case| &case.slots);
    slots
        .filter_map(|slot| slot.outcome.answer.done())
        .collect()
}

fn sum(rep: &Rep, event: Event) -> Option<u64> {
    let counted = rep.counted.as_ref().unwrap().value().unwrap();
    match counted.of(event).unwrap() {
        Came::Read { sum, each, .. } => {
            assert_eq!(each.len(), rep.flows.len());
            assert_eq!(each.iter().map(|one| one.count).sum::<u64>(), sum.count);
            Some(sum.count)
        }
        Came::Refused { .. } => None,
    }
}

#[test]
fn the_last_repetition_is_counted_and_agrees_with_what_flows_say_of_themselves() {
    let home = Home::new();
    counted(
        &home,
        "primes -p 2 -t 2 -b 50000 --rounds 2 --events software",
    );
    let results = home.results();
    let records = records(&results);
    assert_eq!(records.len(), 4);
    for record in records {
        let (last, others) = record.reps.split_last().unwrap();
        let mut others = others.iter().chain(&record.warmups);
        assert!(others.all(|rep| rep.counted.is_none()));
        let steady = || last.flows.iter().map(|flow| flow.steady);
        // The counters hold the way from the gate and back to it as well.
        if let Some(faults) = sum(last, Event::PageFaults) {
            let own: u64 = steady().map(|u| u.minor_faults + u.major_faults).sum();
            assert!((own..own + 200).contains(&faults), "{faults} {own}");
        }
        if let Some(clock_ns) = sum(last, Event::TaskClock) {
            let own: u64 = steady().map(|usage| usage.cpu_ns).sum();
            assert!(clock_ns > own / 2, "{clock_ns} {own}");
        }
    }
}

#[test]
fn each_number_shown_is_the_median_of_its_rows() {
    let home = Home::new();
    let run = counted(
        &home,
        "primes -p 2 -t 2 -b 20000 --rounds 3 --events page-faults",
    );
    let rows = home.table("counters.csv");
    let text = fs::read_to_string(home.path("out/findings.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let variants = &document["studies"][0]["cases"][0]["variants"];
    for variant in variants.as_array().unwrap() {
        let count = &variant["counted"]["events"][0]["count"];
        let label = variant["label"].as_str().unwrap();
        let own = rows.iter().filter(|row| row["variant"] == label);
        let of_all: Vec<&Row> = own.filter(|row| row["flow"] == "all").collect();
        assert_eq!(of_all.len(), 3);
        if count.get("not_available").is_some() {
            assert!(of_all.iter().all(|row| !row["not_available"].is_empty()));
            continue;
        }
        for column in ["scaled", "per_cpu_second", "per_unit", "ran"] {
            let of_row = |row: &&Row| row[column].parse::<f64>().unwrap();
            let mut values: Vec<f64> = of_all.iter().map(of_row).collect();
            values.sort_by(f64::total_cmp);
            assert_eq!(count["value"][column].as_f64(), Some(values[1]), "{column}");
        }
        assert!(run.stdout.contains("page faults"), "{}", run.stdout);
        assert!(run.words().contains("cost of counting: "), "{}", run.stdout);
    }
}

/// On a machine with such counters they count; on one without, the reason is said once on
/// each way out, and nowhere is a 0.
#[test]
fn hardware_events_are_counted_or_say_why_not() {
    let home = Home::new();
    let run = counted(
        &home,
        "primes -p 2 -t 2 -b 20000 --rounds 2 --events hardware",
    );
    let rows = home.table("counters.csv");
    let missing = |row: &&Row| !row["not_available"].is_empty();
    for row in &rows {
        assert_eq!(row["count"].is_empty(), missing(&row), "{row:?}");
        assert_eq!(row["scaled"].is_empty(), missing(&row), "{row:?}");
    }
    for name in ["cycles", "dtlb-misses", "branch-misses"] {
        let all = rows
            .iter()
            .filter(|row| row["event"] == name && row["flow"] == "all");
        assert_eq!(all.count(), 4, "{name}");
    }
    if rows
        .iter()
        .filter(|row| row["event"] == "cycles")
        .any(|row| missing(&row))
    {
        let once = |text: &str, words: &str| {
            assert_eq!(unbroken(text).matches(words).count(), 1, "{text}");
        };
        once(&run.stderr, "--events: not available: cycles");
        once(&run.stdout, "events not available: cycles");
        let page = fs::read_to_string(home.path("out/report.html")).unwrap();
        assert!(page.contains("events not available: cycles"));
    }
}

#[test]
fn user_level_flows_share_the_counters_of_their_thread() {
    let home = Home::new();
    let line = "primes --model thread,task --blocks 4 -b 20000 --rounds 1 --events all";
    let run = counted(&home, line);
    let results = home.results();
    let mut any = false;
    for record in records(&results) {
        let last = record.reps.last().unwrap();
        let counted = last.counted.as_ref().unwrap().value().unwrap();
        assert_eq!(counted.flows, last.flows.len());
        any |= counted
            .events
            .iter()
            .any(|event| matches!(event.came, Came::Read { .. }));
    }
    let text = run.words();
    let said = text.contains("of task share the counters of the one thread of the kernel below");
    assert_eq!(said, any, "{text}");
}

#[test]
fn too_many_counters_for_the_limit_are_refused_with_the_numbers_and_the_run_goes_on() {
    let home = Home::new();
    let line = "primes -t 20 -b 1000 --rounds 1 --events all --out out";
    let run = home.shell(&format!("ulimit -n 128; exec flowgauge {line}"));
    let counters = "20 flows x 11 events are 220 counters";
    says(&run.answered().stdout, &[counters, "(ulimit -n "]);
    let rows = home.table("counters.csv");
    assert!(rows.iter().all(|row| row["count"].is_empty()));
    home.assert_nothing_left();
}

#[test]
fn a_report_made_again_holds_the_counters_and_the_samples() {
    let home = Home::new();
    let line = "primes -t 2 -b 200000 --rounds 1 --events all --sample 5ms";
    counted(&home, line);
    let tables = ["out/counters.csv", "out/samples.csv"].map(|name| home.path(name));
    let read = || tables.each_ref().map(|table| fs::read(table).unwrap());
    let made = read();
    tables
        .iter()
        .for_each(|table| fs::remove_file(table).unwrap());
    home.run("report out").answered();
    assert_eq!(read(), made);
}

#[test]
fn words_that_name_no_event_are_refused() {
    let home = Home::new();
    for words in ["cycle", "", "cycles,,instructions"] {
        let run = home.run(&["primes", "--events", words]);
        run.refused(
            2,
            &["is no event", "use all, software, hardware", "dtlb-misses"],
        );
    }
}
