//! Identical commands, and commands of which one does 3 % more, through `exec`; hyperfine (where
//! installed) beside it, as often, in random order. *Different* is, of flowgauge, faster or slower;
//! of hyperfine, which gives no verdict, means that lie apart by more than the deviation of their
//! ratio, or a Welch test at 5 % (the script that it comes with).

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Result;
use serde_json::Value;
use stats::Verdict;

use crate::Campaign;
use crate::home::Home;
use crate::table::{Table, by_chance};

const LAUNCHES: &str = "20";
/// Steps of a command: some 10 ms where commands are identical, some 100 ms where they are not.
const SHORT: usize = 200_000;
const LONG: usize = 2_000_000;

const OURS: &str = "identical commands called different";
const BY_DEVIATION: &str = "hyperfine: apart by more than its deviation";
const BY_WELCH: &str = "hyperfine: Welch test at 5 %";
const WRONG: &str = "planted 3 %: wrong direction";
const MISSED: &str = "planted 3 %: not found";
const LATE: &str = "planted 3 %: took more than 60 s";

pub(crate) fn run(campaign: &mut Campaign, planted_too: bool) -> Result<Table> {
    let mut table = Table::default();
    while campaign.goes_on() {
        identical(campaign, &mut table)?;
        if planted_too {
            planted(campaign, &mut table)?;
        }
    }
    table.allow(OURS, |tried| by_chance(0.05, 2.0, tried) as u64);
    for counted in [BY_DEVIATION, BY_WELCH, MISSED, LATE] {
        table.allow(counted, |tried| tried);
    }
    Ok(table)
}

fn command(steps: usize) -> String {
    format!("awk 'BEGIN {{ for (i = 0; i < {steps}; i++) s += i; print s }}'")
}

fn identical(campaign: &mut Campaign, table: &mut Table) -> Result<()> {
    let line = command(SHORT);
    let ours_first = campaign.below(2) == 0;
    let ours = |campaign: &mut Campaign, table: &mut Table| -> Result<()> {
        let verdict = verdict(campaign, &line, &line, &["-r", LAUNCHES])?;
        let fell = verdict.is_some_and(|verdict| verdict.is_difference());
        table.tried(OURS, fell.then(|| format!("{verdict:?}")));
        Ok(())
    };
    if ours_first {
        ours(campaign, table)?;
    }
    if let Some([one, other]) = by_hyperfine(&line)? {
        table.tried(BY_DEVIATION, by_deviation(&one, &other).then(String::new));
        table.tried(BY_WELCH, by_welch(&one, &other).then(String::new));
    }
    if !ours_first {
        ours(campaign, table)?;
    }
    Ok(())
}

fn planted(campaign: &mut Campaign, table: &mut Table) -> Result<()> {
    let began = Instant::now();
    let more = command(LONG + LONG * 3 / 100);
    let verdict = verdict(campaign, &command(LONG), &more, &[])?;
    let wrong = matches!(verdict, Some(Verdict::Faster { .. }));
    let found = matches!(verdict, Some(Verdict::Slower { .. }));
    table.tried(WRONG, wrong.then(|| format!("{verdict:?}")));
    table.tried(MISSED, (!found).then(|| format!("{verdict:?}")));
    let took = began.elapsed().as_secs_f64();
    table.tried(LATE, (took > 60.0).then(|| format!("{took:.0} s")));
    Ok(())
}

fn verdict(
    campaign: &mut Campaign,
    one: &str,
    other: &str,
    further: &[&str],
) -> Result<Option<Verdict>> {
    let line = [&["exec", one, other], further].concat();
    let finding = campaign.finding(&Home::new()?, &line)?;
    Ok(finding.map(|finding| finding.verdict))
}

/// Of a command that hyperfine is given twice; `None` where it is not installed.
fn by_hyperfine(line: &str) -> Result<Option<[Vec<f64>; 2]>> {
    let home = Home::new()?;
    let file = home.path("times.json");
    let mut hyperfine = Command::new("hyperfine");
    hyperfine.args(["-N", "-w", "1", "-r", LAUNCHES, line, line, "--export-json"]);
    let run = hyperfine
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if !run.status().is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    let times = |place: usize| -> Vec<f64> {
        let times = json["results"][place]["times"].as_array();
        let times = times.into_iter().flatten();
        times.filter_map(Value::as_f64).collect()
    };
    Ok(Some([times(0), times(1)]))
}

fn mean_and_variance(times: &[f64]) -> (f64, f64) {
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    (mean, squares / (times.len() - 1) as f64)
}

fn by_deviation(one: &[f64], other: &[f64]) -> bool {
    let [(a, va), (b, vb)] = [one, other].map(mean_and_variance);
    let (ratio, part) = (a.max(b) / a.min(b), va / (a * a) + vb / (b * b));
    ratio - ratio * part.sqrt() > 1.0
}

/// At 5 %: the bound for 20 times on each side lies between 2.02 and 2.09; the larger is taken.
fn by_welch(one: &[f64], other: &[f64]) -> bool {
    const BOUND: f64 = 2.09;
    let [(a, va), (b, vb)] = [one, other].map(mean_and_variance);
    let error = (va / one.len() as f64 + vb / other.len() as f64).sqrt();
    (a - b).abs() > BOUND * error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyperfine_is_read_in_two_ways() {
        let around = |mean: f64| {
            (0..20)
                .map(|n| mean + 0.01 * f64::from(n % 5))
                .collect::<Vec<_>>()
        };
        let (one, near, far) = (around(1.0), around(1.011), around(1.2));
        assert!(!by_deviation(&one, &near) && by_welch(&one, &near));
        assert!(by_deviation(&one, &far) && by_welch(&one, &far));
        assert!(!by_welch(&one, &one));
    }
}
