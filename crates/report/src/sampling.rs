//! What samplers recorded of each variant, and what they cost, in words.

use lab::CaseResult;
use lab::results::sampled::{Sampled, sampled};

use crate::number::{bytes, count, percent, time};
use crate::text::TIE;

/// A line a sampled variant, and one for each reason why something is missing.
pub(crate) fn sampling(case: &CaseResult) -> Vec<String> {
    let variants = case.variants.iter().enumerate();
    let found = variants.filter_map(|(at, variant)| Some((&variant.label, sampled(case, at)?)));
    let found: Vec<(&String, Sampled)> = found.collect();
    let lines = found
        .iter()
        .filter(|(_, sampled)| sampled.slots > 0)
        .map(|(label, sampled)| line(label, sampled));
    let mut lines: Vec<String> = lines.collect();
    for reason in found.iter().flat_map(|(_, sampled)| &sampled.not_available) {
        let line = format!("sampled: {reason}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// `sampled thread every 100 ms (12 samples of 2 slots): CPU 98 %, ...; the sampler used ...`.
fn line(label: &str, sampled: &Sampled) -> String {
    let line = format!(
        "sampled {label} every {} ({} of {}): {}; {}",
        time(sampled.interval_ns as f64),
        many(sampled.samples, "sample"),
        many(sampled.slots, "slot"),
        seen(sampled).join(", "),
        cost(sampled)
    );
    line.replace(" %", &format!("{TIE}%"))
}

fn seen(sampled: &Sampled) -> Vec<String> {
    let most = sampled
        .most_cpu
        .map(|share| format!(" (at most {})", percent(share)));
    let size = |what: &str, value: Option<u64>| {
        let value = value.filter(|&value| value > 0)?;
        Some(format!("{what} at most {}", bytes(value as f64)))
    };
    let written = sampled.written;
    [
        Some(format!(
            "CPU {}{}",
            percent(sampled.cpu),
            most.unwrap_or_default()
        )),
        size("memory", sampled.most_memory),
        size("RSS", sampled.most_rss),
        written.map(|value| format!("{} written", bytes(value as f64))),
        size("folder", sampled.most_disk),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn cost(sampled: &Sampled) -> String {
    let place = if sampled.aside {
        "on CPUs of no flow"
    } else {
        "on CPUs that flows may use"
    };
    let missed = match sampled.missed {
        0 => String::new(),
        missed => format!(", and missed {}", many(missed as usize, "tick")),
    };
    let share = percent(sampled.own_share);
    format!("the sampler used {share} of one CPU, {place}{missed}")
}

fn many(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", count(number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_and_what_it_cost_is_one_line() {
        let sampled = Sampled {
            slots: 2,
            samples: 12,
            interval_ns: 100_000_000,
            cpu: 0.981,
            most_cpu: Some(1.0),
            most_rss: Some(24 << 20),
            most_memory: None,
            most_tasks: Some(3),
            written: Some(0),
            most_disk: Some(40 << 20),
            own_share: 0.0042,
            aside: true,
            missed: 1,
            not_available: Vec::new(),
        };
        assert_eq!(
            line("thread", &sampled).replace(TIE, " "),
            "sampled thread every 100 ms (12 samples of 2 slots): CPU 98 % (at most 100 %), RSS at \
             most 24.0 MiB, 0 B written, folder at most 40.0 MiB; the sampler used 0.42 % of one \
             CPU, on CPUs of no flow, and missed 1 tick"
        );
    }
}
