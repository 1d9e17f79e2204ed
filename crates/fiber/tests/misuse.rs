//! Each misuse of fibers, in a process of its own.

#![forbid(unsafe_code)]

#[path = "misuse/mod.rs"]
mod misuse;

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    if misuse::is_carried_out() {
        return ExitCode::SUCCESS;
    }
    let (mut all, mut failed) = (0, 0);
    let mut out = std::io::stdout();
    for case in misuse::cases() {
        let fell = misuse::fell(&case);
        let word = fell.map_or("ok".to_owned(), |fell| format!("FAILED\n{fell}"));
        let _ = writeln!(out, "test {} ... {word}", case.name);
        (all, failed) = (all + 1, failed + u32::from(word != "ok"));
    }
    assert!(all >= 60, "{all} cases");
    let _ = writeln!(out, "test result: {failed} failed of {all}");
    ExitCode::from(u8::from(failed > 0))
}
