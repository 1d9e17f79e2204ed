//! SIGKILL, which nobody can prepare for: of the main process, of a slot process, of a worker.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use flow::{Answer, Failure, FlowState};
use nix::sys::signal::Signal;
use tidy::SlotFolder;
use tidy::names::{self, Kind};

use super::common::{Home, PROGRAM, Process, Running, slots, until, within};
use super::endings::{assert_kept, started};

#[test]
fn nothing_outlives_a_killed_main_process() {
    for models in ["-p 3", "-t 3", "--model 2x2"] {
        let home = Home::new();
        let mut run = started(&home, models);
        let before = home.slots().len();
        killed(&home, &mut run);
        assert_kept(&home, before);
        assert_eq!(home.results().interrupted, None);
    }
}

fn slot_process(processes: &[Process]) -> &Process {
    Process::slot_process(processes).unwrap()
}

/// Kills the main process, which leaves nothing but its journal.
fn killed(home: &Home, run: &mut Running) {
    run.send(Signal::SIGKILL);
    assert_eq!(run.end().signal(), Some(9));
    home.assert_nothing_left();
    assert_eq!(home.listing("out"), ["journal.jsonl"]);
}

/// A slot process without the signal would run for minutes before it noticed.
#[test]
fn a_long_slot_ends_with_its_main_process() {
    for models in ["-p 3", "-t 3", "--model 2x2", "--model migratable/2"] {
        let home = Home::new();
        let mut run = at_long_work(&home, models);
        run.send(Signal::SIGKILL);
        run.end();
        home.assert_nothing_left();
    }
}

/// A run whose first slot takes minutes, its flows at work.
fn at_long_work(home: &Home, models: &str) -> Running {
    let line = format!("primes -v {models} -b 1G --out out");
    let run = home.start(&line);
    until(20, "the flows start", || {
        run.stderr().contains("starting on")
    });
    run
}

/// Three flows make files in the folder of their slot; then one of them hangs.
const FILES: &str = r#"
schema = 1
name = "files"
title = "Files"
stands_for = "Work with files"
headline = "hang"

[[case]]
name = "hang"
title = "A flow hangs"
work = { kind = "drill", units = 300, fault = "hang", unit = 299, files = 20 }

[[case.variant]]
model = "MODEL"
flows = 3
"#;

#[test]
fn the_files_of_a_slot_go_with_it() {
    for (model, signal) in [
        ("process", Signal::SIGKILL),
        ("thread", Signal::SIGKILL),
        ("process", Signal::SIGINT),
        ("thread", Signal::SIGTERM),
    ] {
        let home = Home::new();
        let mut run = with_files(&home, model);
        run.send(signal);
        run.end();
        home.assert_nothing_left();
        until(20, "the folder goes", || home.folder_of_slot().is_none());
    }
}

/// Many flows and little work, so that a random moment is often one of creating (when the
/// named pipe has its name) or of ending.
#[test]
fn nothing_is_left_at_whatever_moment_it_is_killed() {
    for (model, signal) in [
        ("-p 40", Signal::SIGKILL),
        ("-t 40", Signal::SIGKILL),
        ("--model 10x4", Signal::SIGKILL),
        ("-p 40", Signal::SIGTERM),
        ("-t 40", Signal::SIGINT),
    ] {
        for wait_ms in [11, 23, 37, 53, 71] {
            let home = Home::new();
            let line = format!("primes {model} -s 1 -b 100 --rounds 1000 --out out");
            let mut run = home.start(&line);
            home.wait_for(Process::slot_process);
            sleep(Duration::from_millis(wait_ms));
            run.send(signal);
            let status = run.end();
            home.assert_nothing_left();
            let expected = match signal {
                Signal::SIGKILL => (None, Some(9)),
                other => (Some(128 + other as i32), None),
            };
            let ended = (status.code(), status.signal());
            assert_eq!(ended, expected, "{}", run.stderr());
        }
    }
}

/// Kills what `choose` finds until a slot has failed as `wanted`, and answers how. A process that
/// is hit after its work, or before it, fails its slot in another way: then it is tried again.
fn failed_slot(
    models: &str,
    choose: impl Fn(&[Process]) -> Option<&Process>,
    wanted: impl Fn(&Failure) -> bool,
) -> (Failure, Option<flow::Rep>) {
    let home = Home::new();
    let line = format!("primes {models} -b 600000 --rounds 1000 --out out");
    let mut run = home.start(&line);
    home.wait_for_slots(1);
    let failed = || {
        let mut slots = home.case().slots.into_iter();
        slots.find_map(|slot| match slot.outcome.answer {
            Answer::Failed { reason, kept, .. } if wanted(&reason) => Some((reason, kept)),
            _ => None,
        })
    };
    let found = within(120, "a failed slot", || {
        if let Some(process) = choose(&home.processes()) {
            process.send(Signal::SIGKILL);
        }
        let before = home.slots().len();
        home.wait_for_slots(before + 1);
        failed()
    });
    // One failed slot does not end the run.
    let before = home.slots().len();
    within(20, "another slot", || {
        assert!(!run.has_ended(), "{}", run.stderr());
        (home.slots().len() > before).then_some(())
    });
    run.send(Signal::SIGINT);
    assert_eq!(run.end().code(), Some(130), "{}", run.stderr());
    home.assert_nothing_left();
    found
}

fn flows_died(reason: &Failure) -> bool {
    matches!(reason, Failure::FlowsDied { .. })
}

/// So many flows of what was kept of a slot have done their work.
fn assert_done(kept: Option<flow::Rep>, wanted: u32) {
    let flows = kept.unwrap().flows.into_iter();
    let states: Vec<FlowState> = flows.map(|flow| flow.state).collect();
    let done = states.iter().filter(|&s| *s == FlowState::Done).count();
    assert_eq!(done, wanted as usize, "{states:?}");
}

#[test]
fn the_results_of_the_other_workers_survive_a_killed_one() {
    let (reason, kept) = failed_slot("-p 3", Process::worker, flows_died);
    let Failure::FlowsDied { died, flows, how } = reason else {
        panic!("{reason:?}")
    };
    assert_eq!((died, flows, how.as_str()), (1, 3, "SIGKILL"));
    assert_done(kept, 2);
}

#[test]
fn a_killed_process_of_flows_that_could_move_loses_its_own_and_no_others() {
    let (reason, kept) = failed_slot("--model migratable/2", Process::worker, flows_died);
    let Failure::FlowsDied { died, flows, how } = reason else {
        panic!("{reason:?}")
    };
    // Each of the two processes carries every second flow.
    assert!(flows > 1 && (flows / 2..=flows.div_ceil(2)).contains(&died));
    assert_eq!(how.as_str(), "SIGKILL");
    assert_done(kept, flows - died);
}

#[test]
fn a_killed_cell_is_a_lost_slot_under_every_model() {
    for models in ["-p 2", "-t 2", "--model 2x2", "--model migratable/2"] {
        let lost = |reason: &Failure| matches!(reason, Failure::SlotLost { .. });
        let (reason, kept) = failed_slot(models, Process::slot_process, lost);
        let Failure::SlotLost { how, .. } = reason else {
            panic!("{reason:?}")
        };
        assert_eq!((how.as_str(), kept), ("SIGKILL", None));
    }
}

#[test]
fn workers_die_with_their_cell_where_nobody_else_ends_them() {
    for models in ["-p 3", "--model 2x2", "--model migratable/2"] {
        let home = Home::new();
        let mut run = at_long_work(&home, models);
        // A main process that is stopped cannot clean up behind the slot process.
        run.send(Signal::SIGSTOP);
        let processes = home.processes();
        slot_process(&processes).send(Signal::SIGKILL);
        until(30, "main alone is left", || {
            let processes = home.processes();
            let others = processes.iter().filter(|one| !one.is("__janitor"));
            others.count() == 1
        });
        run.send(Signal::SIGKILL);
        run.end();
    }
}

#[test]
fn the_next_run_removes_a_pipe_that_a_double_kill_left() {
    let home = Home::new();
    let dead = home.temporary().join(names::new(Kind::Fifo).unwrap());
    nix::unistd::mkfifo(&dead, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let long_ago = nix::sys::time::TimeVal::new(1_000_000_000, 0);
    nix::sys::stat::utimes(&dead, &long_ago, &long_ago).unwrap();
    let line = "primes -p 2 -b 1000 --rounds 1 --out out";
    home.run(line).answered();
    home.assert_nothing_left();
}

/// All processes of a run killed at one instant, as for want of memory, leave the files of
/// their slot to the next run: the one that continues with it, or one beside it.
#[test]
fn the_next_run_removes_files_that_a_killed_tree_left() {
    let home = Home::new();
    let mut cut = started(&home, "-p 3");
    cut.send(Signal::SIGKILL);
    cut.end();
    let leave = || {
        let name = names::new(Kind::Folder).unwrap();
        let folder = SlotFolder::make(&home.path("out").join(name)).unwrap();
        std::fs::write(folder.path().join("inOut_1.dat"), "x").unwrap();
        folder.path().to_owned()
    };
    let folder = leave();
    home.run("run --resume out --budget 1ms").answered();
    assert!(!folder.exists());
    let folder = leave();
    let line = "primes -p 2 -b 1000 --rounds 1 --out beside";
    home.run(line).answered();
    assert!(!folder.exists());
    home.assert_nothing_left();
}

/// A run whose slot has files in its folder and does not end by itself.
fn with_files(home: &Home, model: &str) -> Running {
    home.write("files.toml", FILES.replace("MODEL", model));
    let run = home.start("run files.toml --out out --deadline 60s");
    until(20, "files of a slot", || home.files_of_slot().len() >= 100);
    run
}

/// A slot's process that was stopped took no signal but the last one, and stayed for ever.
#[test]
fn a_stopped_slot_dies_with_its_main_process() {
    for model in ["process", "thread", "3x1"] {
        let home = Home::new();
        let mut run = with_files(&home, model);
        let processes = home.processes();
        slot_process(&processes).send(Signal::SIGSTOP);
        killed(&home, &mut run);
    }
}

/// A janitor that was stopped stayed for ever, with all that it was to remove.
#[test]
fn a_stopped_janitor_goes_on_when_its_main_process_is_killed() {
    let home = Home::new();
    let mut run = with_files(&home, "process");
    let processes = home.processes();
    let janitor = processes.iter().find(|process| process.is("__janitor"));
    janitor.unwrap().send(Signal::SIGSTOP);
    killed(&home, &mut run);
}

/// A flow that was stopped between its fork and its request to die with its parent stayed, an orphan
/// that nobody would continue; so did a load generator. Roles without a main process stand for it.
#[test]
fn a_stopped_orphan_of_a_slot_goes_and_a_running_one_is_left_alone() {
    for role in ["__cell", "__load"] {
        let home = Home::new();
        let orphan = || {
            let mut command = home.command(&[role]);
            let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
            command.spawn().unwrap()
        };
        let (mut stopped, mut running) = (orphan(), orphan());
        let pids = [&stopped, &running].map(|child| child.id().cast_signed());
        within(20, "both in their role", || {
            let processes = home.processes();
            let mut in_role = processes.iter().filter(|process| process.is(role));
            in_role.next()?;
            let first = processes.iter().find(|found| found.pid == pids[0])?;
            in_role.next()?;
            first.send(Signal::SIGSTOP);
            Some(())
        });
        let mut run = with_files(&home, "process");
        run.send(Signal::SIGKILL);
        run.end();
        within(20, "the stopped one is gone", || {
            stopped.try_wait().unwrap()
        });
        assert_eq!(running.try_wait().unwrap(), None, "{role}");
        running.kill().unwrap();
        running.wait().unwrap();
        home.assert_nothing_left();
    }
}

/// Main process and slot killed together left the files to the next run.
#[test]
fn files_go_when_main_process_and_slot_are_killed_together() {
    for model in ["process", "thread"] {
        let home = Home::new();
        let mut run = with_files(&home, model);
        let processes = home.processes();
        run.send(Signal::SIGSTOP);
        slot_process(&processes).send(Signal::SIGKILL);
        killed(&home, &mut run);
    }
}

/// A wiki keeps its pages in a folder of its slot, which nobody was left to remove.
#[test]
fn the_pages_of_a_wiki_go_when_main_process_and_slot_are_killed_together() {
    let home = Home::new();
    let line = "wiki --model process,thread --rounds 1000 --out out";
    let mut run = home.start(line);
    until(20, "pages of a slot", || home.folder_of_slot().is_some());
    run.send(Signal::SIGSTOP);
    if let Some(slot) = Process::slot_process(&home.processes()) {
        slot.send(Signal::SIGKILL);
    }
    killed(&home, &mut run);
}

/// In containers each run is process 1: pipes were mixed up where two shared a folder for
/// temporary files, and a run that was killed could not be taken up again.
#[test]
fn runs_that_are_all_process_1_do_not_meet() {
    let home = Home::new();
    let alone = |program: &str, line: &str| {
        let line = format!("-rpf --mount-proc --kill-child {program} {line}");
        let mut command = home.program("unshare", &line);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let allowed = alone("true", "").status();
    if !allowed.is_ok_and(|status| status.success()) {
        return skipped::skipped("no namespace of processes can be made here: root, or unshare -r");
    }
    let short = "primes -p 2 -b 1000 --rounds 9 --out beside";
    let mut beside = alone(PROGRAM, short).spawn().unwrap();
    let long = "primes -p 2 -b 20000 --rounds 20 --out cut";
    let mut cut = alone(PROGRAM, long).spawn().unwrap();
    until(20, "slots of the run that is cut", || {
        slots(&home.path("cut")).len() > 1
    });
    cut.kill().unwrap();
    cut.wait().unwrap();
    assert_eq!(beside.wait().unwrap().code(), Some(0));
    // Process 1 of the other one is dead, those that end with it may hold their locks for a while.
    until(20, "the end of the run that is cut", || {
        home.processes().is_empty()
    });
    // Its janitor was killed too: a pipe that it left goes with the next run ten minutes later.
    for entry in std::fs::read_dir(home.temporary()).unwrap() {
        let path = entry.unwrap().path();
        let aged = ["-d", "1 hour ago", path.to_str().unwrap()];
        assert!(home.program("touch", &aged).status().unwrap().success());
    }
    let before = slots(&home.path("cut")).len();
    let again = alone(PROGRAM, "run --resume cut").status().unwrap();
    assert_eq!(again.code(), Some(0));
    assert!(slots(&home.path("cut")).len() > before);
    home.assert_nothing_left();
}

#[test]
fn a_cell_that_does_not_answer_is_ended_after_its_deadline() {
    let home = Home::new();
    let line = "primes -p 2 -b 1G --deadline 1s --out out";
    let mut run = home.start(line);
    let stopped = within(20, "a worker", || {
        let processes = home.processes();
        Process::worker(&processes)?;
        let slot = Process::slot_process(&processes)?;
        slot.send(Signal::SIGSTOP);
        Some(slot.pid)
    });
    until(60, "the stopped slot process is gone", || {
        home.processes().iter().all(|p| p.pid != stopped)
    });
    run.send(Signal::SIGINT);
    assert_eq!(run.end().code(), Some(130), "{}", run.stderr());
    home.assert_nothing_left();
}
