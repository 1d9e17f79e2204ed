//! Callers of both sides of a profile, and the table of places behind them.

use lab::findings::{Frame, Profiled};
use lab::{CaseResult, Finding};

use super::{Figure, Legend};
use crate::charts::Chart;
use crate::charts::flames::{Flame, Flames};
use crate::document::table::Table;
use crate::number::time;

const LONGER: &str = "s2";
const SHORTER: &str = "s4";
const SAME: &str = "s1";
const SMALL: &str = "s6";

const MOST: usize = 60;

pub(crate) fn flames(id: &str, case: &CaseResult) -> impl Iterator<Item = Figure> {
    let findings = case.findings.iter().enumerate();
    findings.filter_map(move |(at, finding)| {
        let found = finding.profiled.as_deref()?.value()?;
        Some(figure(&format!("{id}-{at}-flames"), finding, found))
    })
}

fn figure(id: &str, finding: &Finding, found: &Profiled) -> Figure {
    let labels = [&finding.reference, &finding.subject];
    let side = |side: usize| format!("{}: {}", labels[side], time(found.total_s[side] * 1e9));
    let title = format!(
        "Callers and what they call, in time for each {}",
        found.unit
    );
    let desc = format!("The places that differ: {}", found.lines().join("; "));
    let legend = Legend::Keys(vec![
        (LONGER, format!("longer in {}", finding.subject)),
        (SHORTER, "shorter".to_owned()),
        (SAME, "no difference is named".to_owned()),
        (SMALL, "too small to be judged".to_owned()),
    ]);
    let chart = Chart::Flames(Flames {
        sides: [side(0), side(1)],
        total_s: found.total_s,
        frames: found.tree.iter().map(flame).collect(),
    });
    let figure = Figure::new(id, title, desc, chart).legend(legend);
    figure.data(places(found, labels))
}

fn flame(frame: &Frame) -> Flame {
    let class = match (frame.is_named, frame.p_value) {
        (true, _) if frame.difference_s() > 0.0 => LONGER,
        (true, _) => SHORTER,
        (false, Some(_)) => SAME,
        (false, None) => SMALL,
    };
    Flame {
        name: frame.name.clone(),
        above: frame.above,
        seconds: frame.seconds,
        class,
        said: format!("{}{}", frame.words(), standing(frame)),
    }
}

fn standing(frame: &Frame) -> &'static str {
    match (frame.is_named, frame.p_value) {
        (true, _) => "; the difference is named",
        (false, Some(_)) => "; no difference is named",
        (false, None) => "; too small to be judged",
    }
}

fn places(found: &Profiled, [reference, subject]: [&String; 2]) -> Table {
    let rows = found.places.iter().take(MOST).map(|frame| {
        let [of_reference, of_subject] = frame.seconds.map(|s| time(s * 1e9));
        let named = standing(frame).trim_start_matches("; ").to_owned();
        let interval = frame.interval_words();
        vec![
            frame.name.clone(),
            of_subject,
            of_reference,
            interval,
            named,
        ]
    });
    let heads = ["place", subject, reference, "difference", "which"];
    Table::texts("", &heads, rows.collect())
}
