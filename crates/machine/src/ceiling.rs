//! How many flows fit on this machine, and what stops there. Every limit gives a room: the limit
//! less what is used of it. The smallest room is the ceiling, as fenced probes find.
//! - A task needs an id below `pid_max`. The first 300 ids are given once, when the machine starts.
//! - A thread brings a stack and its guard page, two mappings of its process.
//! - Memory is an estimate: what 30,000 idle flows took each, with 4 KiB pages and threads of 16
//!   KiB of stack. A tenth of each pool is left alone.

use std::fmt;

use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::Machine;
use crate::cgroup::GroupLimit;
use crate::limits::Bound;
use crate::memory::binary;

/// What a flow is to the limits of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowKind {
    /// A forked process.
    Process,
    /// A thread of one process.
    Thread,
}

impl FlowKind {
    /// Idle, with its kernel objects. Process: kernel stack 16, page tables 52, slab 25, anonymous
    /// 28 kB; thread: kernel stack 16, slab 4, anonymous 9 kB.
    fn bytes(self) -> u64 {
        match self {
            FlowKind::Process => 121_000,
            FlowKind::Thread => 29_000,
        }
    }
}

/// Room that one limit leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceiling {
    /// How many more flows it allows.
    pub count: u64,
    /// Name of the limit.
    pub bites: String,
    /// The limit itself, in `unit`.
    pub value: u64,
    /// What the limit counts.
    pub unit: Unit,
    /// The command that raises it, or what would.
    pub raise: String,
    /// Left for flows, in `unit`; `count` is this over `each`.
    pub left: u64,
    /// Taken by each flow, in `unit`.
    pub each: u64,
}

struct Limit {
    bites: String,
    value: u64,
    unit: Unit,
    raise: String,
}

impl Limit {
    fn new(bites: &str, value: u64, unit: Unit, raise: impl Into<String>) -> Self {
        Self {
            bites: bites.to_owned(),
            value,
            unit,
            raise: raise.into(),
        }
    }

    fn room(self, left: u64, each: u64) -> Ceiling {
        let each = each.max(1);
        Ceiling {
            count: left / each,
            bites: self.bites,
            value: self.value,
            unit: self.unit,
            raise: self.raise,
            left,
            each,
        }
    }
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Processes and threads.
    Tasks,
    /// Mappings of one address space.
    Mappings,
    /// Bytes of memory.
    Bytes,
}

/// `32383, bounded by kernel.pid_max = 32768`.
impl fmt::Display for Ceiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match self.unit {
            Unit::Bytes => binary(self.value),
            Unit::Tasks | Unit::Mappings => self.value.to_string(),
        };
        write!(f, "{}, bounded by {} = {value}", self.count, self.bites)
    }
}

/// Use of the limits that bind user-level flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Memory, in bytes.
    pub memory: u64,
    /// Address space, in bytes.
    pub addresses: u64,
    /// Address space that all of them take together besides, in bytes.
    pub addresses_once: u64,
    /// Mappings.
    pub mappings: u64,
}

impl Needs {
    /// Needs of memory alone.
    #[must_use]
    pub fn memory(bytes: u64) -> Self {
        Self {
            memory: bytes,
            addresses: bytes,
            addresses_once: 0,
            mappings: 0,
        }
    }
}

/// `RESERVED_PIDS` of the kernel.
const RESERVED_IDS: u64 = 300;
/// A stack, and the guard, a page, that splits its mapping.
const MAPS_A_THREAD: u64 = 2;
const USUAL_PAGE: u64 = 4 << 10;
/// The C library's default where `RLIMIT_STACK` is unlimited.
const USUAL_STACK: u64 = 2 << 20;
/// 47 bits, less a sixteenth for all else that is mapped.
const ADDRESSES: u64 = (1 << 47) - (1 << 43);
/// One part in this many of every pool stays free.
const RESERVE: u64 = 10;

impl Machine {
    /// The lowest of [`Machine::ceilings`].
    pub fn ceiling(&self, kind: FlowKind) -> Measured<Ceiling> {
        let lowest = self.ceilings(kind).into_iter().next();
        Measured::of(
            lowest,
            "no limit of this machine can be read",
            "mount /proc",
        )
    }

    /// Rooms of all limits for idle flows that bind and can be read, the lowest first.
    pub fn ceilings(&self, kind: FlowKind) -> Vec<Ceiling> {
        let mut ceilings = self.of_tasks();
        ceilings.extend(self.of_groups());
        ceilings.extend(self.of_user());
        ceilings.extend(self.of_memory(kind.bytes()));
        if kind == FlowKind::Thread {
            ceilings.extend(self.of_maps(MAPS_A_THREAD));
            let guard = self.memory.page.value().copied().unwrap_or(USUAL_PAGE);
            ceilings.extend(self.of_address_space(self.thread_stack() + guard, 0));
        }
        ceilings.sort_by_key(|ceiling| ceiling.count);
        ceilings
    }

    /// Rooms for flows that the kernel does not see, the lowest first.
    pub fn user_level_ceilings(&self, each: Needs) -> Vec<Ceiling> {
        let mut ceilings = self.of_memory(each.memory.max(1));
        if each.mappings > 0 {
            ceilings.extend(self.of_maps(each.mappings));
        }
        ceilings.extend(self.of_address_space(each.addresses, each.addresses_once));
        ceilings.push(addressable(each));
        ceilings.sort_by_key(|ceiling| ceiling.count);
        ceilings
    }

    fn thread_stack(&self) -> u64 {
        match self.limits.stack.value() {
            Some(Bound::At(bytes)) => *bytes,
            _ => USUAL_STACK,
        }
    }

    fn of_tasks(&self) -> Vec<Ceiling> {
        let tasks = &self.limits.tasks;
        let ceiling = |limit: &Measured<u64>, used: &Measured<u64>, name: &str, reserved| {
            let (&value, &used) = (limit.value()?, used.value()?);
            let raise = format!("sudo sysctl {name}=4194304");
            let limit = Limit::new(name, value, Unit::Tasks, raise);
            Some(limit.room(value.saturating_sub(used + reserved), 1))
        };
        let ids = match &self.limits.ids {
            Measured::Value(_) => &self.limits.ids,
            Measured::NotAvailable { .. } => tasks,
        };
        let ids = ceiling(&self.limits.pid_max, ids, "kernel.pid_max", RESERVED_IDS);
        let tasks = ceiling(&self.limits.threads_max, tasks, "kernel.threads-max", 0);
        ids.into_iter().chain(tasks).collect()
    }

    fn of_groups(&self) -> impl Iterator<Item = Ceiling> {
        let limits = self.limits.pids.value().into_iter().flatten();
        limits.map(|limit| of_group(limit, Unit::Tasks).room(limit.room(), 1))
    }

    fn of_user(&self) -> Option<Ceiling> {
        let Bound::At(value) = *self.limits.nproc.value()? else {
            return None;
        };
        let used = self.limits.user_tasks.value()?;
        let raise = "ulimit -u unlimited (above the hard limit: /etc/security/limits.conf)";
        let limit = Limit::new("RLIMIT_NPROC", value, Unit::Tasks, raise);
        Some(limit.room(value.saturating_sub(*used), 1))
    }

    fn of_maps(&self, each: u64) -> Option<Ceiling> {
        let value = *self.limits.max_map_count.value()?;
        let used = *self.limits.maps.value()?;
        let raise = "sudo sysctl vm.max_map_count=1048576";
        let limit = Limit::new("vm.max_map_count", value, Unit::Mappings, raise);
        Some(limit.room(value.saturating_sub(used), each))
    }

    fn of_address_space(&self, each: u64, once: u64) -> Option<Ceiling> {
        let Bound::At(value) = *self.limits.address_space.value()? else {
            return None;
        };
        let used = *self.limits.address_space_used.value()?;
        let limit = Limit::new("RLIMIT_AS", value, Unit::Bytes, "ulimit -v unlimited");
        Some(limit.room(value.saturating_sub(used.saturating_add(once)), each))
    }

    fn of_memory(&self, bytes: u64) -> Vec<Ceiling> {
        let left = |room: u64, pool: u64| room.saturating_sub(pool / RESERVE);
        let group = |limit: &GroupLimit| {
            of_group(limit, Unit::Bytes).room(left(limit.room(), limit.max), bytes)
        };
        let machine = || {
            let (&room, &value) = (self.memory.available.value()?, self.memory.total.value()?);
            let raise = "free or add memory";
            let limit = Limit::new("memory (an estimate)", value, Unit::Bytes, raise);
            Some(limit.room(left(room, value), bytes))
        };
        let groups = self.memory.groups.value().into_iter().flatten().map(group);
        groups.chain(machine()).collect()
    }
}

fn addressable(each: Needs) -> Ceiling {
    let raise = "use smaller stacks";
    let limit = Limit::new("addresses of a process", ADDRESSES, Unit::Bytes, raise);
    let left = ADDRESSES.saturating_sub(each.addresses_once);
    limit.room(left, each.addresses)
}

fn of_group(limit: &GroupLimit, unit: Unit) -> Limit {
    // Version 1 writes "no limit" of memory as -1.
    let none = match limit.file.ends_with("limit_in_bytes") {
        true => "-1",
        false => "max",
    };
    let raise = format!("echo {none} | sudo tee {}", limit.file);
    Limit::new(&limit.file, limit.max, unit, raise)
}

#[cfg(test)]
mod tests;
