//! `cargo bench` for a body: builds it, and hands it to the installed flowgauge.

use std::env;
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
/// The program is found on the `PATH`, or in `FLOWGAUGE`. Its exit code is the bench's.
#[must_use]
pub fn bench(name: &str) -> ExitCode {
    match ran(name) {
        Ok(code) => code,
        Err(why) => {
            // Where standard error is closed, the code says it.
            let _ = writeln!(io::stderr(), "error: {why}");
            ExitCode::from(2)
        }
    }
}

fn ran(name: &str) -> Result<ExitCode, String> {
    let own = env::current_exe().map_err(|error| format!("where does this bench lie? {error}"))?;
    let library = built(name, &own)?;
    let program = env::var_os("FLOWGAUGE").unwrap_or_else(|| "flowgauge".into());
    let mut flowgauge = Command::new(&program);
    flowgauge.arg("body").arg(library);
    // Cargo adds `--bench` of its own.
    flowgauge.args(
        env::args_os()
            .skip(1)
            .filter(|argument| argument != "--bench"),
    );
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
