//! A journal of another user or machine, or a changed one, names commands to be run (`exec`, study
//! files). It is shown before it is trusted. Slots of two machines would mix, too.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lab::{Header, Results, Study};
use machine::Machine;
use measure::Measured;
use nix::unistd::{Uid, geteuid};

use crate::files::works;
use crate::output;

pub(super) fn refuse(journal: &Path, here: &Machine) -> Result<()> {
    let about =
        fs::metadata(journal).with_context(|| format!("cannot read {}", journal.display()))?;
    let header = Results::from_journal(journal)?.header;
    let owner = Uid::from_raw(about.uid());
    let is_whole = lab::has_whole_header(journal)?;
    let changed = || "not as it was written: its first line was changed".to_owned();
    let whose = whose(owner, geteuid(), &header, here).or_else(|| (!is_whole).then(changed));
    let Some(whose) = whose else {
        return Ok(());
    };
    output::tell(&format!(
        "The run was begun as: {}",
        header.command.join(" ")
    ));
    for line in commands(&header.studies) {
        output::tell(&format!("It would run: {line}"));
    }
    bail!(
        "{} is {whose}: to continue it is to run what it names; add --trust if that is right",
        journal.display()
    )
}

fn whose(owner: Uid, own: Uid, header: &Header, here: &Machine) -> Option<String> {
    if owner != own {
        return Some(format!("of another user (user {owner})"));
    }
    match (&header.machine.host, &here.host) {
        (Measured::Value(there), Measured::Value(here)) if there == here => None,
        (Measured::Value(there), _) => Some(format!("of another machine ({there})")),
        (_, Measured::Value(_)) => Some("of a machine that has no name".to_owned()),
        _ => None,
    }
}

/// Of all launches, with variables of their environment and libraries loaded into slots, each once.
fn commands(studies: &[Study]) -> BTreeSet<String> {
    let bodies = works(studies).filter_map(|work| work.library());
    let programs = works(studies).filter_map(|work| work.program());
    let lines = programs.flat_map(|program| {
        let set = program.env.iter();
        let set = set.map(|(name, value)| format!("{name}={value} ..."));
        program.lines().map(str::to_owned).chain(set)
    });
    let cases = studies.iter().flat_map(|study| &study.cases);
    let allocators = cases
        .flat_map(|case| &case.variants)
        .filter_map(|variant| variant.variant.allocator.as_ref());
    let libraries = allocators.filter_map(|allocator| match allocator.source() {
        flow::AllocatorSource::File(library) => Some(library),
        _ => None,
    });
    let code = bodies.chain(libraries);
    let code = code.map(|library| format!("code of {}", library.display()));
    lines.chain(code).collect()
}

#[cfg(test)]
mod tests {
    use lab::{Preset, Settings};

    use super::*;

    /// `--resume` of a stranger's journal ran its commands and did not say so first.
    #[test]
    fn a_journal_of_another_user_or_machine_is_a_strangers() {
        let here = Machine::read();
        let mut header = Header {
            schema: lab::SCHEMA,
            version: "0".to_owned(),
            began_unix_s: 0,
            command: Vec::new(),
            settings: Settings::usual(Preset::Quick, 1),
            machine: here.clone(),
            files_on: Vec::new(),
            studies: Vec::new(),
        };
        let [root, other] = [0, 1].map(Uid::from_raw);
        assert_eq!(whose(root, root, &header, &here), None);
        assert!(whose(other, root, &header, &here).is_some_and(|whose| whose.contains("user 1")));
        header.machine.host = Measured::Value("elsewhere".to_owned());
        assert!(whose(root, root, &header, &here).is_some_and(|whose| whose.contains("elsewhere")));
        let why = "is not told".to_owned();
        header.machine.host = Measured::not_available(why, "");
        assert!(whose(root, root, &header, &here).is_some_and(|whose| whose.contains("no name")));
    }
}
