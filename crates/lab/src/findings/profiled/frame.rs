use flow::profile::STRIPPED;
use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::data::number::{DOTS, many, time, time_interval};

const LISTED: usize = 5;

/// Two variants' profiles compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profiled {
    /// Rounds in which both sides have a profile.
    pub rounds: usize,
    /// What the times are for: a launch, a repetition, a request.
    pub unit: String,
    /// Seconds of all flows together, reference and subject.
    pub total_s: [f64; 2],
    /// Places, the largest difference first.
    pub places: Vec<Frame>,
    /// Callers and what they call: each frame stands after the one above it.
    pub tree: Vec<Frame>,
    /// Frames that were judged.
    pub judged: usize,
    /// Samples of CPU time, reference and subject.
    pub samples: [u64; 2],
    /// Records that were lost for want of room.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// One switch of `each` had its call chain, at the most.
    pub each: u64,
    /// How much longer slots took than the timed ones, as a ratio; `None` where that is not known.
    pub cost: Option<[f64; 2]>,
    /// What could not be seen, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<Measured<()>>,
}

/// One place, or one node of the tree with all below it. Seconds are for each unit of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its name.
    pub name: String,
    /// The frame above it in the tree, from 1 on; 0 is none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub above: usize,
    /// Mean seconds, reference and subject.
    pub seconds: [f64; 2],
    /// The interval of the difference, subject minus reference; `None` where the rounds are too few.
    pub interval: Option<(f64, f64)>,
    /// Of the exact test; `None` for a frame too small to be judged.
    pub p_value: Option<f64>,
    /// Whether the difference is named.
    pub is_named: bool,
    /// Of a place that is named: functions that call for most of its difference, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_none(above: &usize) -> bool {
    *above == 0
}

impl Frame {
    /// Subject minus reference, in seconds.
    #[must_use]
    pub fn difference_s(&self) -> f64 {
        self.seconds[1] - self.seconds[0]
    }

    /// The interval of subject minus reference; empty without one.
    #[must_use]
    pub fn interval_words(&self) -> String {
        self.interval.map_or(String::new(), between)
    }

    /// `1.90 s more [1.72 s … 2.10 s]: waits at mmap_lock (write) in munmap (1.92 s against 0.02 s), called by free`.
    #[must_use]
    pub fn words(&self) -> String {
        let difference_s = self.difference_s();
        let is_less = difference_s < 0.0;
        let turned = |(low, high): (f64, f64)| if is_less { (-high, -low) } else { (low, high) };
        let interval = self.interval.map(turned);
        let interval = interval.map_or(String::new(), |ends| format!(" {}", between(ends)));
        let [reference, subject] = self.seconds.map(seconds);
        format!(
            "{} {}{interval}: {} ({subject} against {reference}){}",
            seconds(difference_s.abs()),
            if is_less { "less" } else { "more" },
            self.name,
            match self.callers.is_empty() {
                true => String::new(),
                false => format!(", called by {}", self.callers.join(", ")),
            }
        )
    }
}

impl Profiled {
    /// The places whose difference is named, the largest first.
    pub fn named(&self) -> impl Iterator<Item = &Frame> {
        self.places.iter().filter(|place| place.is_named)
    }

    /// The places that make most of the difference, a line each; one line where none differs.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.named().take(LISTED).map(Frame::words).collect();
        let rounds = many(self.rounds as u64, "profiled round");
        match (lines.is_empty(), self.judged) {
            (true, 0) => lines.push(format!("not known: {rounds} are too few to judge a place")),
            (true, _) => lines.push(format!("no function and no wait differs in {rounds}")),
            _ => {}
        }
        lines.extend(self.addresses(&lines));
        lines
    }

    /// What would name functions that stand in these lines as addresses.
    fn addresses(&self, lines: &[String]) -> Option<String> {
        self.unseen.iter().find_map(|one| match one {
            Measured::NotAvailable { reason, remedy } => {
                let file = reason.strip_prefix(STRIPPED)?.strip_prefix(": ")?;
                let address = format!("{}@0x", file.split(" (").next()?);
                let is_shown = lines.iter().any(|line| line.contains(&address));
                is_shown.then(|| format!("{reason}; {remedy}"))
            }
            Measured::Value(()) => None,
        })
    }

    /// Subject minus reference, in seconds.
    #[must_use]
    pub fn gap_s(&self) -> f64 {
        self.total_s[1] - self.total_s[0]
    }

    /// The place that makes most of the gap, if one does, in one clause.
    #[must_use]
    pub fn cause(&self) -> Option<String> {
        let gap_s = self.gap_s();
        let first = self.named().next()?;
        let share = first.difference_s() / gap_s;
        let word = if gap_s > 0.0 { "more" } else { "less" };
        let part = match share < 0.99 {
            true => seconds(first.difference_s().abs()),
            false => "all".to_owned(),
        };
        (0.5..=1.5).contains(&share).then(|| {
            let gap = seconds(gap_s.abs());
            format!(
                "{}: {part} of the {gap} {word} for each {}",
                first.name, self.unit
            )
        })
    }
}

fn between((low, high): (f64, f64)) -> String {
    if low >= 0.0 {
        return time_interval(low * 1e9, high * 1e9);
    }
    let ends = [low, high].map(|end| {
        let sign = if end < 0.0 { "-" } else { "" };
        format!("{sign}{}", seconds(end.abs()))
    });
    format!("[{}{DOTS}{}]", ends[0], ends[1])
}

fn seconds(seconds: f64) -> String {
    time(seconds * 1e9)
}
