//! The real command with real, small work: its results checked against another way to get
//! them, its endings by real signals, its refusals, and what each of them leaves behind.
//!
//! Every test has a home of its own ([`common::Home`]) and recognises its processes by a
//! mark in their environment, so tests run side by side. None of them judges speed.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends where something is wrong")]

mod answers;
mod bad_input;
mod bad_output;
mod bodies;
mod calibrate;
mod common;
mod compare;
mod counting;
mod decide;
mod docs;
mod endings;
mod exec;
mod fleet;
mod formats;
mod hostile_fleet;
mod hybrid;
mod isolation;
mod kills;
mod memory_nodes;
mod migration;
mod narration;
mod operations;
mod other_ground;
mod parent_memory;
mod primes_results;
mod profiling;
mod python_functions;
mod quotas;
mod resume;
mod sampling;
mod scaling;
mod server_work;
mod simulated;
mod sources;
mod study_programs;
mod watching;
mod wiki;
mod workers;
