//! A server of the user's, and who asks it.

use flow::Variant;
use serde::{Deserialize, Serialize};

use crate::command::{resolve, words};
use crate::fill::{Fill, has};
use crate::http::Http;
use crate::load::{target, tools};
use crate::program::Program;

const MOST_CONNECTIONS: u32 = 10_000;

/// A server with its load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Served {
    /// The server.
    pub server: Program,
    /// How to know that it is ready: a URL, `tcp`, or a line that it writes.
    #[serde(default)]
    pub ready: Ready,
    /// Seconds that it may take until it is.
    #[serde(default = "ready_s")]
    pub ready_s: f64,
    /// Who asks.
    pub load: Load,
    /// The p99 latency that a rate must meet, in seconds, where one is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo_p99_s: Option<f64>,
}

/// How to know that a server is ready.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ready {
    /// Its port, or that of its load, accepts connections.
    #[default]
    Tcp,
    /// It answers this URL.
    Url(String),
    /// It writes this to standard output or error.
    Line(String),
}

/// Who asks a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Load {
    /// The built-in generator.
    Http(Http),
    /// A command whose output is read: wrk, wrk2, hey, ab, redis-benchmark, pgbench, memcaslap.
    Command(String),
}

fn ready_s() -> f64 {
    20.0
}

impl Served {
    /// Checks the parameters; the message says what to use.
    pub fn check(&self) -> Result<(), String> {
        self.server.check()?;
        if let Ready::Url(url) = &self.ready {
            target(&url.replace("{port}", "80")).map_err(|why| format!("--ready: {why}"))?;
        }
        if self.is_asked_for("port") && !self.server.asks_for("port") {
            return Err(format!(
                "the load asks at {{port}}, a free port, and this server does not learn it: write {{port}} into \
                 the command of the server (or --env PORT={{port}}), or the port at which it listens into the \
                 load: {}",
                self.server.command
            ));
        }
        if let Load::Http(http) = &self.load
            && self.server.asks_for("port")
            && !self.is_asked_for("port")
        {
            return Err(format!(
                "the server listens at {{port}}, a free port, and the load asks elsewhere: write {{port}} into the \
                 load too, such as http://127.0.0.1:{{port}}/, in place of {}",
                http.urls.join(" ")
            ));
        }
        match &self.load {
            Load::Command(line) => {
                tools::known(line)?;
                words(line, &self.server.shell).map(drop)
            }
            Load::Http(http) => http.check(),
        }
    }

    /// Why it cannot run as that variant, if it cannot.
    #[must_use]
    pub fn unsuited(&self, variant: &Variant) -> Option<String> {
        let load = match &self.load {
            Load::Http(_) => None,
            Load::Command(line) => {
                let line = Fill::of(variant).apply(line);
                let words = words(&line, &self.server.shell).ok()?;
                resolve(words.first()?).err()
            }
        };
        self.server.unsuited(variant).or(load)
    }

    /// Requests a second that the built-in generator plans, where it plans any.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        match &self.load {
            Load::Http(http) => http.rate,
            Load::Command(_) => None,
        }
    }

    /// Refuses, in words, a load's named port at which somebody answers already.
    pub fn check_port(&self) -> Result<(), String> {
        let Load::Http(http) = &self.load else {
            return Ok(());
        };
        let fixed = http.urls.iter().filter(|url| !has(url, "port"));
        for url in fixed {
            let address = target(url)?.address;
            crate::listener::is_free(address).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Whether a line of it has that placeholder.
    #[must_use]
    pub fn asks_for(&self, name: &str) -> bool {
        self.is_asked_for(name) || self.server.asks_for(name)
    }

    fn is_asked_for(&self, name: &str) -> bool {
        match &self.load {
            Load::Http(http) => http.urls.iter().any(|url| has(url, name)),
            Load::Command(line) => has(line, name),
        }
    }

    /// Whether launches need a folder of their slot, and so one of the run.
    #[must_use]
    pub fn needs_folder(&self) -> bool {
        self.asks_for("dir") || self.asks_for("built")
    }
}

impl Http {
    fn check(&self) -> Result<(), String> {
        for url in &self.urls {
            target(&url.replace("{port}", "80"))?;
        }
        if self.urls.is_empty() {
            return Err("name a URL to ask: --load http://127.0.0.1:{port}/".to_owned());
        }
        if self.connections == 0 || self.connections > MOST_CONNECTIONS {
            return Err(format!(
                "connections {}: use 1 to {MOST_CONNECTIONS}",
                self.connections
            ));
        }
        if self
            .rate
            .is_some_and(|rate| !(0.1..=10_000_000.0).contains(&rate))
        {
            return Err("a rate is 0.1 to 10,000,000 requests a second".to_owned());
        }
        let spans = [("duration", self.seconds), ("timeout", self.timeout_s)];
        for (name, seconds) in spans {
            if !(0.01..=3_600.0).contains(&seconds) {
                return Err(format!("the {name} of the load: use 10 ms to an hour"));
            }
        }
        Ok(())
    }
}
