//! Servers of every design, and what is refused of them.

use super::{HEAD, case, wiki};
use crate::common::{Home, Run, results, says};

/// They were taken and ignored.
#[test]
fn flags_of_a_server_are_refused_without_one() {
    let home = Home::new();
    for flag in ["--port", "--connections", "--keep-alive", "--load-cpu"] {
        for without in ["wiki", "wiki --model process,thread"] {
            home.run(&format!("{without} {flag} 1")).refused(2, &[flag]);
        }
    }
    home.assert_nothing_left();
}

#[test]
fn servers_of_every_design_answer_all_requests_alike() {
    let home = Home::new();
    let designs = "prefork,thread-per-connection,thread-pool,2x2";
    let load = "--connections 5 --keep-alive 7 --out out";
    let line = wiki(&format!("--server {designs} {load}"));
    let run = home.run(&line).answered();
    home.assert_nothing_left();
    let words = ["requests/s", "prefork", "thread-per-connection", "2x2"];
    says(&run.stdout, &words);
    let case = home.case();
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
    home.run(&wiki("--server prefork,thread-pool --out http"))
        .answered();
    home.run(&wiki("--cache --out within")).answered();
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
    let refused = |further: &str, words: &[&str]| {
        home.run(&wiki(further)).refused(2, words);
    };
    let taken = ["--port", &port, "another program listens there"];
    refused(&format!("--server prefork --port {port}"), &taken);
    refused(
        "--server fork",
        &["'fork' is no design of a server", "prefork"],
    );
    refused(
        "--server prefork,prefork",
        &["--server names prefork twice"],
    );
    refused(
        "--connections 0 --server prefork",
        &["0 connections will not do"],
    );
    for alone in ["thread-per-connection", "2x2"] {
        let words = ["--workers is for", "thread-per-connection has 1"];
        refused(&format!("--server {alone} --workers 3"), &words);
    }
    refused("--model 2x2 --workers 3", &["--workers is for"]);
    refused("--connections 3", &["--server"]);
    let absurd = home.run(&wiki("--server 99999x99999"));
    absurd.refused(2, &["99999x99999: too large: the maximum is"]);
    assert!(!absurd.stderr.contains("out of range"), "{}", absurd.stderr);
    home.assert_nothing_left();
}

/// The command after a change of limits by a shell.
fn limited(home: &Home, limits: &str, further: &str) -> Run {
    home.shell(&format!("{limits}; exec flowgauge {}", wiki(further)))
}

#[test]
fn more_connections_than_open_files_are_refused_beforehand_and_nobody_is_blamed() {
    let home = Home::new();
    let words = ["64 connections", "up to 128 open files", "ulimit -Hn 128"];
    let many = "--server thread-pool --connections 64 --out out";
    limited(&home, "ulimit -n 100", many).refused(2, &words);
    assert!(!home.path("out").exists());
    home.assert_nothing_left();
}

#[test]
fn the_usual_limit_on_open_files_is_raised_for_a_server_as_far_as_it_may_be() {
    let home = Home::new();
    let design = "--server thread-per-connection --connections 60 --out out";
    limited(&home, "ulimit -Sn 40", design).answered();
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
    home.write("mine.toml", study.concat());
    home.run("run mine.toml --out out").answered();
    home.assert_nothing_left();
    let results = home.results();
    let slots = &results.studies[0].cases[0].slots;
    assert_eq!(slots.len(), 3);
    let proofs = slots
        .iter()
        .map(|slot| slot.outcome.answer.done().unwrap().proof);
    let proofs: Vec<_> = proofs.collect();
    assert!(proofs.iter().all(|proof| *proof == proofs[0]), "{proofs:?}");
}
