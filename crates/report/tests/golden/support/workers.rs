//! A run of the built-in study of workers that never was: arithmetic is linear in the number
//! of workers, memory as well, files are flat, and where a case stands alone the source's
//! figures lie beside ours. Its files are in memory, which is warned of.

use std::path::Path;

use lab::{Case, Outcome, Preset, Results};
use machine::{Filesystem, filesystem::Sync};

use super::journal::{Writer, header};
use super::made;
use super::slots::{Like, Noise, done};

/// The run.
pub(crate) fn workers() -> Results {
    made("workers-golden", text)
}

fn text() -> String {
    let study = lab::builtin("workers", Preset::Quick).expect("it is built in");
    let mut header = header(vec![study]);
    header.files_on = vec![Filesystem {
        folder: Path::new("/dev/shm/run").to_owned(),
        kind: "tmpfs".to_owned(),
        source: "tmpfs".to_owned(),
        sync: Sync::Memory {
            how: "tmpfs".to_owned(),
        },
    }];
    Writer::whole((&header, 10, 9.0), Noise(11), |case, variant, _, noise| {
        slot(case, variant, noise)
    })
}

fn slot(case: &Case, variant: usize, noise: &mut Noise) -> Outcome {
    let labelled = &case.variants[variant];
    let workers = f64::from(labelled.variant.flows);
    let steady = match case.work.worker_kind() {
        Some("cpu") => 4e6 * workers,
        Some("mem") => 30e6 * workers,
        _ => 20e6,
    };
    let isolates = labelled.variant.model.isolates();
    let like = Like {
        create: if isolates { 0.3e6 } else { 0.1e6 },
        steady,
        teardown: 0.1e6,
        pss: 2_000_000,
        processes: if isolates {
            1 + labelled.variant.flows
        } else {
            1
        },
        faults: 30,
    };
    done(like, labelled.variant.flows as usize, noise, false)
}
