use std::time::Duration;

pub(crate) use lab::number::read_bytes as bytes;
pub(crate) use lab::written::whole;

pub(crate) fn some_bytes(text: &str) -> Result<u64, String> {
    match bytes(text)? {
        0 => Err("0 bytes are none: leave it out, or write 1M".to_owned()),
        some => Ok(some),
    }
}

const MOST_ROUNDS: u64 = 1_000;

/// `80`, `1e2`.
pub(crate) fn rounds(text: &str) -> Result<u64, String> {
    let rounds = whole(text)?;
    match (1..=MOST_ROUNDS).contains(&rounds) {
        true => Ok(rounds),
        false => Err(format!(
            "{text} rounds cannot be judged: use 1 to {MOST_ROUNDS}, and longer slots for more"
        )),
    }
}

/// `1%`, `0.5 %`, `0.01`.
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

pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches('%').trim().parse::<f64>() {
        Ok(0.0) => Ok(0.0),
        _ => fraction(text),
    }
}

const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

const SHORTEST: Duration = Duration::from_micros(1);

/// `60s`, `2m`, `500ms`, or seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let duration = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) if text.trim() != text => None,
        Err(_) => humantime::parse_duration(text).ok(),
    };
    match duration {
        Some(duration) if duration > LONGEST => {
            Err(format!("'{text}' is too long: the maximum is 365d"))
        }
        Some(duration) if !duration.is_zero() && duration < SHORTEST => {
            Err(format!("'{text}' is too short: the minimum is 1us"))
        }
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
    fn fractions_and_times() {
        assert_eq!(fraction("2%"), Ok(0.02));
        assert_eq!(fraction("0.5 %"), Ok(0.005));
        assert!(fraction("0").is_err() && fraction("100%").is_err() && fraction("x").is_err());
        assert_eq!(seconds("2m"), Ok(120.0));
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("1.5"), Ok(1.5));
        assert_eq!(share("0%"), Ok(0.0));
        assert!(share("100%").is_err() && share("-1%").is_err());
        for text in ["400d", " 1s", "1s ", "0", "-1", "inf"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_longer_than_a_year_is_refused() {
        assert_eq!(seconds("365d"), Ok(31_536_000.0));
        assert!(seconds("99999999999999999s").is_err() && seconds("1e12").is_err());
    }

    /// `--deadline 1e-9` was taken for a deadline, and no slot can meet it.
    #[test]
    fn times_that_nothing_can_meet_are_refused() {
        for text in ["1e-9", "1ns", "999ns"] {
            let error = seconds(text).unwrap_err();
            assert!(error.contains("the minimum is 1us"), "{error}");
        }
        assert_eq!(seconds("1us"), Ok(1e-6));
    }
}
