//! The description as it is written, each figure with its place in the text.

use serde::Deserialize;
use toml::Spanned;

use super::{Policy, Tags, yes};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    pub(super) about: String,
    pub(super) cores: Spanned<u32>,
    pub(super) threads_per_core: Spanned<u32>,
    pub(super) clock_mhz: Spanned<u32>,
    pub(super) pages: Spanned<Vec<Spanned<String>>>,
    pub(super) tlb_entries_belong_to: Spanned<Tags>,
    #[serde(default = "yes")]
    pub(super) tlb_entries_outlive_switches: bool,
    pub(super) source: Option<String>,
    pub(super) assumed: Option<String>,
    pub(super) l1d: Spanned<WrittenCache>,
    pub(super) l2: Option<Spanned<WrittenCache>>,
    pub(super) llc: Spanned<WrittenCache>,
    pub(super) dtlb: Spanned<Vec<Spanned<WrittenTlb>>>,
    pub(super) time: Spanned<WrittenTime>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenCache {
    pub(super) size: Spanned<String>,
    pub(super) ways: Spanned<u32>,
    pub(super) line: Spanned<u64>,
    #[serde(default = "lru")]
    pub(super) policy: Policy,
    #[serde(default = "yes")]
    pub(super) allocates_on_store: bool,
    #[serde(default)]
    pub(super) inclusive: bool,
    pub(super) shared_by: Option<Spanned<u32>>,
    pub(super) source: Option<String>,
    pub(super) assumed: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTlb {
    pub(super) level: Spanned<u32>,
    pub(super) pages: Spanned<Vec<Spanned<String>>>,
    pub(super) entries: Spanned<u32>,
    pub(super) ways: Spanned<u32>,
    #[serde(default = "lru")]
    pub(super) policy: Policy,
    pub(super) source: Option<String>,
    pub(super) assumed: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTime {
    pub(super) base: Spanned<f64>,
    #[serde(default)]
    pub(super) l2: Option<Spanned<f64>>,
    pub(super) llc: Spanned<f64>,
    pub(super) memory: Spanned<f64>,
    #[serde(default)]
    pub(super) l2_tlb: Option<Spanned<f64>>,
    pub(super) walk: Spanned<f64>,
    pub(super) source: Option<String>,
    pub(super) assumed: Option<String>,
}

fn lru() -> Policy {
    Policy::Lru
}
