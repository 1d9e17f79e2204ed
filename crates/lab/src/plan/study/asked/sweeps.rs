use machine::Machine;
use serde_json::Value;

use super::parameters::{self, is_swept_over};
use super::{Flags, text_of};
use crate::data::{Case, parameters_of};
use crate::plan::capacity;
use crate::plan::study::command::{Flag, Given, Sets};

pub(super) fn set(
    cases: Vec<Case>,
    flags: Flags<'_>,
    machine: &Machine,
) -> Result<Vec<Case>, String> {
    let mut keys: Vec<&str> = Vec::new();
    for (flag, _) in flags.all() {
        if let Sets::Work(key) = &flag.sets
            && !keys.contains(&key.as_str())
        {
            keys.push(key);
        }
    }
    let mut cases = cases;
    for key in keys {
        cases = over(cases, key, flags, machine)?;
    }
    Ok(cases)
}

type Asked<'a> = (&'a Flag, &'a Given, Vec<Value>);

fn over(
    cases: Vec<Case>,
    key: &str,
    flags: Flags<'_>,
    machine: &Machine,
) -> Result<Vec<Case>, String> {
    let asked = values(key, flags)?;
    let points = points(&asked);
    let is_by_model = asked.iter().any(|(flag, ..)| flag.of.is_some());
    let common = is_by_model.then(|| common(&asked)).transpose()?;
    let one_point = is_by_model && points.len() == 1;
    let mut made: Vec<Case> = Vec::new();
    let mut done: Vec<String> = Vec::new();
    for mut case in cases {
        match &case.sweep {
            Some(point) if is_swept_over(&case, key) => {
                let sweep = point.sweep.clone();
                if !one_point && !done.contains(&sweep) {
                    for value in &with_ends(points.clone(), &case, &asked, machine) {
                        made.extend(at(&case, key, value, &asked)?);
                    }
                    done.push(sweep);
                }
            }
            _ => {
                if let Some(common) = &common {
                    let own = parameters_of(&case.work).get(key).cloned();
                    let own = own.filter(|own| common.contains(own));
                    let value = own.unwrap_or_else(|| common[0].clone());
                    parameters::set_of_case(&mut case, &asked[0].0.name, key, &value)?;
                }
                cap(&mut case, key, flags)?;
                made.push(case);
            }
        }
    }
    Ok(made)
}

fn most<'a>(key: &str, flags: Flags<'a>) -> Option<(&'a Flag, u64)> {
    let (flag, given) = flags.setting(&Sets::Most(key.to_owned())).next()?;
    Some((flag, given.values[0].as_u64()?))
}

fn cap(case: &mut Case, key: &str, flags: Flags<'_>) -> Result<(), String> {
    let own = parameters_of(&case.work).get(key).and_then(Value::as_u64);
    match most(key, flags).zip(own) {
        Some(((flag, most), own)) if own > most => {
            parameters::set_of_case(case, &flag.name, key, &most.into()).map(drop)
        }
        _ => Ok(()),
    }
}

fn values<'a>(key: &str, flags: Flags<'a>) -> Result<Vec<Asked<'a>>, String> {
    let most = most(key, flags).map(|(_, most)| most);
    let mut asked = Vec::new();
    for (flag, given) in flags.setting(&Sets::Work(key.to_owned())) {
        let mut values = parameters::rounded(flag, given, &mut Vec::new());
        flag.names_once(&values)?;
        if let Some(most) = most {
            let least = values.iter().filter_map(Value::as_u64).min().unwrap_or(0);
            if least > most {
                return Err(format!(
                    "--{} begins at {least}, which is more than {most}, the most there may be",
                    flag.name
                ));
            }
            let capped = values.iter().filter_map(Value::as_u64);
            values = capped.map(|value| value.min(most).into()).collect();
            values.dedup();
        }
        asked.push((flag, given, values));
    }
    Ok(asked)
}

fn points(asked: &[Asked<'_>]) -> Vec<Value> {
    let all = asked.iter().flat_map(|(.., values)| values.clone());
    in_order(all.collect())
}

fn in_order(mut points: Vec<Value>) -> Vec<Value> {
    points.sort_by_key(|value| value.as_u64().unwrap_or(0));
    points.dedup();
    points
}

fn common(asked: &[Asked<'_>]) -> Result<Vec<Value>, String> {
    let (_, _, first) = &asked[0];
    let in_all = |value: &&Value| asked.iter().all(|(.., values)| values.contains(value));
    let common: Vec<Value> = first.iter().filter(in_all).cloned().collect();
    if !common.is_empty() {
        return Ok(common);
    }
    let typed = |(flag, given, _): &Asked<'_>| {
        let shown = given.shown.replace(" to ", "..").replace(", ", ",");
        format!("--{} {shown}", flag.name)
    };
    let typed: Vec<String> = asked.iter().map(typed).collect();
    Err(format!(
        "{}: different numbers do different work and cannot be compared: name a number that all of \
         them have",
        typed.join(" ")
    ))
}

fn with_ends(
    mut points: Vec<Value>,
    case: &Case,
    asked: &[Asked<'_>],
    machine: &Machine,
) -> Vec<Value> {
    let mut flags = asked.iter();
    let wanted = flags.any(|(flag, given, _)| flag.ends && given.in_range);
    let numbers: Vec<u64> = points.iter().filter_map(Value::as_u64).collect();
    let (true, Some(&first), Some(&last)) = (wanted, numbers.first(), numbers.last()) else {
        return points;
    };
    let models = case.variants.iter().map(|labelled| labelled.variant.model);
    let work = case.work.clone().for_flows(first);
    let tops = models.filter_map(|model| capacity::top(machine, model, &work));
    let within = tops.filter(|top| (first..last).contains(top));
    points.extend(within.map(Value::from));
    in_order(points)
}

fn at(
    pattern: &Case,
    key: &str,
    value: &Value,
    asked: &[Asked<'_>],
) -> Result<Option<Case>, String> {
    let mut case = pattern.clone();
    parameters::set_of_case(&mut case, &asked[0].0.name, key, value)?;
    case.variants.retain(|labelled| {
        let mut flags = asked.iter();
        let own = flags.find(|(flag, ..)| flag.is_about(labelled.variant.model));
        own.is_none_or(|(flag, _, values)| flag.of.is_none() || values.contains(value))
    });
    if let Some((head, _)) = pattern.name.rsplit_once('/') {
        case.name = format!("{head}/{}", text_of(value));
    }
    if let Some(point) = &mut case.sweep {
        point.value = value.as_f64().unwrap_or(0.0);
    }
    Ok((!case.variants.is_empty()).then_some(case))
}
