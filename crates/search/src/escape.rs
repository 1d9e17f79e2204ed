//! Names and lines from outside, made harmless for a terminal: a file name can clear the screen,
//! write to the clipboard or forge a line of results; characters that turn the writing direction or
//! cannot be seen mislead. Each becomes a visible escape: `\\u{1b}`, and a byte that is no UTF-8
//! `\\xff`. Names are escaped on a terminal by default and lines are not, as in grep and ripgrep.

use names::hides;

/// What of the results is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Escape {
    /// Nothing: for programs that read the results.
    #[default]
    Nothing,
    /// Paths.
    Names,
    /// Paths and lines.
    All,
}

/// A line keeps its tabs and final line feed.
pub(crate) fn push(to: &mut Vec<u8>, text: &[u8], is_line: bool) {
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\t' | '\n' if is_line => to.push(c as u8),
                c if hides(c) => to.extend(c.escape_unicode().map(|c| c as u8)),
                c => to.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            to.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &[u8], is_line: bool) -> String {
        let mut to = Vec::new();
        push(&mut to, text, is_line);
        String::from_utf8(to).unwrap()
    }

    #[test]
    fn what_acts_on_a_terminal_is_seen_and_does_nothing() {
        assert_eq!(escaped("plain é 漢".as_bytes(), false), "plain é 漢");
        assert_eq!(
            escaped(b"a\x1b]52;c;eA==\x07b", false),
            r"a\u{1b}]52;c;eA==\u{7}b"
        );
        assert_eq!(escaped(b"x:1:\nforged:2:", false), r"x:1:\u{a}forged:2:");
        assert_eq!(escaped("a\u{202e}b".as_bytes(), true), r"a\u{202e}b");
        assert_eq!(escaped(b"a\x9bb\xff", true), r"a\x9bb\xff");
        assert_eq!(escaped(b"\tif x\r\n", true), "\tif x\\u{d}\n");
    }
}
