//! `cargo bench` for a body: builds it, and hands it to the installed flowgauge.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Builds the example `name` of this package, a library of type `cdylib`, and runs it by
/// `flowgauge body`, with the arguments behind `--`: the whole of a bench with `harness = false`.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     body::bench("mine")
/// }
/// ```
///
/// The program is found on the `PATH`, or in `FLOWGAUGE`. Its exit code is the bench's. As in any bench, the first
/// argument is a filter if it is a word: `cargo bench sort` runs the bodies whose names hold it. Flags that cargo
/// and its own harness know are accepted: `--list` names the body, the others change nothing.
#[must_use]
pub fn bench(name: &str) -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let Some(arguments) = asked(name, arguments) else {
        return ExitCode::SUCCESS;
    };
    match ran(name, arguments) {
        Ok(code) => code,
        Err(why) => {
            // Where standard error is closed, the code says it.
            let _ = writeln!(io::stderr(), "error: {why}");
            ExitCode::from(2)
        }
    }
}

/// Of cargo and the harness of the standard library.
const HARNESS: [&str; 8] = [
    "--bench",
    "--test",
    "--exact",
    "--nocapture",
    "--show-output",
    "--ignored",
    "--include-ignored",
    "--quiet",
];

/// What is left for flowgauge; `None` where this body is not to be run.
fn asked(name: &str, mut arguments: Vec<OsString>) -> Option<Vec<OsString>> {
    let list = arguments.iter().any(|one| one == "--list");
    let first = arguments.first().and_then(|one| one.to_str());
    let filter = first.filter(|one| !one.starts_with('-')).map(str::to_owned);
    if filter.is_some() {
        arguments.remove(0);
    }
    let is_exact = arguments.iter().any(|one| one == "--exact");
    let fits = |filter: String| {
        if is_exact {
            name == filter
        } else {
            name.contains(&filter)
        }
    };
    if !filter.is_none_or(fits) {
        return None;
    }
    if list {
        // Nobody reads where it cannot be written.
        let _ = writeln!(io::stdout(), "{name}: benchmark");
        return None;
    }
    arguments.retain(|one| HARNESS.iter().all(|known| one != *known));
    Some(arguments)
}

fn ran(name: &str, arguments: Vec<OsString>) -> Result<ExitCode, String> {
    let own = env::current_exe().map_err(|error| format!("where does this bench lie? {error}"))?;
    let library = built(name, &own)?;
    let program = env::var_os("FLOWGAUGE").unwrap_or_else(|| "flowgauge".into());
    let mut flowgauge = Command::new(&program);
    flowgauge.arg("body").arg(library).args(arguments);
    match flowgauge.status() {
        Ok(status) => Ok(code(status.code())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(format!(
            "{} is not there: install flowgauge (its README says how), or name it in FLOWGAUGE",
            Path::new(&program).display()
        )),
        Err(error) => Err(format!(
            "cannot run {}: {error}",
            Path::new(&program).display()
        )),
    }
}

/// The library of the example, in the profile of this bench.
fn built(name: &str, own: &Path) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = Command::new(cargo);
    let status = cargo
        .args(["build", "--release", "--quiet", "--example", name])
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => {
            return Err(format!(
                "the example {name} was not built: cargo ended with {status}"
            ));
        }
        Err(error) => return Err(format!("cannot run cargo: {error}")),
    }
    // target/PROFILE/deps/BENCH-0123456789abcdef
    let target = own.ancestors().nth(3).unwrap_or(own);
    let library = target.join("release/examples");
    let library = library.join(format!("lib{}.so", name.replace('-', "_")));
    match library.is_file() {
        true => Ok(library),
        false => Err(format!(
            "the example {name} is no library at {}: give it crate-type = [\"cdylib\"]",
            library.display()
        )),
    }
}

fn code(code: Option<i32>) -> ExitCode {
    // Ended by a signal.
    let code = code.and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(test)]
mod tests {
    use super::asked;

    fn of(arguments: &[&str]) -> Option<Vec<String>> {
        let arguments = arguments.iter().map(Into::into).collect();
        let left = asked("sort_small", arguments)?;
        Some(
            left.into_iter()
                .map(|one| one.into_string().unwrap_or_default())
                .collect(),
        )
    }

    /// `cargo bench NAME` handed the name to flowgauge as a second library.
    #[test]
    fn a_filter_and_the_flags_of_cargo_are_no_arguments_of_flowgauge() {
        let left = |words: &[&str]| Some(words.iter().map(|one| (*one).to_owned()).collect());
        assert_eq!(of(&["--bench"]), left(&[]));
        assert_eq!(
            of(&["sort", "--ops", "1e6", "--bench"]),
            left(&["--ops", "1e6"])
        );
        assert_eq!(
            of(&["--ops", "1e6", "--nocapture", "--bench"]),
            left(&["--ops", "1e6"])
        );
        assert_eq!(of(&["search", "--bench"]), None);
        assert_eq!(of(&["sort", "--exact", "--bench"]), None);
        assert_eq!(of(&["sort_small", "--exact", "--bench"]), left(&[]));
        assert_eq!(of(&["--list", "--bench"]), None);
    }
}
