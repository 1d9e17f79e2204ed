//! Each option of each command with each of many values, as its own help lists them. What makes no
//! sense must be refused before anything runs. Most cells get a file as the folder for results,
//! refused after all else was taken: it takes milliseconds.

use std::fs::File;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::Campaign;
use crate::home::{Home, end_of, program};
use crate::table::Table;

const STARVED: Duration = Duration::from_secs(60);
/// The others are refused before their work.
const RUN_EACH: usize = 40;
/// Larger numbers are not run for real: a machine may hold what they ask for, and others need it.
const SMALL: f64 = 1e4;

/// What makes no sense where a number, a time, a share or bytes are asked for.
const NO_NUMBERS: [&str; 15] = [
    "",
    " ",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1Q",
    ",",
    "a,a",
    "@",
    "x",
    "=",
    "--",
    "\u{202e}x",
    "0x10",
];
/// What is good for some options and not for others.
const VALUES: [&str; 24] = [
    "0",
    "-0",
    "1",
    "+1",
    "1.5",
    "1e3",
    "1e-9",
    "1e308",
    "4294967295",
    "9999999999",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999s",
    "1ns",
    "1s",
    "10%",
    "1K",
    "2^63",
    "1,2",
    "../..",
    "/",
    "/dev/null",
    "-",
    "1..1e18",
];

/// Names of values in a help that stand for numbers.
const NUMBERS: [&str; 7] = ["N", "K", "SIZE", "TIME", "BYTES", "SHARE", "INTERVAL"];
/// Those that stand for places, which are not to be outside of the run's own folder.
const PLACES: [&str; 3] = ["DIR", "FILE", "WHERE"];

/// Values that make no sense for one option or kind of value alone.
const OWN: [(&str, &[&str]); 5] = [
    (
        "--rounds",
        &["0", "-0", "1.5", "1e308", "18446744073709551616"],
    ),
    ("--seed", &["1.5", "1e308", "18446744073709551616"]),
    (
        "TIME",
        &["0", "-0", "1e308", "99999999999999999s", "1e-9", "1ns"],
    ),
    ("--probe-to", &["9999999999", "9223372036854775808"]),
    ("--floor", &["1e308"]),
];

const COMMANDS: [(&str, &[&str]); 21] = [
    ("run", &["primes"]),
    ("primes", &["--block=1000", "--processes=1"]),
    ("workers", &[]),
    ("switch", &[]),
    ("limits", &[]),
    ("creating", &[]),
    ("migrate", &[]),
    ("balance", &[]),
    ("sharing", &[]),
    ("scaling", &[]),
    ("allocators", &[]),
    ("wiki", &[]),
    ("hybrid", &[]),
    ("calibrate", &[]),
    ("exec", &["true", "true"]),
    ("search", &["word", "said"]),
    ("malloc", &["--", "true"]),
    ("simulate", &["xeon-x5570", "--", "true"]),
    ("report", &["done"]),
    ("compare", &["done", "done"]),
    ("man", &[]),
];

const SHORT: [(&str, &str); 4] = [
    ("--preset", "quick"),
    ("--rounds", "1"),
    ("--budget", "1s"),
    ("--deadline", "2s"),
];

struct Choice {
    command: usize,
    name: String,
    of: String,
}

pub(crate) struct Grid {
    options: Vec<Choice>,
    cells: Vec<(usize, &'static str)>,
    next: usize,
    journal: Vec<u8>,
}

impl Grid {
    pub(crate) fn new(campaign: &mut Campaign, journal: &[u8]) -> Result<Self> {
        let mut options = Vec::new();
        for (command, (name, _)) in COMMANDS.iter().enumerate() {
            let help = Command::new(program()?).args([name, "--help"]).output()?;
            let help = String::from_utf8_lossy(&help.stdout).into_owned();
            let found = help.lines().filter_map(|line| choice(command, line));
            options.extend(found);
        }
        let values = || NO_NUMBERS.into_iter().chain(VALUES);
        let mut cells: Vec<_> = (0..options.len())
            .flat_map(|option| values().map(move |value| (option, value)))
            .collect();
        campaign.shuffle(&mut cells);
        Ok(Self {
            options,
            cells,
            next: 0,
            journal: journal.to_vec(),
        })
    }

    pub(crate) fn step(&mut self, table: &mut Table) -> Result<()> {
        let (option, value) = self.cells[self.next % self.cells.len()];
        self.next += 1;
        let option = &self.options[option];
        if PLACES.contains(&option.of.as_str()) && value.starts_with(['/', '.']) {
            return Ok(());
        }
        let is_large =
            value.parse().is_ok_and(|number: f64| number.abs() > SMALL) || value.contains("..");
        let for_real = self.next.is_multiple_of(RUN_EACH) && !is_large;
        let row = match for_real {
            true => "option by value, run",
            false => "option by value",
        };
        table.tried(row, self.attempt(option, value, for_real)?);
        Ok(())
    }

    fn attempt(&self, option: &Choice, value: &str, for_real: bool) -> Result<Option<String>> {
        let home = Home::new()?;
        std::fs::create_dir(home.path("done"))?;
        home.write("done/journal.jsonl", &self.journal)?;
        let line = self.line(option, value, for_real);
        let words: Vec<&str> = line.iter().map(String::as_str).collect();
        let said = File::create(home.path("said"))?;
        let mut command = home.command(&program()?, &words);
        let mut child = command.stdout(said.try_clone()?).stderr(said).spawn()?;
        let begun = Instant::now();
        let status = end_of(&mut child, STARVED);
        let said = std::fs::read(home.path("said"))?;
        let said = String::from_utf8_lossy(&said);
        let accepted = |code| code != 2 || said.contains("said is no folder");
        let fell = match status.map(|status| status.code()) {
            None => Some(format!("it took more than {:?}", begun.elapsed())),
            Some(_) if said.contains("panicked at") => Some("it panicked".to_owned()),
            Some(_) if said.contains('\u{202e}') => Some("it turns the terminal's text".to_owned()),
            Some(Some(code)) if makes_no_sense(option, value) && accepted(code) => {
                Some("it was accepted".to_owned())
            }
            Some(Some(0..=3)) => home.left().map(|left| format!("left: {left}")),
            Some(code) => Some(format!("it ended with {code:?}")),
        };
        Ok(fell.map(|fell| format!("{fell}: {line:?}")))
    }

    fn line(&self, option: &Choice, value: &str, for_real: bool) -> Vec<String> {
        let (command, needs) = COMMANDS[option.command];
        let takes = |name: &str| {
            let own = self
                .options
                .iter()
                .filter(|one| one.command == option.command);
            name != option.name && own.into_iter().any(|one| one.name == name)
        };
        let given = match option.name.strip_prefix("--") {
            Some(_) => format!("{}={value}", option.name),
            None => format!("{}{value}", option.name),
        };
        let mut line = vec![command.to_owned(), given];
        for (name, usual) in SHORT.into_iter().filter(|(name, _)| takes(name)) {
            line.push(format!("{name}={usual}"));
        }
        if takes("--out") && takes("--rounds") {
            line.push(format!("--out={}", if for_real { "out" } else { "said" }));
        }
        let is_other = |word: &&&str| !word.starts_with(&format!("{}=", option.name));
        line.extend(needs.iter().filter(is_other).map(|word| (*word).to_owned()));
        line
    }
}

fn choice(command: usize, line: &str) -> Option<Choice> {
    let line = line.trim_start().strip_prefix('-')?;
    let (names, of) = line.split_once('<')?;
    let of = of.split_once('>')?.0.to_owned();
    let names = names.trim_end_matches(['[', '=', ' ']);
    // `-b, --block`, of which the first dash is off.
    let name = match names.rsplit_once(' ') {
        Some((_, last)) => last.to_owned(),
        None => format!("-{names}"),
    };
    Some(Choice { command, name, of })
}

fn makes_no_sense(option: &Choice, value: &str) -> bool {
    let of = option.of.as_str();
    let own = OWN
        .iter()
        .filter(|(whose, _)| [of, &option.name].contains(whose));
    NUMBERS.contains(&of) && NO_NUMBERS.contains(&value)
        || own.into_iter().any(|(_, values)| values.contains(&value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_from_a_line_of_a_help() {
        for (line, name, of) in [
            ("  -b, --block <SIZE>", "--block", "SIZE"),
            ("      --rounds <N>", "--rounds", "N"),
            ("      --watch[=<INTERVAL>]", "--watch", "INTERVAL"),
            ("  -S, --shell [<SHELL>]", "--shell", "SHELL"),
        ] {
            let found = choice(0, line).unwrap();
            assert_eq!((found.name.as_str(), found.of.as_str()), (name, of));
        }
        assert!(choice(0, "  -h, --help").is_none() && choice(0, "Usage: <X>").is_none());
    }
}
