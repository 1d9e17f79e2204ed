//! What can be changed about a program from outside of it, inherited through `fork` and `execve`. A
//! slot's process is fresh: it takes on what a variant asks for, and nothing has to be undone.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity};
use nix::sys::personality::{self, Persona};
use nix::sys::prctl::set_thp_disable;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// Changes from outside; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Knobs {
    /// A library that is loaded before all others, such as another allocator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preload: Option<PathBuf>,
    /// Environment variables beside those of the command.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// No transparent huge pages.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_huge_pages: bool,
    /// Addresses are the same in each launch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_randomisation: bool,
    /// The scheduling class `SCHED_BATCH`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub batch: bool,
    /// The program may use only these CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<CpuChoice>,
}

/// CPUs out of those that the launching process may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CpuChoice {
    /// The first ones, this many.
    First(u32),
    /// Those with these numbers.
    These(Vec<u32>),
}

impl Knobs {
    pub(crate) fn take_on(&self) -> io::Result<()> {
        if self.no_huge_pages {
            let done = set_thp_disable(true).map_err(io::Error::from);
            named("huge pages cannot be turned off", done)?;
        }
        if self.batch {
            named("SCHED_BATCH cannot be had", crate::sys::batch())?;
        }
        if self.no_randomisation {
            let fixed = Persona::ADDR_NO_RANDOMIZE;
            let set = personality::get().and_then(|old| personality::set(old | fixed));
            let done = set.map(drop).map_err(io::Error::from);
            named("addresses cannot be fixed", done)?;
        }
        match &self.cpus {
            Some(choice) => named("fewer CPUs cannot be had", fewer_cpus(choice)),
            None => Ok(()),
        }
    }

    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        let mut all = self.env.clone();
        if let Some(library) = &self.preload {
            all.insert("LD_PRELOAD".to_owned(), library.display().to_string());
        }
        all
    }
}

fn named(what: &str, done: io::Result<()>) -> io::Result<()> {
    done.map_err(|error| io::Error::other(format!("{what}: {error}")))
}

fn fewer_cpus(choice: &CpuChoice) -> io::Result<()> {
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let all = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false));
    let all = all.map(|cpu| cpu as u32);
    let chosen: Vec<u32> = match choice {
        CpuChoice::First(most) => all.take((*most).max(1) as usize).collect(),
        CpuChoice::These(cpus) => all.filter(|cpu| cpus.contains(cpu)).collect(),
    };
    match chosen.is_empty() {
        true => Err(Errno::EINVAL.into()),
        false => sys::bind(&chosen),
    }
}
