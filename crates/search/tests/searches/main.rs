//! Whole searches of trees on a disk. Nothing here asserts how fast anything is.

mod common;
mod denied;
mod faults;
mod models;
mod rules;
mod text;
