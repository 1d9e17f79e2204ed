//! Then and now: every finding of a study's source ([`Published`]), held against a run. The quantity is judged as all
//! quantities are, and the claim by its verdict ([`claim`]; docs/method.md, "Then and now"):
//!
//! | ours says | verdict |
//! |---|---|
//! | the claimed direction, with its size and bound; the claimed law, number, or no difference | reproduced |
//! | the claimed direction alone | same direction |
//! | the opposite direction; beyond the bound | refuted |
//! | no difference that matters; none, and not that size; another law or number; a difference | differs |
//! | no interval decides | cannot tell |
//! | nothing: this run did not measure it | not run |
//!
//! A run of other numbers of flows says so and judges nothing. A finding of two parts is reproduced where both are
//! ([`Half`]); one that explains a difference by what something costs is refuted where that cannot cost so much
//! ([`explains`]). Old seconds and bytes stand beside ours without a verdict ([`Standing::SideBySide`]). What this
//! machine or version cannot do is "not possible here", with the reason.

mod again;
mod amounts;
mod answer;
mod causes;
mod claim;
mod explains;
mod family;
mod laws;
mod modelled;
mod pairs;
mod refused;
mod row;
mod run;
mod steps;
#[cfg(test)]
mod tests;
mod workers;
mod works;

use answer::Answer;
pub(super) use family::then_and_now;
use measure::Measured;
use measure::counters::Event;
pub use row::{ByNumber, Standing, Then};
pub(super) use run::Run;

use super::limits::at_most;
use super::phrases::joined;
use crate::data::number::count;
use crate::data::words::plural;
use crate::data::{Claim, Half, Ours, Published, Study};

fn then(study: &Study, published: &Published, run: Run<'_>) -> (Then, bool) {
    let mut answer = answered(published, run);
    let is_judged = !answer.ours.is_empty() && !answer.too_few;
    if published.unlike.is_some() {
        answer.verdict = under_other_conditions(answer.verdict);
    }
    let unlike = published
        .unlike
        .as_ref()
        .filter(|_| !answer.ours.is_empty());
    let command = again::command(study, published, run.header);
    let because = (answer.because.clone().into_iter())
        .chain(unlike.cloned())
        .chain(answers_it(&answer, &command))
        .chain(published.note.clone());
    let is_missing = is_missing(answer.verdict, &answer.ours);
    let cause = match is_missing {
        true => None,
        false => causes::of(published, answer.verdict, answer.cause.clone(), run),
    };
    let then = Then {
        by_number: by_number(published, &answer),
        finding: published.finding.clone(),
        theirs: theirs(study, published),
        place: published.place.clone(),
        quotes: published.quotes.clone(),
        ours: match (run.simulated(), answer.ours.is_empty()) {
            (Some(machine), false) => format!("simulated, {machine}: {}", answer.ours),
            _ => answer.ours,
        },
        verdict: answer.verdict,
        because: joined(because, "; "),
        cause,
        command,
    };
    (then, is_judged)
}

/// The source's figure: with its year where that is not the source's own, and where it is from.
fn theirs(study: &Study, published: &Published) -> String {
    let own = study.origin.as_ref().map(|origin| origin.year);
    let year = published.year.filter(|year| Some(*year) != own);
    let year = year.map_or_else(String::new, |year| format!("{year}: "));
    let from = published.from.iter();
    let from: String = from.map(|from| format!(" ({from})")).collect();
    format!("{year}{}{from}", published.theirs)
}

/// Who measures something else can neither reproduce nor refute.
fn under_other_conditions(verdict: Standing) -> Standing {
    match verdict {
        Standing::Reproduced => Standing::SameDirection,
        Standing::Refuted => Standing::Differs,
        other => other,
    }
}

fn answered(published: &Published, run: Run<'_>) -> Answer {
    if let (Some(theirs), Some(here)) = (&published.machine, run.simulated())
        && theirs != here
    {
        return Answer::impossible(format!(
            "the source's is another machine: --simulate {theirs}"
        ));
    }
    match (&published.ours, &published.not_here) {
        (Some(ours), Some(because)) => {
            answer(published, ours, run).unwrap_or_else(|_| Answer::impossible(because))
        }
        (Some(ours), None) => {
            let answer = answer(published, ours, run).unwrap_or_else(|answer| answer);
            let answer = with_half(published, answer, run);
            match (again::event(ours), answer.verdict) {
                (Some(event), Standing::NotPossible) => uncounted(event, answer, run),
                _ => answer,
            }
        }
        (None, Some(because)) if published.claim.is_some() => Answer::not_run(because),
        (None, because) => {
            Answer::impossible(because.as_deref().unwrap_or("nothing here is like it"))
        }
    }
}

fn by_number(published: &Published, answer: &Answer) -> Option<ByNumber> {
    let (theirs, ours) = (&published.points, &answer.points);
    (!theirs.is_empty() && !ours.is_empty()).then(|| ByNumber {
        theirs: theirs.clone(),
        ours: ours.clone(),
        are_ratios: answer.are_ratios,
        of: match published.ours {
            Some(Ours::Workers(_) | Ours::Farthest(_)) => "worker".to_owned(),
            _ => "flows".to_owned(),
        },
        ratio: match &published.ours {
            Some(Ours::Farthest(pair)) => {
                let [subject, reference] = [&pair.subject, &pair.reference].map(|one| plural(one));
                format!("time of {subject} over that of {reference}")
            }
            _ => String::new(),
        },
    })
}

fn uncounted(event: Event, answer: Answer, run: Run<'_>) -> Answer {
    let counters = &run.machine().counters;
    let known = counters.events.iter().find(|known| known.event == event);
    let here = known.map(|known| &known.scope);
    let because = match (here, &answer.because) {
        (Some(Measured::NotAvailable { reason, .. }), _) => format!(
            "{event} cannot be counted on this machine ({reason}); a model of another one can be \
             asked: --simulate MACHINE"
        ),
        (_, Some(because)) => {
            format!("{because}; --simulate MACHINE asks a model of another machine")
        }
        (_, None) => return answer,
    };
    Answer::impossible(because)
}

fn is_missing(verdict: Standing, ours: &str) -> bool {
    let is_silent = verdict == Standing::CannotTell && ours.is_empty();
    verdict == Standing::NotRun || is_silent
}

fn answers_it(answer: &Answer, command: &str) -> Option<String> {
    is_missing(answer.verdict, &answer.ours).then(|| format!("`{command}` runs it"))
}

fn answer(published: &Published, ours: &Ours, run: Run<'_>) -> Result<Answer, Answer> {
    let claim = published.claim;
    match ours {
        Ours::Pair(pair) => pairs::answer(published, pair, run),
        Ours::Amount(of) => amounts::answer(published, of, run),
        Ours::Workers(of) => workers::each(of, run),
        Ours::Farthest(pair) => workers::farthest(published, pair, run),
        Ours::Explains(pair) => explains::answer(published, pair, run),
        Ours::TimeIn(of) => amounts::time_in(published, of, run),
        Ours::Best(of) => amounts::best(published.value, &of.case, run),
        Ours::Law(of) => laws::answer(claim, of, run),
        Ours::Limit(of) => limit(published, of.model, run),
        Ours::Throughput(of) => works::throughput(published, of, run),
        Ours::SharedPages(of) => works::shared_pages(published, of, run),
        Ours::TlbMisses(of) => works::tlb_misses(published, of, run),
        Ours::Survivors(of) => refused::survivors(claim, of, run),
        Ours::NotSwitched => refused::not_switched(run),
    }
}

fn with_half(published: &Published, first: Answer, run: Run<'_>) -> Answer {
    let Some(Half { claim, ours }) = &published.and else {
        return first;
    };
    let own = Published {
        claim: Some(*claim),
        value: None,
        ..published.clone()
    };
    let second = answer(&own, ours, run).unwrap_or_else(|answer| answer);
    let of_both = [first.verdict, second.verdict];
    let known = |side: &Answer| match side.ours.is_empty() {
        true => side.verdict.name().to_owned(),
        false => side.ours.clone(),
    };
    let ours = format!("{}; and {}", known(&first), known(&second));
    let because = [first.because, second.because].into_iter().flatten();
    Answer {
        cause: first.cause.or(second.cause),
        ..Answer::new(ours, claim::of_both(of_both)).since(joined(because, "; "))
    }
}

fn limit(published: &Published, model: flow::Model, run: Run<'_>) -> Result<Answer, Answer> {
    let found = run.parts.limits.iter().find(|limit| limit.model == model);
    let room = found
        .and_then(|limit| limit.room.as_ref())
        .ok_or_else(|| Answer::not_run(format!("no limit of {model} was read")))?;
    let made = found.map_or(0, |limit| limit.made);
    let ours = format!(
        "{}, by {} ({} tried in this study)",
        at_most(room),
        room.bites,
        count(made)
    );
    // What was made is certain; a limit that was read is none that was tried.
    let here = match published.claim {
        Some(Claim::AtLeast) => made as f64,
        _ => room.count as f64,
    };
    let verdict = claim::of_bound(published, (here, here)).unwrap_or(Standing::SideBySide);
    let is_tried = published.value.is_some_and(|bound| made as f64 > bound);
    let (verdict, because) = match (verdict, published.claim) {
        (Standing::Refuted, Some(Claim::AtLeast)) => (
            Standing::CannotTell,
            Some("fewer than the source's were tried in this study"),
        ),
        (Standing::Refuted, _) if !is_tried => (
            Standing::Differs,
            Some("that limit was read; this study tried no more flows than the source's limit"),
        ),
        (verdict, _) => (verdict, None),
    };
    Ok(Answer::new(ours, verdict).since(because.map(str::to_owned)))
}
