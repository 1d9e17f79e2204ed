//! Which shared resource makes the difference between processes and threads.
//!
//! # Theory
//!
//! Processes and threads differ in two things that can be had one by one:
//!
//! ```text
//!                          own file table          shared file table
//!   own address space      process           ──▶   process-shared-files
//!                             │                        │
//!                             ▼                        ▼
//!   shared address space   thread-private-files ─▶ thread
//! ```
//!
//! Times are compared as logs, in which the ways from corner to corner add up to the
//! difference. Sharing the file table has two ways across, and its effect is their mean;
//! sharing the address space has the two ways down. Each effect is taken round by round from
//! the four slots of the round and judged as any pair is, so it has an interval, and noise
//! in one corner cannot pass for an effect.
//!
//! Shares of the difference are given only where both effects point its way and can be told
//! from noise. Where one hides a part of the other, the two effects say more than shares.

use flow::{Model, Variant};
use stats::{Estimate, Verdict};

use super::{Evidence, Reason, Sibling, Weight};
use crate::number::{factor, factor_interval, ratio_interval};
use crate::words::percent;

/// A share that noise pushed so far over the edge is still nothing, or all.
const EDGE: f64 = 0.1;

/// What sharing one thing alone does to the time.
pub(super) type Effect = (Estimate, Verdict);

/// The effects of sharing each thing alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Factorial {
    pub(super) space: Effect,
    pub(super) files: Effect,
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let factorial = of(evidence)?;
    let shares = factorial.shares();
    let said = shares
        .filter(|_| factorial.is_told())
        .map_or(String::new(), |(space, files)| {
            format!(
                "; that is {:.0} % and {:.0} % of the difference",
                100.0 * space,
                100.0 * files
            )
        });
    let weight = shares.map_or(0.0, |(space, files)| space.max(files));
    Some(Reason {
        weight: Weight::Cause(weight),
        text: format!(
            "by the models between, sharing the address space alone makes {}, and sharing the file \
             table alone makes {}{said}",
            effect(factorial.space),
            effect(factorial.files)
        ),
    })
}

impl Factorial {
    /// Whether both effects were told from noise, or shown to be none.
    fn is_told(&self) -> bool {
        let told = |(_, verdict): Effect| !matches!(verdict, Verdict::CannotTell { .. });
        told(self.space) && told(self.files)
    }

    /// The shared thing that does most to the time, its effect, and its part in what both do
    /// where effects that cannot be told from noise are none.
    pub(super) fn most(&self) -> (&'static str, Effect, f64) {
        let size = |(estimate, verdict): Effect| match verdict {
            Verdict::Faster { .. } | Verdict::Slower { .. } => estimate.ratio.ln().abs(),
            Verdict::Same { .. } | Verdict::CannotTell { .. } => 0.0,
        };
        let (space, files) = (size(self.space), size(self.files));
        let part = |one: f64| one / (space + files).max(f64::MIN_POSITIVE);
        match files > space {
            true => ("file table", self.files, part(files)),
            false => ("address space", self.space, part(space)),
        }
    }

    /// The shares of the difference that go with the address space and with the file table.
    pub(super) fn shares(&self) -> Option<(f64, f64)> {
        let [space, files] = [self.space, self.files].map(|(estimate, _)| estimate.ratio.ln());
        let files = files / (space + files);
        let within = (-EDGE..=1.0 + EDGE).contains(&files);
        let files = (100.0 * files.clamp(0.0, 1.0)).round() / 100.0;
        within.then_some((1.0 - files, files))
    }
}

/// `33x faster [20 ... 50]`.
fn effect((estimate, verdict): Effect) -> String {
    let ratio = estimate.ratio;
    let Some((low, high)) = estimate.interval() else {
        return format!("it {ratio:.3} of the time (too few rounds for an interval)");
    };
    match verdict {
        Verdict::Faster { .. } => {
            let interval = factor_interval(1.0 / ratio, 1.0 / high, 1.0 / low);
            format!("it {} faster {interval}", factor(1.0 / ratio))
        }
        Verdict::Slower { .. } => {
            format!(
                "it {} slower {}",
                factor(ratio),
                factor_interval(ratio, low, high)
            )
        }
        Verdict::Same { within } => format!(
            "no difference within {} {}",
            percent(within),
            ratio_interval(low, high)
        ),
        Verdict::CannotTell { .. } => {
            format!(
                "no difference that can be told {}",
                ratio_interval(low, high)
            )
        }
    }
}

/// Of a finding on processes and threads, where the models between them were run the same
/// way.
pub(super) fn of(evidence: &Evidence<'_>) -> Option<Factorial> {
    if !evidence.differ() {
        return None;
    }
    let sides = [evidence.subject, evidence.reference].map(|side| &side.profile.variant);
    let of_model = |model| sides.into_iter().find(|side| side.model == model);
    let (process, _thread) = (of_model(Model::Process)?, of_model(Model::Thread)?);
    let corners = Model::NAMED.map(|model| corner(evidence.siblings, model, process));
    let [Some(process), Some(sharing), Some(private), Some(thread)] = corners else {
        return None;
    };
    let (mut space, mut files) = (Vec::new(), Vec::new());
    for &(round, p) in &process.rounds {
        let of_round = |sibling: &Sibling<'_>| {
            let mut rounds = sibling.rounds.iter();
            rounds.find(|(other, _)| *other == round).map(|(_, ns)| *ns)
        };
        if let (Some(s), Some(q), Some(t)) =
            (of_round(sharing), of_round(private), of_round(thread))
        {
            space.push((q / p * (t / s)).sqrt());
            files.push((s / p * (t / q)).sqrt());
        }
    }
    let alone = vec![1.0; space.len()];
    let judge = |ratios: &[f64]| evidence.rule.judge_values(&alone, ratios).ok();
    Some(Factorial {
        space: judge(&space)?,
        files: judge(&files)?,
    })
}

/// The variant that is `like` this one but for its model.
fn corner<'a>(
    siblings: &'a [Sibling<'a>],
    model: Model,
    like: &Variant,
) -> Option<&'a Sibling<'a>> {
    let wanted = Variant {
        model,
        ..like.clone()
    };
    siblings.iter().find(|sibling| *sibling.variant == wanted)
}
