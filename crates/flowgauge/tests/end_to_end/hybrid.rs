//! `flowgauge hybrid`: ranks by Open MPI and by MPICH, what is refused, and nothing left behind
//! whatever happens to ranks or to the launcher.

use std::fs;
use std::path::Path;

use flow::Answer;
use nix::sys::signal::Signal;

use super::common::{Home, Process, Run, labels, says, within};

/// The MPIs that there are; where one cannot be tried, that is said.
#[track_caller]
fn there() -> Vec<&'static str> {
    if std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() < 2) {
        skipped::skipped("one CPU: ranks and threads need one each");
        return Vec::new();
    }
    let all = [
        ("openmpi", "openmpi-bin libopenmpi-dev"),
        ("mpich", "mpich libmpich-dev"),
    ];
    let is_there = |(mpi, packages): &(&'static str, &str)| {
        let programs = ["mpirun", "mpicc"].map(|name| format!("/usr/bin/{name}.{mpi}"));
        let is_there = programs.iter().all(|program| Path::new(program).exists());
        if !is_there {
            skipped::skipped(format!("no {mpi}: apt-get install {packages}"));
        }
        is_there
    };
    all.into_iter()
        .filter(is_there)
        .map(|(mpi, _)| mpi)
        .collect()
}

const PING_PONG: &str = "ping-pong --bytes 1K";

/// A short run into `out`.
fn short(mpi: &str, body: &str) -> String {
    format!("hybrid --out out --rounds 1 --allow-root --flows 2 --mpi {mpi} --body {body}")
}

/// Why slots or pilots of a case failed; empty where none did.
fn failures(home: &Home) -> String {
    let cases = home.results().studies.swap_remove(0).cases;
    let variants = cases.into_iter().flat_map(|case| case.variants);
    let failures = variants.flat_map(|variant| variant.failures);
    let reasons: Vec<String> = failures.map(|(_, reason)| reason).collect();
    reasons.join("\n")
}

/// Each split proves the same work; where its time went adds up to the steady phase.
#[test]
fn ranks_and_threads_prove_the_same_work_under_each_mpi() {
    for mpi in there() {
        let home = Home::new();
        let bodies = "halo,all-reduce,bandwidth,search,uneven";
        // Few messages, and a small tree with folders for all.
        let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let sizes = format!("--bytes 64K --side 512 --tree {crates}");
        let line = format!("{} {sizes}", short(mpi, bodies));
        home.run(&line).answered();
        assert_eq!(failures(&home), "", "{mpi}");
        let results = home.results();
        for case in &results.studies[0].cases {
            let name = &case.case.name;
            let splits = case.case.variants.len();
            assert_eq!(case.slots.len(), splits, "{mpi} {name}");
            for slot in &case.slots {
                let Answer::Done(record) = &slot.outcome.answer else {
                    panic!("{mpi} {name}: {:?}", slot.outcome.answer)
                };
                assert_eq!(record.reps.len(), 5, "{mpi} {name}");
                let mut moves = 0;
                for rep in &record.reps {
                    let counts = &rep.self_managed.as_ref().unwrap().counts;
                    let parts = ["compute_ns", "communication_ns", "waiting_ns"];
                    let sum: u64 = parts.iter().map(|part| counts[*part]).sum();
                    assert!(sum.abs_diff(rep.steady_ns) <= 2, "{mpi} {name}: {counts:?}");
                    assert_eq!(counts["ranks"] * counts["threads_each"], 2);
                    assert!(rep.create_ns > 0 && rep.flows[0].units > 0);
                    moves += counts["moves"];
                }
                // Ranks end at the same time once, but not in all repetitions.
                let label = &case.case.variants[slot.variant].label;
                assert_eq!(moves > 0, label.ends_with("migratable"), "{mpi} {label}");
            }
        }
        home.assert_nothing_left();
    }
}

/// It ran as two worlds of one rank, each of which took itself for the whole.
#[test]
fn a_library_of_another_mpi_than_the_launcher_is_refused() {
    let all = there();
    if all.len() < 2 {
        skipped::skipped("two MPIs are needed to mix them");
        return;
    }
    for (mpi, compiler) in [("openmpi", "mpicc.mpich"), ("mpich", "mpicc.openmpi")] {
        let home = Home::new();
        let line = format!("{} --mpicc {compiler}", short(mpi, PING_PONG));
        home.run(&line);
        says(&failures(&home), &["wrong world: it has 1 of 2 ranks"]);
        home.assert_nothing_left();
    }
}

/// A launcher that leaves out where ranks are to be: they find themselves elsewhere.
#[test]
fn ranks_that_are_not_where_they_were_put_are_refused() {
    for mpi in there() {
        let home = Home::new();
        let (flag, instead) = match mpi {
            "openmpi" => ("--rankfile", "--bind-to none"),
            _ => ("-bind-to", "-bind-to none"),
        };
        let script = format!(
            "#!/bin/bash\nall=()\nwhile (($#)); do\n  if [ \"$1\" = {flag} ]; then shift 2; all+=({instead})\n  \
             else all+=(\"$1\"); shift; fi\ndone\nexec /usr/bin/mpirun.{mpi} \"${{all[@]}}\"\n"
        );
        let launcher = home.executable("mpirun", &script);
        let line = format!("{} --mpicc mpicc.{mpi}", short(&launcher, PING_PONG));
        home.run(&line);
        says(&failures(&home), &["wrong binding: rank 0 may use CPUs"]);
        home.assert_nothing_left();
    }
}

/// The ranks or the launcher of a run whose slots take long.
fn processes_of(home: &Home, word: &str) -> Vec<Process> {
    let is = |process: &Process| {
        let line = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        match word {
            "__rank" => words.get(1) == Some(&b"__rank".as_slice()),
            _ => words
                .first()
                .is_some_and(|first| first.ends_with(word.as_bytes())),
        }
    };
    home.processes().into_iter().filter(is).collect()
}

/// What was done stays, what was hit has failed with a reason, and no process is left.
#[test]
fn a_rank_or_a_launcher_that_is_killed_fails_its_slot_and_leaves_nothing() {
    for mpi in there() {
        for victim in ["__rank", "mpirun"] {
            let home = Home::new();
            // One step is long enough to be hit.
            let line = format!("{} --side 8192 --deadline 40s", short(mpi, "halo"));
            let launcher = format!("mpirun.{mpi}");
            let name = if victim == "mpirun" {
                &launcher
            } else {
                victim
            };
            let mut run = home.start(&line);
            let hit = within(60, "ranks", || {
                let ranks = processes_of(&home, "__rank");
                (!ranks.is_empty()).then(|| processes_of(&home, name).first().cloned())?
            });
            hit.send(Signal::SIGKILL);
            run.send(Signal::SIGTERM);
            run.end();
            home.assert_nothing_left();
            assert!(home.path("out/journal.jsonl").exists());
        }
    }
}

/// A launcher whose ranks are started by these lines of a script, which knows its `rank`.
fn launcher_with_ranks(home: &Home, mpi: &str, lines: &str) -> String {
    let rank = home.path("rank").display().to_string();
    let script =
        format!("#!/bin/bash\nrank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\n{lines}\nexec \"$@\"\n");
    home.executable("rank", &script);
    let script = format!(
        "#!/bin/bash\nall=()\nfor word; do\n  if [ \"$word\" = __rank ]; then own=${{all[-1]}}; \
         unset 'all[-1]'; all+=({rank} \"$own\"); fi\n  all+=(\"$word\")\ndone\n\
         exec /usr/bin/mpirun.{mpi} \"${{all[@]}}\"\n"
    );
    home.executable("mpirun", &script)
}

/// Runs that with ranks started by these lines; why slots of each variant failed, empty where none did.
fn failed_with_ranks(mpi: &str, body: &str, lines: &str, more: &str) -> Vec<String> {
    let home = Home::new();
    let launcher = launcher_with_ranks(&home, mpi, lines);
    let short = short(&launcher, body);
    home.run(&format!("{short} --mpicc mpicc.{mpi} {more}"));
    home.assert_nothing_left();
    let variants = home.case().variants.into_iter();
    let reasons = variants.map(|variant| {
        let reasons = variant.failures.into_iter().map(|(_, reason)| reason);
        reasons.collect::<Vec<_>>().join("\n")
    });
    reasons.collect()
}

/// Runs a short ping-pong whose rank 1 does that; whether slots of one and of two ranks failed.
fn failed_with_rank_1(mpi: &str, does: &str, more: &str) -> [bool; 2] {
    let line = format!("[ \"$rank\" = 1 ] && {does}");
    let reasons = failed_with_ranks(mpi, PING_PONG, &line, more);
    [0, 1].map(|at| !reasons[at].is_empty())
}

/// The flows of rank 1 take seconds and those of rank 0 milliseconds, so rank 0 soon has half of them.
#[test]
fn a_rank_that_dies_with_flows_of_another_fails_its_slot_and_no_other() {
    for mpi in there() {
        let lines = "case \"$*\" in *migratable*)\n  [ \"$rank\" = 0 ] && { sleep 1.5; kill -9 $$; } &\n  \
                     [ \"$rank\" = 1 ] && set -- \"${@//:16000/:1600000}\";;\nesac";
        let reasons = failed_with_ranks(mpi, "uneven", lines, "");
        let (migratable, others) = reasons.split_last().unwrap();
        assert!(others.iter().all(String::is_empty), "{mpi}: {reasons:?}");
        assert!(migratable.contains("signal 9"), "{mpi}: {reasons:?}");
    }
}

#[test]
fn a_rank_that_dies_alone_fails_its_slot_and_no_other() {
    for mpi in there() {
        let failed = failed_with_rank_1(mpi, "kill -9 $$", "");
        assert_eq!(failed, [false, true], "{mpi}");
    }
}

/// The others wait for it in MPI_Init, until the deadline.
#[test]
fn a_rank_that_hangs_fails_its_slot_and_leaves_nothing() {
    for mpi in there().into_iter().take(1) {
        let [_, failed] = failed_with_rank_1(mpi, "exec sleep 600", "--deadline 1s");
        assert!(failed, "{mpi}");
    }
}

/// The launcher is there and its compiler is not, or another one is named that is none.
#[test]
fn a_missing_compiler_is_named_with_the_package() {
    let home = Home::new();
    let script = "#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n";
    let launcher = home.executable("mpirun", script);
    let run = home.run(&format!("hybrid --mpi {launcher}"));
    let none = "no compiler of Open MPI beside";
    run.refused(2, &[none, "libopenmpi-dev", "--mpicc"]);
    let run = home.run(&format!("hybrid --mpi {launcher} --mpicc no-such-mpicc"));
    run.refused(2, &["no-such-mpicc"]);
}

/// What is to be installed is said, and nothing is begun.
#[test]
fn without_an_mpi_the_packages_are_named() {
    let home = Home::new();
    let without = |line: &str| Run::of(home.command(line).env("PATH", home.path("")));
    let packages = ["there is no MPI here", "libopenmpi-dev", "libmpich-dev"];
    without("hybrid").refused(2, &packages);
    let package = ["there is no MPICH here", "apt-get install mpich"];
    without("hybrid --mpi mpich").refused(2, &package);
    let run = home.run("hybrid --mpi /bin/true");
    run.refused(
        2,
        &["'/bin/true' is no launcher", "neither Open MPI nor MPICH"],
    );
    assert_eq!(home.listing("."), [""; 0]);
}

/// An ssh that begins its command here.
fn ssh_to_here(home: &Home) -> String {
    home.executable(
        "ssh",
        "#!/bin/sh\nfor last; do :; done\ncase $* in *nowhere*) echo no such host >&2; exit 255;; esac\n\
         exec sh -c \"$last\"\n",
    )
}

/// One node, which is this machine: ranks bind themselves, and a keeper holds what they share.
#[test]
fn nodes_that_cannot_take_part_are_named_and_the_others_are_run() {
    for mpi in there() {
        let home = Home::new();
        let ssh = ssh_to_here(&home);
        let nodes = format!("--hosts localhost,nowhere --ssh {ssh}");
        let run = home.run(&format!("{} {nodes}", short(mpi, PING_PONG)));
        says(&run.stderr, &["nowhere: left out: no such host"]);
        for not_said in ["was lost", "had to be ended"] {
            assert!(!run.stderr.contains(not_said), "{}", run.stderr);
        }
        assert_eq!(failures(&home), "", "{mpi}");
        let splits = ["2x1 on 1 node", "1x2 on 1 node"];
        assert_eq!(labels(&home.case()), splits, "{mpi}");
        home.assert_nothing_left();
    }
}

#[test]
fn nodes_none_of_which_can_take_part_are_refused() {
    let Some(mpi) = there().first().copied() else {
        return;
    };
    let home = Home::new();
    let ssh = ssh_to_here(&home);
    let refused = |hosts: &str, words: &[&str]| {
        let short = short(mpi, "primes");
        let run = home.run(&format!("{short} --hosts {hosts} --ssh {ssh}"));
        run.refused(2, words);
    };
    let left_out = "nowhere: left out: no such host";
    let none = "no node can take part, and there is no file";
    refused("nowhere", &[left_out, none]);
    refused("me@node", &["'me@node' is no name of a node"]);
    home.run(&short(mpi, "weak")).refused(2, &["--hosts"]);
}

#[test]
fn more_flows_than_cpus_and_root_under_open_mpi_are_refused() {
    for mpi in there() {
        let home = Home::new();
        let run = home.run(&format!("hybrid --mpi {mpi} --allow-root --flows 4096"));
        run.refused(2, &["4096 flows on", "fewer"]);
        if mpi == "openmpi" && nix::unistd::geteuid().is_root() {
            let mut command = home.command(&format!("hybrid --mpi {mpi}"));
            let command = command.env_remove("OMPI_ALLOW_RUN_AS_ROOT");
            Run::of(command).refused(2, &["root", "--allow-root"]);
        }
    }
}
