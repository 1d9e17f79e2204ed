//! Requests of variants that answer some: what the columns of their table are.

use lab::results::Requests;
use lab::{CaseResult, VariantSummary};

use crate::number::{count, time};

/// What the columns mean, for the line below the table.
pub(crate) const NOTE: &str = "Requests: median a second of the steady phase. Latencies: of all \
    requests of all counted repetitions, within 1.6 %.";

/// Headings after that of the variant, the first to be left out with the highest number.
pub(crate) const HEADS: [(&str, Option<u8>); 7] = [
    ("requests/s", None),
    ("p50", None),
    ("p90", Some(2)),
    ("p95", None),
    ("p99", None),
    ("p99.9", Some(1)),
    ("longest", Some(3)),
];

/// Whether any of the cases has requests.
pub(crate) fn any(cases: &[&CaseResult]) -> bool {
    let mut variants = cases.iter().flat_map(|case| &case.variants);
    variants.any(|variant| variant.requests.is_some())
}

/// The cells of a variant; empty ones where it has no good slot.
pub(crate) fn cells(variant: &VariantSummary) -> [String; 7] {
    let requests = variant.requests.as_ref();
    requests.map_or_else(Default::default, |requests| {
        let Requests {
            per_s,
            p50_ns,
            p90_ns,
            p95_ns,
            p99_ns,
            p999_ns,
            most_ns,
            ..
        } = *requests;
        let times = [p50_ns, p90_ns, p95_ns, p99_ns, p999_ns, most_ns];
        let [p50, p90, p95, p99, p999, most] = times.map(|ns| time(ns as f64));
        [rate(per_s), p50, p90, p95, p99, p999, most]
    })
}

/// `12,345`, and from 100 a second downwards with a digit or two behind the point.
pub(crate) fn rate(per_s: f64) -> String {
    if per_s >= 100.0 {
        count(per_s.round() as u64)
    } else {
        crate::number::significant(per_s)
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_are_whole_where_they_are_many() {
        assert_eq!(rate(12_345.6), "12,346");
        assert_eq!(rate(12.345), "12.3");
    }
}
