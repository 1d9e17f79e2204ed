//! The report of refused flows: the kernel's answer, once, and the consequence.

use std::io;

use crate::models::FlowSet;
use crate::problem::{Problem, words};

pub(crate) fn tell_pool(
    set: &FlowSet<'_, '_>,
    made: usize,
    wanted: usize,
    what: &str,
    error: &io::Error,
) {
    let with = match made {
        0 => "this one".to_owned(),
        _ => format!("{made} of {wanted} {what}"),
    };
    let said = Problem::otherwise(format!("{}: going on with {with}", refusal(what, error)));
    set.outlet.tell(&said);
}

pub(crate) fn tell_each(set: &FlowSet<'_, '_>, live: u64, what: &str, error: &io::Error) {
    let with = match live {
        0 => "this one".to_owned(),
        _ => format!("at most {live} at one time"),
    };
    let said = format!("{}: going on with {with}", refusal(what, error));
    set.outlet.tell(&Problem::notice(None, said));
}

fn refusal(what: &str, error: &io::Error) -> String {
    format!("the kernel makes no more {what} ({})", words(error))
}
