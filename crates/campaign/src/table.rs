use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use serde_json::json;

#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    /// What fell, in words, and what was not tried.
    said: Vec<String>,
}

#[derive(Debug, Default)]
struct Row {
    name: String,
    tried: u64,
    fell: u64,
    /// How many may fall, where the method allows some.
    allowed: u64,
}

/// What chance allows where each of `tried` falls with probability `share`: the level, and deviations of a count.
pub(crate) fn by_chance(share: f64, deviations: f64, tried: u64) -> f64 {
    let tried = tried as f64;
    share * tried + deviations * (share * (1.0 - share) * tried).sqrt()
}

const MOST_SAID: usize = 40;

impl Table {
    pub(crate) fn tried(&mut self, name: &str, fell: Option<String>) {
        let place = self.rows.iter().position(|row| row.name == name);
        let place = place.unwrap_or_else(|| {
            self.rows.push(Row {
                name: name.to_owned(),
                ..Row::default()
            });
            self.rows.len() - 1
        });
        let row = &mut self.rows[place];
        row.tried += 1;
        if let Some(what) = fell {
            row.fell += 1;
            if self.said.len() < MOST_SAID {
                self.said.push(format!("{name}: {what}"));
            }
        }
    }

    pub(crate) fn allow(&mut self, name: &str, allowed: impl Fn(u64) -> u64) {
        for row in self.rows.iter_mut().filter(|row| row.name == name) {
            row.allowed = allowed(row.tried);
        }
    }

    pub(crate) fn skipped(&mut self, name: &str, why: &str) {
        self.said.push(format!("skipped: {name}: {why}"));
    }

    pub(crate) fn fell(&self) -> u64 {
        let rows = self.rows.iter();
        rows.map(|row| row.fell.saturating_sub(row.allowed)).sum()
    }

    pub(crate) fn add_to(&self, file: &Path, what: &str, seed: u64, minutes: f64) -> Result<()> {
        let rows: Vec<_> = self
            .rows
            .iter()
            .map(|row| {
                json!({"tried": row.name, "times": row.tried, "fell": row.fell,
                       "allowed": row.allowed})
            })
            .collect();
        let build = if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        };
        let line = json!({"campaign": what.to_lowercase(), "seed": seed, "minutes": minutes,
                          "build": build, "rows": rows, "said": self.said});
        let mut file = File::options().append(true).create(true).open(file)?;
        writeln!(file, "{line}")?;
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name_width = self.rows.iter().map(|row| row.name.len()).max();
        let width = name_width.unwrap_or(0).max(5);
        writeln!(
            f,
            "{:width$} {:>9} {:>6} {:>8}",
            "tried", "times", "fell", "allowed"
        )?;
        let all = self
            .rows
            .iter()
            .fold((0, 0), |all, row| (all.0 + row.tried, all.1 + row.fell));
        for row in &self.rows {
            let (tried, fell) = (row.tried, row.fell);
            let (name, allowed) = (&row.name, row.allowed);
            writeln!(f, "{name:width$} {tried:>9} {fell:>6} {allowed:>8}")?;
        }
        writeln!(f, "{:width$} {:>9} {:>6}", "all", all.0, all.1)?;
        self.said.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_falls_beyond_the_plan_is_counted() {
        let mut table = Table::default();
        for number in 0..100 {
            table.tried("a/a", (number < 4).then(|| "false".to_owned()));
        }
        assert_eq!(table.fell(), 4);
        table.allow("a/a", |tried| tried / 20);
        assert_eq!(table.fell(), 0);
        table.skipped("seccomp", "not here");
        assert!(table.to_string().contains("skipped: seccomp: not here"));
    }
}
