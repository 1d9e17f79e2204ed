//! `probes.csv`: each prediction that was put to the test behind a lowered limit.

use flow::Probed;
use lab::{Probe, Results};
use machine::Ceiling;

use super::{Field, filled_in, names, sheet_of_some, text, whole};

/// A name, and what fills it.
type Column = (&'static str, fn(&Row<'_>) -> Field);

struct Row<'a> {
    study: &'a str,
    probe: &'a Probe,
}

impl Row<'_> {
    fn met(&self) -> Option<(&Ceiling, u64, Option<&str>)> {
        match &self.probe.probed {
            Probed::NotAvailable { .. } => None,
            Probed::Met {
                predicted,
                reached,
                refused_with,
            } => Some((predicted, *reached, refused_with.as_deref())),
        }
    }

    fn predicted(&self) -> Option<&Ceiling> {
        self.met().map(|(predicted, ..)| predicted)
    }
}

const COLUMNS: &[Column] = &[
    ("study", |row| text(row.study)),
    ("model", |row| text(row.probe.model.to_string())),
    ("fence", |row| text(row.probe.fence.describe())),
    ("limit", |row| {
        row.predicted().map_or(Field::Nothing, |p| text(&p.bites))
    }),
    ("limit_value", |row| whole(row.predicted().map(|p| p.value))),
    ("predicted", |row| whole(row.predicted().map(|p| p.count))),
    ("reached", |row| {
        whole(row.met().map(|(_, reached, _)| reached))
    }),
    ("refused_with", |row| {
        text(row.met().and_then(|(.., refused)| refused).unwrap_or(""))
    }),
    ("confirms", |row| {
        let confirms = row.probe.confirms();
        confirms.map_or(Field::Nothing, |yes| text(yes.to_string()))
    }),
    ("took_ns", |row| whole(Some(row.probe.took_ns))),
    ("not_available", |row| match &row.probe.probed {
        Probed::NotAvailable { reason } => text(reason),
        Probed::Met { .. } => Field::Nothing,
    }),
];

/// All probes of a run; `None` where there were none.
#[must_use]
pub fn probes(results: &Results) -> Option<String> {
    let rows = results.studies.iter().flat_map(|study| {
        let name = study.study.name.as_str();
        study
            .probes
            .iter()
            .map(move |probe| Row { study: name, probe })
    });
    let rows = rows.map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names(COLUMNS), rows)
}
