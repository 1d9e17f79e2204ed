//! Tables as data: typed columns, and values that say why they are missing. A [`Col`] is the whole
//! of a column: name in files, heading, unit, order of leaving where room is short, and what fills
//! it. Columns and rows make a [`Table`] for people ([`Table::of`]), without empty columns, or the
//! lines of a file ([`crate::csv`]). Reasons stand below the table.

use crate::number;
use crate::words::Tone;
use lab::data::gathered::distinct;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Unit {
    #[default]
    Plain,
    Time,
    Bytes,
    /// Of one CPU; the heading has the percent sign.
    Share,
    Percent,
    Significant,
    Amount,
    Rate,
    PerSecond,
}

impl Unit {
    pub(crate) fn write(self, value: f64) -> String {
        match self {
            Self::Plain => number::plain(value),
            Self::Time => number::time(value),
            Self::Bytes => number::bytes(value),
            Self::Share => format!("{:.1}", 100.0 * value),
            Self::Percent => number::percent(value),
            Self::Significant => number::significant(value),
            Self::Amount => number::amount(value),
            Self::Rate => rate(value),
            Self::PerSecond => per_second(value),
        }
    }
}

/// `12,345`; below 100 with one or two decimals.
fn rate(per_s: f64) -> String {
    if per_s >= 100.0 {
        number::count(per_s.round() as u64)
    } else {
        number::significant(per_s)
    }
}

fn per_second(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 1e6 => (v / 1e6, "M/s"),
        v if v >= 1e3 => (v / 1e3, "k/s"),
        v => (v, "/s"),
    };
    format!("{} {unit}", number::significant(value))
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Value {
    #[default]
    Nothing,
    Text(String),
    Number(f64),
    Whole(u64),
    /// A number for files, words for people.
    Said(Option<f64>, String),
    NotAvailable(String),
}

impl Value {
    pub(crate) fn shown(&self, unit: Unit) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) | Self::Said(_, text) => text.clone(),
            Self::Number(value) => unit.write(*value),
            Self::Whole(value) if unit == Unit::Plain => number::count(*value),
            Self::Whole(value) => unit.write(*value as f64),
            Self::NotAvailable(_) => number::NONE.to_owned(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Cell {
    pub(crate) value: Value,
    pub(crate) tone: Tone,
}

impl Cell {
    pub(crate) fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    pub(crate) fn reason(&self) -> Option<&str> {
        match &self.value {
            Value::NotAvailable(reason) if !reason.is_empty() => Some(reason),
            _ => None,
        }
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        let tone = Tone::Plain;
        Self { value, tone }
    }
}

pub(crate) fn text(text: impl AsRef<str>) -> Cell {
    match text.as_ref() {
        "" => Cell::default(),
        text => Value::Text(text.to_owned()).into(),
    }
}

pub(crate) fn said(words: Option<impl AsRef<str>>) -> Cell {
    words.map_or_else(Cell::default, text)
}

pub(crate) fn yes_or_no(is_so: bool) -> Cell {
    text(if is_so { "yes" } else { "no" })
}

pub(crate) fn number(value: Option<f64>) -> Cell {
    let value = value.filter(|value| value.is_finite());
    value.map_or_else(Cell::default, |value| Value::Number(value).into())
}

pub(crate) fn whole<N: Into<u64>>(value: Option<N>) -> Cell {
    value.map_or_else(Cell::default, |value| Value::Whole(value.into()).into())
}

pub(crate) fn missing(because: impl Into<String>) -> Cell {
    Cell::from(Value::NotAvailable(because.into())).tone(Tone::Doubt)
}

pub(crate) fn measured(value: Option<f64>, because: impl Into<String>) -> Cell {
    match value.filter(|value| value.is_finite()) {
        None => missing(because),
        known => number(known),
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Col<F> {
    pub(crate) name: &'static str,
    head: &'static str,
    unit: Unit,
    drop: Option<u8>,
    left: bool,
    prose: bool,
    pub(crate) fill: F,
}

impl<F: Copy> Col<F> {
    pub(crate) const fn new(name: &'static str, fill: F) -> Self {
        Self {
            name,
            head: "",
            unit: Unit::Plain,
            drop: None,
            left: false,
            prose: false,
            fill,
        }
    }

    pub(crate) const fn shown(self, head: &'static str, unit: Unit) -> Self {
        Self { head, unit, ..self }
    }

    pub(crate) const fn label(self, head: &'static str) -> Self {
        Self {
            head,
            left: true,
            ..self
        }
    }

    pub(crate) const fn prose(self, head: &'static str) -> Self {
        Self {
            head,
            left: true,
            prose: true,
            ..self
        }
    }

    /// Dropped as the `order`-th if there is no room.
    pub(crate) const fn drop(self, order: u8) -> Self {
        Self {
            drop: Some(order),
            ..self
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub(crate) head: String,
    pub(crate) unit: Unit,
    pub(crate) drop: Option<u8>,
    pub(crate) left: bool,
    pub(crate) prose: bool,
}

impl Column {
    pub(crate) fn left(head: impl Into<String>) -> Self {
        Self {
            left: true,
            ..Self::right(head)
        }
    }

    pub(crate) fn right(head: impl Into<String>) -> Self {
        Self {
            head: head.into(),
            unit: Unit::Plain,
            drop: None,
            left: false,
            prose: false,
        }
    }

    pub(crate) fn unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    pub(crate) fn drop(self, order: u8) -> Self {
        Self {
            drop: Some(order),
            ..self
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Table {
    pub(crate) caption: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Index of the names of rows; that column takes the free room.
    pub(crate) names: usize,
    /// Number of leading columns whose repeated values are blank.
    pub(crate) grouped: usize,
}

impl Table {
    pub(crate) fn of<R, F>(
        caption: impl Into<String>,
        columns: &[Col<F>],
        rows: impl Iterator<Item = R>,
    ) -> Self
    where
        F: Fn(&R) -> Cell + Copy,
    {
        let shown: Vec<&Col<F>> = columns.iter().filter(|col| !col.head.is_empty()).collect();
        let column = |col: &&Col<F>| Column {
            head: col.head.to_owned(),
            unit: col.unit,
            drop: col.drop,
            left: col.left,
            prose: col.prose,
        };
        let table = Self {
            caption: caption.into(),
            columns: shown.iter().map(column).collect(),
            rows: rows
                .map(|row| shown.iter().map(|col| (col.fill)(&row)).collect())
                .collect(),
            ..Self::default()
        };
        table.without_empty()
    }

    pub(crate) fn new(
        caption: impl Into<String>,
        columns: Vec<Column>,
        rows: impl Iterator<Item = Vec<Cell>>,
    ) -> Self {
        Self {
            caption: caption.into(),
            columns,
            rows: rows.collect(),
            ..Self::default()
        }
    }

    pub(crate) fn texts(caption: &str, heads: &[&str], rows: Vec<Vec<String>>) -> Self {
        let columns = heads.iter().enumerate().map(|(place, head)| match place {
            0 => Column::left(*head),
            _ => Column::right(*head),
        });
        let rows = rows
            .into_iter()
            .map(|row| row.into_iter().map(text).collect());
        Self::new(caption, columns.collect(), rows)
    }

    pub(crate) fn head(mut self, head: &str, other: impl Into<String>) -> Self {
        if let Some(column) = self.columns.iter_mut().find(|column| column.head == head) {
            column.head = other.into();
        }
        self
    }

    pub(crate) fn in_groups(self) -> Self {
        Self {
            names: 1,
            grouped: 1,
            ..self
        }
    }

    fn without_empty(mut self) -> Self {
        let has_any = |at: usize| self.rows.iter().any(|row| row[at].value != Value::Nothing);
        let kept: Vec<bool> = (0..self.columns.len()).map(has_any).collect();
        let mut of_columns = kept.iter();
        self.columns.retain(|_| of_columns.next() == Some(&true));
        for row in &mut self.rows {
            let mut of_columns = kept.iter();
            row.retain(|_| of_columns.next() == Some(&true));
        }
        self
    }

    pub(crate) fn has_prose(&self) -> bool {
        self.columns.iter().any(|column| column.prose)
    }

    pub(crate) fn repeats(&self, row: usize, column: usize) -> bool {
        row > 0
            && column < self.grouped
            && self.rows[row][..=column] == self.rows[row - 1][..=column]
    }

    pub(crate) fn reasons(&self) -> Vec<&str> {
        distinct(self.rows.iter().flatten().filter_map(Cell::reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Column = Col<fn(&Option<f64>) -> Cell>;

    const COLUMNS: &[Column] = &[
        Column::new("name", |_| text("row")).label("name"),
        Column::new("time_ns", |row| measured(*row, "not counted")).shown("time", Unit::Time),
        Column::new("none", |_| Cell::default()).shown("none", Unit::Plain),
        Column::new("of_files", |_| text("x")),
    ];

    #[test]
    fn people_see_columns_with_a_heading_and_any_value_and_reasons_once() {
        let rows = [Some(1e6), None, None].into_iter();
        let table = Table::of("", COLUMNS, rows);
        let heads: Vec<&str> = table.columns.iter().map(|c| c.head.as_str()).collect();
        assert_eq!(heads, ["name", "time"]);
        assert_eq!(table.rows[0][1].value.shown(Unit::Time), "1.00 ms");
        assert_eq!(table.rows[1][1].value.shown(Unit::Time), "n/a");
        assert_eq!(table.reasons(), ["not counted"]);
    }

    #[test]
    fn what_repeats_in_a_group_is_known() {
        let cells = |group: &str, name: &str| vec![text(group), text(name)];
        let rows = [cells("a", "x"), cells("a", "y"), cells("b", "y")];
        let columns = ["group", "name"].map(super::Column::left).to_vec();
        let table = Table::new("", columns, rows.into_iter()).in_groups();
        let repeated: Vec<bool> = (0..3).map(|row| table.repeats(row, 0)).collect();
        assert_eq!(repeated, [false, true, false]);
        assert!(!table.repeats(2, 1), "names are repeated");
    }

    #[test]
    fn numbers_stand_in_their_units() {
        assert_eq!(Unit::PerSecond.write(912_345.0), "912 k/s");
        assert_eq!(Unit::PerSecond.write(1_234_567.0), "1.23 M/s");
        assert_eq!(Unit::PerSecond.write(12.34), "12.3 /s");
        assert_eq!(Unit::Rate.write(12_345.6), "12,346");
        assert_eq!(Unit::Rate.write(12.345), "12.3");
        assert_eq!(Unit::Share.write(0.0385), "3.9");
    }
}
