//! `--simulate`: real slots in the emulator, their accesses through a model, and refusals.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use lab::results::simulated::Count;
use simulate::trace::{Event, GRANULE_BITS, Writer};
use simulate::{Machine, Merged, Rule, Trace};

use super::common::{Home, Run, results};

/// Whether slots can be recorded here.
pub(super) fn is_there() -> bool {
    let mut asked = Command::new("qemu-x86_64");
    let said = asked.arg("--version").stdout(Stdio::null()).status();
    cfg!(target_arch = "x86_64") && said.is_ok()
}

fn run(home: &Home, line: &str) -> Run {
    home.run(&line.split(' ').collect::<Vec<_>>())
}

fn assert_is_simulated(run: &Run) {
    let words = run.words();
    assert!(words.contains("simulated: xeon-x5570"), "{words}");
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
    let found = results(&home.path("out"));
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
    let simulated = &found.studies[0].simulated[0];
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
    let found = results(&home.path("out"));
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
    home.write("mine.toml", &good.replacen("ways = 8", "ways = 0", 1));
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
    let mut command = home.command(&["primes", "--simulate", "xeon-x5570"]);
    let run = Run::from(command.env("PATH", home.path("missing")).output().unwrap());
    run.refused(
        2,
        &["qemu-x86_64, which is not installed: apt-get install qemu-user"],
    );
}

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
    let found = results(&home.path("out"));
    let case = &found.studies[0].cases[0];
    for slot in &case.slots {
        let counted = slot.outcome.simulated.as_ref().unwrap().value().unwrap();
        let on: Vec<u32> = counted.merged.flows.iter().map(|flow| flow.on).collect();
        assert_eq!(on, [0, 0], "both on one hardware thread");
        assert!(counted.with_longer_turns.is_some());
    }
    let simulated = &found.studies[0].simulated[0];
    let ratio = |count| simulated.count(count).unwrap().ratio.unwrap().median;
    let walks = ratio(Count::Walks);
    assert!(
        walks < 1.0,
        "threads of one address space keep their entries: {walks}"
    );
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
    fs::create_dir(home.path("tree")).unwrap();
    for number in 0..40 {
        let text = "hay\n".repeat(200) + "a needle\n";
        fs::create_dir_all(home.path(&format!("tree/{}", number % 4))).unwrap();
        home.write(&format!("tree/{}/{number}", number % 4), &text);
    }
    home.write("bad.toml", &searching("pentium"));
    run(&home, "run bad.toml").refused(2, &["bad.toml:6: simulate: no machine 'pentium'"]);
    home.write("mine.toml", &searching("xeon-x5570,pages=2M,keep=kept"));
    let run = run(&home, "run mine.toml --rounds 1 --out out").answered();
    home.assert_nothing_left();
    assert_is_simulated(&run);
    let found = results(&home.path("out"));
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("each: not simulated: it makes a flow for each file"))
    );
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
    let found = results(&home.path("out"));
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
    home.write("mine.toml", &of_one_seed());
    run(&home, "run mine.toml --rounds 3 --out out").answered();
    let found = results(&home.path("out"));
    let mut compared = 0;
    for case in &found.studies[0].cases {
        for (variant, [accesses, caches, tlb]) in [[0.001, 0.01, 0.01], [0.001, 0.02, 0.1]]
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

/// A program that allocates, whose memory accesses are its own.
const PROGRAM: [&str; 2] = [
    "/usr/bin/mawk",
    "BEGIN { for (i = 0; i < 4000; i++) a[(i * 7919) % 2000] = i }",
];

/// The caches that cachegrind gets by its flags below, and a TLB.
const GEOMETRY: &str = "about = \"the caches of cachegrind\"\ncores = 1\nthreads_per_core = 1\nclock_mhz = 1000\n\
    pages = [\"4K\"]\ntlb_entries_belong_to = \"address-space\"\nassumed = \"all\"\n\
    [l1d]\nsize = \"32K\"\nways = 8\nline = 64\nassumed = \"all\"\n\
    [llc]\nsize = \"256K\"\nways = 16\nline = 64\nassumed = \"all\"\n\
    [[dtlb]]\nlevel = 1\npages = [\"4K\"]\nentries = 32\nways = 32\nassumed = \"all\"\n\
    [time]\nbase = 1.0\nllc = 10\nmemory = 100\nwalk = 30\nassumed = \"all\"\n";

/// What `flowgauge simulate` counts of the program, by name.
fn of_program(home: &Home) -> BTreeMap<String, f64> {
    home.write("geometry.toml", GEOMETRY);
    let arguments = [
        "simulate",
        "./geometry.toml",
        "--format",
        "csv",
        "--",
        PROGRAM[0],
        PROGRAM[1],
    ];
    let run = home.run(&arguments).answered();
    let rows = run.stdout.lines().skip(1);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (
            cells[2].trim_start_matches("simulated-").to_owned(),
            cells[3].parse().unwrap(),
        )
    };
    rows.map(row).collect()
}

/// Whether the programs of a comparison are here; why not is said.
fn can_compare() -> bool {
    let missing = ["/usr/bin/valgrind", PROGRAM[0]];
    let missing = missing
        .into_iter()
        .find(|program| !Path::new(program).exists());
    match missing {
        Some(program) => skipped::skipped(format!("{program} is not installed")),
        None if !is_there() => skipped::skipped("qemu-user is not installed"),
        None => return true,
    }
    false
}

fn close(what: &str, ours: f64, theirs: f64, share: f64) {
    let apart = (ours - theirs).abs() / theirs;
    assert!(apart < share, "{what}: {ours} and {theirs}");
}

/// The same caches, another recorder and another model. What is left of a difference: valgrind gives
/// the program another stack and other addresses, and qemu makes two accesses of one of 16 bytes.
#[test]
fn one_flow_misses_what_cachegrind_says() {
    if !can_compare() {
        return;
    }
    let home = Home::new();
    let ours = of_program(&home);
    let mut valgrind = Command::new("/usr/bin/valgrind");
    valgrind.args([
        "--tool=cachegrind",
        "--cache-sim=yes",
        "--I1=32768,8,64",
        "--D1=32768,8,64",
    ]);
    valgrind.args(["--LL=262144,16,64", "--cachegrind-out-file=/dev/null"]);
    let said = valgrind.args(PROGRAM).output().unwrap();
    let said = String::from_utf8(said.stderr).unwrap();
    let theirs = |head: &str| -> f64 {
        let line = said
            .lines()
            .find_map(|line| line.split_once(head))
            .expect(head)
            .1;
        let number = line.split_whitespace().next().unwrap().replace(',', "");
        number.parse().unwrap()
    };
    close("accesses", ours["accesses"], theirs("D   refs:"), 0.03);
    close("L1D", ours["l1d-misses"], theirs("D1  misses:"), 0.1);
    close("LLC", ours["llc-misses"], theirs("LLd misses:"), 0.15);
}

/// qemu with our plugin, and valgrind's lackey: two programs that know nothing of each other, one
/// model. Of the thousand misses of the TLB some are of pages that lie elsewhere under valgrind.
#[test]
fn two_ways_to_record_a_program_agree() {
    if !can_compare() {
        return;
    }
    let home = Home::new();
    let ours = of_program(&home);
    let log = home.path("lackey");
    let mut valgrind = Command::new("/usr/bin/valgrind");
    valgrind
        .args(["--tool=lackey", "--trace-mem=yes"])
        .arg(format!("--log-file={}", log.display()));
    assert!(valgrind.args(PROGRAM).status().unwrap().success());
    let theirs = of_lackey(&fs::read_to_string(log).unwrap());
    let total = |of: fn(&simulate::Counts) -> u64| theirs.total(of);
    close(
        "accesses",
        ours["accesses"],
        total(|counts| counts.accesses),
        0.03,
    );
    close("L1D", ours["l1d-misses"], total(|counts| counts.l1d), 0.1);
    close("LLC", ours["llc-misses"], total(|counts| counts.llc), 0.15);
    close(
        "DTLB",
        ours["dtlb-misses"],
        total(|counts| counts.dtlb),
        0.2,
    );
}

/// What the model counts of the accesses that lackey lists: `L 1fff000708,8`, M for a load and a store.
fn of_lackey(log: &str) -> Merged {
    let mut writer = Writer::new(0, 2 * log.len());
    writer.event(Event::Begin { flow: 0 });
    for line in log.lines() {
        let Some((kind @ ("L" | "S" | "M"), place)) = line.trim_start().split_once(' ') else {
            continue;
        };
        let (address, bytes) = place.split_once(',').unwrap();
        let address = u64::from_str_radix(address.trim(), 16).unwrap();
        let last = address + bytes.parse::<u64>().unwrap() - 1;
        for granule in address >> GRANULE_BITS..=last >> GRANULE_BITS {
            let stores: &[bool] = match kind {
                "L" => &[false],
                "S" => &[true],
                _ => &[false, true],
            };
            stores
                .iter()
                .for_each(|store| writer.access(granule, *store));
        }
    }
    let machine = Machine::read("geometry", "geometry", GEOMETRY).unwrap();
    let rule = Rule {
        turn: 100,
        slice: 1000,
        timeslice: 1000,
    };
    let trace = Trace {
        tokens: writer.bytes(),
        warm: 0,
    };
    simulate::merge(&machine, 4096, rule, [trace], |_| Some(0), &|| false).unwrap()
}

#[test]
fn traces_that_were_kept_give_the_same_counts_again() {
    if !is_there() {
        return skipped::skipped("qemu-user is not installed");
    }
    let home = Home::new();
    let counts = |run: &Run| {
        let text: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        (text["counts"].clone(), text["traces"].clone())
    };
    let first = run(
        &home,
        "simulate xeon-x5570,keep=kept --format json -- /bin/ls /",
    );
    let first = first.answered();
    home.assert_nothing_left();
    let again = run(
        &home,
        "simulate xeon-x5570 --traces kept/0000-program --format json",
    )
    .answered();
    assert_eq!(counts(&first), counts(&again));
    let other = run(&home, "simulate ultrasparc-t1 --traces kept/0000-program").answered();
    assert!(other.stdout.contains("DTLB misses") && !other.stdout.contains("L2 misses"));
    home.write("script", "#!/bin/sh\necho of some length\n");
    run(&home, "simulate xeon-x5570 -- ./script")
        .refused(2, &["is a script", "-- /bin/sh ./script"]);
    let mut command = home.command(&["simulate", "xeon-x5570", "--", "/bin/ls"]);
    let without = Run::from(command.env("PATH", home.path("missing")).output().unwrap());
    without.refused(
        2,
        &["qemu-x86_64, which is not installed: apt-get install qemu-user"],
    );
}

/// 64 entries of the first data TLB, 512 of the second, and as many lines of the first cache.
#[test]
fn a_chase_through_a_model_steps_up_where_its_levels_end() {
    let home = Home::new();
    let run = run(&home, "simulate xeon-x5570 --chase --format json").answered();
    let rows: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let ns = |over: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        let row = rows.find(|row| row["over"] == over).expect(over);
        assert!(row["measured_ns"].is_null(), "it is not this machine");
        row["simulated_ns"].as_f64().unwrap()
    };
    for (within, beyond) in [
        ("64 x 4K, 4K pages", "128 x 4K, 4K pages"),
        ("512 x 4K, 4K pages", "1024 x 4K, 4K pages"),
        ("256 x 4K, 2M pages", "1024 x 4K, 2M pages"),
        ("half of LLC", "memory"),
    ] {
        assert!(ns(beyond) > 1.5 * ns(within), "{within}, {beyond}");
    }
    assert_eq!(ns("64 x 4K, 4K pages"), ns("64 x 4K, 2M pages"));
}
