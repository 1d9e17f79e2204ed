//! Ranks launched by Slurm's `srun`, on the machine of the job. A daemon of Slurm's starts ranks and tells them of each
//! other by a plug-in: PMIx for Open MPI, PMI-2 for MPICH. Under any other, Open MPI refuses to begin, and MPICH runs
//! as worlds of one rank. CPUs are given as a mask for each rank, which Slurm keeps to under
//! `TaskPlugin=task/affinity`; ranks check it. A slot is a step of the job in which flowgauge runs, with the same CPUs
//! (`--overlap`), on the same node or over those of the job ([`crate::nodes`]).

use std::process::Command;

use program::Shell;

use crate::kind::{Kind, NoMpi, quoted};
use crate::task::{Over, Task};

/// Set by Slurm in the processes that it starts on a node.
const NODE: &str = "SLURMD_NODENAME";

/// Slurm's launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Srun {
    words: Vec<String>,
    node: String,
    /// Its version, such as `slurm-wlm 22.05.8`.
    pub version: String,
}

impl Srun {
    /// The launcher of this line, which begins with srun, for ranks of that MPI. Errors: it is not srun, this process
    /// is in no job, or Slurm lacks a plug-in; what to do.
    pub fn find(line: &str, kind: Kind) -> Result<Self, NoMpi> {
        let mut words = program::command::words(line, &Shell::Never).map_err(NoMpi)?;
        let path = words.first().and_then(|word| word.rsplit('/').next());
        if path != Some("srun") {
            return Err(NoMpi(format!(
                "'{line}' is no launcher: use mpirun or srun, with options of srun behind it ('srun --time=5')"
            )));
        }
        let path = program::command::resolve(&words[0])
            .map_err(|why| NoMpi(format!("{why}: {}", flow::parts::SLURM.get)))?;
        words[0] = path.display().to_string();
        let node = std::env::var(NODE).map_err(|_| {
            NoMpi(
                "srun starts ranks on the machine of a job, and this process is in none: start it by sbatch, or \
                 as 'srun --nodes=1 --ntasks=1 --cpus-per-task=N flowgauge hybrid --launcher srun'"
                    .to_owned(),
            )
        })?;
        let srun = Self {
            version: said(&words, "--version")?.trim().to_owned(),
            words,
            node,
        };
        let plugins = said(&srun.words, "--mpi=list")?;
        let plugin = plugin(kind);
        match plugins.split_whitespace().any(|word| word == plugin) {
            true => Ok(srun),
            false => Err(NoMpi(format!(
                "Slurm has no plug-in {plugin} here, which ranks of {} need ({})",
                kind.name(),
                plugins.split_whitespace().collect::<Vec<_>>().join(" ")
            ))),
        }
    }

    /// Its own words.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    fn quoted(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }

    pub(crate) fn over(&self, kind: Kind, task: &Task, over: &Over) -> String {
        format!(
            "{} --nodes={} --nodelist={} --ntasks={} --ntasks-per-node={} --cpus-per-task={} --distribution=block \
             --overlap --mpi={} --cpu-bind=none --kill-on-bad-exit=1 --input=none --quiet",
            self.quoted(),
            task.nodes(),
            quoted(&over.nodes.join(",")),
            task.ranks,
            task.ranks_each(),
            task.threads,
            plugin(kind)
        )
    }

    pub(crate) fn command(&self, kind: Kind, task: &Task) -> String {
        let masks: Vec<String> = (0..task.ranks)
            .map(|rank| mask(task.cpus_of(rank)))
            .collect();
        format!(
            "{} --nodes=1 --nodelist={} --ntasks={} --cpus-per-task={} --overlap --mpi={} \
             --cpu-bind=quiet,mask_cpu:{} --kill-on-bad-exit=1 --input=none --quiet",
            self.quoted(),
            quoted(&self.node),
            task.ranks,
            task.threads,
            plugin(kind),
            masks.join(",")
        )
    }
}

fn plugin(kind: Kind) -> &'static str {
    match kind {
        Kind::OpenMpi => "pmix",
        Kind::Mpich => "pmi2",
    }
}

fn mask(cpus: &[u32]) -> String {
    let most = cpus.iter().max().map_or(0, |cpu| cpu / 4);
    let digits = (0..=most).rev().map(|at| {
        let own = cpus.iter().filter(|&cpu| cpu / 4 == at);
        let bits = own.fold(0_u32, |bits, cpu| bits | 1 << (cpu % 4));
        format!("{bits:x}")
    });
    format!("0x{}", digits.collect::<String>())
}

fn said(words: &[String], option: &str) -> Result<String, NoMpi> {
    let run = flow::output_tied(Command::new(&words[0]).arg(option));
    let run = run.map_err(|error| NoMpi(format!("{} cannot be executed: {error}", words[0])))?;
    let text = [run.stdout, run.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    match run.status.success() {
        true => Ok(text),
        false => Err(NoMpi(format!("{} {option}: {}", words[0], text.trim()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_a_mask_of_its_cpus_and_its_mpi_a_plug_in() {
        let srun = Srun {
            words: vec!["/opt/a slurm/srun".to_owned(), "--time=5".to_owned()],
            node: "node1".to_owned(),
            version: String::new(),
        };
        let task = Task::of_grid(2, 2, &[0, 5, 1, 67]);
        let open = srun.command(Kind::OpenMpi, &task);
        assert_eq!(
            open,
            "'/opt/a slurm/srun' '--time=5' --nodes=1 --nodelist='node1' --ntasks=2 --cpus-per-task=2 --overlap \
             --mpi=pmix --cpu-bind=quiet,mask_cpu:0x21,0x80000000000000002 --kill-on-bad-exit=1 --input=none \
             --quiet"
        );
        assert!(
            srun.command(Kind::Mpich, &task).contains("--mpi=pmi2 "),
            "{open}"
        );
        let task = task.on(&["a", "b"]);
        let both = srun.over(Kind::OpenMpi, &task, task.over.as_ref().unwrap());
        assert!(
            both.contains(
                "--nodes=2 --nodelist='a,b' --ntasks=2 --ntasks-per-node=1 --cpus-per-task=2 "
            ),
            "{both}"
        );
    }
}
