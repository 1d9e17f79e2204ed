//! Many machines: journals merged in any order and any cut, and the answer over them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::common::{Home, Run, primes, within};

mod plan;
mod slurm;

/// A home with results folders of `count` machines.
fn home_of(count: usize) -> Home {
    let home = Home::new();
    home.write(
        "mine.toml",
        &primes(1_000, &[("process", 2), ("thread", 2)]),
    );
    for machine in 0..count {
        let (out, seed) = (format!("m{machine}"), machine.to_string());
        let line = [
            "run",
            "mine.toml",
            "--rounds",
            "10",
            "--floor",
            "1%",
            "--out",
            &out,
            "--seed",
            &seed,
        ];
        home.run(&line).answered();
    }
    home
}

/// The files of a fleet's folder with their bytes.
fn bytes(home: &Home, folder: &str) -> Vec<(String, Vec<u8>)> {
    fn walk(root: &Path, at: &Path, all: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => walk(root, &path, all),
                false => {
                    let name = path.strip_prefix(root).unwrap().display().to_string();
                    all.push((name, fs::read(&path).unwrap()));
                }
            }
        }
    }
    let root = home.path(folder);
    let mut all = Vec::new();
    walk(&root, &root, &mut all);
    all.sort();
    all
}

#[test]
fn journals_merged_twice_in_any_order_and_cut_give_the_same_bytes() {
    let home = home_of(3);
    let gather = |line: &str| home.run(&line.split(' ').collect::<Vec<_>>());
    let first = gather("fleet gather m0 m1 m2 --out all");
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(first.words().contains("3 machines"), "{}", first.stdout);
    let whole = bytes(&home, "all");
    let names: Vec<&str> = whole.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "fleet.csv",
            "fleet.html",
            "fleet.json",
            "nodes/m0/journal.jsonl",
            "nodes/m1/journal.jsonl",
            "nodes/m2/journal.jsonl"
        ]
    );
    let again = gather("fleet gather all");
    assert_eq!((again.code, again.stdout), (Some(0), first.stdout));
    assert_eq!(bytes(&home, "all"), whole);

    // Cuts of the same journals first, in another order, and the whole ones later and twice.
    let journal = fs::read(home.path("m1/journal.jsonl")).unwrap();
    fs::create_dir_all(home.path("cut/nodes/m1")).unwrap();
    fs::write(
        home.path("cut/nodes/m1/journal.jsonl"),
        &journal[..journal.len() / 2],
    )
    .unwrap();
    fs::write(home.path("cut/nodes/m1/failed.txt"), "the connection broke").unwrap();
    let cut = gather("fleet gather cut m2 --out other");
    assert_eq!(cut.code, Some(2), "{}", cut.stderr);
    assert!(
        cut.stderr.contains("m1: the connection broke"),
        "{}",
        cut.stderr
    );
    assert!(cut.stderr.contains("--only m1"), "{}", cut.stderr);
    assert_eq!(
        gather("fleet gather m2 m1 m0 cut --out other").code,
        Some(0)
    );
    assert_eq!(gather("fleet gather all m0 --out other").code, Some(0));
    assert_eq!(bytes(&home, "other"), whole);
    home.assert_nothing_left();
}

#[test]
fn every_format_has_every_machine() {
    let home = home_of(3);
    let gather = |more: &str| {
        let line = format!("fleet gather m0 m1 m2 --out all{more}");
        home.run(&line.split(' ').collect::<Vec<_>>())
    };
    let json: serde_json::Value = serde_json::from_str(&gather(" --format json").stdout).unwrap();
    assert_eq!(json["document"], "flowgauge fleet");
    assert_eq!(json["machines"][2]["name"], "m2");
    let one = &json["comparisons"][0];
    assert_eq!(one["each"].as_array().unwrap().len(), 3);
    assert_eq!(one["across"]["machines"], 3);
    let csv = gather(" --format csv").stdout;
    assert_eq!(
        csv::Reader::from_reader(csv.as_bytes()).records().count(),
        3
    );
    assert_eq!(gather(" --format jsonl").stdout.lines().count(), 3);
    let text = gather(" -v --plots plots");
    assert!(text.words().contains("one more machine"), "{}", text.stdout);
    let plots = home.listing("plots");
    assert!(plots.iter().any(|name| name.ends_with(".svg")), "{plots:?}");
    let page = fs::read_to_string(home.path("all/fleet.html")).unwrap();
    assert!(page.contains("m0") && page.contains("<svg"));
}

#[test]
fn what_is_no_fleet_is_refused() {
    let home = home_of(1);
    fs::create_dir_all(home.path("full/of")).unwrap();
    fs::create_dir_all(home.path("empty")).unwrap();
    for (line, message) in [
        ("fleet gather nothing", "there is no folder nothing"),
        ("fleet gather empty", "no fleet and no run is in empty"),
        ("fleet gather m0", "--out DIR"),
        ("fleet gather nothing --out x", "there is no folder nothing"),
        ("fleet gather m0 --out full", "holds other files"),
    ] {
        let run = home.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}

/// An ssh that connects to nobody: each host is a folder here, and some hosts have a fault.
const SSH: &str = r#"#!/bin/sh
while [ "$1" != -- ]; do shift; done
host=${2#*@}; TMPDIR=$HOSTS/$host; export TMPDIR; mkdir -p "$TMPDIR"
case $host in
  password) echo "me@password: Permission denied (publickey,password)." >&2; exit 255;;
  nowhere) echo "ssh: Could not resolve hostname nowhere: Name or service not known" >&2; exit 255;;
  silent) exec sleep 1000;;
  other) echo "hello $(uname -m) $(date +%s)"; echo "ready 9.9.9 0123456789abcdef"; exec cat > /dev/null;;
  full|ahead|slow) PATH=$HOSTS/../$host.bin:$PATH;;
esac
exec sh -c "$3"
"#;

/// A home with that ssh, and a study.
pub(super) fn home_with_ssh() -> Home {
    let home = Home::new();
    home.write(
        "mine.toml",
        &primes(1_000, &[("process", 2), ("thread", 2)]),
    );
    program(&home, "ssh", SSH);
    program(
        &home,
        "full.bin/head",
        "#!/bin/sh\necho 'head: write error: No space left on device' >&2\nexit 1\n",
    );
    program(
        &home,
        "ahead.bin/date",
        "#!/bin/sh\necho $(($(/bin/date +%s) + 600))\n",
    );
    home
}

pub(super) fn program(home: &Home, name: &str, text: &str) {
    let path = home.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A fleet of these hosts.
pub(super) fn fleet(home: &Home, more: &[&str]) -> Command {
    let line = [
        "fleet",
        "run",
        "mine.toml",
        "--hosts",
        "hosts",
        "--seed",
        "5",
    ];
    let mut command = home.command(&[&line[..], more].concat());
    command
        .env("HOSTS", home.path("on"))
        .env("FLOWGAUGE_SSH", "./ssh");
    command
}

/// A fleet of two nodes by Slurm, into `f`.
const SLURM: [&str; 9] = [
    "fleet",
    "run",
    "mine.toml",
    "--slurm",
    "debug",
    "--nodes",
    "2",
    "--out",
    "f",
];

pub(super) const AT: [&str; 2] = ["--at", env!("CARGO_BIN_EXE_flowgauge")];
pub(super) const ROUNDS: [&str; 5] = ["--", "--rounds", "10", "--floor", "1%"];

/// Nothing runs, and every host's folder is as it was.
pub(super) fn assert_hosts_empty(home: &Home) {
    home.assert_nothing_left();
    for host in home.listing("on") {
        assert_eq!(home.listing(&format!("on/{host}")), [""; 0], "{host}");
    }
}

#[test]
fn every_host_that_fails_is_named_and_the_rest_goes_on() {
    let home = home_with_ssh();
    home.write(
        "hosts",
        "a\npassword\nnowhere\nother\nme@ahead # its clock\na\n-oProxyCommand=x\n",
    );
    let more = [&AT[..], &["--out", "f"], &ROUNDS].concat();
    let run = Run::from(fleet(&home, &more).output().unwrap());
    run.refused(
        2,
        &[
            "password: ssh asks for a password",
            "nowhere: ",
            "Could not resolve hostname",
            "other: another program is there: 9.9.9 0123456789abcdef",
            "line 6: a is there already",
            "line 7: '-oProxyCommand=x' is no host",
            "the clock of ahead is 10 min ahead",
            "--only ",
        ],
    );
    assert!(run.words().contains("2 machines"), "{}", run.stdout);
    assert_eq!(
        home.listing("f/nodes"),
        ["a", "ahead", "nowhere", "other", "password"]
    );
    assert_eq!(home.listing("f/nodes/a"), ["journal.jsonl"]);
    assert_eq!(home.listing("f/nodes/other"), ["failed.txt"]);
    assert_hosts_empty(&home);

    // A machine that failed is run again alone, into the same folder.
    home.write("hosts", "other=b\na\n");
    let again = fleet(
        &home,
        &[&AT[..], &["--out", "f", "--only", "other"], &ROUNDS].concat(),
    )
    .output()
    .unwrap();
    let again = Run::from(again);
    assert!(
        again.words().contains("3 machines"),
        "{} {}",
        again.stdout,
        again.stderr
    );
    assert_eq!(home.listing("f/nodes/other"), ["journal.jsonl"]);
    assert!(!again.stderr.contains("other: "), "{}", again.stderr);
    let refused = Run::from(
        fleet(&home, &[&AT[..], &["--out", "f"], &ROUNDS].concat())
            .output()
            .unwrap(),
    );
    refused.refused(2, &["holds a fleet", "--only"]);
    assert_hosts_empty(&home);
}

#[test]
fn a_host_that_says_nothing_is_given_up() {
    let home = home_with_ssh();
    home.write("hosts", "silent\n");
    let more = [&AT[..], &["--out", "f", "--patience", "500ms"], &ROUNDS].concat();
    let run = Run::from(fleet(&home, &more).output().unwrap());
    run.refused(2, &["silent: it did not answer in time", "no machine"]);
    assert_hosts_empty(&home);
}

#[test]
fn the_program_is_copied_and_checked_and_a_full_disk_is_named() {
    let home = home_with_ssh();
    home.write("hosts", "a\nfull\n");
    let run = Run::from(
        fleet(&home, &[&["--out", "f"], &ROUNDS[..]].concat())
            .output()
            .unwrap(),
    );
    run.refused(2, &["full: its disk is full", "No space left on device"]);
    assert_eq!(home.listing("f/nodes/a"), ["journal.jsonl"]);
    assert_hosts_empty(&home);
}

#[test]
fn nothing_stays_on_a_machine_when_the_one_that_asked_is_killed() {
    let home = home_with_ssh();
    home.write("hosts", "a\nb\n");
    for signal in [Signal::SIGKILL, Signal::SIGTERM] {
        let more = [
            &AT[..],
            &["--out", signal.as_str(), "--", "--preset", "full"],
        ]
        .concat();
        let mut child = fleet(&home, &more)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        within(60, "the journals grow", || {
            let grows = |host: &str| {
                fs::read_dir(home.path(&format!("on/{host}")))
                    .ok()?
                    .flatten()
                    .find(|entry| entry.path().join("results/journal.jsonl").exists())
            };
            (grows("a").is_some() && grows("b").is_some()).then_some(())
        });
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
        child.wait().unwrap();
        assert_hosts_empty(&home);
    }
}

/// The guards of a host's folder, when its journal grows: two shells and the program.
fn guards(home: &Home, host: &str) -> Vec<Pid> {
    within(60, "the journal grows", || {
        let folders = fs::read_dir(home.path(&format!("on/{host}"))).ok()?;
        let folder = folders.flatten().map(|folder| folder.path()).next()?;
        let runs = folder.join("results/journal.jsonl").exists();
        let pids = fs::read_to_string(folder.join("pid")).ok()?;
        let pids = pids.lines().map(|pid| Pid::from_raw(pid.parse().unwrap()));
        runs.then(|| pids.collect())
    })
}

/// Kills these guards of a running host and the process that asked.
fn kill_guards(home: &Home, out: &str, killed: &[usize]) {
    let more = [&AT[..], &["--out", out, "--", "--preset", "full"]].concat();
    let mut child = fleet(home, &more)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let guards = guards(home, "a");
    assert_eq!(guards.len(), 3);
    for guard in killed {
        kill(guards[*guard], Signal::SIGKILL).unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// 90 MB stayed in a temporary folder: the shell alone removed it.
#[test]
fn a_folder_on_a_machine_goes_although_one_of_its_guards_is_killed() {
    let home = home_with_ssh();
    home.write("hosts", "a\n");
    for killed in [&[0][..], &[1], &[2], &[0, 1], &[0, 2]] {
        kill_guards(&home, &format!("{killed:?}"), killed);
        within(30, "the folder goes", || {
            home.listing("on/a").is_empty().then_some(())
        });
        assert_hosts_empty(&home);
    }
}

#[test]
fn a_folder_whose_guards_were_all_killed_goes_with_the_next_run() {
    let home = home_with_ssh();
    home.write("hosts", "a\n");
    kill_guards(&home, "f", &[0, 1, 2]);
    home.assert_nothing_left();
    assert_eq!(home.listing("on/a").len(), 1);
    let more = [&AT[..], &["--out", "g"], &ROUNDS].concat();
    let run = Run::from(fleet(&home, &more).output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_hosts_empty(&home);
}

/// There is no program yet that could be a guard.
#[test]
fn a_folder_goes_although_a_shell_is_killed_while_the_program_is_copied() {
    let home = home_with_ssh();
    home.write("hosts", "slow\n");
    program(&home, "slow.bin/head", "#!/bin/sh\nexec cat > /dev/null\n");
    for killed in [0, 1] {
        let mut child = fleet(&home, &["--out", "f"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pids = within(30, "both shells guard", || {
            let folder = fs::read_dir(home.path("on/slow")).ok()?.flatten().next()?;
            let pids = fs::read_to_string(folder.path().join("pid")).ok()?;
            let pids: Vec<i32> = pids.lines().map(|pid| pid.parse().unwrap()).collect();
            (pids.len() == 2).then_some(pids)
        });
        kill(Pid::from_raw(pids[killed]), Signal::SIGKILL).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        home.assert_nothing_left();
        within(30, "the folder goes", || {
            home.listing("on/slow").is_empty().then_some(())
        });
        fs::remove_dir_all(home.path("f")).unwrap();
    }
}

/// All connect at once, and a jump host refuses most of them.
#[test]
fn only_so_many_machines_are_prepared_at_the_same_time() {
    let home = home_with_ssh();
    home.write("hosts", "a\nb\nc\nd\n");
    // Each notes how many are being prepared with it.
    program(
        &home,
        "counting",
        "#!/bin/sh\nmkdir -p $HOSTS.now; me=$HOSTS.now/$$; : > $me\nls $HOSTS.now | wc -l >> $HOSTS.seen\n\
         sleep 0.3; rm $me; exec ./ssh \"$@\"\n",
    );
    let more = [
        &AT[..],
        &["--out", "f", "--parallel", "1", "--ssh", "./counting"],
        &ROUNDS,
    ]
    .concat();
    let run = Run::from(fleet(&home, &more).output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let seen = fs::read_to_string(home.path("on.seen")).unwrap();
    assert_eq!(seen.split_whitespace().collect::<Vec<_>>(), ["1"; 4]);
    assert_hosts_empty(&home);
}
