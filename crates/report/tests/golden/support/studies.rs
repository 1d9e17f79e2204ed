//! The studies of the run.
use flow::{Model, Variant};
use lab::{Case, LabelledVariant, Metric, Origin, Study, SweepPoint};
use serde_json::json;
use workload::Work;

use super::HOSTILE;

pub(super) const SWEEP: [f64; 4] = [1e3, 1e4, 1e5, 1e6];

pub(super) fn all() -> Vec<Study> {
    vec![primes(), hostile(), scaling()]
}

fn primes() -> Study {
    let trial = case(
        "trial",
        "Trial division, one block a worker, as in the original",
    );
    let grain = SWEEP.map(|value| Case {
        sweep: Some(SweepPoint {
            sweep: "grain".into(),
            parameter: "block".into(),
            value,
            unit: "numbers".into(),
        }),
        max_rounds: Some(10),
        ..case(&format!("grain/{value}"), "How small a block may be")
    });
    Study {
        cases: [trial].into_iter().chain(grain).collect(),
        origin: Some(origin()),
        ..study("primes", "Search for prime numbers", "trial")
    }
}

fn hostile() -> Study {
    let name = format!("=drill {HOSTILE}");
    let long = "a label that is far too long for any table that has other columns beside it, 漢字";
    let case = Case {
        variants: vec![
            variant(HOSTILE, Model::Process),
            variant(long, Model::Thread),
        ],
        ..case(&format!("@case {HOSTILE}"), HOSTILE)
    };
    let headline = case.name.clone();
    Study {
        cases: vec![case],
        stands_for: HOSTILE.into(),
        ..study(&name, HOSTILE, &headline)
    }
}

fn scaling() -> Study {
    let variants = Model::NAMED
        .iter()
        .map(|&model| variant(&model.to_string(), model))
        .collect();
    let case = |name, title| Case {
        max_rounds: Some(40),
        ..case(name, title)
    };
    let between = Case {
        variants,
        ..case(
            "in-between",
            "What is shared: file table, address space, both",
        )
    };
    let later = case("later", "A case that was never begun");
    Study {
        cases: vec![between, later],
        ..study("scaling", "Cores and what is shared", "in-between")
    }
}

/// Operations, and how long each takes under the four models.
pub(super) const OPERATIONS: [(&str, [f64; 4]); 4] = [
    ("mmap", [1.0, 1.0, 2.1, 2.1]),
    ("open-own-folder", [1.0, 1.3, 1.0, 1.3]),
    ("getppid", [1.0, 1.0, 1.0, 1.0]),
    ("create-by-posix-spawn", [1.0, 1.04, 1.3, 1.4]),
];

pub(super) fn operations() -> Study {
    let models = Model::NAMED.iter();
    let variants: Vec<_> = models
        .map(|&model| variant(&model.to_string(), model))
        .collect();
    let cases = OPERATIONS.map(|(name, _)| Case {
        variants: variants.clone(),
        max_rounds: Some(10),
        floor: Some(0.02),
        metric: Metric::Steady,
        ..case(name, &format!("Operation {name}"))
    });
    Study {
        cases: cases.into(),
        ..study("sharing", "What threads share", "mmap")
    }
}

fn study(name: &str, title: &str, headline: &str) -> Study {
    let stands_for = "Work that computes for long, shares nothing and says little.";
    Study {
        headline: headline.into(),
        ..Study::new(name, title.into(), stands_for, Vec::new())
    }
}

fn case(name: &str, title: &str) -> Case {
    let work: Work = serde_json::from_value(json!({
        "kind": "primes", "start": 10_000_001, "block": 200_000, "blocks": 5, "every": 1000,
        "method": "trial",
    }))
    .expect("a workload");
    let variants = vec![
        variant("process", Model::Process),
        variant("thread", Model::Thread),
    ];
    Case {
        max_rounds: Some(20),
        ..Case::new(name, title, (work, Metric::Total), variants)
    }
}

fn variant(label: &str, model: Model) -> LabelledVariant {
    LabelledVariant::new(label, Variant::new(model, 5))
}

fn origin() -> Origin {
    let built_in = lab::builtin("primes", lab::Preset::Quick).expect("it is built in");
    built_in.origin.expect("it has a source")
}
