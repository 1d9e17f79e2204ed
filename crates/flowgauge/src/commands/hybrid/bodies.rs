//! What is asked of each body: its work, its sizes, and what is compared. Works are those of `studies/hybrid`.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;
use flow::Model;
use lab::{Case, LabelledVariant, Metric};
use mpi::Body;
use workload::Work;
use workload::searching::Trees;

use super::place::Place;
use crate::args::{BodyArg, HybridArgs};

/// Of all messages in a repetition; also points of a grid.
const AMOUNT: u64 = 1 << 26;
const WINDOW_BYTES: u64 = 1 << 25;
const LEAST_WINDOWS: u64 = 10;
/// End of labels of variants whose flows move.
pub(super) const MIGRATABLE: &str = "migratable";
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
    pub(super) name: String,
    pub(super) title: String,
    pub(super) metric: Metric,
    /// If it is swept: parameter, value, unit.
    pub(super) at: Option<(&'static str, u64, &'static str)>,
    pub(super) flows: u32,
    /// Numbers of nodes of which all CPUs are taken; empty: every split of the flows.
    pub(super) nodes: Vec<u32>,
    pub(super) ranks_only: bool,
    /// Label after the split, and body.
    pub(super) bodies: Vec<(String, Body)>,
}

pub(super) fn asked(
    body: BodyArg,
    (args, works): (&HybridArgs, &[Case]),
    flows: u32,
    place: &Place,
) -> Result<Vec<Asked>> {
    ensure!(
        place.nodes() > 1 || !OVER_NODES.contains(&body),
        "--body strong and weak are about more and more nodes, and there is one: --hosts names more"
    );
    let sizes =
        |make: fn(u64, u32) -> Asked| args.bytes.iter().map(|&bytes| make(bytes, flows)).collect();
    let named = body.to_possible_value();
    let name = named.as_ref().map_or("", |named| named.get_name());
    let works = works.iter().filter(|case| case.is_called(name));
    let tree = args.tree.as_deref();
    match body {
        BodyArg::PingPong => Ok(sizes(|bytes, _| ping_pong(bytes))),
        BodyArg::Bandwidth => Ok(sizes(|bytes, _| bandwidth(bytes))),
        BodyArg::AllReduce => Ok(sizes(all_reduce)),
        BodyArg::Halo => Ok(args.side.iter().map(|&side| halo(side, flows)).collect()),
        BodyArg::Weak => works
            .flat_map(|case| place.numbers().into_iter().map(|nodes| weak(case, nodes)))
            .collect(),
        BodyArg::Strong => works.map(|case| strong(case, tree, place)).collect(),
        _ => works.map(|case| work(case, tree, flows)).collect(),
    }
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
        name: name.to_owned(),
        title,
        metric: Metric::Unit,
        at: Some(at),
        flows,
        nodes: Vec::new(),
        ranks_only: false,
        bodies: vec![(String::new(), body)],
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

fn work(case: &Case, tree: Option<&Path>, flows: u32) -> Result<Asked> {
    let mut work = case.work.clone();
    if let (Work::Search(search), Some(tree)) = (&mut work, tree) {
        search.tree = vec![tree.to_owned()];
    }
    work.find_input(&mut Trees::default())?;
    let work = work.with_flows(1, flows).unwrap_or(work);
    let ways = &case.variants;
    let body = |way: &LabelledVariant| {
        let behind = match ways.len() {
            1 => String::new(),
            _ => format!(", {}", way.label),
        };
        Ok((behind, handed_out(&way.label)?(Box::new(work.clone()))))
    };
    let is_process = |way: &LabelledVariant| way.variant.model == Model::Process;
    Ok(Asked {
        name: case.name.clone(),
        title: case.title.replace("{flows}", &flows.to_string()),
        metric: case.metric,
        at: None,
        flows,
        nodes: Vec::new(),
        ranks_only: ways.iter().all(is_process),
        bodies: ways.iter().map(body).collect::<Result<_>>()?,
    })
}

fn handed_out(label: &str) -> Result<fn(Box<Work>) -> Body> {
    Ok(match label {
        "dealt out" => Body::Units,
        "static" => Body::Static,
        "taken" => Body::Farm,
        "stolen" => Body::Stolen,
        MIGRATABLE => Body::Migratable,
        _ => bail!("studies/hybrid: units get to flows in no way that is called {label}"),
    })
}

fn strong(case: &Case, tree: Option<&Path>, place: &Place) -> Result<Asked> {
    Ok(Asked {
        nodes: place.numbers(),
        ..work(case, tree, 0)?
    })
}

fn weak(case: &Case, nodes: u32) -> Result<Asked> {
    let mut more = case.clone();
    let Work::Primes(primes) = &mut more.work else {
        bail!("studies/hybrid: {} has no blocks to be more of", case.name)
    };
    primes.blocks *= u64::from(nodes);
    more.title = case.title.replace("{nodes}", &nodes.to_string());
    Ok(Asked {
        at: Some(("nodes", nodes.into(), "nodes")),
        nodes: vec![nodes],
        ..work(&more, None, 0)?
    })
}
