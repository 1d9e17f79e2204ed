//! The journal of the run, line by line.

use flow::Failure;
use flow::film::{Film, Lane};
use lab::{Case, CaseEnd, Entry, Header, Outcome, Preset, SCHEMA, Settings, SlotEntry, Study};
use measure::Measured;
use measure::waits::State;
use serde::Serialize;

use super::slots::{FLOWS, Like, Noise, done, failed};
use super::{HOSTILE, machine, studies};

/// A run of operations under the four models.
pub(super) fn of_operations() -> String {
    let study = studies::operations();
    let mut writer = Writer::new(Noise(11));
    writer.line(&header(vec![study.clone()]));
    for (case, (_, factors)) in study.cases.iter().zip(studies::OPERATIONS) {
        let slot = |v: usize, _, n: &mut Noise| done(like(3e6 * factors[v], 1), 5, n, false);
        writer.case(&study, case, 10, Some(CaseEnd::Rounds), slot);
    }
    writer.line(&Entry::End {
        interrupted: None,
        at_s: writer.at_s,
    });
    writer.text
}

/// The whole text.
pub(super) fn text() -> String {
    let studies = studies::all();
    let mut writer = Writer::new(Noise(7));
    writer.line(&header(studies.clone()));
    let [primes, hostile, scaling] = studies.as_slice() else {
        panic!("three studies")
    };
    writer.case(
        primes,
        &primes.cases[0],
        20,
        Some(CaseEnd::Rounds),
        |v, _, n| done([like(210e6, v), like(205e6, v)][v], FLOWS, n, false),
    );
    for (place, case) in primes.cases[1..].iter().enumerate() {
        let steady = 30e3 * 10f64.powi(place as i32);
        writer.case(primes, case, 10, Some(CaseEnd::Rounds), |v, _, n| {
            done(like(steady, v), FLOWS, n, false)
        });
    }
    writer.case(
        hostile,
        &hostile.cases[0],
        12,
        Some(CaseEnd::Failures),
        |v, round, n| {
            if v == 1 || round == 4 {
                failed(reason(v))
            } else {
                done(like(9e6, v), FLOWS, n, false)
            }
        },
    );
    for (variant, at) in [210e6, 205e6].into_iter().enumerate() {
        let outcome = done(like(at, variant), FLOWS, &mut Noise(3), false);
        writer.line(&Entry::Film(SlotEntry {
            study: primes.name.clone(),
            case: primes.cases[0].name.clone(),
            round: 20,
            variant,
            at_s: 0.0,
            outcome: Outcome {
                film: Some(Box::new(Measured::Value(film(at as u64)))),
                ..outcome
            },
        }));
    }
    writer.case(scaling, &scaling.cases[0], 7, None, |v, _, n| {
        done(like(21e6, usize::from(v > 1)), FLOWS, n, true)
    });
    writer.line(&Entry::End {
        interrupted: Some(2),
        at_s: writer.at_s,
    });
    writer.text
}

/// A parent that waits, and flows that work, wait for a CPU, for the address space, and end.
fn film(end_ns: u64) -> Film {
    let lane = |tid, cells: &str, ns: &[(State, u64)]| Lane {
        tid,
        cells: cells.to_owned(),
        ns: ns.iter().copied().collect(),
    };
    let flow = "-10q5r200m60r100l10-15";
    let ns = [(State::Runs, 150_000_000), (State::Memory, 30_000_000)];
    Film {
        marks: [0, end_ns / 20, end_ns / 20 * 19, end_ns],
        lanes: vec![
            lane(100, "r20e360r20", &[(State::Runs, 10_000_000)]),
            lane(101, flow, &ns),
            lane(102, flow, &ns),
        ],
        more: 3,
        lost: 0,
    }
}

pub(super) fn header(studies: Vec<Study>) -> Header {
    let words = [
        "flowgauge",
        "run",
        "primes",
        "my study.toml",
        "--rounds",
        "20",
    ];
    Header {
        schema: SCHEMA,
        version: "0.1.0".into(),
        began_unix_s: 1_790_000_000,
        command: words.map(String::from).into(),
        settings: Settings {
            max_rounds: 40,
            ..Settings::usual(Preset::Quick, 42)
        },
        machine: machine(),
        files_on: Vec::new(),
        studies,
    }
}

/// Processes (0) are dear to create, threads (1) cheap.
fn like(steady: f64, variant: usize) -> Like {
    match variant {
        0 => Like {
            create: 1.1e6,
            steady,
            teardown: 0.7e6,
            pss: 3_200_000,
            processes: 6,
            faults: 420,
        },
        _ => Like {
            create: 0.16e6,
            steady,
            teardown: 0.05e6,
            pss: 2_100_000,
            processes: 1,
            faults: 12,
        },
    }
}

fn reason(variant: usize) -> Failure {
    match variant {
        0 => Failure::FlowsDied {
            died: 1,
            flows: 5,
            how: "SIGSEGV".into(),
        },
        _ => Failure::SlotLost {
            flows: 5,
            how: "SIGSEGV".into(),
            stderr: format!("boom\n{HOSTILE}"),
        },
    }
}

pub(super) struct Writer {
    text: String,
    at_s: f64,
    noise: Noise,
}

impl Writer {
    /// The text of a run every case of which had all of its rounds.
    pub(super) fn whole(
        (header, rounds, at_s): (&Header, usize, f64),
        noise: Noise,
        slot: impl Fn(&Case, usize, usize, &mut Noise) -> Outcome,
    ) -> String {
        let mut writer = Self::new(noise);
        writer.line(header);
        let studies = header.studies.iter();
        for (study, case) in studies.flat_map(|study| study.cases.iter().map(move |c| (study, c))) {
            let slot = |variant, round, noise: &mut Noise| slot(case, variant, round, noise);
            writer.case(study, case, rounds, Some(CaseEnd::Rounds), slot);
        }
        writer.line(&Entry::End {
            interrupted: None,
            at_s,
        });
        writer.text
    }

    fn new(noise: Noise) -> Self {
        Self {
            text: String::new(),
            at_s: 0.5,
            noise,
        }
    }

    fn line(&mut self, value: &impl Serialize) {
        self.text
            .push_str(&serde_json::to_string(value).expect("JSON"));
        self.text.push('\n');
    }

    fn case(
        &mut self,
        study: &Study,
        case: &Case,
        rounds: usize,
        because: Option<CaseEnd>,
        slot: impl Fn(usize, usize, &mut Noise) -> Outcome,
    ) {
        let (study, variants, case) = (study.name.clone(), case.variants.len(), case.name.clone());
        let pilot = Entry::Pilot {
            study: study.clone(),
            case: case.clone(),
            warmups: 1,
            reps: 3,
            deadline_s: 60.0,
            outcomes: Vec::new(),
        };
        self.line(&pilot);
        for (round, place) in (0..rounds).flat_map(|round| (0..variants).map(move |v| (round, v))) {
            let variant = (place + round) % variants;
            let outcome = slot(variant, round, &mut self.noise);
            let at_s = self.at_s;
            self.at_s += outcome.launch_ns as f64 / 1e9;
            let (study, case) = (study.clone(), case.clone());
            self.line(&Entry::Slot(SlotEntry {
                study,
                case,
                round,
                variant,
                at_s,
                outcome,
            }));
        }
        if let Some(because) = because {
            self.line(&Entry::CaseEnd {
                study,
                case,
                because,
            });
        }
    }
}
