//! The machines that are built in: the files of `machines/`.

use crate::machine::{Machine, MachineError};

include!(concat!(env!("OUT_DIR"), "/machines.rs"));

/// The names of all of them.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The one of that name. Errors: its file is wrong, which the tests rule out.
pub fn builtin(name: &str) -> Result<Option<Machine>, MachineError> {
    let found = BUILTIN.iter().find(|(known, _)| *known == name);
    let read =
        found.map(|(name, text)| Machine::read(name, &format!("machines/{name}.toml"), text));
    read.transpose()
}
