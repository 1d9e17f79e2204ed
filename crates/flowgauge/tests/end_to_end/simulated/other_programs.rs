//! Programs that are not ours: against cachegrind, by two recorders, from traces that were kept.

use super::*;

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
    let words = ["simulate", "./geometry.toml", "--format", "csv", "--"];
    let run = home.run(&[&words[..], &PROGRAM].concat()).answered();
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
    valgrind.args(["--tool=cachegrind", "--cache-sim=yes", "--I1=32768,8,64"]);
    valgrind.args(["--D1=32768,8,64", "--LL=262144,16,64"]);
    valgrind.arg("--cachegrind-out-file=/dev/null");
    let said = valgrind.args(PROGRAM).output().unwrap();
    let said = String::from_utf8(said.stderr).unwrap();
    let theirs = |head: &str| -> f64 {
        let mut lines = said.lines();
        let line = lines.find_map(|line| line.split_once(head));
        let (_, line) = line.expect(head);
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
    let [accesses, l1d] = [total(|counts| counts.accesses), total(|counts| counts.l1d)];
    let [llc, dtlb] = [total(|counts| counts.llc), total(|counts| counts.dtlb)];
    close("accesses", ours["accesses"], accesses, 0.03);
    close("L1D", ours["l1d-misses"], l1d, 0.1);
    close("LLC", ours["llc-misses"], llc, 0.15);
    close("DTLB", ours["dtlb-misses"], dtlb, 0.2);
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
        order: 0,
        turn: 100,
        slice: 1000,
        timeslice: 1000,
    };
    let trace = Trace {
        tokens: writer.bytes(),
        most: u64::MAX,
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
    let line = "simulate xeon-x5570,keep=kept --format json -- /bin/ls /";
    let first = run(&home, line).answered();
    home.assert_nothing_left();
    let line = "simulate xeon-x5570 --traces kept/0000-program --format json";
    let again = run(&home, line).answered();
    assert_eq!(counts(&first), counts(&again));
    let other = run(&home, "simulate ultrasparc-t1 --traces kept/0000-program").answered();
    assert!(other.stdout.contains("DTLB misses") && !other.stdout.contains("L2 misses"));
    home.write("script", "#!/bin/sh\necho of some length\n");
    run(&home, "simulate xeon-x5570 -- ./script")
        .refused(2, &["is a script", "-- /bin/sh ./script"]);
    let mut command = home.command("simulate xeon-x5570 -- /bin/ls");
    let without = Run::of(command.env("PATH", home.path("missing")));
    without.refused(2, &[NO_EMULATOR]);
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
