//! Numbers as people write them on a command line: one, several, or ranges of them.

use std::collections::BTreeSet;
use std::fmt;

/// A whole number: `10000000`, `10_000_000`, `1e7`, `2.5e6`, `64k`, `10M`; below 2^64.
pub fn whole(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    if let Ok(number) = plain.parse::<u64>() {
        return Ok(number);
    }
    scaled(&plain).ok_or_else(|| match is_large(&plain) {
        true => format!("'{text}' is too large: the maximum is {}", u64::MAX),
        false => format!(
            "'{text}' is no whole number from 0 to {}: write it as 10000000, 10_000_000, 1e7 or \
             10M",
            u64::MAX
        ),
    })
}

fn is_large(text: &str) -> bool {
    let number = text.parse::<f64>();
    number.is_ok_and(|number| number.is_finite() && number >= u64::MAX as f64)
}

/// `1e7`, `2.5e6`, `64k`: exact or nothing.
fn scaled(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (digits, zeros) = match lower.char_indices().last()? {
        (at, 'k') => (&lower[..at], 3),
        (at, 'm') => (&lower[..at], 6),
        (at, 'g') => (&lower[..at], 9),
        _ => lower
            .split_once('e')
            .and_then(|(d, e)| Some((d, e.parse::<u32>().ok()?)))?,
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let parts = u32::try_from(part.len()).ok()?;
    let joined = [whole, part].concat();
    if joined.is_empty() || !joined.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    joined
        .parse::<u64>()
        .ok()?
        .checked_mul(10_u64.checked_pow(zeros.checked_sub(parts)?)?)
}

/// Numbers as they were written: `5`, `2,100`, `1e3..1e7`, or a list of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts(Vec<Part>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    One(u64),
    Range(u64, u64),
}

/// Which numbers a range stands for, beside its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// 1, 2, 5, 10, 20 and so on.
    #[default]
    OneTwoFive,
    /// Each ten times the one before.
    Decades,
    /// Each twice the one before.
    Doubling,
    /// Each number of a short range, and of a long one as [`Steps::OneTwoFive`].
    Every,
}

const SHORT: u64 = 16;

impl Counts {
    /// Reads numbers and ranges, separated by commas; neither may stand there twice.
    pub fn read(text: &str) -> Result<Self, String> {
        let parts: Vec<Part> = text.split(',').map(part).collect::<Result<_, _>>()?;
        match names::repeated(&parts) {
            Some(&part) => Err(format!(
                "{} is there twice: once is enough",
                Self(vec![part])
            )),
            None => Ok(Self(parts)),
        }
    }

    /// Whether any of them stands in a range, and was not named by itself.
    #[must_use]
    pub fn has_range(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Range(..)))
    }

    /// Every number, in order and once.
    #[must_use]
    pub fn values(&self, steps: Steps) -> Vec<u64> {
        let parts = self.0.iter();
        let all = parts.flat_map(|part| match *part {
            Part::One(number) => vec![number],
            Part::Range(first, last) => steps.between(first, last),
        });
        all.collect::<BTreeSet<u64>>().into_iter().collect()
    }
}

impl Steps {
    /// The numbers from `first` to `last`, both of them too.
    #[must_use]
    pub fn between(self, first: u64, last: u64) -> Vec<u64> {
        let times = |factor: u64| {
            std::iter::successors(Some(first), move |number| number.checked_mul(factor))
                .take_while(|number| *number < last)
                .collect()
        };
        let mut values: Vec<u64> = match self {
            Self::Decades => times(10),
            Self::Doubling => times(2),
            Self::Every if last - first < SHORT => (first..last).collect(),
            Self::Every | Self::OneTwoFive => one_two_five(first, last),
        };
        values.push(last);
        values
    }
}

fn one_two_five(first: u64, last: u64) -> Vec<u64> {
    let decades = std::iter::successors(Some(1u64), |decade| decade.checked_mul(10));
    let steps = decades.flat_map(|decade| [1, 2, 5].map(|step| decade.saturating_mul(step)));
    let inner = steps
        .skip_while(|step| *step <= first)
        .take_while(|step| *step < last);
    std::iter::once(first).chain(inner).collect()
}

fn part(text: &str) -> Result<Part, String> {
    let neither = || {
        format!(
            "'{text}' is neither a whole number nor a range: write it as 1000 or 1e3, or with \
             both of its ends, as 2..10000"
        )
    };
    let Some((first, last)) = text.split_once("..") else {
        let known = whole(text).map(Part::One);
        return known.map_err(|why| match why.contains("too large") {
            true => why,
            false => neither(),
        });
    };
    if last.starts_with('.') {
        return Err(format!(
            "'{text}' has three dots: write a range with two, as {first}..{}",
            last.trim_start_matches('.')
        ));
    }
    let end = |end: &str| whole(end).map_err(|why| if end.is_empty() { neither() } else { why });
    let (first, last) = (end(first)?, end(last.trim_start_matches('='))?);
    if first == 0 || first >= last {
        return Err(format!(
            "'{text}' is no range: write the smaller number first, as 1e3..1e7"
        ));
    }
    Ok(Part::Range(first, last))
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, part) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str(", ")?;
            }
            match part {
                Part::One(number) => write!(f, "{number}")?,
                Part::Range(first, last) => write!(f, "{first} to {last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Says;

    fn values(text: &str, steps: Steps) -> Vec<u64> {
        Counts::read(text).unwrap().values(steps)
    }

    #[test]
    fn whole_numbers_in_all_spellings() {
        let spelled = "10000000 10_000_000 1e7 10M 10m 10000k 0.1e8 1E7";
        for text in spelled.split(' ') {
            assert_eq!(whole(text), Ok(10_000_000), "{text}");
        }
        assert_eq!(whole("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(whole("0"), Ok(0));
    }

    #[test]
    fn what_is_no_whole_number_is_refused_by_name() {
        for text in ["", "-1", "1.5", "1e", "e7", "1e-3", "1e20", "ten", "."] {
            let error = whole(text).expect_err(text);
            error.says(&format!("'{text}'"));
        }
        for text in ["18446744073709551616", "1e20", "99999999999999999999"] {
            let error = whole(text).expect_err(text);
            error.says("the maximum is 18446744073709551615");
        }
    }

    #[test]
    fn ranges_keep_both_ends_in_every_step() {
        assert_eq!(values("2..100", Steps::OneTwoFive), [2, 5, 10, 20, 50, 100]);
        assert_eq!(values("3..7", Steps::OneTwoFive), [3, 5, 7]);
        assert_eq!(values("300..400", Steps::OneTwoFive), [300, 400]);
        let decades = [1_000, 10_000, 100_000, 1_000_000, 2_000_000];
        assert_eq!(values("1e3..2e6", Steps::Decades), decades);
        assert_eq!(values("1..6", Steps::Doubling), [1, 2, 4, 6]);
        assert_eq!(values("2..5", Steps::Every), [2, 3, 4, 5]);
        assert_eq!(values("2..40", Steps::Every), [2, 5, 10, 20, 40]);
        assert_eq!(values("..=5".trim_start_matches("..="), Steps::Every), [5]);
    }

    #[test]
    fn lists_hold_numbers_and_ranges_in_order_and_once() {
        assert_eq!(values("100,2", Steps::OneTwoFive), [2, 100]);
        assert_eq!(values("1000,2..10,5", Steps::OneTwoFive), [2, 5, 10, 1_000]);
        assert!(!Counts::read("2,100").unwrap().has_range());
        assert!(Counts::read("2,10..100").unwrap().has_range());
        let twice = Counts::read("2,5..9,2").unwrap_err();
        assert_eq!(twice, "2 is there twice: once is enough");
    }

    /// `1e3...1e5` was read as 1,000 to 10,000.
    #[test]
    fn three_dots_are_refused() {
        let error = Counts::read("1e3...1e5").unwrap_err();
        error.says("as 1e3..1e5");
    }

    #[test]
    fn what_is_neither_is_refused_with_both_forms() {
        for text in ["2..", "..5", "-5", "two", "", "2,,3"] {
            let said = Counts::read(text).expect_err(text);
            said.says("is neither");
            said.says("2..10000");
        }
        for text in ["5..5", "0..5", "9..5"] {
            Counts::read(text).expect_err(text).says("is no range");
        }
    }
}
