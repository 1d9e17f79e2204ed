//! See the library of this crate.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    slot::play_a_role();
    let text = concat!(
        "flowgauge-slot ",
        env!("CARGO_PKG_VERSION"),
        ": started by flowgauge, for its slots\n"
    );
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
