//! The answer over many machines, as a document: each study's comparison, how far it holds, how
//! large it is on the mean of machines like these, and where one more machine would be; then
//! machines, as small multiples.

use lab::fleet::{Agreement, Comparison, Fleet, FleetMachine, OnMachine};
use maud::{Markup, html};
use serde_json::json;
use stats::Verdict;

use crate::charts::Chart;
use crate::charts::forest::Row;
use crate::charts::multiples::Panel;
use crate::document::Section;
use crate::document::detail::Detail;
use crate::document::figures::Figure;
use crate::document::table::{Cell, Column, Table, missing, text as value};
use crate::html::{self, Lesson, Lessons, document};
use crate::number::percent;
use crate::plots::Plot;
use crate::terminal::{Page, Style, sections};
use crate::text::{shell_word, tied};
use crate::words::{Tone, comparison, first_of, many, tone_of};

/// Of more machines, only those that stand out have a row.
const ROWS: usize = 40;

const NOT_COVERED: &str = "The intervals are for machines that are drawn as these were: they say \
    nothing of a kind of machine that is not among them. A trait that separates machines need not \
    be the cause.";

/// Everything for a terminal or a pipe.
#[must_use]
pub fn text(fleet: &Fleet, style: &Style) -> String {
    let mut page = Page::new(style);
    let mut all = vec![answers(fleet), machines(fleet)];
    if style.verbose {
        all.extend(others(fleet));
    }
    sections(&mut page, &all);
    page.blank();
    for warning in warnings(fleet) {
        page.text(0, Tone::Doubt, &format!("warning: {warning}"));
    }
    page.text(0, Tone::Quiet, &format!("note: {NOT_COVERED}"));
    page.left_out();
    page.finish()
}

/// One page that needs nothing else.
#[must_use]
pub fn page(fleet: &Fleet) -> String {
    let title = format!(
        "flowgauge: {}",
        many(fleet.machines.len() as u64, "machine")
    );
    document(&title, body(fleet), "{}")
}

/// Every chart of the page.
#[must_use]
pub fn plots(fleet: &Fleet) -> Vec<Plot> {
    let all = all(fleet).into_iter();
    crate::plots::plots(all.flat_map(Section::into_figures).collect())
}

fn body(fleet: &Fleet) -> Markup {
    let answers: Vec<&Comparison> = fleet.headlines().collect();
    let lessons = Lessons::along(answers.iter().map(|one| along(fleet, one)).collect());
    html! {
        a.skip href="#machines" { "Skip to the machines" }
        header {
            h1 { "flowgauge" }
            p.where { "The same studies on " (many(fleet.machines.len() as u64, "machine")) }
            @for warning in warnings(fleet) { p.warning { strong { "Warning: " } (warning) } }
        }
        @if !answers.is_empty() {
            section #rows aria-label="Answers" {
                h2 { "The answers" }
                @for (place, one) in answers.iter().enumerate() {
                    article.along {
                        h3 { (one.name()) }
                        p { (tied(&one.sentence)) }
                        (lessons.at(place))
                    }
                }
            }
        }
        nav aria-label="Parts" {
            a href="#answers" { "what holds" }
            a href="#machines" { "machines" }
            a href="#method" { "method" }
        }
        main {
            @for one in all(fleet) { (html::section(&one, Detail::All, 3)) }
            p.quiet { (NOT_COVERED) }
        }
        section aria-label="The method" { (html::method()) }
        (lessons.end())
    }
}

fn along(fleet: &Fleet, one: &Comparison) -> Lesson {
    let heads = ["machine", "ratio of times", "low", "high", "rounds"];
    let rows = one.each.iter().filter_map(|on| {
        let estimate = on.finding.estimate?;
        let (low, high) = estimate.interval()?;
        let name = &fleet.machines[on.machine].name;
        let [ratio, low, high] = [estimate.ratio, low, high].map(|number| json!(number));
        Some(vec![json!(name), ratio, low, high, json!(estimate.rounds)])
    });
    let rows: Vec<Vec<serde_json::Value>> = rows.collect();
    let heads = (!rows.is_empty()).then(|| heads.map(|head| json!(head)).to_vec());
    let (study, case) = (shell_word(&one.study), shell_word(&one.case));
    let command = format!("flowgauge fleet run {study} --hosts FILE -- --case {case}");
    let table = heads.into_iter().chain(rows).collect();
    Lesson::along(one.name(), [&one.subject, &one.reference], command, table)
}

fn all(fleet: &Fleet) -> Vec<Section> {
    let sections = [answers(fleet), machines(fleet)].into_iter();
    sections.chain(others(fleet)).collect()
}

fn warnings(fleet: &Fleet) -> Vec<String> {
    let more = fleet.warnings.len().saturating_sub(ROWS);
    let shown = fleet.warnings.iter().take(ROWS).cloned();
    let more = (more > 0).then(|| format!("{more} more: fleet.json has all"));
    shown.chain(more).collect()
}

fn answers(fleet: &Fleet) -> Section {
    let mut section = Section::new("answers", "What holds on these machines").plots("fleet", "");
    section.table(table("", fleet.headlines()));
    for one in fleet.headlines() {
        section.text(
            Tone::Plain,
            format!("{}/{}: {}", one.study, one.case, one.sentence),
        );
        if !one.left_out.is_empty() {
            let names = first_of(&one.left_out, ROWS / 4, ", ");
            section.text(
                Tone::Doubt,
                format!("{}: other work on {names}, left out", one.name()),
            );
        }
    }
    section
}

fn table<'a>(caption: &str, all: impl Iterator<Item = &'a Comparison>) -> Table {
    let columns = vec![
        Column::left("comparison"),
        Column::left("verdict"),
        Column::left("on machines").drop(3),
        Column::left("mean of machines like these"),
        Column::left("one more machine").drop(2),
        Column::right("between").drop(4),
        Column::right("within").drop(5),
    ];
    Table::new(caption, columns, all.map(row))
}

fn row(one: &Comparison) -> Vec<Cell> {
    let mean = one.across.map(|across| across.mean_estimate());
    let mean = comparison(mean.as_ref(), &one.verdict);
    let open = Verdict::CannotTell { more_rounds: None };
    let next = one.across.map(|across| across.next_estimate());
    let next = comparison(next.as_ref(), &open).interval;
    let size = |of: fn(&stats::Across) -> f64| {
        let across = one.across.filter(|across| across.machines > 1);
        value(across.map_or(String::new(), |across| percent(of(&across))))
    };
    let few = "fewer than 3 machines have an interval";
    let (mean, next) = match one.across.and_then(|across| across.mean) {
        Some(_) => (
            value(format!("{} {}", mean.word, mean.interval)).tone(mean.tone),
            value(next),
        ),
        None => (missing(few), missing(few)),
    };
    vec![
        value(one.name()),
        value(said(one.agreement)).tone(tone(one.agreement)),
        value(one.tally.in_words()),
        mean,
        next,
        size(|across| across.between),
        size(|across| across.within),
    ]
}

fn said(agreement: Agreement) -> String {
    match agreement {
        Agreement::All { verdict } | Agreement::Most { verdict } => {
            format!("{}: {}", verdict.in_words(), agreement.word())
        }
        other => other.word().to_owned(),
    }
}

fn tone(agreement: Agreement) -> Tone {
    match agreement {
        Agreement::All { verdict } | Agreement::Most { verdict } => tone_of(Some(verdict)),
        Agreement::Flips | Agreement::Mixed | Agreement::CannotTell => Tone::Doubt,
    }
}

fn machines(fleet: &Fleet) -> Section {
    let mut section = Section::new("machines", "The machines").plots("machines", "");
    section.figures(multiples(fleet), Detail::Never);
    let odd: Vec<&FleetMachine> = match fleet.machines.len() {
        0..=ROWS => fleet.machines.iter().collect(),
        _ => {
            let cut = fleet.machines.iter().filter(|one| one.state != "finished");
            cut.take(ROWS).collect()
        }
    };
    let differing = differing(fleet);
    let heads = ["machine", "run"]
        .into_iter()
        .chain(differing.iter().map(String::as_str));
    let rows = odd.iter().map(|machine| {
        let own = [machine.name.clone(), machine.state.clone()].into_iter();
        own.chain(differing.iter().map(|name| of(machine, name)))
            .collect()
    });
    let heads: Vec<&str> = heads.collect();
    section.table(Table::texts("What sets them apart", &heads, rows.collect()));
    if differing.is_empty() {
        let line = "The machines do not differ in kernel, CPU, memory nodes or limits.";
        section.text(Tone::Quiet, line);
    }
    section
}

fn of(machine: &FleetMachine, name: &str) -> String {
    let mut traits = machine.traits.iter();
    traits
        .find(|(own, _)| own == name)
        .map_or_else(String::new, |(_, value)| value.clone())
}

fn differing(fleet: &Fleet) -> Vec<String> {
    let Some(first) = fleet.machines.first() else {
        return Vec::new();
    };
    let is_same = |name: &str, value: &str| fleet.machines.iter().all(|one| of(one, name) == value);
    let traits = first.traits.iter();
    let differing = traits.filter(|(name, value)| !is_same(name, value));
    differing.map(|(name, _)| name.clone()).collect()
}

fn multiples(fleet: &Fleet) -> Option<Figure> {
    let rows: Vec<&Comparison> = fleet.headlines().collect();
    if rows.is_empty() {
        return None;
    }
    // By machine first: searching each list for each machine would be quadratic.
    let mut panels: Vec<Panel> = fleet
        .machines
        .iter()
        .map(|machine| Panel {
            name: machine.name.clone(),
            rows: vec![None; rows.len()],
        })
        .collect();
    for (place, one) in rows.iter().enumerate() {
        for on in &one.each {
            panels[on.machine].rows[place] = Some(of_machine(&one.name(), on));
        }
    }
    let names: Vec<String> = rows.iter().map(|one| one.name()).collect();
    let title = format!("Each machine, from above: {}", names.join("; "));
    let desc: Vec<String> = rows.iter().map(|one| tally(one)).collect();
    let chart = Chart::Multiples(panels);
    Some(Figure::new(
        "machines-multiples",
        title,
        desc.join("; "),
        chart,
    ))
}

fn tally(one: &Comparison) -> String {
    format!("{}: {}", one.name(), one.tally.in_words())
}

fn of_machine(label: &str, on: &OnMachine) -> Row {
    let finding = &on.finding;
    let estimate = finding.estimate.as_ref();
    let said = comparison(estimate, &finding.verdict);
    Row::of(label.to_owned(), &said, estimate, finding.floor)
}

fn others(fleet: &Fleet) -> Vec<Section> {
    let each = fleet.headlines().filter(|one| one.each.len() <= ROWS);
    let each = each
        .enumerate()
        .map(|(place, one)| by_machine(fleet, place, one));
    let mut behind = Section::new("behind", "Behind the answers");
    let rest = fleet.comparisons.iter().filter(|one| !one.is_headline);
    behind.table(table(
        "Other comparisons; their verdicts are not adjusted for one another",
        rest,
    ));
    each.chain([behind]).filter(|one| !one.is_empty()).collect()
}

fn by_machine(fleet: &Fleet, place: usize, one: &Comparison) -> Section {
    let rows: Vec<Row> = one
        .each
        .iter()
        .map(|on| of_machine(&fleet.machines[on.machine].name, on))
        .collect();
    let mut section =
        Section::new(&format!("comparison{place}"), &one.name()).plots(&one.study, "");
    let cells = rows
        .iter()
        .map(|row| vec![row.label.clone(), row.said.clone()]);
    section.table(Table::texts("", &["machine", "verdict"], cells.collect()));
    let (id, chart) = (format!("comparison{place}-forest"), Chart::Forest(rows));
    section.figure(Figure::new(id, tally(one), one.sentence.clone(), chart));
    section
}
