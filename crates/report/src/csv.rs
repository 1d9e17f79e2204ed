//! Tidy tables: one thing a row, one quantity a column, the unit in its name (docs/results.md). A
//! spreadsheet runs a field that begins with `=`, `+`, `-` or `@`, so such a text gets an
//! apostrophe in front; numbers are ours. Characters that act or hide are taken out of texts. What
//! is not available is an empty field. A table is a list of columns, each a name and the function
//! that fills it; it is `None` where a run has nothing of it.

mod compared;
mod counters;
mod findings;
mod fleet;
mod laws;
mod place;
mod quantities;
mod samples;
mod shared;
mod slots;
mod summary;
mod tables;

use machine::Machine;

pub use compared::{compared, compared_lines};
pub use counters::counters;
pub use findings::findings;
pub use fleet::{fleet, fleet_lines};
pub use quantities::quantities;
pub use slots::{slots, slots_lines};
pub use summary::summary;
pub use tables::{File, TABLES, published, simulated};

use crate::document::table::{Cell as Field, Col, Value, number, said, text, whole, yes_or_no};
use crate::text::{escaped, hides};

/// The machine, one fact a row.
#[must_use]
pub fn machine(machine: &Machine) -> String {
    sheet(MACHINE, facts(machine))
}

/// The same as JSON Lines.
#[must_use]
pub fn machine_lines(machine: &Machine) -> String {
    lines(MACHINE, facts(machine))
}

const MACHINE: [&str; 4] = ["group", "name", "value", "note"];

fn facts(machine: &Machine) -> impl Iterator<Item = Vec<Field>> {
    machine.facts().into_iter().flat_map(|group| {
        let rows = group.rows.into_iter();
        rows.map(move |fact| {
            let fields = [&group.title, &fact.name, &fact.value, &fact.note];
            fields.map(text).to_vec()
        })
    })
}

fn csv(field: Field) -> String {
    match field.value {
        Value::Text(text) => harmless(&text),
        Value::Number(number) | Value::Said(Some(number), _) => number.to_string(),
        Value::Whole(number) => number.to_string(),
        Value::Nothing | Value::NotAvailable(_) | Value::Said(None, _) => String::new(),
    }
}

fn json(field: Field) -> String {
    match field.value {
        Value::Text(text) => escaped(&serde_json::Value::String(text).to_string()).into_owned(),
        other => match csv(other.into()) {
            nothing if nothing.is_empty() => "null".to_owned(),
            number => number,
        },
    }
}

fn lines(
    names: impl IntoIterator<Item = &'static str>,
    rows: impl Iterator<Item = Vec<Field>>,
) -> String {
    let names: Vec<_> = names.into_iter().collect();
    let row = |row: Vec<Field>| {
        let fields = names
            .iter()
            .zip(row)
            .map(|(name, field)| format!("\"{name}\":{}", json(field)));
        format!("{{{}}}\n", fields.collect::<Vec<_>>().join(","))
    };
    rows.map(row).collect()
}

fn sheet(
    names: impl IntoIterator<Item = &'static str>,
    rows: impl Iterator<Item = Vec<Field>>,
) -> String {
    let mut out = String::new();
    line(&mut out, names.into_iter().map(str::to_owned));
    rows.for_each(|row| line(&mut out, row.into_iter().map(csv)));
    out
}

fn sheet_of_some(
    names: impl IntoIterator<Item = &'static str>,
    rows: impl Iterator<Item = Vec<Field>>,
) -> Option<String> {
    let mut rows = rows.peekable();
    rows.peek().is_some().then(|| sheet(names, rows))
}

/// A pair of name and value is a column of files alone; columns that people see are the document's.
trait FileColumn<R> {
    fn name(&self) -> &'static str;
    fn value(&self, row: &R) -> Field;
}

impl<R, F: Fn(&R) -> Field> FileColumn<R> for (&'static str, F) {
    fn name(&self) -> &'static str {
        self.0
    }

    fn value(&self, row: &R) -> Field {
        (self.1)(row)
    }
}

impl<R, F: Fn(&R) -> Field> FileColumn<R> for Col<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn value(&self, row: &R) -> Field {
        (self.fill)(row)
    }
}

fn filled_in<R, C: FileColumn<R>>(columns: &[C], row: &R) -> Vec<Field> {
    let own = columns.iter().filter(|column| !column.name().is_empty());
    own.map(|column| column.value(row)).collect()
}

fn names<R, C: FileColumn<R>>(columns: &'static [C]) -> impl Iterator<Item = &'static str> {
    let names = columns.iter().map(FileColumn::name);
    names.filter(|name| !name.is_empty())
}

fn line(out: &mut String, fields: impl Iterator<Item = String>) {
    for (at, field) in fields.enumerate() {
        if at > 0 {
            out.push(',');
        }
        if field.contains([',', '"', '\n', '\r']) || field.starts_with(' ') {
            out.push_str(&format!("\"{}\"", field.replace('"', "\"\"")));
        } else {
            out.push_str(&field);
        }
    }
    out.push('\n');
}

/// A text from outside, harmless to a spreadsheet.
#[must_use]
pub fn harmless(text: &str) -> String {
    let spaced = text.replace(['\n', '\r', '\t'], " ");
    let clean: String = spaced.chars().filter(|c| !hides(*c)).collect();
    let clean = clean.trim();
    if clean.starts_with(['=', '+', '-', '@']) {
        format!("'{clean}")
    } else {
        clean.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_quotes_are_harmless() {
        for (outside, inside) in [
            ("=1+1", "'=1+1"),
            ("\t@SUM(A1)", "'@SUM(A1)"),
            ("-2", "'-2"),
            ("a\u{202e}b\x1b", "ab"),
            ("a\nb", "a b"),
            ("thread", "thread"),
        ] {
            assert_eq!(csv(text(outside)), inside);
        }
    }

    #[test]
    fn json_lines_have_texts_as_they_are() {
        let rows = [vec![
            text("=1+1 \"x\""),
            whole(Some(u64::MAX)),
            number(None),
        ]];
        assert_eq!(
            lines(["a", "b", "c"], rows.into_iter()),
            "{\"a\":\"=1+1 \\\"x\\\"\",\"b\":18446744073709551615,\"c\":null}\n"
        );
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let rows = ["plain", "with, comma", "with \"quote\""];
        let rows = rows.map(|row| vec![text(row), number(Some(-1.5))]);
        let table = sheet(["a", "b"], rows.into_iter());
        assert_eq!(
            table,
            "a,b\nplain,-1.5\n\"with, comma\",-1.5\n\"with \"\"quote\"\"\",-1.5\n"
        );
    }

    #[test]
    fn what_is_no_number_is_an_empty_field() {
        assert_eq!(number(Some(f64::NAN)), Field::default());
        assert_eq!(csv(number(None)), "");
        assert_eq!(json(whole(None::<u64>)), "null");
    }
}
