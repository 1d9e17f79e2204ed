//! One file a command.

pub(crate) mod calibrate;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod limits;
pub(crate) mod machine;
pub(crate) mod man;
pub(crate) mod primes;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod scaling;
pub(crate) mod search;
mod search_study;
pub(crate) mod switch;
pub(crate) mod wiki;
pub(crate) mod workers;
