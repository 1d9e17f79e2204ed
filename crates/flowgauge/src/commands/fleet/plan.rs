//! What every machine of a fleet runs: the same words and program, with a seed of its own.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::limits::Allowance;
use crate::args::{self, Command};
use crate::whole_file;

pub(super) const FILE: &str = "plan.json";

pub(super) const MOST: u64 = 16 << 20;

const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MORE: Duration = Duration::from_secs(10 * 60);

pub(super) type Files = Vec<(String, String)>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) schema: u32,
    pub(super) words: Vec<String>,
    pub(super) files: Files,
    pub(super) seed: u64,
    pub(super) program: Id,
    /// Other jobs may have been on the machines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_shared: bool,
    /// Machines that are enough, where `gather` names no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) quorum: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Id {
    pub(super) version: String,
    pub(super) digest: String,
}

impl Id {
    pub(super) fn of(path: &Path) -> Result<Self> {
        let digest = mpi::keeper::program(path);
        let digest = digest.with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            digest,
        })
    }

    pub(super) fn own() -> Result<Self> {
        Self::of(Path::new("/proc/self/exe"))
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.version, self.digest)
    }
}

impl Plan {
    pub(super) fn new(studies: &[String], more: &[String], program: Id, seed: u64) -> Result<Self> {
        check(studies.iter().chain(more))?;
        let (words, files) = packed(studies)?;
        let words: Vec<String> = words.into_iter().chain(more.iter().cloned()).collect();
        Ok(Self {
            schema: 1,
            words,
            files,
            seed,
            program,
            is_shared: false,
            quorum: None,
        })
    }

    pub(super) fn words_of(&self, machine: &str) -> Vec<String> {
        let seed = ["--seed".to_owned(), self.seed_of(machine).to_string()];
        let words = ["run".to_owned()].into_iter().chain(self.words.clone());
        words.chain(seed).collect()
    }

    pub(super) fn budget(&self) -> Option<Duration> {
        let words = ["flowgauge", "run"].map(str::to_owned).into_iter();
        let budget = match args::parsed(words.chain(self.words.clone())) {
            Some(Command::Run(run)) => {
                let usual = lab::Settings::usual(run.preset, self.seed).budget_s;
                let usual = usual.map(|_| lab::Settings::quick_s(run.studies.len()));
                run.how.budget.or(usual)
            }
            _ => None,
        };
        budget.map(Duration::from_secs_f64)
    }

    pub(super) fn usual_deadline(&self) -> Duration {
        self.budget().map_or(A_DAY, |budget| 2 * budget + MORE)
    }

    /// Orders that are alike on all machines would not average out.
    fn seed_of(&self, machine: &str) -> u64 {
        let hash = Sha256::digest(format!("{} {machine}", self.seed));
        let bytes = hash.iter().take(6);
        bytes.fold(0, |seed, byte| seed << 8 | u64::from(*byte))
    }

    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let text = Allowance::of(MOST).read(&path)?;
        serde_json::from_slice(&text)
            .with_context(|| format!("cannot understand {}", path.display()))
    }

    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        whole_file::write(&folder.join(FILE), text)
    }
}

/// Names in place of paths, with the files' texts.
fn packed(studies: &[String]) -> Result<(Vec<String>, Files)> {
    let mut files = Files::new();
    let word = |study: &String| {
        let path = Path::new(study);
        if path.extension().is_none_or(|extension| extension != "toml") {
            return Ok(study.clone());
        }
        let text = lab::study::text_of(study).with_context(|| format!("cannot read {study}"))?;
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let name = name.with_context(|| format!("{study} is no file"))?;
        ensure!(
            !files.iter().any(|(known, _)| *known == name),
            "two study files are called {name}: rename one"
        );
        files.push((name.clone(), text.into_owned()));
        Ok(name)
    };
    let words: Vec<String> = studies.iter().map(word).collect::<Result<_>>()?;
    Ok((words, files))
}

fn check<'a>(words: impl Iterator<Item = &'a String>) -> Result<()> {
    let words: Vec<&str> = ["flowgauge", "run"]
        .into_iter()
        .chain(words.map(String::as_str))
        .collect();
    let wrong = || format!("`{}`", words.join(" "));
    let Command::Run(run) = args::understood(&words).with_context(wrong)? else {
        bail!("{} is no run: see flowgauge run --help", wrong());
    };
    if let Some(study) = names::repeated(&run.studies) {
        bail!("{study} is named twice: once is enough");
    }
    let named = [
        ("--out", run.how.out.is_some()),
        ("--seed", run.how.seed.is_some()),
        ("--resume", run.resume.is_some()),
    ];
    if let Some((option, _)) = named.iter().find(|(_, given)| *given) {
        bail!("{option} is not for the machines of a fleet: give it before --, or not at all");
    }
    for name in &run.studies {
        match crate::commands::study_in(name, run.preset) {
            Some(study) => study?,
            None => lab::builtin(name, run.preset)?,
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(more: &[&str]) -> Result<Plan> {
        let id = Id {
            version: "1".to_owned(),
            digest: "a".to_owned(),
        };
        let more: Vec<String> = more.iter().map(ToString::to_string).collect();
        Plan::new(&["primes".to_owned()], &more, id, 7)
    }

    #[test]
    fn every_machine_has_a_seed_of_its_own_that_stays() {
        let plan = plan(&["--rounds", "10"]).unwrap();
        let words = plan.words_of("a");
        assert_eq!(words[..4], ["run", "primes", "--rounds", "10"]);
        assert_eq!(words, plan.words_of("a"));
        assert_ne!(words, plan.words_of("b"));
        assert!(args::parsed([vec!["flowgauge".to_owned()], words].concat()).is_some());
    }

    #[test]
    fn what_every_machine_would_refuse_is_refused_here() {
        for more in [
            &["--out", "x"][..],
            &["--seed", "1"],
            &["--nonsense"],
            &["--resume", "x"],
        ] {
            assert!(plan(more).is_err(), "{more:?}");
        }
        let id = plan(&[]).unwrap().program;
        let unknown = Plan::new(&["prims".to_owned()], &[], id, 1).unwrap_err();
        assert!(output(&unknown).contains("primes"), "{unknown:#}");
    }

    /// `-- --budget 0` was no command.
    #[test]
    fn a_wrong_option_of_the_run_keeps_its_reason() {
        for (more, reason) in [
            (&["--budget", "0"][..], "--budget <TIME>"),
            (&["--roundz", "9"], "'--rounds'"),
            (&["--help"], "runs nothing"),
            (&["primes"], "primes is named twice"),
        ] {
            let why = crate::output::whole(&plan(more).unwrap_err());
            assert!(why.contains(reason) && !why.contains('\n'), "{why}");
        }
    }

    #[test]
    fn the_deadline_of_a_machine_follows_from_the_budgets() {
        let of = |more: &[&str]| plan(more).unwrap().usual_deadline().as_secs();
        assert_eq!(of(&[]), 2 * 20 + 600);
        assert_eq!(of(&["--budget", "5m"]), 2 * 300 + 600);
        assert_eq!(of(&["--preset", "full"]), 24 * 60 * 60);
    }

    fn output(error: &anyhow::Error) -> String {
        format!("{error:#}")
    }
}
