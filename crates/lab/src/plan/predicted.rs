//! Which faster parts a variant's work can be given: said before the run, as far as it can be known there.

use std::collections::BTreeSet;
use std::path::PathBuf;

use flow::Faster;
use flow::profile::Code;
use program::Program;
use program::command::programs;

use super::request::{Context, Plan, PlanError};
use crate::data::{Case, LabelledVariant, Predicting};

/// What a profile calls places that are no functions.
const FAULTS: &str = "page faults in ";
const SUMS: [&str; 4] = [
    "page faults",
    "interrupts",
    "in the kernel (not seen where)",
    "the kernel, outside of system calls",
];
const NO_FUNCTION: &str =
    "name a function (--predict=NAME), or add --profile, which finds the busiest";

/// The parts of a variant's work that were asked for, or why none is predicted.
pub(crate) fn faster(
    case: &Case,
    place: usize,
    asked: &Predicting,
    busiest: impl FnOnce() -> Vec<String>,
) -> Result<Vec<Faster>, String> {
    let work = case.work_of(place);
    let LabelledVariant { label, variant, .. } = &case.variants[place];
    if variant.model.is_user_level() {
        return Err(format!(
            "{label}: flows that share a thread cannot stand still one by one"
        ));
    }
    let of = |(part, place): (String, u32)| Faster {
        part,
        place,
        percent: asked.percent,
    };
    if work.program().is_some() {
        let named = match asked.parts.is_empty() {
            true => busiest(),
            false => asked.parts.clone(),
        };
        let all = named.into_iter().map(|name| of((name, 0)));
        return match all.len() {
            0 => Err(NO_FUNCTION.to_owned()),
            _ => Ok(all.collect()),
        };
    }
    let names = work.parts();
    if names.is_empty() {
        return Err(format!(
            "the work of {} names no parts (docs/profile.md)",
            case.name
        ));
    }
    let unknown = asked.parts.iter().find(|part| !names.contains(part));
    if let Some(unknown) = unknown {
        let meant = names::meant(unknown, &names);
        let has = names.join(", ");
        return Err(format!(
            "{} has no part '{unknown}'{meant}: use {has}",
            case.name
        ));
    }
    let is_asked = |name: &String| asked.parts.is_empty() || asked.parts.contains(name);
    let places = names.into_iter().zip(0..);
    Ok(places.filter(|(name, _)| is_asked(name)).map(of).collect())
}

pub(super) fn predictable(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let Some(asked) = &context.settings.predict else {
        return Ok(());
    };
    let profile = context.settings.profile;
    let busiest = || profile.map_or(Vec::new(), |_| vec![String::new()]);
    let (mut refused, mut lines, mut parts) = (None, BTreeSet::new(), false);
    for case in plan.studies.iter().flat_map(|study| &study.cases) {
        for place in 0..case.variants.len() {
            let program = case.work_of(place).program();
            match (faster(case, place, asked, busiest), program) {
                (Ok(_), None) => parts = true,
                (Ok(_), Some(program)) => lines.extend(launched(program)),
                (Err(why), _) => refused = refused.or(Some(why)),
            }
        }
    }
    if !parts && lines.is_empty() {
        let why = refused.unwrap_or_default();
        return Err(PlanError(format!("--predict: {why}")));
    }
    if !parts {
        plan.hints.extend(unseen(&asked.parts, &lines)?);
    }
    Ok(())
}

/// The lines that launch a program, with all of its builds.
fn launched(program: &Program) -> impl Iterator<Item = &str> {
    let builds = program.layout.builds.iter().map(String::as_str);
    builds.chain([program.command.as_str()])
}

/// What is said of functions that no program has; fails where the programs have no others.
fn unseen(parts: &[String], lines: &BTreeSet<&str>) -> Result<Vec<String>, String> {
    let files: BTreeSet<PathBuf> = lines.iter().flat_map(|line| programs(line)).collect();
    let mut code = Code::of_kernel();
    let wanted: Vec<&String> = parts.iter().filter(|part| is_of_source(part)).collect();
    if !wanted.is_empty() {
        files.iter().for_each(|file| code.add(file));
    }
    let names = files.iter().filter_map(|file| file.file_name()?.to_str());
    let names = names.collect::<Vec<_>>().join(", ");
    let said = wanted.into_iter().filter_map(|part| {
        let name = part.strip_prefix(FAULTS).unwrap_or(part);
        let none = format!("--predict={part}: no system call and no function of {names} has that name");
        match (code.has(name), code.has_more) {
            (true, _) => None,
            (false, true) => Some(Ok(format!(
                "{none}; they can start or load other programs, so the rounds will show whether it runs"
            ))),
            (false, false) => Some(Err(format!(
                "{none}{}: --predict --profile takes the three busiest",
                names::meant(name, &code.functions)
            ))),
        }
    });
    said.collect()
}

/// In a profile and in no file: `gzip@0x3f20`, `[vdso]`, `work (/a.py)`, sums.
fn is_of_source(part: &str) -> bool {
    !part.contains(['@', '[']) && !part.contains(" (/") && !SUMS.contains(&part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Preset, Settings};
    use crate::testing::{self, Says};

    fn hints(work: &serde_json::Value, parts: &[&str]) -> Result<Vec<String>, String> {
        let mut case = testing::case("c", 1, &["process"]);
        case.work = serde_json::from_value(work.clone()).unwrap();
        let asked = Predicting {
            percent: 20,
            parts: parts.iter().map(|&part| part.to_owned()).collect(),
        };
        let settings = Settings {
            predict: Some(asked),
            ..Settings::usual(Preset::Quick, 1)
        };
        let plan = testing::planned(testing::study(vec![case]), &settings);
        plan.map(|plan| plan.hints)
            .map_err(|error| error.to_string())
    }

    fn command(line: &str) -> serde_json::Value {
        serde_json::json!({"kind": "program", "command": line})
    }

    /// It was refused after the whole run.
    #[test]
    fn a_part_that_no_work_has_is_refused_before_the_run() {
        let io = serde_json::json!({"kind": "io", "workers": 2, "loops": 30});
        assert_eq!(hints(&io, &["write"]), Ok(Vec::new()));
        let refused = hints(&io, &["wriet"]).unwrap_err();
        refused.says("(did you mean 'write'?): use fill, write, verify");
        let refused = hints(&command("true"), &[]).unwrap_err();
        refused.says("or add --profile");
    }

    #[test]
    fn a_function_that_a_program_cannot_have_is_refused_and_one_that_it_may_start_is_said() {
        if skipped::is_emulated() {
            return skipped::skipped(
                "the libraries of an emulated program are not those of this system",
            );
        }
        let own = std::env::current_exe().unwrap();
        let own = own.display().to_string();
        let said = |line: &str, part: &str| hints(&command(line), &[part]).unwrap();
        for known in [
            "memcpy",
            "read",
            "page faults in malloc",
            "a@0x10",
            "f (/a.py)",
        ] {
            assert_eq!(said(&own, known), [""; 0], "{known}");
        }
        said("sh -c 'no-such-program &'", "work")[0].says("of sh has that name; they can start");
        if Code::of_kernel().has_more {
            // Its calls have no names here.
            return;
        }
        let refused = hints(&command("/bin/true"), &["mallok"]).unwrap_err();
        refused.says("(did you mean 'malloc'?)");
    }
}
