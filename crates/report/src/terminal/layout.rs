//! Tables of text that fit into a given number of columns. A table is never wrapped: columns with a
//! `drop` number are left out in that order until the rest fits with [`LABEL`] columns for the
//! labels, which then are cut with an ellipsis, where ends tell two apart (`thread x16`) within. No
//! column goes for a heading beyond [`HEAD`]. Where labels would have less than [`NAME`], columns
//! without a number go too, the last first, until one is left.

use std::borrow::Cow;

use crate::document::table::Column;
use crate::text::{cut, cut_within, look_the_same, width};
use crate::words::Tone;

const LABEL: usize = 24;
const NAME: usize = 12;
/// A heading may exceed its cells by so much.
const HEAD: usize = 16;
/// And by so much where there is room.
const LONG_HEAD: usize = 48;
const GAP: usize = 2;

#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) flex: usize,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Line>,
}

pub(crate) type Line = Vec<(Tone, String)>;

impl Table {
    pub(crate) fn lines(&self, columns: usize) -> Vec<Line> {
        let shown = self.fit(columns);
        let labels = shown.iter().find(|(at, _)| *at == self.flex);
        let within = labels.is_some_and(|(_, columns)| self.differ_at_their_ends(*columns));
        let head = |at: usize| (Tone::Quiet, Cow::from(&self.columns[at].head));
        let mut lines = vec![self.line(&shown, head)];
        for row in &self.rows {
            lines.push(self.line(&shown, |at| {
                let (tone, text) = &row[at];
                let text = match shown.iter().find(|(place, _)| *place == at) {
                    Some((_, columns)) if within && at == self.flex => cut_within(text, *columns),
                    _ => Cow::from(text),
                };
                (*tone, text)
            }));
        }
        lines
    }

    fn differ_at_their_ends(&self, columns: usize) -> bool {
        look_the_same(self.rows.iter().map(|row| &*row[self.flex].1), columns)
    }

    fn all(&self) -> Vec<(usize, usize)> {
        let places = 0..self.columns.len();
        places.map(|at| (at, self.natural(at))).collect()
    }

    fn fit(&self, columns: usize) -> Vec<(usize, usize)> {
        let mut shown = self.all();
        let label = self.natural(self.flex).min(LABEL);
        while self.beside(&shown) + label > columns {
            let droppable = shown
                .iter()
                .filter_map(|&(at, _)| Some((self.columns[at].drop?, at)));
            let Some((_, first)) = droppable.min() else {
                break;
            };
            shown.retain(|&(at, _)| at != first);
        }
        while self.beside(&shown) + label.min(NAME) > columns && shown.len() > self.flex + 2 {
            shown.pop();
        }
        let room = columns.saturating_sub(self.beside(&shown)).max(1);
        for (at, width) in &mut shown {
            if *at == self.flex {
                *width = (*width).min(room);
            }
        }
        self.widen(&mut shown, columns);
        shown
    }

    fn widen(&self, shown: &mut [(usize, usize)], columns: usize) {
        let taken = shown.iter().map(|(_, width)| width + GAP).sum::<usize>();
        let mut left = (columns + GAP).saturating_sub(taken);
        for (at, columns) in shown {
            let head = width(&self.columns[*at].head).min(LONG_HEAD);
            let wanted = head.saturating_sub(*columns);
            let more = wanted.min(left);
            *columns += more;
            left -= more;
        }
    }

    pub(crate) fn wants(&self, columns: usize) -> Option<usize> {
        let all = self.all();
        let whole = self.beside(&all) + self.natural(self.flex).min(LABEL);
        (self.fit(columns).len() < all.len()).then_some(whole)
    }

    fn beside(&self, shown: &[(usize, usize)]) -> usize {
        let others = shown.iter().filter(|(at, _)| *at != self.flex);
        others.map(|(_, width)| width + GAP).sum()
    }

    fn natural(&self, at: usize) -> usize {
        let cells = self.rows.iter().map(|row| width(&row[at].1));
        let cells = cells.max().unwrap_or(0);
        cells.max(width(&self.columns[at].head).min(HEAD))
    }

    fn line<'a>(
        &self,
        shown: &[(usize, usize)],
        cell: impl Fn(usize) -> (Tone, Cow<'a, str>),
    ) -> Line {
        let mut line = Line::new();
        for (place, &(at, columns)) in shown.iter().enumerate() {
            let (tone, text) = cell(at);
            let text = cut(&text, columns);
            let space = " ".repeat(columns - width(&text));
            let gap = if place == 0 { "" } else { "  " };
            let (before, after) = match self.columns[at].left {
                true => (String::new(), space),
                false => (space, String::new()),
            };
            line.push((Tone::Plain, format!("{gap}{before}")));
            line.push((tone, text.into_owned()));
            line.push((Tone::Plain, after));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(table: &Table, columns: usize) -> Vec<String> {
        let join = |line: &Line| line.iter().map(|span| span.1.as_str()).collect::<String>();
        table
            .lines(columns)
            .iter()
            .map(|line| join(line).trim_end().to_owned())
            .collect()
    }

    fn plain<const N: usize>(row: [&str; N]) -> Line {
        row.map(|text| (Tone::Plain, text.to_owned())).into()
    }

    fn table() -> Table {
        Table {
            flex: 0,
            columns: vec![
                Column::left("variant"),
                Column::right("typical"),
                Column::right("memory").drop(1),
            ],
            rows: vec![
                plain(["process", "61.2 ms", "14 MiB"]),
                plain(["漢字", "9 ms", "9 MiB"]),
            ],
        }
    }

    #[test]
    fn columns_line_up_by_width() {
        let lines = text(&table(), 80);
        assert_eq!(lines[0], "variant  typical  memory");
        assert_eq!(lines[1], "process  61.2 ms  14 MiB");
        assert_eq!(lines[2], "漢字        9 ms   9 MiB");
    }

    #[test]
    fn a_heading_is_cut_only_where_there_is_no_room_for_it() {
        let mut table = table();
        table.columns[1] = Column::right("vs process static");
        assert_eq!(text(&table, 80)[0], "variant  vs process static  memory");
        assert_eq!(text(&table, 33)[0], "variant  vs process stat…  memory");
        assert_eq!(table.wants(80), None);
        assert_eq!(table.wants(30), Some(33));
    }

    #[test]
    fn names_are_kept_where_there_is_room_for_one_column_of_numbers_beside_them() {
        let columns = ["flows", "variant", "p50", "p99", "longest"];
        let row = ["2", "thread-per-connection", "532 us", "1.59 ms", "12.0 ms"];
        let table = Table {
            flex: 1,
            columns: columns.map(Column::right).into(),
            rows: vec![plain(row)],
        };
        assert_eq!(text(&table, 36)[1], "    2  thread-per-…  532 us  1.59 ms");
        assert_eq!(text(&table, 30)[1], "    2  thread-per-con…  532 us");
        assert_eq!(text(&table, 18)[1], "    2  th…  532 us");
        assert!(table.wants(36).is_some());
    }

    #[test]
    fn too_wide_a_table_loses_columns_and_then_the_ends_of_labels() {
        assert_eq!(text(&table(), 20)[1], "process  61.2 ms");
        assert_eq!(text(&table(), 14)[1], "proc…  61.2 ms");
    }

    /// At 40 columns every number of flows was called `thread…`.
    #[test]
    fn labels_that_differ_at_their_ends_are_cut_within() {
        let row = |label| plain([label, "9.1 ms"]);
        let table = Table {
            flex: 0,
            columns: vec![Column::left("variant"), Column::right("total")],
            rows: ["thread x1", "thread x2", "thread x16"].map(row).to_vec(),
        };
        assert_eq!(
            text(&table, 15)[1..],
            ["th…d x1  9.1 ms", "th…d x2  9.1 ms", "th…x16   9.1 ms"]
        );
        assert_eq!(text(&table, 18)[3], "thread x16  9.1 ms");
    }
}
