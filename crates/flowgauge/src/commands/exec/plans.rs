use anyhow::{Result, bail, ensure};
use flow::placement::Cpus;
use flow::{Model, Variant};
use lab::knob::KNOBS;
use lab::{BestOf, Case, LabelledVariant, Metric, SweepPoint, labelled};
use program::Program;
use program::fill::has;
use workload::Work;

use super::command::{Named, commands};
use super::labels::short;
use super::placeholders;
use crate::args::ExecArgs;
use crate::commands::of_program;

const CASE: &str = "commands";

pub(super) fn cases(args: &ExecArgs, machine: &Cpus) -> Result<Vec<Case>> {
    let cpus = u32::try_from(machine.allowed.len()).unwrap_or(u32::MAX);
    let commands = commands(args)?;
    placeholders::check(args, &commands)?;
    if args.grid.is_some() {
        return Ok(vec![grid(args, &commands, cpus)?]);
    }
    if let Some(copies) = args.copies {
        return Ok(vec![copies_against(args, copies, commands)?]);
    }
    match (&args.sweep, commands.as_slice()) {
        (Some(sweep), [only]) => Ok(vec![by_flows(args, only, &sweep.0, cpus)?]),
        (Some(sweep), commands) => sweep
            .0
            .iter()
            .map(|&flows| at_flows(args, commands, flows))
            .collect(),
        (None, commands) => Ok(vec![plain(args, commands, machine)?]),
    }
}

fn variant(args: &ExecArgs, model: Model, flows: u32) -> Variant {
    Variant {
        placement: args.each.placement.clone(),
        ..Variant::new(model, flows)
    }
}

fn case(args: &ExecArgs, title: &str, work: Work, variants: Vec<LabelledVariant>) -> Case {
    let one_each = args.hyperfine.runs.or(args.hyperfine.max_runs).is_some();
    Case {
        reps: one_each.then_some(1),
        ..Case::new(CASE, title, (work, Metric::Total), variants)
    }
}

fn variants(args: &ExecArgs, commands: &[Named], flows: u32) -> Vec<LabelledVariant> {
    let each = commands
        .iter()
        .enumerate()
        .map(|(at, command)| LabelledVariant {
            work: (at > 0).then(|| of_program(command.program.clone())),
            ..LabelledVariant::new(&command.label, variant(args, Model::Process, flows))
        });
    each.collect()
}

fn plain(args: &ExecArgs, commands: &[Named], cpus: &Cpus) -> Result<Case> {
    let flows = args.flows.unwrap_or(1);
    let mut variants = variants(args, commands, flows);
    if args.what_if {
        ensure!(
            commands.len() == 1,
            "--what-if is for one command: what helps one may not help another"
        );
        let work = of_program(commands[0].program.clone());
        variants = turned(variants.remove(0), &work, cpus);
    }
    let base = commands[0].program.clone();
    let title = match commands {
        [only] => only.label.clone(),
        _ => format!("{} commands", commands.len()),
    };
    Ok(case(args, &title, of_program(base), variants))
}

/// Changes from outside, each a variant: the knobs that need no cause to be tried.
fn turned(as_it_is: LabelledVariant, work: &Work, cpus: &Cpus) -> Vec<LabelledVariant> {
    let knobs = KNOBS.iter().filter(|knob| knob.is_tried_unasked);
    let changed: Vec<LabelledVariant> = knobs
        .flat_map(|knob| knob.turned(&as_it_is, work, cpus))
        .collect();
    let label = "as it is".to_owned();
    let mut all = vec![LabelledVariant { label, ..as_it_is }];
    all.extend(changed);
    all
}

/// To find the best number. A flow for each CPU is among them: the usual choice.
fn by_flows(args: &ExecArgs, command: &Named, numbers: &[u32], cpus: u32) -> Result<Case> {
    needs(args, &command.program, "flows", "--sweep")?;
    let mut numbers = numbers.to_vec();
    if !numbers.contains(&cpus) {
        numbers.push(cpus);
        numbers.sort_unstable();
    }
    let plain = numbers
        .iter()
        .map(|&flows| variant(args, Model::Thread, flows));
    let mut variants = labelled(plain.collect());
    for variant in &mut variants {
        variant.label = format!("flows {}", variant.variant.flows);
    }
    let title = format!("{} by the number of flows", command.label);
    let default = numbers.iter().position(|&flows| flows == cpus);
    let one = case(args, &title, of_program(command.program.clone()), variants);
    Ok(Case {
        best_of: Some(BestOf::beside(default)),
        ..one
    })
}

fn at_flows(args: &ExecArgs, commands: &[Named], flows: u32) -> Result<Case> {
    let mut base = commands[0].program.clone();
    for command in commands {
        needs(args, &command.program, "flows", "--sweep")?;
    }
    base.flows = Some(flows.into());
    let mut own = variants(args, commands, flows);
    for variant in &mut own {
        variant.work = variant.work.take().map(|work| work.for_flows(flows.into()));
    }
    let one = case(args, &format!("{flows} flows"), of_program(base), own);
    Ok(Case {
        name: format!("flows/{flows}"),
        sweep: Some(SweepPoint {
            sweep: "flows".to_owned(),
            parameter: "flows".to_owned(),
            value: flows.into(),
            unit: String::new(),
        }),
        ..one
    })
}

/// To find the best split. One process with a thread a CPU, the usual choice, is the reference.
fn grid(args: &ExecArgs, commands: &[Named], cpus: u32) -> Result<Case> {
    let [only] = commands else {
        bail!(
            "--grid is for one command, and there are {}: {}",
            commands.len(),
            list(commands)
        );
    };
    let program = only.program.clone();
    for name in ["processes", "threads"] {
        needs(args, &program, name, "--grid")?;
    }
    let mut all = vec![(1, cpus)];
    all.extend(splits(args.flows, cpus).filter(|&split| split != (1, cpus)));
    let variants = all.iter().map(|&(processes, threads)| {
        let model = Model::Mix { processes, threads };
        variant(args, model, processes * threads)
    });
    let name = short(&program.command);
    let title = match args.flows {
        Some(flows) => format!("{name} as splits of {flows} flows"),
        None => format!("{name} as processes x threads"),
    };
    let variants = labelled(variants.collect());
    let default = Some(0);
    Ok(Case {
        best_of: Some(BestOf::beside(default)),
        ..case(args, &title, of_program(program), variants)
    })
}

fn splits(flows: Option<u32>, cpus: u32) -> impl Iterator<Item = (u32, u32)> {
    let sizes = match flows {
        Some(flows) => vec![flows],
        None => (0..=cpus.ilog2() + 1).map(|power| 1 << power).collect(),
    };
    sizes.into_iter().flat_map(move |size| {
        let processes = (1..=size).filter(move |processes| {
            size.is_multiple_of(*processes) && (flows.is_some() || processes.is_power_of_two())
        });
        processes.map(move |processes| (processes, size / processes))
    })
}

fn copies_against(args: &ExecArgs, copies: u32, mut commands: Vec<Named>) -> Result<Case> {
    ensure!(
        commands.len() == 2,
        "--copies is for one command, and --against names the other one; there are {}: {}",
        commands.len(),
        list(&commands)
    );
    commands[0].program.copies = program::Copies::Number(copies);
    if args.names.is_empty() && args.variant.is_empty() {
        commands[0].label = format!("{copies} copies");
    }
    let flows = args.flows.unwrap_or(copies);
    let title = format!("{copies} copies against one");
    let mut all = variants(args, &commands, flows);
    all[1].variant.model = Model::Thread;
    Ok(case(
        args,
        &title,
        of_program(commands[0].program.clone()),
        all,
    ))
}

fn list(commands: &[Named]) -> String {
    let names: Vec<&str> = commands.iter().map(|one| one.label.as_str()).collect();
    names.join(", ")
}

/// Refuses a command (of a server: with its load) that would be the same in each variant.
fn needs(args: &ExecArgs, program: &Program, name: &str, flag: &str) -> Result<()> {
    let in_load = args.serve.load.iter().any(|load| has(load, name));
    let without = match args.serve.load.is_empty() {
        true => "this command does not have it",
        false => "neither this server nor its --load has it",
    };
    ensure!(
        in_load || program.asks_for(name),
        "{flag} changes {{{name}}}, and {without}: {}",
        program.command
    );
    Ok(())
}
