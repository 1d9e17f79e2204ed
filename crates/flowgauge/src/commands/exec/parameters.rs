//! Commands spread over values of parameters, as hyperfine's `-L` and `-P` do it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use crate::args::HyperfineArgs;

/// Commands at the most, after they are spread.
const MOST: usize = 200;

/// A command as it is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    pub(super) name: Option<String>,
    pub(super) command: String,
    /// What was filled in.
    pub(super) parameters: BTreeMap<String, String>,
}

impl Written {
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

/// The commands once for each combination of values.
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

/// Names and values, in the order of the flags.
fn lists(args: &HyperfineArgs) -> Result<Vec<(String, Vec<String>)>> {
    let mut all = Vec::new();
    for pair in args.parameter_list.chunks_exact(2) {
        let values: Vec<String> = pair[1].split(',').map(str::to_owned).collect();
        all.push((pair[0].clone(), values));
    }
    for three in args.parameter_scan.chunks_exact(3) {
        let whole = |text: &str| -> Result<i64> {
            text.parse()
                .with_context(|| format!("-P {}: '{text}' is no whole number", three[0]))
        };
        let (from, to) = (whole(&three[1])?, whole(&three[2])?);
        let step = args.parameter_step_size.unwrap_or(1);
        ensure!(
            step > 0 && from <= to,
            "-P {}: {from} to {to} by {step} has no values",
            three[0]
        );
        let count = (to - from) / step + 1;
        ensure!(
            count <= MOST as i64,
            "-P {}: {count} values are too many",
            three[0]
        );
        let values = (0..count).map(|at| (from + at * step).to_string());
        all.push((three[0].clone(), values.collect()));
    }
    Ok(all)
}
