//! Which version of a program runs, and whether it can do what is needed; each command is asked once in a process.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

type Said = (bool, String);

fn said(command: &str) -> Result<Said, String> {
    static KNOWN: Mutex<BTreeMap<String, Result<Said, String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let first = || run(command).map_err(|error| format!("{command}: {error}"));
    let known = known.entry(command.to_owned());
    known.or_insert_with(first).clone()
}

fn run(command: &str) -> std::io::Result<Said> {
    let mut shell = Command::new("/bin/sh");
    let ran = shell.args(["-c", command]).stdin(Stdio::null()).output()?;
    let text = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok((ran.status.success(), text.concat()))
}

/// The first number with a point in what a command writes, such as `3.13.0` of `Python 3.13.0`; fails, in words, if it
/// cannot be run, or names no version.
pub fn version(command: &str) -> Result<String, String> {
    let (_, text) = said(command)?;
    number(&text).ok_or_else(|| format!("{command} names no version"))
}

pub(crate) fn succeeds(command: &str) -> bool {
    said(command).is_ok_and(|(is_well, _)| is_well)
}

fn number(text: &str) -> Option<String> {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || ".+-_".contains(c);
    let words = text.split(|c: char| !is_of_word(c));
    let is_version =
        |word: &str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let words = words.map(|word| word.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    let mut versions = words.filter(|word| is_version(word));
    versions
        .next()
        .map(|word| word.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_first_number_with_a_point() {
        for (text, expected) in [
            ("Python 3.13.0\n", Some("3.13.0")),
            ("go version go1.26.0 linux/amd64", Some("1.26.0")),
            ("openjdk version \"17.0.13\" 2024-10-15", Some("17.0.13")),
            ("v20.11.1", Some("20.11.1")),
            ("Server version: Apache/2.4.62 (Debian)", Some("2.4.62")),
            ("no version here 12", None),
        ] {
            assert_eq!(number(text).as_deref(), expected, "{text}");
        }
        assert_eq!(version("echo tool 1.2.3 >&2").unwrap(), "1.2.3");
        assert!(succeeds("true x") && !succeeds("false x") && !succeeds("no-such-program x"));
        assert!(version("true").unwrap_err().contains("names no version"));
    }
}
