//! One round as a film: the two launches of a typical round, flow by flow.
//!
//! # Theory
//!
//! A repetition records when all flows stood at the gate, when each began and ended its work, how long
//! it had a CPU, and when the last was joined or reaped. The picture shows that on one time line for
//! both sides; the script plays it slowly. When within its work a flow had the CPU is not recorded, so
//! a bar only says how much of it that was: by the height of its dark part.
//!
//! The round is the one whose ratio is nearest to the estimate, and of its repetitions the one of the
//! median time. The phase that differs most in it is named; whether that is the cause of the row is
//! for the row to say.

use flow::{FlowRecord, Rep};
use lab::findings::answers::Rounds;
use lab::{Answer, RawSlot, Results};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::Lesson;
use super::picture::{WIDTH, at, px};
use crate::number::time;

/// Lanes of a side at most.
const LANES: usize = 8;
const LANE: f64 = 11.0;
const HEAD: f64 = 24.0;
/// Below the lanes of a side.
const GAP: f64 = 12.0;
const AXIS: f64 = 22.0;

/// The launches of one round.
#[derive(Debug)]
pub(super) struct Film {
    /// From 0.
    round: usize,
    /// The subject, then the reference.
    sides: [Side; 2],
}

#[derive(Debug)]
struct Side {
    name: String,
    phases: [f64; 3],
    /// Begin, end and CPU time of each flow, after the release.
    flows: Vec<[f64; 3]>,
    more: usize,
}

const PHASES: [&str; 3] = ["create", "work", "tear-down"];

pub(super) fn of(
    results: &Results,
    row: &Answer,
    rounds: &Rounds,
    names: [&str; 2],
) -> Option<Film> {
    let case = results.case_of(row)?;
    let ratio = row.ratio?;
    let far = |(_, r, s): &(usize, f64, f64)| (s / r / ratio).ln().abs();
    let typical = rounds
        .paired
        .iter()
        .min_by(|a, b| far(a).total_cmp(&far(b)))?;
    let side = |label: &Option<String>, name: &str| {
        let label = label.as_deref()?;
        let place = case.variants.iter().position(|own| own.label == label)?;
        let mut slots = case.slots.iter();
        let slot = slots.find(|slot| slot.round == typical.0 && slot.variant == place)?;
        side(slot, name)
    };
    let [subject, reference] = names;
    let sides = [
        side(&row.subject, subject)?,
        side(&row.reference, reference)?,
    ];
    Some(Film {
        round: typical.0,
        sides,
    })
}

fn side(slot: &RawSlot, name: &str) -> Option<Side> {
    let mut reps: Vec<&Rep> = slot.outcome.answer.done()?.reps.iter().collect();
    reps.sort_by_key(|rep| rep.total_ns());
    let rep = *reps.get(reps.len() / 2)?;
    let lane =
        |flow: &FlowRecord| [flow.start_ns, flow.end_ns, flow.steady.cpu_ns].map(|ns| ns as f64);
    Some(Side {
        name: name.to_owned(),
        phases: [rep.create_ns, rep.steady_ns, rep.teardown_ns].map(|ns| ns as f64),
        flows: rep.flows.iter().take(LANES).map(lane).collect(),
        more: rep.flows.len().saturating_sub(LANES),
    })
}

impl Side {
    fn total(&self) -> f64 {
        self.phases.iter().sum()
    }

    fn height(&self) -> f64 {
        HEAD + LANE * self.flows.len() as f64 + GAP
    }
}

impl Film {
    fn total(&self) -> f64 {
        self.sides.iter().map(Side::total).fold(1.0, f64::max)
    }

    /// The phase that differs most, and by how much the subject needs more.
    fn apart(&self) -> (usize, f64) {
        let [subject, reference] = &self.sides;
        let apart = |phase: usize| subject.phases[phase] - reference.phases[phase];
        let all = (0..PHASES.len()).map(|phase| (phase, apart(phase)));
        all.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
            .unwrap_or_default()
    }

    pub(super) fn data(&self) -> Value {
        let sides = self.sides.iter();
        let sides = sides
            .map(|side| json!({ "name": side.name, "phases": side.phases, "flows": side.flows }));
        json!({ "total": self.total(), "sides": sides.collect::<Vec<_>>() })
    }
}

pub(super) fn part(lesson: &Lesson) -> Markup {
    html! { @if let Some(film) = &lesson.film { (film.part()) } }
}

impl Film {
    fn part(&self) -> Markup {
        let (phase, more) = self.apart();
        let than = if more < 0.0 { "less" } else { "more" };
        // Work is the flows themselves.
        let colour = if phase == 1 { "" } else { " (orange)" };
        html! {
            div.film {
                h3 { "One round as a film" }
                p {
                    "Round " (self.round + 1) ", a typical one. Grey: flows are created, and joined or reaped at the end. A "
                    "bar is a flow at work; its dark part is as high as its share of a CPU. "
                    "Largest gap" (colour) ": " (self.sides[0].name) " take " (time(more.abs())) " " (than) " for " (PHASES[phase]) "."
                }
                (self.picture(phase))
            }
        }
    }

    fn picture(&self, apart: usize) -> Markup {
        let below = self.sides[0].height();
        let foot = below + self.sides[1].height();
        let says = |side: &Side| format!("{}: {}", side.name, phases(side));
        let label = self.sides.iter().map(says).collect::<Vec<_>>().join("; ");
        html! {
            div.picture {
                svg role="img" viewBox=(format!("0 0 {WIDTH} {}", foot + AXIS)) aria-label=(label) {
                    (self.lanes(&self.sides[0], 0.0, apart))
                    (self.lanes(&self.sides[1], below, apart))
                    path class="axis" d=(format!("M{} {}H{}", at(0.0), foot, at(1.0))) {}
                    path class="now one" d="" {}
                    text class="tick" x=(at(0.0)) y=(foot + 16.0) { "0" }
                    text class="tick e" x=(at(1.0)) y=(foot + 16.0) { (time(self.total())) }
                }
            }
        }
    }

    fn lanes(&self, side: &Side, top: f64, apart: usize) -> Markup {
        let x = |ns: f64| at(ns / self.total());
        let [create, work, tear_down] = side.phases;
        let high = LANE * side.flows.len() as f64;
        let phase = |phase: usize, from: f64, long: f64| {
            let class = if phase == apart {
                "phase apart"
            } else {
                "phase"
            };
            html! { rect class=(class) x=(px(x(from))) y=(px(top + HEAD)) width=(px(x(long) - at(0.0))) height=(px(high)) {} }
        };
        html! {
            text x=(at(0.0)) y=(px(top + HEAD - 5.0)) {
                (side.name) @if side.more > 0 { ", " (side.flows.len()) " of " (side.flows.len() + side.more) " flows" }
            }
            (phase(0, 0.0, create))
            (phase(2, create + work, tear_down))
            @for (lane, [begin, end, cpu]) in side.flows.iter().enumerate() {
                @let y = top + HEAD + LANE * lane as f64 + 1.0;
                @let wide = (x(*end) - x(*begin)).max(0.5);
                @let share = (cpu / (end - begin).max(1.0)).min(1.0);
                @let tall = (LANE - 2.0) * share;
                rect class="flow" x=(px(x(create + begin))) y=(px(y)) width=(px(wide)) height=(px(LANE - 2.0)) {}
                rect class="ran" x=(px(x(create + begin))) y=(px(y + LANE - 2.0 - tall)) width=(px(wide)) height=(px(tall)) {}
            }
        }
    }
}

fn phases(side: &Side) -> String {
    let all = PHASES.iter().zip(side.phases);
    let all = all.map(|(name, ns)| format!("{name} {}", time(ns)));
    all.collect::<Vec<_>>().join(", ")
}
