//! `flowgauge exec`: answers, proofs, failures with their last words, and nothing left behind
//! whatever the command or the end of the run.

mod answers;
mod endings;
mod failures;
mod hyperfine;
mod launches;
mod plans;
mod refusals;
mod servers;

use super::common::{Arguments, Home, Run, says};

/// A run into `out`, of 2 rounds where the arguments do not say how many.
fn exec(home: &Home, arguments: &(impl Arguments + ?Sized)) -> Run {
    let arguments = arguments.words();
    let given = |argument: &&str| ["-r", "--rounds"].contains(argument);
    let rounds: &[&str] = match arguments.iter().any(given) {
        true => &[],
        false => &["--rounds", "2"],
    };
    home.run(&[&["exec", "--out", "out"], rounds, &arguments].concat())
}

/// Slots failed, for a reason in which each of `words` is.
#[track_caller]
fn failed(home: &Home, words: &[&str]) {
    says(&failure(home), words);
}

/// Each row is a line of arguments and, behind `=>`, what is said of it: it is refused before
/// anything is launched.
fn refused(rows: &str) {
    for row in rows.lines() {
        let (line, said) = row.split_once(" => ").unwrap();
        let said: Vec<&str> = said.split("; ").collect();
        let home = Home::new();
        exec(&home, line).refused(2, &said);
        assert_eq!(home.listing("out"), [""; 0], "{row}");
        home.assert_nothing_left();
    }
}

/// The reason why slots failed, as the results have it.
fn failure(home: &Home) -> String {
    let cases = home.results().studies.swap_remove(0).cases;
    let variants = cases.into_iter().flat_map(|case| case.variants);
    let mut failures = variants.flat_map(|variant| variant.failures);
    failures
        .next()
        .map(|(_, reason)| reason)
        .unwrap_or_default()
}
