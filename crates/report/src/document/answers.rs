//! The first screen: who wins, by how much, how sure is that, why, and what to do next.
//!
//! # Theory
//!
//! A row is a case that decides something: those that a study names (`deciding`), else its
//! headline. Where processes and threads are compared, the row says how threads compare with
//! processes; any other row says which variant is the best of its case, and names both sides
//! whatever the verdict, as another run may compare others. The words of a row are
//! those of its finding ([`lab::compared`]); its cause is that of the finding, which has one only
//! where a difference was established. Nothing here knows a study by its name.
//!
//! What is said below a row has a kind ([`About`]): a run of several studies shows causes alone on
//! its first screen, and one line names the rows of which a doubt is the same.
//!
//! One line says at which level headline answers hold together ([`Answers::level`]). A row that is
//! none of them is marked as exploratory ([`Row::mark`]): a further case of a study, or memory.

use flow::Model;
use lab::results::{Role, at_most};
use lab::{CaseEnd, CaseResult, Finding, Metric, Results, StudyResult, VariantSummary, compared};
use stats::{Estimate, Verdict};

use crate::text::shell_word;
use crate::words::{Tone, many, plural, stopped};

/// Pairs of equal slots that differ by more than this make a machine noisy.
const NOISY: f64 = 0.05;
/// Reasons of failed slots that are named.
const REASONS: usize = 4;
/// Rounds that are advised at the least: enough for an interval of any number of comparisons.
const LEAST_ROUNDS: usize = 20;
/// Other variants that a row names beside its best.
const OTHERS: usize = 3;
/// What [`compared`] says of no rounds.
const NOT_COMPARED: &str = "not compared";
/// Rows that one line names; of more it gives the number.
const NAMED: usize = 3;

/// What a run answers.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// Machine, studies, time and seed.
    pub(crate) head: Vec<String>,
    /// Threads against processes.
    pub(crate) rows: Vec<Row>,
    /// Everything else.
    pub(crate) others: Vec<Row>,
    /// At which level headline answers hold.
    level: Option<String>,
    /// What to do next; `DIR` stands for the results folder.
    pub(crate) next: Vec<String>,
    /// What the reader must know, the most important first.
    pub(crate) warnings: Vec<String>,
}

/// One answer.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The study, by its place.
    pub(crate) study: usize,
    /// `Primes, even work`.
    pub(crate) label: String,
    /// `threads 7.8 % faster`, `too close to call:`.
    pub(crate) words: String,
    /// `[3.1 … 20.5 %]`, `5.4 % faster … 0.7 % slower`.
    pub(crate) ends: String,
    pub(crate) tone: Tone,
    /// Subject over reference, with its interval.
    pub(crate) ratio: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) floor: f64,
    /// It is no headline answer, and has no share of their level.
    pub(crate) is_exploratory: bool,
    /// What the reader sees below: the cause, or the other variants.
    pub(crate) below: Vec<Below>,
}

/// A line below the words of a row.
#[derive(Debug, Clone)]
pub(crate) struct Below {
    pub(crate) about: About,
    pub(crate) text: String,
}

/// What a line below a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// The cause, or why there is no answer.
    Cause,
    /// That nothing that was measured is a cause.
    NoCause,
    /// That few rounds may have overstated the difference.
    Overstated,
    /// What was measured besides, such as the other variants.
    Besides,
}

impl About {
    fn says(self, text: impl Into<String>) -> Below {
        let text = text.into();
        Below { about: self, text }
    }
}

impl Answers {
    /// At which level the rows hold, and what their mark means.
    pub(crate) fn level(&self) -> Option<String> {
        let mut all = self.rows.iter().chain(&self.others);
        let level = self.level.as_ref()?;
        Some(match all.any(|row| row.is_exploratory) {
            true => format!("{level}; * is exploratory"),
            false => level.clone(),
        })
    }

    /// The rows of a study.
    pub(crate) fn of_study(&self, place: usize) -> Vec<&Row> {
        let rows = self.rows.iter().chain(&self.others);
        rows.filter(|row| row.study == place).collect()
    }

    pub(crate) fn of(results: &Results) -> Self {
        let studies = results.studies.iter().enumerate();
        let rows = studies.flat_map(|(place, study)| rows(results, place, study));
        let rows = rows.chain(memory(results).map(|row| (true, row)));
        let (rows, others): (Vec<_>, Vec<_>) = rows.partition(|(is_main, _)| *is_main);
        let all = |rows: Vec<(bool, Row)>| rows.into_iter().map(|(_, row)| row).collect();
        let mut answers = Self {
            head: head(results),
            rows: all(rows),
            others: all(others),
            level: level(results),
            next: Vec::new(),
            warnings: warnings(results),
        };
        answers.next = next(results, &answers);
        if answers.rows.len() + answers.others.len() > 1 {
            let labels = answers.together(About::NoCause);
            let line = |rows| format!("No cause was found for {rows}: try --events or --sample");
            answers.next.extend(labels.map(line));
        }
        if results.studies.len() > 1 {
            let labels = answers.together(About::Overstated);
            let line = |rows| format!("Found in few rounds, may be overstated: {rows}");
            answers.next.extend(labels.map(line));
        }
        answers
    }

    /// The rows below which something is said of a kind, by their labels: it is no longer said
    /// below each.
    fn together(&mut self, about: About) -> Option<String> {
        let mut labels = Vec::new();
        for row in self.rows.iter_mut().chain(&mut self.others) {
            let lines = row.below.len();
            row.below.retain(|below| below.about != about);
            if row.below.len() < lines {
                labels.push(row.label.as_str());
            }
        }
        (!labels.is_empty()).then(|| few(&labels))
    }
}

/// `All 8 headline answers together are right in at least 95 of 100 runs`; nothing where nothing
/// is compared.
fn level(results: &Results) -> Option<String> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let mut findings = cases.flat_map(|case| &case.findings);
    let answers = findings.find_map(|finding| match finding.role {
        Role::Alone => Some(0),
        Role::Headline { answers } => Some(answers),
        Role::Exploratory { .. } => None,
    })?;
    let who = match answers {
        0 => "Each answer by itself is".to_owned(),
        1 => "The headline answer is".to_owned(),
        many => format!("All {many} headline answers together are"),
    };
    Some(format!("{who} right in at least 95 of 100 runs"))
}

/// `Primes; Disk writes; Search and 2 more`.
fn few(labels: &[&str]) -> String {
    let named = labels[..labels.len().min(NAMED)].join("; ");
    match labels.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// How threads compare with processes in memory, in a run of several studies: in the first of
/// their headlines that has both. A study alone says it of its own variants.
fn memory(results: &Results) -> Option<Row> {
    let several = results.studies.len() > 1;
    let mut studies = results.studies.iter().enumerate().filter(|_| several);
    studies.find_map(|(place, study)| {
        let case = study.headline_case()?;
        let mut contrasts = case.contrasts.iter();
        let found = contrasts.find(|one| {
            let is_pair = are_threads_and_processes(case, &one.subject, &one.reference);
            one.name == "memory" && is_pair
        })?;
        let (_, words) = found.sentence.split_once(": ")?;
        let tone = match found.verdict {
            lab::results::Word::CannotTell => Tone::Doubt,
            _ => Tone::Plain,
        };
        let (words, ends) = words.split_at(words.find(" [").unwrap_or(words.len()));
        let label = format!("Memory, {}", study.study.name);
        Some(Row {
            ends: ends.trim_start().to_owned(),
            is_exploratory: case.findings.iter().all(|one| one.role != Role::Alone),
            ..Row::new(place, label, words, tone)
        })
    })
}

/// Whether these are threads against processes, with the same work.
pub(crate) fn are_threads_and_processes(case: &CaseResult, subject: &str, reference: &str) -> bool {
    let sides = [Model::Thread, Model::Process].map(|model| Some((model, false)));
    [subject, reference].map(|label| model(case, label)) == sides
}

/// `2 CPUs (virtual machine, noisy)`, `8 studies in 2 min 5 s`, `seed 940732`.
fn head(results: &Results) -> Vec<String> {
    let machine = &results.header.machine;
    let mut about = Vec::new();
    if machine.processor.is_virtual.value() == Some(&true) {
        about.push("virtual machine");
    }
    if noise(results).is_some_and(|noise| noise > NOISY) {
        about.push("noisy");
    }
    let cpus = many(machine.usable_cpus() as u64, "CPU");
    let simulation = results.header.settings.simulate.as_ref();
    let cpus = match simulation {
        Some(simulation) => format!("simulated: {}", simulation.machine.name),
        None => cpus,
    };
    let cpus = match about.is_empty() {
        true => cpus,
        false => format!("{cpus} ({})", about.join(", ")),
    };
    let what = match &results.studies[..] {
        [one] => format!("{}: {}", one.study.name, one.study.title),
        all => format!("{} studies", all.len()),
    };
    let took = took_s(results).map_or(String::new(), |s| format!(" in {}", duration(s)));
    let seed = results.header.settings.seed;
    vec![cpus, format!("{what}{took}"), format!("seed {seed}")]
}

/// The noise of the noisiest case.
fn noise(results: &Results) -> Option<f64> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    cases.filter_map(|case| case.noise?.pair).reduce(f64::max)
}

/// Seconds from the beginning to the end of the last slot.
fn took_s(results: &Results) -> Option<f64> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let slots = cases.flat_map(|case| &case.slots);
    let ends = slots.map(|slot| slot.at_s + slot.outcome.launch_ns as f64 / 1e9);
    ends.reduce(f64::max)
}

/// `2 min 5 s`.
fn duration(seconds: f64) -> String {
    let whole = seconds.round().max(1.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, min, s) => format!("{min} min {s} s"),
        (h, min, _) => format!("{h} h {min} min"),
    }
}

/// The rows of a study, each with whether it is on threads against processes.
fn rows(results: &Results, place: usize, study: &StudyResult) -> Vec<(bool, Row)> {
    if !study.limits.is_empty() {
        return vec![(false, limits(place, study))];
    }
    let named: Vec<(String, &CaseResult)> = study
        .study
        .deciding
        .iter()
        .filter(|one| !one.alone || results.studies.len() == 1)
        .filter_map(|one| {
            let case = deciding(study, &one.case)?;
            Some((case.case.filled(&one.label), case))
        })
        .collect();
    let cases = match named.is_empty() {
        false => named,
        true => study
            .headline_case()
            .into_iter()
            .map(|case| (capital(&study.study.name), case))
            .collect(),
    };
    let rows = cases
        .iter()
        .map(|(label, case)| row(results, (place, study), label, case));
    rows.collect()
}

/// The case of that name; of one that is spread out the headline, or else the last of its parts
/// that tells anything.
pub(super) fn deciding<'a>(study: &'a StudyResult, name: &str) -> Option<&'a CaseResult> {
    let parts = format!("{name}/");
    let own = |case: &&CaseResult| case.case.name == name || case.case.name.starts_with(&parts);
    let headline = study.headline_case().filter(own);
    let tells = |case: &&CaseResult| {
        let mut findings = case.findings.iter().filter_map(|finding| finding.estimate);
        findings.any(|estimate| estimate.interval().is_some())
    };
    let cases = || study.cases.iter().filter(own);
    headline
        .or_else(|| cases().rfind(tells))
        .or_else(|| cases().next_back())
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

/// How threads compare with processes, or which variant is the best.
fn row(
    results: &Results,
    (place, study): (usize, &StudyResult),
    label: &str,
    case: &CaseResult,
) -> (bool, Row) {
    let main = threads_against_processes(case);
    let is_headline = study
        .headline_case()
        .is_some_and(|own| own.case.name == case.case.name);
    let best = study
        .headline()
        .filter(|_| is_headline)
        .or(case.findings.first());
    // Where something else wins, that is the answer.
    let main = main.filter(|_| best.is_none_or(|best| is_between(case, best)));
    let is_main = main.is_some();
    let mut row = Row::new(place, label, "no data yet", Tone::Doubt);
    let mut findings = case.findings.iter();
    row.is_exploratory = findings.any(|one| matches!(one.role, Role::Exploratory { .. }));
    let cause = no_cause(case);
    match (main, best) {
        (Some(pair), _) => row.say(&pair, "threads", &cause),
        (None, _) if row.recommends(case) => {}
        (None, Some(finding)) => {
            let pair = Pair::of(finding);
            let reference = format!(" than {}", plural(&finding.reference));
            row.say(&pair, &plural(&finding.subject), &cause);
            match pair.is_decided() {
                true => row.words.push_str(&reference),
                false => {
                    let names = [&finding.subject, &finding.reference].map(|one| plural(one));
                    row.words = format!("{} and {}: {}", names[0], names[1], row.words);
                }
            }
            let others = others(case, finding);
            row.below
                .extend(others.map(|said| About::Besides.says(said)));
        }
        (None, None) => row.alone(study, case, is_headline),
    }
    let mut besides: Vec<String> = case.helps().into_iter().chain(case.launching()).collect();
    besides.extend(lab::latencies_in_words(case));
    if is_headline {
        besides.extend(lab::load_in_words(&study.cases));
        besides.extend(lab::detects_in_words(&study.cases));
    }
    let besides = besides.into_iter().map(|said| About::Besides.says(said));
    row.below.extend(besides);
    if row.ratio.is_none() {
        row.stopped(stopped(results, case));
    }
    (is_main, row)
}

/// An estimate in the direction of its row.
struct Pair {
    estimate: Option<Estimate>,
    verdict: Verdict,
    floor: f64,
    cause: Option<String>,
    overstated: Option<String>,
}

impl Pair {
    fn of(finding: &Finding) -> Self {
        Self {
            estimate: finding.estimate,
            verdict: finding.verdict,
            floor: finding.floor,
            cause: finding.cause.clone(),
            overstated: finding.overstated.clone(),
        }
    }

    /// `(2 of 9)`: how many rounds there are, and are needed for an interval.
    fn needs(&self) -> Option<String> {
        let Verdict::CannotTell { more_rounds } = self.verdict else {
            return None;
        };
        let (rounds, more) = (self.estimate?.rounds, more_rounds?);
        Some(format!("({rounds} of {})", rounds + more))
    }

    fn is_decided(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Faster { .. } | Verdict::Slower { .. }
        )
    }

    /// The reference against the subject.
    fn turned(self) -> Self {
        let estimate = self.estimate.map(|e| Estimate {
            ratio: 1.0 / e.ratio,
            low: e.high.map(|high| 1.0 / high),
            high: e.low.map(|low| 1.0 / low),
            ..e
        });
        let verdict = match self.verdict {
            Verdict::Faster { at_least } => Verdict::Slower { at_least },
            Verdict::Slower { at_least } => Verdict::Faster { at_least },
            other => other,
        };
        Self {
            estimate,
            verdict,
            ..self
        }
    }
}

/// What a variant is made of, and whether it does work of its own.
fn model(case: &CaseResult, label: &str) -> Option<(Model, bool)> {
    let mut variants = case.case.variants.iter();
    let own = variants.find(|variant| variant.label == label)?;
    Some((own.variant.model, own.work.is_some()))
}

/// Whether a finding is on processes and threads alone.
fn is_between(case: &CaseResult, finding: &Finding) -> bool {
    let sides = [&finding.subject, &finding.reference].map(|label| model(case, label));
    let known = |side: &Option<(Model, bool)>| {
        side.is_some_and(|(model, _)| matches!(model, Model::Process | Model::Thread))
    };
    sides.iter().all(known)
}

/// The finding on processes and threads, threads against processes; by models and not by names.
fn threads_against_processes(case: &CaseResult) -> Option<Pair> {
    let model = |label: &str| model(case, label);
    let pairs = case.findings.iter().filter_map(|finding| {
        let (subject, own) = model(&finding.subject)?;
        let (reference, others) = model(&finding.reference)?;
        match (subject, reference) {
            _ if own || others => None,
            (Model::Thread, Model::Process) => Some(Pair::of(finding)),
            (Model::Process, Model::Thread) => Some(Pair::of(finding).turned()),
            _ => None,
        }
    });
    let mut pairs = pairs;
    pairs.next()
}

impl Row {
    /// What stands after the label.
    pub(crate) fn mark(&self) -> &'static str {
        if self.is_exploratory { " *" } else { "" }
    }

    fn new(study: usize, label: impl Into<String>, words: impl Into<String>, tone: Tone) -> Self {
        Self {
            study,
            label: label.into(),
            words: words.into(),
            ends: String::new(),
            tone,
            ratio: None,
            interval: None,
            floor: 0.0,
            is_exploratory: false,
            below: Vec::new(),
        }
    }

    fn say(&mut self, pair: &Pair, subject: &str, no_cause: &Below) {
        let said = compared(pair.estimate.as_ref(), &pair.verdict);
        let is_open = matches!(pair.verdict, Verdict::CannotTell { .. });
        self.words = match pair.verdict {
            Verdict::Faster { .. } | Verdict::Slower { .. } => format!("{subject} {}", said.word),
            _ if is_open && !said.interval.is_empty() => format!("{}:", said.word),
            _ => said.word,
        };
        self.ends = match pair.verdict {
            Verdict::Same { .. } => String::new(),
            _ if said.interval.is_empty() => pair.needs().unwrap_or_default(),
            _ => said.interval,
        };
        self.tone = match pair.verdict {
            Verdict::Faster { .. } => Tone::Faster,
            Verdict::Slower { .. } => Tone::Slower,
            Verdict::Same { .. } => Tone::Plain,
            Verdict::CannotTell { .. } => Tone::Doubt,
        };
        self.ratio = pair.estimate.map(|estimate| estimate.ratio);
        self.interval = pair.estimate.and_then(|estimate| estimate.interval());
        self.floor = pair.floor;
        if pair.is_decided() {
            let cause = pair.cause.as_ref();
            let cause = cause.map(|cause| About::Cause.says(format!("cause: {cause}")));
            self.below.push(cause.unwrap_or_else(|| no_cause.clone()));
            let overstated = pair.overstated.clone().into_iter();
            self.below
                .extend(overstated.map(|said| About::Overstated.says(said)));
        }
    }

    /// Says why there is nothing, where the time ended before: in place of a comparison that was
    /// not made.
    fn stopped(&mut self, why: Option<String>) {
        const STOPPED: &str = "Stopped";
        match why.as_deref().and_then(|why| why.strip_prefix(STOPPED)) {
            Some(rest) if self.words.ends_with(NOT_COMPARED) => {
                self.words = format!("{NOT_COMPARED}: stopped{rest}");
            }
            _ => self.below.extend(why.map(|why| About::Cause.says(why))),
        }
    }

    /// Says which variant to take, where that is the question.
    fn recommends(&mut self, case: &CaseResult) -> bool {
        let Some(mut parts) = case.recommended() else {
            return false;
        };
        let is_told = case.optimum.as_ref().is_some_and(|best| best.is_told);
        self.tone = if is_told { Tone::Plain } else { Tone::Doubt };
        self.words = parts.remove(0);
        self.below = parts
            .into_iter()
            .map(|part| About::Besides.says(part))
            .collect();
        true
    }

    /// What was measured where nothing is compared: of the headline what the study says of it, of
    /// any other case its own.
    fn alone(&mut self, study: &StudyResult, case: &CaseResult, is_headline: bool) {
        let Some(measured) = case.measured() else {
            return;
        };
        let headline = study.sentences.first().filter(|_| is_headline);
        self.words = headline.cloned().unwrap_or(measured);
        self.tone = Tone::Plain;
    }
}

/// What stands where nothing that was measured is a cause.
fn no_cause(case: &CaseResult) -> Below {
    match case.case.metric {
        Metric::Simulated => {
            About::Cause.says("cause not found: no simulated part makes half of the difference")
        }
        _ if case.work_is_a_command() => {
            About::Cause.says("cause not found: --what-if tries what can be changed from outside")
        }
        _ => About::NoCause.says("cause not found: try --events or --sample"),
    }
}

/// The other variants of a case, the fastest first, where there are more than one.
fn others(case: &CaseResult, best: &Finding) -> Option<String> {
    let mut others: Vec<&Finding> = case
        .findings
        .iter()
        .filter(|f| f.subject != best.subject && f.verdict.is_decided())
        .collect();
    let ratio = |f: &Finding| f.estimate.map_or(f64::INFINITY, |e| e.ratio);
    others.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let left = others.len().saturating_sub(OTHERS);
    let shown = others.iter().take(OTHERS).map(|f| {
        let said = compared(f.estimate.as_ref(), &f.verdict);
        format!("{} {}", plural(&f.subject), said.word)
    });
    let mut shown: Vec<String> = shown.collect();
    if left > 0 {
        shown.push(format!("{left} more"));
    }
    (!shown.is_empty()).then(|| format!("also: {}", shown.join(", ")))
}

/// The largest numbers of flows and what stops them.
fn limits(place: usize, study: &StudyResult) -> Row {
    let label = study.study.deciding.first().map(|one| one.label.clone());
    let known = study
        .limits
        .iter()
        .filter_map(|limit| Some((limit, limit.room.as_ref()?)));
    let mut groups: Vec<(String, String, Vec<String>)> = Vec::new();
    for (limit, room) in known {
        let own = at_most(room);
        let by = room.bites.split(" (").next().unwrap_or_default().to_owned();
        let name = plural(&limit.label);
        match groups
            .iter_mut()
            .find(|(most, known, _)| *most == own && *known == by)
        {
            Some((_, _, labels)) => labels.push(name),
            None => groups.push((own, by, vec![name])),
        }
    }
    let said = groups
        .iter()
        .map(|(most, by, labels)| (most, by, labels.join(" or ")));
    let mut said = said.map(|(most, by, labels)| format!("{most} {labels} ({by})"));
    let first = said.next();
    let rest: Vec<String> = said.collect();
    let words = first.map_or("no limit can be read".to_owned(), |first| {
        format!("at most {first}")
    });
    let label = label.unwrap_or_else(|| capital(&study.study.name));
    let mut row = Row::new(place, label, words, Tone::Plain);
    if !rest.is_empty() {
        let also = format!("also: {}", rest.join(", "));
        row.below.push(About::Besides.says(also));
    }
    row
}

/// What to do about what is open.
fn next(results: &Results, answers: &Answers) -> Vec<String> {
    let all = || answers.rows.iter().chain(&answers.others);
    let open: Vec<&Row> = all().filter(|row| row.tone == Tone::Doubt).collect();
    let mut next = Vec::new();
    if let Some(more) = more_rounds(results, &open) {
        // Such a row has a ratio alone.
        let is_early = |row: &&Row| row.ratio.is_some() && row.interval.is_none();
        let few = match open.iter().any(is_early) {
            true => "; more answers take more rounds",
            false => "",
        };
        next.push(match open.len() {
            1 => format!("One row is undecided{few}. {more}"),
            open => format!("{open} rows are undecided{few}. {more}"),
        });
    }
    if !open.is_empty() {
        return next;
    }
    let begun = all().filter(|row| row.ratio.is_some());
    if let Some(row) =
        begun.min_by(|a, b| a.ratio.unwrap_or(1.0).total_cmp(&b.ratio.unwrap_or(1.0)))
    {
        let study = &results.studies[row.study].study.name;
        if results.studies.len() > 1 {
            let study = shell_word(study);
            next.push(format!(
                "One study alone, in more rounds: flowgauge run {study} --budget 5m"
            ));
        }
    }
    next
}

/// How to get more rounds of what is open; `None` where nothing is, or all of it has failed.
fn more_rounds(results: &Results, open: &[&Row]) -> Option<String> {
    let studies = open.iter().map(|row| &results.studies[row.study]);
    let cases = || studies.clone().flat_map(|study| &study.cases);
    if cases().all(|case| case.ended == Some(CaseEnd::Failures)) {
        return None;
    }
    let has_rounds = |case: &CaseResult| matches!(case.ended, None | Some(CaseEnd::Budget));
    let settings = &results.header.settings;
    let each = match (cases().any(has_rounds), results.studies.len()) {
        (true, 2..) => ", up to 5 minutes a study",
        _ => "",
    };
    let flag = match cases().any(has_rounds) {
        true => "--budget 5m".to_owned(),
        false => {
            let rounds = (2 * settings.max_rounds).max(LEAST_ROUNDS);
            let budget = settings.budget_s.map(|s| ((s + 300.0) / 60.0).ceil());
            let budget = budget.map_or(String::new(), |minutes| format!(" --budget {minutes}m"));
            format!("--rounds {rounds}{budget}")
        }
    };
    Some(format!(
        "More rounds{each}: flowgauge run --resume DIR {flag}"
    ))
}

/// Slots of a variant that failed for one reason, with those of all its slots.
struct Failed<'a> {
    reason: &'a str,
    slots: usize,
    all: usize,
    labels: Vec<String>,
}

/// `5 of 12 slots of sort failed: exit code 1`: an error where none succeeded.
fn failures(results: &Results) -> Vec<String> {
    let mut groups: Vec<Failed<'_>> = Vec::new();
    for (label, variant) in variants(results) {
        let failed: usize = variant.failures.iter().map(|(count, _)| count).sum();
        for (count, reason) in &variant.failures {
            let all = variant.good + failed;
            match groups.iter_mut().find(|group| group.reason == reason) {
                Some(group) => {
                    group.slots += count;
                    group.all += all;
                    group.labels.push(label.clone());
                }
                None => groups.push(Failed {
                    reason,
                    slots: *count,
                    all,
                    labels: vec![label.clone()],
                }),
            }
        }
    }
    let nothing = variants(results).all(|(_, variant)| variant.good == 0);
    let begin = if nothing { "error: " } else { "" };
    let line = |group: &Failed<'_>| {
        let Failed {
            reason,
            slots,
            all,
            labels,
        } = group;
        let slots_of = many(*all as u64, "slot");
        let labels = labels.join(", ");
        format!("{begin}{slots} of {slots_of} of {labels} failed: {reason}")
    };
    let mut lines: Vec<String> = groups.iter().take(REASONS).map(line).collect();
    if let Some(more) = groups.len().checked_sub(REASONS).filter(|more| *more > 0) {
        let more = many(more as u64, "more reason");
        lines.push(format!("Slots failed for {more}: flowgauge report DIR -v"));
    }
    lines
}

/// The variants of a run, each with a name that is its own.
fn variants(results: &Results) -> impl Iterator<Item = (String, &VariantSummary)> {
    let cases = results.studies.iter().flat_map(|study| {
        let alone = results.studies.len() == 1;
        study
            .cases
            .iter()
            .map(move |case| match (alone, study.cases.len()) {
                (true, 1) => (String::new(), case),
                (true, _) => (format!("{}, ", case.case.name), case),
                (false, _) => (format!("{} {}, ", study.study.name, case.case.name), case),
            })
    });
    cases.flat_map(|(place, case)| {
        let named = case.variants.iter();
        named.map(move |variant| (format!("{place}{}", variant.label), variant))
    })
}

/// Warnings in the reader's words.
fn warnings(results: &Results) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(super::study::ending(results));
    warnings.extend(failures(results));
    // Why there is nothing is among what was left out.
    if variants(results).all(|(_, variant)| variant.good == 0) {
        warnings.extend(results.notes.iter().cloned());
    }
    warnings.extend(results.warnings.iter().cloned());
    warnings
}
