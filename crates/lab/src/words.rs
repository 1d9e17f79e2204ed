//! How things are spoken of in sentences. Numbers are those of [`crate::number`].

/// A fraction in percent, with no more digits than it needs: "1 %", "2.5 %".
pub(crate) fn percent(fraction: f64) -> String {
    format!("{} %", (fraction * 1000.0).round() / 10.0)
}

/// The name of a variant where it is spoken of: "threads", "processes", and any other
/// label as it is.
pub(crate) fn plural(label: &str) -> String {
    match label {
        "process" => "processes".to_owned(),
        "thread" => "threads".to_owned(),
        other => other.to_owned(),
    }
}

/// "a", "a and b", "a, b and c".
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let listed = |names: &[&str]| {
            super::listed(&names.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn fractions_and_models() {
        assert_eq!(percent(0.01), "1 %");
        assert_eq!(percent(0.0255), "2.6 %");
        assert_eq!(plural("process"), "processes");
        assert_eq!(plural("process static"), "process static");
    }
}
