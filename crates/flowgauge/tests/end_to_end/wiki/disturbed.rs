//! Servers that are disturbed: signals, connections of other programs, a load generator that dies.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::common::{Home, Process, Running, each_at_once, says, until, within};

/// Servers that have work for longer than a test has time.
fn start(home: &Home, further: &str) -> Running {
    let line = format!("wiki --requests 1000000 --deadline 100s --out out {further}");
    home.start(&line)
}

#[test]
fn servers_and_their_load_end_with_the_command() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL] {
        let home = Home::new();
        let mut run = start(&home, "--server prefork,thread-pool --rounds 2");
        home.wait_for(Process::worker);
        match signal {
            Signal::SIGINT => run.send_to_group(signal),
            _ => run.send(signal),
        }
        assert!(!run.end().success(), "{signal}");
        home.assert_nothing_left();
        if signal != Signal::SIGKILL {
            home.assert_no_files();
        }
    }
}

/// An address at which nobody listens.
fn free() -> SocketAddr {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap()
}

/// Each idle connection of another program was a thread of the server: 10,000 took 824 MB.
#[test]
fn idle_connections_of_others_make_no_more_threads_than_the_load_can_need() {
    let home = Home::new();
    let address = free();
    let each = "--server thread-per-connection --connections 2 --rounds 1 --port";
    let mut run = start(&home, &format!("{each} {}", address.port()));
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
    let rows = [("prefork", 4), ("thread-per-connection", 40)];
    each_at_once(rows, |(server, connections)| {
        let home = Home::new();
        let address = free();
        let port = address.port();
        let further = format!("--server {server} --rounds 1 --port {port}");
        let mut run = start(&home, &further);
        let mut idle = Vec::new();
        until(60, "an end with a cause", || {
            // As many are open at any time, whatever the server has closed meanwhile.
            idle.retain(is_open);
            while idle.len() < connections
                && let Ok(connection) = TcpStream::connect(address)
            {
                idle.push(connection);
            }
            run.has_ended()
        });
        let said = run.stderr();
        let cause = "a connection was open for 5 s without a request";
        says(&said, &[cause, "another program connects to this port"]);
        assert!(!said.contains("panicked at panicked"), "{said}");
        home.assert_nothing_left();
    });
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
    let mut run = start(&home, "--server prefork --rounds 1");
    let mut killed = 0;
    until(60, "the command ends", || {
        let all = home.processes();
        // Once its slot has workers, so that the generator is at work or about to be.
        let load = all.iter().find(|process| process.is("__load"));
        if let Some((load, _)) = load.zip(Process::worker(&all)) {
            load.send(Signal::SIGKILL);
            killed += 1;
        }
        run.has_ended()
    });
    assert!(killed > 0);
    home.assert_nothing_left();
    says(&(run.stdout() + &run.stderr()), &["load generator"]);
}
