use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use flow::{Model, Placement};
use workload::Bytes;

use super::HowArgs;
use crate::number;

const WIKI_EXAMPLES: &str = "\
Examples:
  flowgauge wiki                                      processes against threads, within the program
  flowgauge wiki --model process,thread,2x2 --cache   with the parser cache
  flowgauge wiki --server prefork,thread-pool         the same pages over HTTP on the loopback
  flowgauge wiki --server prefork,thread-per-connection,thread-pool,2x2 --connections 16
  flowgauge wiki --server prefork,thread-per-connection --keep-alive 1 --requests 2000
  flowgauge wiki --store pages.sqlite --requests 5000 pages of your own";

/// Requests for pages of a wiki: text from a database, parsed and made into HTML.
///
/// Without --server requests are made within the flows; with it each design is a server that
/// a load generator on a CPU of its own asks over HTTP. The first model or design is the
/// reference.
#[derive(Debug, Args)]
#[command(after_help = WIKI_EXAMPLES)]
pub(crate) struct WikiArgs {
    /// Serve over HTTP: prefork (processes), thread-pool, thread-per-connection, PxT such as
    /// 2x2 (2 processes of 2 threads)
    #[arg(
        long,
        value_name = "DESIGN",
        value_delimiter = ',',
        conflicts_with = "model"
    )]
    pub(crate) server: Vec<Design>,
    /// Models that answer within one program [default: process,thread]
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    pub(crate) model: Vec<Model>,
    /// Flows, or workers of a server; PxT sets its own number [default: one per CPU; 4 for a server]
    #[arg(short = 'w', long, value_name = "N", value_parser = number::whole)]
    pub(crate) workers: Option<u64>,
    /// Requests in a repetition
    #[arg(long, value_name = "N", default_value = "1000", value_parser = number::whole)]
    pub(crate) requests: u64,
    /// Number of pages; of your own store, the first N by title
    #[arg(long, value_name = "N", default_value = "60", value_parser = number::whole)]
    pub(crate) pages: u64,
    /// Seed of pages and requests: two runs can be compared only if it is equal
    #[arg(long, value_name = "N", default_value = "0", value_parser = number::whole)]
    pub(crate) page_seed: u64,
    /// Typical length of a page; single pages are a fifth to five times as long
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "8K",
        conflicts_with = "store"
    )]
    pub(crate) page_size: Bytes,
    /// Look in the parser cache first
    #[arg(long)]
    pub(crate) cache: bool,
    /// Pages of your own: a SQLite file with a table page (title, text); it is only read
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Which CPUs: free, one, cores, smt, numa, or a list such as 0,2
    #[arg(long, value_name = "PLACEMENT", default_value = "free")]
    pub(crate) placement: Placement,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// How servers are asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "The load on servers")]
pub(crate) struct LoadArgs {
    /// Concurrent connections; each sends its next request as soon as it has its answer
    #[arg(long, value_name = "N", default_value = "4", requires = "server", conflicts_with = "model", value_parser = number::whole)]
    pub(crate) connections: u64,
    /// Requests after which a server closes a connection
    #[arg(long, value_name = "N", default_value = "100", requires = "server", conflicts_with = "model", value_parser = number::whole)]
    pub(crate) keep_alive: u64,
    /// The port; 0 lets the kernel choose one
    #[arg(
        long,
        value_name = "PORT",
        default_value = "0",
        requires = "server",
        conflicts_with = "model"
    )]
    pub(crate) port: u16,
    /// The CPU of the load generator, which servers do not use unless --placement says otherwise
    /// [default: a CPU of the last core, if there are several]
    #[arg(
        long,
        value_name = "CPU",
        requires = "server",
        conflicts_with = "model"
    )]
    pub(crate) load_cpu: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Design {
    pub(crate) model: Model,
    pub(crate) design: workload::server::Design,
}

impl FromStr for Design {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use workload::server::Design::{PerConnection, Pool};
        let (model, design) = match (text, text.parse()) {
            ("prefork", _) => (Model::Process, Pool),
            ("thread-pool", _) => (Model::Thread, Pool),
            ("thread-per-connection", _) => (Model::Thread, PerConnection),
            (_, Ok(mix @ Model::Mix { .. })) => (mix, Pool),
            _ => {
                let meant = names::meant(text, ["prefork", "thread-pool", "thread-per-connection"]);
                return Err(format!(
                    "'{text}' is no design of a server{meant}: use prefork, thread-pool, \
                     thread-per-connection, or PxT such as 2x2"
                ));
            }
        };
        Ok(Self { model, design })
    }
}

impl Design {
    pub(crate) fn name(self) -> String {
        use workload::server::Design::{PerConnection, Pool};
        match (self.model, self.design) {
            (Model::Process, Pool) => "prefork".to_owned(),
            (Model::Thread, Pool) => "thread-pool".to_owned(),
            (_, PerConnection) => "thread-per-connection".to_owned(),
            (model, Pool) => model.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_designs_read_back() {
        for name in ["prefork", "thread-pool", "thread-per-connection", "4x2"] {
            assert_eq!(name.parse::<Design>().unwrap().name(), name);
        }
        for other in ["process", "fiber", "2x", ""] {
            let error = other.parse::<Design>().unwrap_err();
            assert!(error.contains("thread-per-connection"), "{error}");
        }
    }
}
