//! Numbers in words: times, bytes, counts and ratios as sentences have them.
//!
//! A ratio is said as "1.31x" from 1.10x on and in percent below, since "1.01x" says less
//! than "1.4 %". It always says how many times as long the slower one takes, so that no
//! saving is ever "-97 %". The ends of an interval are rounded outwards: a rounded
//! interval must not claim more than the exact one.

/// From here on a factor is said as such, and below in percent.
const SMALL: f64 = 1.10;

/// How a factor (1 or more) is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Percent,
    Times,
}

/// "1.31x", "34x" or "1.4 %", for a factor of 1 or more.
pub(crate) fn factor(factor: f64) -> String {
    write(style(factor), factor, f64::round)
}

/// The factor with its interval: "1.31x" and "[1.27 ... 1.35]", in one style.
pub(crate) fn factor_in(factor: f64, low: f64, high: f64) -> (String, String) {
    let style = style(factor);
    let unit = if style == Style::Percent { " %" } else { "" };
    let end = |end, round| bare(style, end, round);
    let interval = format!(
        "[{} ... {}{unit}]",
        end(low, f64::floor),
        end(high, f64::ceil)
    );
    (write(style, factor, f64::round), interval)
}

fn style(factor: f64) -> Style {
    if factor < SMALL {
        Style::Percent
    } else {
        Style::Times
    }
}

fn write(style: Style, factor: f64, round: fn(f64) -> f64) -> String {
    let number = bare(style, factor, round);
    match style {
        Style::Percent => format!("{number} %"),
        Style::Times => format!("{number}x"),
    }
}

fn bare(style: Style, factor: f64, round: fn(f64) -> f64) -> String {
    match style {
        Style::Percent => fixed((factor - 1.0) * 100.0, 1, round),
        Style::Times if factor < 10.0 => fixed(factor, 2, round),
        Style::Times => thousands(round(factor)),
    }
}

/// A ratio's interval as it is: "[0.996 ... 1.004]" near 1, "[0.97 ... 1.05]" elsewhere.
pub(crate) fn ratio_interval(low: f64, high: f64) -> String {
    let digits = if high / low < 1.03 { 3 } else { 2 };
    let (low, high) = (
        fixed(low, digits, f64::floor),
        fixed(high, digits, f64::ceil),
    );
    format!("[{low} ... {high}]")
}

/// A number with so many digits after the point, rounded as told.
fn fixed(number: f64, digits: i32, round: fn(f64) -> f64) -> String {
    let scale = 10f64.powi(digits);
    // What decimal numbers lose in binary must not push a rounding to the next digit.
    let scaled = number * scale;
    let near = scaled.round();
    let rounded = if (scaled - near).abs() < 1e-6 {
        near
    } else {
        round(scaled)
    };
    // A zero has no sign.
    format!(
        "{:.*}",
        digits.unsigned_abs() as usize,
        rounded / scale + 0.0
    )
}

/// A fraction in percent: "1 %", "2.5 %".
pub(crate) fn percent(fraction: f64) -> String {
    format!("{} %", (fraction * 1000.0).round() / 10.0)
}

/// "64,109".
pub(crate) fn thousands(count: f64) -> String {
    let digits = format!("{:.0}", count.abs());
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A time in the unit that suits it: "3.20 µs", "61.2 ms", "2.81 s".
pub(crate) fn time(ns: f64) -> String {
    scaled(ns, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")])
}

/// Bytes in the unit that suits them, of powers of 1,024: "48.0 KiB", "14.1 MiB".
pub(crate) fn bytes(bytes: f64) -> String {
    let units = [
        (1024.0 * 1024.0 * 1024.0, "GiB"),
        (1024.0 * 1024.0, "MiB"),
        (1024.0, "KiB"),
        (1.0, "B"),
    ];
    scaled(bytes, &units)
}

/// Three significant digits at the most, in the largest unit that gives 1 or more.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fits = |unit: &&(f64, &str)| value.abs() >= unit.0;
    let smallest = units[units.len() - 1];
    let (scale, unit) = *units.iter().find(fits).unwrap_or(&smallest);
    let number = value / scale;
    let digits = match number.abs() {
        n if n >= 100.0 || scale == 1.0 => 0,
        n if n >= 10.0 => 1,
        _ => 2,
    };
    format!("{number:.digits$} {unit}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors() {
        assert_eq!(factor(1.0143), "1.4 %");
        assert_eq!(factor(1.31), "1.31x");
        assert_eq!(factor(33.8), "34x");
        assert_eq!(factor(1234.0), "1,234x");
    }

    #[test]
    fn intervals_are_rounded_outwards() {
        let (text, interval) = factor_in(1.31, 1.2712, 1.3449);
        assert_eq!(
            (text.as_str(), interval.as_str()),
            ("1.31x", "[1.27 ... 1.35]")
        );
        let (text, interval) = factor_in(1.0143, 1.0091, 1.0189);
        assert_eq!(
            (text.as_str(), interval.as_str()),
            ("1.4 %", "[0.9 ... 1.9 %]")
        );
        assert_eq!(factor_in(33.8, 32.9, 34.6).1, "[32 ... 35]");
        assert_eq!(ratio_interval(0.9961, 1.0039), "[0.996 ... 1.004]");
        assert_eq!(ratio_interval(0.971, 1.049), "[0.97 ... 1.05]");
        assert_eq!(ratio_interval(1.27, 1.35), "[1.27 ... 1.35]");
    }

    #[test]
    fn quantities() {
        assert_eq!(percent(0.01), "1 %");
        assert_eq!(percent(0.0255), "2.6 %");
        assert_eq!(thousands(64109.0), "64,109");
        assert_eq!(thousands(999.0), "999");
        assert_eq!(time(61_234_567.0), "61.2 ms");
        assert_eq!(time(950.0), "950 ns");
        assert_eq!(time(-2.81e9), "-2.81 s");
        assert_eq!(bytes(14_100_000.0), "13.4 MiB");
        assert_eq!(bytes(0.0), "0 B");
    }
}
