//! Three machines: quiet, shared, hostile (docs/method.md, "The simulated machines"). A slot's time
//! is its true time multiplied by e^x, and x adds up, per slot and in time order:
//! ```text
//!   x = gauss + t3            fresh for every slot: this launch was unlucky
//!     + AR(1)                 the neighbours' load, which comes and goes slowly
//!     + drift                 heat, over the whole run: a line or one sine wave
//!     + ln 1.10 while slow    two-speed clock, which switches now and then
//!     + ln(1 + spike)         rarely: something else ran
//! ```
//! Sizes of the first two parts and of the AR(1) part are standard deviations.

use std::f64::consts::TAU;

use super::draw::Draw;

/// The noise of one kind of machine. All sizes are fractions, in logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseModel {
    /// Name, as in the documentation.
    pub name: &'static str,
    /// Standard deviation of the Gaussian part.
    pub gauss: f64,
    /// Standard deviation of the Student t part (three degrees of freedom).
    pub t3: f64,
    /// Correlation of the AR(1) part from slot to slot.
    pub ar_correlation: f64,
    /// Standard deviation of the AR(1) part in the long run.
    pub ar_spread: f64,
    /// How much longer everything takes while the clock is slow.
    pub two_speed: f64,
    /// Probability that the clock changes speed before a slot.
    pub switch_chance: f64,
    /// How far the drift goes to either side over the run.
    pub drift: f64,
    /// Probability that a slot has a spike.
    pub spike_chance: f64,
    /// Mean of a spike; its size is exponential.
    pub spike_mean: f64,
}

/// A machine that does nothing else.
pub const QUIET: NoiseModel = NoiseModel {
    name: "quiet",
    gauss: 0.005,
    t3: 0.0,
    ar_correlation: 0.0,
    ar_spread: 0.0,
    two_speed: 0.0,
    switch_chance: 0.0,
    drift: 0.0,
    spike_chance: 0.02,
    spike_mean: 0.15,
};

/// A machine with neighbours.
pub const SHARED: NoiseModel = NoiseModel {
    name: "shared",
    gauss: 0.0,
    t3: 0.02,
    ar_correlation: 0.8,
    ar_spread: 0.02,
    two_speed: 0.0,
    switch_chance: 0.0,
    drift: 0.05,
    spike_chance: 0.05,
    spike_mean: 0.15,
};

/// A crowded machine whose clock changes speed.
pub const HOSTILE: NoiseModel = NoiseModel {
    name: "hostile",
    gauss: 0.0,
    t3: 0.04,
    ar_correlation: 0.9,
    ar_spread: 0.04,
    two_speed: 0.10,
    switch_chance: 0.05,
    drift: 0.10,
    spike_chance: 0.12,
    spike_mean: 0.40,
};

/// The three models, from calm to rough.
pub const MODELS: [NoiseModel; 3] = [QUIET, SHARED, HOSTILE];

/// A machine in the middle of a run.
#[derive(Debug, Clone)]
pub struct Machine {
    model: NoiseModel,
    slots: usize,
    done: usize,
    load: f64,
    slow_clock: bool,
    drift_sign: f64,
    drift_is_a_line: bool,
}

impl Machine {
    /// A machine of the given model at the start of a run of `slots` slots.
    pub fn new(model: NoiseModel, slots: usize, draw: &mut Draw) -> Self {
        Self {
            model,
            slots,
            done: 0,
            load: draw.normal(model.ar_spread),
            slow_clock: draw.chance(0.5),
            drift_sign: draw.sign(),
            drift_is_a_line: draw.chance(0.5),
        }
    }

    /// What the machine makes of the next slot, whose true time is `time`.
    pub fn slot(&mut self, time: f64, draw: &mut Draw) -> f64 {
        let launch = draw.normal(self.model.gauss) + draw.t3(self.model.t3);
        let x = launch + self.load(draw) + self.drift() + self.clock(draw) + self.spike(draw);
        self.done += 1;
        time * x.exp()
    }

    fn load(&mut self, draw: &mut Draw) -> f64 {
        let keep = self.model.ar_correlation;
        let fresh = (1.0 - keep * keep).sqrt() * self.model.ar_spread;
        self.load = keep * self.load + draw.normal(fresh);
        self.load
    }

    fn drift(&self) -> f64 {
        let part = self.done as f64 / self.slots as f64;
        let shape = if self.drift_is_a_line {
            2.0 * part - 1.0
        } else {
            (TAU * part).sin()
        };
        self.drift_sign * self.model.drift * shape
    }

    fn clock(&mut self, draw: &mut Draw) -> f64 {
        self.slow_clock ^= draw.chance(self.model.switch_chance);
        if self.slow_clock {
            self.model.two_speed.ln_1p()
        } else {
            0.0
        }
    }

    fn spike(&self, draw: &mut Draw) -> f64 {
        if draw.chance(self.model.spike_chance) {
            draw.exponential(self.model.spike_mean).ln_1p()
        } else {
            0.0
        }
    }
}
