//! Seconds since the epoch as a date, in UTC. No clock and no time zone is asked.

const DAY_S: u64 = 86_400;

pub(crate) fn utc(unix_s: u64) -> String {
    let (year, month, day) = civil(unix_s / DAY_S);
    let minutes = unix_s % DAY_S / 60;
    format!(
        "{year}-{month:02}-{day:02} {:02}:{:02} UTC",
        minutes / 60,
        minutes % 60
    )
}

pub(crate) fn day(unix_s: u64) -> String {
    let (year, month, day) = civil(unix_s / DAY_S);
    format!("{year}-{month:02}-{day:02}")
}

/// From days since 1970-01-01, in years from March on and eras of 400 (H. Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", 2013).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days.saturating_add(719_468);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
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
    }
}
