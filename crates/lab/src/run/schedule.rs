//! Which case continues: one order and one budget for all cases of a run (docs/method.md, "From launch to finding").
//! Rounds go where a row is near an answer:
//! ```text
//!   rows       their pilots, the headline of each study first: then every cost is known
//!              on to the first look: headlines first, the cheapest of them first
//!              then, again and again: of the open rows the one that is expected to have its answer in
//!              the least time gets the rounds up to its next look
//!   claims     cases that the findings of a source stand beside: to the first look, the studies in turn,
//!              before those beside which a figure stands alone
//!   points     of a sweep that has a row: to the first look, those that take at most a tenth of the budget
//!   rows       those whose answer is expected to take more than a tenth of what is left
//!   deciding   cases that a study names, but that have a row only where it is run alone
//!   maps       sweeps, and everything else: to the first look, one after the other
//!   rows       a first round of each that has no time for its first look
//!   maps       from their first looks on
//! ```
//! The outlook of a row ([`crate::findings::outlook`]) comes from its estimate and noise; one that is far from any
//! answer, or that CPU time has decided ([`by_cpu`]), comes behind the maps. A row is closed where the comparison that
//! it shows is decided at its present share of the level ([`crate::findings::levels`]).
//!
//! **Nothing is chosen between two looks.** A case that left a look gets all rounds to the next: only the end of the
//! budget can move that, which knows nothing of values. A look reads the rounds of its own case alone.
//!
//! **No case is left short of an interval.** A case behind the rows is begun only if the rounds up to its first look
//! fit into what is left. A row that does not fit gets what rounds there are after everything that fits. The reader is
//! told before the time is spent. A round that was begun is finished before any other slot.

use std::cell::RefCell;
use std::collections::BTreeMap;

use stats::{PLAN_ALPHA, shares};

use crate::data::{CaseEnd, Header, Questions};
use crate::findings::ledger::{At, CaseLog, Ledger};
use crate::findings::outlook::Outlook;
use crate::findings::quantity::{Compared, by_cpu};

pub(crate) struct Order {
    cases: Vec<Planned>,
    questions: Vec<Questions>,
    outlooks: RefCell<BTreeMap<At, Known>>,
}

struct Planned {
    at: At,
    tier: Tier,
    is_headline: bool,
    is_beside_row: bool,
    /// A finding beside it is a claim, and not a figure alone.
    is_claimed: bool,
    /// The variant that its row compares with the reference, where the study names it.
    subject: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Row,
    Claim,
    Point,
    /// A row that would take long, or a claim that has had its first look.
    Dear,
    Deciding,
    Map,
}

/// An answer that takes more than this share of what is left can wait for claims.
const DEAR: f64 = 0.1;

/// How far a case is on its way within its tier: the earliest continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Pilot,
    FirstLook,
    Fresh,
    Underway,
    Open,
    Cut,
}

#[derive(Clone, Copy)]
struct Known {
    rounds: usize,
    p_value: f64,
    /// By what the level was divided, and what the rounds say at that level.
    outlook: Option<(usize, Outlook)>,
    by_cpu: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Needs {
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
}

impl Order {
    pub(crate) fn of(header: &Header) -> Self {
        let alone = header.rows();
        let studies = header.studies.iter();
        let questions: Vec<Questions> = studies.map(|own| Questions::of(&own.cases)).collect();
        let studies = header.studies.iter().enumerate();
        let cases = studies.flat_map(|(study, own)| {
            let (rows, questions) = (&alone[study], &questions[study]);
            let named = own.rows(true);
            let published = own.published();
            own.cases.iter().enumerate().map(move |(case, one)| {
                let about = || published.iter().filter(|found| found.is_about(one));
                let row_of = |row: &usize| questions.are_one(*row, case);
                Planned {
                    at: At { study, case },
                    is_beside_row: !rows.contains(&case) && rows.iter().any(row_of),
                    is_claimed: about().any(|found| found.claim.is_some()),
                    tier: match () {
                        () if rows.contains(&case) => Tier::Row,
                        () if about().next().is_some() => Tier::Claim,
                        () if named.contains(&case) => Tier::Deciding,
                        () => Tier::Map,
                    },
                    is_headline: one.name == own.headline,
                    subject: own.subject_of(one),
                }
            })
        });
        Self {
            cases: cases.collect(),
            questions,
            outlooks: RefCell::default(),
        }
    }

    /// The case that continues, and whether it is over; `None` where all of them have ended.
    pub(crate) fn next(&self, ledger: &Ledger) -> Option<(At, Option<CaseEnd>)> {
        let open = || self.open(ledger);
        let with_end = |case: &Planned| (case.at, self.end_of(ledger, case));
        if let Some(begun) = open().find(|case| ledger.at(case.at).within_round() > 0) {
            return Some(with_end(begun));
        }
        let ends: Vec<(&Planned, Option<CaseEnd>)> = open()
            .map(|case| (case, self.end_of(ledger, case)))
            .collect();
        let is_over = |end: &Option<CaseEnd>| end.is_some_and(|end| end != CaseEnd::Budget);
        if let Some((case, end)) = ends.iter().find(|(_, end)| is_over(end)) {
            return Some((case.at, *end));
        }
        let able = ends.iter().filter(|(_, end)| end.is_none());
        let next = able.min_by_key(|(case, _)| self.precedence(ledger, case));
        next.or(ends.first()).map(|(case, end)| (case.at, *end))
    }

    fn open(&self, ledger: &Ledger) -> impl Iterator<Item = &Planned> {
        let cases = self.cases.iter();
        cases.filter(|case| ledger.at(case.at).ended.is_none())
    }

    /// A round that was begun is finished, unless it has failed and the budget is over.
    fn end_of(&self, ledger: &Ledger, case: &Planned) -> Option<CaseEnd> {
        let log = ledger.at(case.at);
        let left_s = ledger.left_s();
        if !log.has_enough(false) {
            return Some(CaseEnd::Failures);
        }
        if log.within_round() > 0 {
            let is_over = left_s.is_some_and(|left_s| left_s <= 0.0);
            return (is_over && log.has_failed_round()).then_some(CaseEnd::Budget);
        }
        let is_decided = log.judge.is_settled() && log.judge.is_decided();
        let is_decided = is_decided && log.judge.has_rounds_for_claims();
        let is_decided = is_decided || self.is_closed(ledger, case);
        let all_run = is_decided || log.judge.is_settled() || log.round() >= log.judge.max_rounds();
        if all_run && !log.has_enough(true) {
            return Some(CaseEnd::Failures);
        }
        if is_decided {
            return Some(CaseEnd::Decided);
        }
        if all_run {
            return Some(CaseEnd::Rounds);
        }
        let has_failed = || log.failed_pilots().next().is_some();
        (!self.has_time(ledger, case)).then(|| match has_failed() {
            true => CaseEnd::Failures,
            false => CaseEnd::Budget,
        })
    }

    /// For a round, or behind the rows for all rounds up to the first look.
    fn has_time(&self, ledger: &Ledger, case: &Planned) -> bool {
        let needs_s = match case.tier {
            Tier::Row => self.next_round_s(ledger, case.at),
            _ if is_begun(ledger.at(case.at)) => self.next_round_s(ledger, case.at),
            _ => self.first_look_s(ledger, case.at),
        };
        let left_s = ledger.left_s();
        left_s.is_none_or(|left_s| left_s > 0.0 && needs_s <= left_s)
    }

    fn precedence(&self, ledger: &Ledger, case: &Planned) -> impl Ord + use<> {
        let (stage, seconds, is_far) = self.stage(ledger, case);
        let is_short = self.lacks_time(ledger, case.at).is_some();
        let last = match () {
            () if is_short && case.tier == Tier::Row && !is_begun(ledger.at(case.at)) => 1,
            () if is_far || is_short => 3,
            () if stage >= Stage::Open && self.known(ledger, case.at).by_cpu => 3,
            () if case.tier >= Tier::Deciding && stage >= Stage::Underway => 2,
            () => 0,
        };
        let microseconds = (seconds * 1e6) as u64;
        let follows = stage <= Stage::FirstLook && !case.is_headline;
        let tier = match (case.tier, stage) {
            (Tier::Row, Stage::Open | Stage::Cut) if is_dear(ledger, seconds) => Tier::Dear,
            (Tier::Claim, Stage::Underway | Stage::Open | Stage::Cut) => Tier::Dear,
            (Tier::Deciding | Tier::Map, Stage::FirstLook | Stage::Fresh)
                if case.is_beside_row && self.has_cheap_look(ledger, case.at) =>
            {
                Tier::Point
            }
            (tier, _) => tier,
        };
        let turn = match stage {
            Stage::Fresh => (!case.is_claimed, self.claims_begun(ledger, case)),
            _ => (false, 0),
        };
        (last, tier, stage, follows, turn, microseconds, case.at)
    }

    /// Rows without a pilot: what is left of a budget is for all of them.
    pub(crate) fn rows_without_pilot(&self, ledger: &Ledger) -> usize {
        let rows = self.open(ledger).filter(|case| case.tier == Tier::Row);
        rows.filter(|case| ledger.at(case.at).pilot.is_none())
            .count()
    }

    fn claims_begun(&self, ledger: &Ledger, case: &Planned) -> usize {
        let cases = self.cases.iter();
        let own = cases.filter(|other| other.at.study == case.at.study);
        let claims = own.filter(|other| other.tier == Tier::Claim && case.tier == Tier::Claim);
        let begun = claims.filter(|other| ledger.at(other.at).pilot.is_some());
        begun.count()
    }

    /// How far a case is, how many seconds its next goal takes, and whether it is far from any answer.
    fn stage(&self, ledger: &Ledger, case: &Planned) -> (Stage, f64, bool) {
        let log = ledger.at(case.at);
        let is_row = case.tier == Tier::Row;
        if log.pilot.is_none() && log.round() == 0 {
            return (if is_row { Stage::Pilot } else { Stage::Fresh }, 0.0, false);
        }
        if log.round() < log.judge.fewest_rounds() {
            return (Stage::FirstLook, self.first_look_s(ledger, case.at), false);
        }
        if !log.judge.at_planned_look() {
            return (Stage::Underway, 0.0, false);
        }
        let next_s = log.until_s(log.judge.next_look());
        let fits = ledger.left_s().is_none_or(|left_s| next_s <= left_s);
        let outlook = self.outlook(ledger, case).unwrap_or(Outlook::UNKNOWN);
        let answer_s = outlook
            .look
            .map_or(f64::from(u32::MAX), |look| log.until_s(look));
        let stage = if fits { Stage::Open } else { Stage::Cut };
        (stage, answer_s, outlook.is_far)
    }

    /// `None` also where no pilot has measured how long a round is.
    pub(crate) fn lacks_time(&self, ledger: &Ledger, at: At) -> Option<Needs> {
        let log = ledger.at(at);
        let rounds = log.judge.fewest_rounds();
        let seconds = self.first_look_s(ledger, at);
        let is_short = ledger.left_s().is_some_and(|left_s| seconds > left_s);
        (is_short && log.round() < rounds).then_some(Needs { rounds, seconds })
    }

    fn first_look_s(&self, ledger: &Ledger, at: At) -> f64 {
        let log = ledger.at(at);
        let rounds = log.judge.fewest_rounds();
        match self.like(ledger, at) {
            Some(other) if log.pilot.is_none() => other.pilot_s() + rounds as f64 * other.round_s(),
            _ => log.until_s(rounds),
        }
    }

    fn has_cheap_look(&self, ledger: &Ledger, at: At) -> bool {
        let budget_s = ledger.header.settings.budget_s;
        let first_s = self.first_look_s(ledger, at);
        budget_s.is_none_or(|budget_s| first_s <= DEAR * budget_s)
    }

    fn next_round_s(&self, ledger: &Ledger, at: At) -> f64 {
        let log = ledger.at(at);
        match self.like(ledger, at) {
            Some(other) if log.pilot.is_none() => other.pilot_s() + other.round_s(),
            _ => log.round_s(),
        }
    }

    /// The case itself once its pilot was run, or else the last one before it in its sweep.
    fn like<'a>(&self, ledger: &'a Ledger, at: At) -> Option<&'a CaseLog> {
        let questions = &self.questions[at.study];
        let before = (questions.first(at.case)..=at.case).rev();
        let mut of = before.filter(|&other| questions.are_one(at.case, other));
        let logs = &ledger.logs[at.study];
        of.find_map(|other| Some(&logs[other]).filter(|log| log.pilot.is_some()))
    }

    fn is_closed(&self, ledger: &Ledger, case: &Planned) -> bool {
        let at_look = || ledger.at(case.at).judge.at_planned_look();
        case.tier == Tier::Row
            && at_look()
            && self
                .outlook(ledger, case)
                .is_some_and(|outlook| outlook.is_decided)
    }

    /// What the rounds of a case say at its last look, which is now; `None` where it compares nothing.
    fn outlook(&self, ledger: &Ledger, case: &Planned) -> Option<Outlook> {
        let judge = &ledger.at(case.at).judge;
        if !judge.compares() {
            return None;
        }
        let share = match case.tier {
            Tier::Row => self.share(ledger, case.at),
            _ => judge.answers(),
        };
        let mut known = self.known(ledger, case.at);
        match known.outlook {
            Some((of, outlook)) if of == share => Some(outlook),
            _ => {
                let outlook = judge.outlook(share, case.subject);
                known.outlook = Some((share, outlook));
                self.outlooks.borrow_mut().insert(case.at, known);
                Some(outlook)
            }
        }
    }

    fn share(&self, ledger: &Ledger, at: At) -> usize {
        let rows = self.cases.iter().filter(|case| case.tier == Tier::Row);
        let rows = rows.map(|case| case.at);
        let rows: Vec<At> = rows.filter(|at| ledger.at(*at).judge.compares()).collect();
        let p_value = |at: &At| self.known(ledger, *at).p_value;
        let p_values: Vec<f64> = rows.iter().map(p_value).collect();
        let shares = shares(rows.len(), |row, k| p_values[row] <= PLAN_ALPHA / k as f64);
        let own = rows.iter().position(|row| *row == at);
        own.map_or(1, |own| shares[own])
    }

    fn known(&self, ledger: &Ledger, at: At) -> Known {
        let judge = &ledger.at(at).judge;
        let rounds = judge.rounds();
        let mut outlooks = self.outlooks.borrow_mut();
        let known = outlooks.get(&at).filter(|known| known.rounds == rounds);
        *known.cloned().get_or_insert_with(|| {
            let known = Known {
                rounds,
                p_value: judge.smallest_p_at_looks(),
                outlook: None,
                by_cpu: self.is_decided_by_cpu(ledger, at),
            };
            outlooks.insert(at, known);
            known
        })
    }

    fn is_decided_by_cpu(&self, ledger: &Ledger, at: At) -> bool {
        let rows = || self.cases.iter().filter(|case| case.tier == Tier::Row);
        let Some(row) = rows().find(|case| case.at == at) else {
            return false;
        };
        let (log, header) = (ledger.at(at), &ledger.header);
        let case = &header.studies[at.study].cases[at.case];
        let pairs = case.variants.len().saturating_sub(1);
        let subject = row.subject.or((pairs == 1).then_some(1));
        let reference = log.judge.reference();
        let subject = subject.filter(|at| *at != reference && !log.judge.is_given_up(*at));
        subject.is_some_and(|subject| {
            let pair = Compared {
                reference,
                subject,
                floor: log.judge.conclude().0,
                comparisons: pairs * rows().count(),
            };
            by_cpu::decides(case, &log.slots, header, pair)
        })
    }

    /// Seconds until every row has its first look, and until the run is over if no look decides.
    pub(crate) fn expected(&self, ledger: &Ledger) -> Option<(f64, f64)> {
        let rows = || self.open(ledger).filter(|case| case.tier == Tier::Row);
        let piloted = rows().all(|case| ledger.at(case.at).pilot.is_some());
        let first_s: f64 = rows().map(|case| self.first_look_s(ledger, case.at)).sum();
        let first_s = ledger
            .left_s()
            .map_or(first_s, |left_s| first_s.min(left_s.max(0.0)));
        Some((first_s, remaining_s(ledger)?)).filter(|_| piloted && rows().next().is_some())
    }
}

fn is_dear(ledger: &Ledger, seconds: f64) -> bool {
    let left_s = ledger.left_s();
    left_s.is_some_and(|left_s| seconds > DEAR * left_s)
}

fn is_begun(log: &CaseLog) -> bool {
    log.round() > 0
}

/// If no look decides anything; `None` where not all pilots were run and there is no budget.
pub(crate) fn remaining_s(ledger: &Ledger) -> Option<f64> {
    let logs = ledger.logs.iter().flatten();
    let open: Vec<&CaseLog> = logs.filter(|log| log.ended.is_none()).collect();
    let known = open.iter().all(|log| log.pilot.is_some());
    let until = |log: &&CaseLog| log.until_s(log.judge.max_rounds());
    let all: Option<f64> = known.then(|| open.iter().map(until).sum());
    let left = ledger.left_s().map(|left_s| left_s.max(0.0));
    match (all, left) {
        (Some(all), Some(left)) => Some(all.min(left)),
        (all, left) => all.or(left),
    }
}
