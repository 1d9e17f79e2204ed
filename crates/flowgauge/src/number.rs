//! Numbers as people write them on a command line.

use std::ops::RangeInclusive;
use std::time::Duration;

/// A whole number: `10000000`, `10_000_000`, `1e7`, `2.5e6`, `64k`, `10M`.
pub(crate) fn whole(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    if let Ok(number) = plain.parse::<u64>() {
        return Ok(number);
    }
    scaled(&plain).ok_or_else(|| {
        format!(
            "'{text}' is no whole number from 0 to {}: write it as 10000000, 10_000_000, 1e7 or 10M",
            u64::MAX
        )
    })
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

pub(crate) use lab::number::read_bytes as bytes;

/// As [`bytes`], and at least one.
pub(crate) fn some_bytes(text: &str) -> Result<u64, String> {
    match bytes(text)? {
        0 => Err("0 bytes are none: leave it out, or write 1M".to_owned()),
        some => Ok(some),
    }
}

/// One size, or a range of sizes to sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sizes {
    One(u64),
    Sweep(RangeInclusive<u64>),
}

/// `10000000`, or `1e3..1e7` for a sweep.
pub(crate) fn sizes(text: &str) -> Result<Sizes, String> {
    let neither = || {
        format!(
            "'{text}' is neither a whole number nor a range: write it as 1000 or 1e3, or with \
             both of its ends, as 2..10000"
        )
    };
    let Some((first, last)) = text.split_once("..") else {
        return Ok(Sizes::One(whole(text).map_err(|_| neither())?));
    };
    let end = |end: &str| whole(end).map_err(|why| if end.is_empty() { neither() } else { why });
    let (first, last) = (end(first)?, end(last.trim_start_matches('='))?);
    if first == 0 || first >= last {
        return Err(format!(
            "'{text}' is no sweep: write the smaller size first, as 1e3..1e7"
        ));
    }
    Ok(Sizes::Sweep(first..=last))
}

/// The steps of a sweep in 1, 2, 5, with both of its ends.
pub(crate) fn one_two_five(range: &RangeInclusive<u64>) -> Vec<u64> {
    let decades = std::iter::successors(Some(1u64), |decade| decade.checked_mul(10));
    let steps = decades.flat_map(|decade| [1, 2, 5].map(|step| decade.saturating_mul(step)));
    let inner = steps
        .skip_while(|step| step <= range.start())
        .take_while(|step| step < range.end());
    let mut sizes = vec![*range.start()];
    sizes.extend(inner);
    sizes.push(*range.end());
    sizes
}

/// The steps of a sweep: each ten times the one before, and the last value itself.
pub(crate) fn decades(range: &RangeInclusive<u64>) -> Vec<u64> {
    let steps = std::iter::successors(Some(*range.start()), |size| size.checked_mul(10));
    let mut sizes: Vec<u64> = steps.take_while(|size| size < range.end()).collect();
    sizes.push(*range.end());
    sizes
}

/// A fraction: `1%`, `0.5 %`, `0.01`.
pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.trim_end().strip_suffix('%') {
        Some(percent) => (percent, 100.0),
        None => (text, 1.0),
    };
    match number.trim().parse::<f64>().map(|value| value / scale) {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err(format!(
            "'{text}' is no share between 0 and 100 %: write it as 1% or 0.01"
        )),
    }
}

/// A fraction that may be 0.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches('%').trim().parse::<f64>() {
        Ok(0.0) => Ok(0.0),
        _ => fraction(text),
    }
}

/// A time: `60s`, `2m`, `500ms`, or a bare number of seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let duration = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => humantime::parse_duration(text).ok(),
    };
    match duration {
        Some(duration) if !duration.is_zero() => Ok(duration.as_secs_f64()),
        _ => Err(format!(
            "'{text}' is no time that can be waited for: write it as 60s, 2m or 500ms"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_one_two_five_keep_both_ends() {
        assert_eq!(one_two_five(&(2..=100)), [2, 5, 10, 20, 50, 100]);
        assert_eq!(one_two_five(&(3..=7)), [3, 5, 7]);
        assert_eq!(one_two_five(&(300..=400)), [300, 400]);
    }

    #[test]
    fn bytes_count_in_powers_of_two() {
        assert_eq!(bytes("4K"), Ok(4096));
        assert_eq!(bytes("1m"), Ok(1 << 20));
        assert_eq!(bytes("0"), Ok(0));
        assert_eq!(bytes("100T"), Ok(100 << 40));
        for text in ["", "K", "-1", "4KB", "99999999999999999999G"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_in_all_spellings() {
        let spelled = [
            "10000000",
            "10_000_000",
            "1e7",
            "10M",
            "10m",
            "10000k",
            "0.1e8",
            "1E7",
        ];
        assert!(
            spelled.iter().all(|text| whole(text) == Ok(10_000_000)),
            "{spelled:?}"
        );
        assert_eq!(whole("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(whole("0"), Ok(0));
    }

    #[test]
    fn what_is_no_whole_number_is_refused_by_name() {
        for text in [
            "",
            "-1",
            "1.5",
            "1e",
            "e7",
            "1e-3",
            "1e20",
            "18446744073709551616",
            "ten",
            ".",
        ] {
            let error = whole(text).expect_err(text);
            assert!(error.contains(&format!("'{text}'")), "{error}");
        }
    }

    #[test]
    fn sweeps_go_by_decades_and_end_at_their_end() {
        let Ok(Sizes::Sweep(range)) = sizes("1e3..2e6") else {
            panic!()
        };
        assert_eq!(
            decades(&range),
            [1_000, 10_000, 100_000, 1_000_000, 2_000_000]
        );
        assert_eq!(sizes("5"), Ok(Sizes::One(5)));
        for text in ["10,20", "2..", "..5", "-5", "two"] {
            let said = sizes(text).expect_err(text);
            assert!(said.contains(&format!("'{text}' is neither")) && said.contains("2..10000"));
        }
        assert!(sizes("5..5").is_err() && sizes("0..5").is_err() && sizes("..5").is_err());
    }

    #[test]
    fn fractions_and_times() {
        assert_eq!(fraction("2%"), Ok(0.02));
        assert_eq!(fraction("0.5 %"), Ok(0.005));
        assert!(fraction("0").is_err() && fraction("100%").is_err() && fraction("x").is_err());
        assert_eq!(seconds("2m"), Ok(120.0));
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("1.5"), Ok(1.5));
        assert_eq!(share("0%"), Ok(0.0));
        assert!(share("100%").is_err() && share("-1%").is_err());
        assert!(seconds("0").is_err() && seconds("-1").is_err() && seconds("inf").is_err());
    }
}
