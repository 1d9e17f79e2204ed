use measure::counters::Event;

use super::Unit;
use super::table::{Kind, LISTED, OfWorker, Row, TABLE};
use crate::findings::simulated;

impl Kind {
    pub(crate) fn all(events: &[Event]) -> impl Iterator<Item = Self> {
        let listed = TABLE[..LISTED].iter().map(|row| row.kind);
        let events = events.iter().copied().map(Self::Event);
        listed.chain(events).chain(Self::simulated())
    }

    fn simulated() -> impl Iterator<Item = Self> {
        simulated::NAMED
            .iter()
            .map(|named| Self::Simulated(named.count))
    }

    fn named() -> impl Iterator<Item = Self> {
        let rows = TABLE.iter().map(|row| row.kind);
        let events = Event::ALL.into_iter().map(Self::Event);
        rows.chain(events).chain(Self::simulated())
    }

    pub(crate) fn of(name: &str, worker: Option<u32>) -> Option<Self> {
        let Some(worker) = worker else {
            return Self::named().find(|kind| kind.name() == name);
        };
        let known = [OfWorker::Done, OfWorker::Cpu, OfWorker::Time].into_iter();
        let mut known = known.filter(|of| of.name() == name);
        known.next().map(|of| Self::Worker(of, worker))
    }

    pub(crate) fn names() -> impl Iterator<Item = String> {
        Self::named().map(Self::name)
    }

    pub(super) fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.kind == self)
    }

    pub(crate) fn name(self) -> String {
        match (self, self.row()) {
            // The kernel counts these in two ways.
            (Self::Event(Event::Migrations), _) => "migrations-event".to_owned(),
            (Self::Event(event), _) => event.name().to_owned(),
            (Self::Simulated(count), _) => count.named().name.to_owned(),
            (Self::Worker(of, worker), _) => format!("{} {worker}", of.name()),
            (_, row) => row.map_or(String::new(), |row| row.name.to_owned()),
        }
    }

    pub(crate) fn spoken(self) -> String {
        match (self, self.row()) {
            (Self::Event(event), _) => event.to_string(),
            (Self::Simulated(count), _) => count.named().spoken.to_owned(),
            (Self::Worker(OfWorker::Done, worker), _) => format!("worker {worker} done"),
            (Self::Worker(OfWorker::Cpu, worker), _) => format!("CPU share of worker {worker}"),
            (Self::Worker(OfWorker::Time, worker), _) => format!("CPU time of worker {worker}"),
            (_, row) => row.map_or(String::new(), |row| row.spoken.to_owned()),
        }
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Worker(OfWorker::Done | OfWorker::Time, _) => Unit::Ns,
            Self::Worker(OfWorker::Cpu, _) => Unit::Share,
            _ => self.row().map_or(Unit::Count, |row| row.unit),
        }
    }
}

impl OfWorker {
    fn name(self) -> &'static str {
        match self {
            Self::Done => "worker-done",
            Self::Cpu => "worker-cpu",
            Self::Time => "worker-time",
        }
    }
}
