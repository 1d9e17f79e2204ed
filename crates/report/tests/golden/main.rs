//! What is made of one realistic run, in every format.

mod browser;
mod compare;
mod counters;
mod csv;
mod escaping;
mod html;
mod json;
mod lessons;
mod plots;
mod samples;
mod scaling;
mod searches;
mod simulated;
mod support;
mod terminal;
mod workers;
