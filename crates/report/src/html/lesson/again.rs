use lab::{Answer, Results};
use maud::{Markup, html};

use super::Lesson;
use crate::text::shell_word;
use crate::words::run_study_again;

pub(super) fn command(results: &Results, row: &Answer) -> String {
    let study = &results.studies[row.place];
    let again = run_study_again(results, study);
    let is_named = again.starts_with(&format!("flowgauge run {} ", study.study.name));
    match is_named && !again.contains(" --case") {
        true => format!("{again} --case {}", shell_word(&row.case)),
        false => again,
    }
}

pub(super) fn again(lesson: &Lesson) -> Markup {
    html! {
        div.again {
            h3 { "Take it along" }
            p { "This row again:" }
            pre { code { (lesson.command) } }
            p.quiet {
                @if !lesson.evidence.is_empty() {
                    "Its launches are in slots.csv beside this page. "
                    a href=(lesson.evidence) { "Its study, with the evidence" } ". "
                }
                a href="#method" { "How a row is judged" } "."
            }
        }
    }
}
