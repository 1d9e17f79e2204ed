//! Simulated experiments: one program, so that they run beside each other.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test may print its table and panic"
)]

mod across;
mod calibration;
mod detectable;
mod early;
mod forecast;
mod properties;
mod two_runs;
mod whole_run;
mod worked_example;
