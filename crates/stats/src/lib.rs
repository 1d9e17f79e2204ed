//! Paired rounds in, findings out: from times measured in rounds (one slot per variant, in random order) to *faster*,
//! *slower*, *same within d* or *cannot tell* (docs/method.md). No I/O, no clock: the same values always give the same
//! finding.
//!
//! | you have | you want | call |
//! |---|---|---|
//! | rounds as they arrive | when to stop, and the finding | [`Sequential`] |
//! | several variants | which may be the best | [`Best`] |
//! | many variants, few slots | which take part in the next round | [`Halving`] |
//! | the answers of a run | at which level each stands | [`shares`] |
//! | many comparisons of a study | which of them are discoveries | [`discoveries`] |
//! | all rounds of a plan that is over | the finding | [`Rule::judge_values`] |
//! | two columns of times | ratio and interval | [`estimate()`] |
//! | two columns of means of slots | the ratio on average, and whether it lies apart | [`average()`], [`is_apart`] |
//! | two columns of amounts that may be 0 | difference and interval | [`shift()`] |
//! | four columns, two factors varied | what each factor does | [`Factorial`] |
//! | paired amounts that are parts of a whole | their mean difference, and how often flipped signs give it | [`SignFlips`] |
//! | times of one variant in two runs | ratio and interval | [`two_runs()`], [`Rule::judge_apart`] |
//! | one estimate a machine | the ratio over machines, and how far they differ | [`across()`] |
//! | one value a machine, and groups of machines | what the groups explain | [`grouping()`] |
//! | times of one variant in one run | what they typically are, with an interval | [`typical()`] |
//! | two columns of times | the slow end | [`tail()`] |
//! | one column of times | its summary | [`Summary::of`] |
//! | times over a parameter | the line that they lie on | [`Line::through`] |
//! | the same | whether no other shape fits as well | [`is_a_line`] |
//! | a sum of ranks | how often a fair coin gives it | [`signed_rank_share()`] |
//! | identical slots in time order | the machine's noise | [`noise()`], [`detectable`], [`half_width`] |
//! | an estimate and that noise | whether it may be too large | [`overstates`] |
#![forbid(unsafe_code)]

mod across;
mod average;
mod best;
mod change;
mod contrast;
mod curve;
mod early;
mod error;
mod estimate;
mod grouping;
mod guard;
mod halving;
mod line;
mod looks;
mod mann_whitney;
mod median_interval;
mod noise;
mod quantile;
mod rivals;
mod sequential;
mod shift;
mod sign_flip;
pub mod simulate;
mod summary;
mod tail;
mod together;
mod two_runs;
mod verdict;
mod wilcoxon;

pub use across::{Across, FEWEST_MACHINES, MACHINES_ALPHA, across, standard_error};
pub use average::{AVERAGE_ALPHA, average, is_apart, is_seen};
pub use best::{Best, pair_p_values, pairs};
pub use change::{ChangePoint, FEWEST_FOR_CHANGE, change_point};
pub use contrast::Factorial;
pub use curve::{MeasuredPoint, OnCurve, curve};
pub use early::overstates;
pub use error::{Side, StatsError};
pub use estimate::{Estimate, estimate, p_value};
pub use grouping::{Grouping, SHUFFLES, grouping};
pub use halving::Halving;
pub use line::Line;
pub use looks::{LOOK_ALPHA, LOOKS, LookPlan, PLAN_ALPHA};
pub use mann_whitney::mann_whitney_k;
pub use median_interval::{Typical, typical, typical_amount};
pub use noise::{Noise, detectable, half_width, noise};
pub use rivals::is_a_line;
pub use sequential::{Sequential, Step};
pub use shift::{Shift, shift};
pub use sign_flip::{MOST_FLIPS, SignFlips, share_interval};
pub use summary::Summary;
pub use tail::{Tail, TailSide, tail};
pub use together::{discoveries, shares};
pub use two_runs::{FEWEST_FOR_WANDER, RUNS_ALPHA, two_runs, wander};
pub use verdict::{Rule, Verdict};
pub use wilcoxon::{MAX_ROUNDS, rounds_for_interval, signed_rank_share, wilcoxon_k};
