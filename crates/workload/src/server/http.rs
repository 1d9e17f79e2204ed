//! The few words of HTTP/1.1 that a server of pages needs.

use std::io::{self, ErrorKind, Read};
use std::time::Instant;

use super::listener::IDLE;

const MOST_FIELDS: usize = 32;
const LONGEST_HEAD: usize = 16 << 10;
const PATH: &str = "/wiki/";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) title: Option<String>,
    pub(super) is_get: bool,
    pub(super) closes: bool,
}

fn broken(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("no HTTP/1.1: {what}"))
}

fn is(field: &httparse::Header<'_>, name: &str) -> bool {
    field.name.eq_ignore_ascii_case(name)
}

fn closes(fields: &[httparse::Header<'_>]) -> bool {
    let close = |value: &[u8]| value.eq_ignore_ascii_case(b"close");
    fields
        .iter()
        .any(|field| is(field, "connection") && close(field.value))
}

pub(super) fn request(bytes: &[u8]) -> io::Result<Option<(Request, usize)>> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    let httparse::Status::Complete(length) = parsed.parse(bytes).map_err(broken)? else {
        return match bytes.len() > LONGEST_HEAD {
            true => Err(broken("a head without an end")),
            false => Ok(None),
        };
    };
    let has_body = |field: &httparse::Header<'_>| {
        is(field, "transfer-encoding") || (is(field, "content-length") && field.value != b"0")
    };
    if parsed.headers.iter().any(has_body) {
        return Err(broken("a request for a page has no body"));
    }
    let request = Request {
        title: parsed.path.and_then(title_in),
        is_get: parsed.method == Some("GET"),
        closes: closes(parsed.headers) || parsed.version == Some(0),
    };
    Ok(Some((request, length)))
}

/// `None` when the client has closed the connection.
pub(super) fn read_request(
    from: &mut impl Read,
    inbox: &mut Vec<u8>,
) -> io::Result<Option<Request>> {
    // A request in one piece needs no clock.
    let mut begun: Option<Instant> = None;
    loop {
        if let Some((found, length)) = request(inbox)? {
            inbox.drain(..length);
            return Ok(Some(found));
        }
        if !inbox.is_empty() && begun.get_or_insert_with(Instant::now).elapsed() > IDLE {
            return Err(ErrorKind::TimedOut.into());
        }
        let mut bytes = [0; 2048];
        match from.read(&mut bytes) {
            Ok(0) => return Ok(None),
            Ok(read) => inbox.extend_from_slice(&bytes[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(super) fn push_answer(out: &mut Vec<u8>, status: &str, body: &str, closes: bool) {
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(status.as_bytes());
    out.extend_from_slice(b"\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ");
    out.extend_from_slice(itoa::Buffer::new().format(body.len()).as_bytes());
    if closes {
        out.extend_from_slice(b"\r\nConnection: close");
    }
    out.extend_from_slice(b"\r\n\r\n");
    out.extend_from_slice(body.as_bytes());
}

pub(super) fn path_of(title: &str) -> String {
    let mut path = PATH.to_owned();
    for byte in title.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                path.push(char::from(byte));
            }
            _ => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

fn title_in(path: &str) -> Option<String> {
    let mut rest = path.strip_prefix(PATH)?.bytes();
    let mut title = Vec::new();
    while let Some(byte) = rest.next() {
        title.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(title)
        .ok()
        .filter(|title| !title.is_empty())
}
