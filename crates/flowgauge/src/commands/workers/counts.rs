//! How many workers there are in the table and in the sweeps.
//!
//! Each worker does the same work, so different counts are different work and are never
//! compared: without a count that both models have, nothing of what was asked can be answered.

use anyhow::{Context, Result, bail, ensure};
use flow::Model;

use crate::args::WorkersArgs;
use crate::number::{self, Sizes};

/// Workers of each program in the table, as in the source.
const TABLE: u64 = 2;
/// A range of so many counts is swept one by one; a longer one in steps of 1, 2, 5.
const ONE_BY_ONE: u64 = 16;

/// How many workers there are in the table and in the sweeps.
#[derive(Debug)]
pub(super) struct Counts {
    /// Workers of each model in the table.
    pub(super) table: u64,
    processes: Vec<u64>,
    threads: Vec<u64>,
    /// All of them, in order; none where both are one and the same count.
    pub(super) swept: Vec<u64>,
}

impl Counts {
    /// What the flags ask for; an error where nothing of it could be compared.
    pub(super) fn of(args: &WorkersArgs) -> Result<Self> {
        let processes = counts("--processes", &args.processes)?;
        let threads = counts("--threads", &args.threads)?;
        let both = processes.iter().filter(|count| threads.contains(count));
        let both: Vec<u64> = both.copied().collect();
        let Some(&least) = both.first() else {
            bail!(
                "--processes {} --threads {}: each worker does the same work, so different numbers \
                 of them do different work and cannot be compared: name a number that both have \
                 (--processes {0} --threads {0})",
                asked(&args.processes),
                asked(&args.threads)
            );
        };
        let same = processes == threads && processes.len() == 1;
        let mut swept = [processes.as_slice(), &threads].concat();
        swept.sort_unstable();
        swept.dedup();
        Ok(Self {
            table: if both.contains(&TABLE) { TABLE } else { least },
            swept: if same { Vec::new() } else { swept },
            processes,
            threads,
        })
    }

    /// The models that are to have so many workers.
    pub(super) fn models(&self, workers: u64) -> Vec<Model> {
        let has = |counts: &[u64], model| counts.contains(&workers).then_some(model);
        let models = [
            has(&self.processes, Model::Process),
            has(&self.threads, Model::Thread),
        ];
        models.into_iter().flatten().collect()
    }
}

/// A number or a range as it is typed.
fn asked(sizes: &Sizes) -> String {
    match sizes {
        Sizes::One(count) => count.to_string(),
        Sizes::Sweep(range) => format!("{}..{}", range.start(), range.end()),
    }
}

fn counts(flag: &str, asked: &Sizes) -> Result<Vec<u64>> {
    let counts = match asked {
        Sizes::One(count) => vec![*count],
        Sizes::Sweep(range) if range.end() - range.start() < ONE_BY_ONE => range.clone().collect(),
        Sizes::Sweep(range) => number::one_two_five(range),
    };
    let least = counts.iter().min().copied().unwrap_or(0);
    ensure!(least > 0, "{flag} 0: there must be at least 1 worker");
    let most = counts.iter().max().copied().unwrap_or(0);
    u32::try_from(most)
        .with_context(|| format!("{flag} {most}: no machine has so many workers"))?;
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn counts_of(line: &str) -> Result<Counts> {
        let words = format!("flowgauge workers {line}");
        let Command::Workers(args) = Cli::parse_from(words.split_whitespace()).command else {
            panic!("{words}")
        };
        Counts::of(&args)
    }

    /// Two threads were measured where three had been asked for.
    #[test]
    fn the_table_has_a_count_that_was_asked_for_of_both() {
        let table = |line| counts_of(line).unwrap().table;
        assert_eq!(table(""), 2);
        assert_eq!(table("--threads 3..4"), 3);
        assert_eq!(table("--processes 4 --threads 4"), 4);
        assert_eq!(table("--processes 2 --threads 2..8"), 2);
        for line in ["--processes 2 --threads 3", "--processes 2 --threads 3..4"] {
            let refused = counts_of(line).unwrap_err().to_string();
            assert!(refused.starts_with(line), "{refused}");
            assert!(refused.contains("cannot be compared"), "{refused}");
        }
    }

    #[test]
    fn long_ranges_are_not_swept_one_by_one() {
        assert_eq!(counts("-p", &Sizes::Sweep(2..=5)).unwrap(), [2, 3, 4, 5]);
        assert_eq!(
            counts("-p", &Sizes::Sweep(2..=40)).unwrap(),
            [2, 5, 10, 20, 40]
        );
        assert_eq!(counts("-p", &Sizes::One(3)).unwrap(), [3]);
        let refused = counts("--threads", &Sizes::One(0)).unwrap_err();
        assert!(refused.to_string().contains("--threads 0"), "{refused}");
    }
}
