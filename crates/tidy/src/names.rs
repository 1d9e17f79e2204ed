//! Names with a random part, which nobody else gives to a file.

use std::io;

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The named pipe of a slot.
    Fifo,
    /// The folder for the files of a slot, or of a run.
    Folder,
    /// The control group of a slot.
    Group,
    /// A file that is being written and takes the place of another one when it is whole.
    Part,
}

const RANDOM: usize = 16;

impl Kind {
    const ALL: [Self; 4] = [Self::Fifo, Self::Folder, Self::Group, Self::Part];

    fn ends(self) -> (&'static str, &'static str) {
        match self {
            Self::Fifo => ("flowgauge-", ".fifo"),
            Self::Folder => ("flowgauge-", ".files"),
            Self::Group => ("flowgauge-", ".group"),
            Self::Part => (".flowgauge-", ".part"),
        }
    }

    /// The kind of an exact name of ours, else `None`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        Self::ALL.into_iter().find(|kind| {
            let (prefix, suffix) = kind.ends();
            let rest = name.strip_prefix(prefix);
            let random = rest.and_then(|rest| rest.strip_suffix(suffix));
            random.is_some_and(|random| random.len() == 2 * RANDOM && random.bytes().all(is_digit))
        })
    }
}

/// A new name; an error where the system has no random numbers.
pub fn new(kind: Kind) -> io::Result<String> {
    let mut random = [0; RANDOM];
    getrandom::fill(&mut random)
        .map_err(|why| format!("no random numbers from /dev/random or the kernel: {why}"))
        .map_err(io::Error::other)?;
    let (prefix, suffix) = kind.ends();
    let digits = format!("{:032x}", u128::from_ne_bytes(random));
    Ok(format!("{prefix}{digits}{suffix}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_of_ours_exactly_or_not_at_all() {
        for kind in Kind::ALL {
            let name = new(kind).unwrap();
            assert_eq!(Kind::of(&name), Some(kind));
            assert_ne!(name, new(kind).unwrap());
            for other in [
                format!("{name}~"),
                format!("x{name}"),
                name.to_uppercase(),
                name[1..].to_owned(),
                name.replacen("flowgauge-", "flowgauge-0", 1),
            ] {
                assert_eq!(Kind::of(&other), None, "{other}");
            }
        }
        for other in [
            "flowgauge-1.files",
            "flowgauge-42-7.files",
            "flowgauge-42-7.fifo",
            ".slots.csv.4194999.part",
            "notes.part",
            "",
        ] {
            assert_eq!(Kind::of(other), None, "{other}");
        }
    }
}
