//! Throughput of threads over processes, and their misses of the TLB, beside the source's.

use flow::Model;
use measure::Measured;

use super::{Answer, Run, Standing, claim, modelled};
use crate::data::number::{against, count, factor_interval, percent, ratio_interval};
use crate::data::{OfWork, Published};
use crate::findings::phrases::because;
use crate::findings::quantity::Word;
use crate::findings::simulated::Count;
use crate::findings::{Ratio, Scaling, ScalingPoint, Throughput};

/// One work with its largest number of flows for which there are CPUs.
type Point<'a> = (&'a Scaling, &'a ScalingPoint);

fn works<'a>(of: &OfWork, run: Run<'a>) -> Result<Vec<Point<'a>>, Answer> {
    let own = run.parts.scaling.iter().filter(|work| is_of(of, work));
    let found: Vec<Point<'a>> = own
        .filter_map(|work| Some((work, largest(work)?)))
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    Err(match of.along.missing(run.machine()) {
        Some(why) => Answer::impossible(format!(
            "{why}; --simulate MACHINE asks a model of another machine"
        )),
        None => Answer::not_run(run.without(&of.workload, of.along.spoken())),
    })
}

fn is_of(of: &OfWork, work: &Scaling) -> bool {
    let rest = work.workload.strip_prefix(of.workload.as_str());
    let named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']));
    named && work.along == of.along
}

/// With one flow there is nothing to share.
fn largest(work: &Scaling) -> Option<&ScalingPoint> {
    let several = || work.points.iter().filter(|point| point.flows > 1);
    let fits = |point: &&ScalingPoint| point.flows <= work.room;
    several().rfind(fits).or(several().next_back())
}

pub(super) fn throughput(
    published: &Published,
    of: &OfWork,
    run: Run<'_>,
) -> Result<Answer, Answer> {
    let works = works(of, run)?;
    if let [(_, point)] = works.as_slice() {
        let ratio = point.threads_over_processes.as_ref();
        let ends = ratio.and_then(|one| one.interval.map(|[low, high]| (low, high)));
        let (verdict, because) = claim::of_two(published, word(ratio), ends);
        return Ok(Answer::new(shown(point), verdict).since(because));
    }
    let ratios = works
        .iter()
        .map(|(_, point)| point.threads_over_processes.as_ref());
    let words: Vec<Word> = ratios.map(word).collect();
    let all = |claim| {
        let each = words.iter().map(|word| claim::direction(claim, *word));
        claim::of_all(&each.collect::<Vec<_>>())
    };
    let verdict = match (published.claim.map(all), published.size) {
        (None, _) => Standing::SideBySide,
        (Some(Standing::Reproduced), Some(_)) => Standing::SameDirection,
        (Some(verdict), _) => verdict,
    };
    Ok(Answer::new(counted(&words), verdict))
}

fn word(ratio: Option<&Ratio>) -> Word {
    match ratio.and_then(|ratio| ratio.interval) {
        None => Word::CannotTell,
        Some([low, _]) if low > 1.0 => Word::More,
        Some([_, high]) if high < 1.0 => Word::Less,
        Some([low, high]) if low > 1.0 / NEAR && high < NEAR => Word::Same,
        Some(_) => Word::CannotTell,
    }
}

const NEAR: f64 = 1.02;

fn shown(point: &ScalingPoint) -> String {
    let flows = point.flows;
    let ratio = point.threads_over_processes.as_ref();
    format!(
        "{flows} flows: {}",
        ratio.map_or("not compared".to_owned(), said)
    )
}

fn said(ratio: &Ratio) -> String {
    let threads = against(1.0 / ratio.ratio);
    let Some([low, high]) = ratio.interval.map(|[low, high]| [1.0 / high, 1.0 / low]) else {
        return format!("threads {threads}, without an interval");
    };
    match word(Some(ratio)) {
        Word::CannotTell => format!("undecided: {}", ratio_interval(low, high)),
        Word::Same => format!("the same ({})", ratio_interval(low, high)),
        _ => {
            let away = ratio.ratio.max(1.0 / ratio.ratio);
            let ends = match high < 1.0 {
                true => factor_interval(away, 1.0 / high, 1.0 / low),
                false => factor_interval(away, low, high),
            };
            format!("threads {threads} {ends}")
        }
    }
}

fn counted(words: &[Word]) -> String {
    let of = |wanted: Word| words.iter().filter(|word| **word == wanted).count();
    format!(
        "of {} works threads are faster in {}, slower in {}, the same in {}, undecided in {}",
        words.len(),
        of(Word::More),
        of(Word::Less),
        of(Word::Same),
        of(Word::CannotTell)
    )
}

pub(super) fn tlb_misses(
    published: &Published,
    of: &OfWork,
    run: Run<'_>,
) -> Result<Answer, Answer> {
    let works = works(of, run)?;
    let (_, point) = works[0];
    if run.simulated().is_some() {
        let case = run.case(&point.case)?;
        let label = |model| point.of(model).map(|one| one.label.as_str());
        if let Some(labels) = label(Model::Thread).zip(label(Model::Process)) {
            return modelled::answer(published, case, labels, (Count::Dtlb, run));
        }
    }
    match &point.dtlb_misses {
        Measured::Value(ratio) => {
            let text = format!("{} flows: {ratio:.3}, medians", point.flows);
            let verdict = match published.claim {
                Some(_) => Standing::CannotTell,
                None => Standing::SideBySide,
            };
            Ok(Answer::new(text, verdict))
        }
        Measured::NotAvailable { reason, remedy } => {
            Err(Answer::impossible(because(reason, remedy)))
        }
    }
}

/// Of ranges of 2 MiB: counted, so there is no interval.
pub(super) fn shared_pages(
    published: &Published,
    of: &OfWork,
    run: Run<'_>,
) -> Result<Answer, Answer> {
    let works = works(of, run)?;
    let (_, point) = works[0];
    let is_threads = |one: &&Throughput| one.processes == 1 && one.threads == point.flows;
    let is_processes = |one: &&Throughput| one.threads == 1 && one.processes == point.flows;
    let threads = point.variants.iter().find(is_threads).map(ranges);
    let Some((all, shared)) = threads.transpose()? else {
        return Err(Answer::unknown("no good slot of threads"));
    };
    let mut words = format!(
        "{} flows: of {} ranges of 2 MiB with threads {} are worked on by several cores ({})",
        point.flows,
        count(all),
        count(shared),
        percent(shared as f64 / all as f64)
    );
    let processes = point.variants.iter().find(is_processes);
    if let Some(Ok((all, shared))) = processes.map(ranges) {
        let (all, shared) = (count(all), count(shared));
        words.push_str(&format!(", of {all} with processes at most {shared}"));
    }
    let share = shared as f64 / all as f64;
    let verdict = claim::of_bound(published, (share, share)).unwrap_or(Standing::SideBySide);
    Ok(Answer::new(words, verdict))
}

/// All ranges of a variant, and those of several cores (at the most, where they are hidden).
fn ranges(one: &Throughput) -> Result<(u64, u64), Answer> {
    let told = one.footprint.as_ref();
    let told = told.ok_or_else(|| Answer::unknown("flows of this work do not tell their pages"))?;
    let footprint = match told {
        Measured::Value(footprint) => footprint,
        Measured::NotAvailable { reason, .. } => return Err(Answer::impossible(reason)),
    };
    let shared = match &footprint.by_cores {
        Measured::Value(shared) => Ok(shared.huge),
        Measured::NotAvailable { reason, .. } => {
            let most = footprint.by_cores_at_most;
            most.map(|most| most.huge).ok_or(reason)
        }
    };
    match shared {
        Ok(shared) if footprint.all.huge > 0 => Ok((footprint.all.huge, shared)),
        Ok(_) => Err(Answer::unknown("no page was counted")),
        Err(reason) => Err(Answer::impossible(reason)),
    }
}
