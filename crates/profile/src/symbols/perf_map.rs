//! Names of code that a program made at run time: `/tmp/perf-PID.map`, a line for each function with its
//! address, its size and its name (the kernel's `tools/perf/Documentation/jit-interface.txt`).

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// Bytes that are read of a map.
const MOST: u64 = 64 << 20;

#[derive(Debug)]
pub(super) struct PerfMap {
    functions: Vec<(u64, u64, String)>,
}

impl PerfMap {
    /// `None` if it wrote none.
    pub(super) fn of(pid: i32) -> Option<Self> {
        let file = File::open(format!("/tmp/perf-{pid}.map")).ok()?;
        file.metadata().ok().filter(|about| about.is_file())?;
        Some(Self::read(BufReader::new(file.take(MOST))))
    }

    fn read(text: impl BufRead) -> Self {
        let lines = text.lines().map_while(Result::ok);
        let mut functions: Vec<(u64, u64, String)> =
            lines.filter_map(|line| function(&line)).collect();
        functions.sort_by_key(|(from, ..)| *from);
        Self { functions }
    }

    pub(super) fn name(&self, address: u64) -> Option<&str> {
        let at = self
            .functions
            .partition_point(|(from, ..)| *from <= address);
        let (from, size, name) = self.functions.get(at.checked_sub(1)?)?;
        (address - from < *size).then_some(name)
    }
}

fn function(line: &str) -> Option<(u64, u64, String)> {
    let mut words = line.splitn(3, ' ');
    let mut hex = || {
        let word = words.next()?;
        u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()
    };
    let (from, size) = (hex()?, hex()?);
    Some((from, size, words.next()?.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_name_of_its_line() {
        let text = "3000 20 py::slow:/a b.py\n1000 10 f\nbroken\n";
        let map = PerfMap::read(text.as_bytes());
        assert_eq!(map.name(0x3010), Some("py::slow:/a b.py"));
        assert_eq!(map.name(0x100f), Some("f"));
        assert_eq!(map.name(0x1010), None);
        assert_eq!(map.name(0x10), None);
    }
}
