//! What is asked of each body: its work, its sizes, and what is compared.

use std::path::Path;

use anyhow::{Result, ensure};
use lab::Metric;
use mpi::Body;
use workload::numeric::{Kernel, Size};
use workload::primes::Method;
use workload::searching::Trees;
use workload::{Bytes, Design, Numeric, Primes, Reading, Searching, Warehouse, Work};

use super::place::Place;
use crate::args::{BodyArg, HybridArgs};

/// Of all messages in a repetition; also points of a grid.
const AMOUNT: u64 = 1 << 26;
const WINDOW_BYTES: u64 = 1 << 25;
const LEAST_WINDOWS: u64 = 10;
const MOST_FILES: u64 = 20_000;
/// Suffix of variants whose flows move.
pub(super) const MIGRATABLE: &str = ", migratable";
const REPEATED: (u64, u64) = (40, 20_000);

pub(super) const ALL: [BodyArg; 12] = [
    BodyArg::PingPong,
    BodyArg::Bandwidth,
    BodyArg::AllReduce,
    BodyArg::Weak,
    BodyArg::Strong,
    BodyArg::Farm,
    BodyArg::Uneven,
    BodyArg::Primes,
    BodyArg::Numeric,
    BodyArg::Warehouse,
    BodyArg::Search,
    BodyArg::Halo,
];

pub(super) const OVER_NODES: [BodyArg; 2] = [BodyArg::Strong, BodyArg::Weak];

pub(super) struct Asked {
    pub(super) name: &'static str,
    pub(super) title: String,
    pub(super) metric: Metric,
    /// If it is swept: parameter, value, unit.
    pub(super) at: Option<(&'static str, u64, &'static str)>,
    pub(super) flows: u32,
    /// Numbers of nodes of which all CPUs are taken; empty: every split of the flows.
    pub(super) nodes: Vec<u32>,
    pub(super) ranks_only: bool,
    /// Label after the split, and body.
    pub(super) bodies: Vec<(&'static str, Body)>,
}

pub(super) fn asked(
    body: BodyArg,
    args: &HybridArgs,
    flows: u32,
    place: &Place,
) -> Result<Vec<Asked>> {
    ensure!(
        place.nodes() > 1 || !OVER_NODES.contains(&body),
        "--body strong and weak are about more and more nodes, and there is one: --hosts names more"
    );
    let sizes =
        |make: fn(u64, u32) -> Asked| args.bytes.iter().map(|&bytes| make(bytes, flows)).collect();
    Ok(match body {
        BodyArg::PingPong => sizes(|bytes, _| ping_pong(bytes)),
        BodyArg::Bandwidth => sizes(|bytes, _| bandwidth(bytes)),
        BodyArg::AllReduce => sizes(all_reduce),
        BodyArg::Halo => args.side.iter().map(|&side| halo(side, flows)).collect(),
        BodyArg::Primes => vec![work(
            "primes",
            "Primes among 256,000 numbers, in even blocks",
            flows,
            primes(10_000_001, 4_000),
        )],
        // Later blocks take several times as long.
        BodyArg::Farm => vec![handed_out(
            "farm",
            "Primes in 64 uneven blocks: dealt out, taken one by one, or stolen",
            flows,
            primes(1, 16_000),
        )],
        BodyArg::Uneven => vec![uneven(flows)],
        BodyArg::Strong => strong(args.tree.as_deref(), place)?,
        BodyArg::Weak => place.numbers().into_iter().map(weak).collect(),
        BodyArg::Numeric => vec![work(
            "numeric",
            "A sparse matrix times a vector, one for each flow",
            flows,
            numeric(flows),
        )],
        BodyArg::Warehouse => vec![work(
            "warehouse",
            "Transactions over trees of objects, a warehouse for each flow",
            flows,
            warehouse(flows),
        )],
        BodyArg::Search => vec![handed_out(
            "search",
            "A tree of files is searched, its folders dealt out, taken one by one, or stolen",
            flows,
            search(args.tree.as_deref())?,
        )],
    })
}

fn repeated(each: u64) -> u64 {
    (AMOUNT / each.max(1)).clamp(REPEATED.0, REPEATED.1)
}

fn swept(
    name: &'static str,
    title: String,
    at: (&'static str, u64, &'static str),
    (flows, body): (u32, Body),
) -> Asked {
    Asked {
        name,
        title,
        metric: Metric::Unit,
        at: Some(at),
        flows,
        nodes: Vec::new(),
        ranks_only: false,
        bodies: vec![("", body)],
    }
}

fn ping_pong(bytes: u64) -> Asked {
    let title = format!("Time of a message of {bytes} bytes from one flow to another");
    let rounds = repeated(bytes);
    let body = Body::PingPong { bytes, rounds };
    swept("ping-pong", title, ("bytes", bytes, "bytes"), (2, body))
}

fn bandwidth(bytes: u64) -> Asked {
    let title = format!("Time of each of many messages of {bytes} bytes in one direction");
    let window = (WINDOW_BYTES / bytes.max(1)).clamp(1, mpi::task::MOST_WINDOW);
    let body = Body::Bandwidth {
        bytes,
        window,
        windows: (repeated(bytes) / window).max(LEAST_WINDOWS),
    };
    swept("bandwidth", title, ("bytes", bytes, "bytes"), (2, body))
}

fn all_reduce(bytes: u64, flows: u32) -> Asked {
    let title = format!("Time of a sum over {flows} flows of {bytes} bytes each");
    let rounds = repeated(bytes);
    let body = Body::AllReduce { bytes, rounds };
    swept(
        "all-reduce",
        title,
        ("bytes", bytes, "bytes"),
        (flows, body),
    )
}

fn halo(side: u64, flows: u32) -> Asked {
    let title = format!("Time of a step of a stencil over {side} x {side} points");
    let steps = repeated(side * side);
    let body = Body::Halo { side, steps };
    swept("halo", title, ("side", side, "rows"), (flows, body))
}

fn work(name: &'static str, title: &str, flows: u32, work: Work) -> Asked {
    Asked {
        name,
        title: title.to_owned(),
        metric: Metric::Steady,
        at: None,
        flows,
        nodes: Vec::new(),
        ranks_only: false,
        bodies: vec![("", Body::Units(Box::new(work)))],
    }
}

fn handed_out(name: &'static str, title: &str, flows: u32, units: Work) -> Asked {
    let taken = Body::Farm(Box::new(units.clone()));
    let stolen = Body::Stolen(Box::new(units.clone()));
    let mut asked = work(name, title, flows, units);
    asked.bodies[0].0 = ", dealt out";
    asked
        .bodies
        .extend([(", taken", taken), (", stolen", stolen)]);
    asked
}

/// Over ranks of one thread: dealt out, taken, stolen, or as flows that move.
fn uneven(flows: u32) -> Asked {
    let units = || Box::new(primes(1, 16_000));
    let title = format!(
        "Primes in 64 uneven blocks over {flows} ranks: divided before, taken one by one, stolen, or moved"
    );
    Asked {
        ranks_only: true,
        bodies: vec![
            (", static", Body::Static(units())),
            (", taken", Body::Farm(units())),
            (", stolen", Body::Stolen(units())),
            (MIGRATABLE, Body::Migratable(units())),
        ],
        ..work("uneven", &title, flows, primes(1, 16_000))
    }
}

/// The same work on all CPUs of more and more nodes: where does a further node stop paying?
fn strong(tree: Option<&Path>, place: &Place) -> Result<Vec<Asked>> {
    let works = [
        (
            "strong/primes",
            "Primes among 256,000 numbers, over more and more nodes",
            primes(10_000_001, 4_000),
        ),
        (
            "strong/search",
            "A tree of files is searched, over more and more nodes",
            search(tree)?,
        ),
    ];
    let asked = works.into_iter().map(|(name, title, units)| Asked {
        nodes: place.numbers(),
        ..work(name, title, 0, units)
    });
    Ok(asked.collect())
}

/// Each node gets as much: how does the time grow with them?
fn weak(nodes: u32) -> Asked {
    let units = Work::Primes(of_blocks(10_000_001, 4_000, 64 * u64::from(nodes)));
    let title = format!("Primes among 256,000 numbers for each of {nodes} nodes");
    Asked {
        at: Some(("nodes", nodes.into(), "nodes")),
        nodes: vec![nodes],
        ..work("weak", &title, 0, units)
    }
}

fn primes(start: u64, block: u64) -> Work {
    Work::Primes(of_blocks(start, block, 64))
}

fn of_blocks(start: u64, block: u64, blocks: u64) -> Primes {
    Primes {
        start,
        block,
        blocks,
        every: 1_000,
        method: Method::Trial,
    }
}

fn numeric(flows: u32) -> Work {
    Work::Numeric(Numeric {
        kernel: Kernel::Sparse,
        size: Size::Large,
        units: flows.into(),
        passes: 40,
        seed: 0,
    })
}

fn warehouse(flows: u32) -> Work {
    Work::Warehouse(Warehouse {
        workers: flows.into(),
        transactions: 50_000,
        heap: Bytes(32 << 20),
        seed: 0,
    })
}

fn search(tree: Option<&Path>) -> Result<Work> {
    let search = Searching {
        pattern: "errno".to_owned(),
        literal: true,
        ignore_case: false,
        word: false,
        tree: tree.map(Path::to_owned).into_iter().collect(),
        most_files: Some(MOST_FILES),
        most_bytes: None,
        hidden: false,
        no_ignore: false,
        text: false,
        globs: Vec::new(),
        design: Design::default(),
        io: Reading::default(),
        cold: false,
    };
    let mut work = Work::Search(search);
    work.find_input(&mut Trees::default())?;
    Ok(work)
}
