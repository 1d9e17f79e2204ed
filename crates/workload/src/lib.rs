//! The bodies that every model runs unchanged, each with its self-check.
#![forbid(unsafe_code)]

pub mod primes;
