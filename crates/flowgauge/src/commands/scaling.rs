//! `flowgauge scaling`: the study of 2010 with its own options.
//!
//! The built-in study with the works, heap, numbers of flows and ways that the flags ask for.
//! What is asked for and has no room is refused; what the machine does not have (SMT) is left
//! out, and said.

use anyhow::{Context, Result, bail, ensure};
use lab::{Along, Case, Spread, Study, scaling};
use machine::Machine;
use workload::Bytes;

use crate::args::ScalingArgs;
use crate::ending::Ending;
use crate::launch::CellLauncher;
use crate::number::Sizes;
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session;

/// Seconds for the study where no budget is given: Ctrl-C or `--budget` end it earlier.
const BUDGET_S: f64 = 1_800.0;

/// Runs the study as asked.
pub(crate) fn run(args: &ScalingArgs) -> Result<Ending> {
    let machine = Machine::read();
    let preset = args.preset.into();
    let study = chosen(lab::builtin("scaling", preset)?, args)?;
    let has_work = study.cases.iter().any(scaling::is_template);
    let (study, left_out) = spread(args)?.over(study, &machine);
    // A server is for no way in particular: it does not stand for the works that found none.
    let has_way = study
        .cases
        .iter()
        .any(|case| scaling::along(case).is_some());
    if has_work && !has_way {
        bail!("there is nothing to run: {}", left_out.join("; "));
    }
    let mut settings = session::settings(&args.how, preset)?;
    settings.budget_s = args.how.budget.or(Some(BUDGET_S));
    let mut launcher = CellLauncher::new(ResultFile::prepare(None, false)?)?;
    let name = study.name.clone();
    let cases = study.cases.clone();
    let mut session = session::begin(vec![study], settings, &args.how)?;
    for line in options(&cases, &machine) {
        tell(&line);
    }
    session.leaves_out(&name, &left_out)?;
    session::carry_out(session, &mut launcher, args.how.watch, &args.how.answer)
}

/// The study with the works that are asked for, with the heap that is asked for.
fn chosen(study: Study, args: &ScalingArgs) -> Result<Study> {
    let mut cases = study.cases.clone();
    for (place, word) in args.workload.iter().enumerate() {
        ensure!(
            !word.is_empty(),
            "--workload has a name of no letters: use {}",
            names(&study.cases)
        );
        ensure!(
            !args.workload[..place].contains(word),
            "--workload names {word} twice: once is enough"
        );
        let known = cases.iter().any(|case| is_called(&case.name, word));
        ensure!(
            known,
            "--workload {word}: there is no such work in this preset: use {}",
            names(&study.cases)
        );
    }
    if !args.workload.is_empty() {
        let asked = |case: &Case| args.workload.iter().any(|word| is_called(&case.name, word));
        cases.retain(asked);
    }
    if let Some(heap) = args.heap {
        set_heap(&mut cases, heap)?;
    }
    Ok(study.with_cases(cases))
}

fn names(cases: &[Case]) -> String {
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    names.join(", ")
}

/// Whether a work is meant by a word: its name, or a part of it up to a hyphen or a slash.
fn is_called(name: &str, word: &str) -> bool {
    let rest = name.strip_prefix(word).filter(|_| !word.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']))
}

fn set_heap(cases: &mut [Case], heap: u64) -> Result<()> {
    let mut heaps = 0;
    for case in cases {
        if let Some(work) = case.work.with_heap(Bytes(heap)) {
            work.check()?;
            case.work = work;
            heaps += 1;
        }
    }
    ensure!(
        heaps > 0,
        "--heap is for warehouse, which is not among the works that are asked for"
    );
    Ok(())
}

fn spread(args: &ScalingArgs) -> Result<Spread> {
    let mut along: Vec<Along> = Vec::new();
    for way in args.along.iter().map(|way| Along::from(*way)) {
        ensure!(
            !along.contains(&way),
            "--along names {way} twice: once is enough"
        );
        along.push(way);
    }
    Ok(Spread {
        along,
        flows: args.flows.as_ref().map(numbers).transpose()?,
        grid: args.grid,
    })
}

/// Of a range its beginning, twice as many, and so on, and its end.
fn numbers(asked: &Sizes) -> Result<Vec<u32>> {
    let (first, last) = match asked {
        Sizes::One(number) => (*number, *number),
        Sizes::Sweep(range) => (*range.start(), *range.end()),
    };
    ensure!(first > 0, "--flows 0: there must be at least 1 flow");
    let most = u32::try_from(last).ok();
    let last = most.with_context(|| format!("--flows {last}: no machine has so many"))?;
    Ok(scaling::doubled(first as u32, last))
}

/// What is run, for people.
fn options(cases: &[Case], machine: &Machine) -> Vec<String> {
    let mut works: Vec<&str> = Vec::new();
    for case in cases {
        let base = scaling::base(case);
        if !works.contains(&base) {
            works.push(base);
        }
    }
    let mut lines = vec![
        "Using these options (flowgauge scaling --help explains them):".to_owned(),
        format!("  works                {}", works.join(", ")),
    ];
    for along in Along::EVERY {
        let mut flows: Vec<u32> = cases
            .iter()
            .filter(|case| scaling::along(case) == Some(along))
            .map(|case| case.variants[0].variant.flows)
            .collect();
        flows.sort_unstable();
        flows.dedup();
        if flows.is_empty() {
            continue;
        }
        let room = along.room(machine);
        let numbers: Vec<String> = flows.iter().map(u32::to_string).collect();
        let beyond = match flows.iter().any(|flows| *flows > room) {
            true => format!(" (there are CPUs for {room} of them)"),
            false => String::new(),
        };
        let head = format!("  flows {}", along.spoken());
        lines.push(format!("{head:<22} {}{beyond}", numbers.join(", ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_is_called_by_its_name_or_its_beginning() {
        for word in ["numeric", "numeric-small", "numeric-small/fft"] {
            assert!(is_called("numeric-small/fft", word), "{word}");
        }
        for word in ["", "num", "numeric-large", "numeric-small/f"] {
            assert!(!is_called("numeric-small/fft", word), "{word}");
        }
    }

    #[test]
    fn works_without_the_headline_are_answered_by_the_first_of_them() {
        let study = lab::builtin("scaling", lab::Preset::Full).unwrap();
        assert_eq!(study.headline, "warehouse");
        let served = |case: &&Case| case.name == "wiki-server";
        let asked: Vec<Case> = study.cases.iter().filter(served).cloned().collect();
        assert_eq!(study.with_cases(asked).headline, "wiki-server");
    }

    #[test]
    fn ranges_double_and_have_their_end() {
        assert_eq!(numbers(&Sizes::Sweep(1..=6)).unwrap(), [1, 2, 4, 6]);
        assert_eq!(numbers(&Sizes::One(3)).unwrap(), [3]);
        assert!(numbers(&Sizes::One(0)).is_err());
        let many = numbers(&Sizes::One(1 << 40)).unwrap_err();
        assert!(many.to_string().contains("--flows 1099511627776"), "{many}");
    }
}
