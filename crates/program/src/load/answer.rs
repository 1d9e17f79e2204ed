//! The end of an answer: by its length, its chunks, or the end of the connection.

use std::io::{self, ErrorKind};

const FIELDS: usize = 64;
const LONGEST: usize = 64 << 10;

/// A whole answer, at the beginning of what was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Where its body begins and where the whole of it ends.
    pub body: usize,
    /// See `body`.
    pub end: usize,
    /// The server closes the connection after it.
    pub closes: bool,
}

enum Length {
    Bytes(usize),
    Chunks,
    UntilClosed,
}

/// The answer, if all of it is there; `closed`: nothing more will come. Fails if it is no HTTP/1.1.
pub fn whole(bytes: &[u8], closed: bool) -> io::Result<Option<Answer>> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut head = httparse::Response::new(&mut fields);
    let parsed = head.parse(bytes).map_err(broken)?;
    let httparse::Status::Complete(body) = parsed else {
        return match bytes.len() > LONGEST {
            true => Err(broken("its head is too long")),
            false => Ok(None),
        };
    };
    let status = head.code.unwrap_or(0);
    let closes = closes(&head);
    let end = match length(&head, status)? {
        Length::Bytes(length) => body.checked_add(length).filter(|&end| bytes.len() >= end),
        Length::Chunks => end_of_chunks(bytes, body)?,
        Length::UntilClosed => closed.then_some(bytes.len()),
    };
    Ok(end.map(|end| Answer {
        status,
        body,
        end,
        closes: closes || closed,
    }))
}

fn broken(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("no HTTP/1.1: {what}"))
}

fn values<'h>(
    head: &'h httparse::Response<'_, '_>,
    name: &'h str,
) -> impl Iterator<Item = &'h [u8]> {
    let fields = head.headers.iter();
    let fields = fields.filter(move |field| field.name.eq_ignore_ascii_case(name));
    fields.map(|field| field.value)
}

fn length(head: &httparse::Response<'_, '_>, status: u16) -> io::Result<Length> {
    let find = |name: &str| {
        let value = String::from_utf8_lossy(values(head, name).next()?);
        Some(value.trim().to_ascii_lowercase())
    };
    if matches!(status, 100..=199 | 204 | 304) {
        return Ok(Length::Bytes(0));
    }
    if find("transfer-encoding").is_some_and(|value| value.ends_with("chunked")) {
        return Ok(Length::Chunks);
    }
    match find("content-length") {
        Some(length) => length.parse().map(Length::Bytes).map_err(broken),
        None => Ok(Length::UntilClosed),
    }
}

fn closes(head: &httparse::Response<'_, '_>) -> bool {
    let says =
        |word: &[u8]| values(head, "connection").any(|value| value.eq_ignore_ascii_case(word));
    match head.version {
        Some(0) => !says(b"keep-alive"),
        _ => says(b"close"),
    }
}

fn end_of_chunks(bytes: &[u8], from: usize) -> io::Result<Option<usize>> {
    let mut at = from;
    loop {
        match httparse::parse_chunk_size(&bytes[at.min(bytes.len())..]) {
            Ok(httparse::Status::Complete((line, 0))) => {
                let end = at + line;
                let rest = &bytes[end..];
                return Ok(match rest.starts_with(b"\r\n") {
                    true => Some(end + 2),
                    false => rest
                        .windows(4)
                        .position(|four| four == b"\r\n\r\n")
                        .map(|place| end + place + 4),
                });
            }
            Ok(httparse::Status::Complete((line, size))) => {
                let size = usize::try_from(size).map_err(broken)?;
                at = at
                    .saturating_add(line)
                    .saturating_add(size)
                    .saturating_add(2);
                if at > bytes.len() {
                    return Ok(None);
                }
            }
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err(broken("a chunk has no size")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str, closed: bool) -> Option<(usize, bool)> {
        whole(text.as_bytes(), closed)
            .unwrap()
            .map(|answer| (answer.end, answer.closes))
    }

    #[test]
    fn an_answer_ends_by_its_length_its_chunks_or_its_connection() {
        let head = "HTTP/1.1 200 OK\r\n";
        let by_length = format!("{head}Content-Length: 2\r\n\r\nab");
        assert_eq!(ends(&by_length, false), Some((by_length.len(), false)));
        assert_eq!(ends(&by_length[..by_length.len() - 1], false), None);
        let chunks = format!("{head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        assert_eq!(ends(&chunks, false), Some((chunks.len(), false)));
        for cut in 20..chunks.len() {
            assert_eq!(ends(&chunks[..cut], false), None, "{cut}");
        }
        let open = format!("{head}Connection: close\r\n\r\nall");
        assert_eq!(ends(&open, false), None);
        assert_eq!(ends(&open, true), Some((open.len(), true)));
        assert!(whole(b"SSH-2.0-x\r\n\r\n", false).is_err());
    }
}
