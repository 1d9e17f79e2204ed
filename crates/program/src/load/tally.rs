//! Counts of the requests planned for the measured time.

use super::connection::Asked;
use super::said::Report;

#[derive(Debug)]
pub(super) struct Tally {
    pub(super) report: Report,
    from_ns: u64,
    until_ns: u64,
    same_body: bool,
    bodies: Vec<Option<u64>>,
}

impl Tally {
    pub(super) fn new(urls: usize, same_body: bool) -> Self {
        Self {
            report: Report::default(),
            from_ns: 0,
            until_ns: 0,
            same_body,
            bodies: vec![None; urls],
        }
    }

    pub(super) fn measure(&mut self, from_ns: u64, until_ns: u64) {
        (self.from_ns, self.until_ns) = (from_ns, until_ns);
        self.report.ns = until_ns - from_ns;
        self.report.answering_ns = self.report.ns;
    }

    fn counts(&self, asked: &Asked) -> bool {
        (self.from_ns..self.until_ns).contains(&asked.planned_ns)
    }

    pub(super) fn answer(
        &mut self,
        now: u64,
        asked: Asked,
        status: u16,
        (bytes, body): (u64, u64),
    ) {
        let first = *self.bodies[asked.target].get_or_insert(body);
        if !self.counts(&asked) {
            return;
        }
        let wrong = match status {
            200..=399 if !self.same_body || first == body => None,
            200..=399 => Some("an answer that is not what the first one was".to_owned()),
            status => Some(format!("an answer with status {status}")),
        };
        if let Some(wrong) = wrong {
            return self.error(&asked, &wrong);
        }
        let report = &mut self.report;
        report.answered += 1;
        report.bytes += bytes;
        report.latencies.add(now - asked.planned_ns);
        report.service.add(now - asked.sent_ns);
        report.lateness.add(asked.sent_ns - asked.able_ns);
        report
            .queued
            .add(asked.able_ns.saturating_sub(asked.planned_ns));
        report.answering_ns = report.answering_ns.max(now.saturating_sub(self.from_ns));
    }

    pub(super) fn error(&mut self, asked: &Asked, what: &str) {
        if self.counts(asked) {
            self.report.errors += 1;
            let first = &mut self.report.first_error;
            first.get_or_insert_with(|| what.to_owned());
        }
    }

    /// No request is lost: planned ones wait for a connection and count that.
    pub(super) fn refuse(&mut self, why: &str) {
        self.report.refused += 1;
        let first = &mut self.report.first_refusal;
        first.get_or_insert_with(|| why.to_owned());
    }

    pub(super) fn time_out(&mut self, now: u64, asked: &Asked) {
        if self.counts(asked) {
            self.report.timeouts += 1;
            self.report.latencies.add(now - asked.planned_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(planned_ns: u64) -> Asked {
        Asked {
            target: 0,
            planned_ns,
            able_ns: planned_ns,
            sent_ns: planned_ns,
        }
    }

    /// Of a server that answered each request with 404, `connection timed out` was named, since some
    /// connections had been refused before.
    #[test]
    fn the_first_error_is_what_the_server_answered_and_no_refused_connection_hides_it() {
        let mut tally = Tally::new(1, false);
        tally.measure(10, 20);
        tally.refuse("connection timed out");
        tally.answer(15, asked(5), 500, (1, 1));
        tally.answer(15, asked(12), 404, (1, 1));
        tally.error(&asked(13), "reset");
        let Report {
            refused, errors, ..
        } = tally.report;
        assert_eq!((refused, errors), (1, 2));
        let first = tally.report.first_wrong();
        assert_eq!(first, "an answer with status 404");
    }

    #[test]
    fn latencies_count_from_the_plan_and_what_was_planned_to_warm_up_does_not_count() {
        let mut tally = Tally::new(1, true);
        tally.measure(1_000, 2_000);
        tally.answer(1_500, asked(999), 200, (1, 7));
        assert_eq!(tally.report.answered, 0);
        let late = Asked {
            able_ns: 2_400,
            sent_ns: 2_410,
            ..asked(1_999)
        };
        tally.answer(2_999, late, 200, (1, 7));
        let report = &tally.report;
        assert_eq!(report.latencies.most_ns(), 1_000);
        assert_eq!(report.queued.most_ns(), 401);
        assert_eq!(report.lateness.most_ns(), 10);
        assert_eq!((report.answered, report.answering_ns), (1, 1_999));
        tally.answer(2_999, asked(1_500), 200, (1, 8));
        assert_eq!((tally.report.answered, tally.report.errors), (1, 1));
    }
}
