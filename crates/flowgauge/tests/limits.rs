//! `flowgauge limits`, for real. Nothing here asserts how fast anything is, or how much this
//! machine holds.

use std::path::Path;
use std::process::{Command, Output};

use flow::Probed;
use lab::{Probe, Results};
use tempfile::TempDir;

fn limits(line: &str, out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flowgauge"))
        .args(["limits", "--tables"])
        .env("FLOWGAUGE_VERBOSE", "1")
        .args(line.split(' '))
        .arg("--out")
        .arg(out)
        .output()
        .expect("the command starts")
}

#[test]
fn every_model_says_how_many_what_stops_it_and_what_one_costs() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let output = limits("--probe-to 200 --rounds 1 --seed 1", &out);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0)), "{said}");
    assert!(said.contains("The fence: 80 %"), "{said}");
    assert!(said.contains("clean-up verified"), "{said}");

    let results = Results::from_journal(&out.join(lab::journal::FILE_NAME)).expect("a journal");
    let headline = &results.studies[0].sentences[0];
    for part in ["at most ", "processes", "threads", "of model fiber"] {
        assert!(headline.contains(part), "{headline}");
    }
    let limits = &results.studies[0].parts.limits;
    assert_eq!(limits.len(), 6);
    for limit in limits {
        assert_eq!(limit.made, 200, "{limit:?}");
        let room = limit.room.as_ref().expect("a limit");
        assert!(!room.raise.is_empty() && room.count == room.left / room.each);
        assert!(limit.create_ns_each.is_some(), "{limit:?}");
        assert!(limit.bytes_each.is_some() != limit.bytes_not_available.is_some());
    }
    let csv = std::fs::read_to_string(out.join("limits.csv")).expect("a table");
    assert_eq!(csv.lines().count(), 7, "{csv}");
    let page = std::fs::read_to_string(out.join("report.html")).expect("a page");
    let shown = String::from_utf8_lossy(&output.stdout);
    let raises = &limits[0].room.as_ref().expect("a limit").raise;
    let command = raises.split_whitespace().last().expect("a command");
    let table = ["How many flows of each model", "to raise it", command];
    for part in ["Then and now", "8000 Linux", "25000 Sun", "90000+"]
        .iter()
        .chain(&table)
    {
        let missing = "a table is missing it";
        // The way to raise a limit is a column for wide terminals.
        let is_shown = shown.contains(*part) || *part == table[1] || *part == table[2];
        assert!(
            is_shown && page.contains(*part),
            "{missing}, {part}: {shown}"
        );
    }
}

/// The probes of a run, each of which met its limit or said why it could not.
fn probes(flags: &str) -> (Vec<Probe>, String) {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let output = limits(&format!("--probe-to 101 --rounds 1 {flags}"), &out);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0)), "{said}");
    assert!(said.contains("clean-up verified"), "{said}");
    let results = Results::from_journal(&out.join(lab::journal::FILE_NAME)).expect("a journal");
    let study = &results.studies[0];
    for probe in &study.parts.probes {
        match &probe.probed {
            Probed::NotAvailable { reason } => assert!(!reason.is_empty()),
            Probed::Met { refused_with, .. } => {
                assert!(refused_with.is_some(), "{probe:?}");
                assert_eq!(probe.confirms(), Some(true), "{probe:?}");
            }
        }
    }
    let csv = std::fs::read_to_string(out.join("probes.csv")).unwrap_or_default();
    let page = std::fs::read_to_string(out.join("report.html")).expect("a page");
    let shown = String::from_utf8_lossy(&output.stdout);
    let told = shown.contains("behind lowered limits") && page.contains("behind lowered limits");
    assert_eq!(told, !study.parts.probes.is_empty(), "{shown}");
    (study.parts.probes.clone(), csv)
}

#[test]
fn user_level_flows_end_where_a_lowered_limit_on_address_space_says() {
    let (probes, csv) = probes("--model fiber,fiber-packed,task");
    assert_eq!(probes.len(), 3);
    assert_eq!(csv.lines().count(), 4, "{csv}");
    for probe in &probes {
        let Probed::Met { predicted, .. } = &probe.probed else {
            panic!("any process may lower its own limit: {probe:?}");
        };
        assert_eq!(predicted.bites, "RLIMIT_AS");
    }
}

/// Pages of 2 MiB that are taken whole were forgotten: 169,692 packed fibers were predicted where
/// 163,808 had room. So were the tables of a region: 163,533 movable ones where 141,413 had room.
#[test]
fn the_prediction_for_packed_fibers_counts_pages_that_are_taken_whole() {
    let (probes, _) = probes("--model fiber,fiber-packed,migratable");
    for probe in &probes {
        let Probed::Met {
            predicted, reached, ..
        } = &probe.probed
        else {
            panic!("any process may lower its own limit: {probe:?}");
        };
        let off = predicted.count.abs_diff(*reached) as f64 / *reached as f64;
        assert!(off < 0.015, "{probe:?}");
    }
}

#[test]
fn processes_and_threads_end_where_a_lowered_limit_on_tasks_says() {
    for fence in [" --fence ids", " --fence user", ""] {
        let (probes, _) = probes(&format!("--model process,thread{fence}"));
        assert_eq!(probes.len(), 2, "{fence}");
        let limits = probes.iter().filter_map(|probe| match &probe.probed {
            Probed::Met { predicted, .. } => Some(predicted.bites.as_str()),
            Probed::NotAvailable { .. } => None,
        });
        for limit in limits {
            assert!(
                ["kernel.pid_max", "RLIMIT_NPROC"].contains(&limit),
                "{limit}"
            );
        }
    }
    let (none, _) = probes("--model thread --fence none");
    assert!(none.is_empty());
}

#[test]
fn nothing_to_probe_and_models_named_twice_are_refused() {
    let folder = TempDir::new().expect("a folder");
    for (flags, says) in [
        ("--probe-to 0", "use at least 101"),
        ("--probe-to 100", "use at least 101"),
        ("--model task,task", "twice"),
        ("--model green", "is no model"),
    ] {
        let out = folder.path().join("out");
        let output = limits(flags, &out);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(says), "{said}");
        assert!(!out.exists(), "{flags} left a folder");
    }
}

/// `flowgauge limits` under limits of a shell.
fn limited(ulimit: &str, args: &[&str]) -> (Output, Results) {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let script = format!("{ulimit} && exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .env("FLOWGAUGE_VERBOSE", "1")
        // Threads that allocate at once each reserve 128 MiB for a moment, unless they share an arena.
        .env("MALLOC_ARENA_MAX", "1")
        .args(["-c", &script, env!("CARGO_BIN_EXE_flowgauge"), "limits"])
        .args(args)
        .args(["--rounds", "1", "--out"])
        .arg(&out)
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0)), "{said}");
    let results = Results::from_journal(&out.join(lab::journal::FILE_NAME)).expect("a journal");
    (output, results)
}

#[test]
fn where_fewer_than_100_threads_fit_they_are_in_the_table_with_limit_and_remedy() {
    let (output, results) = limited("ulimit -v 400000", &["--model", "thread"]);
    let limit = &results.studies[0].parts.limits[0];
    let room = limit.room.as_ref().expect("a limit");
    assert_eq!(
        (room.bites.as_str(), room.raise.as_str()),
        ("RLIMIT_AS", "ulimit -v unlimited")
    );
    assert!(room.count < 100, "{room:?}");
    assert!(limit.made > 0 && limit.made <= room.count, "{limit:?}");
    let shown = String::from_utf8_lossy(&output.stdout);
    for part in ["RLIMIT_AS = 391 MiB", "ulimit -v unlimited", "at most "] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The probe's threads have the stacks that the prediction is about.
    let probe = &results.studies[0].parts.probes[0];
    assert_eq!(probe.confirms(), Some(true), "{probe:?}");
}

#[test]
fn a_stack_too_small_for_the_command_is_said_and_no_crash() {
    let script = "ulimit -s 100; exec \"$0\" switch --flows 2";
    let output = Command::new("sh")
        .env("FLOWGAUGE_VERBOSE", "1")
        .args(["-c", script, env!("CARGO_BIN_EXE_flowgauge")])
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("a stack of 100 KiB (RLIMIT_STACK)") && said.contains("ulimit -s "),
        "{said}"
    );
}
