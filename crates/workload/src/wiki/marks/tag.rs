//! Tags: references, lists of them, and breaks.

pub(super) enum Name {
    Reference,
    References,
    Break,
}

const LONGEST_TAG: usize = 256;

/// Name, beginning of the attributes, end, and whether it ends in `/>`.
pub(super) fn parse_tag(rest: &[u8]) -> Option<(Name, usize, usize, bool)> {
    let (name, length) = [
        (&b"<references"[..], Name::References),
        (b"<ref", Name::Reference),
        (b"<br", Name::Break),
    ]
    .into_iter()
    .find_map(|(tag, name)| rest.starts_with(tag).then_some((name, tag.len())))?;
    let within = &rest[length..rest.len().min(LONGEST_TAG)];
    let close = within.iter().position(|b| matches!(b, b'>' | b'<'))?;
    let is_apart = matches!(within[0], b' ' | b'/' | b'>');
    (within[close] == b'>' && is_apart).then(|| {
        let is_whole = within[..close].last() == Some(&b'/');
        (name, length, length + close + 1, is_whole)
    })
}
