//! Who does what, where units come from a queue.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use nix::sys::stat::{Mode, umask};

use crate::Proof;
use crate::body::Body;
use crate::channel::Outlet;
use crate::context::by_itself;
use crate::{Model, Schedule, Variant};

/// Writes down which flow did each unit.
#[derive(Debug, Default)]
struct Who {
    flows: AtomicUsize,
    did: Mutex<Vec<usize>>,
}

const UNITS: u64 = 7;

impl Body for Who {
    type State = usize;
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        UNITS
    }

    fn state(&self, _flow: usize) -> usize {
        self.flows.fetch_add(1, Ordering::Relaxed)
    }

    fn unit(&self, flow: &mut usize, _unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        self.did.lock().unwrap().push(*flow);
        Proof::default()
    }
}

/// The flows that did the units, in the order in which they were done.
fn who_did(model: Model, schedule: Schedule) -> Vec<usize> {
    let body = Who::default();
    carried(&body, model, 3, schedule);
    body.did.into_inner().unwrap()
}

/// Has a body's units done, all of them by one carrier.
fn carried<B: Body>(body: &B, model: Model, flows: u32, schedule: Schedule) {
    let variant = Variant {
        schedule,
        ..Variant::new(model, flows)
    };
    let done = by_itself(body, &variant, |context| {
        // Both gates stand open, so that a carrier comes through to its end.
        context.shared.header().start.0.store(1, Ordering::Release);
        context.shared.header().end.0.store(1, Ordering::Release);
        std::thread::scope(|scope| {
            scope.spawn(|| context.body.live(context, 0));
        });
        assert_eq!(context.shared.flow(0).read().units, body.units());
        Ok(())
    });
    done.unwrap();
}

/// Changes what belongs to the working folder: the umask.
struct Masks;

const MASK: Mode = Mode::from_bits_truncate(0o027);

impl Body for Masks {
    type State = ();
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        1
    }

    fn state(&self, _flow: usize) {}

    fn unit(&self, _state: &mut (), _unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        umask(MASK);
        Proof::default()
    }
}

/// A thread with private files shared the lock of the working folder, and its cost was put
/// down to the address space.
#[test]
fn a_thread_with_private_files_has_a_working_folder_of_its_own() {
    let before = umask(Mode::from_bits_truncate(0o022));
    let model = Model::ThreadPrivateFiles;
    carried(&Masks, model, 1, Schedule::Static);
    assert_ne!(umask(before), MASK);
}

#[test]
fn units_of_a_queue_go_round_among_user_level_flows() {
    for model in [Model::FIBER, Model::Task] {
        let did = who_did(model, Schedule::Queue);
        assert_eq!(did, [0, 1, 2, 0, 1, 2, 0], "{model}");
    }
}

#[test]
fn units_that_were_dealt_are_done_by_whom_they_were_dealt_to() {
    for model in [Model::FIBER, Model::Task] {
        let did = who_did(model, Schedule::Static);
        assert_eq!(did, [0, 0, 0, 1, 1, 2, 2], "{model}");
    }
}
