//! The top of the page: where and when, what to beware of, one answer a study.

use lab::{Results, StudyResult};
use maud::{Markup, html};

use crate::date::utc;
use crate::number::percent;
use crate::terminal::{ending, headline};
use crate::words::{Comparison, Tone, comparison, many};

/// Machine, date, noise, warnings and answers.
pub(super) fn summary(results: &Results) -> Markup {
    html! {
        header {
            h1 { "flowgauge" }
            p.where { (place(results)) }
            @if let Some(how) = ending(results) { p.warning { strong { "Cut short. " } (how) } }
            @for warning in &results.warnings { p.warning { strong { "Warning: " } (warning) } }
        }
        section #answers aria-label="Answers" {
            @for (place, study) in results.studies.iter().enumerate() {
                (answer(results, place, study))
            }
        }
    }
}

/// `host · CPU model · 2 CPUs · kernel 6.1.0 · 2026-01-26 14:05 UTC · noise at most 2.1 %`.
fn place(results: &Results) -> String {
    let machine = &results.header.machine;
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let noise = cases.filter_map(|case| case.noise?.pair).reduce(f64::max);
    let mut parts = vec![
        machine.host.to_string(),
        machine.processor.model.to_string(),
        many(machine.usable_cpus() as u64, "usable CPU"),
        format!("kernel {}", machine.kernel.release),
        utc(results.header.began_unix_s),
    ];
    parts.extend(noise.map(|noise| format!("noise at most {}", percent(noise))));
    parts.push(format!("flowgauge {}", results.header.version));
    parts.join(" · ")
}

/// Whether a word of its own says more than the sentence begins with.
fn decided(said: &Comparison) -> bool {
    said.tone != Tone::Doubt
}

fn answer(results: &Results, place: usize, study: &StudyResult) -> Markup {
    // How many flows there can be is told without a comparison.
    let finding = study.headline().filter(|_| study.limits.is_empty());
    let said = finding.map(|finding| comparison(finding.estimate.as_ref(), &finding.verdict));
    let answer = headline(results, study);
    html! {
        article {
            h2 { a href=(format!("#study{place}")) { (study.study.title) } }
            @if let (Some(finding), Some(said)) = (finding, said.filter(decided)) {
                p class=(format!("verdict {}", said.tone.class())) {
                    (finding.subject) ": " (said.word)
                    @if !said.interval.is_empty() { " " span.interval { (said.interval) } }
                }
                p { (answer) }
            } @else {
                // The sentence says all that the verdict would, once; what is to be done about
                // it need not be as large.
                @let (said, rest) = answer.split_at(verdict_end(&answer));
                p.verdict.doubt[finding.is_some()] { (said) }
                @if !rest.is_empty() { p { (rest.trim_start_matches(';').trim_start()) } }
            }
        }
    }
}

/// Where the verdict ends in an answer that begins with it.
fn verdict_end(answer: &str) -> usize {
    let ends = ["; ", " ("]
        .into_iter()
        .filter_map(|mark| answer.find(mark));
    ends.min().unwrap_or(answer.len())
}
