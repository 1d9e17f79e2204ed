//! `--simulate MACHINE`, and `simulate = "MACHINE"` in a study file: which machine, and how.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::string::FromUtf8Error;

use simulate::{Machine, show_bytes};

use super::host;
use crate::data::{Preset, Simulation};

/// Accesses of one hardware thread.
const TURN: u64 = 100;
/// Accesses of a time slice: some tenths of a millisecond.
const TIMESLICE: u64 = 256 << 10;
/// Recorded accesses of a flow: quick, full.
const WINDOW: [u64; 2] = [2 << 20, 16 << 20];
/// The name of this machine.
pub const HOST: &str = "host";

/// The machines that have names: `epyc-zen5, ..., host`.
#[must_use]
pub fn choices() -> String {
    let names = simulate::names().chain([HOST]);
    names.collect::<Vec<_>>().join(", ")
}

/// What is typed: a machine, and what differs from the usual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedSimulation {
    /// A name or a file.
    pub machine: String,
    /// Bytes of a page; that of the machine where none is given.
    pub pages: Option<u64>,
    /// Accesses of a turn.
    pub turn: Option<u64>,
    /// Accesses of a time slice.
    pub timeslice: Option<u64>,
    /// Accesses that are recorded of a flow at the most.
    pub window: Option<u64>,
    /// A folder that gets the traces.
    pub keep: Option<PathBuf>,
}

impl FromStr for AskedSimulation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let mut asked = Self {
            machine: parts.next().unwrap_or_default().to_owned(),
            ..Self::default()
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
                Some(("timeslice", value)) => asked.timeslice = Some(number(value)?),
                Some(("window", value)) => asked.window = Some(number(value)?),
                Some(("keep", value)) if !value.is_empty() => asked.keep = Some(value.into()),
                _ => {
                    return Err(format!(
                        "'{part}': use pages=SIZE, turn=ACCESSES, timeslice=ACCESSES, \
                         window=ACCESSES or keep=DIR"
                    ));
                }
            }
        }
        Ok(asked)
    }
}

impl AskedSimulation {
    /// The machine, and how it is simulated, if it and its pages are known; `here` is this.
    pub fn simulation(
        &self,
        preset: Preset,
        here: &machine::Machine,
    ) -> Result<Simulation, String> {
        self.of(preset, named(&self.machine, here)?)
    }

    pub(crate) fn check(&self, preset: Preset) -> Result<(), String> {
        match self.machine == HOST {
            true => Ok(()),
            false => self.of(preset, described(&self.machine)?).map(drop),
        }
    }

    fn of(&self, preset: Preset, machine: Machine) -> Result<Simulation, String> {
        let page = self.pages.unwrap_or(machine.pages[0]);
        if !machine.pages.contains(&page) {
            let sizes = machine.pages.iter().map(|page| show_bytes(*page));
            let sizes = sizes.collect::<Vec<_>>().join(", ");
            let (name, page) = (&machine.name, show_bytes(page));
            return Err(format!("{name} has no pages of {page}: use {sizes}"));
        }
        let usual = WINDOW[usize::from(preset == Preset::Full)];
        Ok(Simulation {
            page,
            turn: self.turn.unwrap_or(TURN),
            timeslice: self.timeslice.unwrap_or(TIMESLICE),
            window: self.window.unwrap_or(usual),
            keep: self.keep.clone(),
            machine,
        })
    }
}

fn named(name: &str, here: &machine::Machine) -> Result<Machine, String> {
    if name != HOST {
        return described(name);
    }
    let text = host::described(here)?;
    Machine::read(HOST, HOST, &text).map_err(|error| error.to_string())
}

fn described(name: &str) -> Result<Machine, String> {
    if let Some(machine) = simulate::builtin(name).map_err(|error| error.to_string())? {
        return Ok(machine);
    }
    let path = Path::new(name);
    let known = choices();
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(format!(
            "no machine '{name}': use {known}, or a file whose name ends in .toml"
        ));
    }
    let bytes = tidy::input::read(path).map_err(|error| {
        format!("cannot read {name}: {error}: name a file that can be read, or use {known}")
    })?;
    let text = String::from_utf8(bytes).map_err(|error| not_text(name, &error))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Machine::read(&stem, name, &text).map_err(|error| error.to_string())
}

fn not_text(name: &str, error: &FromUtf8Error) -> String {
    let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    format!("{name}, line {line}: not UTF-8 text: write it as the files of machines/ are written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Says;

    #[test]
    fn a_machine_may_have_more_behind_commas() {
        let asked: AskedSimulation = "xeon-x5570,pages=2M,turn=50".parse().unwrap();
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
            "x,keep=",
        ] {
            assert!(wrong.parse::<AskedSimulation>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_machine_that_nobody_knows_is_refused_with_those_there_are() {
        for wrong in ["pentium", "no-such-file.toml"] {
            let said = described(wrong).unwrap_err();
            said.says(wrong);
            simulate::names().for_each(|name| said.says(name));
        }
    }

    #[test]
    fn a_machine_that_is_no_text_is_refused_with_the_line() {
        let error = String::from_utf8(b"about = 'x'\ncores = \xff".to_vec()).unwrap_err();
        not_text("mine.toml", &error).begins("mine.toml, line 2: not UTF-8");
    }
}
