//! What is made of one realistic run, in every format.

mod csv;
mod escaping;
mod html;
mod json;
mod samples;
mod support;
mod terminal;
mod workers;
