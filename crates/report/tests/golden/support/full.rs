//! A run of all built-in studies that never was: every case of a preset, with plenty of rounds,
//! so that a page of it is as long as a page can be.

use flow::Answer;
use flow::record::Turns;
use lab::{Case, Finding, Outcome, Preset, Results, Settings, Study};
use stats::{Estimate, Verdict};

use super::journal::{Writer, header};
use super::made;
use super::slots::{Like, Noise, done};

/// Flows that are written down of each slot; a page is no longer for more.
const FLOWS: u32 = 2;

/// All studies of a preset, with this many rounds of each case.
pub(crate) fn full(preset: Preset, rounds: usize) -> Results {
    let studies = lab::builtin_names().map(|name| {
        let study = lab::builtin(name, preset).expect("it is built in");
        study.for_cpus(2)
    });
    run_of(studies.collect(), preset, rounds)
}

/// The same with answers as long as those of real runs: every row has a cause or a doubt, many
/// digits, long names.
pub(crate) fn busy(preset: Preset, rounds: usize) -> Results {
    let mut results = full(preset, rounds);
    let cases = results
        .studies
        .iter_mut()
        .flat_map(|study| &mut study.cases);
    for (place, case) in cases.enumerate() {
        for finding in &mut case.findings {
            say(place, finding);
        }
    }
    for (place, limit) in results
        .studies
        .iter_mut()
        .flat_map(|study| &mut study.parts.limits)
        .enumerate()
    {
        if let Some(room) = &mut limit.room {
            room.count = 131_636_085 + place as u64;
        }
    }
    results.warnings = vec![
        "cpu: the workers only compute and had 62 % of their CPU: other programs, or a quota, had \
         the rest, so times are longer and less steady than they would be; free that CPU, or name \
         another one (--cpu)"
            .to_owned(),
        "Noisy run: differences under 3.9 % may not show in 80 rounds (under 2.12x in the noisiest case, where \
         repeats varied by up to 160 %: sharing, cores/page-fault-anon)"
            .to_owned(),
    ];
    results
}

/// One finding in four is undecided, half of the others have a cause, some are overstated.
fn say(place: usize, finding: &mut Finding) {
    let ratio = [1.0 / 907.0, 7.41, 0.968, 0.236][place % 4];
    finding.estimate = Some(Estimate {
        ratio,
        low: Some(ratio / 1.237),
        high: Some(ratio * 1.254),
        ..finding.estimate.expect("rounds of both")
    });
    finding.verdict = match place % 4 {
        2 => Verdict::CannotTell { more_rounds: None },
        1 => Verdict::Slower { at_least: 0.02 },
        _ => Verdict::Faster { at_least: 0.02 },
    };
    finding.cause = (!place.is_multiple_of(3))
        .then(|| "threads wait for each other at the lock of one address space".to_owned());
    finding.overstated = (place % 5 == 1).then(|| {
        "decided after only 20 rounds: the difference may be smaller than shown".to_owned()
    });
}

/// A study of a user: this many cases of four variants, with names as long as some people like them.
pub(crate) fn of_a_user(cases: usize) -> Results {
    let mut text = "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstands_for = \"A test.\"\n\
                    headline = \"case-0\"\n"
        .to_owned();
    for number in 0..cases {
        let title = format!("Case {number}: <b>{}</b>", "a long title, ".repeat(10));
        text += &format!(
            "[[case]]\nname = \"case-{number}\"\ntitle = \"{title}\"\n[case.work]\nkind = \"spin\"\n\
             units = 8\nsteps = {}\n",
            number + 1
        );
        for (model, flows) in [("process", 2), ("thread", 2), ("2x2", 4), ("thread", 4)] {
            text += &format!("[[case.variant]]\nmodel = \"{model}\"\nflows = {flows}\n");
        }
    }
    let study = lab::study::parse(&text, "mine.toml", Preset::Quick).expect("it is a study");
    run_of(vec![study], Preset::Quick, 1)
}

/// A run of studies, with this many rounds of each case.
fn run_of(studies: Vec<Study>, preset: Preset, rounds: usize) -> Results {
    let cases: usize = studies.iter().map(|study| study.cases.len()).sum();
    let name = format!("{}-{preset:?}-{rounds}-{cases}", studies[0].name);
    made(&name, || {
        let mut header = header(studies);
        header.settings = Settings::usual(preset, 42);
        let run = (&header, rounds, 900.0);
        Writer::whole(run, Noise(3), |case, v, _, noise| slot(case, v, noise))
    })
}

/// Variants differ, by more in some cases than in others, so that there is something to say.
fn slot(case: &Case, variant: usize, noise: &mut Noise) -> Outcome {
    let labelled = &case.variants[variant];
    let far = 1.0 + 0.07 * variant as f64 * (case.name.len() % 5) as f64;
    let isolates = labelled.variant.model.isolates();
    let like = Like {
        create: if isolates { 0.9e6 } else { 0.2e6 },
        steady: 12e6 * far,
        teardown: if isolates { 0.4e6 } else { 0.1e6 },
        pss: 2_000_000 + 300_000 * variant as u64,
        processes: if isolates { 1 + FLOWS } else { 1 },
        faults: if isolates { 170 } else { 3 },
    };
    let flows = labelled.variant.flows.min(FLOWS) as usize;
    let mut outcome = done(like, flows, noise, false);
    if let Answer::Done(record) = &mut outcome.answer {
        // A page shows no warm-ups, and is no longer for a third repetition.
        record.warmups.clear();
        record.reps.remove(0);
        for rep in &mut record.reps {
            rep.turns = Some(Turns {
                taken: 10_000,
                handed_over: 10_000,
                switches: 20_000,
                checked: 100,
                orderly: 100,
            });
        }
    }
    outcome
}
