use std::io::{Cursor, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;

use program::load::whole;

use super::http::{Request, path_of, push_answer, read_request, request};
use super::listener::{Caller, accept, listen, say_goodbye};
use super::*;
use crate::testing::{self, variant};

fn server() -> Server {
    Server {
        workers: 2,
        design: Design::Pool,
        requests: 10,
        connections: 2,
        keep_alive: 3,
        port: 0,
        load_cpu: None,
        pages: 3,
        page_size: Bytes(1 << 10),
        cache: false,
        store: None,
        seed: 1,
    }
}

fn asked(title: &str) -> String {
    format!("GET {} HTTP/1.1\r\n\r\n", path_of(title))
}

proptest! {
    #[test]
    fn a_title_comes_through_a_request(title in "\\PC{1,40}") {
        let bytes = asked(&title).into_bytes();
        let (found, length) = request(&bytes).unwrap().unwrap();
        prop_assert_eq!(length, bytes.len());
        prop_assert_eq!(found, Request { title: Some(title), is_get: true, closes: false });
        for cut in 0..bytes.len() {
            prop_assert_eq!(request(&bytes[..cut]).unwrap(), None);
        }
    }

    #[test]
    fn an_answer_is_whole_when_all_of_it_is_there(body: String, closes: bool) {
        let mut bytes = Vec::new();
        push_answer(&mut bytes, "200 OK", &body, closes);
        let found = whole(&bytes, false).unwrap().unwrap();
        prop_assert_eq!((found.status, found.closes, found.end), (200, closes, bytes.len()));
        prop_assert_eq!(&bytes[found.body..], body.as_bytes());
    }

    #[test]
    fn whatever_comes_is_read_or_refused(bytes: Vec<u8>) {
        let _either = request(&bytes);
        let _either = whole(&bytes, false);
    }
}

#[test]
fn requests_come_one_after_the_other_and_in_pieces() {
    let bytes = [asked("a"), asked("b c")].concat().into_bytes();
    let mut inbox = Vec::new();
    let mut from = Cursor::new(&bytes[..40]).chain(Cursor::new(&bytes[40..]));
    let mut titles = Vec::new();
    while let Some(found) = read_request(&mut from, &mut inbox).unwrap() {
        titles.extend(found.title);
    }
    assert_eq!(titles, ["a", "b c"]);
}

#[test]
fn a_request_with_a_body_or_without_an_end_is_refused() {
    let body = b"GET /wiki/a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
    assert!(request(body).unwrap_err().to_string().contains("no body"));
    let endless = [b"GET /wiki/a HTTP/1.1\r\nA: ".as_slice(), &[b'b'; 20_000]].concat();
    let error = request(&endless).unwrap_err().to_string();
    assert!(error.contains("without an end"), "{error}");
    let old = request(b"GET /other HTTP/1.0\r\n\r\n").unwrap().unwrap().0;
    assert_eq!((old.title, old.closes), (None, true));
}

/// A connection that was accepted, and its client.
fn called(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    match accept(listener, || true) {
        Ok(Caller::Client(stream)) => (stream, client),
        _ => panic!("a client called"),
    }
}

#[test]
fn goodbye_is_heard_by_whoever_accepts_and_clients_are_not_taken_for_one() {
    let listener = listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    called(&listener);
    say_goodbye(address).unwrap();
    assert!(matches!(accept(&listener, || true), Ok(Caller::Goodbye)));
    let alone = accept(&listener, || false).map(|_| ()).unwrap_err();
    assert!(
        alone.to_string().contains("load generator has ended"),
        "{alone}"
    );
}

#[test]
fn a_client_has_longer_to_ask_than_a_worker_waits_for_callers() {
    let (stream, _client) = called(&listen(0).unwrap());
    assert_eq!(stream.read_timeout().unwrap(), Some(listener::IDLE));
}

/// Connections of another program that ask nothing held all workers, and the slot was said to have
/// used up its time.
#[test]
fn a_connection_without_a_request_is_the_named_cause_of_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = server().wiki().prepared(Some(folder.path())).unwrap();
    let store = prepared.store().unwrap();
    for begun in ["", "GET /wiki"] {
        let (stream, mut client) = called(&listen(0).unwrap());
        client.write_all(begun.as_bytes()).unwrap();
        let short = std::time::Duration::from_millis(20);
        stream.set_read_timeout(Some(short)).unwrap();
        let error = serve::serve(&prepared, &store, stream, 5).unwrap_err();
        let error = error.to_string();
        for word in ["without a request", "another program", "--port"] {
            assert!(error.contains(word), "{word} in {error}");
        }
    }
}

#[test]
fn a_port_in_use_is_refused_with_its_number_and_a_way_out() {
    let taken = listen(0).unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = try_port(port).unwrap_err().to_string();
    for word in [&port.to_string(), "another program listens there", "or 0"] {
        assert!(error.contains(word), "{word} in {error}");
    }
    drop(taken);
    // A process that another test starts just then listens too, until it begins its program.
    assert!((0..12_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        try_port(port).is_ok()
    }));
}

#[test]
fn parameters_and_models_that_cannot_be_are_refused() {
    testing::refused(
        &server(),
        &[
            (|server| server.design = Design::PerConnection, "1 worker"),
            (|server| server.connections = 0, "0 connections"),
            (|server| server.keep_alive = 0, "keep_alive is 0"),
        ],
    );
    let each = Server {
        design: Design::PerConnection,
        ..server()
    };
    assert_eq!(server().unsuited(&variant("2x1", 2)), None);
    let why = server().unsuited(&variant("fiber", 2)).unwrap();
    assert!(why.contains("fiber"), "{why}");
    let why = each.unsuited(&variant("process", 1)).unwrap();
    assert!(why.contains("one process"), "{why}");
    assert_eq!(each.unsuited(&variant("thread", 1)), None);
}

/// Asks for a title by hand: the status line, and whether the connection was closed after it.
fn ask(address: SocketAddr, path: &str) -> (String, bool) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let line = answer.lines().next().unwrap_or("").to_owned();
    (line, answer.contains("Connection: close"))
}

/// Lets a server end where a test fails, which would wait for it otherwise.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn pages_that_are_not_there_and_words_that_are_no_request_have_their_answers() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = server().wiki().prepared(Some(folder.path())).unwrap();
    let title = prepared.pages()[0].0.replace(' ', "%20");
    let listener = listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let store = prepared.store().unwrap();
            let expected = || !is_over.load(Ordering::Relaxed);
            while let Ok(Caller::Client(stream)) = accept(&listener, expected) {
                serve::serve(&prepared, &store, stream, 5).unwrap();
            }
        });
        let over = Over(&is_over);
        let found = ask(address, &format!("/wiki/{title}"));
        assert_eq!(found, ("HTTP/1.1 200 OK".to_owned(), true));
        assert!(ask(address, "/wiki/none").0.contains("404"));
        assert!(ask(address, "/other").0.contains("404"));
        assert!(ask(address, "no request at all").0.contains("400"));
        // What comes after the words that were refused must not cost the answer.
        let long = format!("no request {}", "x".repeat(20_000));
        assert!(ask(address, &long).0.contains("400"));
        drop(over);
        say_goodbye(address).unwrap();
    });
}
