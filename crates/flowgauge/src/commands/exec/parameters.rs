//! Commands spread over values of parameters, as hyperfine's `-L` and `-P` do it.

use anyhow::{Context, Result, ensure};

use crate::args::HyperfineArgs;

/// Commands at the most, after they are spread.
const MOST: usize = 200;

/// A command, with its name where it was given one.
pub(super) type Written = (Option<String>, String);

/// The commands once for each combination of values.
pub(super) fn spread(args: &HyperfineArgs, commands: Vec<Written>) -> Result<Vec<Written>> {
    let mut all = commands;
    for (name, values) in lists(args)? {
        let place = format!("{{{name}}}");
        let fills = |command: &Written| command.1.contains(&place);
        ensure!(
            all.iter().any(fills),
            "no command has {place}, which is to be filled in"
        );
        all = all
            .into_iter()
            .flat_map(|(label, command)| {
                let values: Vec<&String> = match command.contains(&place) {
                    true => values.iter().collect(),
                    false => values.iter().take(1).collect(),
                };
                let fill = |value: &&String| {
                    let label = label.as_ref().map(|label| match label.contains(&place) {
                        true => label.replace(&place, value),
                        false => format!("{label} {value}"),
                    });
                    (label, command.replace(&place, value))
                };
                values.iter().map(fill).collect::<Vec<_>>()
            })
            .collect();
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
