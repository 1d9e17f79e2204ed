//! What the flows used that work made by itself: the rows of the source's table, its chart by
//! the number of workers, and where the time went.
//!
//! The source has one run of each design and one of each number of workers, on other machines
//! and another tree. So its figures are laid beside ours where the labels are the same, and
//! what can be compared is how they go up and down, not how large they are.
//!
//! Its chart is one of threads. Ours has a column for each case that asks for the best number,
//! so that threads stand beside processes, and files that are read beside files that are
//! mapped.

use lab::{CaseResult, Optimum, Origin, OriginRow, SelfManaged, StudyResult, VariantSummary};

use crate::number::{bytes, many, plain};
use crate::workers::Figure;

pub(crate) use workload::searching::CLASSES;

/// What the columns of the classes are, for the line below the table.
const MEANINGS: [(&str, &str); 8] = [
    ("walk", "folders are opened and listed, ignore rules"),
    ("open", "files are opened and closed"),
    ("read", "also mapping and unmapping"),
    ("search", "also the faults that bring in a mapped file"),
    ("print", "results are formatted and written"),
    ("create", "other flows are made"),
    (
        "wait",
        "for work of another flow, or at the cap for one to end",
    ),
    ("timers", "how much longer that repetition took"),
];

/// What the columns that are shown are, for the line below the table.
pub(crate) fn note_classes(shown: impl Fn(&str) -> bool) -> String {
    let shown = MEANINGS.iter().filter(|(column, _)| shown(column));
    let meanings: Vec<String> = shown
        .map(|(column, meaning)| format!("{column}: {meaning}"))
        .collect();
    format!(
        "Time of all flows together, by timers in a repetition of its own that counts nowhere \
         else. {}.",
        meanings.join("; ")
    )
}

/// What the source's table is, for the line below it.
pub(crate) const NOTE_TABLE: &str = "CPU %: user and system time over the wall time, the median of \
    the repetitions; 100 is one CPU all the time. Kernels tell user from system by what they see at their ticks, some 4 ms \
    apart, so that the two are sure only over all repetitions together. The source's figures are of one run each, on another machine and another \
    tree: compare how they differ, not how large they are.";

/// A row of the source's table, ours or its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// `designs: pool`, `2012 pool`.
    pub(crate) who: String,
    pub(crate) from_source: bool,
    /// In ns, as the next two.
    pub(crate) user: Figure,
    pub(crate) system: Figure,
    pub(crate) total: Figure,
    pub(crate) cpu_share: Figure,
}

/// Times by the number of workers: a column for each case, then one for each row of the source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ByNumber<'a> {
    pub(crate) columns: Vec<Series<'a>>,
    pub(crate) numbers: Vec<u32>,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series<'a> {
    pub(crate) name: String,
    /// The case; none for the source.
    pub(crate) optimum: Option<&'a Optimum>,
    /// Number of workers; lower quartile, typical time, upper quartile in ns.
    pub(crate) points: Vec<(u32, [f64; 3])>,
}

/// Whether the flows of a case were made by its work.
pub(crate) fn is_self_managed(case: &CaseResult) -> bool {
    case.case.work.has_timers()
}

/// Every variant with what its flows used.
pub(crate) fn variants(case: &CaseResult) -> impl Iterator<Item = (&VariantSummary, &SelfManaged)> {
    let variants = case.variants.iter();
    variants.filter_map(|variant| Some((variant, variant.self_managed.as_ref()?)))
}

/// `800 files in 143 folders, 11.9 MB; 37 lines of 12 files match`.
pub(crate) fn what_was_searched(case: &CaseResult) -> Option<String> {
    let (_, own) = variants(case).next()?;
    let of = |name: &str| own.counts.get(name).copied();
    let some = |name: &str, one: &str| Some(many(of(name)? as u64, one));
    let lines = of("lines")? as u64;
    Some(format!(
        "searched: {} in {}, {}; {} of {} {}",
        some("files", "file")?,
        some("folders", "folder")?,
        bytes(of("bytes")?),
        many(lines, "line"),
        some("matched_files", "file")?,
        if lines == 1 { "matches" } else { "match" }
    ))
}

/// The source's table with ours: the rows of the case that it names, and of all others that
/// have variants of the same names; `None` where it has none, or no flows were made by work.
pub(crate) fn then_and_now(study: &StudyResult) -> Option<Vec<Row>> {
    let origin = study.study.origin.as_ref()?;
    let row = origin
        .rows
        .iter()
        .find(|row| !row.user_seconds.is_empty())?;
    let case = case_of(study, row)?;
    let mut rows: Vec<Row> = alike(study, row)
        .flat_map(|case| variants(case).map(|(variant, own)| ours(case, variant, own)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let labels = case.variants.iter().map(|variant| variant.label.as_str());
    let known = labels.filter(|label| row.seconds.contains_key(*label));
    rows.extend(known.map(|label| theirs(origin, row, label)));
    Some(rows)
}

fn case_of<'a>(study: &'a StudyResult, row: &OriginRow) -> Option<&'a CaseResult> {
    let name = row.case.as_ref()?;
    let case = study.cases.iter().find(|case| case.case.name == *name)?;
    is_self_managed(case).then_some(case)
}

/// Cases that have a variant of each name that the row has.
fn alike<'a>(study: &'a StudyResult, row: &OriginRow) -> impl Iterator<Item = &'a CaseResult> {
    let has = |case: &CaseResult, label: &str| case.variants.iter().any(|v| v.label == label);
    let cases = study.cases.iter().filter(|case| is_self_managed(case));
    cases.filter(move |case| row.seconds.keys().all(|label| has(case, label)))
}

fn ours(case: &CaseResult, variant: &VariantSummary, own: &SelfManaged) -> Row {
    Row {
        who: format!("{}: {}", case.case.name, variant.label),
        from_source: false,
        user: Figure::Is(own.user_ns),
        system: Figure::Is(own.system_ns),
        total: variant
            .value
            .map_or(Figure::None, |value| Figure::Is(value.typical)),
        cpu_share: Figure::Is(own.cpu_share),
    }
}

fn theirs(origin: &Origin, row: &OriginRow, label: &str) -> Row {
    let figure = |figures: &std::collections::BTreeMap<String, f64>, factor: f64| {
        let figure = figures.get(label).map(|figure| figure * factor);
        figure.map_or(Figure::None, Figure::Is)
    };
    Row {
        who: format!("{} {label}", origin.year),
        from_source: true,
        user: figure(&row.user_seconds, 1e9),
        system: figure(&row.system_seconds, 1e9),
        total: figure(&row.seconds, 1e9),
        cpu_share: figure(&row.cpu_share, 1.0),
    }
}

impl<'a> ByNumber<'a> {
    /// Of all cases of a study that ask for the best number; `None` where none does.
    pub(crate) fn of(study: &'a StudyResult) -> Option<Self> {
        let cases = study.cases.iter().filter_map(|case| {
            let optimum = case.optimum.as_ref()?;
            let numbers = optimum.numbers.iter();
            Some(Series {
                name: case.case.name.clone(),
                optimum: Some(optimum),
                points: numbers.map(|at| (at.flows, at.typical_ns)).collect(),
            })
        });
        let mut columns: Vec<Series<'a>> = cases.collect();
        if columns.is_empty() {
            return None;
        }
        columns.extend(of_source(study));
        let mut numbers: Vec<u32> = columns
            .iter()
            .flat_map(|series| series.points.iter().map(|(number, _)| *number))
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        Some(Self { columns, numbers })
    }

    /// Columns of ours, and those of the source.
    pub(crate) fn parted(&self) -> [Vec<&Series<'a>>; 2] {
        let (ours, theirs) = self
            .columns
            .iter()
            .partition(|series| series.optimum.is_some());
        [ours, theirs]
    }
}

/// The source's rows that give a time for each number.
fn of_source<'a>(study: &StudyResult) -> Vec<Series<'a>> {
    let Some(origin) = &study.study.origin else {
        return Vec::new();
    };
    let rows = origin.rows.iter().filter_map(|row| {
        let case = case_of(study, row)?;
        case.optimum.as_ref()?;
        let mut points: Vec<(u32, [f64; 3])> = case
            .case
            .variants
            .iter()
            .filter_map(|v| Some((v.variant.flows, [row.seconds.get(&v.label)? * 1e9; 3])))
            .collect();
        points.sort_by_key(|(number, _)| *number);
        let name = format!("{} {}", origin.year, row.who);
        Some(Series {
            name,
            optimum: None,
            points,
        })
    });
    rows.collect()
}

impl Series<'_> {
    /// The time at a number, in ns.
    pub(crate) fn at(&self, number: u32) -> Option<f64> {
        let point = self.points.iter().find(|(at, _)| *at == number);
        point.map(|(_, [_, typical, _])| *typical)
    }

    /// Whether that number is its best: of ours, as far as rounds tell; of the source's, the one
    /// with the least time.
    pub(crate) fn is_best(&self, number: u32) -> bool {
        if let Some(optimum) = self.optimum {
            return optimum.is_told && optimum.flows == number;
        }
        let times = self.points.iter().map(|(_, [_, typical, _])| *typical);
        let best = times.fold(f64::INFINITY, f64::min);
        self.at(number) == Some(best)
    }
}

/// Variants with the time of each class, in ns, and what the timers cost: of each case whose
/// variants differ in more than their number, and of the best number of the others.
pub(crate) fn profiles(study: &StudyResult) -> Vec<(&str, &str, &SelfManaged)> {
    let cases = study.cases.iter().flat_map(|case| {
        let best = case.optimum.as_ref();
        let is_best =
            move |label: &str| best.is_none_or(|best| best.is_told && best.label == label);
        let shown = variants(case)
            .filter(move |(variant, own)| !own.classes_ns.is_empty() && is_best(&variant.label));
        shown.map(|(variant, own)| (case.case.name.as_str(), variant.label.as_str(), own))
    });
    cases.collect()
}

/// The time of each class, in the order of [`CLASSES`].
pub(crate) fn classes(own: &SelfManaged) -> Vec<f64> {
    let of = |class: &str| own.classes_ns.get(class).copied().unwrap_or(0.0);
    CLASSES.iter().map(|class| of(class)).collect()
}

/// What the timers cost, as a cell shows it.
pub(crate) fn timers(own: &SelfManaged) -> String {
    own.timers_cost.map_or(String::new(), |cost| {
        format!(
            "{}{:.1} %",
            if cost < 0.0 { "-" } else { "+" },
            100.0 * cost.abs()
        )
    })
}

/// A number of workers as a cell shows it.
pub(crate) fn number(number: u32) -> String {
    plain(number.into())
}
