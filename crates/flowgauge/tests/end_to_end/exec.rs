//! `flowgauge exec`: answers, proofs, failures with their last words, and nothing left behind
//! whatever the command or the end of the run.

use std::fs;
use std::path::Path;

use flow::Answer;
use nix::sys::signal::Signal;
use serde_json::Value;

use super::common::{Home, Process, results, slots, within};

/// A run of few rounds into `out`.
fn exec(home: &Home, arguments: &[&str]) -> super::common::Run {
    let mut all = vec!["exec", "--out", "out", "--rounds", "2"];
    all.extend(arguments);
    home.run(&all)
}

/// The reason why slots failed, as the results have it.
fn failure(home: &Home) -> String {
    let results = results(&home.path("out"));
    let variants = results.studies[0]
        .cases
        .iter()
        .flat_map(|case| &case.variants);
    let failures = variants.flat_map(|variant| &variant.failures);
    failures
        .map(|(_, reason)| reason.clone())
        .next()
        .unwrap_or_default()
}

#[test]
fn two_commands_are_answered_and_every_launch_is_recorded() {
    let home = Home::new();
    let run = home.run(&[
        "exec",
        "--out",
        "out",
        "--rounds",
        "10",
        "sleep 0.01",
        "sleep 0.2",
    ]);
    let words = run.answered().words();
    assert!(words.contains("slower than sleep 0.01"), "{words}");
    let results = results(&home.path("out"));
    let case = &results.studies[0].cases[0];
    let typical: Vec<f64> = case
        .variants
        .iter()
        .map(|v| v.value.unwrap().typical / 1e6)
        .collect();
    assert!(typical[0] > 10.0 && typical[1] > 200.0, "{typical:?}");
    let Answer::Done(record) = &case.slots[0].outcome.answer else {
        panic!("a good slot")
    };
    let own = record.reps[0].self_managed.as_deref().unwrap();
    for count in [
        "launch_of_true_ns",
        "read_bytes",
        "written_bytes",
        "left_behind",
        "exit_code",
    ] {
        assert!(own.counts.contains_key(count), "{count}: {:?}", own.counts);
    }
    assert!(own.peak_rss > 0 && record.reps[0].flows[0].steady.minor_faults > 0);
    home.assert_nothing_left();
}

#[test]
fn cpu_time_faults_and_memory_are_of_the_whole_tree() {
    let home = Home::new();
    // A grandchild in a session of its own uses the CPU and the memory; the command waits for it.
    let tree = "sh -c 'setsid --wait python3 -c \"import time; x = bytearray(60_000_000); sum(range(2_000_000)); time.sleep(1)\"; true'";
    exec(&home, &[tree]).answered();
    let results = results(&home.path("out"));
    let variant = &results.studies[0].cases[0].variants[0];
    let memory = variant.memory.as_ref().expect("it was looked at");
    assert!(memory.total() > 50_000_000, "{memory:?}");
    assert!(variant.cpu_ns.unwrap() > 2e7, "{:?}", variant.cpu_ns);
    home.assert_nothing_left();
}

#[test]
fn what_a_failed_command_wrote_last_is_kept() {
    for (command, said) in [
        (
            "sh -c 'echo boom >&2; exit 3'",
            "exit code 3; it said: boom",
        ),
        ("sh -c 'kill -SEGV $$'", "ended by SIGSEGV"),
        ("sh -c 'read x < /dev/tty'", "/dev/tty"),
        (
            "no-such-builtin-here | true; no-such-program",
            "exit code 127",
        ),
    ] {
        let home = Home::new();
        let run = exec(&home, &[command]);
        assert_ne!(run.code, Some(0), "{command}");
        assert!(
            failure(&home).contains(said),
            "{command}: {}",
            failure(&home)
        );
        home.assert_nothing_left();
    }
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_is_made() {
    for (arguments, words) in [
        (
            vec!["no-such-program"],
            vec!["'no-such-program' in PATH", "install it"],
        ),
        (vec!["./nope"], vec!["./nope", "No such file"]),
        (vec!["echo 'a"], vec!["a quote (') is not closed"]),
        (vec![" "], vec!["the command is empty"]),
        (vec!["-N", "true | true"], vec!["needs a shell"]),
        (
            vec!["true", "--sample", "10ms"],
            vec!["--sample", "whole tree"],
        ),
        (
            vec!["true", "--show-output"],
            vec!["--show-output cannot be kept"],
        ),
        (
            vec!["true", "-m", "10"],
            vec!["--min-runs cannot be kept", "--rounds"],
        ),
        (
            vec!["true", "--style", "basic"],
            vec!["--style and --time-unit cannot be kept"],
        ),
        (
            vec!["true", "--export-orgmode", "x.org"],
            vec!["cannot be kept", "--export-markdown"],
        ),
        (
            vec!["true", "--check-output", "["],
            vec!["regular expression"],
        ),
        (
            vec!["true", "--stdin", "nothing"],
            vec!["nothing: No such file"],
        ),
        (vec!["--sweep", "flows=1,2", "true"], vec!["{flows}"]),
        (vec!["-L", "n", "1,2", "true"], vec!["no command has {n}"]),
        (
            vec!["--export-json", "missing/folder/x", "true"],
            vec!["cannot write missing/folder"],
        ),
    ] {
        let home = Home::new();
        exec(&home, &arguments).refused(2, &words);
        assert_eq!(home.listing("out"), [""; 0], "{arguments:?}");
        home.assert_nothing_left();
    }
}

#[test]
fn a_daemon_is_found_ended_and_named() {
    // It is left when it has begun its program, whose name is given.
    let left = "sh -c 'setsid sleep 60 & until grep -q sleep /proc/$!/comm; do sleep 0.01; done'";
    let home = Home::new();
    exec(&home, &[left]);
    assert!(
        failure(&home).contains("left a process behind, which was ended: sleep 60"),
        "{}",
        failure(&home)
    );
    home.assert_nothing_left();

    let home = Home::new();
    exec(&home, &[left, "--leaves-processes"]).answered();
    assert_eq!(failure(&home), "");
    home.assert_nothing_left();
}

#[test]
fn a_command_that_hangs_or_ignores_the_request_to_end_is_ended() {
    // What ignores the request has to be at it before the request comes.
    for (command, timeout, said) in [
        ("sleep 60", "0.3s", "deadline of 0.3 s"),
        ("yes", "0.3s", "deadline of 0.3 s"),
        (
            "sh -c 'trap \"\" TERM; while true; do sleep 1; done'",
            "2s",
            "(SIGTERM) and was killed",
        ),
        ("sh -c 'kill -STOP $$'", "0.3s", "deadline of 0.3 s"),
    ] {
        let home = Home::new();
        exec(
            &home,
            &[
                command,
                "--timeout",
                timeout,
                "--grace",
                "0.3s",
                "--output",
                "pipe",
            ],
        );
        assert!(
            failure(&home).contains(said),
            "{command}: {}",
            failure(&home)
        );
        home.assert_nothing_left();
    }
}

/// It forks faster than one process can be killed after the other.
#[test]
fn a_command_that_forks_on_and_on_is_ended() {
    let home = Home::new();
    home.write("forks.sh", "f() { sleep 60 & f & wait; }\nf\n");
    exec(
        &home,
        &["sh forks.sh", "--timeout", "0.5s", "--grace", "10ms"],
    );
    assert!(
        failure(&home).contains("deadline of 0.5 s"),
        "{}",
        failure(&home)
    );
    home.assert_nothing_left();
}

/// Each process of it ends as soon as it has made the next one, so that a list of them is outdated
/// before anything is done with it. The first one ends at once.
#[test]
fn a_command_that_forks_and_ends_and_forks_again_is_ended() {
    let home = Home::new();
    let chain = "import os\nfor _ in range(100_000):\n    if os.fork():\n        os._exit(0)\n";
    home.write("chain.py", chain);
    exec(&home, &["python3 chain.py", "--grace", "10ms"]);
    assert!(
        failure(&home).contains("it left a process behind"),
        "{}",
        failure(&home)
    );
    home.assert_nothing_left();
}

#[test]
fn proofs_of_the_work() {
    for (arguments, said) in [
        (
            vec!["echo a", "echo b", "--same-output"],
            "its output is not that of",
        ),
        (
            vec!["echo a", "--check-output", "b"],
            "nothing that matches 'b'; it said: a",
        ),
        (vec!["echo a", "--check-output", "expected.txt"], "not what"),
        (
            vec!["echo a", "--check", "false"],
            "check (false) failed: exit code 1",
        ),
        (
            vec!["echo a", "--prepare", "exit 4"],
            "prepare (exit 4) failed: exit code 4",
        ),
        (
            vec!["cat", "--stdin", "expected.txt", "--check-output", "^x$"],
            "matches '^x$'; it said: right",
        ),
    ] {
        let home = Home::new();
        home.write("expected.txt", "right\n");
        exec(&home, &arguments);
        assert!(
            failure(&home).contains(said),
            "{arguments:?}: {}",
            failure(&home)
        );
    }
    for arguments in [
        vec!["echo a", "printf 'a\\n'", "--same-output"],
        vec!["echo right", "--check-output", "expected.txt"],
        vec!["sh -c 'exit 3'", "-i"],
        vec!["sh -c 'test $A = b'", "--env", "A=b"],
        vec!["test -f {dir}/x", "--setup", "touch {dir}/x"],
    ] {
        let home = Home::new();
        home.write("expected.txt", "right\n");
        exec(&home, &arguments).answered();
        assert_eq!(failure(&home), "", "{arguments:?}");
    }
}

#[test]
fn before_and_after_each_launch_and_each_slot() {
    let home = Home::new();
    let mark = |word: &str| format!("echo {word} >> log");
    let (setup, prepare, conclude, cleanup) = (mark("s"), mark("p"), mark("e"), mark("c"));
    let all = [
        "-s",
        &setup,
        "-p",
        &prepare,
        "-C",
        &conclude,
        "-c",
        &cleanup,
        "-r",
        "1",
        "echo r >> log",
    ];
    home.run(&[&["exec", "--out", "out"], &all[..]].concat())
        .answered();
    let log = fs::read_to_string(home.path("log"))
        .unwrap()
        .replace('\n', "");
    // The pilot and one round, a launch each.
    assert_eq!(log, "sprecspre".to_owned() + "c");
}

#[test]
fn hyperfines_flags_work_and_its_json_is_written() {
    let home = Home::new();
    let run = home.run(&[
        "exec",
        "--out",
        "out",
        "-w",
        "1",
        "-r",
        "3",
        "-N",
        "-L",
        "n",
        "0.01,0.02",
        "sleep {n}",
        "--export-json",
        "x.json",
        "--export-csv",
        "x.csv",
        "--export-markdown",
        "x.md",
    ]);
    run.answered();
    let json: Value =
        serde_json::from_str(&fs::read_to_string(home.path("x.json")).unwrap()).unwrap();
    let results = json["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (result, command) in results.iter().zip(["sleep 0.01", "sleep 0.02"]) {
        assert_eq!(result["command"], command);
        assert_eq!(result["times"].as_array().unwrap().len(), 3);
        assert_eq!(result["exit_codes"], serde_json::json!([0, 0, 0]));
        let (_, value) = command.split_once(' ').unwrap();
        assert_eq!(result["parameters"], serde_json::json!({ "n": value }));
        for key in ["mean", "stddev", "median", "user", "system", "min", "max"] {
            assert!(result[key].is_number(), "{key}: {result}");
        }
    }
    // The size of the launcher was taken for that of `sleep`.
    assert!(results[0].get("memory_usage_byte").is_none_or(|bytes| {
        bytes
            .as_array()
            .unwrap()
            .iter()
            .all(|bytes| bytes.as_u64().unwrap() < 5 << 20)
    }));
    let csv = fs::read_to_string(home.path("x.csv")).unwrap();
    assert!(
        csv.starts_with("command,mean,stddev,median,user,system,min,max,parameter_n\nsleep 0.01,"),
        "{csv}"
    );
    assert!(
        fs::read_to_string(home.path("x.md"))
            .unwrap()
            .contains("| `sleep 0.02` |")
    );
}

/// Nothing stays, whichever is ended: the run, its main process, or the process of a slot.
#[test]
fn nothing_of_a_command_outlives_any_end_of_a_run() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL] {
        let home = Home::new();
        let mut run = home.start(&[
            "exec",
            "--out",
            "out",
            "sh -c '(setsid sleep 61 &); sleep 60'",
        ]);
        within(20, "the command runs", || {
            (home.processes().len() >= 4).then_some(())
        });
        run.send(signal);
        run.end();
        home.assert_nothing_left();
    }
    let home = Home::new();
    let mut run = home.start(&[
        "exec",
        "--out",
        "out",
        "--rounds",
        "1",
        "sh -c '(setsid sleep 61 &); sleep 60'",
    ]);
    let cell = within(20, "the command runs", || {
        let all = home.processes();
        (all.len() >= 4).then(|| Process::slot_process(&all).cloned())?
    });
    cell.send(Signal::SIGKILL);
    within(20, "its orphans are ended", || {
        (home.processes().len() <= 2).then_some(())
    });
    run.send(Signal::SIGTERM);
    run.end();
    home.assert_nothing_left();
}

#[test]
fn a_cut_run_goes_on_from_another_folder() {
    let home = Home::new();
    home.write("input", "x");
    let mut run = home.start(&[
        "exec",
        "--out",
        "out",
        "-r",
        "6",
        "sh -c 'cat input; sleep 0.2'",
        "--check-output",
        "x",
    ]);
    within(20, "a slot", || {
        (!slots(&home.path("out")).is_empty()).then_some(())
    });
    run.send(Signal::SIGINT);
    run.end();
    let out = home.path("out");
    let mut resumed = home.command(&["run", "--resume", out.to_str().unwrap()]);
    let ended = resumed.current_dir(home.temporary()).output().unwrap();
    assert!(matches!(ended.status.code(), Some(0 | 3)), "{ended:?}");
    assert_eq!((slots(&out).len(), failure(&home)), (6, String::new()));
}

/// A server that answers on its port, of the system's Python.
const SERVER: &str = "python3 -m http.server {port} --bind 127.0.0.1";

fn served(home: &Home, server: &str, further: &[&str]) -> super::common::Run {
    let url = "http://127.0.0.1:{port}/page.txt";
    let common = [
        "--serve",
        server,
        "--load",
        url,
        "--connections",
        "2",
        "--duration",
        "0.2s",
    ];
    home.write("page.txt", "a page\n");
    exec(home, &[&common, further].concat())
}

#[test]
fn a_server_is_asked_and_stopped_and_every_request_is_counted() {
    for (further, metric) in [
        (vec!["--same-body"], "request"),
        (vec!["--rate", "40"], "p99"),
    ] {
        let home = Home::new();
        served(&home, SERVER, &further).answered();
        assert_eq!(failure(&home), "");
        let results = results(&home.path("out"));
        let case = &results.studies[0].cases[0];
        assert_eq!(serde_json::to_value(case.case.metric).unwrap(), metric);
        let requests = case.variants[0]
            .requests
            .as_ref()
            .expect("requests were answered");
        assert!(
            requests.count > 0 && requests.p99_ns >= requests.p50_ns,
            "{requests:?}"
        );
        home.assert_nothing_left();
    }
}

#[test]
fn a_server_that_is_none_fails_with_what_it_said() {
    for (server, said) in [
        (
            "sh -c 'echo no config >&2; exit 4'",
            "ended before it was ready: exit code 4; it said: no config",
        ),
        (
            "sh -c 'echo {port}; echo broken >&2; sleep 60'",
            "still at work",
        ),
    ] {
        let home = Home::new();
        served(&home, server, &["--deadline", "1s"]);
        let failure = failure(&home);
        assert!(
            failure.contains(said) || failure.contains("was not ready"),
            "{failure}"
        );
        home.assert_nothing_left();
    }
    let home = Home::new();
    let load = "false wrk http://127.0.0.1:{port}/";
    exec(&home, &["--serve", SERVER, "--load", load]);
    assert!(
        failure(&home).contains("the load failed: exit code 1"),
        "{}",
        failure(&home)
    );
    home.assert_nothing_left();
}

/// Each split is run, the default is among them, and one sentence says which to take.
#[test]
fn a_grid_ends_in_a_recommendation_that_its_rounds_support() {
    let home = Home::new();
    let command = "sh -c 'test {processes} = 1 && test {threads} = 4 || sleep 0.1'";
    let arguments = ["--grid", command, "--flows", "4", "-r", "10"];
    let run = home.run(&[&["exec", "--out", "out"], &arguments[..]].concat());
    let words = run.answered().words();
    let results = results(&home.path("out"));
    let case = &results.studies[0].cases[0];
    let best = case.optimum.as_ref().unwrap();
    assert!(best.is_told, "{best:?}");
    assert_eq!(best.label, "1x4");
    assert!(words.contains("1x4 ("), "{words}");
    let default = best.default.as_deref().unwrap();
    let labels: Vec<&str> = case.variants.iter().map(|v| v.label.as_str()).collect();
    assert_eq!(labels[0], default);
    for split in ["1x4", "2x2", "4x1"] {
        assert!(labels.contains(&split), "{labels:?}");
    }
    home.assert_nothing_left();
}

#[test]
fn what_launching_costs_is_shown_where_it_matters() {
    let home = Home::new();
    let words = exec(&home, &["true", "true"]).answered().words();
    assert!(words.contains("a launch of `true` takes"), "{words}");
    let says = ["without it: true", "no command takes clearly longer"];
    assert!(says.iter().any(|says| words.contains(says)), "{words}");
}

#[test]
fn units_of_work_give_a_rate() {
    let home = Home::new();
    exec(&home, &["sleep 0.05", "--work", "100"]).answered();
    let results = results(&home.path("out"));
    let rate = results.studies[0].cases[0].quantity("rate", "sleep 0.05");
    let rate = rate.unwrap().value.value().unwrap().estimate;
    assert!((10.0..=2_000.0).contains(&rate), "{rate}");
}

#[test]
fn copies_stand_against_one_each_with_its_own_number() {
    let home = Home::new();
    let arguments = ["--copies", "3", "touch c{i}", "--against", "touch one"];
    exec(&home, &arguments).answered();
    for file in ["c0", "c1", "c2", "one"] {
        assert!(home.path(file).exists(), "{file}");
    }
    assert!(!home.path("c3").exists());
}

/// Somebody else's server was measured, and the run ended well.
#[test]
fn a_port_at_which_another_server_answers_is_refused() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/", taken.local_addr().unwrap());
    let home = Home::new();
    let run = exec(&home, &["--serve", "sleep 60", "--load", &url]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("is in use"), "{}", run.stderr);
    assert!(!home.path("out").exists());
}

/// The server was started, and the failure came after its time.
#[test]
fn a_load_whose_output_cannot_be_read_is_refused_before_a_server_is_started() {
    let home = Home::new();
    let run = exec(
        &home,
        &[
            "--serve",
            "touch started",
            "--load",
            "curl http://127.0.0.1:1/",
        ],
    );
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("none of the load generators"),
        "{}",
        run.stderr
    );
    assert!(!home.path("started").exists());
}

/// `-r N` stopped as soon as the answer was sure.
#[test]
fn exactly_as_many_launches_are_made_as_were_asked_for() {
    let home = Home::new();
    let all = ["exec", "--out", "out", "-r", "12", "true", "sleep 0.05"];
    home.run(&all).answered();
    let results = results(&home.path("out"));
    let case = &results.studies[0].cases[0];
    assert_eq!((case.rounds, case.slots.len()), (12, 24));
}

/// The only sign of slots that failed was on standard error, and more rounds were advised.
#[test]
fn failed_slots_are_on_the_answer_screen_with_their_reason() {
    let home = Home::new();
    let run = home.run(&["exec", "--out", "out", "-r", "1", "sh -c 'exit 7'"]);
    assert_eq!(run.code, Some(2));
    let words = run.words();
    assert!(
        words.contains("error: 1 of 1 slot of sh -c 'exit 7' failed: exit code 7"),
        "{words}"
    );
    assert!(!words.contains("More rounds"), "{words}");
    assert!(!run.stderr.contains("measured"), "{}", run.stderr);
}

/// Each command has its own preparation, exit codes may be listed, and what cannot be kept is
/// refused with the reason.
#[test]
fn further_flags_of_hyperfine_work_or_are_refused() {
    let home = Home::new();
    let words = [
        "exec",
        "--out",
        "out",
        "-r",
        "1",
        "-p",
        "touch a",
        "-p",
        "touch b",
        "-i=3",
        "sh -c 'test -e a; exit 3'",
        "sh -c 'test -e b; exit 3'",
        "--export-json",
        "-",
        "--sort",
        "mean-time",
    ];
    let run = home.run(&words);
    assert_eq!(failure(&home), "", "{}", run.stderr);
    assert!(
        run.words().contains("\"exit_codes\": [ 3 ]"),
        "{}",
        run.words()
    );
    let refused = |words: &[&str], why: &str| {
        let run = home.run(&[&["exec", "--out", "no", "true"], words].concat());
        assert_eq!(run.code, Some(2), "{words:?}");
        assert!(
            run.stderr.replace('\n', " ").contains(why),
            "{words:?}: {}",
            run.stderr
        );
    };
    refused(
        &["-p", "true", "-p", "true"],
        "2 times, and the number of commands is 1",
    );
    refused(&["--output", "inherit"], "between lines");
    refused(&["--work", "0"], "0");
    refused(&["--env", "FOO"], "such as LC_ALL=C");
}

/// A port that somebody holds, and a server that dies under load.
#[test]
fn a_taken_port_and_a_server_that_dies_are_failures_with_what_was_said() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let server = format!("python3 -m http.server {port} --bind 127.0.0.1");
    served(&home, &server, &["--ready", "Serving HTTP"]);
    let said = failure(&home);
    assert!(said.contains("ended before it was ready"), "{said}");
    assert!(said.contains("in use"), "{said}");

    let home = Home::new();
    home.write(
        "dies.py",
        "import socket, sys\ns = socket.socket()\ns.bind(('127.0.0.1', int(sys.argv[1])))\n\
         s.listen()\ns.accept()\ns.accept()\nsys.exit('out of order')\n",
    );
    served(&home, "python3 dies.py {port}", &[]);
    let said = failure(&home);
    assert!(
        said.contains("the server ended while it was asked"),
        "{said}"
    );
    assert!(said.contains("out of order"), "{said}");
    home.assert_nothing_left();
}

/// A rate at which nothing could be measured was not in the answer at all.
#[test]
fn a_server_whose_slots_all_failed_is_in_the_answer_with_the_reason() {
    let home = Home::new();
    let words = served(&home, "sh -c 'exit 4'", &["--rate", "20"]).words();
    let said = "all slots failed: the server ended before it was ready: exit code 4";
    assert!(words.contains(said), "{words}");
}

/// What was asked was given as what was answered, and waiting for a server as lateness of the
/// generator; of one that closes its connections, what was left at the end was never sent.
#[test]
fn a_server_that_falls_behind_is_given_the_rate_that_it_reached() {
    let home = Home::new();
    home.write(
        "slow.py",
        "import http.server as h, sys, time\nclass Slow(h.SimpleHTTPRequestHandler):\n    \
         def do_GET(self):\n        time.sleep(0.03)\n        super().do_GET()\n\
         h.HTTPServer(('127.0.0.1', int(sys.argv[1])), Slow).serve_forever()\n",
    );
    let server = "python3 slow.py {port}";
    let words = served(&home, server, &["--rate", "100"]).answered().words();
    let results = results(&home.path("out"));
    let requests = results.studies[0].cases[0].variants[0].requests.unwrap();
    assert!(requests.per_s <= 34.0, "{requests:?}");
    let behind = "of the 100 requests a second that it was asked";
    assert!(words.contains(behind), "{words}");
    assert!(
        words.contains("requests waited for a connection"),
        "{words}"
    );
}

/// The time of `--timeout` was that of a request, and servers had 20 s whatever it was.
#[test]
fn a_server_has_as_long_to_be_ready_as_the_timeout_says() {
    let home = Home::new();
    served(&home, "sleep 60", &["--timeout", "0.3s"]);
    let said = failure(&home);
    assert!(
        said.contains("was not ready after 0.") || said.contains("was not ready after 1."),
        "{said}"
    );
    home.assert_nothing_left();
}

/// Launches read different things from the same `--stdin`, and each reason was printed in full.
#[test]
fn a_file_that_is_changed_while_it_is_read_fails_the_slot() {
    let home = Home::new();
    home.write("input", "x\n");
    let changes = "sh -c 'cat; echo y >> input'";
    let run = exec(&home, &[changes, "--stdin", "input"]);
    let said = failure(&home);
    assert!(said.contains("(--stdin) was changed"), "{said}");
    assert!(
        run.stderr.contains("again, for the same reason"),
        "{}",
        run.stderr
    );
}

/// The message named no folder and no way out.
#[test]
fn a_working_directory_that_was_removed_is_named() {
    let home = Home::new();
    let here = home.command(&["exec", "true"]);
    let line = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" exec true";
    let program = here.get_program().to_str().unwrap().to_owned();
    let ended = home.program("sh", &["-c", line, &program]).output();
    let said = String::from_utf8(ended.unwrap().stderr).unwrap();
    assert!(
        said.contains("the working directory cannot be used"),
        "{said}"
    );
    assert!(said.contains("gone (deleted)"), "{said}");
}

#[test]
fn a_bound_on_latency_names_the_highest_rate_or_says_that_none_met_it() {
    let home = Home::new();
    home.write("page.txt", "a page\n");
    let words = served(&home, SERVER, &["--rate", "20,40", "--slo", "p99=5s"])
        .answered()
        .words();
    let few = "too few rounds to say which of these rates has a p99";
    assert!(words.contains(few), "{words}");
    assert!(words.contains("compared by p99 latency"), "{words}");
    assert!(
        words.contains("p99.9 ") && words.contains("answered a second"),
        "{words}"
    );
    assert!(words.contains("% of one CPU"), "{words}");
}

#[test]
fn a_command_that_changes_its_own_input_is_seen_by_its_output() {
    let home = Home::new();
    home.write("input", "x\n");
    exec(
        &home,
        &["sh -c 'cat input; echo y >> input'", "--same-output"],
    );
    assert!(
        failure(&home).contains("its output is not that of"),
        "{}",
        failure(&home)
    );
}

/// More output than any pipe holds, on both streams, of a command that then fails.
#[test]
fn a_flood_of_output_does_not_stall_and_its_end_is_kept() {
    let home = Home::new();
    let flood = "sh -c 'yes | head -c 3000000; yes no | head -c 300000 >&2; echo last >&2; exit 9'";
    exec(&home, &[flood, "--output", "pipe"]);
    let said = failure(&home);
    assert!(
        said.contains("exit code 9") && said.contains("last"),
        "{said}"
    );
}

#[test]
fn placeholders_are_filled_in_and_braces_of_other_programs_are_not() {
    let home = Home::new();
    let line = "sh -c 'test {flows}{processes}{threads}{i} = 3310 && test -d {dir} && \
                echo {port} | grep -qE \"^[0-9]+$\" && test {cpu} = 0 && \
                test $(echo a b | awk \"{print \\$2}\") = b'";
    exec(&home, &[line, "--flows", "3"]).answered();
    assert_eq!(failure(&home), "");
}

/// The kernel adds nothing of a child that nobody waits for to its parent.
#[test]
fn cpu_time_of_children_that_are_forgotten_counts_where_there_is_a_control_group() {
    let home = Home::new();
    home.write(
        "forgets.py",
        "import os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
         if os.fork() == 0:\n    sum(range(6_000_000))\n    os._exit(0)\n\
         try:\n    os.wait()\nexcept ChildProcessError:\n    pass\n",
    );
    exec(&home, &["python3 forgets.py", "python3 -c pass"]).answered();
    let results = results(&home.path("out"));
    let case = &results.studies[0].cases[0];
    let own = case.variants[0].self_managed.as_ref().unwrap();
    let [forgets, starts] = [0, 1].map(|at| case.variants[at].cpu_ns.unwrap());
    match own.counts["by_cgroup"] > 0.0 {
        true => assert!(forgets > 1.5 * starts, "{forgets} {starts}"),
        false => assert!(forgets < 3.0 * starts, "{forgets} {starts}"),
    }
    home.assert_nothing_left();
}

/// Both who could end it are killed at once, and it has left their line of descent.
#[test]
fn a_control_group_ends_what_outlives_the_main_process_and_the_slot() {
    let home = Home::new();
    let mut run = home.start(&[
        "exec",
        "--out",
        "out",
        "sh -c '(setsid sleep 61 &); sleep 60'",
    ]);
    let slot = within(20, "the command runs", || {
        let all = home.processes();
        (all.len() >= 5).then(|| Process::slot_process(&all).cloned())?
    });
    let groups = fs::read_to_string(format!("/proc/{}/cgroup", slot.pid)).unwrap();
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"));
    let held = group.filter(|group| group.contains("flowgauge-"));
    run.send(Signal::SIGKILL);
    slot.send(Signal::SIGKILL);
    run.end();
    let Some(held) = held else {
        // Parent-death signals end the command itself, and nobody its grandchild.
        let left = || home.processes();
        within(20, "the command is ended", || {
            (left().len() <= 1).then_some(())
        });
        left().iter().for_each(|one| one.send(Signal::SIGKILL));
        return;
    };
    home.assert_nothing_left();
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    let mount = mounts
        .lines()
        .find(|line| line.contains(" cgroup2 "))
        .unwrap();
    let folder = Path::new(mount.split(' ').nth(1).unwrap()).join(held);
    within(20, "the group is removed", || {
        (!folder.exists()).then_some(())
    });
}

/// Two runs of one program a few seconds apart differed by a fifth in every variant, and the recipe
/// for CI compared such runs. Both builds in one run are compared round by round.
#[test]
fn two_builds_in_one_run_fail_on_the_slower_one_alone() {
    let home = Home::new();
    let code = |new: &str, out: &str| {
        let bound = "exec/new vs old <= 2";
        let builds = ["exec", "sleep 0.01", new, "-n", "old", "-n", "new"];
        let checked = ["--rounds", "10", "--expect", bound, "--out", out];
        home.run(&[builds.as_slice(), &checked].concat()).code
    };
    assert_eq!(code("sleep 0.3", "slower"), Some(1));
    assert_ne!(code("sleep 0.01", "same"), Some(1));
}
