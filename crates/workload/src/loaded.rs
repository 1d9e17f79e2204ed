//! `body`: units of a function that is loaded from the user's own library. The library is loaded,
//! and its body prepared, in the slot process before any flow: a process shares what a fork shares,
//! and a body that crashes takes only its slot along. Models must prove the same.
//!
//! A unit is one indirect call with `ops` operations; the user makes its cost small by `ops`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flow::placement::Cpus;
use flow::{Answer, Body, NoSink, Outlet, Proof, SlotProcess};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::searching::Trees;
use crate::{Work, WorkError, Workload};

/// Parameters of `body`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loaded {
    /// A shared library that exports a body.
    pub library: PathBuf,
    /// Units that are dealt out: calls of the body.
    pub units: u64,
    /// Operations of each.
    #[serde(default = "one")]
    pub ops: u64,
    /// SHA-256 of the library, as the run found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Arguments of the body, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, u64>,
}

fn one() -> u64 {
    1
}

const ELF: [u8; 4] = *b"\x7fELF";

impl Loaded {
    fn open(&self, slot: &SlotProcess<Work>) -> io::Result<body::Loaded> {
        if self.sha256.is_some() && self.sha256 != digest(&self.library).ok() {
            return Err(io::Error::other(format!(
                "{} was replaced since the run began: begin another run",
                self.library.display()
            )));
        }
        let body = body::Loaded::open(&self.library, &self.args).map_err(io::Error::other)?;
        let variant = &slot.spec().variant;
        let model = variant.model;
        if model.shape(variant.flows).processes > 0 && tasks()? > 1 {
            return Err(io::Error::other(format!(
                "{} starts threads when it is loaded, which a fork has not: it cannot run as {model}",
                self.library.display()
            )));
        }
        if model.is_user_level() && !body.may_be_fiber() {
            return Err(io::Error::other(format!(
                "{} does not say that it may run as {model} (FLOWGAUGE_FIBERS)",
                self.library.display()
            )));
        }
        Ok(body)
    }
}

fn digest(library: &Path) -> io::Result<String> {
    let bytes = Sha256::digest(std::fs::read(library)?);
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn tasks() -> io::Result<usize> {
    Ok(std::fs::read_dir("/proc/self/task")?.count())
}

impl Workload for Loaded {
    fn units(&self) -> u64 {
        self.units
    }

    fn check(&self) -> Result<(), WorkError> {
        match self.units > 0 && self.ops > 0 {
            true => Ok(()),
            false => Err(WorkError(
                "a body needs units and ops of at least 1".to_owned(),
            )),
        }
    }

    fn find_input(&mut self, _trees: &mut Trees) -> Result<(), WorkError> {
        self.check_file()?;
        let error = |error| {
            WorkError(format!(
                "cannot read the body {}: {error}",
                self.library.display()
            ))
        };
        self.sha256 = Some(digest(&self.library).map_err(error)?);
        Ok(())
    }

    fn check_here(&self, _cpus: &Cpus) -> Result<(), WorkError> {
        self.check_file()
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        match self.open(slot) {
            Ok(body) => slot.run(
                &Prepared {
                    work: self,
                    body: &body,
                },
                &mut NoSink,
            ),
            Err(error) => Answer::from_error(&error),
        }
    }

    fn library(&self) -> Option<&Path> {
        Some(&self.library)
    }
}

impl Loaded {
    fn check_file(&self) -> Result<(), WorkError> {
        let name = self.library.display();
        if self.library.metadata().is_ok_and(|about| !about.is_file()) {
            return Err(WorkError(format!(
                "{name} is no file, and no shared library"
            )));
        }
        let mut begins = [0; ELF.len()];
        let read = File::open(&self.library).and_then(|mut file| file.read_exact(&mut begins));
        match read {
            Ok(()) if begins == ELF => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                Err(WorkError(format!("cannot read the body {name}: {error}")))
            }
            _ => Err(WorkError(format!(
                "{name} is no shared library: build it with -shared, or as a cdylib"
            ))),
        }
    }
}

#[derive(Debug)]
struct Prepared<'b> {
    work: &'b Loaded,
    body: &'b body::Loaded,
}

impl Prepared<'_> {
    fn fails(&self, what: std::fmt::Arguments<'_>) -> ! {
        measure::give_up(format_args!(
            "the body {} {what}",
            self.work.library.display()
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

    #[test]
    fn what_is_no_library_is_refused_before_a_launch() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("mine.so");
        let work = Loaded {
            library: library.clone(),
            units: 1,
            ops: 1,
            sha256: None,
            args: BTreeMap::new(),
        };
        let cpus = Cpus::default();
        let said = |work: &Loaded| work.check_here(&cpus).unwrap_err().0;
        assert!(
            said(&work).contains("cannot read the body"),
            "{}",
            said(&work)
        );
        for text in ["", "int main() {}"] {
            std::fs::write(&library, text).unwrap();
            assert!(said(&work).contains("is no shared library"), "{text}");
        }
    }

    #[test]
    fn nothing_to_do_is_refused() {
        let read = |text| serde_json::from_str::<Loaded>(text).unwrap();
        let usual = read(r#"{"library": "a.so", "units": 4, "args": {"n": 3}}"#);
        assert_eq!((usual.ops, usual.args["n"]), (1, 3));
        assert!(usual.check().is_ok());
        assert!(read(r#"{"library": "a.so", "units": 0}"#).check().is_err());
        assert!(
            read(r#"{"library": "a.so", "units": 1, "ops": 0}"#)
                .check()
                .is_err()
        );
    }
}
