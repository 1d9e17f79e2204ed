//! Many machines: journals merged in any order and any cut, and the answer over them.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::common::{BOTH, Home, Made, Run, primes, says, table, until, within};

mod plan;
mod slurm;

/// A home with results folders of three machines: `m0`, `m1` and `m2`.
fn home_of_three() -> Home {
    static MADE: Made = Made::new();
    Home::with(&MADE, |home| {
        home.write("mine.toml", primes(1_000, &BOTH));
        for machine in 0..3 {
            let line = format!("run mine.toml --out m{machine} --seed {machine} {ROUNDS}");
            home.run(&line).answered();
        }
    })
}

#[test]
fn journals_merged_twice_in_any_order_and_cut_give_the_same_bytes() {
    let home = home_of_three();
    let gather = |line: &str| home.run(&format!("fleet gather {line}"));
    let first = gather("m0 m1 m2 --out all").answered();
    says(&first.stdout, &["3 machines"]);
    let whole = home.files("all");
    let nodes = ["m0", "m1", "m2"].map(|name| format!("nodes/{name}/journal.jsonl"));
    let tables = ["fleet.csv", "fleet.html", "fleet.json"].map(str::to_owned);
    assert!(whole.keys().eq(tables.iter().chain(&nodes)));
    assert_eq!(gather("all").answered().stdout, first.stdout);
    assert_eq!(home.files("all"), whole);

    // Cuts of the same journals first, in another order, and the whole ones later and twice.
    let journal = fs::read(home.path("m1/journal.jsonl")).unwrap();
    home.write("cut/nodes/m1/journal.jsonl", &journal[..journal.len() / 2]);
    home.write("cut/nodes/m1/failed.txt", "the connection broke");
    let cut = gather("cut m2 --out other");
    cut.refused(2, &["m1: the connection broke", "--only m1"]);
    gather("m2 m1 m0 cut --out other").answered();
    gather("all m0 --out other").answered();
    assert_eq!(home.files("other"), whole);
    home.assert_nothing_left();
}

#[test]
fn every_format_has_every_machine() {
    let home = home_of_three();
    let gather = |more: &str| home.run(&format!("fleet gather m0 m1 m2 --out all {more}"));
    let json: serde_json::Value = serde_json::from_str(&gather("--format json").stdout).unwrap();
    assert_eq!(json["document"], "flowgauge fleet");
    assert_eq!(json["machines"][2]["name"], "m2");
    let one = &json["comparisons"][0];
    assert_eq!(one["each"].as_array().unwrap().len(), 3);
    assert_eq!(one["across"]["machines"], 3);
    assert_eq!(table(gather("--format csv").stdout.as_bytes()).len(), 3);
    assert_eq!(gather("--format jsonl").stdout.lines().count(), 3);
    says(&gather("-v --plots plots").stdout, &["one more machine"]);
    let plots = home.listing("plots");
    assert!(plots.iter().any(|name| name.ends_with(".svg")), "{plots:?}");
    let page = fs::read_to_string(home.path("all/fleet.html")).unwrap();
    assert!(page.contains("m0") && page.contains("<svg"));
}

#[test]
fn what_is_no_fleet_is_refused() {
    let home = home_of_three();
    fs::create_dir_all(home.path("full/of")).unwrap();
    fs::create_dir_all(home.path("empty")).unwrap();
    for (line, message) in [
        ("fleet gather nothing", "there is no folder nothing"),
        ("fleet gather empty", "no fleet and no run is in empty"),
        ("fleet gather m0", "--out DIR"),
        ("fleet gather nothing --out x", "there is no folder nothing"),
        ("fleet gather m0 --out full", "holds other files"),
    ] {
        home.run(line).refused(2, &[message]);
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
    home.write("mine.toml", primes(1_000, &BOTH));
    home.executable("ssh", SSH);
    let full = "#!/bin/sh\necho 'head: write error: No space left on device' >&2\nexit 1\n";
    home.executable("full.bin/head", full);
    let ahead = "#!/bin/sh\necho $(($(/bin/date +%s) + 600))\n";
    home.executable("ahead.bin/date", ahead);
    home
}

/// A fleet of these hosts.
pub(super) fn fleet(home: &Home, more: &str) -> Command {
    let line = format!("fleet run mine.toml --hosts hosts --seed 5 {more}");
    let mut command = home.command(&line);
    command
        .env("HOSTS", home.path("on"))
        .env("FLOWGAUGE_SSH", "./ssh");
    command
}

/// A fleet of these hosts into `out`, whose machines have the program.
pub(super) fn ran(home: &Home, out: &str, more: &str) -> Run {
    Run::of(fleet(home, &format!("{AT} --out {out} {more} -- {ROUNDS}")))
}

pub(super) const AT: &str = concat!("--at \"", env!("CARGO_BIN_EXE_flowgauge"), "\"");
pub(super) const ROUNDS: &str = "--rounds 10 --floor 1%";

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
    let run = ran(&home, "f", "");
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
    says(&run.stdout, &["2 machines"]);
    let nodes = ["a", "ahead", "nowhere", "other", "password"];
    assert_eq!(home.listing("f/nodes"), nodes);
    assert_eq!(home.listing("f/nodes/a"), ["journal.jsonl"]);
    assert_eq!(home.listing("f/nodes/other"), ["failed.txt"]);
    assert_hosts_empty(&home);

    // A machine that failed is run again alone, into the same folder.
    home.write("hosts", "other=b\na\n");
    let again = ran(&home, "f", "--only other");
    says(&again.stdout, &["3 machines"]);
    assert_eq!(home.listing("f/nodes/other"), ["journal.jsonl"]);
    assert!(!again.stderr.contains("other: "), "{}", again.stderr);
    ran(&home, "f", "").refused(2, &["holds a fleet", "--only"]);
    assert_hosts_empty(&home);
}

#[test]
fn a_host_that_says_nothing_is_given_up() {
    let home = home_with_ssh();
    home.write("hosts", "silent\n");
    let run = ran(&home, "f", "--patience 500ms");
    run.refused(2, &["silent: it did not answer in time", "no machine"]);
    assert_hosts_empty(&home);
}

#[test]
fn the_program_is_copied_and_checked_and_a_full_disk_is_named() {
    let home = home_with_ssh();
    home.write("hosts", "a\nfull\n");
    let run = Run::of(fleet(&home, &format!("--out f -- {ROUNDS}")));
    run.refused(2, &["full: its disk is full", "No space left on device"]);
    assert_eq!(home.listing("f/nodes/a"), ["journal.jsonl"]);
    assert_hosts_empty(&home);
}

#[test]
fn nothing_stays_on_a_machine_when_the_one_that_asked_is_killed() {
    let home = home_with_ssh();
    home.write("hosts", "a\nb\n");
    for signal in [Signal::SIGKILL, Signal::SIGTERM] {
        let mut child = long(&home, signal.as_str());
        until(60, "the journals grow", || {
            ["a", "b"].iter().all(|host| growing(&home, host).is_some())
        });
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        child.wait().unwrap();
        assert_hosts_empty(&home);
    }
}

/// A fleet that runs for long, and says nothing.
fn long(home: &Home, out: &str) -> Child {
    let mut fleet = fleet(home, &format!("{AT} --out {out} -- --preset full"));
    fleet.stderr(Stdio::null()).stdout(Stdio::null());
    fleet.spawn().unwrap()
}

/// The folder of a host whose journal grows.
fn growing(home: &Home, host: &str) -> Option<PathBuf> {
    let folders = fs::read_dir(home.path(&format!("on/{host}"))).ok()?;
    let mut folders = folders.flatten().map(|folder| folder.path());
    folders.find(|folder| folder.join("results/journal.jsonl").exists())
}

/// The guards of a host's folder, when its journal grows: two shells and the program.
fn guards(home: &Home, host: &str) -> Vec<Pid> {
    within(60, "the journal grows", || {
        let folder = growing(home, host)?;
        let pids = fs::read_to_string(folder.join("pid")).ok()?;
        let pids = pids.lines().map(|pid| Pid::from_raw(pid.parse().unwrap()));
        Some(pids.collect())
    })
}

/// Kills these guards of a running host and the process that asked.
fn kill_guards(home: &Home, out: &str, killed: &[usize]) {
    let mut child = long(home, out);
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
    for (number, killed) in [&[0][..], &[1], &[2], &[0, 1], &[0, 2]].iter().enumerate() {
        kill_guards(&home, &format!("f{number}"), killed);
        until(30, "the folder goes", || home.listing("on/a").is_empty());
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
    ran(&home, "g", "").answered();
    assert_hosts_empty(&home);
}

/// There is no program yet that could be a guard.
#[test]
fn a_folder_goes_although_a_shell_is_killed_while_the_program_is_copied() {
    let home = home_with_ssh();
    home.write("hosts", "slow\n");
    home.executable("slow.bin/head", "#!/bin/sh\nexec cat > /dev/null\n");
    for killed in [0, 1] {
        let mut child = fleet(&home, "--out f")
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
        until(30, "the folder goes", || home.listing("on/slow").is_empty());
        fs::remove_dir_all(home.path("f")).unwrap();
    }
}

/// All connect at once, and a jump host refuses most of them.
#[test]
fn only_so_many_machines_are_prepared_at_the_same_time() {
    let home = home_with_ssh();
    home.write("hosts", "a\nb\nc\nd\n");
    // Each notes how many are being prepared with it.
    home.executable(
        "counting",
        "#!/bin/sh\nmkdir -p $HOSTS.now; me=$HOSTS.now/$$; : > $me\nls $HOSTS.now | wc -l >> $HOSTS.seen\n\
         sleep 0.3; rm $me; exec ./ssh \"$@\"\n",
    );
    ran(&home, "f", "--parallel 1 --ssh ./counting").answered();
    let seen = fs::read_to_string(home.path("on.seen")).unwrap();
    assert_eq!(seen.split_whitespace().collect::<Vec<_>>(), ["1"; 4]);
    assert_hosts_empty(&home);
}
