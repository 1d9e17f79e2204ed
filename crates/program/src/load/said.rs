use std::net::SocketAddr;

use flow::Latencies;
use serde::{Deserialize, Serialize};

use crate::http::Http;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Task {
    /// Those of the URLs.
    pub(crate) targets: Vec<Target>,
    pub(crate) how: Http,
}

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The server's address.
    pub address: SocketAddr,
    /// The host that requests name.
    pub host: String,
    /// The path that is asked for.
    pub path: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) ns: u64,
    /// From the plan, or in a closed loop from the sending; includes requests without an answer.
    pub(crate) latencies: Latencies,
    pub(crate) service: Latencies,
    /// From the plan and a free connection to the sending: the generator's own delay.
    pub(crate) lateness: Latencies,
    /// From the plan to a free connection: the delay by the server's answers.
    pub(crate) queued: Latencies,
    /// Time to the last counted answer, at least the measured time, in ns.
    pub(crate) answering_ns: u64,
    pub(crate) answered: u64,
    pub(crate) errors: u64,
    pub(crate) timeouts: u64,
    pub(crate) unsent: u64,
    pub(crate) refused: u64,
    pub(crate) first_error: Option<String>,
    pub(crate) first_refusal: Option<String>,
    pub(crate) bytes: u64,
    pub(crate) turns: u64,
    pub(crate) load_ns: u64,
    pub(crate) cpu_ns: u64,
}

impl Report {
    pub(crate) fn first_wrong(&self) -> &str {
        let first = self.first_error.as_ref().or(self.first_refusal.as_ref());
        first.map_or("none was answered in its time", String::as_str)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Said {
    pub(crate) per_s: f64,
    pub(crate) p50_ns: Option<f64>,
    pub(crate) p99_ns: Option<f64>,
    pub(crate) errors: f64,
}
