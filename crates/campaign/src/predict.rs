//! What faster parts are predicted to bring, beside what they bring. A body of parts is built twice: as it is, and with
//! a part that really takes a fifth less. One run compares both builds under a model, and predicts from the plain one
//! what that would bring. *Within* is a prediction at most 3 points beside the real gain; *beyond* lies farther off,
//! *open* where the intervals of both meet though, *none* a run without one of both. The same of commands, whose
//! processes are stopped: two programs side by side, one whose other process does something else, and one alone.

use std::path::{Path, PathBuf};

use anyhow::Result;
use lab::CaseResult;

use crate::home::Home;
use crate::table::Table;
use crate::trials::Trials;
use crate::{Campaign, cc};

const OUTCOMES: [&str; 4] = ["within", "beyond", "open", "none"];
/// Points between the predicted gain and the real one.
const WITHIN: f64 = 0.03;
/// Share of trials that may lie farther off, and that noise may leave open.
const ALLOWED: f64 = 0.1;
/// Units of a flow in a launch: some 80 ms, beside which starting flows counts little.
const UNITS: u32 = 400;
/// So that both gains are known within a point on a machine of two CPUs.
const ROUNDS: &str = "40";
const PLAIN: &str = "plain";
const FAST: &str = "fast";
const MODELS: [(&str, u32); 4] = [("thread", 2), ("process", 2), ("2x1", 2), ("2x2", 4)];

struct Part {
    name: &'static str,
    place: u32,
    shape: u32,
    says: &'static str,
}

const fn part(name: &'static str, place: u32, shape: u32, says: &'static str) -> Part {
    Part {
        name,
        place,
        shape,
        says,
    }
}

const PARTS: [Part; 6] = [
    part("parse", 0, 0, "computing"),
    part("call", 2, 1, "system calls"),
    part("commit", 1, 2, "in a lock"),
    part("parse", 0, 2, "beside a lock"),
    part("lead", 3, 3, "of the last flow"),
    part("parse", 0, 3, "beside the last flow"),
];

/// Commands of `profiles.c`: what stands for `{}` is the steps of the function that is faster.
const COMMANDS: [(&str, &str); 3] = [
    ("one process", "BUILT 90000 {}"),
    (
        "two alike",
        "sh -c 'BUILT 90000 {} & BUILT 90000 {} & wait'",
    ),
    (
        "beside another",
        "sh -c 'BUILT 90000 {} & BUILT 150000 0 & wait'",
    ),
];
const STEPS: u32 = 100_000;
const FUNCTION: &str = "slowed_work";

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let folder = tempfile::tempdir()?;
    let built = cc::program(folder.path(), "built", include_str!("profiles.c"))?;
    std::fs::write(folder.path().join("predict.c"), include_str!("predict.c"))?;
    std::fs::write(
        folder.path().join("flowgauge.h"),
        include_str!("../../body/include/flowgauge.h"),
    )?;
    let attempt = |campaign: &mut Campaign, (name, row): &(String, Row)| {
        let found = match row {
            Row::Body(part, model) => of_body(campaign, folder.path(), part, *model)?,
            Row::Command(line) => of_command(campaign, &built, line)?,
        };
        let (outcome, said) = judged(found);
        println!("{name}: {outcome}: {said}");
        Ok((outcome, said))
    };
    let of = ("predict", &OUTCOMES[..]);
    let trials = Trials::run(of, campaign, &rows(), |(name, _)| name, attempt)?;
    println!("{}", trials.in_words());
    Ok(table(&trials))
}

enum Row {
    Body(&'static Part, (&'static str, u32)),
    Command(&'static str),
}

fn rows() -> Vec<(String, Row)> {
    let body = |part: &'static Part| {
        MODELS.into_iter().map(move |model| {
            let name = format!("{} {}, {}", part.name, part.says, model.0);
            (name, Row::Body(part, model))
        })
    };
    let commands = COMMANDS
        .iter()
        .map(|(name, line)| (format!("command, {name}"), Row::Command(line)));
    PARTS.iter().flat_map(body).chain(commands).collect()
}

#[derive(Debug, Clone, Copy)]
struct Gain {
    share: f64,
    interval: (f64, f64),
}

impl Gain {
    fn meets(self, other: Self) -> bool {
        let ((low, high), (from, to)) = (self.interval, other.interval);
        low <= to && from <= high
    }
}

impl std::fmt::Display for Gain {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [share, low, high] = [self.share, self.interval.0, self.interval.1].map(|x| 100.0 * x);
        write!(to, "{share:.1} % [{low:.1} … {high:.1}]")
    }
}

type Gains = Option<(Gain, Gain)>;

fn judged(found: Gains) -> (&'static str, String) {
    let Some((predicted, real)) = found else {
        return ("none", String::new());
    };
    let outcome = match (predicted.share - real.share).abs() <= WITHIN {
        true => "within",
        false if predicted.meets(real) => "open",
        false => "beyond",
    };
    (outcome, format!("{predicted} against {real}"))
}

fn of_body(
    campaign: &mut Campaign,
    folder: &Path,
    part: &Part,
    (model, flows): (&str, u32),
) -> Result<Gains> {
    let builds = [(PLAIN, None), (FAST, Some(part.place))];
    let builds = builds.map(|(name, faster)| build(folder, part, flows, (name, faster)));
    let [plain, fast] = builds;
    let libraries = [plain?, fast?].map(|path| path.display().to_string());
    let predict = format!("--predict={}", part.name);
    let (flows, units) = (flows.to_string(), (UNITS * flows).to_string());
    let [plain, fast] = &libraries;
    let how = ["--model", model, "--flows", &flows, "--units", &units];
    found(
        campaign,
        &[&["body", plain, fast, &predict], &how[..]].concat(),
        part.name,
    )
}

fn build(
    folder: &Path,
    part: &Part,
    flows: u32,
    (name, faster): (&str, Option<u32>),
) -> Result<PathBuf> {
    let into = folder.join(format!("{name}.so"));
    let faster = faster.map_or(-1, i64::from);
    let set = [
        format!("-DSHAPE={}", part.shape),
        format!("-DFASTER={faster}"),
        format!("-DLEADERS={flows}"),
    ];
    let mut options = vec!["-shared", "-fPIC", "-pthread"];
    options.extend(set.iter().map(String::as_str));
    cc::compile(&options, [folder.join("predict.c")], &into)?;
    Ok(into)
}

fn of_command(campaign: &mut Campaign, built: &Path, line: &str) -> Result<Gains> {
    let built = built.display().to_string();
    let of = |steps: u32| {
        let line = line.replace("BUILT", &built);
        line.replace("{}", &steps.to_string())
    };
    let predict = format!("--predict={FUNCTION}");
    let (plain, fast) = (of(STEPS), of(STEPS * 4 / 5));
    let line = ["exec", &plain, &fast, "-n", PLAIN, "-n", FAST, &predict];
    found(campaign, &line, FUNCTION)
}

fn found(campaign: &mut Campaign, line: &[&str], part: &str) -> Result<Gains> {
    let line = [line, &["--rounds", ROUNDS, "--budget", "60s"]].concat();
    let results = campaign.results(&Home::new()?, &line)?;
    let mut cases = results.studies.iter().flat_map(|study| &study.cases);
    Ok(cases.find_map(|case| gains(case, part)))
}

fn gains(case: &CaseResult, part: &str) -> Gains {
    let of_plain = |label: &str| label.starts_with(PLAIN);
    let mut parts = case.predicted.as_ref()?.parts.iter();
    let predicted = parts.find(|one| one.part == part && of_plain(&one.variant))?;
    let mut findings = case.findings.iter();
    let real = findings.find(|finding| of_plain(&finding.reference))?;
    let predicted = Gain {
        share: predicted.gain?,
        interval: predicted.interval?,
    };
    let real = real.estimate?;
    let real = Gain {
        share: 1.0 - real.ratio,
        interval: (1.0 - real.high?, 1.0 - real.low?),
    };
    Some((predicted, real))
}

fn table(trials: &Trials) -> Table {
    let mut table = Table::default();
    for outcome in ["beyond", "open", "none"] {
        let allowed = |tried| match outcome {
            "none" => 0,
            _ => (ALLOWED * tried as f64).floor() as u64,
        };
        trials.tell(&mut table, outcome, (None, outcome), allowed);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_points_beside_the_real_gain_are_within() {
        let gain = |share: f64, by: f64| Gain {
            share,
            interval: (share - by, share + by),
        };
        for (found, outcome) in [
            (Some((gain(0.10, 0.01), gain(0.12, 0.01))), "within"),
            (Some((gain(0.00, 0.01), gain(0.029, 0.01))), "within"),
            (Some((gain(0.10, 0.01), gain(0.06, 0.01))), "beyond"),
            (Some((gain(0.10, 0.01), gain(0.06, 0.05))), "open"),
            (Some((gain(-0.04, 0.01), gain(0.0, 0.01))), "beyond"),
            (None, "none"),
        ] {
            assert_eq!(judged(found).0, outcome, "{found:?}");
        }
    }

    #[test]
    fn every_part_is_tried_under_every_model_once() {
        let rows = rows();
        let names: std::collections::BTreeSet<&String> =
            rows.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), PARTS.len() * MODELS.len() + COMMANDS.len());
        assert_eq!(names.len(), rows.len());
    }
}
