//! The workload `wiki` under every model, and stores that cannot be read.

use std::net::TcpStream;
use std::time::Duration;

use lab::results::Requests;

use nix::sys::signal::Signal;

use super::common::{Home, Process, Run, Running, results, within};

const HEAD: &str = "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstands_for = \"A test.\"\n\
                    headline = \"off\"\n";

/// A case of 60 requests to 4 small pages.
fn case(name: &str, keys: &str, models: &[&str]) -> String {
    let variant = |model: &&str| {
        let flows = if model.contains('x') { "" } else { "flows = 4" };
        format!("[[case.variant]]\nmodel = \"{model}\"\n{flows}\nschedule = \"queue\"\n")
    };
    let variants: String = models.iter().map(variant).collect();
    format!(
        "[[case]]\nname = \"{name}\"\ntitle = \"{name}\"\nmetric = \"steady\"\nreps = 2\n\
         max_rounds = 1\n[case.work]\nkind = \"wiki\"\nrequests = 60\npages = 4\n\
         page_size = \"1K\"\nseed = 5\n{keys}\n{variants}"
    )
}

#[test]
fn every_model_answers_all_requests_alike_with_and_without_the_parser_cache() {
    let models = ["process", "thread", "2x2", "fiber", "task"];
    let home = Home::new();
    let study = [
        HEAD.to_owned(),
        case("off", "cache = false", &models),
        case("on", "cache = true", &models),
    ];
    home.write("mine.toml", &study.concat());
    let run = home.run(&["run", "mine.toml", "--out", "out"]).answered();
    assert!(run.stdout.contains("requests/s"), "{}", run.stdout);
    home.assert_nothing_left();
    let results = results(&home.path("out"));
    let slots = results.studies[0].cases.iter().flat_map(|case| &case.slots);
    let records: Vec<_> = slots
        .map(|slot| slot.outcome.answer.done().expect("a slot that is done"))
        .collect();
    assert_eq!(records.len(), 10);
    for record in &records {
        assert_eq!(record.proof, records[0].proof);
        assert_eq!(record.proof.count, 60);
        let noted = record
            .reps
            .iter()
            .map(|rep| rep.latencies.as_deref().unwrap());
        assert!(noted.map(flow::Latencies::count).eq([60, 60]));
    }
    for variant in results.studies[0]
        .cases
        .iter()
        .flat_map(|case| &case.variants)
    {
        let Requests {
            count,
            per_s,
            p50_ns,
            p99_ns,
            most_ns,
            ..
        } = variant.requests.unwrap();
        assert_eq!(count, 120);
        assert!(per_s > 0.0 && 0 < p50_ns && p50_ns <= p99_ns && p99_ns <= most_ns);
    }
    let names = home.listing("out");
    assert!(
        !names.iter().any(|name| name.ends_with(".files")),
        "{names:?}"
    );
    let summary = std::fs::read_to_string(home.path("out/summary.csv")).unwrap();
    assert!(summary.contains("requests_per_s"), "{summary}");
}

/// Files that are no store of pages, and what is said of each.
fn no_stores(home: &Home) -> [(&'static str, &'static str); 6] {
    home.write("text.sqlite", &"no store ".repeat(999));
    let connection = rusqlite::Connection::open(home.path("bare.sqlite")).unwrap();
    connection.execute_batch("CREATE TABLE other (id)").unwrap();
    let connection = rusqlite::Connection::open(home.path("damaged.sqlite")).unwrap();
    let fill = "CREATE TABLE page (title TEXT, text TEXT);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
                INSERT INTO page SELECT 'p' || i, hex(zeroblob(500)) FROM n;";
    connection.execute_batch(fill).unwrap();
    drop(connection);
    let mut bytes = std::fs::read(home.path("damaged.sqlite")).unwrap();
    bytes[4096..12_288].fill(0xee);
    std::fs::write(home.path("damaged.sqlite"), bytes).unwrap();
    nix::unistd::mkfifo(&home.path("pipe.sqlite"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::create_dir(home.path("folder.sqlite")).unwrap();
    [
        ("text.sqlite", "corrupt or no SQLite file"),
        ("bare.sqlite", "needs a table page"),
        ("damaged.sqlite", "corrupt"),
        ("none.sqlite", "name a file that is there"),
        ("pipe.sqlite", "no regular file"),
        ("folder.sqlite", "no regular file"),
    ]
}

#[test]
fn a_store_that_cannot_be_used_is_refused_and_not_failed_slot_by_slot() {
    let home = Home::new();
    for (name, words) in no_stores(&home) {
        let key = format!("store = \"{name}\"");
        let case = case("off", &key, &["thread", "process"]).replace("page_size = \"1K\"\n", "");
        home.write("mine.toml", &[HEAD, &case].concat());
        home.run(&["run", "mine.toml", "--out", "out"])
            .refused(2, &[name, words]);
        home.run(&["wiki", "--store", name, "--out", "out"])
            .refused(2, &[name, words]);
        home.run(&[
            "wiki", "--server", "prefork", "--store", name, "--out", "out",
        ])
        .refused(2, &[name, words]);
        assert!(!home.path("out").exists());
    }
    home.assert_nothing_left();
}

#[test]
fn a_store_of_ones_own_is_named_and_no_page_size_goes_with_it() {
    let home = Home::new();
    let connection = rusqlite::Connection::open(home.path("own.sqlite")).unwrap();
    let fill = "CREATE TABLE page (title TEXT, text TEXT);
                INSERT INTO page VALUES ('One', '== Words ==\nand a [[Two|link]]'), ('Two', 'x');";
    connection.execute_batch(fill).unwrap();
    drop(connection);
    let asked = ["wiki", "--store", "own.sqlite", "--requests", "20"];
    let run = home
        .run(&[&asked[..], &["--rounds", "1", "--out", "out"]].concat())
        .answered();
    assert!(
        run.stderr.contains("own.sqlite, parser cache off"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("of about"), "{}", run.stderr);
    assert!(run.stderr.contains("the first 2 of"), "{}", run.stderr);
    assert!(run.stdout.contains("pages 2"), "{}", run.stdout);
    assert!(!run.stdout.contains("page_size"), "{}", run.stdout);
    home.run(&[&asked[..], &["--page-size", "1K"]].concat())
        .refused(2, &["--page-size", "--store"]);
    home.assert_nothing_left();
}

/// They were taken and ignored.
#[test]
fn flags_of_a_server_are_refused_without_one() {
    let home = Home::new();
    for flag in ["--port", "--connections", "--keep-alive", "--load-cpu"] {
        for without in [&["wiki"][..], &["wiki", "--model", "process,thread"]] {
            home.run(&[without, &[flag, "1"]].concat())
                .refused(2, &[flag]);
        }
    }
    home.assert_nothing_left();
}

#[test]
fn parameters_that_cannot_be_are_refused_before_anything_is_made() {
    for (keys, words) in [
        ("requests = 0", "requests is 0"),
        ("pages = 0", "0 pages"),
        ("page_size = \"9M\"", "page_size"),
        ("cash = true", "unknown field `cash`"),
    ] {
        let home = Home::new();
        let key = keys.split(' ').next().unwrap();
        let case = case("off", "", &["thread"]);
        let lines = case.lines().filter(|line| !line.starts_with(key));
        let lines: Vec<&str> = lines.collect();
        let text = lines
            .join("\n")
            .replace("seed = 5", &format!("seed = 5\n{keys}"));
        home.write("mine.toml", &format!("{HEAD}{text}"));
        home.run(&["run", "mine.toml", "--out", "out"])
            .refused(2, &["mine.toml", words]);
        assert!(!home.path("out").exists());
    }
}

const SMALL: [&str; 10] = [
    "--requests",
    "90",
    "--pages",
    "4",
    "--page-size",
    "1K",
    "--rounds",
    "1",
    "--seed",
    "5",
];

/// `flowgauge wiki` with a small amount of work.
fn wiki<'a>(further: &[&'a str]) -> Vec<&'a str> {
    [&["wiki"], SMALL.as_slice(), further].concat()
}

#[test]
fn servers_of_every_design_answer_all_requests_alike() {
    let home = Home::new();
    let designs = "prefork,thread-per-connection,thread-pool,2x2";
    let load = ["--connections", "5", "--keep-alive", "7", "--out", "out"];
    let run = home
        .run(&wiki(&[&["--server", designs], load.as_slice()].concat()))
        .answered();
    home.assert_nothing_left();
    for word in ["requests/s", "prefork", "thread-per-connection", "2x2"] {
        assert!(run.stdout.contains(word), "{word} in {}", run.stdout);
    }
    let results = results(&home.path("out"));
    let case = &results.studies[0].cases[0];
    assert_eq!(case.variants.len(), 4);
    let records: Vec<_> = case
        .slots
        .iter()
        .map(|slot| slot.outcome.answer.done().expect("a slot that is done"))
        .collect();
    assert_eq!(records.len(), 4);
    for record in &records {
        assert_eq!(record.proof, records[0].proof);
        assert_eq!(record.proof.count, 90);
        for rep in &record.reps {
            assert_eq!(rep.latencies.as_ref().unwrap().count(), 90);
            assert!(rep.flows.iter().any(|flow| flow.steady.cpu_ns > 0));
        }
    }
}

#[test]
fn the_same_requests_prove_the_same_over_http_and_within_the_program() {
    let home = Home::new();
    home.run(&wiki(&["--server", "prefork,thread-pool", "--out", "http"]))
        .answered();
    home.run(&wiki(&["--cache", "--out", "within"])).answered();
    home.assert_nothing_left();
    let proof = |folder| {
        let results = results(&home.path(folder));
        let slot = results.studies[0].cases[0].slots[0].clone();
        slot.outcome.answer.done().unwrap().proof
    };
    assert_eq!(proof("http"), proof("within"));
}

#[test]
fn a_port_in_use_and_designs_that_are_none_are_refused() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let home = Home::new();
    home.run(&wiki(&["--server", "prefork", "--port", &port]))
        .refused(2, &["--port", &port, "another program listens there"]);
    home.run(&wiki(&["--server", "fork"]))
        .refused(2, &["'fork' is no design of a server", "prefork"]);
    home.run(&wiki(&["--server", "prefork,prefork"]))
        .refused(2, &["--server names prefork twice"]);
    home.run(&wiki(&["--connections", "0", "--server", "prefork"]))
        .refused(2, &["0 connections will not do"]);
    for alone in ["thread-per-connection", "2x2"] {
        home.run(&wiki(&["--server", alone, "--workers", "3"]))
            .refused(2, &["--workers is for", "thread-per-connection has 1"]);
    }
    home.run(&wiki(&["--model", "2x2", "--workers", "3"]))
        .refused(2, &["--workers is for"]);
    let absurd = home.run(&wiki(&["--server", "99999x99999"]));
    absurd.refused(2, &["99999x99999: too large: the maximum is"]);
    assert!(!absurd.stderr.contains("out of range"), "{}", absurd.stderr);
    home.run(&wiki(&["--connections", "3"]))
        .refused(2, &["--server"]);
    home.run(&["wiki", "--store", "none.sqlite"])
        .refused(2, &["--store none.sqlite", "name a file that is there"]);
    home.assert_nothing_left();
}

/// The command after a change of limits by a shell.
fn limited(home: &Home, limits: &str, further: &[&str]) -> Run {
    let program = env!("CARGO_BIN_EXE_flowgauge");
    let script = format!("{limits}; exec {program} {}", wiki(further).join(" "));
    let output = home.program("sh", &["-c", &script]).output();
    Run::from(output.unwrap())
}

#[test]
fn more_connections_than_open_files_are_refused_beforehand_and_nobody_is_blamed() {
    let home = Home::new();
    let many = [
        "--server",
        "thread-pool",
        "--connections",
        "64",
        "--out",
        "out",
    ];
    limited(&home, "ulimit -n 100", &many).refused(
        2,
        &["64 connections", "up to 128 open files", "ulimit -Hn 128"],
    );
    assert!(!home.path("out").exists());
    home.assert_nothing_left();
}

#[test]
fn the_usual_limit_on_open_files_is_raised_for_a_server_as_far_as_it_may_be() {
    let home = Home::new();
    let design = [
        "--server",
        "thread-per-connection",
        "--connections",
        "60",
        "--out",
        "out",
    ];
    limited(&home, "ulimit -Sn 40", &design).answered();
    home.assert_nothing_left();
}

#[test]
fn requests_that_the_budget_has_no_time_for_end_with_it_and_are_told() {
    let home = Home::new();
    let endless = "wiki --requests 1000000000 --pages 1 --budget 2s --out out";
    let run = home.run(&endless.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let told = "wiki, within, process: its pilot was cut after 2.0 s";
    let said: Vec<&str> = run.stdout.split_whitespace().collect();
    assert!(said.join(" ").contains(told), "{}", run.stdout);
    home.assert_nothing_left();
}

#[test]
fn a_server_and_the_same_requests_within_the_program_are_variants_of_one_case() {
    let home = Home::new();
    let served = "work = { kind = \"wiki-server\", workers = 2, connections = 3 }\n";
    let variant = |label: &str, model: &str, work: &str| {
        format!(
            "[[case.variant]]\nlabel = \"{label}\"\nmodel = \"{model}\"\nflows = 2\n\
             schedule = \"queue\"\n{work}"
        )
    };
    let study = [
        HEAD.to_owned(),
        case("off", "", &[]),
        variant("prefork", "process", served),
        variant("thread-pool", "thread", served),
        variant("in-process", "process", ""),
    ];
    home.write("mine.toml", &study.concat());
    home.run(&["run", "mine.toml", "--out", "out"]).answered();
    home.assert_nothing_left();
    let results = results(&home.path("out"));
    let slots = &results.studies[0].cases[0].slots;
    assert_eq!(slots.len(), 3);
    let proofs = slots
        .iter()
        .map(|slot| slot.outcome.answer.done().unwrap().proof);
    let proofs: Vec<_> = proofs.collect();
    assert!(proofs.iter().all(|proof| *proof == proofs[0]), "{proofs:?}");
}

/// A run of servers that takes long enough to do something to it.
fn long(home: &Home) -> Running {
    home.start(&[
        "wiki",
        "--server",
        "prefork,thread-pool",
        "--requests",
        "1000000",
        "--rounds",
        "2",
        "--deadline",
        "100s",
        "--out",
        "out",
    ])
}

#[test]
fn servers_and_their_load_end_with_the_command() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL] {
        let home = Home::new();
        let mut run = long(&home);
        within(30, "workers", || {
            Process::worker(&home.processes()).map(drop)
        });
        if signal == Signal::SIGINT {
            run.send_to_group(signal);
        } else {
            run.send(signal);
        }
        let status = run.end();
        assert!(!status.success(), "{signal}");
        home.assert_nothing_left();
        assert!(
            !home
                .listing("out")
                .iter()
                .any(|name| name.ends_with(".files"))
                || signal == Signal::SIGKILL
        );
    }
}

/// Each idle connection of another program was a thread of the server: 10,000 took 824 MB.
#[test]
fn idle_connections_of_others_make_no_more_threads_than_the_load_can_need() {
    let home = Home::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let port = address.port().to_string();
    let line = "wiki --server thread-per-connection --connections 2 --requests 1000000 --rounds 1 \
                --deadline 60s --out out --port";
    let words: Vec<&str> = line.split_whitespace().chain([port.as_str()]).collect();
    let mut run = home.start(&words);
    let mut idle = Vec::new();
    let threads = || {
        let processes = home.processes();
        let slot = Process::slot_process(&processes)?.pid;
        std::fs::read_dir(format!("/proc/{slot}/task"))
            .ok()
            .map(Iterator::count)
    };
    // Two connections: four threads at most, beside the slot's own and its flow.
    within(30, "threads for connections", || {
        let connection = TcpStream::connect(address).ok()?;
        idle.push(connection);
        (idle.len() >= 40 && threads()? >= 4).then_some(())
    });
    for _ in 0..20 {
        let threads = threads().unwrap_or_default();
        assert!(threads <= 8, "{threads} threads");
        std::thread::sleep(Duration::from_millis(10));
    }
    run.send(Signal::SIGINT);
    run.end();
    home.assert_nothing_left();
}

/// They held every worker, and the slot was said to have used up its time. A server that makes a
/// thread for each connection reaches its cap by more of them.
#[test]
fn idle_connections_of_others_are_the_named_cause_of_a_slot_that_fails() {
    for (server, connections) in [("prefork", 4), ("thread-per-connection", 40)] {
        let home = Home::new();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let line = format!(
            "wiki --server {server} --requests 1000000 --rounds 1 --deadline 60s --out out --port {}",
            address.port()
        );
        let mut run = home.start(&line.split(' ').collect::<Vec<_>>());
        let mut idle = Vec::new();
        within(60, "an end with a cause", || {
            // As many are open at any time, whatever the server has closed meanwhile.
            idle.retain(is_open);
            while idle.len() < connections
                && let Ok(connection) = TcpStream::connect(address)
            {
                idle.push(connection);
            }
            run.has_ended().then_some(())
        });
        let said = run
            .stderr()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let cause = "a connection was open for 5 s without a request";
        assert!(said.contains(cause), "{server}: {said}");
        assert!(
            said.contains("another program connects to this port"),
            "{said}"
        );
        assert!(!said.contains("panicked at panicked"), "{said}");
        home.assert_nothing_left();
    }
}

/// Whether the other side has not closed it.
fn is_open(connection: &TcpStream) -> bool {
    let looked = connection
        .set_nonblocking(true)
        .and_then(|()| connection.peek(&mut [0]));
    looked.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
}

#[test]
fn a_load_generator_that_dies_fails_the_slot_and_not_the_machine() {
    let home = Home::new();
    let mut run = home.start(&[
        "wiki",
        "--server",
        "prefork",
        "--requests",
        "1000000",
        "--rounds",
        "1",
        "--deadline",
        "60s",
        "--out",
        "out",
    ]);
    let mut killed = 0;
    within(60, "the command ends", || {
        let all = home.processes();
        // Once its slot has workers, so that the generator is at work or about to be.
        let load = all.iter().find(|process| process.is_load());
        if let Some((load, _)) = load.zip(Process::worker(&all)) {
            load.send(Signal::SIGKILL);
            killed += 1;
        }
        run.has_ended().then_some(())
    });
    assert!(killed > 0);
    home.assert_nothing_left();
    let said = format!("{}{}", run.stdout(), run.stderr());
    assert!(said.contains("load generator"), "{said}");
}

/// The random seed of each run was part of its work, so that no two runs could be compared.
#[test]
fn two_runs_of_the_same_pages_can_be_compared() {
    let home = Home::new();
    for (out, seed) in [("a", "1"), ("b", "2")] {
        let line = format!("wiki --requests 20 --pages 5 --rounds 1 --seed {seed} --out {out}");
        home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    }
    let run = home.run(&["compare", "a", "b", "--fail-on-regression", "900%"]);
    assert!(!run.stderr.contains("not compared"), "{}", run.stderr);
    assert!(!run.stdout.contains("other work"), "{}", run.stdout);
    home.assert_nothing_left();
}
