use serde::Serialize;

use crate::findings::Word;
use crate::findings::compared::at_most_apart;

pub(super) const CPU: &str = "CPU time";

/// One answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// The study, by its name.
    pub study: String,
    /// The same by its place among the studies of the run.
    pub place: usize,
    /// The case; empty where the row is of all of them.
    pub case: String,
    /// `Primes, even work`.
    pub label: String,
    /// What it answers.
    pub question: Question,
    /// What the ratio is of: a metric (`total`), `memory`, `CPU time`; empty without one.
    pub quantity: String,
    /// What is compared, and with what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Subject over reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Both ends of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Differences within this fraction do not matter.
    pub floor: f64,
    /// The verdict; `None` where nothing is judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Word>,
    /// What the row says: `threads 7.8 % faster`.
    pub words: String,
    /// What stands behind it, less loud: `[3.1 … 20.5 %]`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ends: String,
    /// It is no headline answer, and has no share of their level.
    pub is_exploratory: bool,
    /// Few rounds decided it and may have overstated the difference.
    pub is_of_few_rounds: bool,
    /// What stands below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<Line>,
}

/// What a row answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Threads or processes.
    ThreadsOrProcesses,
    /// Which variant is the best of a case.
    #[default]
    WhichIsFaster,
    /// Which variant to take, and whether it matters.
    WhichToTake,
    /// How long one variant takes: nothing is compared.
    HowLong,
    /// How much memory threads need against processes.
    Memory,
    /// How many flows there can be.
    Limits,
    /// How many misses a model counts.
    Misses,
}

/// A line below an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// What it is about.
    pub about: About,
    /// Its words.
    pub text: String,
}

/// What a line below an answer is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The cause.
    Cause,
    /// That nothing that was measured is a cause.
    NoCause,
    /// Where the difference is, by profiles.
    Where,
    /// Whether the gap closes without what was seen.
    Confirmed,
    /// What a faster part would bring.
    Predicted,
    /// Why there is no answer.
    NoAnswer,
    /// That few rounds may have overstated the difference.
    Overstated,
    /// Of which launches the row is, where some failed.
    Failed,
    /// What it is on average, where that is another answer than the typical one.
    Average,
    /// What a flag asked for, such as the highest rate within a bound.
    Asked,
    /// What its figures are.
    Meaning,
    /// What was measured besides, such as the other variants.
    Besides,
    /// Where along a sweep the answer becomes another one.
    Flips,
}

impl About {
    pub(super) fn says(self, text: impl Into<String>) -> Line {
        let text = text.into();
        Line { about: self, text }
    }
}

impl Answer {
    pub(super) fn called(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, about: About, said: impl IntoIterator<Item = String>) {
        let said = said.into_iter().map(|said| about.says(said));
        self.below.extend(said);
    }

    /// Whether it is on threads against processes.
    #[must_use]
    pub fn is_on_threads_and_processes(&self) -> bool {
        matches!(
            self.question,
            Question::ThreadsOrProcesses | Question::Memory
        )
    }

    /// What a reader can do with it: act (0), rest assured (1), or nothing yet (2).
    pub(super) fn rank(&self) -> u8 {
        match (self.is_difference(), self.says_little()) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        }
    }

    /// The ratio, where it is one of times.
    #[must_use]
    pub fn times(&self) -> Option<f64> {
        self.ratio.filter(|_| self.question != Question::Memory)
    }

    /// Whether more could be known.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.verdict.is_some_and(|verdict| !verdict.is_decided())
    }

    /// Whether it names a difference.
    #[must_use]
    pub fn is_difference(&self) -> bool {
        use Word::{Faster, Less, More, Slower};
        matches!(self.verdict, Some(Faster | Slower | Less | More))
    }

    /// Whether it is no answer that anybody could act on: open, with ends far apart.
    #[must_use]
    pub fn is_not_known(&self) -> bool {
        self.is_open() && self.interval.and_then(at_most_apart).is_none()
    }

    /// Whether it leaves a reader of many rows with nothing to act on: it is for the page.
    #[must_use]
    pub fn says_little(&self) -> bool {
        self.is_not_known() || self.question == Question::HowLong
    }

    /// Whether it is of CPU time, since wall time decides nothing.
    #[must_use]
    pub fn is_by_cpu(&self) -> bool {
        self.quantity == CPU
    }

    /// What stands after the label.
    #[must_use]
    pub fn mark(&self) -> &'static str {
        match (self.is_exploratory, self.is_of_few_rounds) {
            (false, false) => "",
            (true, false) => " *",
            (false, true) => " \u{2020}",
            (true, true) => " *\u{2020}",
        }
    }

    /// Takes away what is said below of a kind; whether there was any.
    pub fn no_longer_says(&mut self, about: About) -> bool {
        let lines = self.below.len();
        self.below.retain(|line| line.about != about);
        self.below.len() < lines
    }
}
