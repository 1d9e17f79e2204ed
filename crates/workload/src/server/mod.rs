//! `wiki-server`: the pages of [`wiki`](crate::wiki) served over HTTP on the loopback
//! (docs/workloads/wiki.md, "As a server").
//! ```text
//! load generator                     slot process
//! (its own process and CPU)          flows are workers, each with a connection to the store
//!   "go" ◀────────── pipe ─────────── unit 0 begins
//!   connections ────── TCP ─────────▶ one listening socket, made before the flows
//!   checks each answer ◀───────────── accept, parse, answer, until the connection ends
//!   report ─────────── pipe ────────▶ unit 0, when it gets a goodbye
//!   one goodbye a worker ── TCP ────▶ ends that worker's unit
//! ```
//! * A goodbye is a connection from another address of the loopback ([`listener`]): it reaches all
//!   that wait for connections, under every model.
//! * The generator is a child of the slot process, in its group, and dies with it. Flows that wait
//!   for callers look each second whether it is there. Other programs can connect too: a connection
//!   silent for 5 s fails the slot with that cause, an answer missing for 20 s does so at the
//!   generator, and threads never exceed the generator's own connections.

mod http;
mod listener;
mod load;
mod serve;
mod serving;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use flow::placement::Cpus;
use flow::{Answer, Model, NoSink, SlotProcess, Variant};
use serde::{Deserialize, Serialize};

use crate::wiki::{USUAL_PAGE_SIZE, USUAL_PAGES, Wiki, check_own_store};
use crate::work::{at_least_1, refused, require};
use crate::workload::{Beside, Files};
use crate::{Bytes, Scaled, Work, WorkError, Workload, usual};
pub use listener::try_port;
pub use load::load_in_rounds;

/// Parameters of `wiki-server`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Workers that accept connections, one per flow.
    pub workers: u64,
    /// How workers and connections come together.
    #[serde(default)]
    pub design: Design,
    /// Requests in a repetition.
    pub requests: u64,
    /// Connections of the load generator at any time.
    pub connections: u64,
    /// Requests before the server closes a connection.
    #[serde(default = "usual::number::<USUAL_KEEP_ALIVE>")]
    pub keep_alive: u64,
    /// Port; 0: the kernel chooses.
    #[serde(default)]
    pub port: u16,
    /// CPU of the load generator; workers without a CPU of their own avoid it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_cpu: Option<u32>,
    /// See [`Wiki`].
    #[serde(default = "usual::number::<USUAL_PAGES>")]
    pub pages: u64,
    /// See [`Wiki`].
    #[serde(default = "usual::bytes::<{ USUAL_PAGE_SIZE.0 }>")]
    pub page_size: Bytes,
    /// See [`Wiki`].
    #[serde(default)]
    pub cache: bool,
    /// See [`Wiki`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<PathBuf>,
    /// See [`Wiki`].
    #[serde(default)]
    pub seed: u64,
}

/// How workers and connections come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// Each worker serves one connection after the other.
    #[default]
    Pool,
    /// One worker accepts, and makes a thread for each connection.
    PerConnection,
}

/// Requests of a connection where no number is given, as usual of web servers.
pub const USUAL_KEEP_ALIVE: u64 = 100;
/// The kernel lets no more wait at a socket.
pub const MOST_CONNECTIONS: u64 = 4_096;

/// An upper bound, beside connections and stores.
const OTHER_FILES: u64 = 64;

impl Server {
    /// The wiki that is served.
    #[must_use]
    pub fn wiki(&self) -> Wiki {
        Wiki {
            requests: self.requests,
            pages: self.pages,
            page_size: self.page_size,
            cache: self.cache,
            store: self.store.clone(),
            seed: self.seed,
        }
    }

    fn open_connections(&self) -> u64 {
        self.connections.min(self.requests)
    }

    /// The thread of a closed connection may still end while the next connection is served.
    fn threads(&self) -> u64 {
        match self.design {
            Design::Pool => 0,
            Design::PerConnection => 2 * self.open_connections(),
        }
    }

    fn helpers(&self) -> u64 {
        2 + self.threads()
    }

    /// Of the load generator (all connections) or a process of workers (one each, and the store).
    fn open_files(&self, variant: &Variant) -> u64 {
        let workers = variant.model.shape(variant.flows).flows_in_each;
        let served = 2 * (u64::from(workers) + self.threads());
        OTHER_FILES + served.max(self.open_connections())
    }

    fn waiting(&self) -> u64 {
        match self.design {
            Design::Pool => self.open_connections(),
            Design::PerConnection => 1,
        }
    }
}

/// Whether `bytes` begin with a whole request or answer: for fuzzing both parsers.
#[must_use]
pub fn is_http(bytes: &[u8]) -> bool {
    let request = matches!(http::request(bytes), Ok(Some(_)));
    let answer = matches!(program::load::whole(bytes, false), Ok(Some(_)));
    request || answer
}

impl Workload for Server {
    flows_are!(workers);

    fn check(&self) -> Result<(), WorkError> {
        let (workers, connections) = (self.workers, self.connections);
        at_least_1(&[("workers", workers), ("keep_alive", self.keep_alive)])?;
        require((1..=MOST_CONNECTIONS).contains(&connections), || {
            format!("{connections} connections will not do: use 1 to {MOST_CONNECTIONS}")
        })?;
        require(self.design == Design::Pool || workers == 1, || {
            format!("a thread for each connection has 1 worker, which accepts, and not {workers}")
        })?;
        self.wiki().check()
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        let spec = slot.spec();
        match self.open(slot.scratch(), &spec.variant, spec.cpus.is_empty()) {
            Ok(serving) => slot.run(&serving, &mut NoSink),
            Err(error) => Answer::from_error(&error),
        }
    }

    fn unsuited(&self, variant: &Variant) -> Option<String> {
        if variant.model.is_user_level() {
            return Some(format!(
                "a worker waits for connections in the kernel, and {} would keep all others \
                 waiting: its flows share a carrier; use process, thread or a mix such as 2x2",
                variant.model
            ));
        }
        let is_thread = variant.model == Model::Thread;
        (self.design == Design::PerConnection && !is_thread).then(|| {
            format!(
                "a thread for each connection is a design of one process, and {} is another \
                 model: use model = \"thread\", flows = 1",
                variant.model
            )
        })
    }

    fn check_here(&self, cpus: &Cpus) -> Result<(), WorkError> {
        if let Some(cpu) = self.load_cpu {
            let allowed = &cpus.allowed;
            require(allowed.contains(&cpu), || {
                format!("load_cpu {cpu}: this program may use the CPUs {allowed:?}")
            })?;
        }
        if self.port > 0 {
            try_port(self.port).or_else(|error| refused(error.to_string()))?;
        }
        check_own_store(self.store.as_deref())
    }

    fn is_counted_by_proof(&self) -> bool {
        true
    }

    fn is_served(&self) -> bool {
        true
    }

    fn beside(&self, variant: &Variant) -> Option<Beside> {
        let plural = |count: u64, word: &str| match count {
            1 => format!("1 {word}"),
            _ => format!("{} {word}s", crate::searching::grouped(count)),
        };
        Some(Beside {
            who: format!(
                "{} and {}",
                plural(self.connections, "connection"),
                plural(self.workers, "worker")
            ),
            tasks: self.helpers(),
            open_files: self.open_files(variant),
            waiting: self.waiting(),
        })
    }

    fn files(&self) -> Option<Files<'_>> {
        Some(self.wiki().page_store())
    }

    fn store(&self) -> Option<&Path> {
        self.store.as_deref()
    }

    fn scaled(&self) -> Option<Scaled> {
        (self.design == Design::Pool).then(|| Scaled::by_flow("requests", self.requests))
    }

    fn with_parts(&self, now: u32, parts: u64) -> Option<Work> {
        let more = |now_all: u64| (now_all / u64::from(now)).max(1) * parts;
        Some(Work::WikiServer(Self {
            workers: parts,
            requests: more(self.requests),
            connections: more(self.connections),
            ..self.clone()
        }))
    }
}
