//! What the generator of load asks a server by HTTP.

use serde::{Deserialize, Serialize};

/// What the built-in generator asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    /// The URLs, asked in turn.
    pub urls: Vec<String>,
    /// Connections at one time.
    #[serde(default = "connections")]
    pub connections: u32,
    /// Requests a second; without it each connection asks again as soon as it has its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Seconds that are measured.
    #[serde(default = "seconds")]
    pub seconds: f64,
    /// Seconds before, which do not count.
    #[serde(default = "warm_s")]
    pub warm_s: f64,
    /// Seconds after which a request counts as not answered.
    #[serde(default = "timeout_s")]
    pub timeout_s: f64,
    /// Each answer must be what the first was.
    #[serde(default)]
    pub same_body: bool,
    /// CPUs of the generator; none for any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<u32>,
}

fn connections() -> u32 {
    16
}

fn seconds() -> f64 {
    1.5
}

fn warm_s() -> f64 {
    0.3
}

fn timeout_s() -> f64 {
    5.0
}

impl Http {
    /// URLs, and everything else as usual.
    #[must_use]
    pub fn new(urls: Vec<String>) -> Self {
        Self {
            urls,
            connections: connections(),
            rate: None,
            seconds: seconds(),
            warm_s: warm_s(),
            timeout_s: timeout_s(),
            same_body: false,
            cpus: Vec::new(),
        }
    }
}
