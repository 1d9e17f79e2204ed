//! Numbers for people: three significant digits, a unit, thousands apart; [`NONE`] for none.

mod against;

pub(crate) use against::at_most;
pub use against::{
    DOTS, Directions, OF_AMOUNTS, OF_TIMES, against, factor, factor_ends, factor_interval,
    is_small, longer, ratio_interval,
};

/// What stands in a table where there is no number; the reason stands below it.
pub const NONE: &str = "n/a";

const TIMES: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];
const KIB: f64 = 1024.0;
const SIZES: [(f64, &str); 4] = [
    (1.0, "B"),
    (KIB, "KiB"),
    (KIB * KIB, "MiB"),
    (KIB * KIB * KIB, "GiB"),
];

/// A time in ns: `61.2 ms`.
#[must_use]
pub fn time(ns: f64) -> String {
    in_unit(ns, &TIMES, 1e3)
}

/// The interval of a time in ns: `[1.13 s … 1.17 s]`, rounded outwards, never to claim more.
#[must_use]
pub fn time_interval(low: f64, high: f64) -> String {
    let to = |value: f64, round: fn(f64) -> f64| {
        if value == 0.0 || !value.is_finite() {
            return time(value);
        }
        // The third digit, with a margin for the stored value.
        let step = 10f64.powf(value.abs().log10().floor() - 2.0);
        time(round((value / step * 1e9).round() / 1e9) * step)
    };
    format!("[{}{DOTS}{}]", to(low, f64::floor), to(high, f64::ceil))
}

/// A size in bytes: `14.1 MiB`.
#[must_use]
pub fn bytes(bytes: f64) -> String {
    in_unit(bytes, &SIZES, KIB)
}

/// Bytes as people write them, K, M, G and T being powers of 1,024: `4096`, `4K`, `256M`.
pub fn read_bytes(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, shift) = match lower.char_indices().last() {
        Some((at, 'k')) => (&lower[..at], 10),
        Some((at, 'm')) => (&lower[..at], 20),
        Some((at, 'g')) => (&lower[..at], 30),
        Some((at, 't')) => (&lower[..at], 40),
        _ => (lower.as_str(), 0),
    };
    let number = digits.replace('_', "").parse::<u64>().ok();
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| format!("'{text}' is no number of bytes: write it as 4096, 4K or 1M"))
}

fn in_unit(value: f64, units: &[(f64, &str)], step: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let fits = |(size, _): &&(f64, &str)| rounded(value.abs() / size) < step;
    let (size, unit) = units.iter().find(fits).unwrap_or(&units[units.len() - 1]);
    let amount = value / size;
    let digits = if amount == 0.0 || *unit == "B" {
        grouped(amount, 0)
    } else {
        significant(amount)
    };
    format!("{digits} {unit}")
}

fn decimals(value: f64) -> usize {
    match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    }
}

fn rounded(value: f64) -> f64 {
    let scale = 10f64.powi(decimals(value) as i32);
    (value * scale).round() / scale
}

/// Three significant digits: `0.42`, `9.60`, `14.1`, `1,230`.
#[must_use]
pub fn significant(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let small = value != 0.0 && value.abs() < 0.0995;
    let places = if small {
        2 - value.abs().log10().floor() as i32
    } else {
        0
    };
    grouped(
        value,
        if small {
            places.clamp(2, 12) as usize
        } else {
            decimals(value)
        },
    )
}

/// A count: `64,109`.
#[must_use]
pub fn count(value: u64) -> String {
    group(&value.to_string())
}

/// A computed number, with three digits from a million on: `64,109`, `about 49.8 million`.
#[must_use]
pub fn about(value: u64) -> String {
    const NAMES: [(f64, &str); 2] = [(1e6, "million"), (1e9, "billion")];
    match value < 1_000_000 {
        true => count(value),
        false => format!("about {}", in_unit(value as f64, &NAMES, 1e3)),
    }
}

/// This many of something: `1 file`, `64,109 files`.
#[must_use]
pub fn many(value: u64, one: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {one}{plural}", count(value))
}

/// A number of things that may be many: `12.5`, `64,109`, `241 M`, `2.41 G`.
#[must_use]
pub fn amount(value: f64) -> String {
    const WHOLE: f64 = 1e6;
    const AMOUNTS: [(f64, &str); 2] = [(1e6, "M"), (1e9, "G")];
    match value.abs() < WHOLE - 0.5 || !value.is_finite() {
        true => plain(value),
        false => in_unit(value, &AMOUNTS, 1e3),
    }
}

fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (sign, text) = text
        .strip_prefix('-')
        .map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    format!("{sign}{}{rest}", group(whole))
}

fn group(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number without more decimals than it needs, for parameters: `10,000`, `0.5`.
#[must_use]
pub fn plain(value: f64) -> String {
    if value.is_finite() && value.fract() == 0.0 {
        grouped(value, 0)
    } else {
        significant(value)
    }
}

/// With at most this many decimals, and no zeros at their end: `2`, `1.5`.
#[must_use]
pub fn trimmed(value: f64, decimals: usize) -> String {
    let text = grouped(value, decimals);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The ends of an interval of ratios for tables of data: four decimals, rounded outwards.
#[must_use]
pub fn ratio_ends(low: f64, high: f64) -> [String; 2] {
    [fixed(low, 4, f64::floor), fixed(high, 4, f64::ceil)]
}

fn fixed(value: f64, decimals: usize, round: fn(f64) -> f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let scale = 10f64.powi(decimals as i32);
    // Rounded to a billionth first: 1.27 may be stored as less.
    let scaled = (value * scale * 1e9).round() / 1e9;
    grouped(round(scaled) / scale, decimals)
}

/// A fraction in percent with two significant digits: `2.1 %`.
#[must_use]
pub fn percent(fraction: f64) -> String {
    let value = fraction * 100.0;
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let decimals = match value.abs() {
        v if v >= 9.95 || v == 0.0 => 0,
        v if v >= 0.995 => 1,
        _ => 2,
    };
    format!("{} %", grouped(value, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_three_digits_and_a_unit() {
        for (ns, text) in [
            (0.0, "0 ns"),
            (0.42, "0.42 ns"),
            (61.2e6, "61.2 ms"),
            (999.4, "999 ns"),
            (999.9, "1.00 µs"),
            (1.5e12, "1,500 s"),
            (-4.2e6, "-4.20 ms"),
            (f64::NAN, "n/a"),
            (f64::INFINITY, "n/a"),
        ] {
            assert_eq!(time(ns), text);
        }
        for (b, text) in [
            (0.0, "0 B"),
            (512.0, "512 B"),
            (1023.0, "1,023 B"),
            (450_560.0, "440 KiB"),
            (1_048_575.0, "1.00 MiB"),
            (14.1 * KIB * KIB, "14.1 MiB"),
        ] {
            assert_eq!(bytes(b), text);
        }
    }

    #[test]
    fn intervals_of_times_are_rounded_outwards() {
        assert_eq!(time_interval(1.1349e9, 1.1651e9), "[1.13 s … 1.17 s]");
        assert_eq!(time_interval(-1_234.0, 0.0), "[-1.24 µs … 0 ns]");
        assert_eq!(time_interval(2e6, 2e6), "[2.00 ms … 2.00 ms]");
    }

    #[test]
    fn percents_and_parameters() {
        assert_eq!(percent(0.021), "2.1 %");
        assert_eq!(percent(0.0052), "0.52 %");
        assert_eq!(percent(1.5), "150 %");
        assert_eq!(plain(10_000.0), "10,000");
        assert_eq!(plain(0.5), "0.50");
        assert_eq!(significant(0.001234), "0.00123");
        assert_eq!(amount(0.0), "0");
        assert_eq!(amount(12.5), "12.5");
        assert_eq!(amount(999_999.0), "999,999");
        assert_eq!(amount(999_999.6), "1.00 M");
        assert_eq!(amount(241.3e6), "241 M");
        assert_eq!(amount(2.41e9), "2.41 G");
        assert_eq!(amount(f64::NAN), "n/a");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(about(64_109), "64,109");
        assert_eq!(about(49_847_659), "about 49.8 million");
        assert_eq!(many(1, "file"), "1 file");
        assert_eq!(many(2_000, "file"), "2,000 files");
    }
}
