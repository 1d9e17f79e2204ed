//! Whether events that cost something, such as a switch between processes, can explain a difference
//! of times. If `n` of them on the slower side made all of it, each would cost at least
//! ```text
//! (time of the reference - time of the subject) / n
//! ```
//! more than one of the other side, in each round by itself. More than one can cost (`value`, in
//! ns) refutes the explanation; less proves nothing. A side with none is taken to have one. Where
//! the source has both times, its own gap is held against ours in number for each second.

use stats::{RUNS_ALPHA, typical_amount};

use super::run::{kind, place};
use super::{Answer, Run, Standing};
use crate::data::number::{time, time_interval};
use crate::data::words::plural;
use crate::data::{Pair, Published};
use crate::findings::quantity::{Kind, Look, Seen};
use crate::findings::{CaseResult, Finding, RawSlot};

pub(super) fn answer(published: &Published, pair: &Pair, run: Run<'_>) -> Result<Answer, Answer> {
    let case = run.case(&pair.case)?;
    let events = kind(&pair.quantity, None)?;
    let each = each(case, pair, (events, gap_ns(published)), run)?;
    let typical = typical_amount(&each, RUNS_ALPHA)
        .map_err(|_| Answer::unknown("no round has a good slot of both"))?;
    let Some((low, high)) = typical.interval else {
        return Err(Answer::unknown("too few rounds for an interval"));
    };
    let [subject, reference] = [&pair.subject, &pair.reference].map(|one| plural(one));
    let (events, interval) = (events.spoken(), time_interval(low, high));
    let theirs = gap_ns(published);
    if theirs.is_none() && (low <= 0.0 || !is_established(case, pair)) {
        let answer = Answer::new("there is no difference to explain", Standing::CannotTell);
        return Ok(answer.since(Some(format!("{subject} are not certain to be faster"))));
    }
    let of_source = theirs.map_or_else(String::new, |(gap, _)| {
        format!("for the source's {}, ", time(gap))
    });
    let ours = format!(
        "{of_source}each of the {events} of {reference} would have to cost {} {interval} more",
        time(typical.median)
    );
    let (verdict, because) = match published.value {
        Some(most) if low > most => {
            let most = time(most);
            (Standing::Refuted, format!("none costs more than {most}"))
        }
        _ => (
            Standing::CannotTell,
            "what one costs is not measured here".to_owned(),
        ),
    };
    Ok(Answer::new(ours, verdict).since(Some(because)))
}

fn is_established(case: &CaseResult, pair: &Pair) -> bool {
    let own = case.between(&pair.subject, &pair.reference);
    own.is_none_or(Finding::is_difference)
}

fn gap_ns(published: &Published) -> Option<(f64, f64)> {
    let all = published.seconds? * 1e9;
    Some((all * (1.0 - published.size?), all))
}

fn each(
    case: &CaseResult,
    pair: &Pair,
    (events, theirs): (Kind, Option<(f64, f64)>),
    run: Run<'_>,
) -> Result<Vec<f64>, Answer> {
    let [subject, reference] = [place(case, &pair.subject)?, place(case, &pair.reference)?];
    let look = Look::of(&case.case, run.header);
    let value = |slot: &RawSlot, kind: Kind| kind.of_slot(look, &Seen::of(slot)?)?.into_value();
    let cost = |slow: &RawSlot| {
        let ns = value(slow, Kind::Time)?;
        let (gap, longer) = match theirs {
            Some((gap, all)) => (gap, all / ns),
            None => {
                let fast = case
                    .slots_of(subject)
                    .find(|fast| fast.round == slow.round)?;
                (ns - value(fast, Kind::Time)?, 1.0)
            }
        };
        Some(gap / (value(slow, events)?.max(1.0) * longer))
    };
    Ok(case.slots_of(reference).filter_map(cost).collect())
}
