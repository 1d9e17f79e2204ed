//! `--simulate`: real slots in the emulator, their accesses through a model, and refusals.

mod other_programs;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use lab::findings::simulated::Count;
use simulate::trace::{Event, GRANULE_BITS, Writer};
use simulate::{Machine, Merged, Rule, Trace};

use super::common::{Home, Run, says};

/// Whether slots can be recorded here.
pub(super) fn is_there() -> bool {
    let mut asked = Command::new("qemu-x86_64");
    let said = asked.arg("--version").stdout(Stdio::null()).status();
    cfg!(target_arch = "x86_64") && said.is_ok()
}

fn run(home: &Home, line: &str) -> Run {
    home.run(line)
}

fn assert_is_simulated(run: &Run) {
    says(&run.stdout, &["simulated: xeon-x5570"]);
}

/// "says '', which is no version" was all that was said of it.
#[test]
fn an_emulator_that_does_not_start_is_named_with_what_it_said() {
    let home = Home::new();
    let script = "#!/bin/sh\necho 'no liburing.so.2' >&2\nexit 127\n";
    home.executable("bin/qemu-x86_64", script);
    let mut command = home.command("simulate xeon-x5570 -- true");
    let path = format!("{}:/usr/bin:/bin", home.path("bin").display());
    let run = Run::of(command.env("PATH", path));
    run.refused(2, &["failed, exit status: 127", "no liburing.so.2"]);
}

#[test]
fn flows_of_both_models_are_counted_on_the_cores_of_the_machine() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    let line = "primes -p 2 -t 2 -b 20000 --rounds 2 --simulate xeon-x5570,window=100K --out out";
    let run = run(&home, line).answered();
    home.assert_nothing_left();
    assert_is_simulated(&run);
    let found = home.results();
    let case = &found.studies[0].cases[0];
    assert_eq!(case.slots.len(), 4);
    for slot in &case.slots {
        let counted = slot.outcome.simulated.as_ref().unwrap().value().unwrap();
        let on: Vec<u32> = counted.merged.flows.iter().map(|flow| flow.on).collect();
        assert_eq!(on, [0, 2], "one flow a core");
        for flow in &counted.merged.flows {
            let counts = flow.counts;
            assert!(counts.accesses > 0 && flow.accesses >= counts.accesses);
            assert!(
                counts.l1d <= counts.accesses && counts.llc <= counts.l2 && counts.l2 <= counts.l1d
            );
            assert!(counts.walks <= counts.dtlb && counts.dtlb < counts.accesses);
        }
        assert_eq!(slot.value_ns, Some(counted.merged.time_ns));
    }
    let simulated = &found.studies[0].parts.simulated[0];
    assert_eq!((simulated.launches, simulated.traces.len()), (2, 2));
    // Both models run the same body: what they access differs by little.
    let accesses = simulated.counts[0].ratio.unwrap();
    assert!((0.8..1.25).contains(&accesses.median), "{accesses:?}");
    let finding = &case.findings[0];
    let parts: f64 = simulated.time.iter().map(|part| part.reference).sum();
    assert!((parts - 1.0).abs() < 1e-9, "{:?}", simulated.time);
    for reason in finding.why.iter().chain(&finding.also_measured) {
        assert!(reason.contains("simulated"), "{reason}");
    }
    for quantity in &case.quantities {
        let own = quantity.name == "time" || quantity.name.starts_with("simulated-");
        assert!(own, "{} is the emulator's", quantity.name);
    }
    let table = fs::read_to_string(home.path("out/simulated.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + simulated.counts.len());
    assert!(table.contains("simulated-dtlb-misses"), "{table}");
}

/// qemu 7.2 calls what is asked to be called at stores at loads too: constants that all threads read
/// were lines that cores took from each other.
#[test]
fn a_load_is_no_store() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    let line = "primes -t 2 -b 20000 --rounds 1 --simulate xeon-x5570,window=100K --out out";
    run(&home, line).answered();
    let found = home.results();
    let slot = &found.studies[0].cases[0].slots[0];
    let counted = slot.outcome.simulated.as_ref().unwrap().value().unwrap();
    let lines = counted.merged.lines;
    assert!(lines.by_several > 2 * lines.written_by_several, "{lines:?}");
}

/// A file of its own, with what cannot be in it.
#[test]
fn a_machine_that_no_model_can_be_built_from_is_refused_with_the_line() {
    let home = Home::new();
    let machines = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines");
    let good = fs::read_to_string(format!("{machines}/xeon-x5570.toml")).unwrap();
    home.write("mine.toml", good.replacen("ways = 8", "ways = 0", 1));
    let line = 1 + good[..good.find("ways = 8").unwrap()].matches('\n').count();
    let line = format!("mine.toml, line {line}: l1d: ways = 0");
    run(&home, "primes --simulate mine.toml").refused(2, &[&line]);
    run(&home, "primes --simulate pentium").refused(2, &["no machine 'pentium'", "xeon-x5570"]);
    let pages = "primes --simulate xeon-x5570,pages=16K";
    run(&home, pages).refused(2, &["has no pages of 16K: use 4K, 2M, 4M"]);
}

#[test]
fn without_the_emulator_the_run_says_how_to_get_it() {
    let home = Home::new();
    let mut command = home.command("primes --simulate xeon-x5570");
    let run = Run::of(command.env("PATH", home.path("missing")));
    run.refused(2, &[NO_EMULATOR]);
}

const NO_EMULATOR: &str = "qemu-x86_64, which is not installed: apt-get install qemu-user";

#[test]
fn more_flows_than_the_machine_has_hardware_threads_are_refused() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    let line = "primes -p 9 -t 9 -b 1000 --simulate xeon-x5570";
    let words = "9 flows, and xeon-x5570 has 8 hardware threads";
    run(&home, line).refused(2, &["nothing of it can be simulated", words]);
}

/// Workers of `workers` all share one CPU, and the X5570 forgets its TLB at each switch between
/// processes.
#[test]
fn flows_on_one_cpu_take_time_slices() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    let line = "workers --kind mem --processes 2 --threads 2 --loops 300 --preset quick --rounds 1 \
                --simulate xeon-x5570,window=200K,timeslice=2K --out out";
    run(&home, line).answered();
    let found = home.results();
    let case = &found.studies[0].cases[0];
    for slot in &case.slots {
        let counted = slot.outcome.simulated.as_ref().unwrap().value().unwrap();
        let on: Vec<u32> = counted.merged.flows.iter().map(|flow| flow.on).collect();
        assert_eq!(on, [0, 0], "both on one hardware thread");
        assert!(counted.with_longer_turns.is_some());
    }
    let simulated = &found.studies[0].parts.simulated[0];
    let ratio = |count| simulated.count(count).unwrap().ratio.unwrap().median;
    let walks = ratio(Count::Walks);
    // Threads of one address space keep their entries.
    assert!(walks < 1.0, "{walks}");
}

/// A study file with a machine, whose work makes its own flows.
fn searching(machine: &str) -> String {
    let case = |model: &str, flows: u32| {
        format!("[[case.variant]]\nmodel = \"{model}\"\nflows = {flows}\n")
    };
    format!(
        "schema = 1\nname = \"mine\"\ntitle = \"T\"\nstands_for = \"S\"\nheadline = \"pool\"\n\
         simulate = \"{machine}\"\n[[case]]\nname = \"pool\"\ntitle = \"T\"\n[case.work]\n\
         kind = \"search\"\npattern = \"needle\"\ntree = \"tree\"\n{}{}[[case]]\nname = \"each\"\n\
         title = \"T\"\n[case.work]\nkind = \"search\"\npattern = \"needle\"\ntree = \"tree\"\n\
         design = \"per-file\"\n{}{}",
        case("process", 2),
        case("thread", 2),
        case("process", 2),
        case("thread", 2)
    )
}

#[test]
fn a_study_file_names_its_machine_and_a_search_is_recorded() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    for number in 0..40 {
        let text = "hay\n".repeat(200) + "a needle\n";
        home.write(&format!("tree/{}/{number}", number % 4), &text);
    }
    home.write("bad.toml", searching("pentium"));
    run(&home, "run bad.toml").refused(2, &["bad.toml:6: simulate: no machine 'pentium'"]);
    home.write("mine.toml", searching("xeon-x5570,pages=2M,keep=kept"));
    let run = run(&home, "run mine.toml --rounds 1 --out out").answered();
    home.assert_nothing_left();
    assert_is_simulated(&run);
    let found = home.results();
    let why = "each: not simulated: it makes a flow for each file";
    assert!(found.notes.iter().any(|note| note.contains(why)));
    let case = &found.studies[0].cases[0];
    for slot in &case.slots {
        let counted = slot.outcome.simulated.as_ref().unwrap().value().unwrap();
        // Two, and the one that makes them.
        assert_eq!(counted.merged.flows.len(), 3);
        assert!(counted.merged.total(|counts| counts.accesses) > 40.0 * 800.0 / 16.0);
    }
    assert_eq!(fs::read_dir(home.path("kept")).unwrap().count(), 2);
}

/// A warehouse whose books are checked after the last transaction.
const WAREHOUSE: &str = "schema = 1\nname = \"mine\"\ntitle = \"T\"\nstands_for = \"S\"\nheadline = \"w\"\n\
    simulate = \"xeon-x5570,window=1M\"\n[[case]]\nname = \"w\"\ntitle = \"T\"\n[case.work]\n\
    kind = \"warehouse\"\nworkers = 1\ntransactions = 10\nheap = \"2M\"\n[[case.variant]]\n\
    model = \"process\"\nflows = 1\n[[case.variant]]\nmodel = \"thread\"\nflows = 1\n";

/// The audit, which reads all of the heap, was recorded as if it were transactions, and so was asking the
/// kernel what the flow had used.
#[test]
fn what_checks_and_measures_the_work_is_not_recorded() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    home.write("mine.toml", WAREHOUSE);
    run(&home, "run mine.toml --rounds 1 --out out").answered();
    let found = home.results();
    for slot in &found.studies[0].cases[0].slots {
        let counted = slot.outcome.simulated.as_ref().unwrap().value().unwrap();
        let accesses = counted.merged.flows[0].accesses;
        assert!((10_000..100_000).contains(&accesses), "{accesses}");
    }
}

/// Work that allocates, and work that reads files and clocks and has tables of strings: each as two processes
/// and as two threads.
fn of_one_seed() -> String {
    let case = |name: &str, work: &str| {
        let variant = |model: &str| format!("[[case.variant]]\nmodel = \"{model}\"\nflows = 2\n");
        format!(
            "[[case]]\nname = \"{name}\"\ntitle = \"T\"\n[case.work]\nkind = \"{name}\"\n{work}{}{}",
            variant("process"),
            variant("thread")
        )
    };
    format!(
        "schema = 1\nname = \"mine\"\ntitle = \"T\"\nstands_for = \"S\"\nheadline = \"wiki\"\n\
         simulate = \"xeon-x5570,window=500K\"\n{}{}",
        case(
            "warehouse",
            "workers = 2\ntransactions = 100\nheap = \"2M\"\n"
        ),
        case("wiki", "requests = 8\npages = 6\npage_size = \"1K\"\n")
    )
}

/// docs/simulate.md states these bounds. Hashes that were seeded anew in each launch made the processes of
/// `wiki` differ by up to 47 %.
#[test]
fn launches_of_one_seed_differ_by_no_more_than_is_stated() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    home.write("mine.toml", of_one_seed());
    run(&home, "run mine.toml --rounds 3 --budget 10m --out out").answered();
    let found = home.results();
    let mut compared = 0;
    for case in &found.studies[0].cases {
        for (variant, [accesses, caches, tlb]) in [[0.001, 0.01, 0.03], [0.001, 0.03, 0.1]]
            .into_iter()
            .enumerate()
        {
            let slots = case.slots.iter().filter(|slot| slot.variant == variant);
            let counted =
                slots.map(|slot| slot.outcome.simulated.as_ref().unwrap().value().unwrap());
            let launches: Vec<_> = counted.collect();
            for (count, bound) in [
                (Count::Accesses, accesses),
                (Count::L1d, caches),
                (Count::L2, caches),
                (Count::Llc, caches),
                (Count::Dtlb, tlb),
                (Count::Walks, tlb),
            ] {
                let of = launches.iter().map(|one| count.of(one));
                let (least, most) = (of.clone().fold(f64::MAX, f64::min), of.fold(0.0, f64::max));
                assert!(least > 0.0, "{}: {count:?}", case.case.name);
                let apart = (most - least) / least;
                let what = format!("{} {variant}: {count:?}", case.case.name);
                assert!(apart <= bound, "{what}: {least} to {most}");
                compared += launches.len();
            }
        }
    }
    assert_eq!(compared, 2 * 2 * 6 * 3);
}
