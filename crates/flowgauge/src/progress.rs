//! What a running command shows on standard error, between slots and never within one.
//!
//! On a terminal: one line that is drawn again after each slot, with what runs, which round
//! of how many at most, how long still, and the running estimate. Elsewhere: a line as each case begins and one
//! as it ends.

use lab::{CaseEnd, Event, Observer, Place, SlotPlace, Standing};
use stats::Verdict;

use crate::screen::Screen;

/// Shows a run as it goes on.
#[derive(Debug)]
pub(crate) struct Progress {
    screen: Screen,
    left: String,
}

impl Progress {
    pub(crate) fn new(screen: Screen) -> Self {
        Self {
            screen,
            left: String::new(),
        }
    }

    fn slot_ended(
        &self,
        slot: &SlotPlace<'_>,
        failure: Option<&String>,
        standings: &[Standing<'_>],
    ) {
        if let Some(why) = failure {
            let SlotPlace {
                study,
                case,
                variant,
                ..
            } = slot;
            self.screen.say(&format!(
                "{} {}: a slot of {variant} failed: {why}",
                study.name, case.name
            ));
        }
        self.screen
            .advance(slot.round as u64 + 1, slot.max_rounds as u64);
        let estimate = standings.first().and_then(running).unwrap_or_default();
        self.screen.draw(format!(
            "{} {} {}/{}{}{estimate}",
            slot.study.name,
            slot.case.name,
            slot.round + 1,
            slot.max_rounds,
            self.left,
        ));
    }
}

/// ` · thread/process 0.982`.
fn running(standing: &Standing<'_>) -> Option<String> {
    let ratio = standing.estimate?.ratio;
    Some(format!(
        " · {}/{} {ratio:.3}",
        standing.subject, standing.reference
    ))
}

fn ended(place: &Place<'_>, because: CaseEnd) -> String {
    let why = match because {
        CaseEnd::Decided if place.case.variants.len() == 1 => "measured",
        CaseEnd::Decided => "decided",
        CaseEnd::Rounds => "all rounds run",
        CaseEnd::Budget => "time budget used up",
        CaseEnd::Failures => "given up: too many slots failed",
    };
    format!("{} {}: {why}", place.study.name, place.case.name)
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster { .. } => "faster",
        Verdict::Slower { .. } => "slower",
        Verdict::Same { .. } => "same",
        Verdict::CannotTell { .. } => "cannot tell yet",
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
    format!(
        "{} {}: look after {after}: {}",
        place.study.name,
        place.case.name,
        words.join(", ")
    )
}

impl Observer for Progress {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::RunBegins { slots_done, .. } if *slots_done > 0 => {
                self.screen
                    .say(&format!("going on after {slots_done} finished slots"));
            }
            Event::SlotBegins { slot } => {
                let SlotPlace { study, case, .. } = slot;
                let round = slot.round + 1;
                let what = format!("{} {}, round {round}", study.name, case.name);
                self.screen.now_runs(what, Some(slot.variant));
            }
            Event::PilotBegins { place } => {
                let what = format!("{} {}, pilot", place.study.name, place.case.name);
                self.screen.now_runs(what, None);
                self.screen
                    .draw(format!("{} {} · pilot", place.study.name, place.case.name));
            }
            Event::CaseBegins { place, .. } if !self.screen.is_terminal() => {
                self.screen.say(&format!(
                    "{} {}: {}",
                    place.study.name, place.case.name, place.case.title
                ));
            }
            Event::Remaining { study_s, .. } => {
                self.left = study_s.map_or_else(String::new, |study_s| {
                    format!(" · {study_s:.0} s left at most")
                });
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
                self.screen.say(&look(place, *rounds, standings));
            }
            Event::CaseEnded { place, because } if !self.screen.is_terminal() => {
                self.screen.say(&ended(place, *because));
            }
            _ => {}
        }
    }
}
