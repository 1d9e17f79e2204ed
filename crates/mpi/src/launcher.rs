//! Which MPI is there, and the command that launches ranks with it: Open MPI or MPICH, by what
//! their launcher says. Debian installs both and marks programs by a suffix (`mpirun.mpich`), so
//! the compiler is looked for beside the launcher, first with that suffix. Binding is explicit, CPU
//! by CPU: Open MPI reads a file, by the kernel's numbers; MPICH takes an argument. Neither is
//! trusted (`checks`). What a killed Open MPI leaves in `/tmp` and `/dev/shm` is kept in the folder
//! of the slot; MPICH unlinks its files at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use program::Program;

pub use crate::kind::{Kind, NoMpi};
use crate::kind::{quoted, quoted_path};
use crate::nodes::{self, Reach};
use crate::srun::Srun;
use crate::task::Task;
use crate::{ARGUMENT, ELSEWHERE};

/// The C code that calls MPI.
pub const SHIM: &str = include_str!("shim.c");

const AS_ROOT: [&str; 2] = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];

/// An MPI that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mpi {
    /// Which implementation.
    pub kind: Kind,
    /// Its launcher.
    pub run: PathBuf,
    /// Its compiler.
    pub compiler: PathBuf,
    /// Its version, such as `4.1.4`.
    pub version: String,
    /// What starts ranks instead of its own launcher.
    pub srun: Option<Srun>,
    /// How other nodes are reached, where ranks are to be over several.
    pub reach: Option<Reach>,
}

impl Mpi {
    /// The MPI that is asked for (`openmpi`, `mpich`, or the path of a launcher), or else the
    /// machine's usual one, with that compiler or the one beside it. Errors say what to install.
    pub fn find(asked: Option<&str>, compiler: Option<&Path>) -> Result<Self, NoMpi> {
        let (run, kind, version) = launcher(asked).map_err(NoMpi)?;
        let compiler = match compiler {
            Some(compiler) => program::command::resolve(&compiler.display().to_string()),
            None => compiler_of(&run, kind),
        };
        Ok(Self {
            kind,
            run,
            compiler: compiler.map_err(NoMpi)?,
            version,
            srun: None,
            reach: None,
        })
    }

    /// The same with ranks started by this line, `mpirun` or srun. Errors: as [`Srun::find`].
    pub fn launched_by(mut self, line: &str) -> Result<Self, NoMpi> {
        if line != "mpirun" {
            self.srun = Some(Srun::find(line, self.kind)?);
        }
        Ok(self)
    }

    /// Other implementations that are installed too.
    #[must_use]
    pub fn others(&self) -> Vec<&'static str> {
        let others = Kind::ALL.into_iter().filter(|kind| *kind != self.kind);
        let there = others.filter(|kind| {
            let run = program::command::resolve(&format!("mpirun.{}", kind.suffix()));
            run.is_ok_and(|run| version(&run).is_ok_and(|(found, _)| found == *kind))
        });
        there.map(Kind::suffix).collect()
    }

    /// Why root may not launch ranks, if that is so.
    #[must_use]
    pub fn refuses_root(&self) -> Option<String> {
        let is_root = nix::unistd::geteuid().is_root();
        let is_allowed = AS_ROOT.iter().all(|name| std::env::var_os(name).is_some());
        let refuses = self.kind == Kind::OpenMpi && self.srun.is_none();
        (refuses && is_root && !is_allowed).then(|| {
            "Open MPI refuses to run as root: use another user, or --allow-root where root is all there \
             is (a container)"
                .to_owned()
        })
    }

    /// The command of a slot: this binary as the ranks of `task`, one of all `splits` of the run.
    #[must_use]
    pub fn program(&self, own: &Path, task: &Task, splits: &[&Task], allow_root: bool) -> Program {
        let asked = serde_json::to_string(task).unwrap_or_default();
        let rank = format!(
            "{} {ARGUMENT} '{{built}}/shim.so' {}",
            quoted_path(own),
            quoted(&asked)
        );
        let over = task.over.as_ref().zip(self.reach.as_ref());
        let elsewhere = |line: String| format!("{line} {rank} {ELSEWHERE}");
        let command = match (&self.srun, over) {
            (Some(srun), Some((over, _))) => elsewhere(srun.over(self.kind, task, over)),
            (Some(srun), None) => elsewhere(srun.command(self.kind, task)),
            (None, Some((over, reach))) => {
                elsewhere(nodes::line(&self.run, self.kind, task, (over, reach)))
            }
            (None, None) => format!("{} {} {rank}", quoted_path(&self.run), self.placed(task)),
        };
        let mut program = Program::new(command);
        program.reports = true;
        program.files = BTreeMap::from([("shim.c".to_owned(), SHIM.to_owned())]);
        program.build = Some(format!(
            "{} -O2 -fPIC -shared -o '{{built}}/shim.so' '{{built}}/shim.c'",
            quoted_path(&self.compiler)
        ));
        // A step of a job may be beside flowgauge's own.
        if let Some(Reach::Slurm(_)) = self.reach {
            program
                .env
                .insert("SLURM_OVERLAP".to_owned(), "1".to_owned());
        }
        if self.kind == Kind::OpenMpi && self.srun.is_some() {
            let folder = over.map(|(over, _)| over.scratch.display().to_string());
            let folder = folder.unwrap_or_else(|| "{dir}".to_owned());
            let name = "OMPI_MCA_btl_vader_backing_directory";
            program.env.insert(name.to_owned(), folder);
        } else if self.kind == Kind::OpenMpi {
            let files = splits
                .iter()
                .filter(|_| over.is_none())
                .map(|task| (rank_file(task), rank_lines(task)));
            program.files.extend(files);
            if allow_root {
                let allowed = AS_ROOT.map(|name| (name.to_owned(), "1".to_owned()));
                program.env.extend(allowed);
            }
        }
        program
    }

    fn placed(&self, task: &Task) -> String {
        let ranks = task.ranks;
        match self.kind {
            Kind::OpenMpi => format!(
                "-np {ranks} --mca rmaps_rank_file_physical 1 --rankfile '{{built}}/{}' --mca orte_tmpdir_base \
                 '{{dir}}' --mca btl_vader_backing_directory '{{dir}}'",
                rank_file(task)
            ),
            Kind::Mpich => {
                let each = (0..ranks).map(|rank| joined(task.cpus_of(rank), "+"));
                let each: Vec<String> = each.collect();
                format!("-n {ranks} -bind-to user:{}", each.join(","))
            }
        }
    }
}

#[cfg(test)]
impl Mpi {
    /// One of that kind, whose launcher ranks are started by.
    pub(crate) fn installed(kind: Kind) -> Self {
        Self {
            kind,
            run: PathBuf::from("/opt/an mpi/mpirun"),
            compiler: PathBuf::from("/opt/an mpi/mpicc"),
            version: "1.0".to_owned(),
            srun: None,
            reach: None,
        }
    }
}

fn rank_file(task: &Task) -> String {
    format!(
        "ranks-{}x{}-{}",
        task.ranks,
        task.threads,
        joined(&task.cpus, "-")
    )
}

fn rank_lines(task: &Task) -> String {
    let line = |rank| {
        let cpus = joined(task.cpus_of(rank), ",");
        format!("rank {rank}=localhost slot={cpus}\n")
    };
    (0..task.ranks).map(line).collect()
}

pub(crate) fn joined(cpus: &[u32], by: &str) -> String {
    let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
    cpus.join(by)
}

fn launcher(asked: Option<&str>) -> Result<(PathBuf, Kind, String), String> {
    let mut kinds = Kind::ALL.into_iter();
    let kind = kinds.find(|kind| Some(kind.suffix()) == asked);
    let names = match (asked, kind) {
        (None, _) => vec!["mpirun", "mpirun.openmpi", "mpirun.mpich"],
        (_, Some(Kind::OpenMpi)) => vec!["mpirun.openmpi", "mpirun"],
        (_, Some(Kind::Mpich)) => vec!["mpirun.mpich", "mpirun"],
        (Some(asked), None) => vec![asked],
    };
    let there = names
        .iter()
        .filter_map(|name| program::command::resolve(name).ok());
    let mut others = Vec::new();
    for run in there {
        match version(&run) {
            Ok((found, version)) if kind.is_none_or(|kind| kind == found) => {
                return Ok((run, found, version));
            }
            Ok((found, _)) => others.push(format!("{} is {}", run.display(), found.name())),
            Err(why) => others.push(why),
        }
    }
    let others = match others.as_slice() {
        [] => String::new(),
        others => format!(" ({})", others.join("; ")),
    };
    let [open, mpich] = Kind::ALL.map(Kind::packages);
    Err(match (asked, kind) {
        (_, Some(kind)) => format!(
            "there is no {} here{others}: {}",
            kind.name(),
            kind.packages()
        ),
        (Some(asked), _) => format!(
            "'{asked}' is no launcher of Open MPI or MPICH{others}: use openmpi, mpich, or the path of an mpirun"
        ),
        _ => format!("there is no MPI here{others}: {open}, or {mpich}"),
    })
}

pub(crate) fn version(run: &Path) -> Result<(Kind, String), String> {
    let said = flow::output_tied(Command::new(run).arg("--version"));
    let said = said.map_err(|error| format!("{} cannot be executed: {error}", run.display()))?;
    let text = String::from_utf8_lossy(&said.stdout);
    let kind = Kind::of_version(&text)
        .ok_or_else(|| format!("{} is neither Open MPI nor MPICH", run.display()))?;
    let is_version =
        |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    let version = text
        .split_whitespace()
        .find(is_version)
        .unwrap_or("of unknown version");
    Ok((kind, version.to_owned()))
}

fn compiler_of(run: &Path, kind: Kind) -> Result<PathBuf, String> {
    let folder = run.parent().unwrap_or(Path::new("/usr/bin"));
    let names = [format!("mpicc.{}", kind.suffix()), "mpicc".to_owned()];
    let mut beside = names
        .iter()
        .map(|name| folder.join(name).display().to_string());
    beside
        .find_map(|path| program::command::resolve(&path).ok())
        .ok_or_else(|| {
            format!(
                "there is no compiler of {} beside {}: {}, or name it by --mpicc",
                kind.name(),
                run.display(),
                kind.packages()
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implementations_are_known_by_what_they_say() {
        for (text, kind) in [
            (
                "mpirun (Open MPI) 4.1.4\n\nReport bugs",
                Some(Kind::OpenMpi),
            ),
            ("mpirun.openmpi (OpenRTE) 4.1.4", Some(Kind::OpenMpi)),
            ("HYDRA build details:\n Version: 4.0.2", Some(Kind::Mpich)),
            ("something else", None),
        ] {
            assert_eq!(Kind::of_version(text), kind);
        }
    }

    /// Placeholders of the command stay, and nothing of it needs a shell.
    #[test]
    fn each_rank_is_bound_to_its_cpus_by_number() {
        let four = Task::of_grid(2, 2, &[0, 2, 1, 3]);
        let own = Path::new("/it's here/flowgauge");
        let open = Mpi::installed(Kind::OpenMpi).program(own, &four, &[&four], true);
        assert_eq!(
            open.files["ranks-2x2-0-2-1-3"],
            "rank 0=localhost slot=0,2\nrank 1=localhost slot=1,3\n"
        );
        assert!(open.env.contains_key("OMPI_ALLOW_RUN_AS_ROOT"));
        let mpich = Mpi::installed(Kind::Mpich).program(own, &four, &[&four], true);
        assert!(
            mpich.command.contains(" -n 2 -bind-to user:0+2,1+3 "),
            "{}",
            mpich.command
        );
        assert!(mpich.env.is_empty() && mpich.files.len() == 1);
        for program in [open, mpich] {
            assert!(
                !program::command::by_shell(&program.command, &program.shell),
                "{}",
                program.command
            );
            let words = program::command::words(&program.command, &program.shell).unwrap();
            assert_eq!(words[0], "/opt/an mpi/mpirun");
            assert!(words.contains(&"/it's here/flowgauge".to_owned()));
            let asked: Task = serde_json::from_str(words.last().unwrap()).unwrap();
            assert_eq!(asked, four);
            assert!(program.needs_folder() && program.check().is_ok());
        }
    }

    #[test]
    fn what_is_no_launcher_is_refused_with_what_is_one() {
        let error = Mpi::find(Some("/bin/true"), None).unwrap_err().to_string();
        assert!(error.contains("neither Open MPI nor MPICH"), "{error}");
        // Nothing is below a file.
        let missing = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/mpirun");
        let error = Mpi::find(Some(missing), None).unwrap_err().to_string();
        assert!(error.contains("openmpi, mpich, or the path"), "{error}");
    }
}
