//! What a running command shows on standard error, between slots and never within one. On a
//! terminal one line, drawn again after each slot; elsewhere a line as each case begins and ends,
//! and one of progress after [`SILENCE`].

use std::collections::HashSet;
use std::time::{Duration, Instant};

use lab::findings::Word;
use lab::{Case, CaseEnd, Event, Observer, Place, SlotPlace, Standing, Study};
use stats::Verdict;

use crate::screen::Screen;

const SILENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Progress {
    screen: Screen,
    left: String,
    silence: Silence,
    pilots: usize,
    is_short: bool,
    failed: HashSet<(String, String)>,
}

#[derive(Debug)]
struct Silence {
    since: Instant,
    bearable: Duration,
}

impl Silence {
    fn begins(bearable: Duration) -> Self {
        Self {
            since: Instant::now(),
            bearable,
        }
    }

    fn is_over(&mut self) -> bool {
        let over = self.since.elapsed() >= self.bearable;
        if over {
            self.since = Instant::now();
        }
        over
    }
}

impl Progress {
    pub(crate) fn new(screen: Screen) -> Self {
        Self {
            screen,
            left: String::new(),
            silence: Silence::begins(SILENCE),
            pilots: 0,
            is_short: false,
            failed: HashSet::new(),
        }
    }

    fn say(&mut self, line: &str) {
        self.silence.since = Instant::now();
        self.screen.say(line);
    }

    fn is_at(&mut self, line: String) {
        if !self.screen.is_terminal() && self.silence.is_over() {
            self.screen.say(&line);
        }
        self.screen.draw(line);
    }

    fn pilot_begins(&mut self, place: &Place<'_>) {
        self.pilots += 1;
        let at = named(place.study, place.case);
        self.screen.now_runs(format!("{at}, pilot"), None);
        let (pilot, all) = (self.pilots, place.study.cases.len());
        self.is_at(format!("{at} · pilot {pilot} of {all}"));
    }

    fn round_aside(&mut self, place: &Place<'_>, what: &str, (round, rounds): (usize, usize)) {
        let at = named(place.study, place.case);
        self.screen.now_runs(format!("{at}, {what}"), None);
        let round = round + 1;
        self.is_at(format!("{at} · {what}, round {round} of {rounds}"));
    }

    fn slot_ended(
        &mut self,
        slot: &SlotPlace<'_>,
        failure: Option<&String>,
        standings: &[Standing<'_>],
    ) {
        let at = named(slot.study, slot.case);
        if let Some(why) = failure {
            let variant = slot.variant;
            let is_new = self.failed.insert((variant.to_owned(), why.clone()));
            if is_new && !self.screen.is_terminal() {
                self.say(&format!("{at}: {variant} failed: {why}"));
            }
        }
        self.screen
            .advance(slot.round as u64 + 1, slot.max_rounds as u64);
        let estimate = standings.first().and_then(running).unwrap_or_default();
        let failed = match self.failed.len() {
            0 => "",
            _ => " · some failed",
        };
        let (round, rounds, left) = (slot.round + 1, slot.max_rounds, &self.left);
        self.is_at(format!("{at} {round}/{rounds}{left}{estimate}{failed}"));
    }
}

fn named(study: &Study, case: &Case) -> String {
    format!("{} {}", study.name, case.name)
}

fn running(standing: &Standing<'_>) -> Option<String> {
    let ratio = standing.estimate?.ratio;
    Some(format!(
        " · {}/{} {ratio:.3}",
        standing.subject, standing.reference
    ))
}

/// `First answers in about 25 s; at most 2 min 5 s for all that this run can tell (Ctrl-C …)`.
fn expected(first_s: f64, most_s: f64) -> String {
    let [first, most] = [first_s, most_s].map(|seconds| match seconds.ceil() as u64 {
        seconds @ ..=99 => format!("{} s", seconds.max(1)),
        seconds => format!("{} min", seconds.div_ceil(60)),
    });
    format!(
        "First answers in about {first}; at most {most} for all that this run can tell (Ctrl-C ends it \
         with what is known)"
    )
}

fn ended(place: &Place<'_>, because: CaseEnd) -> String {
    let why = match because {
        CaseEnd::Decided if place.case.variants.len() == 1 => "measured",
        CaseEnd::Decided if place.case.name == place.study.headline => "decided",
        // The answers share their level with other comparisons.
        CaseEnd::Decided => "decided by itself",
        CaseEnd::Rounds => "all rounds run",
        CaseEnd::Budget => "time budget used up",
        CaseEnd::Failures => "given up: too many slots failed",
    };
    format!("{}: {why}", named(place.study, place.case))
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::CannotTell { .. } => "not known yet",
        decided => Word::of_time(decided).name(),
    }
}

fn look(place: &Place<'_>, rounds: usize, standings: &[Standing<'_>]) -> String {
    let words = standings
        .iter()
        .filter_map(|s| Some(format!("{} {}", s.subject, word(s.verdict?))));
    let words: Vec<String> = words.collect();
    let after = match rounds {
        1 => "1 round".to_owned(),
        _ => format!("{rounds} rounds"),
    };
    let at = named(place.study, place.case);
    format!("{at}: look after {after}: {}", words.join(", "))
}

impl Observer for Progress {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::RunBegins { slots_done, .. } if *slots_done > 0 => {
                self.say(&format!("continues after {slots_done} finished launches"));
            }
            Event::StudyBegins { .. } => self.pilots = 0,
            Event::SlotBegins { slot } => {
                let (at, round) = (named(slot.study, slot.case), slot.round + 1);
                let what = format!("{at}, round {round}");
                self.screen.now_runs(what, Some(slot.variant));
            }
            Event::PilotBegins { place } => self.pilot_begins(place),
            Event::RoundAside { place, what, at } => self.round_aside(place, what, *at),
            Event::BudgetTooShort {
                place,
                rounds,
                needs_s,
                left_s,
                enough_s,
            } if !(self.is_short && self.screen.is_terminal()) => {
                self.is_short = true;
                let at = named(place.study, place.case);
                self.say(&format!(
                    "{at}: no interval in the {left_s:.0} s that are left: {rounds} rounds take about \
                     {needs_s:.0} s; use --budget {enough_s}s"
                ));
            }
            Event::CaseBegins { place, .. } if !self.screen.is_terminal() => {
                let at = named(place.study, place.case);
                self.say(&format!("{at}: {}", place.case.title));
            }
            Event::Expected { first_s, most_s } => self.say(&expected(*first_s, *most_s)),
            Event::Remaining { run_s, .. } => {
                let left = |run_s| format!(" · {run_s:.0} s left at most");
                self.left = run_s.map_or_else(String::new, left);
            }
            Event::SlotEnded {
                slot,
                failure,
                standings,
                ..
            } => {
                self.slot_ended(slot, failure.as_ref(), standings);
            }
            Event::LookTaken {
                place,
                rounds,
                standings,
            } if !self.screen.is_terminal() && !standings.is_empty() => {
                self.say(&look(place, *rounds, standings));
            }
            Event::CaseEnded { place, because } if !self.screen.is_terminal() => {
                self.say(&ended(place, *because));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pilots of a long study said nothing for minutes where there was no terminal.
    #[test]
    fn silence_that_lasts_is_broken_once() {
        let mut none = Silence::begins(Duration::ZERO);
        assert!(none.is_over());
        let mut long = Silence::begins(Duration::from_secs(3_600));
        assert!(!long.is_over());
        long.since -= Duration::from_secs(3_600);
        assert!(long.is_over());
        assert!(!long.is_over());
    }
}
