//! Commands spread over values of parameters, as hyperfine's `-L` and `-P` do it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use crate::args::HyperfineArgs;

const MOST: usize = 200;

#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    pub(super) name: Option<String>,
    pub(super) command: String,
    pub(super) parameters: BTreeMap<String, String>,
}

impl Written {
    pub(super) fn filled(&self, line: &str) -> String {
        let fill = |line: String, (name, value): (&String, &String)| {
            line.replace(&format!("{{{name}}}"), value)
        };
        self.parameters.iter().fold(line.to_owned(), fill)
    }

    fn with(&self, parameter: &str, value: &str) -> Self {
        let place = format!("{{{parameter}}}");
        let name = self.name.as_ref().map(|name| match name.contains(&place) {
            true => name.replace(&place, value),
            false => format!("{name} {value}"),
        });
        let mut parameters = self.parameters.clone();
        parameters.insert(parameter.to_owned(), value.to_owned());
        Self {
            name,
            command: self.command.replace(&place, value),
            parameters,
        }
    }
}

pub(super) fn spread(args: &HyperfineArgs, commands: Vec<Written>) -> Result<Vec<Written>> {
    let mut all = commands;
    for (parameter, values) in lists(args)? {
        let place = format!("{{{parameter}}}");
        ensure!(
            all.iter().any(|one| one.command.contains(&place)),
            "no command has {place}, which is to be filled in"
        );
        let spread = all
            .iter()
            .flat_map(|one| match one.command.contains(&place) {
                true => values
                    .iter()
                    .map(|value| one.with(&parameter, value))
                    .collect(),
                false => vec![one.clone()],
            });
        all = spread.collect();
        ensure!(
            all.len() <= MOST,
            "{} commands are too many: {MOST} at the most",
            all.len()
        );
    }
    Ok(all)
}

fn lists(args: &HyperfineArgs) -> Result<Vec<(String, Vec<String>)>> {
    let mut all = Vec::new();
    for pair in args.parameter_list.chunks_exact(2) {
        let values: Vec<String> = pair[1].split(',').map(str::to_owned).collect();
        if let Some(value) = names::repeated(&values) {
            bail!("-L {} has {value} twice: once is enough", pair[0]);
        }
        all.push((pair[0].clone(), values));
    }
    for three in args.parameter_scan.chunks_exact(3) {
        let values = scan(three, args.parameter_step_size.as_deref())
            .with_context(|| format!("-P {}", three.join(" ")))?;
        all.push((three[0].clone(), values));
    }
    let named: Vec<&String> = all.iter().map(|(name, _)| name).collect();
    if let Some(name) = names::repeated(&named) {
        bail!("{name} is the name of two lists (-L, -P): give each a name of its own");
    }
    Ok(all)
}

/// Without rounding: counted in units of the last decimal of the ends and the step.
fn scan(three: &[String], step: Option<&str>) -> Result<Vec<String>> {
    let texts = [three[1].as_str(), three[2].as_str(), step.unwrap_or("1")];
    let decimals = texts.map(|text| text.split_once('.').map_or(0, |(_, part)| part.len()));
    let decimals = decimals.into_iter().max().unwrap_or(0);
    ensure!(
        step.is_some() || decimals == 0,
        "a range with decimals needs its step: -D 0.1"
    );
    let [from, to, step] = texts.map(|text| units(text, decimals));
    let (from, to, step) = (from?, to?, step?);
    ensure!(step > 0 && from <= to, "this range has no values");
    let count = (to - from) / step + 1;
    ensure!(count <= MOST as i64, "{count} values are too many");
    Ok((0..count)
        .map(|at| decimal(from + at * step, decimals))
        .collect())
}

fn units(text: &str, decimals: usize) -> Result<i64> {
    let no_number = || format!("'{text}' is no number such as 2 or 0.25");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = part.bytes().all(|byte| byte.is_ascii_digit()) && decimals <= 9;
    ensure!(is_plain, no_number());
    let digits = format!("{whole}{part:0<decimals$}");
    digits.parse().with_context(no_number)
}

fn decimal(units: i64, decimals: usize) -> String {
    if decimals == 0 {
        return units.to_string();
    }
    let digits = format!("{:0width$}", units.abs(), width = decimals + 1);
    let (whole, part) = digits.split_at(digits.len() - decimals);
    let sign = if units < 0 { "-" } else { "" };
    format!("{sign}{whole}.{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_have_decimals_and_is_not_rounded() {
        let of = |from: &str, to: &str, step: Option<&str>| {
            scan(&["n", from, to].map(str::to_owned), step)
        };
        assert_eq!(of("0.01", "0.02", Some("0.01")).unwrap(), ["0.01", "0.02"]);
        assert_eq!(of("1", "3", None).unwrap(), ["1", "2", "3"]);
        assert_eq!(
            of("-0.5", "0.5", Some("0.5")).unwrap(),
            ["-0.5", "0.0", "0.5"]
        );
        assert_eq!(
            of("0", "0.3", Some("0.1")).unwrap(),
            ["0.0", "0.1", "0.2", "0.3"]
        );
        for (from, to, step) in [
            ("0.1", "0.3", None),
            ("x", "2", None),
            ("2", "1", None),
            ("1", "2", Some("0")),
        ] {
            assert!(of(from, to, step).is_err(), "{from} {to} {step:?}");
        }
    }
}
