//! Trials that are counted by their outcome, and can go on another day.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};

use crate::Campaign;
use crate::table::Table;

pub(crate) struct Trials {
    campaign: &'static str,
    outcomes: &'static [&'static str],
    file: Option<PathBuf>,
    row: String,
    counts: BTreeMap<String, Vec<u64>>,
}

impl Trials {
    fn resumed(
        name: &'static str,
        outcomes: &'static [&'static str],
        campaign: &Campaign,
    ) -> Result<Self> {
        let file = campaign.trials.clone();
        let text = match &file {
            Some(file) if file.exists() => fs::read_to_string(file)?,
            _ => String::new(),
        };
        let mut trials = Self {
            campaign: name,
            outcomes,
            file,
            row: campaign.row.clone(),
            counts: BTreeMap::new(),
        };
        for line in text.lines() {
            // The last one may have been cut.
            let trial: Value = serde_json::from_str(line).unwrap_or_default();
            if let (Some(row), Some(outcome), true) = (
                trial["row"].as_str(),
                trial["outcome"].as_str(),
                trial["campaign"] == name,
            ) {
                trials.count(row, outcome);
            }
        }
        Ok(trials)
    }

    /// Those of before, and more of the rows with the fewest while there is time.
    pub(crate) fn run<T>(
        (name, outcomes): (&'static str, &'static [&'static str]),
        campaign: &mut Campaign,
        rows: &[T],
        name_of: impl Fn(&T) -> &str,
        attempt: impl Fn(&mut Campaign, &T) -> Result<(&'static str, String)>,
    ) -> Result<Self> {
        let mut trials = Self::resumed(name, outcomes, campaign)?;
        while campaign.goes_on()
            && let Some(row) = trials.next(rows, &name_of, campaign.runs)
        {
            let (outcome, said) = attempt(campaign, row)?;
            trials.add(name_of(row), outcome, &said)?;
        }
        Ok(trials)
    }

    fn count(&mut self, row: &str, outcome: &str) {
        let none = vec![0; self.outcomes.len()];
        let counts = self.counts.entry(row.to_owned()).or_insert(none);
        let place = self.outcomes.iter().position(|one| *one == outcome);
        if let Some(place) = place {
            counts[place] += 1;
        }
    }

    /// Of those that are asked for, the row with the fewest trials, while it has fewer than `runs`.
    fn next<'a, T>(&self, rows: &'a [T], name: impl Fn(&T) -> &str, runs: u64) -> Option<&'a T> {
        let asked = rows.iter().filter(|row| name(row).contains(&self.row));
        let next = asked.min_by_key(|row| self.tried(name(row)));
        next.filter(|row| self.tried(name(row)) < runs)
    }

    fn tried(&self, row: &str) -> u64 {
        self.counts.get(row).map_or(0, |counts| counts.iter().sum())
    }

    /// How often a row had that outcome; of all rows if none is named.
    fn of(&self, row: Option<&str>, outcome: &str) -> u64 {
        let place = self.outcomes.iter().position(|one| *one == outcome);
        let rows = self.counts.iter();
        let rows = rows.filter(|(name, _)| row.is_none_or(|row| row == *name));
        rows.filter_map(|(_, counts)| Some(counts[place?])).sum()
    }

    pub(crate) fn tell(
        &self,
        table: &mut Table,
        name: &str,
        (row, outcome): (Option<&str>, &str),
        allowed: impl Fn(u64) -> u64,
    ) {
        let all = || self.counts.values().flatten().sum();
        let tried = row.map_or_else(all, |row| self.tried(row));
        let fell = self.of(row, outcome);
        (0..tried).for_each(|trial| table.tried(name, (trial < fell).then(String::new)));
        table.allow(name, allowed);
    }

    fn add(&mut self, row: &str, outcome: &str, said: &str) -> Result<()> {
        self.count(row, outcome);
        if let Some(file) = &self.file {
            let trial =
                json!({"campaign": self.campaign, "row": row, "outcome": outcome, "said": said});
            let mut file = File::options().append(true).create(true).open(file)?;
            writeln!(file, "{trial}")?;
        }
        Ok(())
    }

    pub(crate) fn in_words(&self) -> String {
        let width = self
            .counts
            .keys()
            .map(String::len)
            .max()
            .unwrap_or(0)
            .max(5);
        let mut text = format!("{:width$}", "row");
        let columns = |text: &mut String, cells: Vec<String>| {
            for (cell, name) in cells.iter().zip(self.outcomes) {
                let _never = write!(text, " {cell:>0$}", name.len().max(7));
            }
            text.push('\n');
        };
        columns(
            &mut text,
            self.outcomes.iter().map(|&one| one.to_owned()).collect(),
        );
        for (row, counts) in &self.counts {
            let _never = write!(text, "{row:width$}");
            columns(&mut text, counts.iter().map(u64::to_string).collect());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn trials_of_another_day_count_and_a_cut_line_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("trials");
        let outcomes = &["right", "wrong"];
        let campaign = Campaign {
            until: std::time::Instant::now(),
            random: ChaCha8Rng::seed_from_u64(1),
            runs: 3,
            trials: Some(file.clone()),
            row: "fau".to_owned(),
        };
        let begin = |name| Trials::resumed(name, outcomes, &campaign).expect("it reads");
        let mut trials = begin("causes");
        trials.add("faults", "right", "x").expect("it writes");
        trials.add("faults", "wrong", "y").expect("it writes");
        let mut text = fs::read_to_string(&file).expect("it is there");
        text.push_str("{\"campaign\": \"causes\", \"row\": \"fau");
        fs::write(&file, text).expect("it writes");
        let again = begin("causes");
        assert_eq!((again.tried("faults"), again.of(None, "wrong")), (2, 1));
        assert_eq!(begin("layout").tried("faults"), 0);
        let next = |runs| again.next(&["kernel", "faults"], |row| row, runs).copied();
        assert_eq!((next(2), next(3)), (None, Some("faults")));
        assert!(
            again.in_words().contains("faults       1       1"),
            "{}",
            again.in_words()
        );
    }
}
