//! The first screen: who wins, by how much, how sure is that, why, and what to do next
//! ([`lab::findings::answers`]). What is said below a row has a kind ([`About`]): a run of several
//! studies shows causes alone here, and one line names the rows that share a doubt. One line says
//! at which level the named differences hold together ([`Answers::level`]); other rows are marked
//! as exploratory ([`Answer::mark`]).

mod advice;
mod asked;
mod terms;

pub(crate) use asked::labels;

use lab::findings::answers::About;
use lab::findings::quantity::by_cpu;
use lab::{Answer, Results};

use crate::words::many;

/// Differences of equal slots beyond this make a machine noisy.
const NOISY: f64 = 0.05;

#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) head: Vec<String>,
    pub(crate) sentence: Option<String>,
    pub(crate) busy: Option<String>,
    pub(crate) asked: Option<String>,
    pub(crate) rows: Vec<Answer>,
    pub(crate) others: Vec<Answer>,
    pub(crate) terms: Option<String>,
    level: Option<String>,
    /// `DIR` stands for the results folder.
    pub(crate) next: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Answers {
    pub(crate) fn level(&self, is_shown: impl Fn(&Answer) -> bool) -> Option<String> {
        let all = || self.all().filter(|row| is_shown(row));
        let marks = [
            (all().any(|row| row.is_exploratory), "; * is exploratory"),
            (
                all().any(|row| row.is_of_few_rounds),
                "; \u{2020} rests on few rounds and may be smaller",
            ),
        ];
        let marks = marks.iter().filter(|(has, _)| *has).map(|(_, mark)| *mark);
        let marks = marks.collect::<String>();
        let all = self.level.clone().unwrap_or_default() + &marks;
        let all = all.trim_start_matches("; ");
        (!all.is_empty()).then(|| all.to_owned())
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Answer> {
        self.rows.iter().chain(&self.others)
    }

    pub(crate) fn of_study(&self, place: usize) -> Vec<&Answer> {
        self.all().filter(|row| row.place == place).collect()
    }

    pub(crate) fn of(results: &Results, folder: &str) -> Self {
        let rows = results.answers().into_iter();
        let (rows, others) = rows.partition(Answer::is_on_threads_and_processes);
        let mut answers = Self {
            head: head(results),
            sentence: results.sentence(),
            busy: results.busy(),
            asked: asked::asked(results),
            terms: None,
            rows,
            others,
            level: None,
            next: Vec::new(),
            warnings: advice::warnings(results, folder),
        };
        answers.level = level(results, answers.all());
        answers.terms = terms::terms(results, answers.all());
        answers.next = advice::next(results, &answers, folder);
        if answers.all().count() > 1 {
            let without = answers.together(About::NoCause);
            let line = advice::causes(results, &without);
            answers.next.extend(line);
        }
        let rows = answers.rows.iter_mut().chain(&mut answers.others);
        match results.studies.len() {
            1 => rows.for_each(|row| row.is_of_few_rounds = false),
            _ => rows.for_each(|row| {
                row.no_longer_says(About::Overstated);
            }),
        }
        answers
    }

    fn together(&mut self, about: About) -> Vec<(String, usize)> {
        let all = self.rows.iter_mut().chain(&mut self.others);
        let saying = all.filter_map(|row| {
            row.no_longer_says(about)
                .then(|| (row.label.clone(), row.place))
        });
        saying.collect()
    }
}

/// `All 8 differences named are right in at least 95 of 100 runs`; by CPU time at another level.
fn level<'a>(results: &Results, rows: impl Iterator<Item = &'a Answer>) -> Option<String> {
    let is_named = |row: &&Answer| row.is_difference() && row.times().is_some();
    let named: Vec<&Answer> = rows
        .filter(is_named)
        .filter(|row| !row.is_exploratory)
        .collect();
    let who = match named.len() {
        0 => return None,
        1 => "The difference named is".to_owned(),
        many => format!("All {many} differences named are"),
    };
    let but = match named.iter().any(|row| row.is_by_cpu()) {
        true => by_cpu::ERROR,
        false => 0.0,
    };
    let right = right_of_100(results.error + but);
    Some(format!("{who} right in at least {right} of 100 runs"))
}

/// `95`, and `93.8` where a run was resumed: never rounded up.
pub(crate) fn right_of_100(error: f64) -> String {
    let tenths = (1000.0 * (1.0 - error) + 1e-6).floor();
    crate::number::trimmed(tenths / 10.0, 1)
}

fn head(results: &Results) -> Vec<String> {
    let machine = &results.header.machine;
    let mut about = Vec::new();
    if machine.processor.is_virtual.value() == Some(&true) {
        about.push("virtual machine");
    }
    if noise(results).is_some_and(|noise| noise > NOISY) {
        about.push("noisy");
    }
    let cpus = match &results.header.settings.simulate {
        Some(simulation) => format!("simulated: {}", simulation.machine.name),
        None => many(machine.usable_cpus() as u64, "CPU"),
    };
    let cpus = match about.is_empty() {
        true => cpus,
        false => format!("{cpus} ({})", about.join(", ")),
    };
    let what = match &results.studies[..] {
        [one] => format!("{}: {}", one.study.name, one.study.title),
        all => format!("{} studies", all.len()),
    };
    let took = match results.took_s > 0.0 {
        true => format!(" in {}", duration(results.took_s)),
        false => String::new(),
    };
    let seed = results.header.settings.seed;
    vec![cpus, format!("{what}{took}"), format!("seed {seed}")]
}

fn noise(results: &Results) -> Option<f64> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    cases.filter_map(|case| case.noise?.pair).reduce(f64::max)
}

fn duration(seconds: f64) -> String {
    let whole = seconds.round().max(1.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, min, s) => format!("{min} min {s} s"),
        (h, min, _) => format!("{h} h {min} min"),
    }
}
