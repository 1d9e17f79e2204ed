use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use super::http::{Request, push_answer, read_request};
use super::listener::IDLE;
use crate::wiki::{PreparedStore, Store, StoreError};

#[derive(Debug, thiserror::Error)]
pub(super) enum ServeError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "a connection was open for {} s without a request or without its answer being read, and \
         held a worker: another program connects to this port; use another one (--port 0)",
        IDLE.as_secs()
    )]
    Idle,
}

fn is_idle(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// Answers up to `keep_alive` requests; a silent client fails the slot, whose time is false.
pub(super) fn serve(
    prepared: &PreparedStore,
    store: &Store,
    mut stream: TcpStream,
    keep_alive: u64,
) -> Result<(), ServeError> {
    // Answers go out whole: waiting for more gains nothing.
    let _slower_without = stream.set_nodelay(true);
    let (mut inbox, mut out) = (Vec::with_capacity(1024), Vec::new());
    for number in 1..=keep_alive {
        out.clear();
        let is_last = match read_request(&mut stream, &mut inbox) {
            Ok(Some(request)) => {
                let is_last = request.closes || number == keep_alive;
                answer(prepared, store, &request, is_last, &mut out)?;
                is_last
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                push_answer(&mut out, "400 Bad Request", "this is no request\n", true);
                refuse(stream, &out);
                return Ok(());
            }
            Err(error) if is_idle(&error) => return Err(ServeError::Idle),
            Ok(None) | Err(_) => return Ok(()),
        };
        match stream.write_all(&out) {
            Err(error) if is_idle(&error) => return Err(ServeError::Idle),
            Ok(()) if !is_last => {}
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// Time and bytes that a refused client may still send.
const LINGER: (Duration, u64) = (Duration::from_secs(1), 64 << 10);

/// Reads to the end: a connection closed with unread bytes is reset, and the answer lost.
fn refuse(mut stream: TcpStream, answer: &[u8]) {
    let read_on = |stream: TcpStream| {
        stream.shutdown(Shutdown::Write)?;
        stream.set_read_timeout(Some(LINGER.0))?;
        io::copy(&mut stream.take(LINGER.1), &mut io::sink())
    };
    if stream.write_all(answer).is_ok() {
        let _what_it_sends_counts_for_nothing = read_on(stream);
    }
}

fn answer(
    prepared: &PreparedStore,
    store: &Store,
    request: &Request,
    is_last: bool,
    out: &mut Vec<u8>,
) -> Result<(), StoreError> {
    if !request.is_get {
        push_answer(out, "405 Method Not Allowed", "ask with GET\n", is_last);
        return Ok(());
    }
    let title = request.title.as_deref();
    match title.map(|title| prepared.html(store, title)).transpose()? {
        Some(Some(html)) => push_answer(out, "200 OK", &html, is_last),
        _ => push_answer(out, "404 Not Found", "there is no such page\n", is_last),
    }
    Ok(())
}
