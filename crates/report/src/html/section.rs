use maud::{Markup, html};

use super::size_budget::SizeBudget;
use super::table::{Named, table};
use crate::document::detail::Detail;
use crate::document::{Body, Level, Part, Section};
use crate::text::tied;
use crate::words::{Tone, many};

pub(super) const WHERE: &str = "flowgauge report DIR -v shows all of it";

/// Closed, with its answer beside its name; open, with its evidence folded away.
pub(super) fn study(
    section: &Section,
    answer: &Markup,
    detail: Detail,
    budget: &mut SizeBudget,
) -> Markup {
    let before = budget.left_out();
    let heading = budget.hold(&section.heading, html! { (section.heading) });
    if budget.left_out() > before {
        return html! {};
    }
    let answers: Vec<Markup> = held(section, Level::Answer, detail, budget);
    let evidence: Vec<Markup> = held(section, Level::Evidence, detail, budget);
    let lost = budget.said(before);
    html! {
        details.study {
            summary { h2 { (heading) } (answer) }
            // A link to what is within opens it, without a script.
            div id=(section.id) {}
            @for part in &answers { (part) }
            @if let Some(lost) = lost {
                p.warning { (tied(&lost)) ". " (WHERE) "; its figures are in summary.csv and findings.csv." }
            }
            @if !evidence.is_empty() {
                details.evidence {
                    summary { "Evidence: " (many(evidence.len() as u64, "part")) }
                    @for part in &evidence { (part) }
                }
            }
        }
    }
}

fn held(section: &Section, level: Level, detail: Detail, budget: &mut SizeBudget) -> Vec<Markup> {
    let parts = section.of_level(level);
    let held = parts.map(|one| budget.hold(name(one), part(one, &section.heading, detail, 3)));
    held.filter(|one| !one.0.is_empty()).collect()
}

pub(crate) fn section(section: &Section, detail: Detail, level: u8) -> Markup {
    let heading = html! {
        @match level {
            3 => h3 { (section.heading) },
            4 => h4 { (section.heading) },
            _ => h5 { (section.heading) },
        }
    };
    let id = (!section.id.is_empty()).then_some(section.id.as_str());
    html! {
        section.case id=[id] {
            (heading)
            (within(section, detail, level))
        }
    }
}

fn within(section: &Section, detail: Detail, level: u8) -> Markup {
    html! {
        @if !section.aside.is_empty() { p.quiet { (section.aside) } }
        @for one in &section.parts { (part(one, &section.heading, detail, level + 1)) }
    }
}

fn folded(section: &Section, detail: Detail, level: u8) -> Markup {
    let id = (!section.id.is_empty()).then_some(section.id.as_str());
    html! {
        details.part id=[id] {
            summary { (section.heading) }
            (within(section, detail, level))
        }
    }
}

fn part(part: &Part, heading: &str, detail: Detail, level: u8) -> Markup {
    if detail >= part.until {
        return html! {};
    }
    match &part.body {
        Body::Text(tone, text) => self::text(*tone, text),
        Body::Table(one) => table(one, Named::Heading(heading)),
        Body::Figure(figure) => figure.render_with(detail),
        Body::Section(inner) if part.level == Level::Evidence => folded(inner, detail, level),
        Body::Section(inner) => section(inner, detail, level),
    }
}

fn name(part: &Part) -> &str {
    match &part.body {
        Body::Text(_, text) => text,
        Body::Table(table) if table.caption.is_empty() => "a table",
        Body::Table(table) => &table.caption,
        Body::Figure(figure) => &figure.title,
        Body::Section(section) => &section.heading,
    }
}

fn text(tone: Tone, text: &str) -> Markup {
    let class = match tone {
        Tone::Quiet => "quiet",
        Tone::Doubt => "warning",
        _ => "said",
    };
    html! { p class=(class) { (tied(text)) } }
}
