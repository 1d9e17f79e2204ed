use super::draw::Draw;
use super::machine::{Machine, NoiseModel};
use crate::error::StatsError;
use crate::looks::LookPlan;
use crate::sequential::{Sequential, Step};
use crate::together::shares;
use crate::verdict::Rule;

/// For what the 5 % of a run holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// For each answer.
    Each,
    /// For all of them together; the first look has as many rounds as an interval needs.
    Together,
}

/// A run of several studies on a simulated machine.
#[derive(Debug, Clone)]
pub struct WholeRun {
    /// The machine's noise.
    pub model: NoiseModel,
    /// For each answer the true ratios of its subjects to their reference.
    pub answers: Vec<Vec<f64>>,
    /// Rounds that there is time for, at the most.
    pub rounds: usize,
    /// For what the 5 % holds.
    pub level: Level,
    /// How the run is cut and taken up again.
    pub cuts: Cuts,
}

/// How a run is cut, shown, and taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cuts {
    /// It is not.
    None,
    /// Shown after a round drawn at random, and never taken up again.
    Once,
    /// Before each round, by one chance in eight, shown and taken up again, up to twice as long.
    Often,
    /// Somebody looks after every round, and ends it at the first that names a difference.
    Watched,
}

/// What came of a run, or of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Named {
    /// Answers that name a difference.
    pub answers: usize,
    /// Runs that hold at least one.
    pub runs: usize,
    /// Rounds of all answers together.
    pub rounds: usize,
}

impl WholeRun {
    /// Runs number `index` of `seed`.
    pub fn run(&self, seed: u64, index: u64) -> Result<Named, StatsError> {
        let mut draw = Draw::new(seed, index);
        let cases = self
            .answers
            .iter()
            .map(|ratios| self.case(ratios, &mut draw));
        let cases: Vec<Vec<Sequential>> = cases.collect::<Result<_, _>>()?;
        let differs = |i: usize, k: usize| {
            cases[i]
                .iter()
                .any(|pair| differs(pair, cases[i].len() * k))
        };
        let answers = cases.len();
        let shares = match self.level {
            Level::Each => vec![1; answers],
            Level::Together => shares(answers, differs),
        };
        let named = (0..answers).filter(|&i| differs(i, shares[i])).count();
        Ok(Named {
            answers: named,
            runs: usize::from(named > 0),
            rounds: cases.iter().map(|pairs| rounds(pairs)).sum(),
        })
    }

    /// Runs `runs` of them.
    pub fn repeat(&self, runs: usize, seed: u64) -> Result<Named, StatsError> {
        (0..runs).try_fold(Named::default(), |sum, index| {
            let one = self.run(seed, index as u64)?;
            Ok(Named {
                answers: sum.answers + one.answers,
                runs: sum.runs + one.runs,
                rounds: sum.rounds + one.rounds,
            })
        })
    }

    /// Measured until all are settled at the strictest level or time is up.
    fn case(&self, ratios: &[f64], draw: &mut Draw) -> Result<Vec<Sequential>, StatsError> {
        let parts = match self.level {
            Level::Each => 1,
            Level::Together => self.answers.len(),
        };
        let rule = Rule::sharing(ratios.len() * parts);
        let mut plan = LookPlan::default();
        if self.level == Level::Together {
            plan = plan.deciding_at(rule.alpha());
        }
        if matches!(self.cuts, Cuts::Often | Cuts::Watched) {
            plan = LookPlan::new(self.rounds)?.deciding_at(rule.alpha());
        }
        let mut pairs = vec![Sequential::new(plan, rule)?; ratios.len()];
        let times: Vec<f64> = std::iter::once(1.0).chain(ratios.iter().copied()).collect();
        let most = self.most_rounds(draw);
        let mut machine = Machine::new(self.model, times.len() * most, draw);
        for done in 0..most {
            if self.cuts == Cuts::Often && (done == self.rounds || draw.chance(SHOWN)) {
                let further = 1 + draw.below(most - done);
                take_up_again(&mut pairs, done + further)?;
            }
            let round = round(&times, &mut machine, draw);
            for (pair, subject) in pairs.iter_mut().zip(&round[1..]) {
                pair.push(round[0], *subject)?;
                if self.cuts == Cuts::Watched {
                    pair.watch()?;
                }
            }
            if pairs.iter().all(|pair| pair.step() != Step::Continue) && self.cuts != Cuts::Often {
                break;
            }
        }
        Ok(pairs)
    }

    fn most_rounds(&self, draw: &mut Draw) -> usize {
        match self.cuts {
            Cuts::None | Cuts::Watched => self.rounds,
            Cuts::Once => 1 + draw.below(self.rounds),
            Cuts::Often => 2 * self.rounds,
        }
    }
}

const SHOWN: f64 = 0.125;

/// What was decided stays, and there may be more rounds.
fn take_up_again(pairs: &mut [Sequential], most: usize) -> Result<(), StatsError> {
    for pair in pairs {
        if pair.rounds() > 0 {
            pair.show()?;
        }
        pair.extend(most)?;
    }
    Ok(())
}

fn round(times: &[f64], machine: &mut Machine, draw: &mut Draw) -> Vec<f64> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    draw.shuffle(&mut order);
    let mut values = vec![0.0; times.len()];
    for variant in order {
        values[variant] = machine.slot(times[variant], draw);
    }
    values
}

fn differs(pair: &Sequential, comparisons: usize) -> bool {
    let judged = pair
        .at(Rule::sharing(comparisons))
        .and_then(|pair| pair.conclude());
    let verdict = judged.map(|(_, verdict)| verdict);
    verdict.is_ok_and(|verdict| verdict.is_difference())
}

fn rounds(pairs: &[Sequential]) -> usize {
    pairs.iter().map(Sequential::rounds).max().unwrap_or(0)
}
