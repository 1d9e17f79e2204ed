//! Your own function as a body that flowgauge runs as processes, threads and fibers.
//!
//! A body is a shared library that exports one table of functions, whose C form is
//! `include/flowgauge.h`. In Rust a type implements [`Body`], and [`export!`] makes the table:
//!
//! ```
//! use body::{Args, Body, Proof};
//!
//! struct Squares { from: u64 }
//!
//! impl Body for Squares {
//!     const ARGS: &'static [&'static str] = &["from"];
//!     const FIBERS: bool = true;
//!     type Own = ();
//!
//!     fn prepare(args: &Args) -> Result<Self, i32> {
//!         Ok(Self { from: args.get("from").unwrap_or(1) })
//!     }
//!
//!     fn begin(&self, _flow: u64) -> Result<(), i32> {
//!         Ok(())
//!     }
//!
//!     fn unit(&self, _own: &mut (), unit: u64, ops: u64) -> Result<Proof, i32> {
//!         let numbers = (0..ops).map(|op| self.from + unit * ops + op);
//!         let checksum = numbers.fold(0_u64, |sum, n| sum.wrapping_add(n.wrapping_mul(n)));
//!         Ok(Proof { count: ops, checksum })
//!     }
//! }
//!
//! body::export!(Squares);
//! ```
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//!
//! [dependencies]
//! flowgauge-body = "0.1"
//! ```
//!
//! ```sh
//! cargo build --release && flowgauge body target/release/libsquares.so --ops 1e6 --arg from=1,1e9
//! ```
//!
//! # Theory
//!
//! The interface is what a flow of flowgauge is asked for: state before the gate, units that are dealt out, a proof of
//! each. A unit has many operations, so a call through the table is as good as free: it is one indirect call. What a
//! body shares lies in its own memory; a flow makes its own.
//!
//! The table has a version, the first word. A later version has another number and further fields at its
//! end; flowgauge reads all versions that it knows.
//!
//! # What it deliberately does not do
//!
//! * **Bring results.** A body proves what it did; flowgauge moves no data of it.
//! * **Catch a crash.** A flow that crashes is an answer of its own: the launch says which flows died.
//!
//! This crate contains `unsafe`: it calls through tables of other programs, and makes such tables.

mod bench;
#[cfg(feature = "load")]
mod ending;
mod export;
#[cfg(feature = "load")]
mod load;
mod table;

/// `flowgauge.h`, the interface for C.
pub const HEADER: &str = include_str!("../include/flowgauge.h");

pub use bench::bench;
#[cfg(feature = "load")]
pub use ending::name_endings;
pub use export::{Args, Body, arg_names, part, part_names, table_of, wait};
#[cfg(feature = "load")]
pub use load::{About, Flow, LoadError, Loaded, Pace, Refused};
pub use table::{Arg, FIBERS, Parts, Proof, Table, VERSION};
