//! Ranks over several nodes of a job (docs/hybrid.md). One row for each launcher says how it starts them:
//!
//! | launcher | nodes and ranks | reached by |
//! |---|---|---|
//! | `mpirun` of Open MPI | `--host a:2,b:2 --map-by slot` | ssh, in a job of Slurm by it |
//! | `mpirun` of MPICH | `-hosts a:2,b:2` | the same |
//! | `srun` | `--nodelist=a,b --ntasks-per-node=2` | Slurm, by PMIx or PMI-2 |
//!
//! No launcher binds: a rank binds itself before it begins MPI, by the number that its launcher gave it ([`RANKS`]),
//! and then all compare CPUs and nodes with what was asked for (`checks`). What ranks of a node share lies in its
//! memory (`/dev/shm`), in the folder of a keeper ([`crate::keeper`]).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

pub use crate::kind::quoted;
use crate::kind::{Kind, quoted_path};
use crate::task::{Over, Task};

/// What launchers call the number of a rank, the most particular first.
const RANKS: [&str; 4] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
];

/// How a program is started on a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// By ssh, or a program that is used like it.
    Ssh(PathBuf),
    /// By this srun, with its options, as a step of the job.
    Slurm(Vec<String>),
}

impl Reach {
    /// This command on that node, with the standard input and output of this one.
    #[must_use]
    pub fn command(&self, node: &str, words: &[&str], patience_s: u64) -> Command {
        match self {
            Self::Ssh(program) => {
                let mut command = ssh(program, patience_s);
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                command
                    .args(["--", node])
                    .arg(format!("exec {}", words.join(" ")));
                command
            }
            Self::Slurm(srun) => {
                let mut command = Command::new(&srun[0]);
                command.args(&srun[1..]).args(["--nodes=1", "--ntasks=1"]);
                command.args([
                    "--overlap",
                    "--mem=0",
                    "--mpi=none",
                    "--quiet",
                    "--cpu-bind=none",
                ]);
                command.arg(format!("--nodelist={node}")).args(words);
                command
            }
        }
    }
}

/// It asks nobody, gives up a host that does not answer, and notices a dead connection. Host and command follow.
#[must_use]
pub fn ssh(program: &Path, patience_s: u64) -> Command {
    let mut command = Command::new(program);
    let connect = format!("ConnectTimeout={}", patience_s.max(1));
    let alive = ["ServerAliveInterval=15", "ServerAliveCountMax=3"];
    command.args(["-T", "-o", "BatchMode=yes", "-o", &connect]);
    command.args(["-o", alive[0], "-o", alive[1]]);
    command
}

/// What to do about what ssh said, where that is known.
#[must_use]
pub fn ssh_needs(said: &str) -> Option<&'static str> {
    let asks = ["Permission denied (", "password", "passphrase"];
    match () {
        () if asks.iter().any(|word| said.contains(word)) => {
            Some("ssh asks for a password, and nobody is asked here: give it a key (ssh-copy-id)")
        }
        () if said.contains("Host key verification failed") => {
            Some("ssh does not know this host: connect to it once by hand")
        }
        () => None,
    }
}

/// The line that starts the ranks of `task` over its nodes, up to their own command.
pub(crate) fn line(run: &Path, kind: Kind, task: &Task, (over, reach): (&Over, &Reach)) -> String {
    let run = quoted_path(run);
    let each = task.ranks_each();
    let hosts: Vec<String> = over
        .nodes
        .iter()
        .map(|node| format!("{node}:{each}"))
        .collect();
    let (hosts, scratch) = (quoted(&hosts.join(",")), quoted_path(&over.scratch));
    let ranks = task.ranks;
    match (kind, reach) {
        (Kind::OpenMpi, reach) => {
            let by = match reach {
                Reach::Ssh(ssh) => {
                    format!("--mca plm rsh --mca plm_rsh_agent {} ", quoted_path(ssh))
                }
                Reach::Slurm(_) => String::new(),
            };
            format!(
                "{run} -np {ranks} --host {hosts} --map-by slot --bind-to none {by}--mca orte_tmpdir_base {scratch} \
                 --mca btl_vader_backing_directory {scratch}"
            )
        }
        (Kind::Mpich, Reach::Ssh(ssh)) => format!(
            "{run} -n {ranks} -hosts {hosts} -bind-to none -launcher ssh -launcher-exec {}",
            quoted_path(ssh)
        ),
        (Kind::Mpich, Reach::Slurm(_)) => format!("{run} -n {ranks} -hosts {hosts} -bind-to none"),
    }
}

/// Before MPI begins, since that looks at where it may run.
pub(crate) fn bind_by_environment(task: &Task) -> Result<(), String> {
    let number = RANKS
        .iter()
        .find_map(|name| std::env::var(name).ok()?.parse().ok());
    let rank: u32 = number.ok_or_else(|| {
        format!(
            "the launcher does not say which rank this is: none of {} is set",
            RANKS.join(", ")
        )
    })?;
    let cpus = task.cpus_of(rank);
    sys::bind(cpus).map_err(|error| format!("rank {rank} may not use its CPUs {cpus:?}: {error}"))
}

/// Identifies the boot and the network namespace.
pub fn this_machine() -> Result<u64, String> {
    let unknown =
        |error: std::io::Error| format!("this machine cannot be told from others: {error}");
    let names = std::fs::read_link("/proc/self/ns/net").map_err(unknown)?;
    let mut hash = DefaultHasher::new();
    (boot().map_err(unknown)?, names).hash(&mut hash);
    Ok(hash.finish())
}

/// Of one kernel, however many network namespaces it has.
pub(crate) fn boot() -> std::io::Result<Vec<u8>> {
    std::fs::read("/proc/sys/kernel/random/boot_id")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launcher::Mpi;

    fn task() -> Task {
        Task::of_grid(4, 1, &[0, 1, 0, 1]).on(&["a", "b"])
    }

    fn said(kind: Kind, reach: &Reach) -> String {
        let mpi = Mpi {
            reach: Some(reach.clone()),
            ..Mpi::installed(kind)
        };
        let task = task();
        mpi.program(Path::new("/shared/flowgauge"), &task, &[&task], false)
            .command
    }

    #[test]
    fn each_launcher_deals_ranks_to_nodes_and_binds_none() {
        let ssh = Reach::Ssh("/opt/my ssh".into());
        let open = said(Kind::OpenMpi, &ssh);
        assert_eq!(crate::over_of(&open), task().over);
        assert_eq!(crate::over_of("mpirun __rank a {}"), None);
        assert!(
            open.starts_with(
                "'/opt/an mpi/mpirun' -np 4 --host 'a:2,b:2' --map-by slot --bind-to none --mca plm rsh"
            ),
            "{open}"
        );
        assert!(
            open.contains("plm_rsh_agent '/opt/my ssh'") && open.ends_with(" elsewhere"),
            "{open}"
        );
        let mpich = said(Kind::Mpich, &ssh);
        assert!(
            mpich.starts_with(
                "'/opt/an mpi/mpirun' -n 4 -hosts 'a:2,b:2' -bind-to none -launcher ssh -launcher-exec"
            ),
            "{mpich}"
        );
        let slurm = Reach::Slurm(vec!["srun".to_owned()]);
        assert!(!said(Kind::OpenMpi, &slurm).contains("rsh"));
        assert!(!said(Kind::Mpich, &slurm).contains("-launcher"));
    }

    #[test]
    fn a_node_is_reached_by_ssh_or_as_a_step_of_the_job() {
        let words = |command: &Command| -> Vec<String> {
            let all = std::iter::once(command.get_program()).chain(command.get_args());
            all.map(|word| word.to_string_lossy().into_owned())
                .collect()
        };
        let by_ssh = Reach::Ssh("ssh".into()).command("a", &["/it's/x", "y"], 30);
        assert_eq!(words(&by_ssh).last().unwrap(), r"exec '/it'\''s/x' 'y'");
        let by_slurm = Reach::Slurm(vec!["srun".to_owned(), "--time=5".to_owned()]);
        let by_slurm = words(&by_slurm.command("a", &["x"], 30));
        assert_eq!(by_slurm[..2], ["srun", "--time=5"]);
        assert_eq!(by_slurm[by_slurm.len() - 2..], ["--nodelist=a", "x"]);
    }
}
