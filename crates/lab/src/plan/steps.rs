//! The steps by which studies become a plan: one list (`STEPS`) for everything that runs. A step
//! that nothing in a [`Request`] is about is passed over ([`asked_steps`]). In order:
//!
//! * numbers of flows come first, since flags replace them;
//! * flags come before ways through the machine, since a flag may choose the ways;
//! * `--case` names cases as they are run, so it comes after what spreads and drops cases;
//! * what needs a walk through a tree comes after what drops work;
//! * axes multiply variants, so all that looks at each variant comes after them.
//!
//! What a machine has not is left out of a built-in study, and said; what a user wrote or asked for
//! by name is refused. No step looks at a clock, or is taken after the journal's first line.

use machine::Machine;
use workload::Work;
use workload::searching::Trees;

use super::check::check;
use super::predicted::predictable;
use super::request::{Context, LeftOut, Plan, PlanError, Request, Wanted};
use super::study::asked::{self, Flags};
use super::{Spread, axis, capacity, here, machine_limits, parent_memory, simulated};
use crate::data::{Case, Settings, Study};

struct Step(
    &'static str,
    fn(&Context<'_>) -> bool,
    fn(&mut Plan, &Context<'_>) -> Result<(), PlanError>,
);

static STEPS: [Step; 16] = [
    Step("numbers of flows from the CPUs", always, flows_of_cpus),
    Step("flags of the study", has_flags, flags),
    Step(
        "numbers of flows from the limits",
        |context| flags_of(context).any(|flags| flags.command.probes),
        flows_of_limits,
    ),
    Step("ways through the machine", is_fitted, ways),
    Step("programs that are here", is_fitted, programs),
    Step("room", is_fitted, room),
    Step(
        "cases by name",
        |context| !context.request.cases.is_empty(),
        named_cases,
    ),
    Step("studies without a case", is_fitted, empty_studies),
    Step(
        "parameters for all work",
        |context| !context.request.work.is_empty(),
        laid_work,
    ),
    Step("trees of files", always, trees),
    Step("axes", |context| !context.settings.axes.is_empty(), axes),
    Step(
        "parent memory",
        |context| context.settings.parent_memory.is_some(),
        parent_memory,
    ),
    Step(
        "simulated machine",
        |context| context.settings.simulate.is_some(),
        simulated_machine,
    ),
    Step("check of every case", always, checked),
    Step(
        "faster parts",
        |context| context.settings.predict.is_some(),
        predictable,
    ),
    Step(
        "axes that are here, and rounds",
        always,
        here::had_and_rounds,
    ),
];

/// Takes all steps on a machine (or a simulated one's cores); an error says what cannot run.
pub fn lay_out(
    request: &Request<'_>,
    settings: &Settings,
    machine: &Machine,
) -> Result<Plan, PlanError> {
    let context = Context {
        request,
        settings,
        machine,
    };
    let mut plan = Plan {
        studies: request.wanted.iter().map(|one| one.study.clone()).collect(),
        ..Plan::default()
    };
    for step in STEPS.iter().filter(|step| (step.1)(&context)) {
        (step.2)(&mut plan, &context)?;
    }
    Ok(plan)
}

/// Every step by its name, and whether a request is about it: what documentation and tests show.
#[must_use]
pub fn asked_steps(
    request: &Request<'_>,
    settings: &Settings,
    machine: &Machine,
) -> Vec<(&'static str, bool)> {
    let context = Context {
        request,
        settings,
        machine,
    };
    let steps = STEPS.iter();
    steps.map(|step| (step.0, (step.1)(&context))).collect()
}

fn always(_: &Context<'_>) -> bool {
    true
}

fn flags_of<'a>(context: &Context<'a>) -> impl Iterator<Item = Flags<'a>> {
    context.request.wanted.iter().filter_map(|one| one.flags)
}

fn has_flags(context: &Context<'_>) -> bool {
    flags_of(context).next().is_some()
}

fn is_fitted(context: &Context<'_>) -> bool {
    context.request.wanted.iter().any(|one| one.is_fitted)
}

/// A study after a step, and what that left out of it; or why it is refused.
type Changed = Result<(Study, Vec<String>), String>;

fn all_of(study: Study) -> Changed {
    Ok((study, Vec::new()))
}

impl Plan {
    pub(super) fn each(
        &mut self,
        mut change: impl FnMut(Study) -> Changed,
    ) -> Result<(), PlanError> {
        for study in std::mem::take(&mut self.studies) {
            let (study, why) = change(study)?;
            let name = || study.name.clone();
            let left_out = why.into_iter().map(|why| LeftOut { study: name(), why });
            self.left_out.extend(left_out);
            self.studies.push(study);
        }
        Ok(())
    }

    fn each_wanted(
        &mut self,
        context: &Context<'_>,
        mut change: impl FnMut(Study, &Wanted<'_>) -> Changed,
    ) -> Result<(), PlanError> {
        let mut wanted = context.request.wanted.iter();
        self.each(|study| match wanted.next() {
            Some(one) => change(study, one),
            None => all_of(study),
        })
    }

    fn each_fitted(
        &mut self,
        context: &Context<'_>,
        mut change: impl FnMut(Study, &Wanted<'_>) -> Changed,
    ) -> Result<(), PlanError> {
        self.each_wanted(context, |study, wanted| match wanted.is_fitted {
            true => change(study, wanted),
            false => all_of(study),
        })
    }

    fn works(&mut self) -> impl Iterator<Item = &mut Work> {
        let cases = self.studies.iter_mut().flat_map(|study| &mut study.cases);
        cases.flat_map(|Case { work, variants, .. }| {
            let own = variants.iter_mut().filter_map(|one| one.work.as_mut());
            own.chain([work])
        })
    }

    fn why_left_out(&self) -> String {
        let why: Vec<&str> = self.left_out.iter().map(|one| one.why.as_str()).collect();
        why.join("; ")
    }
}

fn flows_of_cpus(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let cpus = u32::try_from(context.machine.usable_cpus()).unwrap_or(u32::MAX);
    plan.each(|study| all_of(study.for_cpus(cpus)))
}

fn flags(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let mut hints = Vec::new();
    let has_sample = context.settings.sample.is_some();
    plan.each_wanted(context, |study, wanted| {
        let Some(flags) = wanted.flags else {
            return all_of(study);
        };
        let mut study = asked::asked(study, flags, context.machine, &mut hints)?;
        for case in &mut study.cases {
            case.max_rounds = case.max_rounds.filter(|_| !context.request.rounds_asked);
            let variants = case.variants.iter_mut().filter(|_| has_sample);
            variants.for_each(|variant| variant.sample = None);
        }
        all_of(study)
    })?;
    plan.hints.extend(hints);
    Ok(())
}

fn flows_of_limits(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    plan.each_wanted(context, |study, wanted| match wanted.flags {
        Some(flags) if flags.command.probes => {
            machine_limits::made_up_to(study, flags, context.machine)
        }
        _ => all_of(study),
    })
}

fn ways(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    plan.each_fitted(context, |study, wanted| {
        let spread = wanted.flags.map_or(Ok(Spread::default()), asked::spread)?;
        Ok(spread.over(study, context.machine))
    })
}

fn programs(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    plan.each_fitted(context, |study, _| Ok(capacity::equipped(study)))
}

/// Numbers that were asked for one by one must have room.
fn room(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let before = plan.why_left_out();
    plan.each_fitted(context, |study, wanted| {
        let is_empty = study.cases.is_empty();
        let (study, no_room) = capacity::fitted(study, context.machine);
        if let Some(flags) = wanted.flags {
            let is_refused = !no_room.is_empty() && !flags.are_in_range();
            if is_empty {
                return Err(format!("there is nothing to run: {before}"));
            }
            if is_refused || study.cases.is_empty() {
                return Err(no_room.join("\n"));
            }
            flags.check_output(&study)?;
        }
        Ok((study, no_room))
    })
}

fn named_cases(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let names = context.request.cases;
    let cases = || plan.studies.iter().flat_map(|study| &study.cases);
    let is_there = |name: &&String| cases().any(|case| case.is_called(name));
    if let Some(unknown) = names.iter().find(|name| !is_there(name)) {
        let known: Vec<&str> = cases().map(|case| case.name.as_str()).collect();
        return Err(PlanError(format!(
            "--case {unknown}: there is no such case in this preset{}: use {}",
            names::meant(unknown, &known),
            known.join(", ")
        )));
    }
    let studies = std::mem::take(&mut plan.studies).into_iter();
    plan.studies = studies.filter_map(|study| study.only(names)).collect();
    Ok(())
}

fn empty_studies(plan: &mut Plan, _: &Context<'_>) -> Result<(), PlanError> {
    plan.studies.retain(|study| !study.cases.is_empty());
    match plan.studies.is_empty() {
        true => Err(PlanError(format!(
            "there is nothing to run: {}",
            plan.why_left_out()
        ))),
        false => Ok(()),
    }
}

fn laid_work(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    for laid in &context.request.work {
        let mut has = false;
        for work in plan.works() {
            has |= asked::set_work(work, laid.flag, laid.key, &laid.value)?;
        }
        if !has {
            return Err(PlanError(format!("--{}: {}", laid.flag, laid.otherwise)));
        }
    }
    Ok(())
}

fn trees(plan: &mut Plan, _: &Context<'_>) -> Result<(), PlanError> {
    let mut seen = Trees::default();
    let mut works = plan.works();
    let found = works.try_for_each(|work| work.find_input(&mut seen));
    found.map_err(|error| PlanError(error.to_string()))
}

fn axes(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    plan.each(|study| all_of(axis::laid(study, &context.settings.axes)?))
}

fn parent_memory(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let Some(asked) = &context.settings.parent_memory else {
        return Ok(());
    };
    plan.each(|study| all_of(parent_memory::loaded(study, asked)))
}

fn simulated_machine(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let Some(simulation) = context.settings.simulate.as_deref() else {
        return Ok(());
    };
    plan.each(|study| {
        let (study, left_out) = simulated::simulated(study, simulation);
        match study.cases.is_empty() {
            true => Err(format!(
                "{}: nothing of it can be simulated: {}",
                study.name,
                left_out.join("; ")
            )),
            false => Ok((study, left_out)),
        }
    })
}

fn checked(plan: &mut Plan, context: &Context<'_>) -> Result<(), PlanError> {
    let checked = check(&plan.studies, context.machine);
    checked.map_err(|error| PlanError(error.to_string()))
}

#[cfg(test)]
mod tests;
