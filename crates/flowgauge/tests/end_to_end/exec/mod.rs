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

use super::common::{Home, Run, results};

/// A run into `out`, of 2 rounds where the arguments do not say how many.
fn exec(home: &Home, arguments: &[&str]) -> Run {
    let given = |argument: &&str| ["-r", "--rounds"].contains(argument);
    let rounds: &[&str] = match arguments.iter().any(given) {
        true => &[],
        false => &["--rounds", "2"],
    };
    home.run(&[&["exec", "--out", "out"], rounds, arguments].concat())
}

/// The arguments in a line: words between spaces, or within double quotes.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('"').enumerate();
    let words = parts.map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect::<Vec<_>>().concat()
}

/// Each row is a line of arguments and, behind `=>`, what is said of it: it is refused before
/// anything is launched.
fn refused(rows: &str) {
    for row in rows.lines() {
        let (line, said) = row.split_once(" => ").unwrap();
        let said: Vec<&str> = said.split("; ").collect();
        let home = Home::new();
        exec(&home, &words(line)).refused(2, &said);
        assert_eq!(home.listing("out"), [""; 0], "{row}");
        home.assert_nothing_left();
    }
}

/// The reason why slots failed, as the results have it.
fn failure(home: &Home) -> String {
    let results = results(&home.path("out"));
    let variants = results.studies[0]
        .cases
        .iter()
        .flat_map(|case| &case.variants);
    let failures = variants.flat_map(|variant| &variant.failures);
    failures
        .map(|(_, reason)| reason.clone())
        .next()
        .unwrap_or_default()
}
