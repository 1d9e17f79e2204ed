//! A slot of a server: start it, wait until it is ready, ask it, stop it.
//!
//! The phases of a repetition:
//!
//! * **create**: from the launch until the server is ready.
//! * **steady**: the time in which requests are measured.
//! * **tear-down**: from asking it to end (`SIGTERM` to the process that was launched) until nothing of it is there.
//!
//! Usage is that of the server's tree alone: the load generator is launched beside it, and its usage is kept
//! apart; of what a control group counted, the load's part is taken off. Memory is looked at while it is asked, and
//! at the end of that ([`crate::peak_sampling`]). A server that ends
//! while it is asked has failed, and so has one that has to be killed.

mod ask;
mod ready;

use std::io;
use std::path::Path;
use std::time::Duration;

use flow::{Failure, Latencies, Proof, SelfManaged, SelfManagedRep, SelfManagedUsage, SlotSpec};
use measure::clock::now_ns;
use measure::memory::Reading;

use crate::judge;
use crate::listener::{Listens, is_free};
use crate::peak_sampling::{Pace, Seen};
use crate::pipe::{MOST, Pipe};
use crate::runner::{Runner, null};
use crate::served::Served;
use crate::supervisor::{Order, Running};
use crate::usage::{CpuTime, Used, less};

struct Asked {
    steady_ns: u64,
    count: u64,
    latencies: Option<Latencies>,
    counts: Vec<(&'static str, u64)>,
    load_cpu: CpuTime,
}

#[derive(Debug)]
pub(crate) struct ServerRunner<'a> {
    served: &'a Served,
    base: Runner<'a>,
    pace: Pace,
    listener: Listens,
}

impl<'a> ServerRunner<'a> {
    pub(crate) fn new<W>(
        served: &'a Served,
        spec: &SlotSpec<W>,
        dir: Option<&Path>,
    ) -> io::Result<Self> {
        let mut base = Runner::new(&served.server, spec, dir)?;
        if served.asks_for("port") {
            base.need_port()?;
        }
        Ok(Self {
            served,
            base,
            pace: Pace::BESIDE,
            listener: Listens::Unknown,
        })
    }

    pub(crate) fn end(self) -> io::Result<()> {
        self.base.end()
    }

    fn launch(&mut self) -> io::Result<Running> {
        if let Some(address) = self.address()? {
            is_free(address)?;
        }
        self.base.draw();
        let (line, executable) = self.base.copy(0)?;
        let order = Order {
            executable: &executable,
            stdin: null()?,
            stdout: Some(Pipe::new(MOST >> 6, false)?),
            is_limited: true,
        };
        let launched = self.base.supervisor.launch(order);
        launched.map_err(|error| io::Error::other(format!("cannot launch '{line}': {error}")))
    }

    fn stop(&mut self, server: &mut Running) -> io::Result<bool> {
        let grace = self.base.grace();
        self.base.supervisor.stop(&mut [server], grace)
    }

    fn once(&mut self) -> io::Result<SelfManagedRep> {
        let before = self.base.supervisor.cpu_by_cgroup();
        let mut server = self.launch()?;
        let ready = self.wait_ready(&mut server);
        let held = self.base.supervisor.throttled();
        let asked = ready.and_then(|ready_ns| Ok((ready_ns, self.ask(&mut server)?)));
        let held = self.base.supervisor.throttled().zip(held);
        let (ready_ns, asked) = match asked {
            Ok(asked) => asked,
            Err(error) => {
                self.stop(&mut server)?;
                return Err(error);
            }
        };
        let asked_ns = now_ns();
        self.base.supervisor.look_for_forgetting();
        let stopping = now_ns();
        let killed = self.stop(&mut server)?;
        let stopped = now_ns();
        if killed {
            return Err(io::Error::other(format!(
                "the server did not end within {} s when it was asked to (SIGTERM) and was killed; \
                 --grace gives it longer",
                self.served.server.grace_s
            )));
        }
        let mut used = self.base.supervisor.take_orphans();
        used.add(server.ended.map(|end| end.used).unwrap_or_default());
        let by_cgroup = self.base.supervisor.cpu_by_cgroup().zip(before);
        // The load is in the group too.
        let by_cgroup = by_cgroup.map(|(after, before)| less(less(after, before), asked.load_cpu));
        let forgotten = used.settle(by_cgroup);
        self.base.most_rss = self.base.most_rss.max(used.process.most_rss);
        let span = |from: u64, to: u64| Duration::from_nanos(to.saturating_sub(from));
        Ok(SelfManagedRep {
            create: span(server.began_ns, ready_ns),
            steady: Duration::from_nanos(asked.steady_ns),
            tear_down: span(stopping, stopped),
            usage: used.counts(),
            units: asked.count,
            proof: Proof {
                count: 1,
                checksum: 0,
            },
            own: SelfManagedUsage {
                forgotten,
                ..self.own(&used, &asked)
            },
            began_ns: Some([
                server.began_ns,
                asked_ns.saturating_sub(asked.steady_ns),
                stopping,
            ]),
            latencies: asked.latencies,
            throttled: held.map(|(now, before)| now.since(before)),
        })
    }

    fn own(&self, used: &Used, asked: &Asked) -> SelfManagedUsage {
        let mut counts = asked.counts.clone();
        counts.push(("own_listener", (self.listener == Listens::Own).into()));
        if let Some(seen) = self.base.seen {
            counts.extend([
                ("looks", seen.looks),
                ("processes", seen.processes),
                ("tasks", seen.tasks),
            ]);
        }
        used.of_flows(1, counts)
    }
}

impl SelfManaged for ServerRunner<'_> {
    const KEEPS_DEADLINE: bool = true;

    fn prepare(&mut self) -> io::Result<()> {
        self.base.prepare()
    }

    fn repeat(&mut self, _timers: bool) -> io::Result<SelfManagedRep> {
        let rep = self.once()?;
        self.base.after()?;
        Ok(rep)
    }

    fn differs(&self, _expected: Proof, _got: Proof) -> Failure {
        judge::differs()
    }

    fn memory(&mut self) -> io::Result<Option<Reading>> {
        if !self.base.is_seen() {
            self.base.prepare()?;
            self.pace = Pace::ALONE;
            let launched = self.repeat(false);
            self.pace = Pace::BESIDE;
            launched?;
        }
        Ok(Some(Seen::reading(self.base.seen, self.base.most_rss)))
    }
}
