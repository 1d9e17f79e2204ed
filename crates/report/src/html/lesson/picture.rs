//! Lengths that the pictures of lessons share with their scripts.

pub(super) const WIDTH: f64 = 560.0;
pub(super) const MARGIN: f64 = 20.0;

pub(super) fn px(length: f64) -> String {
    crate::number::trimmed(length, 1)
}

pub(super) fn at(share: f64) -> f64 {
    MARGIN + share * (WIDTH - 2.0 * MARGIN)
}

/// Never 0, however small.
pub(super) fn percent(share: f64) -> String {
    const SMALLEST: f64 = 1e-6;
    match share < SMALLEST {
        true => "less than 0.0001 %".to_owned(),
        false => format!("{} %", crate::number::significant(100.0 * share)),
    }
}
