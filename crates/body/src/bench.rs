//! `cargo bench` for a body: builds it, and hands it to the installed flowgauge.

use std::env;
use std::ffi::OsString;
use std::fs;
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
///
/// `cargo test --all-targets` calls it without `--bench`: the body is built and run once, for next to no time, and
/// only a failure is shown in full. Where flowgauge is not there, it is built alone.
#[must_use]
pub fn bench(name: &str) -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let done = match asked(name, arguments) {
        Asked::Nothing => Ok(ExitCode::SUCCESS),
        Asked::Said(words) => {
            // Nobody reads where it cannot be written.
            let _ = writeln!(io::stdout(), "{words}");
            Ok(ExitCode::SUCCESS)
        }
        Asked::Run(arguments) => ran(name, arguments),
        Asked::Check => checked(name),
    };
    done.unwrap_or_else(|why| {
        // Where standard error is closed, the code says it.
        let _ = writeln!(io::stderr(), "error: {why}");
        ExitCode::from(2)
    })
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

/// Of the harness, with a value behind them.
const WITH_VALUE: [&str; 6] = [
    "--skip",
    "--test-threads",
    "--format",
    "--color",
    "--logfile",
    "-Z",
];

#[derive(Debug, PartialEq)]
enum Asked {
    Nothing,
    Said(String),
    Run(Vec<OsString>),
    Check,
}

fn asked(name: &str, mut arguments: Vec<OsString>) -> Asked {
    let has = |flag: &str| arguments.iter().any(|one| one == flag);
    let is_check = has("--test") || !has("--bench");
    let (is_list, is_exact, is_ignored) = (has("--list"), has("--exact"), has("--ignored"));
    let filters = match is_check {
        true => words(&arguments),
        false => words(&arguments[..arguments.len().min(1)]),
    };
    let fits = |filter: &String| match is_exact {
        true => name == filter,
        false => name.contains(filter),
    };
    let is_asked = filters.is_empty() || filters.iter().any(fits);
    match (is_asked, is_check) {
        _ if is_list && is_asked && !is_ignored => Asked::Said(format!("{name}: benchmark")),
        _ if is_list => Asked::Nothing,
        (true, true) if !is_ignored => Asked::Check,
        (_, true) => Asked::Nothing,
        (false, false) => Asked::Said(format!(
            "nothing is run here: no name holds '{}'; there is {name}",
            filters.join("', '")
        )),
        (true, false) => {
            arguments.drain(..filters.len());
            arguments.retain(|one| HARNESS.iter().all(|known| one != *known));
            Asked::Run(arguments)
        }
    }
}

/// Those that are neither flags nor their values.
fn words(arguments: &[OsString]) -> Vec<String> {
    let mut is_value = false;
    let is_word = |one: &&OsString| {
        let was_value = std::mem::replace(&mut is_value, WITH_VALUE.iter().any(|flag| one == flag));
        !was_value && !one.to_string_lossy().starts_with('-')
    };
    let words = arguments.iter().filter(is_word);
    words
        .map(|one| one.to_string_lossy().into_owned())
        .collect()
}

fn ran(name: &str, arguments: Vec<OsString>) -> Result<ExitCode, String> {
    let (mut flowgauge, _) = flowgauge(name)?;
    let status = flowgauge.args(arguments).status();
    let status = status.map_err(|error| not_run(&flowgauge, &error))?;
    Ok(code(status.code()))
}

/// As little as proves that it works.
const ONCE: &str = "--flows 1 --units 1 --ops 100 --rounds 1 --budget 30s --out";

fn checked(name: &str) -> Result<ExitCode, String> {
    let (mut flowgauge, own) = flowgauge(name)?;
    let results = own.with_extension("check");
    let _none_is_fine = fs::remove_dir_all(&results);
    let ran = flowgauge.args(ONCE.split(' ')).arg(&results).output();
    let _none_is_fine = fs::remove_dir_all(&results);
    let said = match ran {
        Ok(ran) if ran.status.success() => "works".to_owned(),
        Ok(ran) => {
            return Err(format!(
                "{name} fails:\n{}",
                String::from_utf8_lossy(&ran.stderr)
            ));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            format!("built, and not run: {}", not_run(&flowgauge, &error))
        }
        Err(error) => return Err(not_run(&flowgauge, &error)),
    };
    let _ = writeln!(io::stdout(), "{name}: {said}");
    Ok(ExitCode::SUCCESS)
}

fn flowgauge(name: &str) -> Result<(Command, PathBuf), String> {
    let own = env::current_exe().map_err(|error| format!("where does this bench lie? {error}"))?;
    let library = built(name, &own)?;
    let program = env::var_os("FLOWGAUGE").unwrap_or_else(|| "flowgauge".into());
    let mut flowgauge = Command::new(program);
    flowgauge.arg("body").arg(library);
    Ok((flowgauge, own))
}

fn not_run(flowgauge: &Command, error: &io::Error) -> String {
    let program = Path::new(flowgauge.get_program()).display();
    match error.kind() {
        io::ErrorKind::NotFound => format!(
            "{program} is not there: install flowgauge (its README says how), or name it in FLOWGAUGE"
        ),
        _ => format!("cannot run {program}: {error}"),
    }
}

/// The library of the example, in the profile of this bench.
fn built(name: &str, own: &Path) -> Result<PathBuf, String> {
    // target/PROFILE/deps/BENCH-0123456789abcdef
    let folder = own.ancestors().nth(2).unwrap_or(own);
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = Command::new(cargo);
    let cargo = cargo.args(["build", "--quiet", "--profile", profile, "--example", name]);
    match cargo.status() {
        Ok(status) if status.success() => {}
        Ok(status) => {
            return Err(format!(
                "the example {name} was not built: cargo ended with {status}"
            ));
        }
        Err(error) => return Err(format!("cannot run cargo: {error}")),
    }
    let library = format!("examples/lib{}.so", name.replace('-', "_"));
    let library = folder.join(library);
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
    use super::{Asked, asked};

    fn of(arguments: &str) -> Asked {
        let arguments = arguments.split_whitespace().map(Into::into).collect();
        asked("sort_small", arguments)
    }

    fn run(left: &str) -> Asked {
        Asked::Run(left.split_whitespace().map(Into::into).collect())
    }

    /// `cargo bench NAME` handed the name to flowgauge as a second library.
    #[test]
    fn a_filter_and_the_flags_of_cargo_are_no_arguments_of_flowgauge() {
        assert_eq!(of("--bench"), run(""));
        assert_eq!(of("sort --ops 1e6 --bench"), run("--ops 1e6"));
        assert_eq!(of("--ops 1e6 --nocapture --bench"), run("--ops 1e6"));
        assert_eq!(of("sort_small --exact --bench"), run(""));
        let listed = Asked::Said("sort_small: benchmark".to_owned());
        assert_eq!(of("--list --bench"), listed);
    }

    /// It ended without a word.
    #[test]
    fn a_filter_that_fits_nothing_is_told_with_the_names() {
        let said = "nothing is run here: no name holds 'search'; there is sort_small";
        assert_eq!(of("search --bench"), Asked::Said(said.to_owned()));
        assert!(matches!(of("sort --exact --bench"), Asked::Said(_)));
    }

    /// `cargo test --all-targets` ran the whole benchmark.
    #[test]
    fn cargo_test_checks_a_body_and_runs_no_benchmark() {
        let skips = "--test-threads 4 --skip other";
        for check in ["", "--test --bench", "sort", skips, "other small -q"] {
            assert_eq!(of(check), Asked::Check, "{check}");
        }
        let lists = ["--list --ignored", "--list other"];
        for nothing in ["other", "--ignored", "sort --exact"]
            .into_iter()
            .chain(lists)
        {
            assert_eq!(of(nothing), Asked::Nothing, "{nothing}");
        }
    }
}
