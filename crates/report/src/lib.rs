//! One model of results; terminal, CSV, JSON and HTML made from it. Everything here is a pure
//! function from [`lab::Results`] (or a [`machine::Machine`]) to text: a report made from a journal
//! years later is the one that the run printed.
//!
//! | module | makes |
//! |---|---|
//! | [`terminal`] | tables and sentences for a terminal or a pipe |
//! | [`csv`] | tidy tables: slots, samples, findings, variants, the machine |
//! | [`json`] | `findings.json`, the full results, the machine |
//! | [`html`] | one page that needs nothing else |
//! | [`compare`] | several runs side by side: text and page (tables in [`csv`], [`json`]) |
//! | [`fleet`] | many machines: text and page |
//! | [`plots`] | each of its charts as SVG and PNG |
//!
//! Terminal, page and plots render one document (`document`), and share their words ([`number`],
//! [`text`], and the private `words`) and columns. What is not there is never shown as zero: cells
//! read `n/a` with the reason below, JSON has `{"not_available": {"reason": ...}}`, CSV an empty
//! field.

#![forbid(unsafe_code)]

/// Numbers for people: the lab's, so that a cell and its sentence agree.
pub use lab::number;

mod charts;
pub mod compare;
pub mod csv;
mod date;
mod document;
pub mod fleet;
pub mod html;
pub mod json;
pub mod plots;
pub mod profiles;
pub mod terminal;
pub mod text;
pub mod then_and_now;
mod words;

#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../docs/guide/renderer.md")]
    mod renderer {}
}
