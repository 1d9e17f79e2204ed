//! Names in `[[published]]`: case, variant, sweep and quantity must be in a preset.

use toml::Spanned;

use super::StudyError;
use super::source::Source;
use crate::data::quantity::Kind;
use crate::data::{Case, Claim, OfSweep, Ours, Published, Topology, base};

pub(super) fn check(
    source: Source<'_>,
    published: &[Spanned<Published>],
    cases: &[Case],
) -> Result<(), StudyError> {
    for one in published {
        let own = one.get_ref();
        let checked = check_claim(own).and_then(|()| check_names(own, cases));
        checked.map_err(|message| {
            let message = format!("[[published]] \"{}\": {message}", own.finding);
            source.error(one.span().start, message)
        })?;
    }
    Ok(())
}

fn check_names(own: &Published, cases: &[Case]) -> Result<(), String> {
    for ours in own.halves() {
        // Of a copy, whose labels nobody changes.
        check_one(
            ours.case(),
            &ours.clone().labels_mut(),
            ours.quantity(),
            cases,
        )?;
    }
    for step in &own.steps {
        let (case, quantity) = (Some(&*step.case), Some(&*step.quantity));
        check_one(case, &[&step.variant], quantity, cases)?;
    }
    let Some(Ours::Law(OfSweep { sweep, .. })) = &own.ours else {
        return Ok(());
    };
    let mut points = cases.iter().filter_map(|case| case.sweep.as_ref());
    match points.any(|point| point.sweep == *sweep) {
        true => Ok(()),
        false => Err(format!("no sweep is named '{sweep}'")),
    }
}

fn check_claim(own: &Published) -> Result<(), String> {
    let said = [&own.finding, &own.theirs].into_iter();
    let mut said = said.chain(&own.unlike).chain(&own.quotes);
    if said.any(|text| text.trim().is_empty()) {
        let words = "finding, theirs, unlike and quotes are words: leave an empty one out";
        return Err(words.to_owned());
    }
    for (key, figure) in [("size", own.size), ("seconds", own.seconds)] {
        if figure.is_some_and(|figure| !figure.is_finite() || figure <= 0.0) {
            return Err(format!("{key} is a number above 0"));
        }
    }
    if own.value.is_some_and(|value| !value.is_finite()) {
        return Err("value is a number".to_owned());
    }
    let Some(claim) = own.claim else {
        return Ok(());
    };
    let Some(ours) = &own.ours else {
        return match own.command {
            Some(_) => Ok(()),
            None => Err("a claim needs ours, or a command that answers it".to_owned()),
        };
    };
    fits(claim, ours)?;
    let is_of_number = matches!(claim, Claim::Best | Claim::AtLeast | Claim::AtMost);
    if own.value.is_none() && (is_of_number || matches!(ours, Ours::Amount(_))) {
        return Err("this claim needs a value".to_owned());
    }
    let size = own.size.unwrap_or(match claim {
        Claim::Faster | Claim::Less => 0.5,
        _ => 2.0,
    });
    match claim {
        Claim::Faster | Claim::Less if size >= 1.0 => Err(format!(
            "size = {size}: of less it is below 1 (0.9857 for 1.43 % less)"
        )),
        Claim::Slower | Claim::More if size <= 1.0 => Err(format!(
            "size = {size}: of more it is above 1 (2 for twice)"
        )),
        _ => Ok(()),
    }
}

fn fits(claim: Claim, ours: &Ours) -> Result<(), String> {
    use Claim::{AtLeast, AtMost, Best, Faster, Flat, Grows, GrowsSlowly, Less, Linear, More};
    use Claim::{Same, Slower, Steps};
    let (what, claims): (_, &[Claim]) = match ours {
        Ours::Pair(_) => ("a pair", &[Faster, Slower, Less, More, Same]),
        Ours::Throughput(_) | Ours::TlbMisses(_) | Ours::Survivors(_) => {
            ("a ratio", &[Less, More, Same])
        }
        Ours::Amount(_) => ("an amount", &[Same]),
        Ours::Law(_) => ("a law", &[Linear, Flat, Steps, Grows, GrowsSlowly]),
        Ours::Best(_) | Ours::Farthest(_) => ("a number", &[Best]),
        Ours::Limit(_) | Ours::SharedPages(_) | Ours::TimeIn(_) => ("a bound", &[AtLeast, AtMost]),
        Ours::Workers(_) | Ours::Explains(_) | Ours::NotSwitched => ("this", &[]),
    };
    if claims.contains(&claim) {
        return Ok(());
    }
    let known: Vec<String> = claims.iter().map(|one| word(*one)).collect();
    let why = match known.is_empty() {
        true => "nothing is claimed of this: leave it out".to_owned(),
        false => format!("of {what} use {}", known.join(", ")),
    };
    Err(format!("claim = {}: {why}", word(claim)))
}

fn word(claim: Claim) -> String {
    toml::Value::try_from(claim).map_or_else(|_| String::new(), |word| word.to_string())
}

fn check_one(
    case: Option<&str>,
    labels: &[impl AsRef<str>],
    quantity: Option<&str>,
    cases: &[Case],
) -> Result<(), String> {
    if let [subject, reference] = labels
        && subject.as_ref() == reference.as_ref()
    {
        let subject = subject.as_ref();
        return Err(format!("'{subject}' is both sides: nothing is compared"));
    }
    if let Some(name) = case {
        let own: Vec<&Case> = cases.iter().filter(|case| is_named(case, name)).collect();
        if own.is_empty() {
            let known = cases.iter().map(|case| case.name.as_str());
            let meant = names::meant(name, known);
            return Err(format!("no case is named '{name}'{meant}"));
        }
        for label in labels {
            has_variant(&own, name, label.as_ref())?;
        }
    }
    match quantity {
        Some(name) if !Kind::every_name().any(|known| known == name) => {
            let meant = names::meant(name, Kind::every_name());
            Err(format!("no quantity is named '{name}'{meant}"))
        }
        _ => Ok(()),
    }
}

fn is_named(case: &Case, name: &str) -> bool {
    let ways = Topology::EVERY.into_iter();
    let mut spread = ways.map(|way| format!("/{}", way.word()));
    let rest = name.strip_prefix(base(case));
    case.name == name || rest.is_some_and(|rest| spread.any(|way| rest.starts_with(&way)))
}

fn has_variant(own: &[&Case], name: &str, label: &str) -> Result<(), String> {
    let all = || own.iter().flat_map(|case| &case.variants);
    // Some variants are not known before the machine is.
    if all().any(|one| one.label == label || one.of_cpus.is_some()) {
        return Ok(());
    }
    let meant = names::meant(label, all().map(|one| &one.label));
    Err(format!("no variant of '{name}' is called '{label}'{meant}"))
}
