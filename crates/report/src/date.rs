//! Seconds since the epoch as a date, in UTC. No clock and no time zone is asked.

use std::time::{Duration, UNIX_EPOCH};

/// The end of the year 9999: later ones have no such date.
const LAST_S: u64 = 253_402_300_799;

pub(crate) fn utc(unix_s: u64) -> String {
    let written = written(unix_s);
    format!("{} {} UTC", &written[..10], &written[11..16])
}

pub(crate) fn day(unix_s: u64) -> String {
    written(unix_s)[..10].to_owned()
}

/// `2010-01-26T14:05:00Z`.
fn written(unix_s: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_secs(unix_s.min(LAST_S));
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_are_known() {
        assert_eq!(utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(utc(1_264_514_700), "2010-01-26 14:05 UTC");
        assert_eq!(utc(4_107_542_399), "2100-02-28 23:59 UTC");
        assert_eq!(utc(u64::MAX), "9999-12-31 23:59 UTC");
    }
}
