//! One page (being written).
/// Placeholder.
pub fn page(_: &lab::Results) -> String {
    String::new()
}
