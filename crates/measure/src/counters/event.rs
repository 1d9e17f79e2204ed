//! The events that explain a difference between models, and how they are asked for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An event that a counter can count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Nanoseconds on a CPU.
    TaskClock,
    /// Page faults of both kinds.
    PageFaults,
    /// Context switches.
    ContextSwitches,
    /// Moves to another CPU.
    Migrations,
    /// CPU cycles.
    Cycles,
    /// Instructions retired.
    Instructions,
    /// Accesses to a cache as the kernel maps them: the last level on Intel, the second on AMD Zen.
    CacheReferences,
    /// Misses of that cache.
    CacheMisses,
    /// Reads that missed the first-level data cache.
    L1dMisses,
    /// Reads that missed the data TLB.
    DtlbMisses,
    /// Branches that were predicted wrongly.
    BranchMisses,
}

impl Event {
    /// All events: those the kernel counts, then those the processor counts.
    pub const ALL: [Event; 11] = [
        Event::TaskClock,
        Event::PageFaults,
        Event::ContextSwitches,
        Event::Migrations,
        Event::Cycles,
        Event::Instructions,
        Event::CacheReferences,
        Event::CacheMisses,
        Event::L1dMisses,
        Event::DtlbMisses,
        Event::BranchMisses,
    ];

    /// Whether the processor counts it, and not the kernel.
    #[must_use]
    pub fn is_hardware(self) -> bool {
        !matches!(
            self,
            Event::TaskClock | Event::PageFaults | Event::ContextSwitches | Event::Migrations
        )
    }

    /// Whether it happens only inside the kernel: a count of user code would always be 0.
    #[must_use]
    pub fn needs_kernel(self) -> bool {
        matches!(self, Event::ContextSwitches | Event::Migrations)
    }

    /// Whether no code can run without it.
    #[must_use]
    pub fn always_happens(self) -> bool {
        matches!(self, Event::TaskClock | Event::Cycles | Event::Instructions)
    }

    /// Whether it is a fault or miss of a small share of all instructions.
    #[must_use]
    pub fn is_miss(self) -> bool {
        use Event::{BranchMisses, CacheMisses, DtlbMisses, L1dMisses};
        matches!(self, CacheMisses | L1dMisses | DtlbMisses | BranchMisses)
    }

    /// The name by which it is asked for, and which tables of data have.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names().0
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Event::TaskClock => ("task-clock", "task clock"),
            Event::PageFaults => ("page-faults", "page faults"),
            Event::ContextSwitches => ("context-switches", "context switches"),
            Event::Migrations => ("migrations", "migrations"),
            Event::Cycles => ("cycles", "cycles"),
            Event::Instructions => ("instructions", "instructions"),
            Event::CacheReferences => ("cache-references", "cache references"),
            Event::CacheMisses => ("cache-misses", "cache misses"),
            Event::L1dMisses => ("l1d-misses", "L1 data misses"),
            Event::DtlbMisses => ("dtlb-misses", "data TLB misses"),
            Event::BranchMisses => ("branch-misses", "branch misses"),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().1)
    }
}

/// Events in the order of [`Event::ALL`], asked for as `all`, `software`, `hardware`, or by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Events(pub Vec<Event>);

/// A word that names no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{word}' is no event{}: use all, software, hardware, or some of {}",
    names::meant(word, Event::ALL.map(Event::name)),
    names()
)]
pub struct EventError {
    word: String,
}

fn names() -> String {
    Event::ALL.map(Event::name).join(", ")
}

impl FromStr for Events {
    type Err = EventError;

    fn from_str(text: &str) -> Result<Self, EventError> {
        let words = text.split(',').map(|word| events_of(word.trim()));
        let asked = words.collect::<Result<Vec<_>, _>>()?.concat();
        let all = Event::ALL.into_iter();
        Ok(Self(all.filter(|event| asked.contains(event)).collect()))
    }
}

fn events_of(word: &str) -> Result<Vec<Event>, EventError> {
    let is_asked = |event: &Event| match word {
        "all" => true,
        "hardware" => event.is_hardware(),
        "software" => !event.is_hardware(),
        name => event.name() == name,
    };
    let found: Vec<Event> = Event::ALL.into_iter().filter(is_asked).collect();
    match found.is_empty() {
        true => Err(EventError {
            word: word.to_owned(),
        }),
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Vec<Event> {
        text.parse::<Events>().unwrap().0
    }

    #[test]
    fn each_event_is_there_once_and_in_one_order() {
        assert_eq!(asked("all"), Event::ALL);
        assert_eq!(asked("hardware,software,cycles"), Event::ALL);
        let two = asked("instructions, cycles,instructions");
        assert_eq!(two, [Event::Cycles, Event::Instructions]);
        assert_eq!(asked("software").len() + asked("hardware").len(), 11);
    }

    #[test]
    fn every_name_is_read_back() {
        for event in Event::ALL {
            assert_eq!(asked(event.name()), [event]);
        }
    }

    #[test]
    fn a_word_that_is_none_is_named_with_those_that_are() {
        for text in ["cycle", "", "cycles,"] {
            let error = text.parse::<Events>().unwrap_err().to_string();
            assert!(error.contains("is no event"), "{error}");
            assert!(error.contains("use all"), "{error}");
            assert!(error.contains("dtlb-misses, branch-misses"), "{error}");
        }
    }
}
