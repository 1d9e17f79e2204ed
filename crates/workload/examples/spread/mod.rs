//! Five numbers that stand for many: the median, the quartiles and the extremes.

use std::fmt;

pub(crate) struct Spread([f64; 5]);

impl Spread {
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values = Vec::from_iter(values);
        values.sort_by(f64::total_cmp);
        let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
        Self([0.0, 0.25, 0.5, 0.75, 1.0].map(at))
    }

    pub(crate) fn median(&self) -> f64 {
        self.0[2]
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(3);
        let [low, quarter, median, three_quarters, high] = self.0;
        write!(
            f,
            "{median:.digits$} ({quarter:.digits$}..{three_quarters:.digits$}, {low:.digits$}..{high:.digits$})"
        )
    }
}
