/// A fraction in percent, with no more digits than it needs: "1 %", "2.5 %".
pub(crate) fn percent(fraction: f64) -> String {
    let text = crate::data::number::percent(fraction);
    let digits = text.strip_suffix(" %").unwrap_or(&text);
    match digits.contains('.') {
        true => format!("{} %", digits.trim_end_matches('0').trim_end_matches('.')),
        false => text,
    }
}

pub(crate) fn whole_percent(fraction: f64) -> String {
    format!("{:.0} %", 100.0 * fraction)
}

/// The name of a variant where it is spoken of: "threads"; another label as it is.
#[must_use]
pub fn plural(label: &str) -> String {
    match label {
        "process" => "processes".to_owned(),
        "thread" => "threads".to_owned(),
        "rank" => "ranks".to_owned(),
        other => other.to_owned(),
    }
}

/// "a", "a and b", "a, b and c".
#[must_use]
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

pub(crate) fn capital(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
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
        assert_eq!(percent(0.025), "2.5 %");
        assert_eq!(plural("process"), "processes");
        assert_eq!(plural("process static"), "process static");
    }
}
