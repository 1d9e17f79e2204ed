//! The file of a study: read, spread out, and turned into a command.

pub mod asked;
mod builtin;
mod case_matrix;
pub mod command;
mod cpus;
mod error;
mod file;
mod flow_counts;
mod format;
mod on_variants;
mod published;
mod source;
mod spanned_params;
mod study_command;
mod sweep_value;
mod variants;
mod written_case;

pub(crate) use builtin::known;
pub use builtin::{builtin, builtin_names, decision, decision_names, nearest, of_command, text_of};
pub use error::StudyError;
pub use file::{SCHEMA, parse};
pub use study_command::{StudyCommand, commands};
