//! How many flows there can be here, in the words that all reports share: a row a model.

use lab::capacity::limit;
use lab::{Limit, StudyResult};

use crate::number::{NONE, bytes, count, time};

/// The heading of the table.
pub(crate) const TITLE: &str = "How many flows of each model there can be here";

/// What the table's columns are.
pub(crate) const HEADS: [&str; 6] = [
    "flows",
    "at most here",
    "stopped by",
    "to raise it",
    "create",
    "memory",
];

/// A row: the fields of [`HEADS`].
pub(crate) fn row(of: &Limit) -> [String; 6] {
    let none = || NONE.to_owned();
    let room = of.room.as_ref();
    [
        of.label.clone(),
        room.map_or_else(none, |room| count(room.count)),
        room.map_or_else(none, limit),
        room.map_or_else(none, |room| room.raise.clone()),
        of.create_ns_each.map_or_else(none, time),
        of.bytes_each.map_or_else(none, bytes),
    ]
}

/// What raises each limit, and whose it is: `("process, thread", "sudo sysctl …")`.
pub(crate) fn remedies(study: &StudyResult) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for one in &study.limits {
        let Some(room) = &one.room else { continue };
        match all.iter_mut().find(|(_, raise)| *raise == room.raise) {
            Some((labels, _)) => *labels = format!("{labels}, {}", one.label),
            None => all.push((one.label.clone(), room.raise.clone())),
        }
    }
    all
}

/// What the figures rest on, and why some are not there.
pub(crate) fn notes(study: &StudyResult) -> Vec<String> {
    let made = |one: &Limit| format!("{} of {}", count(one.made), one.label);
    let made: Vec<String> = study.limits.iter().map(made).collect();
    let mut notes = vec![format!(
        "how many: predicted from what can be read now; made for real, with time and memory of one \
         measured on them: {}",
        made.join(", ")
    )];
    let needed = |one: &Limit| {
        let room = one.room.as_ref()?;
        let counted = room.unit == machine::Unit::Bytes && room.each > 0;
        counted.then(|| format!("{} for {}", bytes(room.each as f64), one.label))
    };
    let needed: Vec<String> = study.limits.iter().filter_map(needed).collect();
    if !needed.is_empty() {
        notes.push(format!(
            "of its limit a flow was taken to need, where that counts bytes: {}",
            needed.join(", ")
        ));
    }
    let missing = study.limits.iter().filter_map(|one| {
        let reason = one.bytes_not_available.as_ref()?;
        Some(format!(
            "memory of {} is not available: {reason}",
            one.label
        ))
    });
    notes.extend(missing);
    notes
}
