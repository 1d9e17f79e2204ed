//! Random programs of fibers, against a model of the queue that is plain data.
//!
//! Every fiber runs a script; each step that it finishes goes into a trace. The model
//! keeps the rule of the queue (rounds; those made or awakened wait for the next one) and
//! predicts the trace, who stays suspended, and who ended.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packed;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use fiber::{Config, FiberId, JoinHandle};
use proptest::prelude::*;

use packed::{made, packed};

#[derive(Debug, Clone, Copy)]
enum Op {
    Yield,
    YieldByFunction,
    Suspend,
    Awaken(usize),
    /// Makes the next fiber that is not made yet.
    Spawn,
    Join(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => Just(Op::Yield),
        2 => Just(Op::YieldByFunction),
        2 => Just(Op::Suspend),
        3 => (0..12_usize).prop_map(Op::Awaken),
        2 => Just(Op::Spawn),
        1 => (0..12_usize).prop_map(Op::Join),
    ]
}

type Trace = Vec<(usize, usize)>;

// ── The model ────────────────────────────────────────────────────────────────────────

#[derive(Debug, Default, Clone)]
struct Modelled {
    made: bool,
    step: usize,
    suspended: bool,
    /// Awakened while it was not suspended, be it that it waited for another's end.
    permit: bool,
    over: bool,
    waiter: Option<usize>,
    taken: bool,
    joining: bool,
}

#[derive(Debug, Default)]
struct Model {
    fibers: Vec<Modelled>,
    late: Vec<usize>,
    trace: Trace,
}

impl Model {
    fn run(scripts: &[Vec<Op>], first: usize) -> Model {
        let mut model = Model {
            fibers: vec![Modelled::default(); scripts.len()],
            ..Model::default()
        };
        for _ in 0..first {
            model.spawn();
        }
        while !model.late.is_empty() {
            let mut ring: VecDeque<usize> = model.late.drain(..).collect();
            let mut stay = Vec::new();
            while let Some(who) = ring.pop_front() {
                if model.turn(who, &scripts[who]) {
                    stay.push(who);
                }
            }
            stay.append(&mut model.late);
            model.late = stay;
        }
        model
    }

    fn spawn(&mut self) {
        if let Some(next) = self.fibers.iter().position(|fiber| !fiber.made) {
            self.fibers[next].made = true;
            self.late.push(next);
        }
    }

    fn awaken(&mut self, who: usize) {
        let fiber = &mut self.fibers[who];
        if !fiber.made || fiber.over {
            return;
        }
        if std::mem::take(&mut fiber.suspended) {
            self.late.push(who);
        } else {
            fiber.permit = true;
        }
    }

    /// Runs one fiber until it gives up its turn; true when it stays in the ring.
    fn turn(&mut self, who: usize, script: &[Op]) -> bool {
        loop {
            let step = self.fibers[who].step;
            let Some(op) = script.get(step) else {
                self.fibers[who].over = true;
                self.late.extend(self.fibers[who].waiter);
                return false;
            };
            let waits = self.waits_to_join(who, *op);
            if !waits {
                self.trace.push((who, step));
                self.fibers[who].step += 1;
            }
            match op {
                Op::Yield | Op::YieldByFunction => return true,
                Op::Awaken(whom) => self.awaken(whom % self.fibers.len()),
                Op::Spawn => self.spawn(),
                Op::Join(_) if waits => return false,
                Op::Join(_) => {}
                Op::Suspend => {
                    let fiber = &mut self.fibers[who];
                    if !std::mem::take(&mut fiber.permit) {
                        fiber.suspended = true;
                        return false;
                    }
                }
            }
        }
    }

    fn waits_to_join(&mut self, who: usize, op: Op) -> bool {
        let Op::Join(whom) = op else { return false };
        let whom = whom % self.fibers.len();
        let free = whom != who && self.fibers[whom].made && !self.fibers[whom].taken;
        if free {
            self.fibers[whom].taken = true;
            self.fibers[whom].waiter = Some(who);
            self.fibers[who].joining = true;
        }
        let waits = self.fibers[who].joining && !self.fibers[whom].over;
        self.fibers[who].joining = waits;
        waits
    }
}

// ── The real thing ───────────────────────────────────────────────────────────────────

#[derive(Debug, Default)]
struct World {
    scripts: Vec<Vec<Op>>,
    ids: Vec<FiberId>,
    handles: Vec<Option<JoinHandle<usize>>>,
    trace: Trace,
}

type Shared = Rc<RefCell<World>>;

fn make(world: &Shared, spawn: impl FnOnce(Shared, usize) -> JoinHandle<usize>) {
    let who = world.borrow().ids.len();
    if who < world.borrow().scripts.len() {
        let handle = spawn(Rc::clone(world), who);
        world.borrow_mut().ids.push(handle.id());
        world.borrow_mut().handles.push(Some(handle));
    }
}

fn handle_of(world: &Shared, who: usize) -> Option<JoinHandle<usize>> {
    let mut world = world.borrow_mut();
    world.handles.get_mut(who).and_then(Option::take)
}

fn body(world: Shared, who: usize) -> impl FnOnce(&mut fiber::Fiber) -> usize + 'static {
    move |fiber| {
        let script = world.borrow().scripts[who].clone();
        for (step, op) in script.into_iter().enumerate() {
            let log = || world.borrow_mut().trace.push((who, step));
            perform(&world, who, op, log, fiber);
        }
        who
    }
}

fn perform(world: &Shared, who: usize, op: Op, log: impl Fn(), fiber: &mut fiber::Fiber) {
    let count = world.borrow().scripts.len();
    if let Op::Join(whom) = op {
        let whom = whom % count;
        let handle = (whom != who).then(|| handle_of(world, whom));
        if let Some(handle) = handle.flatten() {
            assert_eq!(handle.join().unwrap(), whom);
        }
        return log();
    }
    log();
    match op {
        Op::Yield => fiber.yield_now(),
        Op::YieldByFunction => fiber::yield_now(),
        Op::Suspend => fiber.suspend(),
        Op::Awaken(whom) => {
            let id = world.borrow().ids.get(whom % count).copied();
            id.map(fiber::awaken);
        }
        Op::Spawn => make(world, |world, who| fiber::spawn(body(world, who)).unwrap()),
        Op::Join(_) => unreachable!("done above"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn random_programs_run_as_the_model_says(
        scripts in prop::collection::vec(prop::collection::vec(op(), 0..10), 1..12),
        first in 1..4_usize,
        is_packed in any::<bool>(),
    ) {
        let config = if is_packed { packed(16_384) } else { Config::guarded(65_536) };
        let model = Model::run(&scripts, first);
        let world = Rc::new(RefCell::new(World { scripts, ..World::default() }));
        let scheduler = made(config.capacity(16)).unwrap();
        for _ in 0..first {
            make(&world, |world, who| scheduler.spawn(body(world, who)).unwrap());
        }
        let suspended = scheduler.run();
        prop_assert_eq!(&world.borrow().trace, &model.trace);
        let expected = model.fibers.iter().filter(|f| f.made && !f.over).count();
        prop_assert_eq!(suspended, expected);
        for (who, modelled) in model.fibers.iter().enumerate() {
            if let Some(handle) = handle_of(&world, who) {
                prop_assert_eq!(handle.is_finished(), modelled.over);
            }
        }
    }
}
