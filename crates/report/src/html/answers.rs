use lab::{Answer, Results};
use maud::{Markup, html};

use super::lesson::Lessons;
use super::size_budget::SizeBudget;
use super::tabled::forest;
use crate::charts::forest::Row as Bar;
use crate::date::utc;
use crate::document::Document;
use crate::document::answers::Answers;
use crate::text::tied;
use crate::words::tone;

pub(super) fn top(
    results: &Results,
    document: &Document,
    lessons: &Lessons,
    budget: &mut SizeBudget,
) -> Markup {
    let answers = &document.answers;
    html! {
        header {
            h1 { "flowgauge" }
            (budget.hold("the machine and the date", html! { p.where { (place(results, answers)) } }))
        }
        (lessons.class())
        section #answers aria-label="Answers" {
            @if let Some(sentence) = &answers.sentence { (budget.hold("the sentence", html! { p { strong { (sentence) "." } } })) }
            @if let Some(busy) = &answers.busy { (budget.hold("who else ran", html! { p.warning { (busy) "." } })) }
            @if let Some(asked) = &answers.asked { (budget.hold("the question", html! { p { (asked) "." } })) }
            (budget.hold("threads against processes", group("forest-main", "Threads against processes", &answers.rows, lessons)))
            (budget.hold("other answers", group("forest-other", others(answers), &answers.others, lessons)))
            (budget.hold("terms", terms(answers)))
            @if let Some(said) = &answers.terms { (budget.hold("terms", html! { p.quiet { (said) "." } })) }
        }
        @if !answers.next.is_empty() {
            section #next aria-label="Next" {
                h2 { "Next" }
                ul { @for line in &answers.next { (budget.hold(line, html! { li { (commanded(line)) } })) } }
            }
        }
        @if !answers.warnings.is_empty() {
            section aria-label="Warnings" {
                @for warning in &answers.warnings { (budget.hold(warning, html! { p.warning { (warning) } })) }
            }
        }
    }
}

fn commanded(line: &str) -> Markup {
    match line.split_once(": flowgauge ") {
        Some((said, command)) => html! { (said) ": " code { "flowgauge " (command) } },
        None => html! { (line) },
    }
}

fn others(answers: &Answers) -> &'static str {
    match answers.rows.is_empty() {
        true => "Answers",
        false => "Other answers",
    }
}

/// `2 CPUs (virtual machine) · 8 studies · host · CPU model · kernel · date`.
fn place(results: &Results, answers: &Answers) -> String {
    let machine = &results.header.machine;
    let about = [
        machine.host.to_string(),
        machine.processor.model.to_string(),
        format!("kernel {}", machine.kernel.release),
        utc(results.header.began_unix_s),
        format!("flowgauge {}", results.header.version),
    ];
    let all = answers.head.iter().cloned().chain(about);
    all.collect::<Vec<_>>().join(" · ")
}

fn group(id: &str, heading: &str, rows: &[Answer], lessons: &Lessons) -> Markup {
    let bars: Vec<Bar> = rows.iter().map(bar).collect();
    html! {
        @if !rows.is_empty() {
            h2 { (heading) }
            (forest::answers(id, heading, &bars, &|place| left(&rows[place]), &|place| html! { (said(&rows[place])) (lessons.fold(&rows[place])) }))
        }
    }
}

fn bar(row: &Answer) -> Bar {
    Bar {
        label: row.label.clone(),
        said: format!("{} {}", row.words, row.ends).trim_end().to_owned(),
        tone: tone(row),
        ratio: row.times(),
        interval: row.interval,
        floor: row.floor,
    }
}

fn left(row: &Answer) -> Markup {
    html! { a href=(format!("#study{}", row.place)) { (row.label) (row.mark()) } }
}

pub(super) fn said(row: &Answer) -> Markup {
    html! {
        span class=(format!("verdict {}", tone(row).class())) { (tied(&row.words)) }
        @if !row.ends.is_empty() { " " span.interval { (row.ends) } }
        @for line in &row.below { small { (tied(&line.text)) } }
    }
}

pub(super) fn short(row: &Answer) -> Markup {
    html! { span class=(tone(row).class()) { (tied(&row.words)) } " " (row.ends) }
}

fn terms(answers: &Answers) -> Markup {
    let any = answers.all().any(|row| row.times().is_some());
    html! {
        @if any {
            p.quiet {
                "In brackets: the interval that holds the true value with 95 % confidence, over all looks "
                "at the data. Same: the difference is smaller than what matters (the grey band). "
                "The axis is logarithmic."
            }
        }
        p.quiet { "A slot is one fresh launch of one variant; a round has one slot of each, in random order." }
        @if let Some(level) = answers.level(|_| true) { p.quiet { (level) "." } }
    }
}
