//! The nodes of a run over several. One that cannot take part is named with the reason, and the
//! others are run. Each has a keeper ([`mpi::keeper`]), on a connection of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use flow::placement::Cpus;
use flow::{Failure, SlotSpec};
use mpi::Over;
use mpi::keeper::{self, Facts, Health, Parting};
use mpi::launcher::Mpi;
use mpi::nodes::{Reach, this_machine};
use workload::Work;

use super::connection::Keeper;
use super::place::Place;
use crate::args::HybridArgs;
use crate::launch::Beside;
use crate::output::{self, tell};

const PARTING: Duration = Duration::from_secs(10);

const HERE: &str = "this machine";

#[derive(Debug)]
struct Node {
    name: String,
    cpus: Cpus,
    sockets: u32,
    about: String,
}

#[derive(Debug)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    keepers: Vec<Keeper>,
    patience: Duration,
    /// Those that are no more, and why.
    lost: BTreeMap<String, String>,
    scratch: PathBuf,
    /// Empty until the run has one.
    journal: PathBuf,
    counted: Option<u64>,
    /// All nodes are one machine, made with namespaces.
    pub(super) is_one_machine: bool,
}

/// The names that were asked for, or those of the job; `None`: this machine alone.
pub(super) fn asked(hosts: Option<&str>) -> Result<Option<Vec<String>>> {
    let text = match hosts {
        Some(hosts) if Path::new(hosts).is_file() => tidy::input::read_to_string(hosts)
            .with_context(|| format!("--hosts: cannot read {hosts}"))?,
        Some(hosts) => hosts.replace(',', "\n"),
        None => match of_job()? {
            Some(text) => text,
            None => return Ok(None),
        },
    };
    let names = parse(&text)?;
    ensure!(!names.is_empty(), "--hosts names no node");
    Ok(Some(names))
}

/// The first word of each line; a number of slots, as MPI's host files have it, is left alone.
fn parse(text: &str) -> Result<Vec<String>> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let mut names = Vec::new();
    for name in lines.filter_map(|line| line.split_whitespace().next()) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        ensure!(
            name.chars().all(is_plain) && !name.starts_with('-'),
            "--hosts: '{}' is no name of a node: MPI takes letters, digits and -_. alone; users and ports are for \
             ~/.ssh/config",
            report::text::visible(name)
        );
        ensure!(
            !names.contains(&name.to_owned()),
            "--hosts: {name} is there twice"
        );
        names.push(name.to_owned());
    }
    Ok(names)
}

fn of_job() -> Result<Option<String>> {
    let set = |name| std::env::var(name).ok();
    let (Some(list), Some(number)) = (set("SLURM_JOB_NODELIST"), set("SLURM_JOB_NUM_NODES")) else {
        return Ok(None);
    };
    if number == "1" {
        return Ok(None);
    }
    let mut scontrol = Command::new("scontrol");
    let said = flow::output_tied(scontrol.args(["show", "hostnames"]).arg(&list));
    let said = said.context("scontrol, which spells the nodes of the job, cannot be executed")?;
    ensure!(
        said.status.success(),
        "scontrol cannot spell the nodes of the job, {list}"
    );
    Ok(Some(String::from_utf8_lossy(&said.stdout).into_owned()))
}

pub(super) fn reach(args: &HybridArgs, mpi: &Mpi) -> Reach {
    if args.hosts.is_none() || mpi.srun.is_some() {
        let own = mpi.srun.as_ref().map(|srun| srun.words().to_vec());
        return Reach::Slurm(own.unwrap_or_else(|| vec!["srun".to_owned()]));
    }
    let ssh = crate::commands::ssh(args.ssh.as_ref());
    Reach::Ssh(program::command::resolve(&ssh.display().to_string()).map_or(ssh, PathBuf::from))
}

impl Nodes {
    /// Those of `names` that can take part; the others are named. Errors: none can.
    pub(super) fn begin(
        (names, own): (&[String], &Path),
        mpi: &Mpi,
        patience: Duration,
        scratch: PathBuf,
    ) -> Result<Self> {
        let reach = mpi.reach.as_ref().context("nodes without a way to them")?;
        let mpi_there = format!("{} {}", mpi.kind.name(), mpi.version);
        let own_digest =
            keeper::program(own).with_context(|| format!("cannot read {}", own.display()))?;
        let words = [own, &scratch, &mpi.run].map(|path| path.display().to_string());
        let words = keeper::words(&words[0], &words[1], &words[2]);
        let started: Vec<(String, Result<Keeper>)> = names
            .iter()
            .map(|name| {
                (
                    name.clone(),
                    Keeper::start(name, reach.command(name, &words, patience.as_secs())),
                )
            })
            .collect();
        let until = Instant::now() + patience;
        let mut found: Vec<(Keeper, Facts)> = Vec::new();
        for (name, keeper) in started {
            let known = keeper.and_then(|mut keeper| {
                let facts: Facts = keeper.hear(until)?;
                fits(&facts, &own_digest, &mpi_there, own)?;
                Ok((keeper, facts))
            });
            match known {
                Ok(known) => found.push(known),
                Err(why) => tell(&format!("{name}: left out: {}", output::whole(&why))),
            }
        }
        ensure!(
            !found.is_empty(),
            "no node can take part{}",
            match names {
                [name] if !Path::new(name).exists() => format!(", and there is no file {name}"),
                _ => String::new(),
            }
        );
        let id = this_machine().ok();
        // `mpirun` is here, where no rank may be.
        let here = match found.iter().all(|(_, facts)| Some(facts.id) != id) {
            // Others may have taken all of their time.
            true => Some(here(&words, Instant::now() + patience)?),
            false => None,
        };
        let first = found[0].1.boot;
        let is_one_machine = found.len() > 1 && found.iter().all(|(_, facts)| facts.boot == first);
        let (keepers, facts): (Vec<Keeper>, Vec<Facts>) = found.into_iter().unzip();
        let nodes: Vec<Node> = keepers
            .iter()
            .zip(facts)
            .map(|(keeper, facts)| node(&keeper.name, &facts))
            .collect();
        Ok(Self {
            nodes,
            keepers: keepers.into_iter().chain(here).collect(),
            patience,
            lost: BTreeMap::new(),
            scratch,
            journal: PathBuf::new(),
            counted: this_machine().ok().filter(|_| mpi.srun.is_none()),
            is_one_machine,
        })
    }

    /// Errors: a node does not see the journal, so it will not see what is built beside it.
    pub(super) fn see(&mut self, journal: &Path) -> Result<()> {
        self.journal = std::path::absolute(journal)?;
        match self.look().into_iter().next() {
            Some((name, why)) => bail!("{name}: {why}"),
            None => Ok(()),
        }
    }

    pub(super) fn place(&self) -> Place {
        Place {
            cpus: self.nodes.iter().map(|node| node.cpus.clone()).collect(),
            sockets: self
                .nodes
                .iter()
                .map(|node| node.sockets)
                .min()
                .unwrap_or(1),
            over: Some(Over {
                nodes: self.nodes.iter().map(|node| node.name.clone()).collect(),
                scratch: self.scratch.clone(),
                counted: self.counted,
            }),
        }
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
        for node in &self.nodes {
            match kinds.iter_mut().find(|(about, _)| *about == node.about) {
                Some((_, names)) => names.push(&node.name),
                None => kinds.push((&node.about, vec![&node.name])),
            }
        }
        let mut notes: Vec<String> = kinds
            .iter()
            .map(|(about, names)| {
                let number = report::number::many(names.len() as u64, "node");
                format!("{number} ({}): {about}", names.join(", "))
            })
            .collect();
        if kinds.len() > 1 {
            notes
                .push("the nodes differ: a split over more of them also has other CPUs".to_owned());
        }
        if self.is_one_machine {
            notes.push(
                "all nodes are one machine, with network namespaces: what is between them is a veth pair, and no \
                 figure of this run is a network's"
                    .to_owned(),
            );
        }
        notes
    }

    /// What is wrong with those that are not lost; those that are now are named.
    fn look(&mut self) -> Vec<(String, String)> {
        let lost = &mut self.lost;
        let journal = &self.journal;
        self.keepers
            .iter_mut()
            .for_each(|keeper| keeper.ask(journal));
        let until = Instant::now() + self.patience;
        let mut wrong = Vec::new();
        for keeper in &mut self.keepers {
            let name = keeper.name.clone();
            if lost.contains_key(&name) {
                continue;
            }
            match keeper.hear::<Health>(until) {
                Ok(Health { trouble }) if trouble.is_empty() => {}
                Ok(Health { trouble }) => wrong.push((name, trouble)),
                Err(why) => {
                    let why = output::whole(&why);
                    tell(&format!("{name}: lost, ranks may be left there: {why}"));
                    lost.insert(name, why);
                }
            }
        }
        wrong
    }
}

impl Beside for Nodes {
    fn pids(&self) -> Vec<i32> {
        let keepers = self.keepers.iter();
        keepers
            .map(|keeper| keeper.child.id().cast_signed())
            .collect()
    }

    fn refusal(&self, spec: &SlotSpec<Work>) -> Option<String> {
        let over = over_of(spec)?;
        let mut lost = self.lost.iter();
        let (name, why) = lost.find(|(name, _)| rests_on(&over, name))?;
        Some(format!("{name} is lost: {why}"))
    }

    fn cause(&mut self, spec: &SlotSpec<Work>, reason: &Failure) -> Option<String> {
        let over = over_of(spec)?;
        let wrong = self.look();
        let found = wrong.iter().find(|(name, _)| rests_on(&over, name));
        let found = found.map(|(name, why)| format!("{name}: {why}; {reason}"));
        self.refusal(spec).or(found)
    }
}

fn over_of(spec: &SlotSpec<Work>) -> Option<Over> {
    mpi::over_of(&spec.work.program()?.command)
}

fn rests_on(over: &Over, name: &str) -> bool {
    name == HERE || over.nodes.iter().any(|node| node == name)
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for keeper in &mut self.keepers {
            keeper.child.stdin = None;
        }
        let until = Instant::now() + PARTING;
        for keeper in &mut self.keepers {
            let name = &keeper.name;
            let is_lost = self.lost.contains_key(name);
            let said = match keeper.hear::<Parting>(if is_lost { Instant::now() } else { until }) {
                Ok(Parting { ended: 0 }) => continue,
                Err(_) if is_lost => continue,
                Ok(Parting { ended }) => {
                    let processes = if ended == 1 { "process" } else { "processes" };
                    format!("{ended} {processes} of this run had to be ended there")
                }
                Err(why) => format!("lost, ranks may be left there: {}", output::whole(&why)),
            };
            tell(&format!("{}: {said}", keeper.name));
        }
    }
}

fn here(words: &[&str], until: Instant) -> Result<Keeper> {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    let mut keeper = Keeper::start(HERE, command)?;
    keeper
        .hear::<Facts>(until)
        .context("this machine, which launches ranks")?;
    Ok(keeper)
}

fn fits(facts: &Facts, own: &str, mpi: &str, path: &Path) -> Result<()> {
    ensure!(
        facts.program == own,
        "another flowgauge is there at {}: all nodes must see one file",
        path.display()
    );
    ensure!(
        facts.mpi == mpi,
        "it has another MPI: {}, not {mpi}",
        facts.mpi
    );
    Ok(())
}

fn node(name: &str, facts: &Facts) -> Node {
    let machine = &facts.machine;
    let cpus = lab::cpus(machine);
    let of_node = machine
        .topology
        .cpus
        .iter()
        .filter(|cpu| cpus.allowed.contains(&cpu.id));
    let mut sockets: Vec<Option<u32>> = of_node.map(|cpu| cpu.package).collect();
    sockets.sort_unstable();
    sockets.dedup();
    let model = machine
        .processor
        .model
        .value()
        .map_or("unknown CPU", String::as_str);
    let kernel = machine
        .kernel
        .release
        .value()
        .map_or("unknown kernel", String::as_str);
    let number = report::number::many(cpus.allowed.len() as u64, "CPU");
    Node {
        name: name.to_owned(),
        about: format!("{number} of {model}, Linux {kernel}"),
        cpus,
        sockets: u32::try_from(sockets.len()).unwrap_or(1).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_named_by_a_list_or_by_a_host_file() {
        let names = parse("node1 slots=4\n# all\n\nnode-2.x:\n");
        assert!(
            names
                .unwrap_err()
                .to_string()
                .contains("'node-2.x:' is no name")
        );
        assert_eq!(
            parse("node1 slots=4\nnode-2.x # fast\n").unwrap(),
            ["node1", "node-2.x"]
        );
        for odd in ["a\na", "-x", "me@a", "a;b"] {
            assert!(parse(odd).is_err(), "{odd}");
        }
        assert_eq!(asked(Some("a,b")).unwrap().unwrap(), ["a", "b"]);
        assert!(asked(Some(",")).is_err());
    }
}
