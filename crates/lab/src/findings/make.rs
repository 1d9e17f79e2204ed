//! From the ledger to the results. The same way after a run and from its journal.

mod column;

use measure::Measured;
use stats::{PLAN_ALPHA, Rule, Summary, Verdict, tail};

use super::average::{self, Average};
use super::caveats::{early, overstated};
use super::confirmed::confirmation;
use super::ended;
use super::generator::behind;
use super::laws::laws;
use super::levels::{Level, levels};
use super::limits::limits;
use super::noisy::noise_warning;
use super::optimum::optimum;
use super::paired;
use super::predicted::prediction;
use super::profiled::{Profiled, profiled};
use super::quantity::{Compared, Kind, Look, QuantityFinding, SlotValues};
use super::remarks::sentences;
use super::scaling::scaling;
use super::sentence::{answer, sentence};
use super::shared::{Shared, shared};
use super::simulated::{self, SimulatedCase, simulated};
use super::then::{Run, then_and_now};
use super::why::{Evidence, Round, Side, cause, simulated_cause, simulated_why, why};
use super::workers::crowded;
use super::{
    CaseResult, Finding, Parts, Phases, RawSlot, Results, Role, Seen, StudyResult, VariantSummary,
};
use column::Column;

use crate::data::journal::Depth;
use crate::data::number::plain;
use crate::data::words::{listed, percent, plural};
use crate::data::{Case, Header, Metric, Probe, Study, Value, slot_value};
use crate::findings::judge::{Judged, guarded};
use crate::findings::ledger::{CaseLog, Ledger};

impl Results {
    pub(crate) fn of(mut ledger: Ledger, mut warnings: Vec<String>, depth: Depth) -> Self {
        ledger.peek();
        let mut logs = ledger.logs.iter().flatten();
        let in_vain = logs.all(|log| log.proof().is_none());
        let logs = ledger.logs.iter_mut().flatten();
        logs.for_each(|log| log.in_vain = in_vain);
        let levels = levels(&ledger);
        let (looked_at_again, error) = (looked_at_again(&ledger), error(&ledger));
        let Ledger {
            header,
            notes,
            logs,
            probes,
            ..
        } = ledger;
        let logs = logs.into_iter().zip(&levels).zip(probes);
        let studies = header.studies.iter().zip(logs);
        let studies = studies.map(|(study, (logs, probes))| match depth {
            Depth::All => study_result(study, logs, probes, &header, &notes),
            Depth::Verdicts => verdicts(study, logs, &header),
        });
        let studies: Vec<StudyResult> = studies.collect();
        let files_on = header.files_on.iter();
        warnings.extend(files_on.filter_map(machine::Filesystem::warning));
        let alone = studies.iter().flat_map(|study| &study.cases);
        let alone = alone.filter(|case| case.case.sweep.is_none());
        warnings.extend(alone.filter_map(crowded));
        warnings.extend(noise_warning(&studies));
        warnings.extend(behind(&studies));
        warnings.extend(looked_at_again);
        Self {
            header,
            studies,
            interrupted: ledger.interrupted,
            finished: ledger.finished,
            took_s: ledger.last_s,
            load: ledger.load,
            error,
            warnings,
            notes,
            expected: Vec::new(),
        }
    }
}

fn error(ledger: &Ledger) -> f64 {
    let logs = ledger.logs.iter().flatten();
    let levels = logs.map(|log| log.judge.level());
    levels.fold(PLAN_ALPHA, f64::max)
}

fn looked_at_again(ledger: &Ledger) -> Option<String> {
    let logs = ledger.logs.iter().flatten();
    let mut rounds: Vec<usize> = logs.flat_map(|log| log.judge.added()).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let rounds: Vec<String> = rounds.iter().map(|&look| plain(look as f64)).collect();
    (!rounds.is_empty()).then(|| {
        format!(
            "The run was resumed after its results were shown, with looks added after {} rounds: \
             answers are wrong in at most {} of runs instead of {}; what was decided before stays",
            listed(&rounds),
            percent(error(ledger)),
            percent(PLAN_ALPHA)
        )
    })
}

fn study_result(
    study: &Study,
    (logs, levels): (Vec<CaseLog>, &Vec<Level>),
    probes: Vec<Probe>,
    header: &Header,
    notes: &[String],
) -> StudyResult {
    let cases = case_results(study, (logs, levels), header, Depth::All);
    let simulation = header.settings.simulate.as_ref();
    let machine = simulation.map(|simulation| &simulation.machine);
    let mut parts = Parts {
        limits: limits(&header.machine, study, &cases),
        probes,
        laws: laws(study, &cases),
        scaling: scaling(&cases, &header.machine),
        simulated: machine.map_or_else(Vec::new, |machine| simulated(&cases, machine)),
        then_and_now: Vec::new(),
    };
    let run = Run {
        header,
        notes,
        cases: &cases,
        parts: &parts,
        study: &study.name,
        stricter: 1.0,
    };
    parts.then_and_now = then_and_now(study, run);
    let mut sentences = sentences(study, &cases, &parts);
    if let Some(name) = machine.map(|machine| &machine.name) {
        let said = sentences.into_iter();
        let said = said.map(|one| format!("simulated, {name}: {one}"));
        let of_model = simulated::sentences(name, &parts.simulated);
        sentences = said.chain(of_model).collect();
    }
    StudyResult {
        study: study.clone(),
        cases,
        parts,
        sentences,
    }
}

fn verdicts(study: &Study, logs: (Vec<CaseLog>, &Vec<Level>), header: &Header) -> StudyResult {
    StudyResult {
        study: study.clone(),
        cases: case_results(study, logs, header, Depth::Verdicts),
        parts: Parts::default(),
        sentences: Vec::new(),
    }
}

fn case_results(
    study: &Study,
    (logs, levels): (Vec<CaseLog>, &Vec<Level>),
    header: &Header,
    depth: Depth,
) -> Vec<CaseResult> {
    let cases = study.cases.iter().zip(logs).zip(levels);
    cases
        .map(|((case, log), level)| case_result(case, log, *level, header, depth))
        .collect()
}

fn case_result(
    case: &Case,
    log: CaseLog,
    level: Level,
    header: &Header,
    depth: Depth,
) -> CaseResult {
    let (ref case, log, lost) = log.with_reference_first(case);
    let columns: Vec<Column<'_>> = (0..case.variants.len())
        .zip(lost)
        .map(|(variant, lost)| Column {
            lost,
            ..Column::new(case, &log, variant, header, depth)
        })
        .collect();
    let chosen = log.pilot.as_ref().map(|pilot| pilot.chosen);
    let floor = log.judge.conclude().0;
    let shared = shared(case, &log.slots, floor);
    let variants: Vec<VariantSummary> = columns.iter().map(|column| column.summary(case)).collect();
    let kinds = match depth {
        Depth::All => Kind::all(&header.settings.events).collect(),
        Depth::Verdicts => Vec::new(),
    };
    let slot_values = SlotValues::of(Look::of(case, header), &log.slots, kinds);
    let mut findings = findings(case, (&log, level), &columns, shared.as_ref(), header);
    for (finding, subject) in findings.iter_mut().zip(1..) {
        if depth == Depth::All {
            finding.place(profiled(case, (&log.slots, &log.profiled), subject));
            let plan = log.confirm.as_ref().filter(|plan| plan.subject == subject);
            let found = plan.map(|plan| confirmation(plan, &log.confirmed));
            finding.confirmed = found.map(Box::new);
        }
        finding.decide_by_cpu(
            &slot_values,
            case.metric,
            level.for_cpu(case, subject, floor),
        );
    }
    CaseResult {
        case: case.clone(),
        rounds: log.judge.full_rounds(),
        reps: chosen.map_or(0, |chosen| chosen.reps),
        warmups: chosen.map_or(0, |chosen| chosen.warmups),
        ended: log.ended,
        noise: log.judge.noise(),
        findings,
        quantities: slot_values.quantities(),
        contrasts: contrasts(&slot_values, case, floor, level),
        shared,
        optimum: optimum(case, &variants, &log.slots, (floor, |n| log.judge.share(n))),
        variants,
        predicted: log
            .predict
            .as_ref()
            .map(|plan| prediction(plan, &log.predicted)),
        slots: log.slots,
        films: log.films,
    }
}

fn contrasts(
    slot_values: &SlotValues<'_>,
    case: &Case,
    floor: f64,
    level: Level,
) -> Vec<QuantityFinding> {
    let subjects = 1..case.variants.len();
    let pair = |subject| Compared {
        reference: 0,
        subject,
        floor,
        comparisons: level.comparisons,
    };
    subjects
        .flat_map(|subject| slot_values.compared(pair(subject)))
        .collect()
}

fn findings(
    case: &Case,
    (log, level): (&CaseLog, Level),
    columns: &[Column<'_>],
    shared: Option<&Shared>,
    header: &Header,
) -> Vec<Finding> {
    let floor = log.judge.conclude().0;
    let comparisons = level.comparisons;
    let judged = log.judge.conclude_among(comparisons);
    let Some((reference, subjects)) = columns.split_first() else {
        return Vec::new();
    };
    let pairs = subjects.iter().zip(judged).zip(log.judge.p_values());
    let simulation = header.settings.simulate.as_ref();
    pairs
        .zip(1..)
        .map(|(((subject, judged), p_value), place)| {
            let rule = guarded(floor, comparisons);
            let sides = side(subject).zip(side(reference));
            let why = Why {
                steady: sides
                    .and_then(|_| steady_alone(subject, reference, header.settings.value, rule)),
                shared,
                page: page_bytes(header),
                simulated: simulation.and_then(|simulation| {
                    simulated::compared(case, &log.slots, (0, place), &simulation.machine)
                }),
            };
            let (judged, floor) = ((judged, p_value), (floor, level.role));
            finding((case, log), subject, reference, judged, why, floor)
        })
        .collect()
}

struct Why<'a> {
    steady: Option<String>,
    shared: Option<&'a Shared>,
    page: f64,
    simulated: Option<SimulatedCase>,
}

const USUAL_PAGE: u64 = 4096;

fn page_bytes(header: &Header) -> f64 {
    let told = header.machine.memory.page.value().copied();
    told.filter(|&bytes| bytes > 0).unwrap_or(USUAL_PAGE) as f64
}

fn finding(
    (case, log): (&Case, &CaseLog),
    subject: &Column<'_>,
    reference: &Column<'_>,
    (judged, p_value): (Option<Judged>, Option<f64>),
    Why {
        steady,
        shared,
        page,
        simulated,
    }: Why<'_>,
    (floor, role): (f64, Role),
) -> Finding {
    let planned = log.judge.max_rounds();
    let launches = [reference, subject].map(|column| (column.label, column.launches(case)));
    let sides = side(subject).zip(side(reference));
    let found = judged.map(|judged| (judged.estimate, judged.verdict));
    let verdict = found.map_or(Verdict::CannotTell { more_rounds: None }, |found| found.1);
    let evidence = sides.map(|(subject, reference)| Evidence {
        subject,
        reference,
        metric: case.metric,
        verdict,
        steady,
        shared,
        page,
    });
    let rounds = || rounds(subject, reference);
    let (cause, seen, reasons) = reasons(evidence.as_ref(), simulated.as_ref(), verdict, rounds);
    let (why, also_measured) = match verdict.is_difference() {
        true => (reasons, Vec::new()),
        false => (Vec::new(), reasons),
    };
    let times = [reference, subject].map(|side| side.times(case.metric));
    let tails = sides.map(|_| tail(&times[0], &times[1]));
    let average = found.zip(tails).and_then(|((typical, _), tails)| {
        let tails = [tails.reference, tails.subject];
        let columns = [reference, subject].into_iter().zip(&times).zip(tails);
        let sides: Vec<average::Side<'_>> = columns
            .map(|((column, times), tail)| column.on_average(case, times, tail))
            .collect();
        Average::of([sides[0], sides[1]], case.metric, &typical)
    });
    Finding {
        subject: subject.label.to_owned(),
        reference: reference.label.to_owned(),
        metric: case.metric,
        estimate: found.map(|(estimate, _)| estimate),
        verdict,
        by_cpu: None,
        floor,
        role,
        p_value,
        early: judged.and_then(|judged| early(&judged, log.judge.full_rounds())),
        overstated: judged.as_ref().and_then(overstated),
        phases: sides.map(|(s, r)| difference(s.profile.phases, r.profile.phases)),
        tail: tails,
        average,
        failed: ended::failed(launches),
        sentence: sentence(subject.label, reference.label, case.metric, found, planned),
        cause,
        seen,
        profiled: None,
        confirmed: None,
        why,
        also_measured,
    }
}

fn reasons(
    evidence: Option<&Evidence<'_>>,
    simulated: Option<&SimulatedCase>,
    verdict: Verdict,
    rounds: impl FnOnce() -> Vec<Round>,
) -> (Option<String>, Option<Seen>, Vec<String>) {
    if let Some(one) = simulated {
        return (simulated_cause(one, verdict), None, simulated_why(one));
    }
    let caused = evidence.and_then(|evidence| cause(evidence, rounds));
    let (cause, seen) = caused.unzip();
    let reasons = evidence.map(why).unwrap_or_default();
    (cause, seen.flatten(), reasons)
}

fn rounds(subject: &Column<'_>, reference: &Column<'_>) -> Vec<Round> {
    let own = subject.slots.iter();
    let both = own.filter_map(|slot| {
        Some([
            subject.in_round(slot.round)?,
            reference.in_round(slot.round)?,
        ])
    });
    both.collect()
}

impl Finding {
    /// Says where the difference is, which is its cause where no count is.
    fn place(&mut self, profiled: Option<Measured<Profiled>>) {
        self.profiled = profiled.map(Box::new);
        let found = self.profiled.as_ref().and_then(|found| found.value());
        if self.cause.is_none() && self.is_difference() {
            self.cause = found.and_then(Profiled::cause);
        }
    }

    fn decide_by_cpu(&mut self, values: &SlotValues<'_>, metric: Metric, pair: Compared) {
        let compared = self.estimate.is_some() && !self.verdict.is_decided();
        self.by_cpu = values.by_cpu(metric, pair).filter(|_| compared);
        if let Some(by_cpu) = &self.by_cpu {
            let [subject, reference] = [&self.subject, &self.reference].map(|one| plural(one));
            let said = answer(&subject, &reference, &by_cpu.estimate, by_cpu.verdict);
            self.sentence.push_str(&format!("; by CPU time: {said}"));
        }
    }
}

impl Level {
    /// How strictly CPU time is judged: among all answers, as no other one gives up its share.
    fn for_cpu(self, case: &Case, subject: usize, floor: f64) -> Compared {
        let pairs = case.variants.len().saturating_sub(1);
        let answers = match self.role {
            Role::Headline { answers } => answers,
            Role::Exploratory { .. } => 1,
        };
        Compared {
            reference: 0,
            subject,
            floor,
            comparisons: self.comparisons.max(pairs * answers),
        }
    }
}

fn side<'a>(column: &'a Column<'_>) -> Option<Side<'a>> {
    Some(Side {
        label: column.label,
        profile: column.profile.as_ref()?,
        typical_ns: Summary::of(&column.values())
            .ok()
            .map(|value| value.typical),
        counted: column.counted.as_ref(),
    })
}

fn difference(subject: Phases, reference: Phases) -> Phases {
    Phases {
        create_ns: subject.create_ns - reference.create_ns,
        steady_ns: subject.steady_ns - reference.steady_ns,
        teardown_ns: subject.teardown_ns - reference.teardown_ns,
    }
}

/// Paired by round as the whole is: it explains a finding and is none itself.
fn steady_alone(
    subject: &Column<'_>,
    reference: &Column<'_>,
    value: Value,
    rule: Rule,
) -> Option<String> {
    let [of_reference, of_subject] = [reference, subject].map(|side| side.slots.iter().copied());
    let both = paired::rounds(of_reference, of_subject);
    let steady = |slot: &RawSlot| slot_value(&slot.outcome, Metric::Steady, value);
    let (of_reference, of_subject) = paired::values(both, steady);
    let judged = rule.judge_values(&of_reference, &of_subject).ok();
    let (subject, reference) = (subject.label, reference.label);
    let said = sentence(subject, reference, Metric::Total, Some(judged?), usize::MAX);
    Some(format!("in the steady phase alone: {said}"))
}
