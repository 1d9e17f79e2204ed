//! A small HTTP server in every form that servers have, for comparing the forms alone. For a request each computes a
//! fixed number of steps, waits for a fixed time (as for a database), and answers. What differs is who does that:
//!
//! | form | a connection is | flows | waits by |
//! |---|---|---|---|
//! | `process` | a process, forked when it comes | as many as connections | sleeping |
//! | `thread` | a thread, made when it comes | as many as connections | sleeping |
//! | `pool` | watched by one thread, each request taken by one of N | N + 1 | sleeping |
//! | `prefork` | that of a process or thread that was there, until it is closed | P x T | sleeping |
//! | `fiber` | a user-level thread | one of the kernel | its event loop |
//! | `loop` | an entry in a table | one | its event loop |
//! | `loops` | the same, in one of N threads, or of N processes | N | its event loop |
//! | `uring` | the same, by completions instead of readiness | one | its ring |
//!
//! A form whose flow sleeps while it waits serves as many requests at a time as it has flows; an event loop computes
//! for one at a time and waits for all. Stacks of threads are of 128 KiB, mostly untouched: a connection costs kernel
//! memory and page tables. It knows no more of HTTP than its load generator needs: one request at a time.

mod blocking;
mod events;
mod fibers;
mod processes;
mod task;
mod uring;

use std::fmt;
use std::io::{self, Write};
use std::net::TcpListener;
use std::process::exit;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use task::{Flows, Task};

/// The first argument of a server; then `FORM PORT FLOWS STEPS WAIT_US`.
pub const ARGUMENT: &str = "__serve";

/// The kernel takes `net.core.somaxconn` at the most: 10,000 clients may come at once.
const BACKLOG: i32 = 65_535;

/// Whether this process was started as such a server.
#[must_use]
pub fn is_serve() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == ARGUMENT)
}

/// The whole life of such a server: it ends by a signal.
pub fn serve_main() -> ! {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let Err(error) = serve(&arguments);
    let _closed_is_fine = writeln!(io::stderr(), "{error}");
    exit(1)
}

fn wrong(what: impl fmt::Display) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{what}: use {ARGUMENT} FORM PORT FLOWS STEPS WAIT_US"),
    )
}

fn serve(arguments: &[String]) -> io::Result<std::convert::Infallible> {
    let [form, port, flows, steps, wait] = arguments else {
        return Err(wrong("a server takes five arguments"));
    };
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong(format!("'{text}'")));
    let flows: Flows = flows.parse().map_err(|_| wrong(format!("'{flows}'")))?;
    let task = Task {
        steps: number(steps)?,
        wait: Duration::from_micros(number(wait)?),
    };
    all_descriptors()?;
    let port = u16::try_from(number(port)?).map_err(wrong)?;
    let listener = listen(port)?;
    match form.as_str() {
        "process" => blocking::process_each(&listener, task),
        "thread" => blocking::thread_each(&listener, task),
        "pool" => blocking::pool(&listener, flows.threads, task),
        "prefork" => blocking::prefork(&listener, flows, task),
        "fiber" => fibers::fibers(&listener, task),
        "loop" => events::event_loop(&listener, task),
        "loops" => events::event_loops(&listener, flows, task),
        "uring" => uring::uring(&listener, task),
        other => Err(wrong(format!("'{other}' is no form"))),
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], port)).into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Fails if the limit cannot be read or set.
pub(crate) fn all_descriptors() -> io::Result<()> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    Ok(setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?)
}

#[cfg(test)]
mod tests;
