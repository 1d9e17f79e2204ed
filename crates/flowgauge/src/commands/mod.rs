//! One file a command.

pub(crate) mod calibrate;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod exec;
pub(crate) mod fleet;
pub(crate) mod hybrid;
pub(crate) mod limits;
pub(crate) mod machine;
pub(crate) mod malloc;
pub(crate) mod man;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod search;
mod search_study;
pub(crate) mod simulate;
pub(crate) mod study;
pub(crate) mod wiki;
