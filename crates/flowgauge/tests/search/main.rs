//! `flowgauge search`, for real. Nothing here asserts how fast anything is.

mod common;
mod endings;
mod output;
mod ripgrep;
mod study;
