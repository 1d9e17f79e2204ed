//! Rounds of some variants beside those that count: a fixed number, in random order, so as to be judged once.

use crate::data::{Case, Entry, LabelledVariant, RawSlot, SlotEntry, Study};
use crate::findings::ledger::{At, CaseLog};
use crate::plan::order::{order, slot_seed};
use crate::run::error::Stop;
use crate::run::launching::{Run, Take};
use crate::run::pilot::of_case;
use crate::run::progress::{Event, Place};

const FAILURES: usize = 2;

type Planned<'log> = (&'log Vec<LabelledVariant>, &'log Vec<RawSlot>);

pub(super) struct Aside {
    pub(super) what: &'static str,
    /// Number of first variants without which nothing is run.
    pub(super) needed: usize,
    pub(super) of: fn(&CaseLog) -> Option<Planned<'_>>,
    pub(super) entry: fn(SlotEntry) -> Entry,
}

pub(super) fn rounds(
    run: &mut Run<'_>,
    (studies, at): (&[Study], At),
    rounds: usize,
    aside: &Aside,
) -> Result<(), Stop> {
    while let Some(next) = next(run, (studies, at), rounds, aside) {
        slot(run, (studies, at), (next, rounds), aside)?;
    }
    Ok(())
}

fn name(case: &Case, aside: &Aside) -> String {
    format!("{} ({})", case.name, aside.what)
}

fn next(
    run: &Run<'_>,
    (studies, at): (&[Study], At),
    rounds: usize,
    aside: &Aside,
) -> Option<(usize, usize)> {
    let (variants, done) = (aside.of)(run.log(at))?;
    let is_out = |variant: usize| always_fails(done, variant);
    if (0..aside.needed).any(is_out) {
        return None;
    }
    let study = &studies[at.study];
    let seed = run.journal.header().settings.seed;
    let name = name(&study.cases[at.case], aside);
    let all = (0..rounds).flat_map(|round| {
        let order = order(seed, &study.name, &name, round, variants.len());
        order.into_iter().map(move |variant| (round, variant))
    });
    let is_done = |(round, variant): (usize, usize)| {
        let mut done = done.iter();
        done.any(|slot| (slot.round, slot.variant) == (round, variant))
    };
    let mut left = all.filter(|one| !is_done(*one) && !is_out(one.1));
    left.next()
}

fn always_fails(done: &[RawSlot], variant: usize) -> bool {
    let own = || done.iter().filter(|slot| slot.variant == variant);
    let is_good = |slot: &RawSlot| slot.value_ns.is_some();
    own().count() >= FAILURES && !own().any(is_good)
}

fn slot(
    run: &mut Run<'_>,
    (studies, at): (&[Study], At),
    ((round, variant), rounds): ((usize, usize), usize),
    aside: &Aside,
) -> Result<(), Stop> {
    let study = &studies[at.study];
    let log = run.log(at);
    let Some((variants, done)) = (aside.of)(log) else {
        return Ok(());
    };
    let case = Case {
        variants: variants.clone(),
        ..study.cases[at.case].clone()
    };
    let place = Place { study, case: &case };
    let begins = done.last().is_none_or(|last| last.round < round);
    let settings = &run.journal.header().settings;
    let drawn = slot_seed(
        (settings.seed, round),
        &study.name,
        &name(&case, aside),
        variant,
    );
    let (chosen, proof) = (of_case(log, settings), log.proof());
    if begins {
        let (what, at) = (aside.what, (round, rounds));
        run.observer.event(&Event::RoundAside { place, what, at });
    }
    let launch = (chosen, Take::slot(false, drawn));
    run.launch_and_note(place, (round, variant), proof, launch, aside.entry)?;
    Ok(())
}
