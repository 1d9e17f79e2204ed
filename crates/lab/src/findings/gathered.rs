//! Things in the order in which they first come: each once, and with all that belong to each.

pub(super) fn each_once<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

pub(super) fn grouped<K: PartialEq, T>(all: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, one) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(one),
            None => groups.push((key, vec![one])),
        }
    }
    groups
}

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
