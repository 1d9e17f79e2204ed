//! `flowgauge fleet run`: the same studies on many machines, one thread each ([`super::remote`]);
//! no slot is launched here. What came of a machine, whole or cut, is merged as by `gather`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use flow::Interrupt;

use super::folder::{self, FAILED, NODES, SCRIPT};
use super::gather;
use super::hosts::{Host, Hosts};
use super::plan::{self, Id, Plan};
use super::remote::{self, Way};
use super::slurm::Job;
use super::start::{Arrival, Start};
use crate::args::FleetRunArgs;
use crate::ending::{self, Ending};
use crate::output::{self, tell};
use crate::session;
use crate::whole_file;

/// In the folder that all nodes of a Slurm job see.
const PROGRAM: &str = "flowgauge";
/// Lines of a file of hosts that are named.
const WRONG: usize = 5;
/// One machine is merged at a time: journals are large.
static MERGE: Mutex<()> = Mutex::new(());

pub(crate) fn run(args: &FleetRunArgs) -> Result<Ending> {
    let program = program(args)?;
    let plan = plan(args, &program)?;
    let out = match &args.out {
        Some(out) => std::path::absolute(out)?,
        None => std::path::absolute(session::usual_place(SystemTime::now(), "fleet"))?,
    };
    match (&args.hosts, &args.job.slurm) {
        (Some(hosts), _) => by_ssh(args, hosts, &plan, program, &out),
        (None, Some(partition)) => by_slurm(args, partition, &plan, &program, &out),
        (None, None) => bail!("name the machines: --hosts FILE, or --slurm PARTITION --nodes N"),
    }
}

fn program(args: &FleetRunArgs) -> Result<PathBuf> {
    if let Some(binary) = &args.binary {
        ensure!(
            binary.is_file(),
            "--binary {}: there is no such file",
            binary.display()
        );
        return Ok(binary.clone());
    }
    std::env::current_exe().context("this program has no path")
}

fn plan(args: &FleetRunArgs, program: &Path) -> Result<Plan> {
    let begun = args.out.as_deref().filter(|out| out.join(NODES).is_dir());
    let seed = match (args.seed, begun) {
        (Some(seed), _) => seed,
        (None, Some(folder)) => Plan::read(folder)?.seed,
        (None, None) => session::fresh_seed()?,
    };
    let mut plan = Plan {
        is_shared: args.job.shared_nodes,
        quorum: args.merged.quorum,
        ..Plan::new(&args.studies, &args.more, Id::of(program)?, seed)?
    };
    if let Some(folder) = begun {
        ensure!(
            !args.only.is_empty(),
            "{} holds a fleet: name the machines that are to be run again (--only), or a new folder",
            folder.display()
        );
        let before = Plan::read(folder)?;
        ensure!(
            before.words == plan.words && before.files == plan.files,
            "{} holds a fleet that ran `{}`: run the same there, or name a new folder",
            folder.display(),
            before.words.join(" ")
        );
        plan.quorum = plan.quorum.or(before.quorum);
    }
    Ok(plan)
}

/// And whether every line was one.
fn hosts(args: &FleetRunArgs, file: &Path) -> Result<(Vec<Host>, bool)> {
    let text = tidy::input::read(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    ensure!(
        !text.contains(&0),
        "{} is no text: write one machine a line",
        file.display()
    );
    let Hosts { mut hosts, wrong } = Hosts::parse(&text);
    if !args.only.is_empty() {
        for name in &args.only {
            ensure!(
                hosts.iter().any(|host| host.name == *name),
                "--only {name}: {} has no such machine",
                file.display()
            );
        }
        hosts.retain(|host| args.only.contains(&host.name));
    }
    let named = wrong.iter().take(WRONG);
    named.for_each(|line| tell(&format!("{}, {line}", file.display())));
    if let more @ 1.. = wrong.len().saturating_sub(WRONG) {
        tell(&format!("{}: and {more} more", file.display()));
    }
    ensure!(!hosts.is_empty(), "{} names no machine", file.display());
    Ok((hosts, wrong.is_empty()))
}

fn by_ssh(
    args: &FleetRunArgs,
    file: &Path,
    plan: &Plan,
    program: PathBuf,
    out: &Path,
) -> Result<Ending> {
    let (hosts, are_all_hosts) = hosts(args, file)?;
    check_quorum(args, hosts.len(), out)?;
    if let Some(config) = &args.ssh_config {
        let is_there = config.exists() || config.as_os_str() == "none";
        ensure!(
            is_there,
            "--ssh-config {}: there is no such file",
            config.display()
        );
    }
    let way = Way {
        args,
        ssh: crate::commands::ssh(args.ssh.as_ref()),
        copied: args.at.is_none().then_some(program),
        patience: crate::commands::patience(args.patience),
        deadline: deadline(args, plan),
    };
    if args.dry_run {
        for host in &hosts {
            let words = plan.words_of(&host.name).join(" ");
            let (ssh, name) = (way.ssh.display(), &host.name);
            let line = format!("{name}: {ssh} {}: flowgauge {words}", host.destination);
            output::print(&format!("{}\n", report::text::visible(&line)))?;
        }
        return Ok(Ending::Answered);
    }
    whole_file::make_folder(out)?;
    plan.write(out)?;
    tell(&format!(
        "seed {} · program {} · {}",
        plan.seed,
        plan.program,
        out.display()
    ));
    let start = start(args, hosts.len());
    let cut = visit_all(&hosts, plan, &way, &start, out)?;
    let ended = match gather::gathered(&[out.to_owned()], out, &args.merged, &args.shown) {
        Ok(ended) => ended,
        Err(error) => {
            output::tell_error(&error);
            Ending::Error
        }
    };
    let enough = are_all_hosts || args.merged.quorum.is_some();
    Ok(match (cut, enough) {
        (Some(signal), _) => Ending::Interrupted(signal),
        (None, true) => ended,
        (None, false) => ending::worse(ended, Ending::Error),
    })
}

fn deadline(args: &FleetRunArgs, plan: &Plan) -> Duration {
    let asked = args.machine_deadline.map(Duration::from_secs_f64);
    if let (Some(limit), Some(budget)) = (asked, plan.budget().filter(|b| Some(*b) > asked)) {
        let [limit, budget] = [limit, budget].map(humantime::format_duration);
        tell(&format!(
            "note: a run may take its budget of {budget}, and is ended after {limit} (--machine-deadline)"
        ));
    }
    asked.unwrap_or_else(|| plan.usual_deadline())
}

/// Machines that ran before count, too.
fn check_quorum(args: &FleetRunArgs, machines: usize, out: &Path) -> Result<()> {
    let before = folder::places(&[out.to_owned()]).unwrap_or_default();
    let others = before.keys().filter(|name| !args.only.contains(name));
    let all = machines + others.count();
    let quorum = args.merged.quorum.unwrap_or(0);
    ensure!(
        quorum as usize <= all,
        "--quorum {quorum}: the fleet has {}",
        report::number::many(all as u64, "machine")
    );
    Ok(())
}

/// Machines prepared at a time, and needed.
fn start(args: &FleetRunArgs, machines: usize) -> Start {
    let quorum = args.merged.quorum.filter(|_| args.only.is_empty());
    let quorum = quorum.map_or(1, |quorum| quorum as usize);
    let at_once = args.parallel.map_or(machines, |machines| machines as usize);
    Start::of(machines, at_once, quorum)
}

fn visit_all(
    hosts: &[Host],
    plan: &Plan,
    way: &Way<'_>,
    start: &Start,
    out: &Path,
) -> Result<Option<i32>> {
    let interrupt = Interrupt::install().context("signals cannot be handled")?;
    interrupt.begin();
    std::thread::scope(|scope| {
        for host in hosts {
            let (arrival, interrupt) = (start.machine(), &interrupt);
            scope.spawn(move || {
                if let Err(error) = one(host, plan, way, (arrival, interrupt), out) {
                    tell(&format!("{}: {}", host.name, output::whole(&error)));
                }
            });
        }
    });
    interrupt.end();
    Ok(interrupt.signal())
}

fn one(
    host: &Host,
    plan: &Plan,
    way: &Way<'_>,
    start: (Arrival<'_>, &Interrupt),
    out: &Path,
) -> Result<()> {
    let own = out.join(NODES).join(&host.name);
    whole_file::make_folder(&own)?;
    let fetched = own.join("journal-fetched.jsonl");
    let visited = remote::visit(host, plan, way, start, &fetched);
    let _one_at_a_time = MERGE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut kept = folder::read([&own], way.args.merged.journal_limit)?;
    kept.failed = visited
        .as_ref()
        .err()
        .map(|error| format!("{}\n", output::whole(error)));
    folder::write(&own, &kept)?;
    if fetched.exists() {
        std::fs::remove_file(&fetched)
            .with_context(|| format!("cannot remove {}", fetched.display()))?;
    }
    match visited {
        Ok(()) if kept.journals.is_empty() => {
            let why = "it sent no journal";
            whole_file::write(&own.join(FAILED), format!("{why}\n"))?;
            bail!("{why}")
        }
        _ => Ok(()),
    }
}

fn submitted(job: &Job<'_>, plan: &Plan, copied: Option<&Path>, wait: bool) -> Result<String> {
    let out = job.folder;
    whole_file::make_folder(&out.join(NODES))?;
    plan.write(out)?;
    if let Some(program) = copied {
        std::fs::copy(program, out.join(PROGRAM))
            .with_context(|| format!("cannot copy {}", program.display()))?;
    }
    let script = out.join(SCRIPT);
    whole_file::write(&script, job.script())?;
    job.submit(&script, wait)
}

fn take_back(out: &Path) {
    if std::fs::remove_dir(out.join(NODES)).is_ok() {
        for file in [plan::FILE, PROGRAM, SCRIPT] {
            let _not_made_is_fine = std::fs::remove_file(out.join(file));
        }
        let _others_may_be_in_it = std::fs::remove_dir(out);
    }
}

/// Slurm would add others to nodes that are named, up to --nodes.
fn nodes(args: &FleetRunArgs) -> Result<u32> {
    let named = u32::try_from(args.only.len())?;
    let only = args.only.join(",");
    if let Some(node) = names::repeated(&args.only) {
        bail!("--only {node}: it is named twice");
    }
    match args.job.nodes {
        Some(nodes) if named == 0 || nodes == named || only.contains('[') => Ok(nodes),
        Some(nodes) => bail!(
            "--only {only} names {}, and --nodes says {nodes}: leave out --nodes",
            report::number::many(named.into(), "node")
        ),
        None if named == 0 => bail!("--slurm needs --nodes N"),
        None if only.contains('[') => bail!("--only {only}: say how many these are with --nodes N"),
        None => Ok(named),
    }
}

fn by_slurm(
    args: &FleetRunArgs,
    partition: &str,
    plan: &Plan,
    program: &Path,
    out: &Path,
) -> Result<Ending> {
    let nodes = nodes(args)?;
    check_quorum(args, nodes as usize, out)?;
    let shared = out.join(PROGRAM).display().to_string();
    let at = args.at.as_deref().unwrap_or(&shared);
    let asked = &args.job;
    let at_once = || args.parallel.unwrap_or(nodes).min(nodes);
    let job = Job {
        asked,
        partition,
        nodes,
        only: &args.only,
        array: asked.array.then(at_once),
        time: deadline(args, plan),
        folder: out,
        program: at,
    };
    job.check()?;
    ensure!(
        asked.array || args.parallel.is_none(),
        "--parallel is for the jobs of an array (--array), and for machines by ssh: all nodes of one job begin \
         together"
    );
    tell(&job.cost(plan.budget()));
    if args.dry_run {
        output::print(&job.script())?;
        return Ok(Ending::Answered);
    }
    let copied = args.at.is_none().then_some(program);
    let said = submitted(&job, plan, copied, args.wait);
    tell(&said.inspect_err(|_| take_back(out))?);
    if args.wait {
        return gather::gathered(&[out.to_owned()], out, &args.merged, &args.shown);
    }
    tell(&format!(
        "when it has ended: flowgauge fleet gather {}",
        out.display()
    ));
    Ok(Ending::Answered)
}
