use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use lab::Results;
use lab::compare::{Basis, How, Named, SideBySide};
use lab::expect::check_runs;

use crate::answer;
use crate::args::{CompareArgs, Format};
use crate::ending::{self, Ending};
use crate::output::{self, tell};
use crate::session;
use crate::whole_file;

pub(crate) fn run(args: &CompareArgs) -> Result<Ending> {
    let names = names(args)?;
    ensure!(
        args.folders.len() > 1,
        "compare needs at least two results folders, the reference first, such as `flowgauge \
         compare before after`: '{}' is one",
        args.folders[0].display()
    );
    let results = results(&args.folders)?;
    let runs: Vec<Named<'_>> = names
        .iter()
        .zip(&results)
        .map(|(name, results)| Named { name, results })
        .collect();
    let how = How {
        basis: match args.absolute && !args.relative {
            true => Basis::Times,
            false => Basis::Relative,
        },
        floor: args.floor,
    };
    let all = lab::compare(&runs, how)?;
    let mut checks = Vec::new();
    for expectation in &args.answer.expect {
        checks.extend(check_runs(expectation, &runs, &all)?);
    }
    if let Some(folder) = &args.out {
        write(&all, folder)?;
    }
    if let Some(folder) = &args.answer.plots {
        answer::write_plots(&report::compare::plots(&all), folder)?;
    }
    output::print(&shown(&all, args.answer.format))?;
    let mut changes = all.changes();
    let open = changes.any(|(.., change)| !change.verdict.is_decided());
    let ending = match args.answer.require_answer && open {
        true => Ending::CannotTell,
        false => Ending::Answered,
    };
    let ending = answer::judged(ending, &checks);
    regressions(&all, args, ending)
}

/// Valued as those of the first run.
fn results(folders: &[PathBuf]) -> Result<Vec<Results>> {
    let journals: Vec<PathBuf> = folders
        .iter()
        .map(|folder| session::journal_in(folder))
        .collect::<Result<_>>()?;
    let Some((first, others)) = journals.split_first() else {
        return Ok(Vec::new());
    };
    let first = Results::from_journal(first)?;
    let value = first.header.settings.value;
    let mut all = vec![first];
    for other in others {
        all.push(Results::from_journal_valued(other, value)?);
    }
    Ok(all)
}

/// As many last parts of each folder's path as tell runs apart, whatever the current directory.
fn names(args: &CompareArgs) -> Result<Vec<String>> {
    distinct_folders(&args.folders)?;
    let paths: Vec<PathBuf> = args.folders.iter().map(|folder| named(folder)).collect();
    let longest = paths.iter().map(|path| path.components().count()).max();
    let mut names = (1..=longest.unwrap_or(1)).map(|parts| {
        let names = paths.iter().map(|path| tail(path, parts));
        names.collect::<Vec<String>>()
    });
    let whole = || paths.iter().map(|path| path.display().to_string());
    Ok(names
        .find(|names| names::repeated(names).is_none())
        .unwrap_or_else(|| whole().collect()))
}

fn named(folder: &Path) -> PathBuf {
    let path = match folder.file_name() {
        Some(_) => std::path::absolute(folder),
        None => folder.canonicalize(),
    };
    // Opening it reports what is missing.
    path.unwrap_or_else(|_| folder.to_owned())
}

fn tail(path: &Path, parts: usize) -> String {
    let all = path.components().count();
    let last: PathBuf = path.components().skip(all.saturating_sub(parts)).collect();
    last.display().to_string()
}

fn distinct_folders(folders: &[PathBuf]) -> Result<()> {
    let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let all: Vec<PathBuf> = folders.iter().map(real).collect();
    for (place, folder) in folders.iter().enumerate() {
        ensure!(
            !all[..place].contains(&all[place]),
            "{} is named twice: a run compared with itself is the same",
            folder.display()
        );
    }
    Ok(())
}

fn write(all: &SideBySide, folder: &Path) -> Result<()> {
    let files = [
        ("compare.html", report::compare::page(all)),
        ("compare.csv", report::csv::compared(all)),
        ("compare.json", report::json::compared(all)),
    ];
    session::holds_no_others(folder, |name| files.iter().any(|(own, _)| name == *own))?;
    whole_file::make_folder(folder)?;
    whole_file::write_all(folder, files)?;
    tell(&format!(
        "Comparison: {0} (open {0}/compare.html)",
        folder.display()
    ));
    Ok(())
}

fn shown(all: &SideBySide, format: Format) -> String {
    match format {
        Format::Text => report::compare::text(all, &output::style()),
        Format::Json => report::json::compared(all),
        Format::Csv => report::csv::compared(all),
        Format::Jsonl => report::csv::compared_lines(all),
    }
}

fn regressions(all: &SideBySide, args: &CompareArgs, ending: Ending) -> Result<Ending> {
    let Some(fraction) = args.fail_on_regression else {
        return Ok(ending);
    };
    let lost: Vec<String> = all.not_compared().collect();
    let compared = all.changes().count() - lost.len();
    let why = lost.first().map_or("no variant of both", String::as_str);
    ensure!(
        compared > 0,
        "--fail-on-regression: nothing was compared, so nothing is known: {why}"
    );
    let found = all.regressions(fraction);
    tell_regressions(all, fraction, compared, &found);
    let lost = (!lost.is_empty()).then(|| {
        let (count, all) = (lost.len(), compared + lost.len());
        format!("{count} of {all} variants were not compared, and may be slower: {why}")
    });
    let gone = all.gone.iter();
    let gone = gone.map(|gone| format!("{gone}: not compared, and may be slower"));
    let unseen = all.unseen(fraction).into_iter();
    let unseen = unseen.map(|sentence| format!("it may be slower: {sentence}"));
    let open = lost.into_iter().chain(gone).chain(all.shifted(fraction));
    let ending = open.chain(unseen).fold(ending, |ending, note| {
        tell(&format!("note: {note}"));
        ending::worse(ending, Ending::CannotTell)
    });
    Ok(match found.is_empty() {
        true => ending,
        false => ending::worse(ending, Ending::Failed),
    })
}

fn tell_regressions(all: &SideBySide, fraction: f64, compared: usize, found: &[String]) {
    let bound = report::number::percent(fraction);
    for sentence in found {
        tell(&format!("regression: {sentence}"));
    }
    let open = all.undecided(fraction);
    if open > 0 {
        tell(&format!(
            "note: {open} of {compared} comparisons do not rule out that something is slower by \
             {bound}: more rounds would narrow them"
        ));
    }
    let within = all.within_floor(fraction);
    if within > 0 {
        tell(&format!(
            "note: {within} of {compared} are slower by {bound} or more and do not fail, since they \
             lie within the floor: name a smaller --floor, or look at how far runs wander"
        ));
    } else if found.is_empty() {
        tell(&format!(
            "no variant that was compared is established to be slower by {bound} or more"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_by_as_much_of_its_path_as_tells_it_apart() {
        let path = Path::new("/lab/2026/main");
        assert_eq!(tail(path, 1), "main");
        assert_eq!(tail(path, 2), "2026/main");
        assert_eq!(tail(path, 9), "/lab/2026/main");
        // Where one stands has a name too.
        let here = std::env::current_dir().expect("there is one");
        assert_eq!(
            named(Path::new(".")),
            here.canonicalize().expect("it is there")
        );
        assert_eq!(named(Path::new("sub/")), here.join("sub/"));
    }
}
