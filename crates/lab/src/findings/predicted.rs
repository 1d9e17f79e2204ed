//! What the whole would gain if a part of the work were faster: virtual speed-ups ([`flow::pace`]), in rounds of their
//! own (docs/method.md, "What a faster part would bring"). What a round says of a part is `1 - y' / y`: `y'` is the
//! time of the slot with the faster part less all pauses, `y` that of the plain one. Their estimate and interval are
//! those of all times ([`stats::estimate()`]); parts of a case share its level.

use flow::pace::Paused;
use measure::Measured;
use serde::{Deserialize, Serialize};
use stats::Estimate;

use super::compared::too_few;
use super::paired::{of, rounds};
use crate::data::gathered::distinct;
use crate::data::number::{DOTS, significant};
use crate::data::{PredictEntry, RawSlot};

/// Share of cases of which a part's gain is wrong.
const LEVEL: f64 = 0.05;
/// Lines on the first screen, for each variant.
const LINES: usize = 3;

/// What faster parts of a case's work would bring.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Each part of each variant, those that bring most first.
    pub parts: Vec<Predicted>,
    /// What is not predicted, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What one faster part would bring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// The variant, by its label.
    pub variant: String,
    /// The part.
    pub part: String,
    /// By how many hundredths it is faster.
    pub percent: u32,
    /// Rounds with both.
    pub rounds: usize,
    /// Time in the part, of all flows, in a repetition; median in ns.
    pub in_part_ns: Option<f64>,
    /// The share of its time that the whole does without.
    pub gain: Option<f64>,
    /// Its interval; `None` for too few rounds.
    pub interval: Option<(f64, f64)>,
}

pub(crate) fn prediction(plan: &PredictEntry, slots: &[RawSlot]) -> Prediction {
    let pairs = plan.pairs.iter();
    let mut parts: Vec<Predicted> = pairs
        .filter(|pair| refused(slots, pair[1]).is_none())
        .filter_map(|pair| predicted(plan, *pair, slots))
        .collect();
    let refused = plan.pairs.iter().filter_map(|pair| refused(slots, pair[1]));
    let left_out = distinct(plan.left_out.iter().cloned().chain(refused));
    let gain = |one: &Predicted| {
        one.gain
            .filter(|_| !one.is_unseen())
            .unwrap_or(f64::NEG_INFINITY)
    };
    parts.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    Prediction { parts, left_out }
}

fn predicted(
    plan: &PredictEntry,
    [plain, changed]: [usize; 2],
    slots: &[RawSlot],
) -> Option<Predicted> {
    let faster = plan.variants.get(changed)?.variant.faster.as_ref()?;
    let both = rounds(of(slots, plain), of(slots, changed));
    let both = both.filter_map(|[plain, changed]| Some((plain.value_ns?, value_ns(changed)?)));
    let (plain_ns, changed_ns): (Vec<f64>, Vec<f64>) = both.unzip();
    let found = stats::estimate(&plain_ns, &changed_ns, plan.level()).ok();
    let times = of(slots, changed).filter_map(in_part_ns);
    Some(Predicted {
        variant: plan.variants.get(plain)?.label.clone(),
        part: faster.part.clone(),
        percent: faster.percent,
        rounds: plain_ns.len(),
        in_part_ns: crate::data::median(times),
        gain: found.map(|found| 1.0 - found.ratio),
        interval: found
            .as_ref()
            .and_then(Estimate::interval)
            .map(|(low, high)| (1.0 - high, 1.0 - low)),
    })
}

impl PredictEntry {
    /// Each part's share of the level.
    pub(crate) fn level(&self) -> f64 {
        LEVEL / self.pairs.len().max(1) as f64
    }
}

/// The slot's value without pauses, where that of its repetitions has them still.
fn value_ns(slot: &RawSlot) -> Option<f64> {
    match paused_outside(slot) {
        None => slot.value_ns,
        Some(Measured::Value(paused)) => Some(slot.value_ns? - paused.due_ns as f64 / reps(slot)?),
        Some(Measured::NotAvailable { .. }) => None,
    }
}

fn paused_outside(slot: &RawSlot) -> Option<&Measured<Paused>> {
    slot.outcome.profile.as_ref()?.value()?.paused.as_ref()
}

fn reps(slot: &RawSlot) -> Option<f64> {
    Some(slot.outcome.answer.done()?.reps.len() as f64)
}

fn in_part_ns(slot: &RawSlot) -> Option<f64> {
    if let Some(outside) = paused_outside(slot) {
        return Some(outside.value()?.in_part_ns as f64 / reps(slot)?);
    }
    let record = slot.outcome.answer.done()?;
    let times = record.reps.iter().filter_map(|rep| rep.paused.as_ref());
    crate::data::median(times.map(|paused| paused.in_part_ns as f64))
}

fn refused(slots: &[RawSlot], variant: usize) -> Option<String> {
    of(slots, variant).find_map(|slot| {
        let profile = slot.outcome.profile.as_ref()?;
        let paused = profile.value().map(|profile| profile.paused.as_ref());
        match (profile, paused) {
            (Measured::NotAvailable { reason, .. }, _)
            | (_, Some(Some(Measured::NotAvailable { reason, .. }))) => Some(reason.clone()),
            _ => None,
        }
    })
}

impl Prediction {
    /// What is said first: of each variant the parts that bring most.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let is_first = |place: usize| {
            let own = |one: &&Predicted| one.variant == self.parts[place].variant;
            let before = self.parts[..place].iter().filter(own).count();
            before == 0 || before < LINES && !self.parts[place].is_unseen()
        };
        let first = (0..self.parts.len()).filter(|&place| is_first(place));
        let lines = first.map(|place| self.parts[place].words());
        let left_out = self.left_out.iter();
        lines
            .chain(left_out.map(|why| format!("not predicted: {why}")))
            .collect()
    }
}

impl Predicted {
    /// `thread: a 20 % faster parse would make the whole 7.02 % [5.1 … 9.0 %] faster`.
    #[must_use]
    pub fn words(&self) -> String {
        let Self {
            variant,
            part,
            percent,
            rounds,
            ..
        } = self;
        let of = format!("{variant}: a {percent} % faster {part}");
        match (self.gain, self.interval) {
            _ if self.is_unseen() => {
                format!("{of} is not predicted: it was never seen to run")
            }
            (None, _) => format!("{of} is not predicted: no round of it could be run"),
            (Some(_), None) => format!("{of} is not known: {}", too_few(*rounds)),
            (Some(gain), Some(_)) if self.is_gain() => format!(
                "{of} would make the whole {} % {} faster",
                percent_of(gain),
                self.interval_words()
            ),
            (Some(gain), Some((_, high))) if high < 0.0 => format!(
                "{of} would make the whole {} % {} slower",
                percent_of(-gain),
                self.interval_words()
            ),
            (Some(_), Some((_, high))) => {
                format!(
                    "{of} would make the whole at most {} % faster",
                    percent_of(high)
                )
            }
        }
    }

    fn is_unseen(&self) -> bool {
        self.in_part_ns == Some(0.0)
    }

    /// Whether it certainly brings something.
    #[must_use]
    pub fn is_gain(&self) -> bool {
        self.interval.is_some_and(|(low, _)| low > 0.0)
    }

    /// `[5.1 … 9.0 %]`; empty where it is not known.
    #[must_use]
    pub fn interval_words(&self) -> String {
        let turned = |(low, high): (f64, f64)| match high < 0.0 {
            true => (-high, -low),
            false => (low, high),
        };
        self.interval
            .map(turned)
            .map_or(String::new(), |(low, high)| {
                format!("[{}{DOTS}{} %]", percent_of(low), percent_of(high))
            })
    }
}

fn percent_of(share: f64) -> String {
    significant(100.0 * share)
}

#[cfg(test)]
mod tests {
    use flow::pace::Paused;
    use flow::{Faster, Model, Proof, SlotSpec, Variant};

    use super::*;
    use crate::data::LabelledVariant;
    use crate::findings::testing::{ends, has, record, slot as raw_slot};
    use crate::testing;

    fn plan() -> PredictEntry {
        let plain = LabelledVariant::new("thread", Variant::new(Model::Thread, 2));
        let mut changed = plain.clone();
        changed.variant.faster = Some(Faster {
            part: "parse".to_owned(),
            place: 0,
            percent: 20,
        });
        PredictEntry {
            study: "s".to_owned(),
            case: "c".to_owned(),
            variants: vec![plain, changed],
            pairs: vec![[0, 1]],
            rounds: 12,
            left_out: vec!["fiber: fibers take turns".to_owned()],
        }
    }

    fn slot(round: usize, variant: usize, value_ns: f64, in_part_ns: u64) -> RawSlot {
        let work = testing::case("c", 1, &["thread"]).work;
        let spec = SlotSpec::new(work, Variant::new(Model::Thread, 2));
        let mut answer = testing::done(&spec, 100, Proof::default());
        record(&mut answer).reps[0].paused = Some(Paused {
            due_ns: 0,
            in_part_ns,
            times: 1,
        });
        raw_slot(round, variant, value_ns, answer)
    }

    fn found(values: impl Fn(usize) -> (f64, f64), in_part_ns: u64) -> Prediction {
        let both = |round| {
            let (plain, faster) = values(round);
            [slot(round, 0, plain, 0), slot(round, 1, faster, in_part_ns)]
        };
        let slots: Vec<RawSlot> = (0..12).flat_map(both).collect();
        prediction(&plan(), &slots)
    }

    #[test]
    fn a_gain_has_its_interval_and_what_is_left_out_is_said() {
        let found = found(|round| (100.0, 93.0 + (round % 3) as f64), 5_000_000);
        assert_eq!(
            found.lines(),
            [
                "thread: a 20 % faster parse would make the whole 6.01 % [5.50 … 6.50 %] faster",
                "not predicted: fiber: fibers take turns",
            ]
        );
        assert_eq!(found.parts[0].in_part_ns, Some(5e6));
    }

    #[test]
    fn no_gain_has_a_bound_and_a_part_that_was_not_run_has_none() {
        let noise = |round: usize| (100.0, 99.0 + (round % 3) as f64);
        let said = found(noise, 9).lines().remove(0);
        has(&said, "would make the whole at most 0.");
        let said = found(noise, 0).lines().remove(0);
        ends(&said, "it was never seen to run");
        let few = prediction(&plan(), &[slot(0, 0, 9.0, 1), slot(0, 1, 8.0, 1)]);
        let said = few.lines().remove(0);
        ends(&said, "1 round is too few");
    }
}
