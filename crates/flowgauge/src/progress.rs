//! What a running command shows on standard error, between slots and never within one.
//!
//! On a terminal: one line that is drawn again after each slot, with what runs, which round
//! of how many at most, how long still, and the running estimate. Elsewhere: a line as each case begins and one
//! as it ends.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::{CaseEnd, Event, Observer, Place, SlotPlace, Standing};
use stats::Verdict;

use crate::output::tell;

/// Shows a run as it goes on.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    left: String,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:10.cyan/dim} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Self {
            bar,
            left: String::new(),
        }
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A line that stays.
    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(line)),
            None => tell(line),
        }
    }

    fn draw(&self, message: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(report::text::visible(&message).into_owned());
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
            self.say(&format!(
                "{} {}: a slot of {variant} failed: {why}",
                study.name, case.name
            ));
        }
        if let Some(bar) = &self.bar {
            bar.set_length(slot.max_rounds as u64);
            bar.set_position(slot.round as u64 + 1);
        }
        let estimate = standings.first().and_then(running).unwrap_or_default();
        self.draw(format!(
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
                self.say(&format!("going on after {slots_done} finished slots"));
            }
            Event::PilotBegins { place } => {
                self.draw(format!("{} {} · pilot", place.study.name, place.case.name));
            }
            Event::CaseBegins { place, .. } if self.bar.is_none() => {
                self.say(&format!(
                    "{} {}: {}",
                    place.study.name, place.case.name, place.case.title
                ));
            }
            Event::Remaining { study_s, .. } => {
                self.left = format!(" · {study_s:.0} s left at most");
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
            } if self.bar.is_none() && !standings.is_empty() => {
                self.say(&look(place, *rounds, standings));
            }
            Event::CaseEnded { place, because } if self.bar.is_none() => {
                self.say(&ended(place, *because));
            }
            _ => {}
        }
    }
}
