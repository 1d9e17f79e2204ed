use std::collections::BTreeSet;

use serde_json::Value;

use super::{Flags, GivenFlags, text_of, variants};
use crate::data::{Case, SweepPoint};
use crate::plan::study::command::{Class, Flag, Given, Sets};

pub(super) fn set(
    case: Case,
    flags: Flags<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Case>, String> {
    let given: Vec<(&Flag, &Given)> = flags.setting(&Sets::Flows).collect();
    if given.iter().all(|(_, given)| given.values.len() < 2) {
        let mut case = case;
        variants::set(&mut case, flags, notes)?;
        return Ok(vec![case]);
    }
    if let Some(point) = &case.sweep {
        let flag = given[0].0.written();
        return Err(format!(
            "{flag} has several numbers, and so has {}: sweep one of the two",
            point.parameter
        ));
    }
    let values = given.iter().flat_map(|(_, given)| &given.values);
    let points: BTreeSet<u64> = values.filter_map(Value::as_u64).collect();
    let cases = points.iter().map(|&flows| at(&case, flows, flags, notes));
    let cases: Vec<Option<Case>> = cases.collect::<Result<_, String>>()?;
    Ok(cases.into_iter().flatten().collect())
}

fn at(
    case: &Case,
    flows: u64,
    flags: Flags<'_>,
    notes: &mut Vec<String>,
) -> Result<Option<Case>, String> {
    let value = Value::from(flows);
    let mut own: GivenFlags = flags.given.clone();
    let mut without: Vec<Option<Class>> = Vec::new();
    for (flag, given) in flags.setting(&Sets::Flows) {
        match given.values.contains(&value) {
            true => {
                let one = Given {
                    values: vec![value.clone()],
                    ..given.clone()
                };
                own.insert(flag.name.clone(), one);
            }
            false => {
                own.remove(&flag.name);
                without.push(flag.of);
            }
        }
    }
    let mut case = case.clone();
    let own = Flags {
        given: &own,
        ..flags
    };
    variants::set(&mut case, own, notes)?;
    let is_without = |model| {
        let mut classes = without.iter();
        classes.any(|of| of.is_none_or(|class| class.has(model)))
    };
    case.variants.retain(|one| !is_without(one.variant.model));
    case.name = format!("{}/{}", case.name, text_of(&value));
    case.sweep = Some(SweepPoint {
        sweep: "flows".to_owned(),
        parameter: "flows".to_owned(),
        value: flows as f64,
        unit: "workers".to_owned(),
    });
    Ok((!case.variants.is_empty()).then_some(case))
}
