//! Fleets of which machines hang, flood and lie: each costs itself alone, and little time and memory.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;

use super::common::{Home, Made, Run, says};
use super::fleet::{AT, ROUNDS, assert_hosts_empty, fleet, home_with_ssh, ran};

/// An ssh to machines that play back a journal, or have the fault of their name.
const SSH: &str = r#"#!/bin/bash
while [ "$1" != -- ]; do shift; done
plan() { grep -qm1 .; }
ready() { echo "hello $(uname -m) $(date +%s)"; cat ready; }
case $2 in
  hangs) exec sleep 1000;;
  greets) exec yes welcome;;
  endless) exec cat /dev/zero;;
  binary) printf 'hello \377\376 \377\nready \377\376\n'; exec cat > /dev/null;;
  lies) echo "hello x 99999999999999999999"; echo "ready 9.9.9 0123456789abcdef"; exec cat > /dev/null;;
  dies) ready; plan; head -n 3 journal; kill -9 $$;;
  deaf) ready; exec sleep 1000;;
  stops) ready; plan; head -n 3 journal; exec sleep 1000;;
  nags) ready; plan; while echo; do sleep 0.01; done;;
  floods) ready; plan; exec yes "$(head -n 1 journal)";;
  zeroes) ready; plan; exec cat /dev/zero;;
  complains) ready; plan; exec cat /dev/zero >&2;;
  garbles) ready; plan; head -n 1 journal; head -c 100000 /dev/urandom; echo;;
  inflates) ready; plan; sed '2,$s/"round":[0-9]*/"round":18446744073709551615/; 2,$s/"variant":[0-9]*/"variant":4294967295/' journal;;
  leaves) ready; plan; cat journal; setsid sleep 1000 & disown; exit 0;;
  *) ready; plan; cat journal;;
esac
"#;

/// What is said of each machine with a fault.
const FAULTS: [(&str, &str); 14] = [
    ("hangs", "did not answer in time: 2s to say hello"),
    ("greets", "more than the 64.0 KiB"),
    ("endless", "more than the 64.0 KiB"),
    ("binary", "another program is there: "),
    ("lies", "another program is there: 9.9.9"),
    ("dies", "ssh was killed by signal 9"),
    ("deaf", "did not answer in time: 2s to take the plan"),
    ("stops", "did not answer in time: 4s to run"),
    ("nags", "did not answer in time: 4s to run"),
    ("floods", "more than the 8.00 MiB"),
    ("zeroes", "more than the 8.00 MiB"),
    ("complains", "its standard error has no end"),
    ("garbles", "line 2 of the journal was damaged"),
    ("inflates", "of the journal was damaged"),
];

/// A home in which `./ssh` plays back the journal of a real run by a fleet of one machine.
fn home_of_machines() -> Home {
    static MADE: Made = Made::new();
    let home = Home::with(&MADE, |home| {
        let real = home_with_ssh();
        let study = fs::read_to_string(real.path("mine.toml")).unwrap();
        // More than a pipe holds, so that who does not read the plan is noticed.
        let study = format!("# {}\n{study}", "x".repeat(200_000));
        real.write("mine.toml", &study);
        real.write("hosts", "a\n");
        ran(&real, "real", "").answered();
        assert_hosts_empty(&real);
        let plan = fs::read(real.path("real/plan.json")).unwrap();
        let plan: serde_json::Value = serde_json::from_slice(&plan).unwrap();
        let word = |name: &str| plan["program"][name].as_str().unwrap().to_owned();
        let ready = format!("ready {} {}\n", word("version"), word("digest"));
        home.write("ready", ready);
        home.write("mine.toml", study);
        let journal = fs::read(real.path("real/nodes/a/journal.jsonl"));
        home.write("journal", journal.unwrap());
    });
    home.executable("ssh", SSH);
    home
}

/// The most memory that a process had, in bytes, as far as it was seen.
fn most_memory(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}

/// Runs a fleet of `hosts`; what it said, how long it took, and its memory.
fn hostile(home: &Home, hosts: &[&str], more: &str) -> (Run, Duration, u64) {
    home.write("hosts", hosts.join("\n") + "\n");
    let line = format!("{AT} --patience 2s --machine-deadline 4s {more} -- {ROUNDS}");
    let began = Instant::now();
    let (out, err) = (home.path("said.out"), home.path("said.err"));
    let mut child = fleet(home, &line)
        .stdout(Stdio::from(fs::File::create(&out).unwrap()))
        .stderr(Stdio::from(fs::File::create(&err).unwrap()))
        .spawn()
        .unwrap();
    let mut most = 0;
    let code = loop {
        most = most_memory(child.id()).unwrap_or(0).max(most);
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let run = Run {
        code,
        stdout: fs::read_to_string(out).unwrap(),
        stderr: fs::read_to_string(err).unwrap(),
    };
    (run, began.elapsed(), most)
}

/// The line about a machine, in which that is said.
#[track_caller]
fn told_of<'a>(run: &'a Run, machine: &str, said: &str) -> &'a str {
    let of = |line: &&str| line.starts_with(&format!("{machine}: "));
    let line = run.stderr.lines().find(of).unwrap_or("");
    assert!(line.contains(said), "{machine}: {}", run.stderr);
    line
}

const GOOD: [&str; 9] = ["g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9"];

/// One that hung held all for ever, and one that flooded took 1.5 GB.
#[test]
fn machines_with_every_fault_cost_themselves_alone() {
    let home = home_of_machines();
    let faults = FAULTS.map(|(fault, _)| fault);
    let hosts = [&GOOD[..], &["leaves"], &faults].concat();
    let (run, took, most) = hostile(&home, &hosts, "--out f --journal-limit 8M");
    println!("{} machines: {took:.1?}, {} MB", hosts.len(), most >> 20);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    for (fault, said) in FAULTS {
        let line = told_of(&run, fault, said);
        assert!(line.len() < 4_000, "{fault}: {}", line.len());
    }
    for good in [&GOOD[..], &["leaves"]].concat() {
        assert_eq!(home.listing(&format!("f/nodes/{good}")), ["journal.jsonl"]);
        assert!(!run.stderr.contains(&format!("{good}: ")), "{}", run.stderr);
    }
    // What two of them sent before they stopped is kept.
    for cut in ["dies", "stops"] {
        let kept = home.listing(&format!("f/nodes/{cut}"));
        assert_eq!(kept, ["failed.txt", "journal.jsonl"]);
    }
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert!(most < 200 << 20, "{most}");
}

#[test]
fn nine_of_ten_machines_are_a_quorum_of_nine_and_none_of_ten() {
    let home = home_of_machines();
    let hosts = [&GOOD[..], &["stops"]].concat();
    let (run, took, most) = hostile(&home, &hosts, "--out f --quorum 9");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("stops: it did not answer in time"));
    assert!(
        took < Duration::from_secs(60) && most < 200 << 20,
        "{took:?} {most}"
    );
    let (run, ..) = hostile(&home, &hosts, "--out g --quorum 10");
    let said = "9 of 10 machines have finished, and --quorum asks for 10";
    run.refused(2, &[said]);
    // Where too few are ready, no time is spent on the others.
    let hosts = [&GOOD[..], &["lies"]].concat();
    let (run, ..) = hostile(&home, &hosts, "--out h --quorum 10");
    run.refused(2, &["g1: it was not begun: 9 of 10 machines are ready"]);
}

/// The folder of a machine as another one may have left it.
fn spoil(folder: &Path, fault: &str, journal: &Path) {
    let at = |name: &str| folder.join(name);
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    if fault == "folder-link" {
        return std::os::unix::fs::symlink("/etc", folder).unwrap();
    }
    fs::create_dir(folder).unwrap();
    let fifo = |name: &str| nix::unistd::mkfifo(&at(name), Mode::S_IRWXU).unwrap();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, at(name)).unwrap();
    match fault {
        "fifo" => fifo("journal.jsonl"),
        "zero" => link("/dev/zero", "journal.jsonl"),
        "link" => link(journal.to_str().unwrap(), "journal.jsonl"),
        "run-link" => link("/", "run-1"),
        "folder" => fs::create_dir(at("journal.jsonl")).unwrap(),
        "huge" => {
            let file = fs::File::create(at("journal.jsonl")).unwrap();
            file.set_len(1 << 40).unwrap();
        }
        "many" => {
            for number in 0..5 {
                let file = fs::File::create(at(&format!("journal-{number}.jsonl"))).unwrap();
                file.set_len(40 << 20).unwrap();
            }
        }
        "failed-fifo" => {
            fs::copy(journal, at("journal.jsonl")).unwrap();
            fifo("failed.txt");
        }
        _ => fs::write(at("journal.jsonl"), [0xff, 0xfe, b'\n']).unwrap(),
    }
}

/// A pipe held it for ever, and a link to a device ended all.
#[test]
fn gather_reads_regular_files_alone_and_each_other_thing_costs_its_machine() {
    let home = home_of_machines();
    let journal = fs::read(home.path("journal")).unwrap();
    for good in GOOD {
        home.write(&format!("all/nodes/{good}/journal.jsonl"), &journal);
    }
    let faults = [
        ("fifo", "no regular file"),
        ("zero", "a link"),
        ("link", "a link"),
        ("run-link", "run-1 is no folder"),
        ("folder", "no regular file"),
        ("folder-link", "folder-link is no folder"),
        ("huge", "more than the 64.0 MiB"),
        ("many", "more than the 64.0 MiB"),
        ("failed-fifo", "no regular file"),
        ("binary", "binary: "),
    ];
    for (fault, _) in faults {
        let folder = home.path("all/nodes").join(fault);
        spoil(&folder, fault, &home.path("journal"));
    }
    let run = home.run("fleet gather all");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    says(&run.stdout, &["9 machines"]);
    for (fault, said) in faults {
        told_of(&run, fault, said);
    }
    home.run("fleet gather all --quorum 9").answered();
    // Nothing was written through a link, and the limit is one that can be raised.
    assert!(!Path::new("/etc/journal.jsonl").exists());
    let run = home.run("fleet gather all --journal-limit 1K");
    run.refused(2, &["more than the 1.00 KiB", "no machine in"]);
}

/// One such byte refused all hosts.
#[test]
fn a_byte_of_the_hosts_file_that_is_not_utf8_costs_its_line() {
    let home = home_of_machines();
    home.write("hosts", b"g1\nb\xff\ng2\n");
    let run = ran(&home, "f", "");
    run.refused(2, &["hosts, line 2: 'b\u{fffd}' is no host", "not UTF-8"]);
    assert_eq!(home.listing("f/nodes"), ["g1", "g2"]);
    says(&run.stdout, &["2 machines"]);
}
