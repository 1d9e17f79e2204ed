use flow::{Pages, ParentMemory};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::format::{FileCase, FileVariant, Overrides};
use crate::data::number::read_bytes;

/// A number of bytes: `67_108_864` or `"64M"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bytes(pub(super) u64);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected bytes, such as 4096 or \"64M\"")]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(bytes) => Ok(Self(bytes)),
            Written::Text(text) => read_bytes(&text).map(Self).map_err(D::Error::custom),
        }
    }
}

/// Its own, else its case's under the preset; 0 bytes are none.
pub(super) fn of_variant(
    case: &FileCase,
    overrides: &Overrides,
    variant: &FileVariant,
) -> Result<Option<ParentMemory>, String> {
    let of_case = overrides.parent_memory.or(case.parent_memory);
    let bytes = variant.ballast.or(of_case);
    let pages = variant.ballast_pages.or(case.ballast_pages);
    match (bytes, pages) {
        (None, Some(_)) => Err(
            "ballast_pages has no effect without ballast: say how much, such as ballast = \"256M\""
                .to_owned(),
        ),
        (None | Some(Bytes(0)), _) => Ok(None),
        (Some(Bytes(bytes)), pages) => Ok(Some(ParentMemory {
            bytes,
            pages: pages.unwrap_or(Pages::Small),
        })),
    }
}
