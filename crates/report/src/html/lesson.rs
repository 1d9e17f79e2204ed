//! What a reader can try on a row of the first screen, in a fold; the page has one block of data for all (the element
//! `lesson`) and one script. Nothing here judges: a test compares what the script computes again.
//!
//! | feature | without the script | with it |
//! |---|---|---|
//! | `coin` | how often a coin gives each result, and this run as a line | a reader tosses the coin |
//! | `sweeps` | measured points of what was varied | a slider over them, never beyond |
//! | `film` | both launches of a typical round, flow by flow | the same, played slowly |
//! | `guess` | a sentence that it needs scripts | guesses before the answers, points, those of a class together |
//! | `again` | the command | a button that copies it, the rounds as CSV |
//!
//! Pages of several runs and of a fleet have folds of what can be taken along ([`Lesson::along`]). A page that holds
//! only what fits has no lessons ([`Detail`](crate::document::detail::Detail)).

mod again;
mod coin;
mod film;
mod guess;
mod picture;
mod sweeps;

use lab::findings::answers::Rounds;
use lab::{Answer, Results, plural};
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::document::answers::Answers;
use crate::json::ascii;
use film::Film;
use sweeps::Varied;

const SCRIPTS: [&str; 6] = [
    include_str!("lesson/lesson.js"),
    include_str!("lesson/coin.js"),
    include_str!("lesson/again.js"),
    include_str!("lesson/sweeps.js"),
    include_str!("lesson/film.js"),
    include_str!("lesson/guess.js"),
];

#[derive(Debug, Default)]
pub(crate) struct Lessons {
    rows: Vec<Lesson>,
    seed: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Lesson {
    label: String,
    evidence: String,
    case: String,
    subject: String,
    reference: String,
    quantity: String,
    rounds: Option<Rounds>,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
    varied: Vec<Varied>,
    film: Option<Film>,
    command: String,
    table: Vec<Vec<Value>>,
}

impl Lessons {
    pub(super) fn of(results: &Results, answers: &Answers) -> Self {
        let rows = answers.all().filter(|row| !row.case.is_empty());
        Self {
            rows: rows.map(|row| Lesson::of(results, row)).collect(),
            seed: results.header.settings.seed,
        }
    }

    pub(crate) fn along(rows: Vec<Lesson>) -> Self {
        Self { rows, seed: 0 }
    }

    pub(super) fn fold(&self, row: &Answer) -> Markup {
        let evidence = evidence(row);
        let is_own = |one: &Lesson| one.label == row.label && one.evidence == evidence;
        let own = self.rows.iter().position(is_own);
        html! { @if let Some(number) = own { (self.at(number)) } }
    }

    pub(crate) fn at(&self, number: usize) -> Markup {
        html! { @if let Some(row) = self.rows.get(number) { (row.fold(number)) } }
    }

    pub(super) fn class(&self) -> Markup {
        html! { @if !self.rows.is_empty() { (guess::guess()) } }
    }

    pub(crate) fn end(&self) -> Markup {
        let rows: Vec<Value> = self.rows.iter().map(Lesson::data).collect();
        let data = json!({ "seed": self.seed.to_string(), "rows": rows });
        html! {
            @if !self.rows.is_empty() {
                script type="application/json" id="lesson" { (PreEscaped(ascii(&data.to_string()))) }
                script { (PreEscaped(format!("{{\n{}\n}}", super::compact::script(&SCRIPTS.concat())))) }
            }
        }
    }
}

fn evidence(row: &Answer) -> String {
    format!("#study{}", row.place)
}

impl Lesson {
    pub(crate) fn along(
        label: String,
        sides: [&str; 2],
        command: String,
        table: Vec<Vec<Value>>,
    ) -> Self {
        let [subject, reference] = sides.map(plural);
        Self {
            label,
            subject,
            reference,
            command,
            table,
            ..Self::default()
        }
    }

    fn of(results: &Results, row: &Answer) -> Self {
        let side = |label: &Option<String>| label.as_deref().map(plural).unwrap_or_default();
        let (subject, reference) = (side(&row.subject), side(&row.reference));
        let behind = results.rounds_behind(row);
        let rounds = behind.filter(|_| row.interval.is_some());
        let filmed = |rounds: &Rounds| film::of(results, row, rounds, [&subject, &reference]);
        Self {
            label: row.label.clone(),
            evidence: evidence(row),
            case: row.case.clone(),
            quantity: row.quantity.clone(),
            film: rounds.as_ref().and_then(filmed),
            rounds,
            ratio: row.times(),
            interval: row.interval.filter(|_| row.times().is_some()),
            varied: sweeps::of(results, row),
            command: again::command(results, row),
            table: Vec::new(),
            subject,
            reference,
        }
    }

    fn fold(&self, number: usize) -> Markup {
        html! {
            details.try data-row=(number) {
                summary { "try" span.hidden { ": " (self.label) } }
                (coin::coin(self))
                (sweeps::part(self))
                (film::part(self))
                (again::again(self))
            }
        }
    }

    fn data(&self) -> Value {
        let rounds = self.rounds.as_ref();
        json!({
            "label": self.label,
            "case": self.case,
            "subject": self.subject,
            "reference": self.reference,
            "quantity": self.quantity,
            "rounds": rounds.map(|rounds| &rounds.paired),
            "table": (!self.table.is_empty()).then_some(&self.table),
            "ratio": self.ratio,
            "interval": self.interval,
            "varied": self.varied.iter().map(Varied::data).collect::<Vec<_>>(),
            "film": self.film.as_ref().map(Film::data),
            "p": rounds.and_then(coin::p_value),
        })
    }
}
