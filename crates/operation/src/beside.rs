//! `*-beside-*`: an operation, and what the other flows of the program do meanwhile. Flows of even
//! place work; the others keep them company until those are done. That sets the lock of an address
//! space apart from the interrupts that make other CPUs forget a translation: who computes takes no
//! lock and is interrupted if it shares the address space; who sleeps is not.
//!
//! | operation | work | company |
//! |---|---|---|
//! | `page-fault-beside-map` | page faults | takes the lock of the address space, to write |
//! | `mprotect-beside-spin` | changes of a mapping | runs, and takes no lock |
//! | `mprotect-beside-sleep` | changes of a mapping | does not run |
//! | `nap-beside-spin` | short sleeps | wants the CPU all the time |
//! | `nap-beside-sleep` | short sleeps | does not want it |

use std::hint::spin_loop;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use measure::clock::now_ns;

use crate::check::{must, same};
use crate::page_fault::Private;
use crate::protect::Protect;
use crate::sys::futex::{Scope, wait, wake_all};
use crate::sys::memory::{Mapping, Of};
use crate::{Facts, Operation, OperationContext, PerFlow};
use sys::Shared;

/// Bytes of each mapping that company makes.
const LENGTH: usize = 1 << 20;

/// Looks at the number of flows that are done are this many loops apart.
const SPINS: u32 = 64;

const NAP: Duration = Duration::from_micros(50);

#[derive(Debug, Clone, Copy)]
enum Company {
    Maps,
    Spins,
    Sleeps,
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Faults,
    Protects,
    Naps,
}

struct Row {
    name: &'static str,
    does: &'static str,
    verified: &'static str,
    ops: u64,
    work: Work,
    company: Company,
}

const ROWS: [Row; 5] = [
    Row {
        name: "page-fault-beside-map",
        does: "touch a new page of private memory, while every second flow maps and unmaps",
        verified: "each page holds its number; the kernel counted a fault for each",
        ops: 2_000,
        work: Work::Faults,
        company: Company::Maps,
    },
    Row {
        name: "mprotect-beside-spin",
        does: "forbid writing to 64 KB, allow it again, write, while every second flow computes",
        verified: "what is written is there; 1 in 64 refuses a write while it is forbidden",
        ops: 500,
        work: Work::Protects,
        company: Company::Spins,
    },
    Row {
        name: "mprotect-beside-sleep",
        does: "forbid writing to 64 KB, allow it again, write, while every second flow sleeps",
        verified: "what is written is there; 1 in 64 refuses a write while it is forbidden",
        ops: 500,
        work: Work::Protects,
        company: Company::Sleeps,
    },
    Row {
        name: "nap-beside-spin",
        does: "sleep for 50 us, while every second flow computes",
        verified: "no sleep is shorter",
        ops: 8,
        work: Work::Naps,
        company: Company::Spins,
    },
    Row {
        name: "nap-beside-sleep",
        does: "sleep for 50 us, while every second flow sleeps",
        verified: "no sleep is shorter",
        ops: 8,
        work: Work::Naps,
        company: Company::Sleeps,
    },
];

#[derive(Debug)]
pub(crate) struct Beside<const ROW: usize> {
    context: OperationContext,
    done: Shared<AtomicU32>,
}

pub(crate) type FaultMap = Beside<0>;
pub(crate) type ProtectSpin = Beside<1>;
pub(crate) type ProtectSleep = Beside<2>;
pub(crate) type NapSpin = Beside<3>;
pub(crate) type NapSleep = Beside<4>;

#[derive(Debug)]
pub(crate) enum Own {
    Faults(Private),
    Protects(Protect),
    Naps,
    /// With the number of flows that are done where this repetition ends.
    Company(u32),
}

impl<const ROW: usize> Beside<ROW> {
    fn working(&self) -> u32 {
        self.context.flows.div_ceil(2) as u32
    }

    fn is_over(&self, at: u32) -> bool {
        self.done.header().load(Ordering::Acquire) >= at
    }

    fn keep_company(&self, at: u32) {
        match ROWS[ROW].company {
            Company::Maps => {
                while !self.is_over(at) {
                    let mapping = must("map memory", Mapping::new(LENGTH, Of::Private));
                    must("unmap memory", mapping.unmap());
                }
            }
            Company::Spins => {
                while !self.is_over(at) {
                    (0..SPINS).for_each(|_| spin_loop());
                }
            }
            Company::Sleeps => {
                let done = self.done.header();
                while !self.is_over(at) {
                    let _looks_again = wait(done, done.load(Ordering::Acquire), Scope::Shared);
                }
            }
        }
    }

    fn is_done(&self) {
        let done = self.done.header();
        done.fetch_add(1, Ordering::AcqRel);
        must("wake company", wake_all(done, Scope::Shared));
    }
}

impl<const ROW: usize> Operation for Beside<ROW> {
    const FACTS: Facts = Facts {
        name: ROWS[ROW].name,
        family: "company",
        does: ROWS[ROW].does,
        shares: "nothing but the end of the work",
        verified: ROWS[ROW].verified,
        ops: ROWS[ROW].ops,
        waits: true,
        ..Facts::USUAL
    };

    type State = Own;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            context: context.clone(),
            done: Shared::value()?,
        })
    }

    fn own(&self, flow: usize) -> Own {
        match (flow.is_multiple_of(2), ROWS[ROW].work) {
            (false, _) => {
                let before = self.done.header().load(Ordering::Acquire);
                Own::Company(before + self.working())
            }
            (true, Work::Faults) => Own::Faults(Private::make(&self.context, flow)),
            (true, Work::Protects) => Own::Protects(Protect::make(&self.context, flow)),
            (true, Work::Naps) => Own::Naps,
        }
    }

    fn repeat(&self, own: &mut Own, ops: u64) -> u64 {
        let checksum = match own {
            Own::Company(at) => {
                self.keep_company(*at);
                return ops;
            }
            Own::Faults(work) => work.repeat(ops),
            Own::Protects(work) => work.repeat(ops),
            Own::Naps => take_naps(ops),
        };
        self.is_done();
        checksum
    }
}

fn take_naps(ops: u64) -> u64 {
    let (mut now, mut naps) = (now_ns(), 0);
    for _ in 0..ops {
        sleep(NAP);
        let woken = now_ns();
        naps += u64::from(u128::from(woken - now) >= NAP.as_nanos());
        now = woken;
    }
    same("the sleeps that lasted", naps, ops);
    naps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repeat::testing::{of_flows, together};

    #[test]
    fn company_is_kept_until_the_work_of_each_repetition_is_done() {
        fn both<const ROW: usize>(work: u64) {
            let beside: Beside<ROW> = of_flows(2);
            for _repetition in 0..2 {
                assert_eq!(together(&beside, 2, 20), [work, 20], "{}", ROWS[ROW].name);
            }
        }
        both::<0>(190);
        both::<1>(20);
        both::<2>(20);
        both::<3>(20);
        both::<4>(20);
    }

    #[test]
    fn a_flow_alone_works() {
        assert_eq!(together(&of_flows::<NapSleep>(1), 1, 3), [3]);
    }
}
