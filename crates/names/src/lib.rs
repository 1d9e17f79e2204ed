//! What to say of a word that is none of the names it should be one of, which word of a list is there
//! twice, and what of a name must not be shown as it is.

#![forbid(unsafe_code)]

/// How much a name must look like a word (Jaro-Winkler, 0 to 1) to be taken for what was meant.
const ALIKE: f64 = 0.79;

/// The name that looks most like `word`, if one looks like it.
pub fn nearest<N: AsRef<str>>(word: &str, names: impl IntoIterator<Item = N>) -> Option<N> {
    let names = names.into_iter();
    let likeness = |name: N| (strsim::jaro_winkler(word, name.as_ref()), name);
    let alike = names
        .map(likeness)
        .filter(|(likeness, _)| *likeness >= ALIKE);
    let nearest = alike.max_by(|one, other| one.0.total_cmp(&other.0));
    nearest.map(|(_, name)| name)
}

/// ` (did you mean 'thread'?)`, or nothing where no name looks like `word`.
pub fn meant<N: AsRef<str>>(word: &str, names: impl IntoIterator<Item = N>) -> String {
    nearest(word, names).map_or_else(String::new, |name| {
        format!(" (did you mean '{}'?)", name.as_ref())
    })
}

/// The first item that repeats an earlier one.
pub fn repeated<T: PartialEq>(list: &[T]) -> Option<&T> {
    let mut places = 1..list.len();
    let place = places.find(|&place| list[..place].contains(&list[place]))?;
    list.get(place)
}

/// Whether a character acts on the display or cannot be seen.
#[must_use]
pub fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["process", "thread", "thread-private-files", "fiber"];

    #[test]
    fn the_first_that_is_repeated_is_found() {
        assert_eq!(repeated(&[1, 2, 3, 2, 1]), Some(&2));
        assert_eq!(repeated(&[1, 2, 3]), None);
        assert_eq!(repeated::<u8>(&[]), None);
    }

    #[test]
    fn a_slip_of_the_keys_is_taken_for_the_nearest_name() {
        for (word, name) in [
            ("threads", "thread"),
            ("fibre", "fiber"),
            ("proces", "process"),
        ] {
            assert_eq!(nearest(word, NAMES), Some(name));
        }
        assert_eq!(meant("threads", NAMES), " (did you mean 'thread'?)");
    }

    #[test]
    fn what_looks_like_no_name_is_taken_for_none() {
        assert_eq!(nearest("coroutine", NAMES), None);
        assert_eq!(meant("", NAMES), "");
    }
}
