use anyhow::{Context, Result, bail, ensure};
use flow::placement::Cpus;
use flow::{Model, Schedule, Variant};
use lab::number::{count, many};
use lab::{Case, LabelledVariant, Metric, Preset, Request, Study};
use machine::Machine;
use workload::wiki::check_store;
use workload::{Server, Wiki, Work, server};

use crate::args::{Design, WikiArgs};

use crate::ending::Ending;
use crate::output::tell;
use crate::session::{self, Session};

const SERVER_WORKERS: u64 = 4;
const BUDGET_S: f64 = 300.0;

pub(crate) fn run(args: &WikiArgs, here: &Machine) -> Result<Ending> {
    let request = request(args, here)?;
    let mut settings = session::settings(&request, &args.how, Preset::Full, here)?;
    settings.budget_s = args.how.budget.or(Some(BUDGET_S));
    let lines = options(args, &request.wanted[0].study.cases[0], settings.seed);
    let session = Session::begin(&request, settings, &args.how, here)?;
    lines.iter().for_each(|line| tell(line));
    session.carry_out(&args.how.answer)
}

pub(super) fn request(args: &WikiArgs, here: &Machine) -> Result<Request<'static>> {
    let wiki = wiki(args)?;
    let case = match args.server.as_slice() {
        [] => within(args, wiki, here)?,
        designs => served(args, designs, wiki, &lab::cpus(here))?,
    };
    Ok(session::as_written(Study::new(
        "wiki",
        "Requests for pages of a wiki".to_owned(),
        "A web server with a database: text that is read, parsed and made into HTML, in many small \
         objects that live for one request.",
        vec![case],
    )))
}

fn wiki(args: &WikiArgs) -> Result<Wiki> {
    let store = args.store.as_ref().map(|store| {
        let shown = store.display();
        let found = store.canonicalize();
        found.with_context(|| format!("--store {shown}: name a file that is there"))
    });
    let store = store.transpose()?;
    // A bad store is reported by the study's check.
    let there = store.as_ref().and_then(|store| check_store(store).ok());
    Ok(Wiki {
        requests: args.requests,
        pages: there.map_or(args.pages, |there| args.pages.min(there.max(1))),
        page_size: args.page_size,
        cache: args.cache,
        store,
        seed: args.page_seed,
    })
}

fn variant(args: &WikiArgs, model: Model, flows: u64) -> Result<Variant> {
    ensure!(flows > 0, "--workers 0: there must be at least 1 worker");
    let (flows, asked) = match model.own_flows() {
        Some(flows) => (flows, model.to_string()),
        None => (flows, "--workers".to_owned()),
    };
    let flows = u32::try_from(flows).ok();
    let flows =
        flows.with_context(|| format!("{asked}: too large: the maximum is 4,294,967,295"))?;
    Ok(Variant {
        placement: args.placement.clone(),
        schedule: Schedule::Queue,
        ..Variant::new(model, flows)
    })
}

fn within(args: &WikiArgs, wiki: Wiki, machine: &Machine) -> Result<Case> {
    let models = super::models(&args.model);
    ensure!(
        args.workers.is_none() || models.iter().any(|model| model.own_flows().is_none()),
        NO_NUMBER
    );
    let flows = args.workers.unwrap_or(machine.usable_cpus() as u64);
    let variants = models.iter().map(|&model| variant(args, model, flows));
    let variants: Vec<Variant> = variants.collect::<Result<_>>()?;
    if let Some(variant) = names::repeated(&variants) {
        bail!("--model names {} twice: once is enough", variant.model);
    }
    let title = format!("{} within the program", many(wiki.requests, "request"));
    let work = Work::Wiki(wiki);
    work.check()?;
    let work = (work, Metric::Steady);
    Ok(Case::new("within", title, work, lab::labelled(variants)))
}

const NO_NUMBER: &str = "--workers is for models and designs that can have any number: PxT has its \
    own, and thread-per-connection has 1 worker, which accepts";

fn takes_workers(design: Design) -> bool {
    design.design == server::Design::Pool && design.model.own_flows().is_none()
}

fn served(args: &WikiArgs, designs: &[Design], wiki: Wiki, cpus: &Cpus) -> Result<Case> {
    if args.load.port > 0 {
        server::try_port(args.load.port).context("--port")?;
    }
    ensure!(
        args.workers.is_none() || designs.iter().any(|design| takes_workers(*design)),
        NO_NUMBER
    );
    let load_cpu = load_cpu(args, cpus)?;
    if let Some(design) = names::repeated(designs) {
        bail!("--server names {} twice: once is enough", design.name());
    }
    let variants = designs
        .iter()
        .map(|design| labelled(args, *design, &wiki, load_cpu));
    let mut variants = variants.collect::<Result<Vec<_>>>()?;
    let work = variants.first().and_then(|first| first.work.clone());
    let work = work.context("--server names no design")?;
    for variant in &mut variants {
        variant.work = variant.work.take().filter(|own| *own != work);
    }
    let title = format!(
        "{} over HTTP, {}",
        many(wiki.requests, "request"),
        many(args.load.connections, "connection")
    );
    Ok(Case::new("server", title, (work, Metric::Steady), variants))
}

fn load_cpu(args: &WikiArgs, cpus: &Cpus) -> Result<Option<u32>> {
    if let Some(cpu) = args.load.load_cpu {
        ensure!(
            cpus.allowed.contains(&cpu),
            "--load-cpu {cpu}: this program may use the CPUs {:?}",
            cpus.allowed
        );
        return Ok(Some(cpu));
    }
    let is_one = cpus.allowed.len() < 2;
    Ok(cpus
        .cores
        .last()
        .or(cpus.allowed.last())
        .copied()
        .filter(|_| !is_one))
}

fn labelled(
    args: &WikiArgs,
    design: Design,
    wiki: &Wiki,
    load_cpu: Option<u32>,
) -> Result<LabelledVariant> {
    let workers = match design.design {
        server::Design::Pool => args.workers.unwrap_or(SERVER_WORKERS),
        server::Design::PerConnection => 1,
    };
    let variant = variant(args, design.model, workers)?;
    let work = Server {
        workers: variant.flows.into(),
        design: design.design,
        requests: wiki.requests,
        connections: args.load.connections,
        keep_alive: args.load.keep_alive,
        port: args.load.port,
        load_cpu,
        pages: wiki.pages,
        page_size: wiki.page_size,
        cache: wiki.cache,
        store: wiki.store.clone(),
        seed: wiki.seed,
    };
    let work = Work::WikiServer(work);
    work.check()?;
    Ok(LabelledVariant {
        work: Some(work),
        ..LabelledVariant::new(design.name(), variant)
    })
}

fn number_of_pages(work: &Work) -> u64 {
    match work {
        Work::WikiServer(server) => server.pages,
        Work::Wiki(wiki) => wiki.pages,
        _ => 0,
    }
}

fn pages(args: &WikiArgs, work: &Work) -> String {
    let cache = if args.cache { "on" } else { "off" };
    let from = match work.store() {
        Some(store) => format!("the first {} of {}", number_of_pages(work), store.display()),
        None => format!("{} of about {}", args.pages, args.page_size),
    };
    format!("{from}, parser cache {cache}")
}

fn options(args: &WikiArgs, case: &Case, seed: u64) -> Vec<String> {
    let variants = case.variants.iter();
    let variants: Vec<String> = variants
        .map(|v| format!("{} ({})", v.label, v.variant.flows))
        .collect();
    let mut rows = vec![
        ("workers", variants.join(", ")),
        ("pages", pages(args, &case.work)),
        ("requests", count(args.requests)),
    ];
    if let Work::WikiServer(server) = &case.work {
        let load_cpu = server.load_cpu.map_or_else(
            || "shares the CPU of the servers: there is no other".to_owned(),
            |cpu| format!("on CPU {cpu}"),
        );
        let connections = many(server.connections, "connection");
        let each = many(server.keep_alive, "request");
        rows.push(("load", format!("{connections}, {each} each, {load_cpu}")));
    }
    rows.push(("seed", seed.to_string()));
    super::options("wiki", &rows)
}
