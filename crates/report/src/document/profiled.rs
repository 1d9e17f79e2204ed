//! Where the difference of two variants is, by their profiles.

use lab::findings::Profiled;
use lab::{CaseResult, Finding};
use measure::Measured;

use super::Section;
use crate::number::{percent, time};
use crate::words::{Tone, first_of, many};
use lab::data::gathered::grouped;

const FILES: usize = 4;

pub(super) fn profiled(section: &mut Section, case: &CaseResult) {
    for finding in &case.findings {
        match finding.profiled.as_deref() {
            None => {}
            Some(Measured::Value(found)) => of_finding(section, finding, found),
            Some(Measured::NotAvailable { reason, remedy }) => {
                let (subject, remedy) = (&finding.subject, bracketed(remedy));
                let text = format!("Where {subject} differs is not known: {reason}{remedy}");
                section.text(Tone::Doubt, text);
            }
        }
    }
}

fn of_finding(section: &mut Section, finding: &Finding, found: &Profiled) {
    section.text(Tone::Plain, head(finding, found));
    section.texts(Tone::Plain, found.lines());
    section.quiet(seen(finding, found));
    section.quiet(unseen(found).map(|one| format!("Not seen: {one}")));
}

/// What could not be seen; of files that lack the same a few names.
fn unseen(found: &Profiled) -> impl Iterator<Item = String> {
    let all = found.unseen.iter().filter_map(|one| match one {
        Measured::NotAvailable { reason, remedy } => {
            let (what, name) = reason.split_once(": ").unwrap_or((reason, ""));
            Some(((what, remedy), name))
        }
        Measured::Value(_) => None,
    });
    grouped(all).into_iter().map(|((what, remedy), names)| {
        let shown = first_of(&names, FILES, ", ");
        let colon = if shown.is_empty() { "" } else { ": " };
        format!("{what}{colon}{shown}{}", bracketed(remedy))
    })
}

fn bracketed(remedy: &str) -> String {
    match remedy {
        "" => String::new(),
        remedy => format!(" ({remedy})"),
    }
}

/// `Where: all flows of thread together take 1.02 s more for each launch ... of which`.
fn head(finding: &Finding, found: &Profiled) -> String {
    let [reference, subject] = found.total_s.map(|s| time(s * 1e9));
    let each = format!(
        "for each {}, all flows together: {} {subject}, {} {reference}",
        found.unit, finding.subject, finding.reference
    );
    format!(
        "Where the difference is, by {} of both ({each}):",
        many(found.rounds as u64, "profiled round")
    )
}

fn seen(finding: &Finding, found: &Profiled) -> Option<String> {
    let samples: u64 = found.samples.iter().sum();
    let cost = found.cost.map_or(String::new(), |[reference, subject]| {
        format!(
            "; profiled slots took {} of {} and {} of {} of the timed ones",
            percent(subject),
            finding.subject,
            percent(reference),
            finding.reference
        )
    });
    let each = match found.each {
        0 | 1 => String::new(),
        each => format!("; of each {each} switches one was looked at"),
    };
    let lost = match found.lost {
        0 => String::new(),
        lost => format!("; {} were lost for want of room", many(lost, "record")),
    };
    Some(format!(
        "Profiled: {}, {} judged, of those named at most 5 % are false on average{each}{lost}{cost}",
        many(samples, "sample of CPU time").replace("sample of CPU times", "samples of CPU time"),
        many(found.judged as u64, "place and branch")
            .replace("place and branchs", "places and branches"),
    ))
}
