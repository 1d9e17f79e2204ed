//! A server about to run: its store, port and load generator, and the work of a worker.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use flow::{Body, Latencies, Outlet, Proof, Variant};
use measure::give_up;
use measure::usage::{self, Usage};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::Pid;

use super::listener::{self, Caller};
use super::load::{Load, Order};
use super::{Design, Server, serve};
use crate::wiki::{PreparedStore, Store};

const PAUSE: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Serving {
    server: Server,
    prepared: PreparedStore,
    listener: TcpListener,
    load: Load,
}

impl Server {
    pub(super) fn open(
        &self,
        folder: Option<&Path>,
        variant: &Variant,
        is_free: bool,
    ) -> io::Result<Serving> {
        make_room(self.open_files(variant))?;
        let prepared = self.wiki().prepared(folder).map_err(io::Error::other)?;
        let listener = listener::listen(self.port)?;
        let load = Load::start(&Order {
            address: listener.local_addr()?,
            cpu: self.load_cpu,
            connections: self.connections,
            requests: self.requests,
            seed: self.seed,
            workers: self.workers,
            pages: prepared.pages().to_vec(),
        })?;
        if let Some(cpu) = self.load_cpu.filter(|_| is_free) {
            keep_off(cpu)?;
        }
        Ok(Serving {
            server: self.clone(),
            prepared,
            listener,
            load,
        })
    }
}

/// The usual limit is far below the hard one.
fn make_room(files: u64) -> io::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if files > hard {
        return Err(io::Error::other(format!(
            "a server and its load need {files} open files and RLIMIT_NOFILE allows {hard}: use \
             fewer connections, or raise the limit (ulimit -Hn {files})"
        )));
    }
    if files > soft {
        setrlimit(Resource::RLIMIT_NOFILE, files, hard)?;
    }
    Ok(())
}

/// Unless it is the only CPU.
fn keep_off(cpu: u32) -> io::Result<()> {
    let mut allowed = sched_getaffinity(Pid::from_raw(0))?;
    allowed.unset(cpu as usize)?;
    let is_one_left = (0..CpuSet::count()).any(|cpu| allowed.is_set(cpu).unwrap_or(false));
    if is_one_left {
        sched_setaffinity(Pid::from_raw(0), &allowed)?;
    }
    Ok(())
}

#[derive(Debug)]
pub(super) struct Seat {
    store: Store,
    /// Requests of all workers, kept by the first.
    latencies: Latencies,
    hired: Usage,
}

impl Serving {
    fn serve(&self, store: &Store, caller: TcpStream) {
        if let Err(error) = serve::serve(&self.prepared, store, caller, self.server.keep_alive) {
            give_up(error);
        }
    }

    fn store(&self) -> Store {
        self.prepared.store().unwrap_or_else(|error| give_up(error))
    }

    fn next_caller(&self) -> Option<TcpStream> {
        match listener::accept(&self.listener, || self.load.is_there()) {
            Ok(Caller::Client(stream)) => Some(stream),
            Ok(Caller::Goodbye) => None,
            Err(error) => give_up(format_args!("cannot accept connections: {error}")),
        }
    }

    fn pool(&self, seat: &Seat) {
        while let Some(stream) = self.next_caller() {
            self.serve(&seat.store, stream);
        }
    }

    fn thread_each(&self) -> Usage {
        let used = Mutex::new(Usage::default());
        let (at_work, most) = (AtomicU64::new(0), self.server.threads());
        std::thread::scope(|scope| {
            while let Some(stream) = self.next_caller() {
                // More connections than the generator's own belong to others and wait.
                while at_work.load(Ordering::Acquire) >= most {
                    std::thread::sleep(PAUSE);
                }
                at_work.fetch_add(1, Ordering::AcqRel);
                let thread = || {
                    self.serve(&self.store(), stream);
                    at_work.fetch_sub(1, Ordering::AcqRel);
                    if let Ok(mut used) = used.lock() {
                        *used = [*used, usage::this_thread()].into_iter().sum();
                    }
                };
                let made = std::thread::Builder::new().spawn_scoped(scope, thread);
                if let Err(error) = made {
                    give_up(format_args!(
                        "cannot make a thread for a connection: {error}; use fewer connections"
                    ));
                }
            }
        });
        used.into_inner().unwrap_or_default()
    }
}

impl Body for Serving {
    type State = Seat;
    const SENDS: bool = false;
    const TIMES: bool = true;

    fn units(&self) -> u64 {
        self.server.workers
    }

    fn describe(&self, unit: u64) -> String {
        format!("serving as worker {}", unit + 1)
    }

    fn state(&self, _flow: usize) -> Seat {
        Seat {
            store: self.store(),
            latencies: Latencies::default(),
            hired: Usage::default(),
        }
    }

    fn unit(&self, seat: &mut Seat, unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        if unit == 0 {
            self.load.go().unwrap_or_else(|error| give_up(error));
        }
        match self.server.design {
            Design::Pool => self.pool(seat),
            Design::PerConnection => seat.hired = self.thread_each(),
        }
        if unit > 0 {
            return Proof::default();
        }
        let report = self.load.report().unwrap_or_else(|error| give_up(error));
        seat.latencies = report.latencies;
        report.proof
    }

    fn latencies<'s>(&self, seat: &'s Seat) -> Option<&'s Latencies> {
        Some(&seat.latencies)
    }

    fn hires(&self) -> bool {
        self.server.design == Design::PerConnection
    }

    fn hired(&self, seat: &Seat) -> Usage {
        seat.hired
    }
}
