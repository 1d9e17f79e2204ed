//! Whether the machine has room for a variant's flows, asked before any of them is made.
//!
//! # Theory
//!
//! The kernel's flows are bounded by its limits ([`machine::ceiling`]). Of user-level ones
//! the kernel sees nothing but memory, so theirs is an account: what a flow of that model
//! takes for that work, times their number, against what is available less a reserve.
//! Guards are free from Linux 6.13 on; before, each takes two mappings.
//!
//! A study that comes with the program must run on any machine, so variants that have no
//! room are left out of it, and said. What a user asks for by number is refused instead.

mod server;

use flow::{HandOver, Model, Stacks, Variant};
use machine::{Ceiling, FlowKind, Machine, Needs, Unit};
use measure::Measured;
use workload::Work;

use crate::number::{bytes, count};
use crate::{LabelledVariant, Study, ballast};

/// The share of its room that flows may take where it is an estimate, or a whole machine would
/// be filled.
pub const SHARE: f64 = 0.8;
/// Memory of one page.
const PAGE: u64 = 4096;
/// What a fiber takes in tables of its scheduler and its carrier.
const FIBER_TABLES: u64 = 64;
/// What a flow that does ordinary work is taken to need of its stack.
const ORDINARY: u64 = 32 << 10;
/// From this kernel on a guard takes no mappings.
const FREE_GUARDS: (u64, u64) = (6, 13);
/// Mappings that a guard takes before.
const GUARD_MAPPINGS: u64 = 2;

/// What a user-level flow of that model takes for that work; `None` for flows of the kernel.
fn needs(machine: &Machine, model: Model, work: &Work) -> Option<Needs> {
    let (kept, stack, task) = match work {
        Work::Turns(turns) => (turns.kept(), turns.stack_bytes(), turns.task_bytes()),
        _ => (ORDINARY, ORDINARY, ORDINARY),
    };
    let addresses = flow::address_bytes(model, stack);
    let (memory, mappings) = match model {
        Model::Task => (task, 0),
        Model::Fiber {
            stacks: Stacks::Packed,
            ..
        } => (addresses.map_or(stack, |(each, _)| each), 0),
        Model::Fiber {
            stacks: Stacks::Guarded,
            ..
        } => (
            (kept + PAGE / 2).next_multiple_of(PAGE) + FIBER_TABLES,
            if has_free_guards(machine) {
                0
            } else {
                GUARD_MAPPINGS
            },
        ),
        _ => return None,
    };
    let (addresses, addresses_once) = addresses.unwrap_or((memory, 0));
    Some(Needs {
        memory,
        addresses,
        addresses_once,
        mappings,
    })
}

/// The room for flows of that model with that work, by each limit, the lowest first.
#[must_use]
pub fn rooms(machine: &Machine, model: Model, work: &Work) -> Vec<Ceiling> {
    match needs(machine, model, work) {
        Some(each) => machine.user_level_ceilings(each),
        None if model.isolates() => machine.ceilings(FlowKind::Process),
        None => machine.ceilings(FlowKind::Thread),
    }
}

/// `32,383, bounded by kernel.pid_max = 32,768`.
#[must_use]
pub fn told(room: &Ceiling) -> String {
    format!("{}, bounded by {}", count(room.count), limit(room))
}

/// `kernel.pid_max = 32,768`; of memory how much of it is free for flows.
#[must_use]
pub fn limit(room: &Ceiling) -> String {
    if room.unit == Unit::Bytes && room.left > 0 && room.bites.starts_with("memory") {
        return format!("memory, {} free", bytes(room.left as f64));
    }
    let value = match room.unit {
        Unit::Bytes => bytes(room.value as f64),
        Unit::Tasks | Unit::Mappings => count(room.value),
    };
    format!("{} = {value}", room.bites)
}

/// Whether this kernel guards a page without splitting a mapping.
fn has_free_guards(machine: &Machine) -> bool {
    let Measured::Value(release) = &machine.kernel.release else {
        return false;
    };
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|part| part.parse::<u64>().ok());
    let version = numbers.next().zip(numbers.next());
    version.is_some_and(|version| version >= FREE_GUARDS)
}

/// Why there are no flows of that model on this target, if there are none.
#[must_use]
pub fn unavailable(model: Model) -> Option<String> {
    without(model, flow::fibers_available())
}

fn without(model: Model, fibers: Result<(), &'static str>) -> Option<String> {
    match (model, fibers) {
        (Model::Fiber { .. }, Err(reason)) => {
            Some(format!("model {model} is not available: {reason}"))
        }
        _ => None,
    }
}

/// Why the machine has no room for a variant, if it has none; or why there is no such model.
#[must_use]
pub fn no_room(machine: &Machine, variant: &Variant, work: &Work) -> Option<String> {
    unavailable(variant.model)
        .or_else(|| ballast::no_room(machine, variant))
        .or_else(|| no_room_for_flows(machine, variant, work))
}

fn no_room_for_flows(machine: &Machine, variant: &Variant, work: &Work) -> Option<String> {
    let flows = u64::from(variant.flows);
    if let Some(why) = no_memory(machine, variant, work) {
        return Some(why);
    }
    let rooms = rooms(machine, variant.model, work);
    let lowest = rooms.iter().min_by_key(|room| most(room))?;
    if flows <= most(lowest) {
        let pipes = || no_pipes(machine, flows, work);
        let pipes = pipes().filter(|_| !variant.model.is_user_level());
        return pipes.or_else(|| server::no_room(machine, variant, work, lowest));
    }
    let need = needs(machine, variant.model, work).map_or(String::new(), |each| {
        let total = each.memory.saturating_mul(flows);
        format!(
            " (they need {}, {} each)",
            bytes(total as f64),
            bytes(each.memory as f64)
        )
    });
    Some(format!(
        "{} flows of model {} are more than this machine can hold{need}: at most {} (the limit is \
         {}; to raise it: {})",
        count(flows),
        variant.model,
        count(most(lowest)),
        limit(lowest),
        lowest.raise
    ))
}

/// How many flows a limit allows: of bytes only [`SHARE`], since what a flow needs of them is
/// an estimate, and what is available changes.
fn most(room: &Ceiling) -> u64 {
    match room.unit {
        Unit::Bytes => (room.count as f64 * SHARE) as u64,
        Unit::Tasks | Unit::Mappings => room.count,
    }
}

/// How many flows of that model a sweep goes up to on its own: [`SHARE`] of the lowest room, in
/// two digits, so that it is the same number on another day.
#[must_use]
pub fn top(machine: &Machine, model: Model, work: &Work) -> Option<u64> {
    let lowest = rooms(machine, model, work).into_iter().next()?;
    let share = (lowest.count as f64 * SHARE) as u64;
    let unit = 10_u64.pow(share.checked_ilog10()?.saturating_sub(1));
    Some(share / unit * unit)
}

/// Work that takes memory on purpose must leave the machine some.
fn no_memory(machine: &Machine, variant: &Variant, work: &Work) -> Option<String> {
    let each = work.bytes_a_flow()?;
    let flows = u64::from(variant.flows);
    let ceilings = machine.user_level_ceilings(Needs::memory(each));
    let lowest = ceilings.first()?;
    (flows > lowest.count).then(|| {
        format!(
            "{} of memory at once, {} each: this machine has room for {} of them (the limit is {}; \
             to raise it: {})",
            taken(flows, each),
            bytes(each as f64),
            count(lowest.count),
            lowest.bites,
            lowest.raise
        )
    })
}

/// `2 flows take 512 MiB`.
fn taken(flows: u64, each: u64) -> String {
    let verb = if flows == 1 {
        "flow takes"
    } else {
        "flows take"
    };
    let bytes = bytes(each.saturating_mul(flows) as f64);
    format!("{} {verb} {bytes}", count(flows))
}

/// A ring of pipes takes two open files a flow.
fn no_pipes(machine: &Machine, flows: u64, work: &Work) -> Option<String> {
    let Work::Turns(turns) = work else {
        return None;
    };
    let most = match machine.limits.nofile_hard {
        Measured::Value(machine::limits::Bound::At(files)) => files.saturating_sub(64) / 2,
        _ => return None,
    };
    (turns.hand_over == HandOver::Pipe && flows > most).then(|| {
        format!(
            "a ring of {} pipes takes two open files each: RLIMIT_NOFILE allows {} pipes (to \
             raise it: ulimit -Hn {})",
            count(flows),
            count(most),
            2 * flows + 64
        )
    })
}

/// The study without the variants that have no room here, and what was left out and why: a
/// line a model and limit.
#[must_use]
pub fn fitted(study: Study, machine: &Machine) -> (Study, Vec<String>) {
    without_those(study, |variant, work| no_room(machine, variant, work))
}

fn without_those(
    mut study: Study,
    why_not: impl Fn(&Variant, &Work) -> Option<String>,
) -> (Study, Vec<String>) {
    let mut left_out: Vec<LeftOut> = Vec::new();
    for case in &mut study.cases {
        let work = &case.work;
        case.variants.retain(|labelled| {
            let work = labelled.work.as_ref().unwrap_or(work);
            let Some(reason) = why_not(&labelled.variant, work) else {
                return true;
            };
            add(&mut left_out, labelled, reason);
            false
        });
    }
    let headline = study.headline.clone();
    study.cases.retain(|case| !case.variants.is_empty());
    if !study.cases.iter().any(|case| case.name == headline) {
        study.headline = study
            .cases
            .first()
            .map_or(headline, |case| case.name.clone());
    }
    (study, left_out.iter().map(LeftOut::told).collect())
}

/// A variant of a study that has no room, or not with all of its numbers of flows.
struct LeftOut {
    label: String,
    fewest: u32,
    most: u32,
    /// Why the fewest have none.
    reason: String,
    /// Whether it is another reason, or another need, for more of them.
    varies: bool,
}

impl LeftOut {
    /// `20,000 flows of …`, and up to which number this goes on.
    fn told(&self) -> String {
        if self.most == self.fewest || !self.varies {
            return self.reason.clone();
        }
        let most = count(self.most.into());
        format!("{}; so are more, up to {most}", self.reason)
    }
}

fn add(left_out: &mut Vec<LeftOut>, labelled: &LabelledVariant, reason: String) {
    let (label, flows) = (&labelled.label, labelled.variant.flows);
    let same = |known: &&mut LeftOut| {
        known.label == *label && (known.fewest != flows || known.reason == reason)
    };
    if let Some(known) = left_out.iter_mut().find(same) {
        known.varies |= known.reason != reason;
        known.most = known.most.max(flows);
        if flows < known.fewest {
            (known.fewest, known.reason) = (flows, reason);
        }
        return;
    }
    if left_out.iter().all(|known| known.reason != reason) {
        left_out.push(LeftOut {
            label: label.clone(),
            fewest: flows,
            most: flows,
            reason,
            varies: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Preset, builtin};
    use flow::{Channel, Placement, Schedule};
    use workload::Turns;

    fn turns(flows: u64) -> Work {
        Work::Turns(Turns {
            flows,
            kernel_turns: 1,
            user_turns: 1,
            stack_use: 0,
            hand_over: HandOver::Pipe,
            stack: Some(1 << 20),
        })
    }

    fn variant(model: Model, flows: u32) -> Variant {
        Variant {
            model,
            flows,
            placement: Placement::One,
            schedule: Schedule::Static,
            channel: Channel::Fifo,
            ballast: None,
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_need_and_the_limit() {
        let machine = Machine::read();
        let many = u32::MAX;
        let why = no_room(
            &machine,
            &variant(Model::FIBER_PACKED, many),
            &turns(many.into()),
        );
        let why = why.unwrap();
        assert!(
            why.contains("they need 4,") && why.contains("at most"),
            "{why}"
        );
        let why = no_room(
            &machine,
            &variant(Model::Process, many),
            &turns(many.into()),
        );
        assert!(why.unwrap().contains("to raise it"));
        assert_eq!(no_room(&machine, &variant(Model::Task, 2), &turns(2)), None);
    }

    #[test]
    fn a_heap_larger_than_memory_is_refused_with_the_need() {
        let work = |heap| {
            Work::Warehouse(workload::Warehouse {
                workers: 2,
                transactions: 1,
                heap: workload::Bytes(heap),
                seed: 0,
            })
        };
        let machine = Machine::read();
        for model in [Model::Thread, Model::Process, Model::FIBER] {
            let why = no_room(&machine, &variant(model, 2), &work(1 << 40)).unwrap();
            assert!(why.contains("2 flows take 2,560 GiB"), "{why}");
            assert!(why.contains("room for 0 of them"), "{why}");
            assert_eq!(no_room(&machine, &variant(model, 2), &work(1 << 20)), None);
        }
    }

    #[test]
    fn workers_that_would_take_all_memory_are_refused() {
        let mem = |bytes| {
            Work::Mem(workload::Mem {
                workers: 2,
                loops: 1,
                bytes,
            })
        };
        let machine = Machine::read();
        let two = variant(Model::Process, 2);
        assert_eq!(no_room(&machine, &two, &mem(64 << 20)), None);
        let why = no_room(&machine, &two, &mem(1 << 50)).unwrap();
        assert!(why.contains("room for 0 of them"), "{why}");
    }

    #[test]
    fn where_there_are_no_fibers_they_are_left_out_once_and_the_rest_is_run() {
        let none = Err("no fibers on this target");
        let study = builtin("switch", Preset::Quick).unwrap();
        let cases = study.cases.len();
        let (study, left_out) = without_those(study, |variant, _| without(variant.model, none));
        assert_eq!(
            left_out,
            [
                "model fiber is not available: no fibers on this target",
                "model fiber-packed is not available: no fibers on this target"
            ]
        );
        assert_eq!(study.cases.len(), cases);
        let models = study.cases.iter().flat_map(|case| &case.variants);
        let models: Vec<Model> = models.map(|labelled| labelled.variant.model).collect();
        assert!(models.contains(&Model::Task) && !models.contains(&Model::FIBER));
    }

    #[test]
    fn what_is_left_out_of_a_sweep_is_one_line_a_variant() {
        let study = builtin("switch", Preset::Full).unwrap();
        let variants = study.cases.iter().flat_map(|case| &case.variants);
        let processes = variants.filter(|labelled| labelled.label == "process");
        let sizes: Vec<u32> = processes.map(|labelled| labelled.variant.flows).collect();
        assert!(sizes.len() > 2);
        let (_, left_out) = without_those(study, |variant, _| {
            let small = variant.model != Model::Process || variant.flows <= 200;
            (!small).then(|| format!("{} are too many", variant.flows))
        });
        let most = sizes.iter().max().map_or(0, |&most| most);
        let expected = format!(
            "500 are too many; so are more, up to {}",
            count(most.into())
        );
        assert_eq!(left_out, [expected]);
    }

    #[test]
    fn of_memory_the_same_reserve_is_kept_that_limits_keeps() {
        let machine = Machine::read();
        let free = rooms(&machine, Model::FIBER_PACKED, &turns(2));
        let lowest = free.first().unwrap();
        let share = (lowest.count as f64 * SHARE) as u64;
        let refused = |flows: u64| {
            let variant = variant(Model::FIBER_PACKED, u32::try_from(flows).unwrap());
            no_room(&machine, &variant, &turns(flows)).is_some()
        };
        assert!(!refused(share) && refused(share + 1));
    }

    #[test]
    fn a_study_that_fits_is_left_as_it_is() {
        let study = builtin("primes", Preset::Quick).unwrap();
        assert_eq!(fitted(study.clone(), &Machine::read()), (study, Vec::new()));
    }

    #[test]
    fn what_has_no_room_is_left_out_and_said() {
        let mut study = builtin("primes", Preset::Quick).unwrap();
        study.cases.truncate(2);
        for labelled in &mut study.cases[0].variants {
            labelled.variant.flows = u32::MAX;
        }
        let (fitted, left_out) = fitted(study.clone(), &Machine::read());
        assert_eq!(fitted.cases.len(), 1);
        assert_eq!(fitted.headline, study.cases[1].name);
        assert_eq!(left_out.len(), 2);
    }
}
