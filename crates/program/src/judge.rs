//! Whether a launch succeeded; if not, why, with its last lines.

use std::fs;
use std::io;
use std::path::Path;

use flow::Failure;
use nix::sys::signal::Signal;
use regex::bytes::Regex;
use sha2::{Digest, Sha256};

use crate::oom;
use crate::pipe::{MOST, Pipe, first_word};
use crate::program::{CheckOutput, Program};
use crate::report::{Report, Said};
use crate::supervisor::Running;

const LINES: usize = 5;

pub(crate) fn status(running: &Running) -> Result<i32, String> {
    let Some(end) = running.ended else {
        return Err("it has not ended".to_owned());
    };
    if libc::WIFSIGNALED(end.status) {
        let number = libc::WTERMSIG(end.status);
        let name = Signal::try_from(number).map_or("a signal", Signal::as_str);
        let memory = match number {
            libc::SIGKILL => oom::words(),
            _ => "",
        };
        return Err(format!("ended by {name}{memory}"));
    }
    Ok(libc::WEXITSTATUS(end.status))
}

pub(crate) fn how(running: &Running) -> String {
    let how = status(running).map_or_else(|signal| signal, |code| format!("exit code {code}"));
    how + &after(&said(std::slice::from_ref(running)))
}

pub(crate) fn reported(program: &Program, running: &[Running]) -> io::Result<Option<Report>> {
    if !program.reports {
        return Ok(None);
    }
    let all = running.iter().filter_map(|one| one.out.as_ref());
    let mut said = all.filter_map(|out| Said::of(&out.kept));
    match said.next() {
        Some(Said::Report(report)) => Ok(Some(report)),
        Some(Said::Refused(why)) => Err(io::Error::other(why)),
        None => Ok(None),
    }
}

pub(crate) fn no_report(running: &[Running]) -> io::Error {
    io::Error::other(format!("it reported nothing{}", after(&said(running))))
}

pub(crate) fn all_well(program: &Program, lines: &[&str], running: &[Running]) -> io::Result<i32> {
    let mut code = 0;
    for (one, line) in running.iter().zip(lines) {
        match status(one) {
            Ok(0) => {}
            Ok(other) if program.ignores(other) => code = other,
            _ => return Err(io::Error::other(how(one) + &hint(one, line))),
        }
    }
    for one in running {
        output_is_right(program, one.out.as_ref())?;
    }
    Ok(code)
}

fn hint(one: &Running, line: &str) -> String {
    match status(one) {
        Ok(127) => format!("; the shell found no such program in: {line}"),
        Ok(126) => format!("; the shell may not execute it: {line}"),
        _ => String::new(),
    }
}

fn output_is_right(program: &Program, out: Option<&Pipe>) -> io::Result<()> {
    let (Some(expected), Some(out)) = (&program.check_output, out) else {
        return Ok(());
    };
    match expected {
        CheckOutput::File(file) => is_file(file, out),
        CheckOutput::Regex(regex) => matches(regex, out),
    }
}

fn is_file(file: &Path, out: &Pipe) -> io::Result<()> {
    let text =
        fs::read(file).map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
    let hash = first_word(&Sha256::digest(&text));
    if out.hash() == Some(hash) && out.bytes == text.len() as u64 {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "its output is not what {} holds: {} bytes instead of {}{}",
        file.display(),
        out.bytes,
        text.len(),
        after(&last_lines(&out.tail()))
    )))
}

fn matches(regex: &str, out: &Pipe) -> io::Result<()> {
    let compiled = Regex::new(regex).map_err(io::Error::other)?;
    if compiled.is_match(&out.kept) {
        return Ok(());
    }
    let seen = match out.bytes > MOST as u64 {
        true => " in its last 64 MiB",
        false => "",
    };
    Err(io::Error::other(format!(
        "its output has nothing{seen} that matches '{regex}'{}",
        after(&last_lines(&out.tail()))
    )))
}

pub(crate) fn left_behind(left: &[String]) -> io::Error {
    let first = left.first().map_or("", String::as_str);
    let others = match left.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    io::Error::other(format!(
        "it left a process behind, which was ended: {first}{others}; let the command wait for it, \
         or allow it with --leaves-processes"
    ))
}

pub(crate) fn said(running: &[Running]) -> String {
    let each = running.iter().map(|one| {
        let err = one.err.tail();
        match (err.is_empty(), &one.out) {
            (true, Some(out)) => out.tail(),
            _ => err,
        }
    });
    let mut each = each.filter(|text| !text.is_empty());
    last_lines(&each.next().unwrap_or_default())
}

fn last_lines(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<&str> = lines.collect();
    lines[lines.len().saturating_sub(LINES)..].join(" / ")
}

pub(crate) fn after(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!("; it said: {said}"),
    }
}

pub(crate) fn hash_of_all(running: &[Running]) -> u64 {
    let hashes = running.iter().filter_map(|one| one.out.as_ref()?.hash());
    hashes.fold(0, |sum: u64, hash| sum.rotate_left(1) ^ hash)
}

/// The failure of a launch with another output than the others.
#[must_use]
pub fn differs() -> Failure {
    Failure::Error {
        what: "its output is not that of the first launch: the same work must write the same \
               (--same-output, --check-output SAME)"
            .to_owned(),
    }
}
