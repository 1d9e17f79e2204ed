//! Profiles of both sides, round by round, into frames with tests.

use std::collections::{BTreeMap, HashMap};

use flow::Rep;
use flow::profile::{Place, Profile, Wait, callers, place};
use stats::{SignFlips, discoveries};

use super::frame::{Frame, Profiled};
use crate::data::gathered::distinct;
use crate::data::{Metric, RawSlot};

const LEAST: f64 = 0.003;
const LEAST_BRANCH: f64 = 0.01;
/// Share below which a node is not kept.
const KEPT: f64 = 0.001;
/// Rounds in which a frame must have been seen to be judged.
const FEWEST: usize = 6;
const FOR_A_CPU: &str = "waits for a CPU";
/// Between what both sides wait for a CPU in a second on one, at the most.
const FOLLOWS: f64 = 2.0;
/// Share of the frames that are named which may be false.
const LEVEL: f64 = 0.05;
/// Callers of a place that are shown.
const CALLERS: usize = 4;
/// The part of a place's difference that has them.
const CALLED: f64 = 0.6;

fn units(rep: &Rep, metric: Metric) -> f64 {
    let each_ns = match metric {
        Metric::Switch | Metric::Unit | Metric::Request => metric.of(rep),
        Metric::P99 => Metric::Request.of(rep),
        _ => return 1.0,
    };
    match each_ns > 0.0 {
        true => rep.steady_ns as f64 / each_ns,
        false => 0.0,
    }
}

fn of_slot(slot: &RawSlot, metric: Metric) -> Option<(&Profile, f64)> {
    let profile = slot.outcome.profile.as_ref()?.value()?;
    let record = slot.outcome.answer.done()?;
    let done = record
        .reps
        .iter()
        .map(|rep| units(rep, metric))
        .sum::<f64>();
    (done > 0.0).then_some((profile, done))
}

pub(super) type Round<'a> = [(&'a Profile, f64); 2];

pub(super) fn rounds<'a>(slots: &[&'a RawSlot], subject: usize, metric: Metric) -> Vec<Round<'a>> {
    let of = |round: usize, variant: usize| {
        let mut all = slots.iter();
        let slot = all.find(|slot| slot.round == round && slot.variant == variant)?;
        of_slot(slot, metric)
    };
    let last = slots.iter().map(|slot| slot.round).max();
    let all = 0..=last.unwrap_or(0);
    all.filter_map(|round| Some([of(round, 0)?, of(round, subject)?]))
        .collect()
}

type Seconds = [Vec<f64>; 2];

#[derive(Default)]
struct Union {
    nodes: Vec<(usize, String)>,
    known: HashMap<(usize, String), usize>,
    seconds: Vec<Seconds>,
    places: HashMap<Place, usize>,
    of_places: Vec<Seconds>,
    /// The place of a node, and its own difference in all rounds.
    own: BTreeMap<usize, (usize, f64)>,
}

pub(super) fn compared(rounds: &[Round<'_>]) -> Profiled {
    let mut union = Union::default();
    for (number, round) in rounds.iter().enumerate() {
        for (side, (profile, units)) in round.iter().enumerate() {
            union.add((side, number, rounds.len()), profile, *units);
        }
    }
    let mut total_s = [0.0; 2];
    for of_place in &union.of_places {
        for (total, seconds) in total_s.iter_mut().zip(of_place) {
            *total += mean(seconds);
        }
    }
    let both_s: f64 = total_s.iter().sum();
    let mut frames = Frames {
        both_s,
        differences: Vec::new(),
    };
    let mut known: Vec<(&Place, usize)> = union.places.iter().map(|(p, at)| (p, *at)).collect();
    known.sort_unstable();
    let places = known.iter();
    let places = places.map(|(place, at)| {
        let seconds = &union.of_places[*at];
        frames.frame(place.to_string(), 0, seconds, LEAST)
    });
    let mut places: Vec<Frame> = places.collect();
    let mut judged = frames.judge(&mut places, true);
    for (place, (_, at)) in places.iter_mut().zip(&known).filter(|(p, _)| p.is_named) {
        place.callers = union.callers(*at);
    }
    let mut tree = frames.tree(&union.nodes, &union.seconds);
    judged += frames.judge(&mut tree, places.iter().any(|place| place.is_named));
    let size = |frame: &Frame| frame.difference_s().abs();
    let follows = follows(&places);
    let is_last = |frame: &Frame| follows && frame.name == FOR_A_CPU;
    places.sort_by(|a, b| {
        b.is_named
            .cmp(&a.is_named)
            .then(is_last(a).cmp(&is_last(b)))
            .then(size(b).total_cmp(&size(a)))
    });
    let all = || rounds.iter().flatten().map(|(profile, _)| profile);
    Profiled {
        rounds: rounds.len(),
        unit: String::new(),
        total_s,
        places,
        tree,
        judged,
        samples: [0, 1].map(|side| rounds.iter().map(|round| round[side].0.samples).sum()),
        lost: all().map(|profile| profile.lost).sum(),
        each: all().map(|profile| profile.each).max().unwrap_or(1),
        cost: None,
        unseen: distinct(all().flat_map(|profile| profile.unseen.iter().cloned())),
    }
}

/// Whether both sides wait for a CPU as much for each second on one: waits then follow from where they run.
fn follows(places: &[Frame]) -> bool {
    let on = |side: usize| {
        let runs = places.iter().filter(|one| !one.name.starts_with("waits"));
        runs.map(|one| one.seconds[side]).sum::<f64>()
    };
    let waits = places.iter().find(|one| one.name == FOR_A_CPU);
    waits.is_some_and(|waits| {
        let [one, other] = [0, 1].map(|side| waits.seconds[side] / on(side));
        one.max(other) <= FOLLOWS * one.min(other)
    })
}

fn mean(seconds: &[f64]) -> f64 {
    seconds.iter().sum::<f64>() / seconds.len().max(1) as f64
}

impl Union {
    fn add(&mut self, (side, round, rounds): (usize, usize, usize), profile: &Profile, units: f64) {
        let none = || [vec![0.0; rounds], vec![0.0; rounds]];
        let mut own: Vec<usize> = Vec::with_capacity(profile.nodes.len());
        for (at, node) in profile.nodes.iter().enumerate() {
            let above = (node.above as usize)
                .checked_sub(1)
                .map_or(0, |above| own[above]);
            let name = profile.frames[node.frame as usize].clone();
            let next = self.nodes.len() + 1;
            let id = *self.known.entry((above, name.clone())).or_insert(next);
            if id == next {
                self.nodes.push((above, name));
                self.seconds.push(none());
            }
            own.push(id);
            if node.own_ns == 0 {
                continue;
            }
            let place = place(&profile.path(at));
            if place == Place::Waits(Wait::Child) {
                continue;
            }
            let seconds = node.own_ns as f64 / 1e9 / units;
            let of_place = *self.places.entry(place).or_insert_with(|| {
                self.of_places.push(none());
                self.of_places.len() - 1
            });
            self.of_places[of_place][side][round] += seconds;
            let own = self.own.entry(id).or_insert((of_place, 0.0));
            own.1 += if side == 0 { -seconds } else { seconds };
            let mut at = id;
            while let Some(node) = at.checked_sub(1) {
                self.seconds[node][side][round] += seconds;
                at = self.nodes[node].0;
            }
        }
    }

    fn path(&self, node: usize) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(node) = at.checked_sub(1) {
            path.push(self.nodes[node].1.as_str());
            at = self.nodes[node].0;
        }
        path.reverse();
        path
    }

    /// Who calls for most of a place's difference, the nearest first.
    fn callers(&self, place: usize) -> Vec<String> {
        let own = self.own.iter().filter(|(_, own)| own.0 == place);
        let paths = own.map(|(&node, own)| (callers(&self.path(node)), own.1));
        let mut paths: Vec<(Vec<String>, f64)> = paths.collect();
        let whole: f64 = paths.iter().map(|(_, seconds)| seconds).sum();
        let mut found: Vec<String> = Vec::new();
        while found.len() < CALLERS {
            let mut shares: BTreeMap<&String, f64> = BTreeMap::new();
            for (path, seconds) in &paths {
                if let Some(next) = path.get(found.len()) {
                    *shares.entry(next).or_default() += seconds / whole;
                }
            }
            let most = shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((next, _)) = most.filter(|(_, share)| *share >= CALLED) else {
                break;
            };
            let next = next.clone();
            paths.retain(|(path, _)| path.get(found.len()) == Some(&next));
            found.push(next);
        }
        found
    }
}

struct Frames {
    both_s: f64,
    /// Of each frame since the last judgement; `None` of one that is too small.
    differences: Vec<Option<Vec<f64>>>,
}

/// What flips of differences tell, each once: a caller of one function alone has that one's differences.
#[derive(Default)]
struct Once<T>(HashMap<Vec<u64>, T>);

impl<T: Copy> Once<T> {
    fn of(&mut self, differences: &[f64], tell: impl FnOnce(SignFlips) -> T) -> Option<T> {
        let key: Vec<u64> = differences.iter().map(|one| one.to_bits()).collect();
        if let Some(known) = self.0.get(&key) {
            return Some(*known);
        }
        let told = tell(SignFlips::of(differences)?);
        self.0.insert(key, told);
        Some(told)
    }
}

impl Frames {
    fn frame(&mut self, name: String, above: usize, seconds: &Seconds, least: f64) -> Frame {
        let [reference, subject] = seconds;
        let means = [mean(reference), mean(subject)];
        let differences: Vec<f64> = subject.iter().zip(reference).map(|(s, r)| s - r).collect();
        let seen = reference
            .iter()
            .zip(subject)
            .filter(|(r, s)| **r + **s > 0.0);
        let is_large = means[0] + means[1] >= least * self.both_s && seen.count() >= FEWEST;
        self.differences.push(is_large.then_some(differences));
        Frame {
            name,
            above,
            seconds: means,
            interval: None,
            p_value: None,
            is_named: false,
            callers: Vec::new(),
        }
    }

    /// Without branches too small to be drawn.
    fn tree(&mut self, nodes: &[(usize, String)], seconds: &[Seconds]) -> Vec<Frame> {
        let mut tree = Vec::new();
        let mut kept = vec![None; nodes.len() + 1];
        kept[0] = Some(0);
        for (at, ((above, name), seconds)) in nodes.iter().zip(seconds).enumerate() {
            let both_s: f64 = seconds.iter().map(|side| mean(side)).sum();
            let Some(above) = kept[*above].filter(|_| both_s >= KEPT * self.both_s && both_s > 0.0)
            else {
                continue;
            };
            tree.push(self.frame(name.clone(), above, seconds, LEAST_BRANCH));
            kept[at + 1] = Some(tree.len());
        }
        tree
    }

    /// Names frames, if any `may` be; returns how many were judged. Those that are named have intervals that keep the
    /// level too.
    fn judge(&mut self, frames: &mut [Frame], may: bool) -> usize {
        let all = std::mem::take(&mut self.differences);
        let mut told = Once::default();
        let mut p_values = Vec::new();
        for (frame, differences) in frames.iter_mut().zip(&all) {
            let differences = differences.as_ref();
            frame.p_value = differences.and_then(|own| told.of(own, |flips| flips.p_value()));
            p_values.extend(frame.p_value);
        }
        let found = if may {
            discoveries(&p_values, LEVEL)
        } else {
            0
        };
        let level = LEVEL * found as f64 / p_values.len().max(1) as f64;
        let mut told = Once::default();
        for (frame, differences) in frames.iter_mut().zip(&all) {
            let (Some(p_value), Some(differences)) = (frame.p_value, differences) else {
                continue;
            };
            frame.is_named = found > 0 && p_value <= level;
            let alpha = if frame.is_named { level } else { LEVEL };
            let interval = told.of(differences, |mut flips| flips.interval(alpha));
            frame.interval = interval.flatten();
        }
        p_values.len()
    }
}
