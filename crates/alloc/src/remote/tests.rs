//! Every order in which three cores can touch the head of the list.
//!
//! The code under test is the list's own; its head is one whose every access waits for its turn. A
//! run follows a list of turns, notes who else could have gone at each of them, and the next run
//! tries the last of those that is still open, until none is: a depth-first search of all
//! interleavings, sequentially consistent. (That links are seen by who takes them rests on
//! `Release` and `Acquire`, which this does not try.)

use std::sync::{Arc, Condvar, Mutex};

use super::*;

#[derive(Default)]
struct Turns {
    /// Which of the waiting threads goes, at each turn; the first one beyond the end.
    plan: Vec<usize>,
    /// How many could have gone, at each turn.
    choices: Vec<usize>,
    /// Threads that wait to touch the head, and those that still run.
    waiting: Vec<usize>,
    running: usize,
    /// Who goes now.
    goes: Option<usize>,
}

#[derive(Clone, Default)]
struct Stage(Arc<(Mutex<Turns>, Condvar)>);

impl Stage {
    /// Waits for the turn of a thread.
    fn turn(&self, thread: usize) {
        let (turns, changed) = &*self.0;
        let mut turns = turns.lock().unwrap();
        turns.waiting.push(thread);
        turns.running -= 1;
        choose(&mut turns);
        changed.notify_all();
        let mut turns = changed
            .wait_while(turns, |turns| turns.goes != Some(thread))
            .unwrap();
        turns.goes = None;
    }

    /// A thread has nothing more to do.
    fn ends(&self) {
        let (turns, changed) = &*self.0;
        let mut turns = turns.lock().unwrap();
        turns.running -= 1;
        choose(&mut turns);
        changed.notify_all();
    }
}

/// Once all threads wait or have ended, lets one go.
fn choose(turns: &mut Turns) {
    if turns.running > 0 || turns.waiting.is_empty() {
        return;
    }
    turns.waiting.sort_unstable();
    let turn = turns.choices.len();
    let which = turns.plan.get(turn).copied().unwrap_or(0);
    turns.choices.push(turns.waiting.len());
    let thread = turns.waiting.remove(which);
    turns.goes = Some(thread);
    turns.running = 1;
}

/// The next plan of a depth-first search; none when all were tried.
fn next_plan(turns: &Turns) -> Option<Vec<usize>> {
    let mut plan: Vec<usize> = (0..turns.choices.len())
        .map(|turn| turns.plan.get(turn).copied().unwrap_or(0))
        .collect();
    while let Some(which) = plan.pop() {
        if which + 1 < turns.choices[plan.len()] {
            plan.push(which + 1);
            return Some(plan);
        }
    }
    None
}

std::thread_local! {
    static THREAD: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A head whose every access waits for its turn.
struct InTurn(AtomicPtr<Block>, Stage);

impl Head for InTurn {
    fn get(&self) -> *mut Block {
        self.1.turn(THREAD.get());
        Head::get(&self.0)
    }

    fn replace(&self, expected: *mut Block, new: *mut Block) -> Result<(), *mut Block> {
        self.1.turn(THREAD.get());
        let replaced = self.0.compare_exchange(expected, new, Release, Relaxed);
        replaced.map(|_| ())
    }

    fn take(&self) -> *mut Block {
        self.1.turn(THREAD.get());
        Head::take(&self.0)
    }
}

/// Blocks of a test, by their addresses.
fn blocks<const N: usize>() -> [NonNull<u8>; N] {
    std::array::from_fn(|_| {
        let block = Block {
            next: null_mut(),
            mark: 0,
        };
        NonNull::from(Box::leak(Box::new(block))).cast()
    })
}

/// Two cores add while the owner takes twice; what the owner got, in one order of turns.
fn run(stage: &Stage, ours: [NonNull<u8>; 4]) -> Vec<usize> {
    let list = Remote::with_head(InTurn(AtomicPtr::new(null_mut()), stage.clone()));
    stage.0.0.lock().unwrap().running = 3;
    let addresses = ours.map(|block| block.as_ptr().expose_provenance());
    let mut got: Vec<usize> = std::thread::scope(|scope| {
        let add = |thread: usize, blocks: &'static [usize]| {
            let list = &list;
            scope.spawn(move || {
                THREAD.set(thread);
                let block = |at: &usize| {
                    let at = addresses[*at];
                    NonNull::new(std::ptr::with_exposed_provenance_mut::<u8>(at)).unwrap()
                };
                // SAFETY: the blocks are the test's own.
                let chain = unsafe { Chain::of(block(&blocks[0])) };
                let chain = blocks[1..].iter().fold(chain, |chain, at| {
                    // SAFETY: as above.
                    unsafe { chain.with(block(at)) }
                });
                list.add(chain);
                list.head.1.ends();
            });
        };
        add(0, &[0, 1]);
        add(1, &[2, 3]);
        let owner = scope.spawn(|| {
            THREAD.set(2);
            let mut got = Vec::new();
            for _ in 0..2 {
                list.take(|block| got.push(block.as_ptr().addr()));
            }
            list.head.1.ends();
            got
        });
        owner.join().unwrap()
    });
    let left = Remote::with_head(AtomicPtr::new(list.head.0.into_inner()));
    left.take(|block| got.push(block.as_ptr().addr()));
    got
}

#[test]
fn every_order_of_two_cores_that_add_and_an_owner_that_takes_keeps_every_block() {
    let ours = blocks::<4>();
    let mut expected: Vec<usize> = ours.iter().map(|block| block.addr().get()).collect();
    expected.sort_unstable();
    let (mut plan, mut runs) = (Some(Vec::new()), 0);
    while let Some(turns) = plan {
        let stage = Stage::default();
        stage.0.0.lock().unwrap().plan = turns;
        let mut got = run(&stage, ours);
        got.sort_unstable();
        assert_eq!(got, expected, "run {runs}");
        plan = next_plan(&stage.0.0.lock().unwrap());
        runs += 1;
    }
    assert!(runs > 100, "only {runs} orders were tried");
}
