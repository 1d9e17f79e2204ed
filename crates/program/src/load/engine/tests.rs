use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use socket2::{Domain, Socket, Type};

use super::*;
use crate::http::Http;
use crate::load::Target;

/// A server that answers each request after a time, on each connection by itself.
fn server(after: Duration, answer: &'static str) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).is_ok_and(|read| read > 0) {
                    thread::sleep(after);
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

fn task(address: SocketAddr, rate: f64) -> Task {
    Task {
        targets: vec![Target {
            address,
            host: address.to_string(),
            path: "/".to_owned(),
        }],
        how: Http {
            connections: 2,
            rate: Some(rate),
            warm_s: 0.1,
            seconds: 0.3,
            timeout_s: 1.5,
            same_body: true,
            ..Http::new(Vec::new())
        },
    }
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab";

/// At 250 times what the server can do the timer rang for each planned request, and without a pause
/// when all was planned; what it sent was that of the time to warm up, and no answer counted.
#[test]
fn far_above_its_capacity_a_server_answers_what_it_can_and_the_generator_waits() {
    let began = now_ns();
    let report = run(&task(server(Duration::from_millis(5), OK), 100_000.0)).unwrap();
    let glances = (now_ns() - began) / (u64::from(GLANCE_MS) * 1_000_000);
    assert!(report.answered > 0, "{report:?}");
    assert_eq!((report.errors, report.refused), (0, 0), "{report:?}");
    let all = report.answered + report.timeouts + report.unsent;
    assert_eq!(all, 30_000);
    assert_eq!(report.latencies.count(), 30_000);
    // One turn for each answer, also those that do not count; the glances; and a few at the edges. At
    // 5 ms each and on two connections there are no more than 40 answers in 0.1 s.
    let most = report.answered + 40 + glances + 30;
    assert!(report.turns <= most, "{} turns, {most}", report.turns);
}

#[test]
fn below_its_capacity_all_is_sent_and_answered() {
    let report = run(&task(server(Duration::ZERO, OK), 50.0)).unwrap();
    assert_eq!(report.errors + report.unsent, 0, "{report:?}");
    assert_eq!(report.answered + report.timeouts, 15, "{report:?}");
}

/// A server that sees to one connection after the other waited for requests on connections that were open
/// and asked nothing, until the time of all others was over.
#[test]
fn a_server_that_sees_to_one_connection_at_a_time_is_not_held_up() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            if stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {
                let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab";
                let _it_may_be_gone = stream.write_all(answer.as_bytes());
            }
        }
    });
    let mut task = task(address, 50.0);
    (task.how.connections, task.how.timeout_s) = (16, 60.0);
    let report = run(&task).unwrap();
    assert_eq!((report.answered, report.refused), (15, 0), "{report:?}");
}

/// A connection that nobody accepts hides nothing and holds up nobody.
#[test]
fn a_port_that_refuses_is_named_where_no_request_could_be_sent() {
    // Bound, so that no other program gets the port, and not listening.
    let held = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    held.bind(&any.into()).unwrap();
    let address = held.local_addr().unwrap().as_socket().unwrap();
    let mut task = task(address, 1.0);
    task.how.rate = None;
    let report = run(&task).unwrap();
    assert!(report.refused > 0 && report.answered == 0, "{report:?}");
    assert!(report.first_wrong().contains("refused"), "{report:?}");
    assert_eq!(report.errors, 0);
}

/// Ten thousand at once were all refused: their time was over before the first was looked at.
#[test]
fn many_connections_are_opened_a_part_at_a_time() {
    let mut task = task(server(Duration::ZERO, OK), 1.0);
    (task.how.rate, task.how.connections) = (None, 600);
    let mut engine = Engine::new(&task).unwrap();
    engine.open(now_ns());
    assert_eq!(
        (engine.opening(), engine.broken.len()),
        (OPENING, 600 - OPENING)
    );
}
