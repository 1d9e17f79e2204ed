//! Study files: TOML made into a [`Study`] in three steps: the text into the types of
//! [`format`](super::format), which know every key; each case with the tables of its preset laid
//! over it; each list of words ([`case_matrix`](super::case_matrix)) and each sweep spread out into
//! one case a value. Parameters of the work stay a plain table until the last step, and keep their
//! place in the file for errors.

use toml::{Spanned, Value};

use super::case_matrix::{Member, members};
use super::cpus::FLOWS;
use super::flow_counts::unknown;
use super::format::{FileCase, FileStudy, FileSweep, FileVariant, OnlySchema};
use super::on_variants::OnVariants;
use super::source::Source;
use super::spanned_params::{Parameters, Placed};
use super::sweep_value::SweepValue;
use super::variants::variants;
use super::written_case::Written;
use super::{StudyError, published};
use crate::data::{BestOf, Case, LabelledVariant, Origin, Preset, Study, SweepPoint};
use crate::plan::simulated::AskedSimulation;

/// Version of the study format that this program reads.
pub const SCHEMA: u32 = 1;

const LONGEST_NAME: usize = 64;

/// Reads a study. `file` is its name in errors, which name the line, and what is accepted.
pub fn parse(text: &str, file: &str, preset: Preset) -> Result<Study, StudyError> {
    let source = Source { text, file };
    check_schema(source)?;
    let written: FileStudy = source.read()?;
    check_name(source, "a study", &written.name, "")?;
    let mut cases = Vec::new();
    let mut places = Vec::new();
    for case in &written.cases {
        let name = &case.get_ref().name;
        check_name(source, "a case", name, "/")?;
        cases.extend(preset_cases(source, &written.work, case, preset)?);
        places.resize(cases.len(), name.span().start);
    }
    check_names(source, &cases, &places, &written)?;
    check_published(source, &written)?;
    Ok(Study {
        name: written.name.into_inner(),
        title: written.title,
        stands_for: written.stands_for,
        terms: written.terms,
        origin: written.origin.map(|origin| Origin {
            author: origin.author,
            title: origin.title,
            year: origin.year,
            finding: origin.finding,
            setup: origin.setup,
            topics: origin.topics,
            published: (written.published.into_iter())
                .map(Spanned::into_inner)
                .collect(),
        }),
        cases,
        headline: written.headline.into_inner(),
        deciding: (written.deciding.into_iter())
            .map(Spanned::into_inner)
            .collect(),
        limits_of: Vec::new(),
        decision: written.decision,
        simulate: simulated_on(source, written.simulate, preset)?,
    })
}

/// First: a newer schema may have keys that would be called unknown.
fn check_schema(source: Source<'_>) -> Result<(), StudyError> {
    let OnlySchema { schema } = source.read()?;
    if *schema.get_ref() == SCHEMA {
        return Ok(());
    }
    let message = format!(
        "schema {} is not known here: this version reads schema {SCHEMA}",
        schema.get_ref()
    );
    Err(source.error(schema.span().start, message))
}

fn simulated_on(
    source: Source<'_>,
    written: Option<Spanned<String>>,
    preset: Preset,
) -> Result<Option<String>, StudyError> {
    let Some(written) = written else {
        return Ok(None);
    };
    let asked = written.get_ref().parse::<AskedSimulation>();
    let there = asked.and_then(|asked| asked.check(preset));
    match there {
        Ok(_) => Ok(Some(written.into_inner())),
        Err(message) => Err(source.error(written.span().start, format!("simulate: {message}"))),
    }
}

/// Findings of the source may stand beside cases of either preset.
fn check_published(source: Source<'_>, written: &FileStudy) -> Result<(), StudyError> {
    let Some(first) = written.published.first() else {
        return Ok(());
    };
    if written.origin.is_none() {
        let message = "[[published]] is a finding of a source: name that in [origin], with author, title, year and finding";
        return Err(source.error(first.span().start, message));
    }
    let mut cases = Vec::new();
    for preset in [Preset::Quick, Preset::Full] {
        for case in &written.cases {
            cases.extend(preset_cases(source, &written.work, case, preset)?);
        }
    }
    published::check(source, &written.published, &cases)
}

fn check_name(
    source: Source<'_>,
    whose: &str,
    name: &Spanned<String>,
    further: &str,
) -> Result<(), StudyError> {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c) || further.contains(c);
    let text = name.get_ref();
    if (1..=LONGEST_NAME).contains(&text.len()) && text.chars().all(known) {
        return Ok(());
    }
    let and = if further.is_empty() { "" } else { ", '/'" };
    let message = format!(
        "the name {text:?} of {whose} cannot be used: take 1 to {LONGEST_NAME} ASCII letters, \
         digits, '-', '_'{and}"
    );
    Err(source.error(name.span().start, message))
}

fn check_names(
    source: Source<'_>,
    cases: &[Case],
    places: &[usize],
    written: &FileStudy,
) -> Result<(), StudyError> {
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    if let Some(twice) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        let message = format!("two cases are named '{}'", names[twice]);
        return Err(source.error(places[twice], message));
    }
    for deciding in &written.deciding {
        let one = deciding.get_ref();
        let case = &one.case;
        let mut known = written.cases.iter().map(|known| &known.get_ref().name);
        if !known.any(|known| known.get_ref() == case) && !names.contains(&case.as_str()) {
            let message = format!("no case is named '{case}': it cannot have a row of its own");
            return Err(source.error(deciding.span().start, message));
        }
        let mut own = cases.iter().filter(|case| one.has(&case.name));
        let has = |subject: &String, case: &Case| {
            let mut subjects = case.variants.iter().skip(1);
            subjects.any(|variant| variant.label == *subject)
        };
        if let Some(subject) = &one.subject
            && !own.any(|case| has(subject, case))
        {
            let message = format!("no variant of '{case}' that is compared is called '{subject}'");
            return Err(source.error(deciding.span().start, message));
        }
    }
    let headline = &written.headline;
    if names.contains(&headline.get_ref().as_str()) {
        return Ok(());
    }
    let message = format!(
        "the headline '{}' is none of the cases: {}",
        headline.get_ref(),
        names.join(", ")
    );
    Err(source.error(headline.span().start, message))
}

fn preset_cases(
    source: Source<'_>,
    work: &Parameters,
    written: &Spanned<FileCase>,
    preset: Preset,
) -> Result<Vec<Case>, StudyError> {
    let place = written.span().start;
    let case = written.get_ref();
    let overrides = match preset {
        Preset::Quick => &case.quick,
        Preset::Full => &case.full,
    };
    if overrides.skip {
        return Ok(Vec::new());
    }
    let sampled = |v: &Spanned<FileVariant>| v.get_ref().sample_s.is_some();
    if let Some(interval) = &overrides.sample_s
        && !case.variants.iter().any(sampled)
    {
        let message = "sample_s of a preset is for variants with sample_s: this case has none";
        return Err(source.error(interval.span().start, message));
    }
    let written = Written {
        source,
        place,
        case,
        overrides,
        preset,
    };
    let of_study = Placed::new(work, place);
    let mut work = match &case.work {
        Some(own) => of_study.of_case(own),
        None => of_study,
    };
    work.lay_over(&overrides.work);
    let mut cases = Vec::new();
    for member in members(written)? {
        let mut work = work.clone();
        member.set(&mut work);
        cases.extend(member_cases(written, member, &work)?);
    }
    Ok(cases)
}

fn member_cases(
    written: Written<'_>,
    member: Member<'_>,
    work: &Placed,
) -> Result<Vec<Case>, StudyError> {
    match &written.case.sweep {
        Some(sweep) => sweep_cases(written, member, sweep, work),
        None if written.overrides.values.is_some() => {
            Err(written.error("values are for a case with a sweep: this one has none"))
        }
        None => Ok(vec![one_case(written, member, work.clone(), None)?]),
    }
}

fn sweep_cases(
    written: Written<'_>,
    member: Member<'_>,
    sweep: &FileSweep,
    work: &Placed,
) -> Result<Vec<Case>, StudyError> {
    let values = written.overrides.values.as_ref().unwrap_or(&sweep.values);
    let point = |&value: &SweepValue| {
        if let Some(swept) = OnVariants::of(&sweep.parameter) {
            let mut case = one_case(written, member, work.clone(), Some((sweep, value)))?;
            let place = sweep.parameter.span().start;
            let set = swept.set_all(&mut case, value);
            return match set {
                Ok(()) => Ok(case),
                Err(message) => Err(written.source.error(place, message)),
            };
        }
        let number = match value {
            SweepValue::Number(number) => Value::Integer(number),
            SweepValue::Thousandths(_) => Value::Float(value.number()),
            SweepValue::OfCpus(_) => Value::Integer(SOME_FLOWS.into()),
        };
        let mut work = work.clone();
        work.set(&sweep.parameter, number);
        let case = one_case(written, member, work, Some((sweep, value)))?;
        match value {
            SweepValue::Number(_) | SweepValue::Thousandths(_) => Ok(case),
            SweepValue::OfCpus(times) => of_cpus(written, sweep, case, times),
        }
    };
    values.iter().map(point).collect()
}

/// Stands for an unknown number of flows while work is read and checked: any work takes it.
const SOME_FLOWS: u32 = 2;

fn of_cpus(
    written: Written<'_>,
    sweep: &FileSweep,
    mut case: Case,
    times: u32,
) -> Result<Case, StudyError> {
    let parameter = &sweep.parameter;
    let error = |message: String| Err(written.source.error(parameter.span().start, message));
    if case.work.flows() != Some(SOME_FLOWS.into()) {
        return error(format!(
            "\"cpus\" is a number of flows, and {} is none: its values are numbers",
            parameter.get_ref()
        ));
    }
    let needs_number = |v: &Spanned<FileVariant>| {
        let labelled = v.get_ref().label.as_ref();
        v.get_ref().most_flows.is_some() || labelled.is_some_and(|label| label.contains(FLOWS))
    };
    if written.case.variants.iter().any(needs_number) {
        return error(format!(
            "most_flows and {FLOWS} of a variant need to know the number of flows: of a sweep over \
             {} with \"cpus\" leave them out",
            parameter.get_ref()
        ));
    }
    for variant in &mut case.variants {
        variant.variant.flows = unknown(times);
        variant.of_cpus = Some(times);
    }
    Ok(case)
}

fn one_case(
    written: Written<'_>,
    member: Member<'_>,
    work: Placed,
    point: Option<(&FileSweep, SweepValue)>,
) -> Result<Case, StudyError> {
    let Written {
        source,
        case,
        overrides,
        ..
    } = written;
    let name = member.name(case.name.get_ref());
    let variants = variants(written, &work)?;
    let best_of = best_of(source, case, &variants)?;
    Ok(Case {
        name: match point {
            Some((_, value)) => format!("{name}/{value}"),
            None => name,
        },
        title: member.title(&case.title),
        sweep: point.map(|(sweep, value)| SweepPoint {
            sweep: member.name(&sweep.name),
            parameter: parameter(sweep),
            value: value.number(),
            unit: sweep.unit.clone(),
        }),
        variants,
        work: work.into_work(source)?,
        metric: case.metric,
        reps: overrides.reps.or(case.reps),
        max_rounds: overrides.max_rounds.or(case.max_rounds),
        floor: floor(written)?,
        best_of,
    })
}

fn parameter(sweep: &FileSweep) -> String {
    let name = sweep.parameter.get_ref();
    match name.rsplit_once('.') {
        Some((_, "value")) => sweep.name.clone(),
        Some((tables, last)) if tables.contains('.') => last.to_owned(),
        None if name == "value" => sweep.name.clone(),
        _ => name.clone(),
    }
}

fn best_of(
    source: Source<'_>,
    case: &FileCase,
    variants: &[LabelledVariant],
) -> Result<Option<BestOf>, StudyError> {
    let Some(default) = &case.default else {
        return Ok(None);
    };
    let mut labels = variants.iter().map(|one| &one.label);
    match labels.position(|label| label == default.get_ref()) {
        Some(place) => Ok(Some(BestOf::beside(Some(place)))),
        None => {
            let message = format!(
                "the default '{}' is no variant: use the label of one",
                default.get_ref()
            );
            Err(source.error(default.span().start, message))
        }
    }
}

fn floor(written: Written<'_>) -> Result<Option<f64>, StudyError> {
    match written.case.floor {
        Some(floor) if !(0.0..1.0).contains(&floor) => {
            let message = format!("floor {floor} is no fraction: 0.05 stands for 5 %");
            Err(written.error(message))
        }
        floor => Ok(floor),
    }
}

#[cfg(test)]
mod tests;
