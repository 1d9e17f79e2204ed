use std::str::FromStr;

use super::{Bound, Expectation, Side, Unit};

const FORM: &str = "write it as 'switch/fiber@1000 <= 2ns', 'primes/thread vs process <= 1.05' or \
                    'primes/thread memory <= 5MiB'";

const UNITS: [(&str, f64, Unit); 15] = [
    ("ns", 1.0, Unit::Time),
    ("us", 1e3, Unit::Time),
    ("µs", 1e3, Unit::Time),
    ("μs", 1e3, Unit::Time),
    ("ms", 1e6, Unit::Time),
    ("s", 1e9, Unit::Time),
    ("B", 1.0, Unit::Size),
    ("KB", 1e3, Unit::Size),
    ("MB", 1e6, Unit::Size),
    ("GB", 1e9, Unit::Size),
    ("KiB", 1024.0, Unit::Size),
    ("MiB", 1_048_576.0, Unit::Size),
    ("GiB", 1_073_741_824.0, Unit::Size),
    ("x", 1.0, Unit::Ratio),
    ("", 1.0, Unit::Ratio),
];

impl FromStr for Expectation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("'{text}' is no expectation: {what}; {FORM}");
        let at = text
            .rfind(['<', '>'])
            .ok_or_else(|| wrong("it has none of <=, <, >=, >"))?;
        let (path, rest) = (text[..at].trim(), &text[at + 1..]);
        let (too, value) = match rest.strip_prefix('=') {
            Some(value) => (true, value),
            None => (false, rest),
        };
        let side = match text.as_bytes()[at] {
            b'<' => Side::Below { too },
            _ => Side::Above { too },
        };
        let (value, unit) = quantity(value.trim()).ok_or_else(|| {
            wrong(&format!(
                "'{}' is no number with a unit that is known",
                value.trim()
            ))
        })?;
        let (path, against) = match path.split_once(" vs ") {
            Some((path, against)) => (path.trim(), Some(against.trim().to_owned())),
            None => (path, None),
        };
        if !path.contains('/') || against.as_ref().is_some_and(String::is_empty) {
            return Err(wrong("it names no study/variant"));
        }
        Ok(Self {
            text: text.to_owned(),
            path: path.to_owned(),
            against,
            bound: Bound { side, value, unit },
        })
    }
}

/// `2ns`, `1.5 ms`, `5MiB`, `1.05`.
fn quantity(text: &str) -> Option<(f64, Unit)> {
    UNITS.iter().find_map(|(name, size, unit)| {
        let number = text.strip_suffix(name)?.trim().replace('_', "");
        let plain = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let value: f64 = number.parse().ok().filter(|_| plain)?;
        (value.is_finite() && value >= 0.0).then_some((value * size, *unit))
    })
}
