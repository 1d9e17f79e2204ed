//! Text from outside, made harmless and fitted into columns. A terminal obeys escape sequences in
//! labels, titles, paths, host names and failure texts; characters that reverse the writing
//! direction or cannot be seen mislead a reader. So every such text passes [`visible`] before it is
//! measured or shown; twice changes nothing. Widths are columns: CJK takes two.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lab::number::DOTS;
pub(crate) use names::hides;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A space at which no line is broken.
pub(crate) const TIE: char = '\u{a0}';
const INTERVAL: usize = 48;
const ELLIPSIS: char = '…';
/// Shapes that have nothing in them and close themselves.
const SHAPES: [&str; 4] = ["line", "path", "rect", "use"];

/// The text on one line, what acts or hides replaced by spaces or `\u{...}`.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text
        .chars()
        .any(|c| c.is_whitespace() && c != ' ' || hides(c))
    {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' | '\t' | '\r' => clean.push(' '),
            c if hides(c) => clean.extend(c.escape_unicode()),
            c => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

pub(crate) fn visible_markup(page: &str) -> String {
    let page = SHAPES.iter().fold(page.to_owned(), |page, shape| {
        page.replace(&format!("\"></{shape}>"), "\"/>")
    });
    let mut text = String::with_capacity(page.len());
    for c in page.chars() {
        if hides(c) && c != '\n' {
            text.extend(c.escape_unicode());
        } else {
            text.push(c);
        }
    }
    text
}

/// A JSON document with such characters as escapes of JSON; line breaks between values stay.
#[must_use]
pub fn escaped(json: &str) -> Cow<'_, str> {
    let acts = |c: char| c != '\n' && hides(c);
    match json.contains(acts) {
        true => Cow::Owned(json_escapes(json, acts)),
        false => Cow::Borrowed(json),
    }
}

pub(crate) fn json_escapes(json: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut clean = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match is_escaped(c) {
            true => (c.encode_utf16(&mut [0; 2]).iter())
                .for_each(|unit| clean.push_str(&format!("\\u{unit:04x}"))),
            false => clean.push(c),
        }
    }
    clean
}

/// Without breaks within an interval, `[1.27x … 1.35x]`, and before the sign of a percentage.
pub(crate) fn tied(text: &str) -> Cow<'_, str> {
    let intervals = text.contains(DOTS);
    if !intervals && !text.contains(" %") {
        return Cow::Borrowed(text);
    }
    let mut tied = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some((before, within, behind)) = interval(rest) {
        tied.push_str(before);
        tied.push_str(&within.replace(' ', &TIE.to_string()));
        rest = behind;
    }
    tied.push_str(rest);
    Cow::Owned(tied.replace(" %", &format!("{TIE}%")))
}

/// What a command of this program that is one word begins with.
const COMMAND: &str = "flowgauge\u{a0}";
const COMMAND_ENDS: [&str; 6] = [". ", "; ", ", ", " · ", " (", ")"];

/// In parts that end with a command after a colon, as one word: it can be copied whole.
pub(crate) fn by_commands(text: &str) -> Vec<String> {
    const BEGINS: &str = ": flowgauge ";
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(BEGINS) {
        let (before, command) = rest.split_at(at + 2);
        let ends = COMMAND_ENDS.iter().filter_map(|end| command.find(end));
        let (command, behind) = command.split_at(ends.min().unwrap_or(command.len()));
        parts.push(format!(
            "{before}{}",
            command.replace(' ', &TIE.to_string())
        ));
        rest = behind.trim_start_matches(['.', ';', ',', '·', ' ']);
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(rest.to_owned());
    }
    parts
}

pub(crate) fn has_command(line: &str) -> bool {
    line.contains(COMMAND)
}

fn interval(text: &str) -> Option<(&str, &str, &str)> {
    let dots = text.find(DOTS)?;
    let begin = text[..dots].rfind('[');
    let end = text[dots..].find(']').map(|at| dots + at + 1);
    // Two numbers and their unit: what is longer, or has no brackets, is none.
    let is_one = |(begin, end): &(usize, usize)| {
        end - begin <= INTERVAL && !text[*begin..dots].contains(']')
    };
    let behind = dots + DOTS.len();
    let (begin, end) = begin.zip(end).filter(is_one).unwrap_or((behind, behind));
    Some((&text[..begin], &text[begin..end], &text[end..]))
}

/// What has no letter of its own there becomes a question mark.
pub(crate) fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '…' => plain.push_str("..."),
            '·' | '─' => plain.push('-'),
            'µ' => plain.push('u'),
            '×' => plain.push('x'),
            '┼' | '│' => plain.push('|'),
            '●' => plain.push('o'),
            '■' | '█' => plain.push('#'),
            '▲' => plain.push('?'),
            '◆' => plain.push('='),
            '†' => plain.push('+'),
            '◄' => plain.push('<'),
            '►' => plain.push('>'),
            TIE => plain.push(TIE),
            c if c.is_ascii() => plain.push(c),
            _ => plain.push('?'),
        }
    }
    Cow::Owned(plain)
}

/// A word as a POSIX shell reads it back.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text, cut to `columns` with an ellipsis where it is longer.
#[must_use]
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut kept = prefix(text, columns - 1).trim_end().to_owned();
    kept.push(ELLIPSIS);
    Cow::Owned(kept)
}

/// For texts that differ at their ends.
pub(crate) fn cut_within(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns || columns < 2 {
        return cut(text, columns);
    }
    let begin = prefix(text, (columns - 1) / 3);
    let end = suffix(text, columns - 1 - width(begin));
    Cow::Owned(format!(
        "{}{ELLIPSIS}{}",
        begin.trim_end(),
        end.trim_start()
    ))
}

/// Whether different texts would look the same, cut at their ends to `columns`.
pub(crate) fn look_the_same<'a>(texts: impl Iterator<Item = &'a str>, columns: usize) -> bool {
    let texts: BTreeSet<&str> = texts.collect();
    let cut: BTreeSet<_> = texts.iter().map(|text| cut(text, columns)).collect();
    cut.len() < texts.len()
}

fn suffix(text: &str, columns: usize) -> &str {
    &text[text.len() - fitting(text.chars().rev(), columns)..]
}

fn prefix(text: &str, columns: usize) -> &str {
    &text[..fitting(text.chars(), columns)]
}

fn fitting(chars: impl Iterator<Item = char>, columns: usize) -> usize {
    let mut taken = 0;
    let fitting = chars.take_while(|c| {
        taken += c.width().unwrap_or(0);
        taken <= columns
    });
    fitting.map(char::len_utf8).sum()
}

/// Lines of at most `columns`, broken at spaces (not at [`TIE`]), or within a longer word that is
/// no command ([`by_commands`]).
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        place(&mut lines, word, columns.max(2));
    }
    lines
}

/// A line wider than `columns` as several, broken at spaces; all but the first are indented.
#[must_use]
pub fn broken(line: &str, columns: usize) -> String {
    match width(line) <= columns {
        true => line.to_owned(),
        false => wrap(line, columns.saturating_sub(2)).join("\n  "),
    }
}

fn place(lines: &mut Vec<String>, mut word: &str, columns: usize) {
    let last = lines.last().map_or(0, |line| width(line));
    if last > 0 && last + 1 + width(word) <= columns {
        push(lines, " ");
        return push(lines, word);
    }
    if last > 0 {
        lines.push(String::new());
    }
    while width(word) > columns && !word.starts_with(COMMAND) {
        let head = prefix(word, columns);
        push(lines, head);
        lines.push(String::new());
        word = &word[head.len()..];
    }
    push(lines, word);
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_a_terminal_would_break_within_a_word_is_broken_between_two() {
        assert_eq!(broken("  as  it was", 12), "  as  it was");
        assert_eq!(
            broken("stopped at the limit", 12),
            "stopped at\n  the limit"
        );
    }

    #[test]
    fn ascii_has_a_letter_for_each_mark() {
        assert_eq!(
            ascii("3.1 … 20.5 % · 5 µs ─●─┼"),
            "3.1 ... 20.5 % - 5 us -o-|"
        );
        assert_eq!(ascii("漢"), "?");
    }

    #[test]
    fn what_acts_or_hides_becomes_visible() {
        assert_eq!(visible("plain é 漢"), "plain é 漢");
        assert_eq!(visible("a\x1b[31mb"), r"a\u{1b}[31mb");
        assert_eq!(visible("a\nb\tc"), "a b c");
        assert_eq!(visible("x\u{202e}y\u{200b}"), r"x\u{202e}y\u{200b}");
        let once = visible("\u{7}\u{2066}").into_owned();
        assert_eq!(visible(&once), once);
    }

    #[test]
    fn what_acts_in_a_json_document_is_an_escape_and_the_same_text() {
        let whole = serde_json::json!({ "a": "x\u{202e}y\u{9b}\u{e0041}\n", "b": ["é"] });
        let shown = format!("{whole:#}");
        let safe = escaped(&shown);
        assert!(
            safe.contains(r"x\u202ey\u009b\udb40\udc41\n") && safe.contains("é"),
            "{safe}"
        );
        assert_eq!(safe.lines().count(), shown.lines().count());
        let read: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(read, whole);
    }

    #[test]
    fn an_interval_is_one_word() {
        let said = "threads 5.3 % faster [2.0 … 9.7 %], or [x] so [1.008 … 2.384] and on … on";
        let ties = said.len() + 6 * (TIE.len_utf8() - 1);
        assert_eq!(tied(said).len(), ties, "{}", tied(said));
        assert!(tied(said).contains("[1.008\u{a0}…\u{a0}2.384] and on … on"));
        assert_eq!(tied("plain ] text ["), "plain ] text [");
        assert_eq!(tied("] … ["), "] … [");
        assert_eq!(tied("1 … 5 [1 … 2]"), "1 … 5 [1\u{a0}…\u{a0}2]");
        let lines = wrap(&tied("it is [1.008 … 2.384], about 287 %"), 20);
        assert_eq!(lines.len(), 3, "{lines:?}");
    }

    /// Commands to be copied had a line break in them.
    #[test]
    fn a_command_stands_on_one_line_however_long_it_is() {
        let said =
            "2 rows are undecided. More rounds: flowgauge run --resume DIR --budget 5m. And on";
        let parts = by_commands(said);
        let command = "flowgauge run --resume DIR --budget 5m".replace(' ', &TIE.to_string());
        let lines = wrap(&parts[0], 36);
        assert_eq!(lines[1..], [command.as_str()], "{lines:?}");
        assert!(has_command(&lines[1]) && !has_command(&lines[0]));
        assert_eq!(parts[1..], ["And on"]);
        assert_eq!(
            by_commands("flowgauge runs: it does"),
            ["flowgauge runs: it does"]
        );
        assert_eq!(by_commands(""), [""]);
    }

    #[test]
    fn cutting_counts_columns_and_not_bytes() {
        assert_eq!(cut("thread", 6), "thread");
        assert_eq!(cut("threads", 6), "threa…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("ab", 0), "");
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_where_the_line_ends() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
