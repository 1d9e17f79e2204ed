//! What moving flows between processes does to the balance of work, and whether it pays.
//!
//! The **imbalance** is the longest CPU time of a process over the mean: with 2 processes 1 is even
//! and 2 is one process that did everything. Each variant that moves is compared with each that
//! does not, at a level that all share ([`Best`]). Moving pays if some variant that moves is faster
//! than every one that does not, and does not in the opposite case.
//!
//! At each point of a sweep moving is compared with leaving flows where they are (from which grain
//! on it pays), and with everything that does not move, such as a queue.

use stats::{Best, Verdict};

use super::CaseResult;
use super::paired::{columns, rule};
use crate::data::Metric;
use crate::data::number::{count, plain, time};
use crate::data::words::listed;

pub(super) fn moved(cases: &[CaseResult]) -> Vec<String> {
    let points: Vec<Point<'_>> = cases.iter().filter_map(Point::of).collect();
    let of_sweep = |name: &str| {
        points
            .iter()
            .filter(move |point| point.sweep() == name)
            .count()
    };
    let compared: Vec<Compared<'_, '_>> = points
        .iter()
        .map(|point| Compared::of(point, of_sweep(point.sweep()).max(1)))
        .collect();
    let mut sweeps: Vec<&str> = points.iter().map(Point::sweep).collect();
    sweeps.retain(|sweep| !sweep.is_empty());
    sweeps.dedup();
    let each = compared.iter().map(Compared::sentence);
    let whole = sweeps.iter().filter_map(|sweep| {
        let of_it: Vec<&Compared<'_, '_>> = compared
            .iter()
            .filter(|one| one.point.sweep() == *sweep)
            .collect();
        over_grains(sweep, &of_it)
    });
    each.chain(whole).collect()
}

#[derive(Debug, Clone, Copy)]
struct Side<'a> {
    place: usize,
    label: &'a str,
    moves: f64,
    imbalance: f64,
    beside_ns: f64,
}

fn sides(case: &CaseResult) -> Vec<Side<'_>> {
    let variants = case.variants.iter().enumerate();
    let side = variants.filter_map(|(place, variant)| {
        let counts = &variant.self_managed.as_ref()?.counts;
        let of = |name: &str| counts.get(name).copied();
        Some(Side {
            place,
            label: &variant.label,
            moves: of("moves")?,
            imbalance: of("longest_ns")? / of("mean_ns").filter(|mean| *mean > 0.0)?,
            beside_ns: of("beside_work_ns")?,
        })
    });
    side.collect()
}

struct Point<'a> {
    case: &'a CaseResult,
    movers: Vec<Side<'a>>,
    others: Vec<Side<'a>>,
}

impl<'a> Point<'a> {
    fn of(case: &'a CaseResult) -> Option<Self> {
        let (movers, others): (Vec<Side<'_>>, Vec<Side<'_>>) =
            sides(case).into_iter().partition(|side| side.moves > 0.0);
        let has_both = !movers.is_empty() && !others.is_empty();
        has_both.then_some(Self {
            case,
            movers,
            others,
        })
    }

    fn sweep(&self) -> &'a str {
        let point = self.case.case.sweep.as_ref();
        point.map_or("", |point| point.sweep.as_str())
    }
}

struct Compared<'p, 'a> {
    point: &'p Point<'a>,
    best: Option<Best>,
}

impl<'p, 'a> Compared<'p, 'a> {
    fn of(point: &'p Point<'a>, points: usize) -> Self {
        let variants = point.case.variants.len();
        let rule = rule(0.0, point.movers.len() * point.others.len() * points);
        let best = Best::of(&columns(&point.case.slots, variants), rule).ok();
        Self { point, best }
    }

    fn is_faster(&self, a: &Side<'_>, b: &Side<'_>) -> bool {
        let best = self.best.as_ref();
        let pair = best.and_then(|best| best.pair(a.place, b.place));
        matches!(pair, Some((_, Verdict::Faster { .. })))
    }

    fn winner<'s>(&self, ones: &'s [Side<'a>], all: &[Side<'_>]) -> Option<&'s Side<'a>> {
        let beats = |one: &&Side<'_>| all.iter().all(|other| self.is_faster(one, other));
        ones.iter().find(beats)
    }

    fn beats_staying(&self) -> bool {
        let Point { movers, others, .. } = self.point;
        self.winner(movers, &others[..1]).is_some()
    }

    fn beats_all(&self) -> bool {
        self.winner(&self.point.movers, &self.point.others)
            .is_some()
    }

    fn sentence(&self) -> String {
        let Point {
            case,
            movers,
            others,
        } = self.point;
        let still = &others[0];
        let said: Vec<String> = movers.iter().map(|side| evened(side, still)).collect();
        format!(
            "{}: {}imbalance (longest CPU time over the mean of the processes) {:.2} with {}, {}; {}",
            case.case.name,
            in_all(case, movers.iter().chain(others)),
            still.imbalance,
            still.label,
            listed(&said),
            self.pays()
        )
    }

    fn pays(&self) -> String {
        let Point { movers, others, .. } = self.point;
        if let Some(mover) = self.winner(movers, others) {
            return format!(
                "moving pays: {} is faster than every variant that does not",
                mover.label
            );
        }
        match self.winner(others, movers) {
            Some(other) => format!(
                "moving does not pay: {} moves nothing and is faster than every variant that does",
                other.label
            ),
            None => "whether moving pays is undecided".to_owned(),
        }
    }
}

/// `grain: moving flows is faster than none with 16 and 64 pieces (down to 1.20 ms a piece) …`.
fn over_grains(sweep: &str, points: &[&Compared<'_, '_>]) -> Option<String> {
    let first = points.first().filter(|_| points.len() > 1)?.point;
    let at = |one: &Compared<'_, '_>| {
        let point = one.point.case.case.sweep.as_ref();
        point.map_or_else(String::new, |point| plain(point.value))
    };
    let point = first.case.case.sweep.as_ref();
    let unit = point.map_or("", |point| &point.unit);
    let staying = first.others[0].label;
    let paying: Vec<&&Compared<'_, '_>> = points.iter().filter(|one| one.beats_staying()).collect();
    let best: Vec<String> = points
        .iter()
        .filter(|one| one.beats_all())
        .map(|one| at(one))
        .collect();
    let each = |one: &&&Compared<'_, '_>| {
        let place = one.point.others[0].place;
        let value = one.point.case.variants[place].value.as_ref();
        value.map(|value| value.typical)
    };
    let finest = paying.iter().filter_map(each).fold(f64::INFINITY, f64::min);
    let grain = match paying.is_empty() {
        true => format!("moving flows is faster than {staying} at no number of {unit}"),
        false => {
            let list: Vec<String> = paying.iter().map(|one| at(one)).collect();
            format!(
                "moving flows is faster than {staying} with {} {unit} (the finest takes {} a unit)",
                listed(&list),
                time(finest)
            )
        }
    };
    let worth = match best.is_empty() {
        true => "it is not worth having here for this work: at no grain is it faster than \
                 everything that moves nothing"
            .to_owned(),
        false => format!(
            "it is worth having here for this work with {} {unit}, where it is faster than \
             everything that moves nothing",
            listed(&best)
        ),
    };
    Some(format!("{sweep}: {grain}; {worth}"))
}

/// `all 256 units take 201 ms with none, 187 ms with greedy; `.
fn in_all<'a>(case: &CaseResult, sides: impl Iterator<Item = &'a Side<'a>>) -> String {
    let units = case.case.work.units();
    let total = |side: &'a Side<'a>| {
        let value = case.variants[side.place].value.as_ref()?;
        Some((side.place, value.typical * units as f64, side.label))
    };
    let mut totals: Vec<(usize, f64, &str)> = sides.filter_map(total).collect();
    totals.sort_by_key(|(place, ..)| *place);
    let said: Vec<String> = totals
        .iter()
        .map(|(_, ns, label)| format!("{} with {label}", time(*ns)))
        .collect();
    match case.case.metric == Metric::Unit && !said.is_empty() {
        true => format!("all {} units take {}; ", count(units), listed(&said)),
        false => String::new(),
    }
}

fn evened(side: &Side<'_>, still: &Side<'_>) -> String {
    let each = (side.beside_ns - still.beside_ns) / side.moves;
    let each = match each > 0.0 {
        true => format!(", {} more CPU time beside the work for each", time(each)),
        false => String::new(),
    };
    format!(
        "{:.2} with {} ({} moves{each})",
        side.imbalance,
        side.label,
        count(side.moves.round() as u64)
    )
}

#[cfg(test)]
mod tests {
    use flow::{Answer, SelfManagedUsage, SlotSpec};
    use workload::{Balanced, Work};

    use crate::data::{Preset, Study};
    use crate::findings::testing::{has, results};
    use crate::testing::{MS, Mock, PROOF, done, header, machine};

    fn study() -> Study {
        let mut study = crate::plan::study::builtin("balance", Preset::Quick)
            .unwrap()
            .for_cpus(2);
        study.cases.truncate(1);
        study.headline = study.cases[0].name.clone();
        study
    }

    /// Slots in which a variant takes the milliseconds that `ms` gives for its label.
    fn answer(n: usize, spec: &SlotSpec<Work>, ms: fn(&str) -> u64) -> Answer {
        let Work::Balanced(Balanced { balance, .. }) = &spec.work else {
            panic!("other work")
        };
        let way = serde_json::to_string(balance).unwrap();
        let way = format!("{} {}", spec.variant.model, way.trim_matches('"'));
        let ns = ms(&way) * MS + 1_000 * (n as u64 * 7 % 11);
        let Answer::Done(mut record) = done(spec, ns, PROOF) else {
            panic!("not done")
        };
        let moves = [("greedy", 30), ("stealing", 10)];
        let moves = moves.iter().find(|(name, _)| way.ends_with(name));
        let moves = moves.map_or(0, |(_, moves)| *moves);
        let longest = if moves > 0 { 105 } else { 125 };
        let named = [
            ("moves", moves),
            ("longest_ns", longest),
            ("mean_ns", 100),
            ("beside_work_ns", 1_000 + moves * 2_000),
        ];
        for rep in record.reps.iter_mut().chain(&mut record.warmups) {
            rep.self_managed = Some(Box::new(SelfManagedUsage {
                made: 2,
                most: 2,
                counts: named.map(|(name, value)| (name.to_owned(), value)).into(),
                ..SelfManagedUsage::default()
            }));
        }
        Answer::Done(record)
    }

    fn said(ms: fn(&str) -> u64) -> String {
        sentences(study(), ms).remove(0)
    }

    /// What is said of imbalance and of moving.
    fn sentences(study: Study, ms: fn(&str) -> u64) -> Vec<String> {
        let mut mock = Mock::new(move |_, _, n, spec| answer(n, spec, ms));
        let header = crate::data::Header {
            machine: machine(2, 1),
            ..header(vec![study])
        };
        let results = results(header, &mut mock);
        let all = results.studies[0].sentences.iter();
        let about = |said: &&String| said.contains("imbalance") || said.contains("moving flows");
        all.filter(about).cloned().collect()
    }

    #[test]
    fn a_queue_that_is_faster_than_all_that_move_is_the_answer() {
        let said = said(|way| match way {
            "thread queue" => 80,
            "migratable/2 none" => 125,
            _ => 100,
        });
        has(
            &said,
            "1.25 with flows that stay, 1.05 with greedy (30 moves, 2.00 µs",
        );
        has(&said, "moving does not pay: queued threads");
    }

    #[test]
    fn flows_that_move_and_are_faster_than_all_others_pay() {
        let said = said(|way| match way {
            "migratable/2 stealing" => 80,
            _ => 100,
        });
        has(&said, "moving pays: stealing is faster");
    }

    #[test]
    fn of_equal_times_nothing_is_said_to_pay() {
        let said = said(|_| 100);
        has(&said, "undecided");
    }

    #[test]
    fn over_all_grains_it_is_said_where_moving_pays_and_whether_it_is_worth_having() {
        let mut two = study();
        let mut coarse = two.cases[0].clone();
        let point = coarse.sweep.as_mut().unwrap();
        point.value += 1_000.0;
        coarse.name = "grain/coarse".to_owned();
        two.cases.push(coarse);
        let last = |ms| sentences(two.clone(), ms).pop().unwrap();
        let queue = last(|way| match way {
            "thread queue" => 60,
            "migratable/2 greedy" => 80,
            _ => 100,
        });
        has(&queue, "faster than flows that stay with");
        has(&queue, "not worth having here");
        let moves = last(|way| match way {
            "migratable/2 greedy" => 80,
            _ => 100,
        });
        has(&moves, "worth having here for this work with");
    }
}
