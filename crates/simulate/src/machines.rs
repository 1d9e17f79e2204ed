//! The machines that are built in: the files of `machines/`.

use crate::machine::{Machine, MachineError};

const BUILTIN: [(&str, &str); 5] = [
    (
        "ultrasparc-t1",
        include_str!("../../../machines/ultrasparc-t1.toml"),
    ),
    (
        "xeon-x5570",
        include_str!("../../../machines/xeon-x5570.toml"),
    ),
    (
        "xeon-sapphire-rapids",
        include_str!("../../../machines/xeon-sapphire-rapids.toml"),
    ),
    (
        "epyc-zen5",
        include_str!("../../../machines/epyc-zen5.toml"),
    ),
    (
        "neoverse-v2",
        include_str!("../../../machines/neoverse-v2.toml"),
    ),
];

/// The names of all of them.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The one of that name, if there is one.
///
/// # Errors
/// Its file is wrong, which the tests rule out.
pub fn builtin(name: &str) -> Result<Option<Machine>, MachineError> {
    let found = BUILTIN.iter().find(|(known, _)| *known == name);
    let read =
        found.map(|(name, text)| Machine::read(name, &format!("machines/{name}.toml"), text));
    read.transpose()
}
