use super::draw::Draw;
use super::machine::{Machine, NoiseModel};
use crate::error::StatsError;
use crate::estimate::Estimate;
use crate::looks::LookPlan;
use crate::sequential::Sequential;
use crate::verdict::{Rule, Verdict};

/// In which order the slots of the rounds are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A coin for every round: what flowgauge does.
    Random,
    /// All of the reference, then all of the subject: AAABBB.
    Blocks,
}

/// A comparison on a simulated machine, with the truth known.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// The machine's noise.
    pub model: NoiseModel,
    /// The order of the slots.
    pub order: Order,
    /// True time of the subject over true time of the reference.
    pub ratio: f64,
    /// The looks.
    pub plan: LookPlan,
    /// The rule of judgement.
    pub rule: Rule,
}

/// What came of many experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Experiments run.
    pub experiments: usize,
    /// How many ended with *faster*.
    pub faster: usize,
    /// How many ended with *slower*.
    pub slower: usize,
    /// How many ended with *same*.
    pub same: usize,
    /// How many ended with *cannot tell*.
    pub cannot_tell: usize,
    /// Rounds of all experiments together.
    pub rounds: usize,
}

impl Experiment {
    /// As flowgauge compares: random order, default looks, one comparison, floor of 1 %.
    pub fn new(model: NoiseModel, ratio: f64) -> Self {
        Self {
            model,
            order: Order::Random,
            ratio,
            plan: LookPlan::default(),
            rule: Rule::default(),
        }
    }

    /// The times of all rounds: reference and subject, one value a round each.
    pub fn measure(&self, draw: &mut Draw) -> (Vec<f64>, Vec<f64>) {
        let order = self.order.of(self.plan.max_rounds(), draw);
        let mut machine = Machine::new(self.model, order.len(), draw);
        let (mut reference, mut subject) = (Vec::new(), Vec::new());
        for is_subject in order {
            if is_subject {
                subject.push(machine.slot(self.ratio, draw));
            } else {
                reference.push(machine.slot(1.0, draw));
            }
        }
        (reference, subject)
    }

    /// Runs experiment number `index` of `seed` through the sequential driver.
    pub fn run(&self, seed: u64, index: u64) -> Result<(Estimate, Verdict), StatsError> {
        let (reference, subject) = self.measure(&mut Draw::new(seed, index));
        let mut sequential = Sequential::new(self.plan.clone(), self.rule)?;
        for (r, s) in reference.into_iter().zip(subject) {
            if let Some(finding) = sequential.push(r, s)?.finding() {
                return Ok(finding);
            }
        }
        sequential.conclude()
    }

    /// Runs `experiments` of them and counts the words.
    pub fn repeat(&self, experiments: usize, seed: u64) -> Result<Tally, StatsError> {
        let mut tally = Tally::default();
        for index in 0..experiments {
            let (estimate, verdict) = self.run(seed, index as u64)?;
            tally.count(&estimate, &verdict);
        }
        Ok(tally)
    }
}

impl Order {
    /// For every slot in time order: is it the subject's?
    fn of(self, rounds: usize, draw: &mut Draw) -> Vec<bool> {
        match self {
            Order::Blocks => [vec![false; rounds], vec![true; rounds]].concat(),
            Order::Random => (0..rounds)
                .map(|_| draw.chance(0.5))
                .flat_map(|first| [first, !first])
                .collect(),
        }
    }
}

impl Tally {
    /// How many said that there is a difference.
    pub fn differences(&self) -> usize {
        self.faster + self.slower
    }

    /// Rounds of an experiment, on average.
    pub fn mean_rounds(&self) -> f64 {
        self.rounds as f64 / self.experiments as f64
    }

    fn count(&mut self, estimate: &Estimate, verdict: &Verdict) {
        self.experiments += 1;
        self.rounds += estimate.rounds;
        *match verdict {
            Verdict::Faster { .. } => &mut self.faster,
            Verdict::Slower { .. } => &mut self.slower,
            Verdict::Same { .. } => &mut self.same,
            Verdict::CannotTell { .. } => &mut self.cannot_tell,
        } += 1;
    }
}
