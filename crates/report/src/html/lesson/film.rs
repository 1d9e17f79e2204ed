//! One round as a film: a launch of either side, flow by flow, with what each flow waits for,
//! recorded after the rounds ([`flow::Film`]). One time line shows work at full height and waiting
//! at half height, coloured by cause; the script plays it slowly. A cause that can be seen
//! ([`Seen`]) has a line below the slower side.
//!
//! Without a recording there is the round whose ratio is nearest to the estimate, its repetition of
//! the median time: only when flows worked is known, and the page says why.

use std::collections::{BTreeMap, BTreeSet};

use flow::film::CELLS;
use flow::{FlowRecord, Rep};
use lab::findings::answers::Rounds;
use lab::findings::{CaseResult, Seen};
use lab::{Answer, RawSlot, Results};
use maud::{Markup, html};
use measure::Measured;
use measure::waits::State;
use serde_json::{Value, json};

use super::Lesson;
use super::picture::{WIDTH, at, px};
use crate::number::time;
use crate::words::place_of;

const LANES: usize = 8;
const LANE: f64 = 11.0;
const HEAD: f64 = 24.0;
const GAP: f64 = 14.0;
const AXIS: f64 = 22.0;
/// A lane of more states is drawn with a quarter of its cells.
const MANY: usize = 100;

/// At work, with or without a CPU: all that is known without a recording.
const WORKS: char = 'w';

const PHASES: [&str; 3] = ["create", "work", "tear-down"];

#[derive(Debug)]
pub(super) struct Film {
    sides: [Side; 2],
    source: String,
    seen: Option<(Seen, usize)>,
}

#[derive(Debug)]
struct Side {
    name: String,
    /// Beginnings of the phases and the end of the last, in ns.
    marks: [f64; 4],
    lanes: Vec<Lane>,
    more: usize,
    sums: BTreeMap<State, f64>,
}

/// From a time, for a time, in a state.
type Lane = Vec<(f64, f64, char)>;

pub(super) fn of(
    results: &Results,
    row: &Answer,
    rounds: &Rounds,
    names: [&str; 2],
) -> Option<Film> {
    let case = results.case_of(row)?;
    let place = |label: &Option<String>| place_of(case, label.as_deref()?);
    let places = [place(&row.subject)?, place(&row.reference)?];
    let slower = usize::from(row.ratio? < 1.0);
    let seen = seen(case, row).map(|seen| (seen, slower));
    let film = recorded(case, places, names).map(|sides| Film {
        sides,
        source: "One more launch of each side was recorded after the rounds; it is no data point."
            .to_owned(),
        seen,
    });
    film.or_else(|| typical(case, rounds, row.ratio?, places, names, seen))
}

fn seen(case: &CaseResult, row: &Answer) -> Option<Seen> {
    let sides = [row.subject.as_deref()?, row.reference.as_deref()?];
    let mut findings = case.findings.iter();
    let own = findings.find(|one| {
        let own = [one.subject.as_str(), one.reference.as_str()];
        sides == own || sides == [own[1], own[0]]
    });
    own?.seen
}

fn recorded(case: &CaseResult, places: [usize; 2], names: [&str; 2]) -> Option<[Side; 2]> {
    let side = |which: usize| {
        let mut films = case.films.iter();
        let slot = films.find(|film| film.variant == places[which])?;
        let film = slot.outcome.film.as_ref()?.value()?;
        let end = film.marks[3] as f64;
        let lane = |lane: &flow::film::Lane| coarse(lane.runs().collect(), end);
        let flows = film.lanes.iter().skip(1);
        let mut sums = BTreeMap::new();
        for (state, ns) in flows.flat_map(|lane| &lane.ns) {
            *sums.entry(*state).or_insert(0.0) += *ns as f64;
        }
        Some(Side {
            name: names[which].to_owned(),
            marks: film.marks.map(|ns| ns as f64),
            lanes: film.lanes.iter().take(LANES + 1).map(lane).collect(),
            more: film.more,
            sums,
        })
    };
    Some([side(0)?, side(1)?])
}

/// Of very many states every fourth cell stands for four.
fn coarse(runs: Vec<(usize, usize, char)>, end: f64) -> Lane {
    let ns = |cells: usize| cells as f64 * end / CELLS as f64;
    if runs.len() <= MANY {
        let spans = runs.into_iter();
        return spans
            .map(|(from, long, letter)| (ns(from), ns(long), letter))
            .collect();
    }
    let mut lane: Lane = Vec::new();
    for first in (0..CELLS).step_by(4) {
        let own = runs
            .iter()
            .find(|(from, long, _)| (*from..from + long).contains(&first));
        let Some((_, _, letter)) = own else { continue };
        match lane.last_mut() {
            Some((from, long, last)) if last == letter && *from + *long >= ns(first) - 1e-6 => {
                *long += ns(4);
            }
            _ => lane.push((ns(first), ns(4), *letter)),
        }
    }
    lane
}

fn typical(
    case: &CaseResult,
    rounds: &Rounds,
    ratio: f64,
    places: [usize; 2],
    names: [&str; 2],
    seen: Option<(Seen, usize)>,
) -> Option<Film> {
    let far = |(_, r, s): &(usize, f64, f64)| (s / r / ratio).ln().abs();
    let paired = rounds.paired.iter();
    let typical = paired.min_by(|a, b| far(a).total_cmp(&far(b)))?.0;
    let side = |which: usize| {
        let mut slots = case.slots.iter();
        let slot = slots.find(|slot| slot.round == typical && slot.variant == places[which])?;
        worked(slot, names[which])
    };
    let films = case
        .films
        .iter()
        .filter_map(|slot| slot.outcome.film.as_deref());
    let mut reasons = films.filter_map(|film| match film {
        Measured::NotAvailable { reason, remedy } => Some(format!(" ({reason}; try {remedy})")),
        Measured::Value(_) => None,
    });
    let why = reasons.next().unwrap_or_default();
    Some(Film {
        sides: [side(0)?, side(1)?],
        source: format!(
            "Round {}, a typical one. What its flows waited for was not recorded{why}: a bar is a flow at work, with or without a CPU.",
            typical + 1
        ),
        seen: seen.filter(|(seen, _)| matches!(seen, Seen::Making | Seen::LastFlow)),
    })
}

fn worked(slot: &RawSlot, name: &str) -> Option<Side> {
    let mut reps: Vec<&Rep> = slot.outcome.answer.done()?.reps.iter().collect();
    reps.sort_by_key(|rep| rep.total_ns());
    let rep = *reps.get(reps.len() / 2)?;
    let [create, work, tear_down] =
        [rep.create_ns, rep.steady_ns, rep.teardown_ns].map(|ns| ns as f64);
    let lane = |flow: &FlowRecord| {
        let long = flow.end_ns.saturating_sub(flow.start_ns) as f64;
        vec![(create + flow.start_ns as f64, long, WORKS)]
    };
    Some(Side {
        name: name.to_owned(),
        marks: [0.0, create, create + work, create + work + tear_down],
        lanes: rep.flows.iter().take(LANES).map(lane).collect(),
        more: rep.flows.len().saturating_sub(LANES),
        sums: BTreeMap::new(),
    })
}

impl Side {
    fn height(&self) -> f64 {
        HEAD + LANE * self.lanes.len() as f64 + GAP
    }

    fn ends(&self) -> Option<(f64, f64)> {
        let at_work = |lane: &Lane| {
            let own = lane.iter().filter(|span| matches!(span.2, 'r' | WORKS));
            let mut own = own.filter(|span| span.0 < self.marks[2]);
            own.next_back()
                .map(|span| (span.0 + span.1).min(self.marks[2]))
        };
        let ends: Vec<f64> = self.lanes.iter().filter_map(at_work).collect();
        let mean = ends.iter().sum::<f64>() / ends.len().max(1) as f64;
        ends.into_iter().reduce(f64::max).map(|last| (mean, last))
    }

    fn lit(&self, seen: Seen) -> Vec<(f64, f64)> {
        let in_state = |state: State| {
            let all = self.lanes.iter().flatten();
            let own = all.filter(|span| span.2 == state.letter());
            own.map(|span| (span.0, span.0 + span.1)).collect()
        };
        match seen {
            Seen::Making => vec![(0.0, self.marks[1]), (self.marks[2], self.marks[3])],
            Seen::LastFlow => self.ends().into_iter().collect(),
            Seen::AddressSpace => in_state(State::Memory),
            Seen::FileTable => in_state(State::Files),
            Seen::Switches => in_state(State::Cpu),
        }
    }

    fn waits(&self) -> Option<String> {
        let mut all: Vec<_> = self.sums.iter().collect();
        all.sort_by(|a, b| b.1.total_cmp(a.1));
        let waits = all.iter().filter(|(state, _)| **state != State::Runs);
        let waits: Vec<String> = waits
            .map(|(state, ns)| format!("{} {}", time(**ns), said(state.letter())))
            .collect();
        let runs = self.sums.get(&State::Runs).copied().unwrap_or(0.0);
        (!self.sums.is_empty()).then(|| {
            format!(
                "{}: {} on a CPU, {}",
                self.name,
                time(runs),
                waits.join(", ")
            )
        })
    }
}

fn said(letter: char) -> &'static str {
    let mut all = State::ALL.iter().copied();
    match all.find(|state| state.letter() == letter) {
        None => "at work",
        Some(State::Runs) => "on a CPU",
        Some(State::Cpu) => "waiting for a CPU",
        Some(State::Lock) => "at a lock or gate",
        Some(State::Pipe) => "at a pipe or socket",
        Some(State::Events) => "waiting for events",
        Some(State::Child) => "waiting for a child",
        Some(State::Time) => "sleeping",
        Some(State::Disk) => "waiting for storage",
        Some(State::Memory) => "waiting for the address space",
        Some(State::Files) => "waiting for the file table",
        Some(State::Making) => "making a flow",
        Some(State::Other) => "waiting in another call",
        Some(State::Unseen) => "in waits too short to be seen",
    }
}

fn cause(seen: Seen) -> &'static str {
    match seen {
        Seen::Making => "flows are made and ended",
        Seen::LastFlow => "the last flow works on after the mean one has ended",
        Seen::AddressSpace => "flows wait for the address space",
        Seen::FileTable => "flows wait for the file table",
        Seen::Switches => "flows wait for their turn",
    }
}

pub(super) fn part(lesson: &Lesson) -> Markup {
    html! { @if let Some(film) = &lesson.film { (film.part()) } }
}

impl Film {
    fn total(&self) -> f64 {
        let ends = self.sides.iter().map(|side| side.marks[3]);
        ends.fold(1.0, f64::max)
    }

    pub(super) fn data(&self) -> Value {
        let sides = self.sides.iter();
        let sides = sides.map(|side| json!({ "name": side.name, "marks": side.marks }));
        json!({ "total": self.total(), "sides": sides.collect::<Vec<_>>() })
    }

    fn letters(&self) -> BTreeSet<char> {
        let lanes = self.sides.iter().flat_map(|side| &side.lanes);
        lanes.flatten().map(|span| span.2).collect()
    }

    fn part(&self) -> Markup {
        let letters = self.letters();
        let is_recorded = letters != BTreeSet::from([WORKS]);
        html! {
            div.film {
                h3 { "One round as a film" }
                p {
                    (self.source) " Grey behind the lanes: flows are created, and joined or reaped at the end."
                    @if is_recorded { " The first lane of a side is the parent." }
                    @if let Some((seen, side)) = self.seen {
                        " The line below " (self.sides[side].name) " lights up the cause: " (cause(seen)) "."
                    }
                }
                @if is_recorded {
                    ul.legend { @for letter in &letters { li { i class=(format!("key on-{letter}")) {} (said(*letter)) } } }
                }
                (self.picture(&letters))
                @for side in &self.sides { @if let Some(waits) = side.waits() { p.quiet { (waits) "." } } }
            }
        }
    }

    fn picture(&self, letters: &BTreeSet<char>) -> Markup {
        let below = self.sides[0].height();
        let foot = below + self.sides[1].height();
        let says = |side: &Side| format!("{}: {}", side.name, phases(side));
        let label = self.sides.iter().map(says).collect::<Vec<_>>().join("; ");
        html! {
            div.picture {
                svg role="img" viewBox=(format!("0 0 {WIDTH} {}", foot + AXIS)) aria-label=(label) {
                    @for (place, top) in [0.0, below].into_iter().enumerate() { (self.lanes(place, top, letters)) }
                    path class="axis" d=(format!("M{} {}H{}", at(0.0), foot, at(1.0))) {}
                    path class="now one" d="" {}
                    text class="tick" x=(at(0.0)) y=(foot + 16.0) { "0" }
                    text class="tick e" x=(at(1.0)) y=(foot + 16.0) { (time(self.total())) }
                }
            }
        }
    }

    fn lanes(&self, place: usize, top: f64, letters: &BTreeSet<char>) -> Markup {
        let side = &self.sides[place];
        let x = |ns: f64| at(ns / self.total());
        let high = LANE * side.lanes.len() as f64;
        let [_, work, ends, end] = side.marks;
        let shown = side.lanes.len();
        let phase = |from: f64, to: f64| html! { rect class="phase" x=(px(x(from))) y=(px(top + HEAD)) width=(px(x(to) - x(from))) height=(px(high)) {} };
        let lit = self.seen.filter(|(_, lit)| *lit == place);
        let y = top + HEAD + high + 5.0;
        let lit = lit.map(|(seen, _)| {
            let spans = side.lit(seen);
            let strokes = spans.iter().map(|(from, to)| {
                format!(
                    "M{} {}H{}",
                    px(x(*from)),
                    px(y),
                    px(x(*to).max(x(*from) + 3.0))
                )
            });
            strokes.collect::<String>()
        });
        html! {
            text x=(at(0.0)) y=(px(top + HEAD - 5.0)) {
                (side.name) @if side.more > 0 { ", " (shown) " of " (shown + side.more) " lanes" }
            }
            (phase(0.0, work))
            (phase(ends, end))
            g class=(format!("side{place}")) {
                @for letter in letters {
                    @let d = strokes(side, *letter, top + HEAD, &x);
                    @if !d.is_empty() { path class=(format!("on-{letter}")) data-is=(said(*letter)) d=(d) {} }
                }
            }
            @if let Some(d) = lit { path class="lit" d=(d) {} }
        }
    }
}

fn strokes(side: &Side, letter: char, top: f64, x: &dyn Fn(f64) -> f64) -> String {
    let is_at_work = matches!(letter, 'r' | WORKS);
    let middle = if is_at_work { LANE / 2.0 } else { LANE * 0.7 };
    let lanes = side.lanes.iter().enumerate();
    let all = lanes.flat_map(|(lane, spans)| spans.iter().map(move |span| (lane, span)));
    let own = all.filter(|(_, span)| span.2 == letter);
    let strokes = own.map(|(lane, (from, long, _))| {
        let y = top + LANE * lane as f64 + middle;
        let (from, to) = (x(*from), x(from + long));
        format!("M{} {}h{}", px(from), px(y), px((to - from).max(0.5)))
    });
    strokes.collect()
}

fn phases(side: &Side) -> String {
    let long = [0, 1, 2].map(|phase| side.marks[phase + 1] - side.marks[phase]);
    let all = PHASES.iter().zip(long);
    let all = all.map(|(name, ns)| format!("{name} {}", time(ns)));
    all.collect::<Vec<_>>().join(", ")
}
