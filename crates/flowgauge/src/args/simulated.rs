//! `--simulate MACHINE`: which machine, and how.

use std::str::FromStr;

/// What is typed: a machine, and what differs from the usual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Simulated {
    /// A name or a file.
    pub(crate) machine: String,
    /// Bytes of a page; that of the machine where none is given.
    pub(crate) pages: Option<u64>,
    /// Accesses of a turn.
    pub(crate) turn: Option<u64>,
    /// Accesses that are recorded of a flow at the most.
    pub(crate) window: Option<u64>,
}

impl FromStr for Simulated {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let mut asked = Self {
            machine: parts.next().unwrap_or_default().to_owned(),
            pages: None,
            turn: None,
            window: None,
        };
        if asked.machine.is_empty() {
            return Err("name a machine, such as xeon-x5570".to_owned());
        }
        for part in parts {
            let number = |value: &str| {
                let number = simulate::read_bytes(value).filter(|number| *number > 0);
                number.ok_or_else(|| format!("'{value}' is no number such as 100, 64K, 4M"))
            };
            match part.split_once('=') {
                Some(("pages", value)) => asked.pages = Some(number(value)?),
                Some(("turn", value)) => asked.turn = Some(number(value)?),
                Some(("window", value)) => asked.window = Some(number(value)?),
                _ => {
                    return Err(format!(
                        "'{part}': use pages=SIZE, turn=ACCESSES or window=ACCESSES"
                    ));
                }
            }
        }
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_may_have_more_behind_commas() {
        let asked: Simulated = "xeon-x5570,pages=2M,turn=50".parse().unwrap();
        assert_eq!(asked.machine, "xeon-x5570");
        assert_eq!(asked.pages, Some(2 << 20));
        assert_eq!((asked.turn, asked.window), (Some(50), None));
        for wrong in [
            "",
            ",pages=2M",
            "x,pages",
            "x,pages=0",
            "x,turn=many",
            "x,lines=4",
        ] {
            assert!(wrong.parse::<Simulated>().is_err(), "{wrong}");
        }
    }
}
