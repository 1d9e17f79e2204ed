//! The top of the page: where and when, what to beware of, one answer a study.

use lab::{Results, StudyResult};
use maud::{Markup, html};

use super::size_budget::SizeBudget;
use crate::date::utc;
use crate::number::percent;
use crate::terminal::{ending, headline};
use crate::text::tied;
use crate::words::{comparison, many};

/// Machine, date, noise, warnings and answers.
pub(super) fn summary(results: &Results, budget: &mut SizeBudget) -> Markup {
    html! {
        header {
            h1 { "flowgauge" }
            (budget.hold(html! { p.where { (place(results)) } }))
            @if let Some(how) = ending(results) {
                (budget.hold(html! { p.warning { strong { "Cut short. " } (how) } }))
            }
            @for warning in &results.warnings {
                (budget.hold(html! { p.warning { strong { "Warning: " } (warning) } }))
            }
        }
        section #answers aria-label="Answers" {
            @for (place, study) in results.studies.iter().enumerate() {
                (budget.hold(answer(results, place, study)))
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
    let (verdict, rest) = lines(&answer);
    html! {
        article {
            h2 { a href=(format!("#study{place}")) { (study.study.title) } }
            p class=(format!("verdict {class}")) { (with_interval(verdict)) }
            @for line in rest { p { (with_interval(line)) } }
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

/// The verdict with which an answer begins, and what stands behind it, each a line of its own: the
/// answers of other works, or `(about 9 more rounds); cut short` as `about 9 more rounds` and
/// `cut short`.
fn lines(answer: &str) -> (&str, Vec<&str>) {
    let mut parts = answer.split("; ");
    let first = parts.next().unwrap_or(answer);
    let behind = first.split_once(" (");
    let behind = behind.and_then(|(verdict, about)| Some((verdict, about.strip_suffix(')')?)));
    let (verdict, about) = behind.map_or((first, None), |(verdict, about)| (verdict, Some(about)));
    (verdict, about.into_iter().chain(parts).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_verdict_is_a_line_of_its_own() {
        let doubt = "cannot tell a and b apart: [0.97 ... 1.05] (about 192 more rounds); cut short";
        let verdict = "cannot tell a and b apart: [0.97 ... 1.05]";
        assert_eq!(
            lines(doubt),
            (verdict, vec!["about 192 more rounds", "cut short"])
        );
        let plain = "threads 5.3 % faster than processes [2.0 ... 9.7 %], to switch";
        assert_eq!(lines(plain), (plain, Vec::new()));
        let said = with_interval(plain).into_string();
        assert!(
            said.ends_with("[2.0 ... 9.7 %]</span>, to switch"),
            "{said}"
        );
    }
    /// The answer of the first work ended at its bracket, and the others ran on behind it.
    #[test]
    fn each_work_of_an_answer_has_its_line() {
        let answer = "a with 2 flows: cannot tell: [0.9 ... 1.1] (about 9 more rounds); b with 2 \
                      flows: threads (all) 2x faster; no data yet: c";
        let (verdict, rest) = lines(answer);
        assert_eq!(verdict, "a with 2 flows: cannot tell: [0.9 ... 1.1]");
        let others = [
            "about 9 more rounds",
            "b with 2 flows: threads (all) 2x faster",
            "no data yet: c",
        ];
        assert_eq!(rest, others);
    }
}
