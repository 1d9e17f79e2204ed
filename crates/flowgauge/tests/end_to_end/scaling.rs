//! `flowgauge scaling`: what it runs, what it counts, and what it refuses.

use std::fs;

use lab::{Results, Scaling, Throughput, Topology};
use measure::Measured;

use super::common::{Home, says};

fn run(home: &Home, line: &str) -> (String, Results) {
    let run = home.run(line).answered();
    home.assert_nothing_left();
    (run.words(), home.results())
}

fn find<'a>(results: &'a Results, workload: &str) -> &'a Scaling {
    let mut all = results.studies[0].parts.scaling.iter();
    all.find(|one| one.workload == workload && one.along == Topology::Cores)
        .unwrap_or_else(|| panic!("no {workload} along cores"))
}

fn pages(variant: &Throughput) -> (u64, &Measured<flow::record::footprint::Touched>) {
    let footprint = variant.footprint.as_ref().expect("the work can tell");
    let footprint = footprint.value().expect("pages were counted");
    (footprint.all.small, &footprint.by_flows)
}

#[test]
fn works_are_run_along_cores_and_set_beside_the_source() {
    let home = Home::new();
    let line =
        "scaling --preset quick --rounds 1 --flows 1..2 --heap 1M --along cores --tables --out out";
    let (text, found) = run(&home, line);
    let allocates = "Each of these transactions allocates 2.01 times, 425 bytes in all";
    let keep_nothing = "Pages: not available: flows of this work keep nothing";
    let table = "warehouse along cores: transactions a second, and pages";
    says(
        &text,
        &[
            table,
            "multi-thread 3.4 % faster",
            "multi-thread 2.1 % slower",
        ],
    );
    says(
        &text,
        &[keep_nothing, allocates, "These passes allocate nothing"],
    );
    says(&text, &["no performance advantage for multi-thread"]);
    says(&text, &["A core-aware allocator speeds threads up"]);
    let warehouse = find(&found, "warehouse");
    let flows: Vec<u32> = warehouse.points.iter().map(|point| point.flows).collect();
    assert_eq!(flows, [1, 2]);
    for point in &warehouse.points {
        assert!(point.threads_over_processes.is_some());
        for variant in &point.variants {
            assert!(variant.per_s > 0.0 && variant.over_one.is_some());
        }
    }
    // A pair cannot be one flow.
    assert_eq!(find(&found, "handoff").points.len(), 1);
    let csv = fs::read_to_string(home.path("out/scaling.csv")).unwrap();
    // Warehouse, two kernels and wiki at two numbers, handoff at one, by two models; the chain at two
    // numbers, by as many variants as can be had here.
    let chain = find(&found, "chain").points.iter();
    let links: usize = chain.map(|point| point.variants.len()).sum();
    assert!((4..=8).contains(&links));
    // The managed heap where there is a JDK.
    let all = found.studies[0].parts.scaling.iter();
    let managed = all.filter(|one| one.workload == "managed");
    let managed: usize = managed.map(|one| 2 * one.points.len()).sum();
    let rows = (4 * 2 + 1) * 2 + links + managed;
    assert_eq!(csv.lines().count(), 1 + rows);
    assert!(home.path("out/report.html").exists());
}

#[test]
fn pages_are_those_of_the_heap_and_only_what_is_handed_over_is_shared_by_threads() {
    let home = Home::new();
    let line = "scaling --preset quick --rounds 2 --flows 2 --heap 8M --along cores --out out \
                --workload warehouse,handoff";
    let (_, found) = run(&home, line);
    let warehouse = &find(&found, "warehouse").points[0];
    for variant in &warehouse.variants {
        let (all, shared) = pages(variant);
        let bytes = all * flow::page_bytes();
        let is_twice = (16 << 20..32 << 20).contains(&bytes);
        assert!(is_twice, "{}: {all}", variant.label);
        // Objects of two heaps may meet on a page where one ends and the other begins.
        if let Measured::Value(shared) = shared {
            assert!(shared.small < all / 100, "{}: {shared:?}", variant.label);
        }
    }
    let handoff = &find(&found, "handoff").points[0];
    let mut variants = handoff.variants.iter();
    let thread = variants.find(|variant| variant.label == "thread");
    let (all, shared) = pages(thread.unwrap());
    let shared = shared.value().expect("threads need no physical pages");
    let shared = shared.small;
    assert!(2 * shared > all, "{shared} of {all}");
}

#[test]
fn a_grid_has_mixes_and_numbers_beyond_the_cpus_are_said() {
    let home = Home::new();
    let many = 4 * machine::Machine::read().allowed().len() as u32;
    let line = format!(
        "scaling --preset quick --rounds 2 --grid --flows {many} --heap 1M --along cores \
         --out out --workload warehouse --plots plots"
    );
    let (text, found) = run(&home, &line);
    let point = &find(&found, "warehouse").points[0];
    let half = format!("{}x2", many / 2);
    let mix = point.variants.iter().find(|variant| variant.label == half);
    let mix = mix.expect("a mix");
    assert_eq!((mix.processes, mix.threads), (many / 2, 2));
    says(&text, &[&format!("{many} flows are more than")]);
    let page = fs::read_to_string(home.path("out/report.html")).unwrap();
    says(
        &page,
        &["processes by threads, against processes of one thread"],
    );
    let plots = home.listing("plots");
    assert!(plots.iter().any(|name| name.contains("grid")));
}

#[test]
fn a_way_that_the_machine_does_not_have_is_said_and_the_rest_is_run() {
    let machine = machine::Machine::read();
    let Some(missing) = Topology::Smt.missing(&machine) else {
        return skipped::skipped("this machine has cores of two hardware threads");
    };
    let home = Home::new();
    let line = "scaling --preset quick --rounds 1 --flows 1 --heap 1M --workload warehouse \
                --out out --along smt,cores";
    let (text, found) = run(&home, line);
    says(&missing, &["not available: 1 thread per core"]);
    says(&text, &["not available: 1 thread"]);
    assert!(found.notes.iter().any(|line| line.contains(&missing)));
    home.run("scaling --along smt --out none")
        .refused(2, &["there is nothing to run", "1 thread per core"]);
}

#[test]
fn what_cannot_be_run_is_refused_with_what_would_do() {
    let refused = |line: &str, words: &[&str]| {
        let home = Home::new();
        let line = format!("scaling --out out {line}");
        home.run(&line).refused(2, words);
        assert!(!home.path("out").exists(), "{line}");
    };
    let need = "2 flows take 2,560 GiB of memory at once";
    let heap = "--heap 1024G --workload warehouse --flows 2";
    refused(heap, &[need, "room for 0 of them"]);
    refused("--heap 1K --workload warehouse", &["heap of 1 KiB", "256M"]);
    let none = "--heap: none of the works";
    refused("--heap 1G --workload handoff", &[none, "handoff"]);
    let works = "warehouse, managed, chain, numeric-small/sparse";
    refused("--workload warehose", &["no such work", works]);
    refused("--flows 0", &["--flows", "at least 1"]);
    refused("--along cores,cores", &["--along names cores twice"]);
}

/// It said that there was no finding, and ended with 0.
#[test]
fn a_server_alone_is_answered_and_has_no_verdict_in_too_short_a_time() {
    let home = Home::new();
    let line = "scaling --preset full --workload wiki-server --rounds 1 --budget 1ms --out out";
    let run = home.run(line);
    // A run without a successful launch is an error.
    assert!(matches!(run.code, Some(0 | 2)), "{}", run.stderr);
    let required = home.run("report out --require-answer");
    assert_eq!(required.code, Some(3), "{}", required.stderr);
    assert!(run.stdout.contains("wiki-server"), "{}", run.stdout);
    assert!(!run.stdout.contains("no finding"), "{}", run.stdout);
    home.assert_nothing_left();
}
