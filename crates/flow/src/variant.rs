//! Variants: what is compared with what.

use serde::{Deserialize, Serialize};

use crate::word::words;
use crate::{
    Allocator, Faster, HeapPages, MemoryPolicy, Model, ParentMemory, Placement, Policy, Quota,
};

/// A model with its flow count, placement and way of handing out work.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// What a flow is made of.
    pub model: Model,
    /// How many flows (for a mix: P x T).
    pub flows: u32,
    /// Which CPUs they may use.
    #[serde(default)]
    pub placement: Placement,
    /// How units of work are handed out.
    #[serde(default)]
    pub schedule: Schedule,
    /// How results travel from a flow to the parent.
    #[serde(default)]
    pub channel: Channel,
    /// Memory that the parent has touched before it makes the flows.
    #[serde(default, rename = "ballast", skip_serializing_if = "Option::is_none")]
    pub parent_memory: Option<ParentMemory>,
    /// The memory allocator of its processes; else left to the C library and the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocator: Option<Allocator>,
    /// The pages of its processes' heaps, where that is not left to the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_pages: Option<HeapPages>,
    /// The memory nodes of its new pages, where that is not left to the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_policy: Option<MemoryPolicy>,
    /// The scheduler's policy for its flows, where that is not left to the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// The CPU time that its flows get, where that is not left to the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Quota>,
    /// The part of its work that is faster in effect; usually none. Such a slot is no data point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faster: Option<Faster>,
}

impl Variant {
    /// Flows of a model, all else as where nothing is asked for.
    #[must_use]
    pub fn new(model: Model, flows: u32) -> Self {
        Self {
            model,
            flows,
            placement: Placement::default(),
            schedule: Schedule::default(),
            channel: Channel::default(),
            parent_memory: None,
            allocator: None,
            heap_pages: None,
            memory_policy: None,
            policy: None,
            quota: None,
            faster: None,
        }
    }

    /// How many of the kernel's flows run this variant; each leaves one record.
    #[must_use]
    pub fn carriers(&self) -> u32 {
        self.model.carriers(self.flows)
    }
}

/// How units of work are handed to flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Unit u belongs to flow u mod N before anything starts.
    #[default]
    Static,
    /// A pool: each flow takes the next unit when it is free.
    Queue,
}

/// How results travel from a flow to the parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// A named pipe that each flow opens for itself.
    #[default]
    Fifo,
    /// An anonymous pipe inherited by every flow.
    Pipe,
    /// A ring in memory shared with the parent.
    Shm,
}

words!(Schedule, "schedule", "static or queue", [
    "static" => Self::Static,
    "queue" => Self::Queue
]);

words!(Channel, "channel", "fifo, pipe or shm", [
    "fifo" => Self::Fifo,
    "pipe" => Self::Pipe,
    "shm" => Self::Shm
]);
