use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result};
use lab::{Finding, Results};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::home::{Home, program};

pub(crate) struct Campaign {
    pub(crate) until: Instant,
    pub(crate) random: ChaCha8Rng,
    pub(crate) runs: u64,
    pub(crate) trials: Option<PathBuf>,
    /// Part of the names of the rows that are tried.
    pub(crate) row: String,
}

impl Campaign {
    pub(crate) fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.random.next_u64() % end.max(1) as u64) as usize
    }

    /// From 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }

    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for place in (1..all.len()).rev() {
            all.swap(place, self.below(place + 1));
        }
    }

    pub(crate) fn choose<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let place = self.below(all.len());
        &all[place]
    }

    /// What the command finds with these words, and a seed of its own.
    pub(crate) fn results(&mut self, home: &Home, words: &[&str]) -> Result<Results> {
        let seed = self.below(1 << 30).to_string();
        let line = [words, &["--seed", &seed, "--out", "out"]].concat();
        let mut command = home.command(&program()?, &line);
        let run = command.stderr(Stdio::piped()).output()?;
        Results::from_journal(&home.path("out/journal.jsonl"))
            .with_context(|| String::from_utf8_lossy(&run.stderr).into_owned())
    }

    pub(crate) fn finding(&mut self, home: &Home, words: &[&str]) -> Result<Option<Finding>> {
        let results = self.results(home, words)?;
        let study = results.studies.first();
        Ok(study.and_then(|study| study.headline()).cloned())
    }
}
