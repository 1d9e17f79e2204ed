//! A fleet by Slurm: a batch script, and one step with a task on each node.
//!
//! The folder of the fleet must be one that all nodes see: the plan, the program and the journals lie
//! in it. Nothing is installed on a node; what a run needs there is temporary and goes with it.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// What Slurm is asked for.
#[derive(Debug, Clone)]
pub(super) struct Job<'a> {
    pub(super) partition: &'a str,
    pub(super) nodes: u32,
    /// These nodes alone.
    pub(super) only: &'a [String],
    /// The folder of the fleet.
    pub(super) folder: &'a Path,
    /// The program, where all nodes see it.
    pub(super) program: &'a str,
}

impl Job<'_> {
    /// The batch script.
    pub(super) fn script(&self) -> String {
        let folder = self.folder.display().to_string();
        let only = match self.only {
            [] => String::new(),
            names => format!("#SBATCH --nodelist={}\n", names.join(",")),
        };
        format!(
            "#!/bin/sh\n\
             #SBATCH --job-name=flowgauge\n\
             #SBATCH --partition={}\n\
             #SBATCH --nodes={}\n\
             #SBATCH --ntasks-per-node=1\n\
             #SBATCH --exclusive\n\
             #SBATCH --output={folder}/slurm-%j.out\n\
             {only}\
             # One task a node, on all of its CPUs; a node that fails ends no other.\n\
             exec srun --ntasks-per-node=1 --cpu-bind=none --kill-on-bad-exit=0 --wait=0 \\\n  \
             {} fleet node --shared {}\n",
            self.partition,
            self.nodes,
            word(self.program),
            word(&folder),
        )
    }

    /// Submits it; what sbatch says.
    pub(super) fn submit(&self, script: &Path, wait: bool) -> Result<String> {
        let mut command = Command::new("sbatch");
        if wait {
            command.arg("--wait");
        }
        let output = command.arg(script).stdin(Stdio::null()).output();
        let output = output.context("sbatch cannot be started: is Slurm installed here?")?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        // With --wait its exit code is that of the job, whose nodes speak for themselves.
        ensure!(
            output.status.success() || (wait && !output.stdout.is_empty()),
            "sbatch refuses the job: {}",
            said(&output.stderr)
        );
        Ok(said(&output.stdout))
    }
}

/// A word for a shell.
fn word(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_names_what_was_asked_for() {
        let only = ["n1".to_owned(), "n3".to_owned()];
        let job = Job {
            partition: "debug",
            nodes: 2,
            only: &only,
            folder: Path::new("/shared/it's"),
            program: "/shared/flowgauge",
        };
        let script = job.script();
        for line in [
            "#SBATCH --partition=debug\n",
            "#SBATCH --nodes=2\n",
            "#SBATCH --nodelist=n1,n3\n",
            r"'/shared/flowgauge' fleet node --shared '/shared/it'\''s'",
        ] {
            assert!(script.contains(line), "{line}: {script}");
        }
    }
}
