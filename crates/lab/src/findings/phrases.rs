//! Parts of sentences.

/// In one line; `None` of none.
pub(super) fn joined(all: impl IntoIterator<Item = String>, between: &str) -> Option<String> {
    let all: Vec<String> = all.into_iter().collect();
    (!all.is_empty()).then(|| all.join(between))
}

/// Why something is not available, with what would make it so where that is known.
pub(super) fn because(reason: &str, remedy: &str) -> String {
    match remedy.is_empty() {
        true => reason.to_owned(),
        false => format!("{reason} ({remedy})"),
    }
}
