//! A run of the built-in study of scaling that never was, on a machine of four cores with two
//! hardware threads each: threads gain along SMT and lose along cores, where both cores work
//! on the same pages. What a machine does not show is there too: between processes physical
//! pages are hidden.

use flow::record::footprint::{Footprint, OfCore, Touched};
use flow::{Answer, Variant};
use lab::{Case, Outcome, Preset, Results, Spread, Study, Topology};
use machine::Machine;
use measure::Measured;
use serde_json::json;

use super::journal::{Writer, header};
use super::made;
use super::slots::{Like, Noise, done};

/// Four cores of two hardware threads, as many firmwares number them.
pub(crate) fn with_smt() -> Machine {
    let mut machine = serde_json::to_value(super::machine()).expect("JSON");
    let cpus: Vec<_> = (0..8)
        .map(|cpu| {
            json!({
                "id": cpu, "core": cpu % 4, "package": 0, "siblings": [cpu % 4, cpu % 4 + 4],
                "capacity": 1024, "efficiency": false,
            })
        })
        .collect();
    machine["topology"]["cpus"] = cpus.into();
    machine["allowance"]["cpus"] = json!([0, 1, 2, 3, 4, 5, 6, 7]);
    serde_json::from_value(machine).expect("a machine")
}

fn study(machine: &Machine) -> Study {
    let mut study = lab::builtin("scaling", Preset::Quick).expect("it is built in");
    study.cases.retain(|case| case.name == "warehouse");
    let spread = Spread {
        grid: true,
        ..Spread::default()
    };
    spread.over(study, machine).0
}

/// The run.
pub(crate) fn scaled() -> Results {
    made("scaling-golden", text)
}

fn text() -> String {
    let machine = with_smt();
    let mut header = header(vec![study(&machine)]);
    header.machine = machine;
    Writer::whole((&header, 10, 9.0), Noise(23), |case, variant, _, noise| {
        slot(case, variant, noise)
    })
}

fn slot(case: &Case, variant: usize, noise: &mut Noise) -> Outcome {
    let along = lab::data::along(case).expect("a way");
    let variant = &case.variants[variant].variant;
    let shape = variant.model.shape(variant.flows);
    let (flows, threads) = (f64::from(variant.flows), f64::from(shape.flows_in_each));
    // Hardware threads of a core slow each other down by 0.7, cores by 0.05 each.
    let slower = match along {
        Topology::Smt => 1.0 + 0.7 * (flows - 1.0),
        Topology::Cores => 1.0 + 0.05 * (flows - 1.0),
        Topology::All => 2.0,
    };
    let of_threads = match along {
        Topology::Smt => 1.0 - 0.06 * (threads - 1.0),
        Topology::Cores | Topology::All => 1.0 + 0.02 * (threads - 1.0),
    };
    let like = Like {
        create: 1.0e6,
        steady: 20e6 * slower * of_threads,
        teardown: 0.5e6,
        pss: 9_000_000 * u64::from(variant.flows),
        processes: 1 + shape.processes,
        faults: 2_200,
    };
    let mut outcome = done(like, variant.flows as usize, noise, false);
    if let Answer::Done(record) = &mut outcome.answer
        && let Some(told) = record
            .reps
            .last_mut()
            .and_then(|rep| rep.kernel_counters.as_mut())
    {
        told.footprint = Some(Measured::Value(footprint(variant, along)));
    }
    outcome
}

/// Each flow has 2,200 pages, of which threads share a hundred.
fn footprint(variant: &Variant, along: Topology) -> Footprint {
    let shape = variant.model.shape(variant.flows);
    let flows = u64::from(variant.flows);
    let shared = 100 * u64::from(shape.flows_in_each > 1);
    let own = Touched {
        small: 2_200,
        huge: 6,
    };
    let (on_core, cores) = match along {
        Topology::Smt => (variant.flows, 1),
        Topology::Cores => (1, variant.flows),
        Topology::All => (2, 4),
    };
    let of_core = |core| OfCore {
        core,
        flows: on_core,
        touched: Touched {
            small: 2_200 * u64::from(on_core) - shared * u64::from(on_core - 1),
            huge: 6 * u64::from(on_core),
        },
    };
    let by = match shape.processes > 1 {
        true => Measured::not_available(
            "64 of the pages are mapped by more than one process, and the kernel does not show \
             which are the same",
            "run as root (CAP_SYS_ADMIN)",
        ),
        false => Measured::Value(Touched {
            small: shared,
            huge: shared / 50,
        }),
    };
    let at_most = by.value().is_none().then_some(Touched {
        small: shared + 32,
        huge: (shared / 50 + 32).min(own.huge * flows),
    });
    Footprint {
        page: 4096,
        flows: vec![own; variant.flows as usize],
        cores: Measured::Value((0..cores).map(of_core).collect()),
        all: Touched {
            small: own.small * flows - shared * (flows - 1),
            huge: own.huge * flows,
        },
        by_flows: by.clone(),
        by_flows_at_most: at_most,
        by_cores: by,
        by_cores_at_most: at_most,
        resident: Measured::Value(own.small * flows),
    }
}
