//! What tests of workloads share.

use flow::{Body, Outlet, Proof, Variant};
use serde::de::DeserializeOwned;

use crate::Workload;

/// Flows of that model.
pub(crate) fn variant(model: &str, flows: u32) -> Variant {
    Variant::new(model.parse().unwrap(), flows)
}

/// A work as a study writes it.
pub(crate) fn read<W: DeserializeOwned>(text: &str) -> W {
    serde_json::from_str(text).unwrap()
}

/// What a flow proves in one unit, which must not fail.
pub(crate) fn prove<B: Body>(body: &B, state: &mut B::State, unit: u64) -> Proof {
    let outlet = &mut Outlet::nowhere();
    let proof = body.unit(state, unit, outlet);
    assert!(outlet.failure().is_none(), "unit {unit} failed");
    proof
}

/// What one flow proves in all units.
pub(crate) fn prove_all<B: Body>(body: &B) -> Proof {
    let mut state = body.state(0);
    let units = 0..body.units();
    units.map(|unit| prove(body, &mut state, unit)).sum()
}

/// What makes a work wrong, and what is said of it then.
pub(crate) type Change<'a, W> = (fn(&mut W), &'a str);

/// Checks that a work is right, and that with each of these changes it is refused in such words.
pub(crate) fn refused<W: Workload + Clone>(right: &W, changes: &[Change<'_, W>]) {
    assert_eq!(right.check(), Ok(()));
    for (change, words) in changes {
        let mut wrong = right.clone();
        change(&mut wrong);
        let error = wrong.check().unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}
