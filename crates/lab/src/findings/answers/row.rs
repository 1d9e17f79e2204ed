use flow::Model;
use measure::Measured;
use stats::{Estimate, Verdict};

use super::along;
use super::answer::{About, Answer, CPU, Line, Question};
use super::differs::{differing, without_a_share};
use super::layout;
use crate::data::Metric;
use crate::data::words::plural;
use crate::findings::calibration::detects_in_words;
use crate::findings::compared::{NOT_KNOWN, at_most_apart, compared};
use crate::findings::generator;
use crate::findings::load_targets::{latencies_in_words, load_in_words, rates_in_words};
use crate::findings::phrases::joined;
use crate::findings::{ByCpu, CaseResult, Finding, Results, Role, StudyResult, Word, crossovers};

const OTHERS: usize = 3;

/// Whether these are threads against processes, with the same work.
#[must_use]
pub fn are_threads_and_processes(case: &CaseResult, subject: &str, reference: &str) -> bool {
    let sides = [Model::Thread, Model::Process].map(|model| Some((model, false)));
    [subject, reference].map(|label| model(case, label)) == sides
}

pub(super) fn row(
    results: &Results,
    study: &StudyResult,
    label: &str,
    case: &CaseResult,
) -> Answer {
    let main = threads_against_processes(case);
    let is_headline = study
        .headline_case()
        .is_some_and(|own| own.case.name == case.case.name);
    let best = study
        .headline()
        .filter(|_| is_headline)
        .or(study.finding_of(case));
    // How work is spread over CPUs shows in wall time alone: CPU time is the same.
    let is_of_wall_time = study.study.decision.is_some();
    let main = main.map(|(finding, pair)| (finding, pair.in_time(is_of_wall_time)));
    let main = main.filter(|_| best.is_none_or(|best| is_between(case, best)));
    let is_exploratory = |one: &Finding| matches!(one.role, Role::Exploratory { .. });
    let mut row = Answer {
        case: case.case.name.clone(),
        words: format!("{NOT_KNOWN}: no data yet"),
        verdict: Some(Word::NotCompared),
        is_exploratory: case.findings.iter().any(is_exploratory),
        ..Answer::called(label)
    };
    match (&main, best) {
        (Some((finding, pair)), _) => {
            row.question = Question::ThreadsOrProcesses;
            row.say(finding, pair, case);
        }
        (None, Some(finding))
            if finding.by_cpu.is_some() && case.findings.len() == 1 && !is_of_wall_time =>
        {
            row.say(finding, &Pair::of(finding), case);
        }
        (None, _) if row.recommends(study, case) => {}
        (None, Some(finding)) => {
            row.say(finding, &Pair::of(finding).in_time(is_of_wall_time), case);
        }
        (None, None) => row.alone(study, case, is_headline),
    }
    let compared = main.map(|(finding, _)| finding).or(best);
    if let Some(finding) = compared.filter(|_| row.ratio.is_some()) {
        row.say_of_launches(finding);
    }
    let named = compared.filter(|_| row.ratio.is_some());
    row.add(
        About::Besides,
        named.and_then(|finding| others(case, finding)),
    );
    if let Some(finding) = named.filter(|_| results.studies.len() == 1) {
        row.compare_along(study, case, finding);
    }
    row.add(About::Confirmed, not_tried(results, named));
    let predicted = case.predicted.iter().flat_map(|found| found.lines());
    row.add(About::Predicted, predicted);
    row.answer_what_if(case);
    row.yield_to_the_client(case);
    row.say_besides(study, case, is_headline);
    if row.ratio.is_none() {
        row.say_why_not(results.stopped(case), case.rounds);
    }
    row
}

type Judged = (Option<Estimate>, Verdict);

struct Pair {
    times: Judged,
    cpu: Option<Judged>,
    is_turned: bool,
}

impl Pair {
    fn of(finding: &Finding) -> Self {
        let of_cpu = |one: &ByCpu| (Some(one.estimate), one.verdict);
        Self {
            times: (finding.estimate, finding.verdict),
            cpu: finding.by_cpu.as_ref().map(of_cpu),
            is_turned: false,
        }
    }

    /// Without CPU time, where wall time alone answers.
    fn in_time(self, alone: bool) -> Self {
        Self {
            cpu: self.cpu.filter(|_| !alone),
            ..self
        }
    }

    fn turned(self) -> Self {
        Self {
            times: turned(self.times),
            cpu: self.cpu.map(turned),
            is_turned: !self.is_turned,
        }
    }
}

fn turned((estimate, verdict): Judged) -> Judged {
    let verdict = match verdict {
        Verdict::Faster { at_least } => Verdict::Slower { at_least },
        Verdict::Slower { at_least } => Verdict::Faster { at_least },
        other => other,
    };
    (estimate.map(|one| one.turned()), verdict)
}

/// `(2 of 9 rounds)`: how many there are, and how many an interval takes.
fn needs((estimate, verdict): Judged) -> Option<String> {
    let Verdict::CannotTell { more_rounds } = verdict else {
        return None;
    };
    let (rounds, more) = (estimate?.rounds, more_rounds?);
    Some(format!("({rounds} of {} rounds)", rounds + more))
}

fn model(case: &CaseResult, label: &str) -> Option<(Model, bool)> {
    let own = case.labelled(label)?;
    Some((own.variant.model, own.work.is_some()))
}

fn is_between(case: &CaseResult, finding: &Finding) -> bool {
    let sides = [&finding.subject, &finding.reference].map(|label| model(case, label));
    let known = |side: &Option<(Model, bool)>| {
        side.is_some_and(|(model, _)| matches!(model, Model::Process | Model::Thread))
    };
    sides.iter().all(known)
}

fn threads_against_processes(case: &CaseResult) -> Option<(&Finding, Pair)> {
    let model = |label: &str| model(case, label);
    let mut pairs = case.findings.iter().filter_map(|finding| {
        let (subject, own) = model(&finding.subject)?;
        let (reference, others) = model(&finding.reference)?;
        let pair = Pair::of(finding);
        match (subject, reference) {
            _ if own || others => None,
            (Model::Thread, Model::Process) => Some((finding, pair)),
            (Model::Process, Model::Thread) => Some((finding, pair.turned())),
            _ => None,
        }
    });
    pairs.next()
}

impl Answer {
    fn say(&mut self, finding: &Finding, pair: &Pair, case: &CaseResult) {
        let mut sides = [finding.subject.clone(), finding.reference.clone()];
        if pair.is_turned {
            sides.reverse();
        }
        let [subject, reference] = [&sides[0], &sides[1]].map(|side| plural(side));
        let judged = pair.cpu.unwrap_or(pair.times);
        let (estimate, verdict) = judged;
        let said = compared(estimate.as_ref(), &verdict);
        let interval = estimate.and_then(|estimate| estimate.interval());
        (self.words, self.ends) = match verdict {
            Verdict::Faster { .. } | Verdict::Slower { .. } => (
                format!("{subject} {} than {reference}", said.word),
                said.interval,
            ),
            Verdict::CannotTell { .. } if interval.is_none() => (
                format!("{}: {subject} against {reference}", said.word),
                needs(judged).unwrap_or_default(),
            ),
            Verdict::CannotTell { .. } if interval.and_then(at_most_apart).is_none() => (
                format!("{}: {subject}", said.word),
                format!("{} than {reference}", said.interval),
            ),
            _ => (
                format!("{subject} and {reference} {}", said.word),
                String::new(),
            ),
        };
        self.verdict = Some(Word::of_time(verdict));
        self.ratio = estimate.map(|estimate| estimate.ratio);
        self.interval = interval;
        self.floor = finding.floor;
        self.quantity = finding.metric.name().to_owned();
        [self.subject, self.reference] = sides.map(Some);
        if pair.cpu.is_some() {
            let (estimate, verdict) = &pair.times;
            let wall = compared(estimate.as_ref(), verdict);
            let wall = format!("wall time: {} ({})", wall.word, wall.interval);
            self.words.push_str(" by CPU time");
            self.quantity = CPU.to_owned();
            self.add(About::Besides, [wall]);
        } else if finding.is_difference() {
            self.explain(finding, case);
        }
        self.say_where(finding);
        let confirmed = finding.confirmed.iter().flat_map(|found| found.lines());
        self.add(About::Confirmed, confirmed);
    }

    fn say_where(&mut self, finding: &Finding) {
        let said = match finding.profiled.as_deref() {
            None => return,
            Some(Measured::Value(found)) => found.lines(),
            Some(Measured::NotAvailable { reason, .. }) => vec![format!("not known: {reason}")],
        };
        let said = said.into_iter().map(|said| format!("where: {said}"));
        self.add(About::Where, said);
    }

    fn explain(&mut self, finding: &Finding, case: &CaseResult) {
        self.below.push(cause(finding, case));
        self.add(About::Besides, layout::warning(case, finding));
        self.is_of_few_rounds = finding.overstated.is_some();
        self.add(About::Overstated, finding.overstated.clone());
    }

    /// Where no change from outside helped a command: not how one change compares.
    fn answer_what_if(&mut self, case: &CaseResult) {
        let is_of_help = matches!(self.verdict, Some(Word::Faster));
        let helps = case.helps().filter(|_| self.ratio.is_some() && !is_of_help);
        if let Some(helps) = helps {
            let best = format!("{} {}", self.words, self.ends);
            self.below.insert(0, About::Besides.says(best));
            (self.words, self.ends) = (helps, String::new());
        }
    }

    fn say_why_not(&mut self, stopped: Option<String>, rounds: usize) {
        let Some(why) = stopped else {
            return;
        };
        if rounds == 0 && self.verdict == Some(Word::CannotTell) {
            self.words = "not measured".to_owned();
        }
        self.add(About::NoAnswer, [why]);
    }

    fn yield_to_the_client(&mut self, case: &CaseResult) {
        let Some(why) = generator::is_compared(case) else {
            return;
        };
        let found = format!("{} {}", self.words, self.ends);
        self.below = vec![About::Besides.says(format!("with that client: {found}"))];
        (self.words, self.ends) = (format!("{NOT_KNOWN}: {why}"), String::new());
        (self.ratio, self.interval) = (None, None);
        self.verdict = Some(Word::NotCompared);
    }

    fn say_of_launches(&mut self, finding: &Finding) {
        self.add(About::Failed, finding.failed.clone());
        let average = finding.average.as_ref();
        self.add(
            About::Average,
            average.and_then(|average| average.words.clone()),
        );
    }

    fn say_besides(&mut self, study: &StudyResult, case: &CaseResult, is_headline: bool) {
        let helps = case.helps().filter(|helps| *helps != self.words);
        let mut besides: Vec<String> = helps.into_iter().chain(case.launching()).collect();
        let mut served = latencies_in_words(case).into_iter();
        self.add(About::Meaning, served.next());
        besides.extend(served);
        if is_headline {
            self.add(About::Asked, rates_in_words(&study.cases));
            besides.extend(load_in_words(&study.cases));
            besides.extend(detects_in_words(&study.cases));
        }
        self.add(About::Besides, besides);
    }

    fn compare_along(&mut self, study: &StudyResult, case: &CaseResult, finding: &Finding) {
        let Some(sweep) = along::sweep(study, case) else {
            return;
        };
        let (subject, reference) = (&finding.subject, &finding.reference);
        let others = along::others(study, &sweep, case, |case| {
            let pair = match threads_against_processes(case) {
                Some((known, pair))
                    if (&known.subject, &known.reference) == (subject, reference) =>
                {
                    pair
                }
                _ => Pair::of(case.finding(subject, reference)?),
            };
            Some(compared(pair.times.0.as_ref(), &pair.times.1))
        });
        self.add(About::Asked, others);
        if !along::is_told_by(study, &sweep, case) {
            return;
        }
        let cases: Vec<&CaseResult> = sweep.points.iter().map(|(_, case)| *case).collect();
        let crossovers = crossovers(&cases, subject, reference);
        if crossovers.is_empty() {
            self.add(About::Flips, along::flip(&sweep, reference, subject));
        }
        self.add(About::Asked, crossovers);
    }

    fn recommends(&mut self, study: &StudyResult, case: &CaseResult) -> bool {
        let Some(found) = case.recommended() else {
            return false;
        };
        let sweep = along::sweep(study, case);
        let sweep = sweep.filter(|sweep| along::is_told_by(study, sweep, case));
        let best = sweep.and_then(|sweep| along::best(&sweep));
        let is_told = case.optimum.as_ref().is_some_and(|best| best.is_told);
        self.question = Question::WhichToTake;
        self.verdict = (!is_told).then_some(Word::CannotTell);
        self.words = found.take;
        self.add(About::Asked, found.against);
        self.add(About::Besides, found.besides);
        self.add(About::Flips, best);
        true
    }

    /// Where nothing is compared: of the headline the study's words, else the case's own.
    fn alone(&mut self, study: &StudyResult, case: &CaseResult, is_headline: bool) {
        let Some(measured) = case.measured() else {
            return;
        };
        let headline = study.sentences.first().filter(|_| is_headline);
        self.question = Question::HowLong;
        self.words = headline.cloned().unwrap_or(measured);
        self.verdict = None;
    }
}

fn not_tried(results: &Results, finding: Option<&Finding>) -> Option<String> {
    results.header.settings.confirm.as_ref()?;
    let finding = finding.filter(|finding| finding.confirmed.is_none())?;
    let why = match finding.is_difference() {
        true => "the run ended before",
        false => "no difference of times is established that could close",
    };
    Some(format!("not tried: {why}"))
}

fn cause(finding: &Finding, case: &CaseResult) -> Line {
    let Some(cause) = &finding.cause else {
        let differs = without_a_share(case, finding);
        return differs.map_or_else(|| no_cause(case), |said| About::Cause.says(said));
    };
    // Where a command spends its time is known, and what it does there is counted.
    let of_command = || differing(case, finding).filter(|_| case.work_is_a_command());
    let counted = of_command().map_or(String::new(), |said| format!("; {said}"));
    About::Cause.says(format!("cause: {cause}{counted}"))
}

fn no_cause(case: &CaseResult) -> Line {
    match case.case.metric {
        Metric::Simulated => {
            About::Cause.says("cause not found: no simulated part makes half of the difference")
        }
        _ if case.work_is_a_command() => About::Cause.says(
            "cause not found: --profile shows where the time goes; --what-if on one command tries what can \
             be changed from outside",
        ),
        _ => About::NoCause.says("cause not found: --profile or --events all may show one"),
    }
}

fn others(case: &CaseResult, best: &Finding) -> Option<String> {
    // By wall time, else by CPU time.
    let decided = |f: &Finding| match (f.verdict.is_decided(), &f.by_cpu) {
        (true, _) => Some((f.estimate, f.verdict, "")),
        (false, Some(by_cpu)) => Some((Some(by_cpu.estimate), by_cpu.verdict, " by CPU time")),
        (false, None) => None,
    };
    let others = case.findings.iter().filter(|f| f.subject != best.subject);
    let mut others: Vec<_> = others.filter_map(|f| Some((f, decided(f)?))).collect();
    let ratio = |estimate: Option<Estimate>| estimate.map_or(f64::INFINITY, |e| e.ratio);
    others.sort_by(|(_, (a, ..)), (_, (b, ..))| ratio(*a).total_cmp(&ratio(*b)));
    let left = others.len().saturating_sub(OTHERS);
    let shown = others.iter().take(OTHERS);
    let shown = shown.map(|(f, (estimate, verdict, by))| {
        let said = compared(estimate.as_ref(), verdict);
        format!("{} {}{by}", plural(&f.subject), said.word)
    });
    let left = (left > 0).then(|| format!("and {left} more"));
    joined(shown.chain(left), ", ").map(|shown| format!("also: {shown}"))
}
