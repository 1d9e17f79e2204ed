//! The clocks, and what a reading of one costs. Wall time is `CLOCK_MONOTONIC`, one clock of the
//! machine: times of two processes may be subtracted. CPU time is `CLOCK_THREAD_CPUTIME_ID` and
//! `CLOCK_PROCESS_CPUTIME_ID`, which bring the running task up to date; `getrusage` reports what
//! the last scheduler tick knew. A wall clock backed by the TSC is read in user space in 20 to 60
//! ns. A slow source (HPET, ACPI PM) needs a system call and about a microsecond, and may step in
//! larger units; times near that size are artefacts. [`cost`] finds out.

use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// Wall time in ns since an arbitrary start (`CLOCK_MONOTONIC`), comparable among processes.
#[inline]
pub fn now_ns() -> u64 {
    read(ClockId::CLOCK_MONOTONIC)
}

/// CPU time of the calling thread in ns.
#[inline]
pub fn thread_cpu_ns() -> u64 {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of all threads of this process, ended ones included, in ns.
#[inline]
pub fn process_cpu_ns() -> u64 {
    read(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of all threads of another process, ended ones included, in ns; `None` once reaped.
pub fn of_process_ns(pid: i32) -> Option<u64> {
    let clock = clock_getcpuclockid(Pid::from_raw(pid)).ok()?;
    let time = clock_gettime(clock).ok()?;
    Some(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}

/// Panics if the kernel refuses a clock of Linux 2.6.12: an invented time would be worse.
#[inline]
fn read(id: ClockId) -> u64 {
    match clock_gettime(id) {
        Ok(time) => time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64,
        Err(errno) => crate::give_up(format_args!(
            "clock {} cannot be read: {errno}; allow clock_gettime in the sandbox",
            id.as_raw()
        )),
    }
}

/// What the wall clock of this machine costs and how finely it steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClockCost {
    /// Nanoseconds that one reading takes, at best.
    pub read_ns: f64,
    /// Smallest difference between readings that differ, in ns; on a finer clock about `read_ns`.
    pub step_ns: u64,
}

/// 1 % of 100 us, the shortest span worth a comparison.
const COARSE_NS: u64 = 1_000;

impl ClockCost {
    /// What this means and what to do; `None` if the clock is fine.
    pub fn warning(&self) -> Option<String> {
        (self.step_ns > COARSE_NS || self.read_ns > COARSE_NS as f64).then(|| {
            format!(
                "the clock is coarse: a reading takes {:.0} ns and steps by {} ns, so times \
                 below {} us are not to be trusted; see \
                 /sys/devices/system/clocksource/clocksource0/ and choose tsc where it is offered",
                self.read_ns,
                self.step_ns,
                self.shortest_span_ns() / 1_000
            )
        })
    }

    /// The shortest span in ns that the clock measures within 1 %.
    pub fn shortest_span_ns(&self) -> u64 {
        self.step_ns
            .max(self.read_ns.ceil() as u64)
            .saturating_mul(100)
    }
}

/// Measures the wall clock. Takes about a millisecond, more on a coarse clock.
pub fn cost() -> ClockCost {
    cost_of(now_ns)
}

const BATCHES: u32 = 10;
const READS_A_BATCH: u32 = 1_000;
const STEPS: u32 = 1_000;
/// Readings before the search ends: at 20 ns each 100 ms, twenty ticks of a 4 ms clock.
const MAX_READS: u32 = 5_000_000;

fn cost_of(mut read: impl FnMut() -> u64) -> ClockCost {
    ClockCost {
        read_ns: read_cost(&mut read),
        step_ns: smallest_step(&mut read),
    }
}

/// Interruptions only make one slower.
fn read_cost(read: &mut impl FnMut() -> u64) -> f64 {
    let batch = |_| {
        let start = read();
        for _ in 1..READS_A_BATCH {
            std::hint::black_box(read());
        }
        read() - start
    };
    let best = (0..BATCHES).map(batch).min().unwrap_or(u64::MAX);
    best as f64 / f64::from(READS_A_BATCH)
}

/// `u64::MAX` when the clock never moved.
fn smallest_step(read: &mut impl FnMut() -> u64) -> u64 {
    let (mut smallest, mut steps, mut last) = (u64::MAX, 0, read());
    for _ in 0..MAX_READS {
        let now = read();
        if now != last {
            smallest = smallest.min(now - last);
            steps += 1;
        }
        last = now;
        if steps == STEPS {
            break;
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that takes `cost` to read and shows multiples of `step`.
    fn fake(cost: u64, step: u64) -> impl FnMut() -> u64 {
        let mut time = 0;
        move || {
            time += cost;
            time / step * step
        }
    }

    #[test]
    fn a_fine_clock_steps_by_its_cost() {
        let cost = cost_of(fake(25, 1));
        assert_eq!((cost.read_ns, cost.step_ns), (25.0, 25));
        assert_eq!(cost.warning(), None);
    }

    #[test]
    fn a_clock_that_steps_in_ticks_is_found_out() {
        let cost = cost_of(fake(25, 4_000_000));
        assert_eq!(cost.step_ns, 4_000_000);
        assert!(cost.warning().unwrap().contains("steps by 4000000 ns"));
        assert_eq!(cost.shortest_span_ns(), 400_000_000);
    }

    #[test]
    fn a_clock_that_is_slow_to_read_is_found_out() {
        let cost = cost_of(fake(1_200, 1));
        assert!(cost.warning().unwrap().contains("a reading takes 1200 ns"));
    }

    #[test]
    fn wall_time_runs_on_while_asleep_and_cpu_time_does_not() {
        let (wall, cpu) = (now_ns(), thread_cpu_ns());
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(now_ns() - wall >= 50_000_000);
        assert!(thread_cpu_ns() - cpu < 25_000_000);
    }

    #[test]
    fn process_time_holds_the_time_of_its_threads() {
        let before = process_cpu_ns();
        let spent = std::thread::spawn(|| {
            while thread_cpu_ns() < 5_000_000 {
                std::hint::spin_loop();
            }
            thread_cpu_ns()
        });
        let spent = spent.join().unwrap();
        assert!(process_cpu_ns() - before >= spent);
    }

    #[test]
    fn the_cpu_time_of_a_process_is_known_by_its_id_while_it_is_there() {
        let pid = std::process::id() as i32;
        let (before, of_other, after) = (process_cpu_ns(), of_process_ns(pid), process_cpu_ns());
        assert!((before..=after).contains(&of_other.expect("this process is there")));
        let mut child = std::process::Command::new("true").spawn().expect("a child");
        child.wait().expect("its end");
        assert_eq!(of_process_ns(child.id() as i32), None);
    }
}
