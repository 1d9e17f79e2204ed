//! Peers written in Rust.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use generator::Gn;

use super::{Peer, Sample, memory, sample};
use crate::flow;

const MAPPINGS: &str = "vm.max_map_count, two mappings a stack";

pub(crate) fn all() -> Vec<Peer> {
    vec![
        Peer::new("corosensei, guarded 16 KiB", |n, y| {
            corosensei(n, y, |_| DefaultStack::new(16 << 10).expect("a stack"))
        })
        .up_to(30_000, MAPPINGS),
        Peer::new("corosensei, unguarded 4 KiB", |n, y| {
            let slab = Slab::new(n);
            corosensei(n, y, move |who| slab.stack(who))
        })
        .up_to(1_000_000, "memory, at 4 KiB a flow"),
        Peer::new("generator", generators).up_to(10_000, MAPPINGS),
        Peer::new("tokio yield_now (stackless)", tokio_tasks).up_to(1_000_000, "not asked for"),
        Peer::new("futures polled by hand (stackless)", futures),
    ]
}

fn corosensei<S: Stack + 'static>(
    flows: usize,
    yields: usize,
    stack: impl Fn(usize) -> S,
) -> Sample {
    sample(flows, yields, || {
        let mut all: Vec<Coroutine<(), (), u64, S>> = (0..flows)
            .map(|who| {
                let body = move |yielder: &Yielder<(), ()>, ()| {
                    flow!(who == 0, yields, yielder.suspend(()))
                };
                Coroutine::with_stack(stack(who), body)
            })
            .collect();
        let (mut sum, mut ended) = (0, 0);
        while ended < flows {
            for coroutine in &mut all {
                if let CoroutineResult::Return(result) = coroutine.resume(()) {
                    sum += result;
                    ended += 1;
                }
            }
        }
        (sum, memory(yields))
    })
}

/// As [`super::ours::values_ns`].
pub(crate) fn values_ns(generators: usize, times: u64) -> f64 {
    let made = (0..generators).map(|_| {
        let stack = DefaultStack::new(16 << 10).expect("a stack");
        Coroutine::with_stack(stack, |yielder: &Yielder<u64, u64>, mut next| {
            let mut sum = 0_u64;
            loop {
                sum += next;
                next = yielder.suspend(sum);
            }
        })
    });
    let mut all: Vec<Coroutine<u64, u64, (), DefaultStack>> = made.collect();
    super::values(&mut all, times, |sums, number| {
        sums.resume(number).as_yield()
    })
}

/// Stacks side by side with no guard, so that mappings do not end it.
struct Slab(Vec<u8>);

impl Slab {
    const BYTES: usize = 4_096;

    fn new(flows: usize) -> Slab {
        Slab(Vec::with_capacity((flows + 1) * Slab::BYTES))
    }

    fn stack(&self, who: usize) -> Slice {
        let start = self.0.as_ptr().addr().next_multiple_of(Slab::BYTES);
        Slice(start + who * Slab::BYTES)
    }
}

struct Slice(usize);

// SAFETY: each slice is 4 KiB of the slab, aligned to as much, used by one coroutine; the
// slab outlives them (it is owned by the closure that makes them, called before).
unsafe impl Stack for Slice {
    fn base(&self) -> StackPointer {
        address(self.0 + Slab::BYTES)
    }

    fn limit(&self) -> StackPointer {
        address(self.0)
    }
}

fn address(address: usize) -> StackPointer {
    StackPointer::new(address).unwrap_or_else(|| unreachable!("not null"))
}

fn generators(flows: usize, yields: usize) -> Sample {
    sample(flows, yields, || {
        let mut all: Vec<_> = (0..flows)
            .map(|who| {
                Gn::<()>::new_scoped_opt(0x800, move |mut scope| {
                    let sum = flow!(who == 0, yields, scope.yield_with(0_u64));
                    sum + 1
                })
            })
            .collect();
        let (mut sum, mut ended) = (0, 0);
        while ended < flows {
            for generator in &mut all {
                // Yields give 0; the last value is the sum and 1.
                match generator.resume() {
                    Some(0) | None => {}
                    Some(result) => {
                        sum += result - 1;
                        ended += 1;
                    }
                }
            }
        }
        (sum, memory(yields))
    })
}

fn tokio_tasks(flows: usize, yields: usize) -> Sample {
    sample(flows, yields, || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        let tasks = tokio::task::LocalSet::new();
        tasks.block_on(&runtime, async {
            let all: Vec<_> = (0..flows)
                .map(|who| {
                    tokio::task::spawn_local(async move {
                        flow!(who == 0, yields, tokio::task::yield_now().await)
                    })
                })
                .collect();
            let mut sum = 0;
            let mut bytes = 0;
            for task in all {
                sum += task.await.expect("a task");
                if bytes == 0 {
                    bytes = memory(yields);
                }
            }
            (sum, bytes)
        })
    })
}

/// Pending once.
struct Pause(bool);

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

fn futures(flows: usize, yields: usize) -> Sample {
    sample(flows, yields, || {
        let mut all: Vec<Pin<Box<dyn Future<Output = u64>>>> = (0..flows)
            .map(|who| {
                let task = async move { flow!(who == 0, yields, Pause(false).await) };
                Box::pin(task) as Pin<Box<dyn Future<Output = u64>>>
            })
            .collect();
        let mut context = Context::from_waker(Waker::noop());
        let rounds = if yields == 0 { 1 } else { yields + 2 };
        let mut sum = 0;
        for _ in 0..rounds {
            for task in &mut all {
                if let Poll::Ready(result) = task.as_mut().poll(&mut context) {
                    sum += result;
                }
            }
        }
        (sum, memory(yields))
    })
}
