//! What is asked of a profiler, and what it answers.

use measure::Measured;
use serde::{Deserialize, Serialize};

/// The first frame of time on a CPU.
pub const ON_CPU: &str = "on a CPU";
/// The first frame of time off the CPUs.
pub const WAITS: &str = "waits";
/// Of the kernel's functions, at the end of their names.
pub(crate) const OF_KERNEL: &str = "_[k]";
pub(crate) const SYSTEM_CALL: &str = " (system call)";
pub(crate) const PAGE_FAULT: &str = "page fault";
pub(crate) const INTERRUPT: &str = "interrupt";
/// Ready to run, and not running.
pub(crate) const PREEMPTED: &str = "for a CPU";
/// The same, as a quota is used up.
pub(crate) const THROTTLED: &str = "for CPU time (throttled by a quota)";
pub(crate) const NOT_SEEN: &str = "not seen for what";
pub(crate) const UNSEEN_KERNEL: &str = "in the kernel (not seen where)";

/// How a slot is profiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileSpec {
    /// CPU time between two samples, in ns.
    pub period_ns: u64,
    /// One recorded switch of `each` has its call chain.
    pub each: u64,
    /// Switches are recorded in one turn of `turns`.
    pub turns: u64,
    /// CPUs that the profiler keeps to: those of no flow. Empty where there are none.
    pub cpus: Vec<u32>,
    /// Whether the programs count that the slot launches, and not the slot process itself.
    pub launched: bool,
    /// Whether stacks are unwound: callers without frame pointers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stacks: bool,
    /// Which phases count: create, steady, tear-down.
    pub phases: [bool; 3],
    /// A function that is faster in effect; nothing else is recorded then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faster: Option<Faster>,
}

/// A part of the work that is to be faster.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Faster {
    /// Its name: what the work calls it, or a function or system call of a command.
    pub part: String,
    /// Its place among the parts that the work names; 0 for commands.
    pub place: u32,
    /// The part of its time that it does without, in per cent.
    pub percent: u32,
}

impl Faster {
    /// What faster parts are compared with: as it is, with the same readings of the clock.
    #[must_use]
    pub fn none() -> Self {
        Self {
            part: String::new(),
            place: 0,
            percent: 0,
        }
    }
}

/// For how long others stood still, where a part of the work is faster in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// All pauses, in ns: they come off the time of the whole.
    pub due_ns: u64,
    /// Time in the part, of all that ran it, in ns.
    pub in_part_ns: u64,
    /// How often it was run, or seen.
    pub times: u64,
}

/// What the profiler reads first.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// How to profile.
    pub spec: ProfileSpec,
    /// The process that may give it orders.
    pub parent: i32,
}

/// Timed spans by the monotonic clock, in ns.
pub type Spans = Vec<(u64, u64)>;

/// A frame below another one: the caller's place in the list from 1 on (0 is none), its name's place, and the time in
/// ns spent in it and nothing below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u64)", into = "(u32, u32, u64)")]
pub struct Node {
    /// The caller, from 1 on; 0 is none. A caller stands before what it calls.
    pub above: u32,
    /// Its name's place.
    pub frame: u32,
    /// In it alone, in ns.
    pub own_ns: u64,
}

impl From<(u32, u32, u64)> for Node {
    fn from((above, frame, own_ns): (u32, u32, u64)) -> Self {
        Self {
            above,
            frame,
            own_ns,
        }
    }
}

impl From<Node> for (u32, u32, u64) {
    fn from(node: Node) -> Self {
        (node.above, node.frame, node.own_ns)
    }
}

/// Where the time of one slot went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// CPU time between two samples, in ns.
    pub period_ns: u64,
    /// One switch of `each` had its call chain.
    pub each: u64,
    /// Length of the spans that counted, in ns.
    pub span_ns: u64,
    /// Samples of CPU time in them.
    pub samples: u64,
    /// Waits in them.
    pub waits: u64,
    /// Records that were lost for want of room.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// CPU time of the profiler while the slot ran, in ns.
    pub own_cpu_ns: u64,
    /// Names of frames.
    pub frames: Vec<String>,
    /// The tree.
    pub nodes: Vec<Node>,
    /// What stood still, where something is faster in effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Measured<Paused>>,
    /// What could not be seen, and what would show it; each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<Measured<()>>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Profile {
    /// Tells of waits for a CPU which of them a quota made: so long was somebody held back.
    pub fn held_back(&mut self, ns: u64) {
        let mut all = 0..self.nodes.len();
        let Some(at) = all.find(|&at| self.path(at) == [WAITS, PREEMPTED]) else {
            return;
        };
        let waited = &mut self.nodes[at];
        let own_ns = waited.own_ns.min(ns);
        waited.own_ns -= own_ns;
        let node = Node {
            above: waited.above,
            frame: self.frames.len() as u32,
            own_ns,
        };
        if own_ns > 0 {
            self.frames.push(THROTTLED.to_owned());
            self.nodes.push(node);
        }
    }

    /// The path from the first frame to a node, by its place in the list.
    #[must_use]
    pub fn path(&self, node: usize) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at.and_then(|at| self.nodes.get(at)) {
            path.push(self.frames.get(node.frame as usize).map_or("", |name| name));
            at = (node.above as usize).checked_sub(1);
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel does not say at a switch that a quota is used up, so the wait was called one for a CPU.
    #[test]
    fn of_waits_for_a_cpu_those_are_told_that_a_quota_made() {
        let node = |above, frame, own_ns| Node {
            above,
            frame,
            own_ns,
        };
        let mut profile = Profile {
            frames: vec![WAITS.to_owned(), PREEMPTED.to_owned()],
            nodes: vec![node(0, 0, 0), node(1, 1, 70)],
            ..Profile::default()
        };
        profile.held_back(50);
        assert_eq!(profile.path(2), [WAITS, THROTTLED]);
        assert_eq!([1, 2].map(|at| profile.nodes[at].own_ns), [20, 50]);
        profile.held_back(0);
        assert_eq!(profile.nodes.len(), 3);
    }
}
