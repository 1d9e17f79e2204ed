use flow::{Pages, ParentMemory};

use super::format::{Bytes, FileCase, FileVariant, Overrides};

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
