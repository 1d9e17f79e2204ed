mod bodies;
mod cases;
mod connection;
mod nodes;
mod place;

use std::path::Path;

use anyhow::{Error, Result, bail, ensure};
use lab::{Case, Preset, Study};
use machine::Machine;
use mpi::launcher::Mpi;

use nodes::Nodes;
use place::Place;

use crate::args::{self, BodyArg, Command, HybridArgs};
use crate::ending::Ending;
use crate::files::works;
use crate::output;
use crate::session::{self, Session};

const NAME: &str = "hybrid";

const BUDGET_S: f64 = 600.0;

pub(crate) fn run(args: &HybridArgs, here: &Machine) -> Result<Ending> {
    refuse(args)?;
    let mut mpi = launcher(args)?;
    flow::cgroup::sweep();
    let own = flow::library::slot_program_path().map_err(Error::msg)?;
    let nodes = over_nodes(args, &mut mpi, &own)?;
    let place = match &nodes {
        Some(nodes) => nodes.place(),
        None => Place {
            cpus: vec![lab::cpus(here)],
            sockets: 1,
            over: None,
        },
    };
    let request = session::as_written(study(
        args,
        (&mpi, &own),
        &place,
        nodes.as_ref().is_some_and(|nodes| nodes.is_one_machine),
    )?);
    let mut settings = session::settings(&request, &args.how, Preset::Full, here)?;
    settings.budget_s = args.how.budget.or(Some(BUDGET_S));
    let mut session = Session::begin(&request, settings, &args.how, here)?;
    output::tell(&used(&mpi));
    for note in nodes.iter().flat_map(Nodes::notes) {
        output::tell(&note);
        session.journal.note(&note)?;
    }
    if let Some(nodes) = nodes {
        rest_on(&mut session, nodes)?;
    }
    session.carry_out(&args.how.answer)
}

fn launcher(args: &HybridArgs) -> Result<Mpi> {
    let mpi = Mpi::find(args.mpi.as_deref(), args.mpicc.as_deref())?.launched_by(&args.launcher)?;
    match (mpi.refuses_root(), args.allow_root) {
        (Some(why), false) => bail!(why),
        _ => Ok(mpi),
    }
}

/// The nodes that can take part, and how they are reached; none: this machine alone.
fn over_nodes(args: &HybridArgs, mpi: &mut Mpi, own: &Path) -> Result<Option<Nodes>> {
    let Some(names) = nodes::asked(args.hosts.as_deref())? else {
        ensure!(
            args.placement.is_empty(),
            "--placement says how ranks lie on nodes, and there is one: --hosts names more"
        );
        return Ok(None);
    };
    mpi.reach = Some(nodes::reach(args, mpi));
    let scratch = mpi::keeper::scratch()?;
    let nodes = Nodes::begin((&names, own), mpi, super::patience(args.patience), scratch)?;
    if args.body.is_empty() || args.body.contains(&BodyArg::Uneven) {
        output::tell("uneven: flows move within a node: splits over several are without them");
    }
    Ok(Some(nodes))
}

fn rest_on(session: &mut Session<'_>, mut nodes: Nodes) -> Result<()> {
    nodes.see(session.journal.path())?;
    session.launcher.beside = Some(Box::new(nodes));
    Ok(())
}

/// A run over nodes that is resumed rests on them again.
pub(crate) fn again(session: &mut Session<'_>) -> Result<()> {
    let over = works(session.studies()).filter_map(|work| mpi::over_of(&work.program()?.command));
    let Some(over) = over.max_by_key(|over| over.nodes.len()) else {
        return Ok(());
    };
    let Some(Command::Hybrid(args)) = args::parsed(&session.journal.header().command) else {
        bail!("ranks over nodes are made by flowgauge hybrid, and this run by another command");
    };
    let mut mpi = launcher(&args)?;
    mpi.reach = Some(nodes::reach(&args, &mpi));
    let own = flow::library::slot_program_path().map_err(Error::msg)?;
    let scratch = over.scratch.clone();
    let patience = super::patience(args.patience);
    let nodes = Nodes::begin((&over.nodes, &own), &mpi, patience, scratch)?;
    ensure!(
        nodes.place().over.as_ref() == Some(&over),
        "a run over nodes is continued on the machine that began it, with all of them ({}): where one is gone, \
         begin a new run with the others",
        over.nodes.join(", ")
    );
    rest_on(session, nodes)
}

fn used(mpi: &Mpi) -> String {
    let others = mpi.others();
    let others = match others.as_slice() {
        [] => String::new(),
        others => format!("; installed too: --mpi {}", others.join(", --mpi ")),
    };
    let srun = mpi.srun.as_ref();
    let by = srun.map_or_else(
        || mpi.run.display().to_string(),
        |srun| srun.version.clone(),
    );
    format!("{} {} ({by}){others}", mpi.kind.name(), mpi.version)
}

fn refuse(args: &HybridArgs) -> Result<()> {
    ensure!(
        args.how.profile.is_none(),
        "--profile follows what a slot starts, and ranks are started by an MPI launcher that may be \
         elsewhere: perf record in each rank profiles them"
    );
    ensure!(
        args.how.predict.is_none(),
        "--predict slows flows of this program and commands down, and ranks are started by an MPI launcher"
    );
    ensure!(
        args.how.confirm.is_none(),
        "--confirm turns knobs of one machine's flows and commands, and ranks are started by an MPI launcher"
    );
    ensure!(
        args.how.sample.is_none(),
        "--sample looks at a slot's process group, and ranks leave it: their memory is looked at without \
         the flag"
    );
    ensure!(
        args.how.ballast.is_none() && args.how.events.is_none(),
        "--ballast and --events are for flows that this program makes itself; ranks are made by mpirun"
    );
    Ok(())
}

fn leave_out_what_cannot_move(cases: &mut [Case], why: Option<String>) {
    for case in cases {
        let all = case.variants.len();
        case.variants
            .retain(|variant| why.is_none() || !variant.label.ends_with(bodies::MIGRATABLE));
        if let (Some(why), true) = (&why, case.variants.len() < all) {
            output::tell(&format!("{}: without flows that move: {why}", case.name));
        }
    }
}

fn study(
    args: &HybridArgs,
    (mpi, own): (&Mpi, &Path),
    place: &Place,
    is_one_machine: bool,
) -> Result<Study> {
    let each = place.cpus_each();
    let there = each.saturating_mul(place.nodes());
    let flows = args.flows.unwrap_or(match place.nodes() {
        // At least two flows, if not of one node.
        1 => each,
        _ => each.max(2),
    });
    ensure!(
        there >= 2 && flows >= 2,
        "there is one CPU: a rank and a thread need one each to be compared"
    );
    ensure!(
        flows <= there,
        "{flows} flows on {there} CPUs would take turns, and ranks that wait do so without sleeping: use \
         --flows {there} or fewer"
    );
    let works = lab::study::of_command(NAME)?;
    let mut cases = cases::cases((args, &works.cases), flows, place, |task, all| {
        mpi.program(own, task, all, args.allow_root)
    })?;
    for case in &cases {
        case.work.check()?;
    }
    leave_out_what_cannot_move(&mut cases, mpi::no_moves());
    let nodes = match (place.nodes(), is_one_machine) {
        (1, _) => String::new(),
        (nodes, false) => format!(" on up to {nodes} nodes"),
        (nodes, true) => {
            format!(" on up to {nodes} nodes that are one machine, without a network,")
        }
    };
    Ok(Study::new(
        NAME,
        works.title.replace("{flows}", &flows.to_string()) + &nodes,
        &works.stands_for,
        cases,
    ))
}
