use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;

use super::*;

fn ask(address: SocketAddr, times: usize) -> Vec<String> {
    let mut stream = TcpStream::connect(address).unwrap();
    // A server that lost a request fails the test, and does not hang it.
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).unwrap();
    let mut answers = Vec::new();
    for _ in 0..times {
        // In two parts: a request need not come whole.
        stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        stream.write_all(b"Host: here\r\n\r\n").unwrap();
        let mut bytes = [0; 1_024];
        let read = stream.read(&mut bytes).unwrap();
        answers.push(String::from_utf8_lossy(&bytes[..read]).into_owned());
    }
    answers
}

type Form = fn(&TcpListener, Task) -> io::Result<std::convert::Infallible>;

/// Forms that fork need a process of one thread, which a test is not.
fn of_threads() -> Vec<(&'static str, Form)> {
    vec![
        ("thread", blocking::thread_each),
        ("pool", |listener, task| blocking::pool(listener, 2, task)),
        ("prefork", |listener, task| {
            blocking::prefork(listener, "1x3".parse().unwrap(), task)
        }),
        ("fiber", fibers::fibers),
        ("loop", events::event_loop),
        ("loops", |listener, task| {
            events::event_loops(listener, "2".parse().unwrap(), task)
        }),
        ("uring", uring::uring),
    ]
}

/// What a form answers to clients that each ask some times; `None` where it is not available here.
fn answered(name: &str, form: Form, task: Task, clients: &[usize]) -> Option<Vec<String>> {
    let listener = listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let (ended, has_ended) = mpsc::channel();
    std::thread::spawn(move || ended.send(form(&listener, task).unwrap_err()));
    let client = |&times: &usize| std::thread::spawn(move || ask(address, times));
    let clients: Vec<_> = clients.iter().map(client).collect();
    let answers = clients.into_iter().map(std::thread::JoinHandle::join);
    let answers: Result<Vec<Vec<String>>, _> = answers.collect();
    if let Ok(error) = has_ended.try_recv() {
        skipped::skipped(format!("{name}: {error}"));
        return None;
    }
    Some(answers.unwrap().concat())
}

#[test]
fn every_form_gives_the_same_answers_to_several_clients() {
    let task = |wait| Task {
        steps: 1_000,
        wait: Duration::from_micros(wait),
    };
    let expected = String::from_utf8(task(0).compute()).unwrap();
    for (name, form) in of_threads() {
        for wait in [0, 300] {
            let answers = answered(name, form, task(wait), &[2, 3]);
            for answer in answers.into_iter().flatten() {
                assert_eq!(answer, expected, "{name}, waits {wait} us");
            }
        }
    }
}

/// Fibers that were to sleep were awake still, and answered at once or, with nothing to come, never.
#[test]
fn every_form_waits_as_long_as_it_is_told() {
    let wait = Duration::from_millis(20);
    let task = Task { steps: 1, wait };
    for (name, form) in of_threads() {
        let begun = std::time::Instant::now();
        if let Some(answers) = answered(name, form, task, &[1]) {
            assert_eq!(answers.len(), 1, "{name}");
            assert!(begun.elapsed() >= wait, "{name}");
        }
    }
}

#[test]
fn arguments_that_mean_nothing_are_refused_with_the_ones_that_do() {
    let error = |words: &str| {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        serve(&words).unwrap_err().to_string()
    };
    assert!(error("loop 0 1").contains("FORM PORT FLOWS STEPS WAIT_US"));
    assert!(error("oop 0 1 1 1").contains("'oop' is no form"));
    assert!(error("loop 0 2xx 1 1").contains("'2xx'"));
    assert!(error("loop 99999 1 1 1").contains("FORM PORT"));
}
