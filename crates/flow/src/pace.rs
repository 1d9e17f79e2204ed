//! Virtual speed-ups: what the whole would gain if a part of the work were faster (docs/method.md, "What a faster part
//! would bring", has the theory).
//!
//! For each time `d` that a flow spends in the part, every other flow stands still for `x d`, and all these pauses are
//! taken off the time of the whole (C. Curtsinger and E. Berger, "Coz: finding code that counts with causal profiling",
//! SOSP 2015). The sum of all pauses is a word of memory that processes share, so it is the same for every model.
//! ```text
//! due       pauses that all flows owe, summed up           one word, shared
//! paid      what this flow has stood still or need not     one for each flow
//! part ends:     due += x d,  paid += x d                  it was the faster one
//! delay point:   stands still for due - paid               at both ends of every part, and at the flow's end
//! woken:         paid = due                                who woke it has paid; it stood still meanwhile
//! ```
//! Where flows outnumber CPUs, a flow owes what neither it nor its CPU has paid, and parts count CPU time. The plain
//! slots of a prediction read the clock and add to the words too ([`Faster::none`]). In all other slots there is no
//! [`Pace`], and a part costs one test of a pointer.
//!
//! It deliberately does not pause flows that share a thread, nor the parent, nor work between delay points.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use measure::clock::{now_ns, thread_cpu_ns};
use nix::sched::sched_getcpu;
pub use profile::{Faster, Paused};
use sys::{CachePadded, Pages, Shareable, Shared};

#[repr(C)]
#[derive(Debug)]
struct Words {
    due: CachePadded<AtomicU64>,
    in_part: CachePadded<AtomicU64>,
    times: CachePadded<AtomicU64>,
}

// SAFETY: atomics.
unsafe impl Shareable for Words {}

#[derive(Debug)]
struct Pace {
    faster: Faster,
    by_cpu: bool,
    /// A row for each CPU: what it has paid.
    words: Shared<Words, CachePadded<AtomicU64>>,
}

/// Of this slot; made before its first flow.
static PACE: OnceLock<Pace> = OnceLock::new();

#[derive(Debug, Default)]
struct Own {
    paid: Cell<u64>,
    began: Cell<Option<u64>>,
}

thread_local! {
    static OWN: Own = const { Own { paid: Cell::new(0), began: Cell::new(None) } };
}

/// Does a part of a unit, by its place among the parts that the work names. Parts do not lie in each other.
#[inline]
pub fn part<T>(place: u32, work: impl FnOnce() -> T) -> T {
    let Some(pace) = PACE.get() else {
        return work();
    };
    pace.enter();
    let done = work();
    pace.leave(place);
    done
}

/// A part begins.
pub extern "C" fn enter(_place: u32) {
    if let Some(pace) = PACE.get() {
        pace.enter();
    }
}

/// It ends.
pub extern "C" fn leave(place: u32) {
    if let Some(pace) = PACE.get() {
        pace.leave(place);
    }
}

/// The flow may wait for another one from here on, or lets others go on.
pub extern "C" fn wait() {
    if let Some(pace) = PACE.get() {
        OWN.with(|own| pace.pay(own));
    }
}

/// It goes on, as another flow has let it.
pub extern "C" fn woken() {
    if let Some(pace) = PACE.get() {
        OWN.with(|own| own.paid.set(pace.due()));
    }
}

/// For a slot with a faster part, whose flows are bound to these CPUs, or to none.
pub(crate) fn begin(faster: Option<&Faster>, flows: u32, bound: &[u32]) -> io::Result<()> {
    let Some(faster) = faster else {
        return Ok(());
    };
    let cpus = match bound {
        [] => std::thread::available_parallelism()?.get(),
        bound => bound.iter().collect::<BTreeSet<_>>().len(),
    };
    let pace = Pace::new(faster, flows as usize > cpus)?;
    PACE.set(pace)
        .map_err(|_| io::Error::other("a slot has one faster part"))
}

pub(crate) fn clear() {
    if let Some(pace) = PACE.get() {
        pace.clear();
    }
}

pub(crate) fn read() -> Option<Paused> {
    let words = PACE.get()?.words.header();
    let [due_ns, in_part_ns, times] =
        [&words.due, &words.in_part, &words.times].map(|word| word.0.load(Ordering::Acquire));
    Some(Paused {
        due_ns,
        in_part_ns,
        times,
    })
}

impl Pace {
    fn new(faster: &Faster, by_cpu: bool) -> io::Result<Self> {
        let cpus = nix::unistd::sysconf(nix::unistd::SysconfVar::_NPROCESSORS_CONF)?;
        let cpus = cpus.and_then(|cpus| usize::try_from(cpus).ok());
        Ok(Self {
            faster: faster.clone(),
            by_cpu,
            words: Shared::new(cpus.unwrap_or(1).max(1), Pages::AtOnce)?,
        })
    }

    fn due(&self) -> u64 {
        self.words.header().due.0.load(Ordering::Acquire)
    }

    fn now(&self) -> u64 {
        match self.by_cpu {
            true => thread_cpu_ns(),
            false => now_ns(),
        }
    }

    fn cpu(&self) -> Option<&AtomicU64> {
        let cpu = self.by_cpu.then(sched_getcpu)?.ok()?;
        Some(&self.words.rows().get(cpu)?.0)
    }

    fn enter(&self) {
        OWN.with(|own| {
            self.pay(own);
            own.began.set(Some(self.now()));
        });
    }

    fn leave(&self, place: u32) {
        let now = self.now();
        OWN.with(|own| {
            let began = own.began.take().filter(|_| place == self.faster.place);
            if let Some(began) = began {
                self.was_faster(own, now.saturating_sub(began));
            }
            self.pay(own);
        });
    }

    fn was_faster(&self, own: &Own, took: u64) {
        let words = self.words.header();
        words.in_part.0.fetch_add(took, Ordering::Relaxed);
        words.times.0.fetch_add(1, Ordering::Relaxed);
        let pause = took * u64::from(self.faster.percent) / 100;
        words.due.0.fetch_add(pause, Ordering::AcqRel);
        own.paid.set(own.paid.get() + pause);
        if let Some(cpu) = self.cpu() {
            cpu.fetch_add(pause, Ordering::AcqRel);
        }
    }

    /// Stands still for what is owed. It is paid before that, so that nobody else pays for this CPU.
    fn pay(&self, own: &Own) {
        let due = self.due();
        let by_cpu = self
            .cpu()
            .map_or(0, |cpu| cpu.fetch_max(due, Ordering::AcqRel));
        let owed = due.saturating_sub(own.paid.get().max(by_cpu));
        own.paid.set(due.max(own.paid.get()));
        if owed == 0 {
            return;
        }
        let until = self.now() + owed;
        while self.now() < until {
            std::hint::spin_loop();
        }
    }

    fn clear(&self) {
        let words = self.words.header();
        let own = [&words.due, &words.in_part, &words.times];
        for word in own.into_iter().chain(self.words.rows()) {
            word.0.store(0, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(percent: u32, by_cpu: bool) -> Pace {
        let faster = Faster {
            part: "parse".to_owned(),
            place: 1,
            percent,
        };
        Pace::new(&faster, by_cpu).unwrap()
    }

    /// What a flow does and owes, without a wait.
    fn owed(pace: &Pace, own: &Own) -> u64 {
        pace.due().saturating_sub(own.paid.get())
    }

    #[test]
    fn who_runs_the_part_owes_nothing_and_all_others_do() {
        let pace = pace(20, false);
        let [one, other] = [Own::default(), Own::default()];
        pace.was_faster(&one, 1_000);
        assert_eq!((owed(&pace, &one), owed(&pace, &other)), (0, 200));
        pace.was_faster(&other, 500);
        assert_eq!((owed(&pace, &one), owed(&pace, &other)), (100, 200));
        pace.pay(&one);
        pace.pay(&other);
        assert_eq!((owed(&pace, &one), owed(&pace, &other)), (0, 0));
        assert_eq!(pace.due(), 300, "what is paid stays in the sum");
    }

    #[test]
    fn a_pause_lasts_as_long_as_what_is_owed() {
        let pace = pace(50, false);
        let [one, other] = [Own::default(), Own::default()];
        pace.was_faster(&one, 2_000_000);
        let before = now_ns();
        pace.pay(&other);
        assert!(now_ns() - before >= 1_000_000);
    }

    /// Four flows on two CPUs stood still four times for what stops one CPU once.
    #[test]
    fn where_flows_outnumber_cpus_each_cpu_pays_once() {
        let pace = pace(50, true);
        let [one, other] = [Own::default(), Own::default()];
        pace.words.header().due.0.store(700, Ordering::Relaxed);
        for row in pace.words.rows() {
            row.0.store(700, Ordering::Relaxed);
        }
        let before = thread_cpu_ns();
        for own in [&one, &other] {
            pace.pay(own);
        }
        assert_eq!((one.paid.get(), other.paid.get()), (700, 700));
        pace.clear();
        assert_eq!(pace.due(), 0);
        assert!(thread_cpu_ns() >= before);
    }

    #[test]
    fn other_parts_and_plain_slots_pause_nobody() {
        let pace = pace(20, false);
        pace.enter();
        pace.leave(0);
        let times = || pace.words.header().times.0.load(Ordering::Relaxed);
        assert_eq!((pace.due(), times()), (0, 0));
        pace.enter();
        pace.leave(1);
        assert_eq!(times(), 1);
        assert_eq!(part(1, || 7), 7, "no slot has a pace here");
        assert_eq!(read(), None);
    }
}
