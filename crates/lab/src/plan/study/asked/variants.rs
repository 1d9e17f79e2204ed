use flow::{Model, Placement};
use serde_json::Value;

use super::{Flags, flow_count, parameters, text_of};
use crate::data::axis::Axis;
use crate::data::{Case, LabelledVariant, labelled};
use crate::plan::study::command::{Flag, Given, Sets};

pub(super) fn set(
    case: &mut Case,
    flags: Flags<'_>,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    match flags.setting(&Sets::Models).next() {
        Some((_, given)) => set_models(case, given, says_where(flags))?,
        None => keep_those_asked_for(case, flags),
    }
    for (flag, given) in flags.all() {
        match &flag.sets {
            Sets::Axis(key) => set_axis(case, key, &given.values[0])?,
            Sets::Each(key) => set_each(case, key, (flag, given), notes)?,
            _ => {}
        }
    }
    set_flows(case, flags)
}

fn set_models(case: &mut Case, given: &Given, is_placed: bool) -> Result<(), String> {
    let models = given.values.iter().filter_map(Value::as_str);
    let models: Result<Vec<Model>, _> = models.map(str::parse).collect();
    let models = models.map_err(|error| error.to_string())?;
    let wanted = models.iter().map(|model| like(case, *model, is_placed));
    let mut wanted: Vec<LabelledVariant> = wanted.collect();
    let fresh = labelled(wanted.iter().map(|v| v.variant.clone()).collect());
    for (wanted, fresh) in wanted.iter_mut().zip(fresh) {
        if wanted.label.is_empty() {
            wanted.label = fresh.label;
        }
    }
    case.variants = wanted;
    Ok(())
}

/// Then no model is an exception.
fn says_where(flags: Flags<'_>) -> bool {
    let all = &flags.command.flags;
    all.iter()
        .any(|flag| matches!(&flag.sets, Sets::Axis(key) if key == "placement"))
}

fn like(case: &Case, model: Model, is_placed: bool) -> LabelledVariant {
    let mut variants = case.variants.iter();
    let same = variants.clone().find(|v| v.variant.model == model);
    let Some(pattern) = same.or_else(|| variants.next()) else {
        unreachable!("a case has a variant")
    };
    let mut variant = pattern.clone();
    if same.is_some() {
        return variant;
    }
    variant.label.clear();
    variant.variant.model = model;
    if let Some(own) = model.own_flows() {
        variant.variant.flows = u32::try_from(own).unwrap_or(u32::MAX);
    }
    // Several carriers are there to run in parallel.
    let parallel = !is_placed && model.is_user_level() && model.carriers(u32::MAX) > 1;
    if parallel && variant.variant.placement == Placement::One {
        variant.variant.placement = Placement::Cores;
    }
    variant
}

fn keep_those_asked_for(case: &mut Case, flags: Flags<'_>) {
    let given = flags
        .all()
        .filter(|(flag, given)| flag.alone && !given.is_default);
    let classes: Vec<_> = given.filter_map(|(flag, _)| flag.of).collect();
    let is_asked = |v: &LabelledVariant| classes.iter().any(|class| class.has(v.variant.model));
    if !classes.is_empty() && case.variants.iter().any(is_asked) {
        case.variants.retain(is_asked);
    }
}

fn set_axis(case: &mut Case, key: &str, value: &Value) -> Result<(), String> {
    let (word, axis) = (text_of(value), Axis::of(key));
    let mut variants = case.variants.iter_mut();
    variants.try_for_each(|own| axis.map_or(Ok(()), |axis| (axis.set)(&mut own.variant, &word)))
}

/// One value is the case's parameter; several make a variant each.
fn set_each(
    case: &mut Case,
    key: &str,
    (flag, given): (&Flag, &Given),
    notes: &mut Vec<String>,
) -> Result<(), String> {
    parameters::set_of_case(case, &flag.name, key, &given.values[0])?;
    let is_about = |v: &LabelledVariant| flag.is_about(v.variant.model);
    if !given.is_default && !case.variants.iter().any(is_about) {
        let labels: Vec<&str> = case.variants.iter().map(|v| v.label.as_str()).collect();
        let note = format!(
            "--{} has no effect on {}: name another model as well",
            flag.name,
            labels.join(", ")
        );
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    if given.values.len() < 2 {
        return Ok(());
    }
    let mut variants = Vec::new();
    for variant in &case.variants {
        if !is_about(variant) {
            variants.push(variant.clone());
            continue;
        }
        for (place, value) in given.values.iter().enumerate() {
            let mut work = case.work.clone();
            parameters::set_work(&mut work, &flag.name, key, value)?;
            variants.push(LabelledVariant {
                label: format!("{}, {}", variant.label, text_of(value)),
                work: (place > 0).then_some(work),
                ..variant.clone()
            });
        }
    }
    case.variants = variants;
    Ok(())
}

fn set_flows(case: &mut Case, flags: Flags<'_>) -> Result<(), String> {
    let given: Vec<(&Flag, &Given)> = flags.setting(&Sets::Flows).collect();
    for labelled in &mut case.variants {
        let variant = &mut labelled.variant;
        let is_own = |(flag, _): &&(&Flag, &Given)| flag.is_about(variant.model);
        let own = given.iter().find(is_own).or(given.first());
        if let Some((flag, given)) = own.filter(|_| variant.model.own_flows().is_none()) {
            variant.flows = flow_count(flag, &given.values[0])?;
        }
    }
    if let Some(key) = &flags.command.flows_are
        && flags.setting(&Sets::Work(key.clone())).next().is_none()
    {
        let most = case.variants.iter().map(|v| v.variant.flows).max();
        parameters::set_work(&mut case.work, key, key, &most.unwrap_or(1).into())?;
    }
    Ok(())
}
