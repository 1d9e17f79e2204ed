use serde_json::Value;
use workload::Work;

use super::Flags;
use crate::data::number::count;
use crate::data::{Case, parameters_of};
use crate::plan::study::command::{Flag, Given, Sets};

pub(super) fn is_swept_over(case: &Case, key: &str) -> bool {
    let point = case.sweep.as_ref();
    point.is_some_and(|point| point.parameter == key)
}

/// `flag`: its name, for the error.
pub(crate) fn set_work(
    work: &mut Work,
    flag: &str,
    key: &str,
    value: &Value,
) -> Result<bool, String> {
    let mut parameters = parameters_of(work);
    parameters.insert(key.to_owned(), value.clone());
    match serde_json::from_value(Value::Object(parameters)) {
        Ok(changed) => {
            *work = changed;
            Ok(true)
        }
        Err(error) if error.to_string().contains("unknown field") => Ok(false),
        Err(error) => Err(format!("--{flag}: {error}")),
    }
}

pub(super) fn set_of_case(
    case: &mut Case,
    flag: &str,
    key: &str,
    value: &Value,
) -> Result<bool, String> {
    let before = case.work.flows();
    let mut has = set_work(&mut case.work, flag, key, value)?;
    for own in case.variants.iter_mut().filter_map(|v| v.work.as_mut()) {
        has |= set_work(own, flag, key, value)?;
    }
    let flows = case.work.flows().filter(|flows| Some(*flows) != before);
    if let Some(flows) = flows {
        let flows = u32::try_from(flows)
            .map_err(|_| format!("--{flag} {flows}: too large: the maximum is {}", u32::MAX))?;
        let variants = case.variants.iter_mut().map(|one| &mut one.variant);
        for variant in variants.filter(|variant| variant.model.own_flows().is_none()) {
            variant.flows = flows;
        }
    }
    Ok(has)
}

pub(super) fn set(
    cases: &mut [Case],
    flags: Flags<'_>,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    for (name, change) in &flags.command.changes {
        let flag = format!("command.case.{name}");
        for case in cases.iter_mut().filter(|case| case.is_called(name)) {
            for (key, value) in &change.work {
                set_of_case(case, &flag, key, value)?;
            }
        }
    }
    for (flag, given) in flags.all() {
        if let Sets::Work(key) = &flag.sets {
            let values = rounded(flag, given, notes);
            set_in_cases(cases, (flag, given), key, &values)?;
        }
    }
    Ok(())
}

fn set_in_cases(
    cases: &mut [Case],
    (flag, given): (&Flag, &Given),
    key: &str,
    values: &[Value],
) -> Result<(), String> {
    let mut has = false;
    for case in cases.iter_mut() {
        let is_swept = is_swept_over(case, key);
        has |= is_swept;
        if is_swept || flag.of.is_some() {
            continue;
        }
        let value = match values {
            [one] => Some(one.clone()),
            several => parameters_of(&case.work)
                .get(key)
                .map(|now| nearest(now, several)),
        };
        if let Some(value) = value {
            has |= set_of_case(case, &flag.name, key, &value)?;
        }
    }
    if has || given.is_default || flag.of.is_some() {
        return Ok(());
    }
    let mut kinds: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    kinds.dedup();
    Err(format!(
        "--{}: none of the works that are asked for has it: {}",
        flag.name,
        kinds.join(", ")
    ))
}

fn nearest(now: &Value, asked: &[Value]) -> Value {
    let numbers: Vec<u64> = asked.iter().filter_map(Value::as_u64).collect();
    match (now.as_u64(), numbers.iter().min(), numbers.iter().max()) {
        (Some(now), Some(least), Some(most)) => now.clamp(*least, *most).into(),
        _ => now.clone(),
    }
}

pub(super) fn rounded(flag: &Flag, given: &Given, notes: &mut Vec<String>) -> Vec<Value> {
    let Some(multiple) = flag.multiple else {
        return given.values.clone();
    };
    let mut round = |value: &Value| {
        let number = value.as_u64().unwrap_or(0);
        let whole = number.checked_next_multiple_of(multiple).unwrap_or(number);
        if whole != number {
            notes.push(format!(
                "--{} {}: rounded up to {}, a multiple of {multiple}",
                flag.name,
                count(number),
                count(whole)
            ));
        }
        Value::from(whole)
    };
    given.values.iter().map(&mut round).collect()
}
