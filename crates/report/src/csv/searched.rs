//! `search.csv`: what the flows used that work made by itself, one row a variant.

use lab::{AtNumber, CaseResult, Results, SelfManaged, StudyResult, VariantSummary};
use workload::Work;

use super::{Field, filled_in, names, number, sheet_of_some, text, whole};
use crate::searched::variants;

struct Row<'a> {
    study: &'a StudyResult,
    case: &'a CaseResult,
    at: usize,
    variant: &'a VariantSummary,
    own: &'a SelfManaged,
}

/// A name, and what fills it.
type Column = (&'static str, fn(&Row<'_>) -> Field);

const COLUMNS: &[Column] = &[
    ("study", |row| text(&row.study.study.name)),
    ("case", |row| text(&row.case.case.name)),
    ("variant", |row| text(&row.variant.label)),
    ("model", |row| {
        text(row.launched().variant.model.to_string())
    }),
    ("flows", |row| {
        whole(Some(u64::from(row.launched().variant.flows)))
    }),
    ("design", |row| {
        text(row.search().map_or("", |search| search.design.name()))
    }),
    ("io", |row| {
        text(row.search().map_or("", |search| search.io.name()))
    }),
    ("cold", |row| {
        text(
            row.search()
                .map_or("", |search| if search.cold { "yes" } else { "no" }),
        )
    }),
    ("good_slots", |row| whole(Some(row.variant.good as u64))),
    ("typical_ns", |row| {
        number(row.variant.value.map(|value| value.typical))
    }),
    ("user_ns", |row| number(Some(row.own.user_ns))),
    ("system_ns", |row| number(Some(row.own.system_ns))),
    ("cpu_share", |row| number(Some(row.own.cpu_share))),
    ("create_ns", |row| {
        number(row.variant.phases.map(|phases| phases.create_ns))
    }),
    ("teardown_ns", |row| {
        number(row.variant.phases.map(|phases| phases.teardown_ns))
    }),
    ("flows_made", |row| number(Some(row.own.made))),
    ("flows_at_one_time", |row| number(Some(row.own.most))),
    ("held_at", |row| number(row.own.held_at)),
    ("faults", |row| {
        number(row.variant.counts.map(|counts| counts.faults()))
    }),
    ("voluntary_switches", |row| {
        number(row.variant.counts.map(|c| c.voluntary_switches))
    }),
    ("involuntary_switches", |row| {
        number(row.variant.counts.map(|c| c.involuntary_switches))
    }),
    ("peak_rss_bytes", |row| number(Some(row.own.peak_rss))),
    ("repetitions", |row| whole(Some(row.own.reps as u64))),
    ("repetitions_from_disk", |row| {
        whole(Some(row.own.from_disk as u64))
    }),
    ("files", |row| row.count("files")),
    ("folders", |row| row.count("folders")),
    ("bytes", |row| row.count("bytes")),
    ("lines", |row| row.count("lines")),
    ("matched_files", |row| row.count("matched_files")),
    ("errors", |row| row.count("errors")),
    ("walk_ns", |row| row.class("walk")),
    ("open_ns", |row| row.class("open")),
    ("read_ns", |row| row.class("read")),
    ("search_ns", |row| row.class("search")),
    ("print_ns", |row| row.class("print")),
    ("class_create_ns", |row| row.class("create")),
    ("wait_ns", |row| row.class("wait")),
    ("timers_cost", |row| number(row.own.timers_cost)),
    ("is_best_number", |row| match &row.case.optimum {
        Some(best) if !best.is_told => Field::Nothing,
        Some(best) if best.label == row.variant.label => text("yes"),
        Some(_) => text("no"),
        None => Field::Nothing,
    }),
    ("ratio_to_best", |row| {
        number(row.to_best().and_then(|at| Some(at.estimate?.ratio)))
    }),
    ("ratio_to_best_low", |row| {
        number(
            row.to_best()
                .and_then(|at| Some(at.estimate?.interval()?.0)),
        )
    }),
    ("ratio_to_best_high", |row| {
        number(
            row.to_best()
                .and_then(|at| Some(at.estimate?.interval()?.1)),
        )
    }),
];

impl Row<'_> {
    fn launched(&self) -> &lab::LabelledVariant {
        &self.case.case.variants[self.at]
    }

    fn search(&self) -> Option<&workload::Searching> {
        match self.case.case.work_of(self.at) {
            Work::Search(search) => Some(search),
            _ => None,
        }
    }

    fn count(&self, name: &str) -> Field {
        number(self.own.counts.get(name).copied())
    }

    fn class(&self, name: &str) -> Field {
        number(self.own.classes_ns.get(name).copied())
    }

    fn to_best(&self) -> Option<&AtNumber> {
        let told = self.case.optimum.as_ref().filter(|best| best.is_told);
        let numbers = &told?.numbers;
        numbers.iter().find(|at| at.label == self.variant.label)
    }
}

/// One row a variant; none where no work makes its own flows.
#[must_use]
pub fn searched(results: &Results) -> Option<String> {
    let cases = results
        .studies
        .iter()
        .flat_map(|study| study.cases.iter().map(move |case| (study, case)));
    let rows = cases
        .flat_map(|(study, case)| {
            variants(case).filter_map(move |(variant, own)| {
                let at = case
                    .variants
                    .iter()
                    .position(|v| v.label == variant.label)?;
                Some(Row {
                    study,
                    case,
                    at,
                    variant,
                    own,
                })
            })
        })
        .map(|row| filled_in(COLUMNS, &row));
    sheet_of_some(names(COLUMNS), rows)
}
