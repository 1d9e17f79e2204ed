//! Why a finding is as it is: reasons taken from counts.
//!
//! # Theory
//!
//! Each rule looks at one thing that was counted on both sides and speaks only where the
//! sides lie far apart ([`FAR`], and by more than a handful). It says what was counted and
//! leaves the conclusion to the reader, except for the phases, which add up to the
//! difference and so can be given as shares of it.

use stats::Verdict;

use super::profile::Profile;
use crate::Metric;
use crate::number::{bytes, factor, plain, time};
use crate::words::plural;

/// Counts are far apart from this factor on.
const FAR: f64 = 1.5;
/// Fewer faults or switches apart than this explain nothing.
const HANDFUL: f64 = 20.0;
/// Fewer bytes of page tables apart than this explain nothing.
const FEW_BYTES: f64 = 16_384.0;
/// A last flow that ends this much later than the mean one decides the time.
const LATE: f64 = 1.15;

/// One side of a finding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) label: &'a str,
    pub(crate) profile: &'a Profile,
}

/// The reasons for the difference of two variants, the weightiest first. `steady` is the
/// sentence on the steady phases alone.
pub(crate) fn why(
    subject: Side<'_>,
    reference: Side<'_>,
    metric: Metric,
    verdict: Verdict,
    steady: Option<String>,
) -> Vec<String> {
    // A turn does one thing only, and variants take different numbers of them.
    if metric == Metric::Switch {
        return page_tables(subject, reference).into_iter().collect();
    }
    let differ = matches!(verdict, Verdict::Faster { .. } | Verdict::Slower { .. });
    let phases = (metric == Metric::Total && differ).then(|| phases(subject, reference));
    let steady = steady.filter(|_| metric == Metric::Total && differ);
    [
        phases.flatten(),
        steady,
        faults(subject, reference),
        page_tables(subject, reference),
        switches(subject, reference),
        cpu_time(subject, reference),
        late(subject, reference),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How much of the difference lies in which phase.
fn phases(subject: Side<'_>, reference: Side<'_>) -> Option<String> {
    let (s, r) = (subject.profile.phases, reference.profile.phases);
    let create = s.create_ns - r.create_ns;
    let teardown = s.teardown_ns - r.teardown_ns;
    let steady = s.steady_ns - r.steady_ns;
    let making = create + teardown;
    let total = making + steady;
    if total == 0.0 {
        return None;
    }
    let share = making / total;
    if !(0.0..=1.0).contains(&share) {
        return Some(format!(
            "create and tear-down take {}, the steady phase {}",
            more_or_less(making),
            more_or_less(steady)
        ));
    }
    Some(format!(
        "of the difference of {}, {:.0} % is create and tear-down ({} and {}) and {:.0} % the steady phase",
        time(total.abs()),
        100.0 * share,
        time(create.abs()),
        time(teardown.abs()),
        100.0 - (100.0 * share).round()
    ))
}

fn more_or_less(ns: f64) -> String {
    let word = if ns < 0.0 { "less" } else { "more" };
    format!("{} {word}", time(ns.abs()))
}

/// Page faults, and how many of them are the parent's: after a fork it pays one for each
/// page that it writes.
fn faults(subject: Side<'_>, reference: Side<'_>) -> Option<String> {
    let all = |side: Side<'_>| side.profile.parent_faults + side.profile.flow_faults;
    let (s, r) = (all(subject), all(reference));
    let comparison = far_apart(s, r, HANDFUL, "fewer")?;
    let more = if s > r { subject } else { reference };
    Some(format!(
        "{} page faults against {} ({comparison}); of those of {} {} are the parent's",
        plain(s),
        plain(r),
        plural(more.label),
        plain(more.profile.parent_faults)
    ))
}

fn page_tables(subject: Side<'_>, reference: Side<'_>) -> Option<String> {
    let (s, r) = (subject.profile.page_tables?, reference.profile.page_tables?);
    let comparison = far_apart(s, r, FEW_BYTES, "less")?;
    Some(format!(
        "{} of page tables against {} ({comparison})",
        bytes(s),
        bytes(r)
    ))
}

fn switches(subject: Side<'_>, reference: Side<'_>) -> Option<String> {
    let all = |side: Side<'_>| side.profile.voluntary + side.profile.involuntary;
    let (s, r) = (all(subject), all(reference));
    let comparison = far_apart(s, r, HANDFUL, "fewer")?;
    Some(format!(
        "{} context switches against {} ({comparison}); involuntary {} against {}",
        plain(s),
        plain(r),
        plain(subject.profile.involuntary),
        plain(reference.profile.involuntary)
    ))
}

fn cpu_time(subject: Side<'_>, reference: Side<'_>) -> Option<String> {
    let (s, r) = (subject.profile.cpu_ns, reference.profile.cpu_ns);
    let comparison = far_apart(s, r, 0.0, "less")?;
    Some(format!(
        "{} of CPU time against {} ({comparison})",
        time(s),
        time(r)
    ))
}

/// A last flow that works on alone leaves the other CPUs idle.
fn late(subject: Side<'_>, reference: Side<'_>) -> Option<String> {
    let (s, r) = (subject.profile.imbalance, reference.profile.imbalance);
    let apart = s.max(r) / s.min(r);
    (s.max(r) >= LATE && apart >= LATE)
        .then(|| format!("the last flow ends {s:.2}x as late as the mean one, against {r:.2}x"))
}

/// "38x fewer" or "2.1x more", if the two are far apart; `below` is the word for the former.
fn far_apart(subject: f64, reference: f64, at_least: f64, below: &str) -> Option<String> {
    let (less, more) = (subject.min(reference), subject.max(reference));
    if more - less <= at_least || more < FAR * less {
        return None;
    }
    let word = if subject < reference { below } else { "more" };
    Some(if less > 0.0 {
        format!("{} {word}", factor(more / less))
    } else {
        word.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Phases;

    const DIFFERENT: Verdict = Verdict::Faster { at_least: 0.2 };

    /// A profile of threads that find primes.
    fn thread() -> Profile {
        Profile {
            phases: Phases {
                create_ns: 200e3,
                steady_ns: 5e6,
                teardown_ns: 100e3,
            },
            cpu_ns: 9e6,
            parent_faults: 100.0,
            flow_faults: 50.0,
            voluntary: 12.0,
            involuntary: 3.0,
            parent_end_ns: 5e6,
            imbalance: 1.1,
            page_tables: Some(50e3),
        }
    }

    fn reasons(process: Profile, verdict: Verdict) -> Vec<String> {
        let (thread, process) = (thread(), process);
        why(
            Side {
                label: "thread",
                profile: &thread,
            },
            Side {
                label: "process",
                profile: &process,
            },
            Metric::Total,
            verdict,
            None,
        )
    }

    #[test]
    fn nothing_is_said_of_equal_counts() {
        let same = Verdict::Same { within: 0.01 };
        assert_eq!(reasons(thread(), same), Vec::<String>::new());
    }

    #[test]
    fn phases_are_shares_of_the_difference() {
        let mut process = thread();
        process.phases = Phases {
            create_ns: 900e3,
            steady_ns: 5.1e6,
            teardown_ns: 300e3,
        };
        assert_eq!(
            reasons(process, DIFFERENT),
            [
                "of the difference of 1.00 ms, 90 % is create and tear-down (700 µs and 200 µs) \
              and 10 % the steady phase"
            ]
        );
        process.phases.steady_ns = 4.5e6;
        assert_eq!(
            reasons(process, DIFFERENT),
            ["create and tear-down take 900 µs less, the steady phase 500 µs more"]
        );
        let undecided = Verdict::CannotTell { more_rounds: None };
        assert_eq!(reasons(process, undecided), Vec::<String>::new());
    }

    #[test]
    fn faults_tell_the_parents_part() {
        let mut process = thread();
        (process.parent_faults, process.flow_faults) = (2100.0, 3600.0);
        assert_eq!(
            reasons(process, Verdict::Same { within: 0.01 }),
            [
                "150 page faults against 5,700 (38x fewer); of those of processes 2,100 are the \
              parent's"
            ]
        );
    }

    #[test]
    fn page_tables_switches_and_cpu_time_speak_when_far_apart() {
        let mut process = thread();
        process.page_tables = Some(250e3);
        process.voluntary = 97.0;
        process.cpu_ns = 18e6;
        assert_eq!(
            reasons(process, Verdict::Same { within: 0.01 }),
            [
                "48.8 KiB of page tables against 244 KiB (5.00x less)",
                "15 context switches against 100 (6.67x fewer); involuntary 3 against 3",
                "9.00 ms of CPU time against 18.0 ms (2.00x less)",
            ]
        );
        process = thread();
        process.voluntary = 30.0;
        process.page_tables = None;
        assert_eq!(
            reasons(process, DIFFERENT),
            Vec::<String>::new(),
            "a handful"
        );
    }

    #[test]
    fn a_last_flow_that_works_on_alone_is_named() {
        let mut process = thread();
        process.imbalance = 1.42;
        assert_eq!(
            reasons(process, Verdict::Same { within: 0.01 }),
            ["the last flow ends 1.10x as late as the mean one, against 1.42x"]
        );
    }
}
