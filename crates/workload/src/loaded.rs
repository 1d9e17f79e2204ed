//! `body`: units of a function that is loaded from the user's own library, in the slot process
//! before any flow: a process shares what a fork shares, and a crash takes only its slot along.
//! Before a run the library is loaded once in a process of its own ([`look`]): what can never run
//! is refused. In a slot a crash, `exit` or hang is said with the function of the body.

mod look;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flow::placement::Cpus;
use flow::{Answer, Body, NoSink, Outlet, Part, Proof, SlotProcess, Variant};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::searching::Trees;
use crate::work::{refused, require};
use crate::{Work, WorkError, Workload, usual};

pub use look::{is_look, look_main};

/// Parameters of `body`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loaded {
    /// A shared library that exports a body.
    pub library: PathBuf,
    /// Units that are dealt out: calls of the body.
    pub units: u64,
    /// Operations of each.
    #[serde(default = "usual::number::<1>")]
    pub ops: u64,
    /// SHA-256 of the library, as the run found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Arguments of the body, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, u64>,
}

const PACE: body::Pace = body::Pace {
    enter: flow::pace::enter,
    leave: flow::pace::leave,
    wait: flow::pace::wait,
    woken: flow::pace::woken,
};

const ELF: [u8; 4] = *b"\x7fELF";
/// Up to where it says for which processor it is: the class, the order of bytes, the machine.
const ELF_HEAD: usize = 20;
/// What children of a `prepare` get that do not end.
const FOR_CHILDREN: Duration = Duration::from_millis(200);
/// Digits of a checksum that tell builds apart for people.
const SUM: usize = 12;

impl Loaded {
    fn open(&self, slot: &SlotProcess<Work>) -> io::Result<body::Loaded> {
        self.check_build().map_err(io::Error::other)?;
        let variant = &slot.spec().variant;
        body::name_endings(format!("{} as {}", self.name(), variant.model));
        // An emulator has threads of its own.
        let before = tasks()?;
        let open = || {
            let body = body::Loaded::open(&self.library, &self.args).map_err(io::Error::other);
            wait_for_children();
            body
        };
        let body = slot.in_time(self.doing("prepare"), open)??;
        let why = forks(variant) && tasks()? > before;
        let why = why.then(|| self.has_threads(variant));
        why.map_or(Ok(body), |why| Err(io::Error::other(why)))
    }

    fn check_build(&self) -> Result<(), WorkError> {
        let is_it = self.sha256.is_none() || self.sha256 == digest(&self.library).ok();
        let name = self.library.display();
        require(is_it, || {
            format!("{name} was replaced since the run began: begin another run")
        })
    }

    fn name(&self) -> std::path::Display<'_> {
        let name = self.library.file_name().map_or(&*self.library, Path::new);
        name.display()
    }

    fn doing(&self, function: &str) -> String {
        format!("{} was in its function `{function}`", self.name())
    }

    fn has_threads(&self, variant: &Variant) -> String {
        format!(
            "{} starts threads of its own, which a fork has not: it cannot run as {}; leave that out of --model, \
             or start them in `begin`",
            self.library.display(),
            variant.model
        )
    }
}

fn forks(variant: &Variant) -> bool {
    variant.model.shape(variant.flows).processes > 0
}

fn digest(library: &Path) -> io::Result<String> {
    let bytes = Sha256::digest(std::fs::read(library)?);
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A child that comes back from `prepare` ends the launch, if it has a moment for that.
fn wait_for_children() {
    let of_any = || {
        waitid(
            Id::All,
            WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT,
        )
    };
    let until = Instant::now() + FOR_CHILDREN;
    while of_any() == Ok(WaitStatus::StillAlive) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn tasks() -> io::Result<usize> {
    Ok(std::fs::read_dir("/proc/self/task")?.count())
}

impl Workload for Loaded {
    fn units(&self) -> u64 {
        self.units
    }

    fn check(&self) -> Result<(), WorkError> {
        require(
            self.units > 0 && self.ops > 0,
            || "a body needs units and ops of at least 1",
        )
    }

    fn find_input(&mut self, _trees: &mut Trees) -> Result<(), WorkError> {
        self.check_file()?;
        let library = self.library.display();
        let sum = digest(&self.library)
            .or_else(|error| refused(format!("cannot read the body {library}: {error}")));
        self.sha256 = Some(sum?);
        Ok(())
    }

    fn check_here(&self, _cpus: &Cpus) -> Result<(), WorkError> {
        self.check_file()?;
        self.check_build()?;
        let seen = look::look(&self.library).map_err(WorkError)?;
        let known = seen.about().check(&self.library, &self.args);
        known.map_err(|error| WorkError(error.to_string()))
    }

    /// What cannot be looked at is said by [`Workload::check_here`].
    fn unsuited(&self, variant: &Variant) -> Option<String> {
        let seen = look::look(&self.library).ok()?;
        if seen.has_threads && forks(variant) {
            return Some(self.has_threads(variant));
        }
        let is_suited = seen.may_be_fiber || !variant.model.is_user_level();
        (!is_suited).then(|| {
            format!(
                "{} does not say that it may run as {} (FLOWGAUGE_FIBERS): leave that out of --model, or set the \
                 flag if it does not block and keeps nothing in thread-locals",
                self.library.display(),
                variant.model
            )
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        let body = match self.open(slot) {
            Ok(body) => body,
            Err(error) => return Answer::from_error(&error),
        };
        if slot.spec().variant.faster.is_some() {
            body.pace(PACE);
        }
        let prepared = Prepared {
            work: self,
            body: &body,
            model: slot.spec().variant.model,
        };
        let answer = slot.run(&prepared, &mut NoSink);
        if let Err(error) = slot.in_time(self.doing("finish"), || drop(body)) {
            return Answer::from_error(&error);
        }
        match answer.done() {
            Some(record) if record.proof == Proof::default() => {
                Answer::from_error(&io::Error::other(format!(
                    "{} proves nothing: it leaves the count and the checksum of every proof at 0, so nobody can \
                     tell whether the work was done; set both in `unit`",
                    self.name()
                )))
            }
            _ => answer,
        }
    }

    fn library(&self) -> Option<&Path> {
        Some(&self.library)
    }

    fn parts(&self) -> Vec<String> {
        look::look(&self.library).map_or_else(|_| Vec::new(), |seen| seen.parts)
    }

    fn build(&self) -> Option<(Work, String)> {
        let of_any = Self {
            library: PathBuf::new(),
            sha256: None,
            ..self.clone()
        };
        let sum = self.sha256.as_ref()?.get(..SUM)?;
        Some((Work::Loaded(of_any), format!("{} {sum}", self.name())))
    }
}

impl Loaded {
    fn check_file(&self) -> Result<(), WorkError> {
        let name = self.library.display();
        let is_other = self.library.metadata().is_ok_and(|about| !about.is_file());
        require(!is_other, || {
            format!("{name} is no file, and no shared library")
        })?;
        let head = |path: &Path| -> io::Result<[u8; ELF_HEAD]> {
            let mut head = [0; ELF_HEAD];
            File::open(path)?.read_exact(&mut head)?;
            Ok(head)
        };
        let processor = |head: [u8; ELF_HEAD]| (head[4], head[5], head[18], head[19]);
        match head(&self.library) {
            Ok(own) if own.starts_with(&ELF) => match head(Path::new("/proc/self/exe")) {
                Ok(here) if processor(own) != processor(here) => refused(format!(
                    "{name} is built for another processor than this flowgauge: build it on this machine"
                )),
                _ => Ok(()),
            },
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                refused(format!("cannot read the body {name}: {error}"))
            }
            _ => refused(format!(
                "{name} is no shared library: build it with -shared, or as a cdylib"
            )),
        }
    }
}

#[derive(Debug)]
struct Prepared<'b> {
    work: &'b Loaded,
    body: &'b body::Loaded,
    model: flow::Model,
}

impl Prepared<'_> {
    fn fails(&self, what: std::fmt::Arguments<'_>) -> ! {
        measure::give_up(format_args!(
            "the body {} as {} {what}",
            self.work.name(),
            self.model
        ))
    }
}

impl<'b> Body for Prepared<'b> {
    type State = body::Flow<'b>;
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        self.work.units
    }

    fn describe(&self, unit: u64) -> String {
        let Loaded { library, ops, .. } = self.work;
        format!("unit {unit} of {} ({ops} operations)", library.display())
    }

    fn doing(&self, part: Part) -> String {
        self.work.doing(match part {
            Part::Begin => "begin",
            Part::Work => "unit",
            Part::End => "end",
        })
    }

    fn stack_bytes(&self) -> usize {
        self.body.stack_bytes() as usize
    }

    fn state(&self, flow: usize) -> body::Flow<'b> {
        let own = self.body.begin(flow as u64);
        own.unwrap_or_else(|refused| {
            self.fails(format_args!("cannot begin flow {flow}: {refused}"))
        })
    }

    fn unit(&self, own: &mut body::Flow<'b>, unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        match own.unit(unit, self.work.ops) {
            Ok(body::Proof { count, checksum }) => Proof { count, checksum },
            Err(refused) => self.fails(format_args!("cannot do unit {unit}: {refused}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, read};

    #[test]
    fn what_is_no_library_is_refused_before_a_launch() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("mine.so");
        let work: Loaded =
            serde_json::from_value(serde_json::json!({"library": library, "units": 1})).unwrap();
        let said = || work.check_here(&Cpus::default()).unwrap_err().0;
        assert!(said().contains("cannot read the body"), "{}", said());
        for text in ["", "int main() {}"] {
            std::fs::write(&library, text).unwrap();
            assert!(said().contains("is no shared library"), "{text}");
        }
    }

    #[test]
    fn nothing_to_do_is_refused() {
        let usual: Loaded = read(r#"{"library": "a.so", "units": 4, "args": {"n": 3}}"#);
        assert_eq!((usual.ops, usual.args["n"]), (1, 3));
        let needs = "units and ops of at least 1";
        testing::refused(
            &usual,
            &[(|body| body.units = 0, needs), (|body| body.ops = 0, needs)],
        );
    }
}
