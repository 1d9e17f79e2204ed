use lab::CaseResult;
use lab::findings::sampled::{Sampled, sampled};

use crate::number::{bytes, percent, time};
use crate::text::TIE;
use crate::words::many;
use lab::data::gathered::distinct;

pub(crate) fn sampling(case: &CaseResult) -> Vec<String> {
    let variants = case.variants.iter().enumerate();
    let found = variants.filter_map(|(at, variant)| Some((&variant.label, sampled(case, at)?)));
    let found: Vec<(&String, Sampled)> = found.collect();
    let seen = found.iter().filter(|(_, sampled)| sampled.slots > 0);
    let lines = seen.map(|(label, sampled)| line(label, sampled));
    let unseen = distinct(found.iter().flat_map(|(_, sampled)| &sampled.not_available));
    let unseen = unseen
        .into_iter()
        .map(|reason| format!("sampled: {reason}"));
    lines.chain(unseen).collect()
}

/// `sampled thread every 100 ms (12 samples of 2 slots): CPU 98 %, ...; the sampler used ...`.
fn line(label: &str, sampled: &Sampled) -> String {
    let slots = many(sampled.slots as u64, "slot");
    let taken = match sampled.samples {
        0 => format!(
            "no sample, {slots} ended before the first (a shorter --sample sees more); by the \
             counters at the end"
        ),
        samples => format!("{} of {slots}", many(samples as u64, "sample")),
    };
    let line = format!(
        "sampled {label} every {} ({taken}): {}; {}",
        time(sampled.interval_ns as f64),
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
        size("memory", sampled.most_memory).map(|most| {
            format!(
                "{most} in {}",
                many(sampled.memory_readings as u64, "reading")
            )
        }),
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
        missed => format!(", and missed {}", many(missed, "tick")),
    };
    let share = percent(sampled.own_share);
    format!("the sampler used {share} of one CPU, {place}{missed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled() -> Sampled {
        Sampled {
            slots: 2,
            samples: 12,
            interval_ns: 100_000_000,
            cpu: 0.981,
            most_cpu: Some(1.0),
            most_rss: Some(24 << 20),
            most_memory: None,
            memory_readings: 0,
            most_tasks: Some(3),
            written: Some(0),
            most_disk: Some(40 << 20),
            own_share: 0.0042,
            aside: true,
            missed: 1,
            not_available: Vec::new(),
        }
    }

    /// The most of two readings passed for the most of dozens of samples.
    #[test]
    fn memory_is_said_with_the_number_of_its_readings() {
        let sampled = Sampled {
            most_memory: Some(36 << 20),
            memory_readings: 2,
            ..sampled()
        };
        let said = line("huge", &sampled).replace(TIE, " ");
        assert!(
            said.contains("memory at most 36.0 MiB in 2 readings,"),
            "{said}"
        );
    }

    /// "0 samples: CPU 42 % (at most 85 %)" were figures and a chart of nothing.
    #[test]
    fn figures_without_a_sample_say_what_they_are_of() {
        let sampled = Sampled {
            samples: 0,
            most_cpu: None,
            most_rss: None,
            most_disk: None,
            missed: 0,
            ..sampled()
        };
        assert_eq!(
            line("thread", &sampled).replace(TIE, " "),
            "sampled thread every 100 ms (no sample, 2 slots ended before the first (a shorter \
             --sample sees more); by the counters at the end): CPU 98 %, 0 B written; the sampler \
             used 0.42 % of one CPU, on CPUs of no flow"
        );
    }

    #[test]
    fn what_was_seen_and_what_it_cost_is_one_line() {
        assert_eq!(
            line("thread", &sampled()).replace(TIE, " "),
            "sampled thread every 100 ms (12 samples of 2 slots): CPU 98 % (at most 100 %), RSS at \
             most 24.0 MiB, 0 B written, folder at most 40.0 MiB; the sampler used 0.42 % of one \
             CPU, on CPUs of no flow, and missed 1 tick"
        );
    }
}
