//! The top of the page: where and when, what to beware of, one answer a study.

use lab::{Results, StudyResult};
use maud::{Markup, html};

use super::room::Room;
use crate::date::utc;
use crate::number::percent;
use crate::terminal::{ending, headline};
use crate::text::tied;
use crate::words::{comparison, many};

/// Machine, date, noise, warnings and answers.
pub(super) fn summary(results: &Results, room: &mut Room) -> Markup {
    html! {
        header {
            h1 { "flowgauge" }
            (room.hold(html! { p.where { (place(results)) } }))
            @if let Some(how) = ending(results) {
                (room.hold(html! { p.warning { strong { "Cut short. " } (how) } }))
            }
            @for warning in &results.warnings {
                (room.hold(html! { p.warning { strong { "Warning: " } (warning) } }))
            }
        }
        section #answers aria-label="Answers" {
            @for (place, study) in results.studies.iter().enumerate() {
                (room.hold(answer(results, place, study)))
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

/// A card: the verdict, and smaller what is to be said about it.
fn answer(results: &Results, place: usize, study: &StudyResult) -> Markup {
    // How many flows there can be is told without a comparison.
    let finding = study.headline().filter(|_| study.limits.is_empty());
    let said = finding.map(|finding| comparison(finding.estimate.as_ref(), &finding.verdict));
    let class = said.map_or("same", |said| said.tone.class());
    let answer = headline(results, study);
    let (verdict, rest) = answer.split_at(verdict_end(&answer));
    let rest = about(rest);
    html! {
        article {
            h2 { a href=(format!("#study{place}")) { (study.study.title) } }
            p class=(format!("verdict {class}")) { (with_interval(verdict)) }
            @if !rest.is_empty() { p { (tied(&rest)) } }
        }
    }
}

/// A sentence, its interval less loud than its words.
fn with_interval(sentence: &str) -> Markup {
    let ends = sentence.find(" [").zip(sentence.find(']'));
    match ends.filter(|(begin, end)| begin < end) {
        None => html! { (tied(sentence)) },
        Some((begin, end)) => html! {
            (tied(&sentence[..begin])) " "
            span.interval { (sentence[begin + 1..=end]) }
            (tied(&sentence[end + 1..]))
        },
    }
}

/// Where the verdict ends in an answer that begins with it.
fn verdict_end(answer: &str) -> usize {
    let ends = ["; ", " ("]
        .into_iter()
        .filter_map(|mark| answer.find(mark));
    ends.min().unwrap_or(answer.len())
}

/// What stands behind a verdict, as a line of its own: `(about 9 more rounds); cut short` is
/// `about 9 more rounds; cut short`.
fn about(rest: &str) -> String {
    let rest = rest.trim_start_matches(';').trim_start();
    match rest.strip_prefix('(') {
        Some(inside) => inside.replacen(')', "", 1),
        None => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_verdict_is_a_line_of_its_own() {
        let split = |answer: &str| {
            let (verdict, rest) = answer.split_at(verdict_end(answer));
            (verdict.to_owned(), about(rest))
        };
        let doubt = "cannot tell a and b apart: [0.97 ... 1.05] (about 192 more rounds); cut short";
        assert_eq!(
            split(doubt),
            (
                "cannot tell a and b apart: [0.97 ... 1.05]".to_owned(),
                "about 192 more rounds; cut short".to_owned()
            )
        );
        let plain = "threads 5.3 % faster than processes [2.0 ... 9.7 %], to switch";
        assert_eq!(split(plain), (plain.to_owned(), String::new()));
        let said = with_interval(plain).into_string();
        assert!(
            said.ends_with("[2.0 ... 9.7 %]</span>, to switch"),
            "{said}"
        );
    }
}
