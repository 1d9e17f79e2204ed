//! The load generator: a process that asks a server, and counts what came of it (docs/exec.md).
//!
//! **Closed loop**: each connection asks again as soon as it has its answer. **Open loop** (a
//! rate): request k is planned for `k / rate`, and its latency counts from the plan, so a stall
//! counts for all requests planned meanwhile (from the sending: coordinated omission). One that
//! finds no free connection waits for one.
//!
//! Nothing that counts is dropped: a request without an answer in its time counts with that, one
//! that was never sent with the time since its plan. What was planned to warm up and has not been
//! sent when measuring begins counts nowhere. With more than 1 % errors a slot is no data point.
//!
//! One thread, `epoll`, and a timer of the kernel (`engine.rs`). The generator reports its own CPU
//! time and how late it sent; a wait for a connection is the server's, and kept apart. Sources: G.
//! Tene, wrk2 (latency from the planned send); pgbench `-R` (reports its lag).

mod answer;
mod connection;
mod engine;
mod plan;
mod said;
mod tally;
pub(crate) mod tools;

use std::io::{self, Write};
use std::process::exit;

use crate::http::Http;
pub use answer::{Answer, whole};
pub use connection::{Connection, Got};
pub use said::Target;
pub(crate) use said::{Report, Said, Task};

/// The first argument of a load generator.
pub const ARGUMENT: &str = "__load";
/// Begins the first line of a generator whose rounds its parent begins.
pub const IN_ROUNDS: &str = "in rounds: ";

pub(crate) fn answers(target: &Target) -> bool {
    let task = Task {
        targets: vec![target.clone()],
        how: Http {
            connections: 1,
            warm_s: 0.0,
            seconds: 0.01,
            timeout_s: 1.0,
            ..Http::new(Vec::new())
        },
    };
    engine::run(&task).is_ok_and(|report| report.answered > 0)
}

pub(crate) fn target(url: &str) -> Result<Target, String> {
    let rest = url.strip_prefix("http://").ok_or_else(|| {
        format!("{url}: only http:// can be asked; for anything else name a command with --load")
    })?;
    let (host, path) = match rest.split_once('/') {
        Some((host, path)) => (host, format!("/{path}")),
        None => (rest, "/".to_owned()),
    };
    let named = match host.contains(':') {
        true => host.to_owned(),
        false => format!("{host}:80"),
    };
    let mut found = std::net::ToSocketAddrs::to_socket_addrs(&named)
        .map_err(|error| format!("{url}: {error}"))?;
    let address = found.find(|address| address.ip().is_loopback());
    let address = address.ok_or_else(|| {
        format!(
            "{url}: the server runs on this machine, so ask it there: http://127.0.0.1:{{port}}/"
        )
    })?;
    Ok(Target {
        address,
        host: host.to_owned(),
        path,
    })
}

/// Whether this process is a load generator. `main` asks only [`flow`]'s slot processes before.
#[must_use]
pub fn is_load() -> bool {
    let argument = std::env::args_os().nth(1);
    argument.is_some_and(|argument| argument == ARGUMENT)
}

/// The whole life of a load generator; `in_rounds` carries out what [`IN_ROUNDS`] begins.
pub fn load_main(in_rounds: fn(&str) -> io::Result<()>) -> ! {
    match live(in_rounds) {
        Ok(()) => exit(0),
        Err(error) => {
            let _closed_is_fine = writeln!(io::stderr(), "the load generator: {error}");
            exit(1)
        }
    }
}

fn live(in_rounds: fn(&str) -> io::Result<()>) -> io::Result<()> {
    let began = measure::clock::now_ns();
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    if let Some(orders) = line.strip_prefix(IN_ROUNDS) {
        return in_rounds(orders);
    }
    let task: Task = serde_json::from_str(&line)?;
    sys::bind(&task.how.cpus)?;
    // A connection takes one; where there are too few, the first that fails says so.
    let _as_many_as_there_may_be = crate::serve::all_descriptors();
    engine::run_then(&task, |mut report| {
        report.load_ns = measure::clock::now_ns() - began;
        report.cpu_ns = measure::clock::process_cpu_ns();
        let mut said = serde_json::to_vec(&report)?;
        said.push(b'\n');
        io::stdout().lock().write_all(&said)?;
        wait_until_looked_at()
    })?
}

/// Connections stay open until the parent has seen what the server holds with them, and closes its end.
fn wait_until_looked_at() -> io::Result<()> {
    io::stdin().read_line(&mut String::new()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_this_machine_are_read_and_others_refused() {
        let read = target("http://127.0.0.1:8080/a?b=c").unwrap();
        assert_eq!((read.address.port(), read.path.as_str()), (8080, "/a?b=c"));
        assert_eq!(target("http://localhost:81").unwrap().path, "/");
        for (url, words) in [
            ("https://localhost/", "only http://"),
            ("http://192.0.2.1/", "on this machine"),
        ] {
            let why = target(url).unwrap_err();
            assert!(why.contains(words), "{why}");
        }
    }
}
