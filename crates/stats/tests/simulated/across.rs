//! What the intervals over machines promise, on simulated fleets whose truth is known.
//!
//! The tables in docs/fleet.md are what this prints:
//!
//! ```text
//! cargo test -p flowgauge-stats --test simulated across:: -- --nocapture --test-threads=1
//! ```

use stats::simulate::{Draw, HOSTILE, Machine, NoiseModel, QUIET, SHARED};
use stats::{Across, Estimate, across, estimate, standard_error};

const SEED: u64 = 20_261_122;
const MACHINES: [usize; 6] = [3, 4, 5, 10, 20, 50];
const ROUNDS: usize = 10;
/// Level of one look.
const ALPHA: f64 = 0.016;
/// The mean of the logs of all machines.
const MU: f64 = 0.05;

/// How true ratios of machines lie around their mean.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Gauss,
    /// Heavy tails: a machine that is none like the others now and then.
    T3,
    /// Two kinds of machines, as many of each.
    TwoKinds,
}

impl Shape {
    fn draw(self, spread: f64, draw: &mut Draw) -> f64 {
        match self {
            Self::Gauss => draw.normal(spread),
            Self::T3 => draw.t3(spread),
            Self::TwoKinds => spread * draw.sign(),
        }
    }
}

/// What a machine of this noise shows of two variants whose true log ratio is `truth`.
fn shown(model: NoiseModel, truth: f64, draw: &mut Draw) -> Estimate {
    let mut machine = Machine::new(model, 2 * ROUNDS, draw);
    let (mut reference, mut subject) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        if draw.chance(0.5) {
            reference.push(machine.slot(1.0, draw));
            subject.push(machine.slot(truth.exp(), draw));
        } else {
            subject.push(machine.slot(truth.exp(), draw));
            reference.push(machine.slot(1.0, draw));
        }
    }
    estimate(&reference, &subject, ALPHA).unwrap()
}

/// A fleet of these noises in turn, and one machine more.
fn fleet(noises: &[NoiseModel], k: usize, shape: Shape, spread: f64, stream: u64) -> (Across, f64) {
    let mut draw = Draw::new(SEED, stream);
    let mut one = |place: usize| {
        let truth = MU + shape.draw(spread, &mut draw);
        shown(noises[place % noises.len()], truth, &mut draw)
    };
    let all: Vec<Estimate> = (0..k).map(&mut one).collect();
    let next = one(usize::try_from(stream).unwrap() % noises.len());
    (across(&all).unwrap(), next.ratio)
}

/// Shares of fleets whose interval of the mean holds the mean, and whose interval of the next
/// machine holds what that shows; and what chance may take from them.
struct Coverage {
    mean: f64,
    next: f64,
    chance: f64,
}

impl Coverage {
    fn is_promised(&self) -> bool {
        self.mean.min(self.next) >= 0.95 - self.chance
    }
}

fn coverage(noises: &[NoiseModel], k: usize, shape: Shape, spread: f64) -> Coverage {
    let fleets = if k > 10 { 300 } else { 1000 };
    let holds = |(low, high): (f64, f64), value: f64| (low..=high).contains(&value);
    let (mut mean, mut next) = (0, 0);
    for stream in 0..fleets {
        let (found, shown) = fleet(noises, k, shape, spread, stream);
        mean += usize::from(holds(found.mean.unwrap(), MU.exp()));
        next += usize::from(holds(found.next.unwrap(), shown));
    }
    let share = |count: usize| count as f64 / fleets as f64;
    let names: Vec<&str> = noises.iter().map(|noise| noise.name).collect();
    println!(
        "| {k} | {} | {shape:?} | {:.0} % | {:.1} % | {:.1} % |",
        names.join(", "),
        100.0 * spread,
        100.0 * share(mean),
        100.0 * share(next)
    );
    Coverage {
        mean: share(mean),
        next: share(next),
        chance: 3.0 * (0.05 * 0.95 / fleets as f64).sqrt(),
    }
}

const MIXED: [NoiseModel; 3] = [QUIET, SHARED, HOSTILE];
const SPREADS: [f64; 3] = [0.0, 0.02, 0.2];

#[test]
fn intervals_cover_for_three_to_fifty_machines() {
    for noises in [&[QUIET][..], &[SHARED], &MIXED] {
        for shape in [Shape::Gauss, Shape::T3] {
            for (spread, k) in SPREADS.into_iter().flat_map(|s| MACHINES.map(|k| (s, k))) {
                let found = coverage(noises, k, shape, spread);
                assert!(found.is_promised(), "{k} {shape:?} {spread}");
            }
        }
    }
}

/// Few machines drawn from two kinds are often all of one: nothing seen tells of the other.
#[test]
fn two_kinds_of_machines_need_ten() {
    for k in MACHINES {
        let found = coverage(&MIXED, k, Shape::TwoKinds, 0.2);
        match k {
            // One of four and of eight fleets is of one kind.
            3 | 4 => assert!(found.mean < 0.92, "{k}"),
            5 => {}
            _ => assert!(found.is_promised(), "{k}"),
        }
    }
}

/// All rounds in one pot: what is wrong with it.
#[test]
fn rounds_of_all_machines_in_one_pot_claim_too_much() {
    let held = (0..300).filter(|&stream| {
        let mut draw = Draw::new(SEED, stream);
        let shown: Vec<Estimate> = (0..10)
            .map(|_| shown(QUIET, MU + draw.normal(0.05), &mut draw))
            .collect();
        let precise: f64 = shown
            .iter()
            .map(|one| standard_error(one).unwrap().powi(-2))
            .sum();
        let weighted = |one: &Estimate| one.ratio.ln() * standard_error(one).unwrap().powi(-2);
        let mean = shown.iter().map(weighted).sum::<f64>() / precise;
        (mean - MU).abs() <= 1.96 / precise.sqrt()
    });
    let held = held.count();
    println!("one pot: {held} of 300");
    assert!(held < 150, "{held}");
}
