//! Names that tell which run a leftover belongs to.

use nix::errno::Errno;
use nix::unistd::Pid;

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The named pipe of a slot.
    Fifo,
    /// The folder for the files of a slot.
    Folder,
}

const PREFIX: &str = "flowgauge-";
const SUFFIXES: [(Kind, &str); 2] = [(Kind::Fifo, ".fifo"), (Kind::Folder, ".files")];

/// The name for the n-th slot of the run of process `pid`.
pub(crate) fn of(kind: Kind, pid: u32, slot: u64) -> String {
    let suffix = match kind {
        Kind::Fifo => SUFFIXES[0].1,
        Kind::Folder => SUFFIXES[1].1,
    };
    format!("{PREFIX}{pid}-{slot}{suffix}")
}

/// What the name is of, if it belongs to a run that is no more.
pub(crate) fn orphan(name: &str) -> Option<Kind> {
    let (kind, pid) = parse(name)?;
    (!is_alive(pid)).then_some(kind)
}

fn parse(name: &str) -> Option<(Kind, i32)> {
    let rest = name.strip_prefix(PREFIX)?;
    let (kind, middle) = SUFFIXES
        .iter()
        .find_map(|(kind, suffix)| Some((*kind, rest.strip_suffix(suffix)?)))?;
    let pid: i32 = middle.split_once('-')?.0.parse().ok()?;
    (pid > 0).then_some((kind, pid))
}

/// Whether there is a process of that number, of this user or another.
#[must_use]
pub fn is_alive(pid: i32) -> bool {
    nix::sys::signal::kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_run() {
        for kind in [Kind::Fifo, Kind::Folder] {
            assert_eq!(parse(&of(kind, 42, 7)), Some((kind, 42)));
        }
        for other in [
            "flowgauge-1.files",
            "flowgauge--1-2.files",
            "x-1-2.fifo",
            "",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
