//! Commands as servers: the same cases, with a load generator that asks them.

use std::fmt::Display;

use anyhow::{Result, bail, ensure};
use flow::placement::Cpus;
use lab::{Case, LabelledVariant, Metric, Study, SweepPoint};
use program::{Http, Load, Ready, Served};
use workload::Work;

use crate::args::{ExecArgs, ServeArgs};
use crate::files::works;

/// In seconds; the default of --timeout.
const READY_S: f64 = 10.0;

fn refuse_twice<T: PartialEq + Display>(flag: &str, list: &[T]) -> Result<()> {
    match names::repeated(list) {
        Some(one) => bail!("{flag} {one} is there twice: once is enough"),
        None => Ok(()),
    }
}

pub(super) fn served(args: &ServeArgs, cases: Vec<Case>, cpus: &Cpus) -> Result<Vec<Case>> {
    let here = &cpus.allowed;
    if let Some(none) = args.load_cpus.iter().find(|cpu| !here.contains(cpu)) {
        bail!(
            "--load-cpus {none}: that CPU is not available to this process: choose among {here:?}"
        );
    }
    refuse_twice("--load-cpus", &args.load_cpus)?;
    refuse_twice("--rate", &args.rate)?;
    if args.rate.is_empty() {
        let load = load(args, None)?;
        return Ok(cases
            .into_iter()
            .map(|case| with_load(args, case, &load, Metric::Request))
            .collect());
    }
    ensure!(
        cases.len() == 1,
        "--rate and a --sweep of several commands cannot be swept at one time: give one rate, or one number of flows"
    );
    let Some(case) = cases.into_iter().next() else {
        return Ok(Vec::new());
    };
    let of_rate = |&rate: &f64| {
        let load = load(args, Some(rate))?;
        let case = with_load(args, case.clone(), &load, Metric::P99);
        Ok(Case {
            name: format!("rate/{rate}"),
            title: format!("{rate} requests a second"),
            sweep: Some(SweepPoint {
                sweep: "rate".to_owned(),
                parameter: "rate".to_owned(),
                value: rate,
                unit: "requests/s".to_owned(),
            }),
            ..case
        })
    };
    args.rate.iter().map(of_rate).collect()
}

/// Options of launches that end by themselves.
pub(super) fn refuse(args: &ExecArgs) -> Result<()> {
    let given = [
        ("--stdin", args.each.stdin.is_some()),
        ("--work", args.each.work.is_some()),
        ("--leaves-processes", args.each.leaves_processes),
        ("--check-output", args.proof.check_output.is_some()),
        ("--same-output", args.proof.same_output),
        ("--ignore-failure", args.proof.ignore_failure.is_some()),
        ("--output", args.proof.output.is_some()),
    ];
    let refused = given.into_iter().find(|(_, given)| *given);
    if let (Some((flag, _)), false) = (refused, args.serve.serve.is_empty()) {
        bail!(
            "{flag} is for a command that ends by itself, and a server is stopped: --same-body and --check \
             prove what a server does"
        );
    }
    Ok(())
}

pub(super) fn check_ports(study: &Study) -> Result<()> {
    let mut served = works([study]).filter_map(|work| work.served());
    served.try_for_each(|served| served.check_port().map_err(anyhow::Error::msg))
}

fn load(args: &ServeArgs, rate: Option<f64>) -> Result<Load> {
    let is_url = |load: &String| load.starts_with("http://") || load.starts_with("https://");
    if args.load.iter().all(is_url) {
        let usual = Http::new(args.load.clone());
        return Ok(Load::Http(Http {
            rate,
            connections: args.connections.unwrap_or(usual.connections),
            seconds: args.duration.unwrap_or(usual.seconds),
            same_body: args.same_body,
            cpus: args.load_cpus.clone(),
            ..usual
        }));
    }
    ensure!(
        args.load.len() == 1,
        "--load names several URLs, or one command"
    );
    let of_built_in = [
        ("--rate", rate.is_some()),
        ("--connections", args.connections.is_some()),
        ("--duration", args.duration.is_some()),
        ("--same-body", args.same_body),
        ("--load-cpus", !args.load_cpus.is_empty()),
    ];
    if let Some((flag, _)) = of_built_in.into_iter().find(|(_, given)| *given) {
        bail!(
            "{flag} is for the built-in load generator, which asks a URL: say it in the command of --load itself: {}",
            args.load[0]
        );
    }
    Ok(Load::Command(args.load[0].clone()))
}

fn ready(args: &ServeArgs) -> Ready {
    match args.ready.as_str() {
        "tcp" => Ready::Tcp,
        url if url.starts_with("http://") || url.starts_with("https://") => {
            Ready::Url(url.to_owned())
        }
        line => Ready::Line(line.to_owned()),
    }
}

fn with_load(args: &ServeArgs, case: Case, load: &Load, metric: Metric) -> Case {
    let serve = |work: Work| match work {
        Work::Program(server) => Work::Served(Box::new(Served {
            ready_s: server.timeout_s.unwrap_or(READY_S),
            server: *server,
            ready: ready(args),
            load: load.clone(),
            slo_p99_s: args.slo,
        })),
        other => other,
    };
    let variants = case.variants.into_iter().map(|variant| LabelledVariant {
        work: variant.work.map(serve),
        ..variant
    });
    Case {
        variants: variants.collect(),
        work: serve(case.work),
        metric,
        reps: Some(1),
        ..case
    }
}
