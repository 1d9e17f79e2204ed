use std::time::{Duration, Instant};

use flow::Variant;
use measure::tasks::{Process, State, Task};
use report::number::count;

#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) what: &'a str,
    pub(super) flows: &'a str,
    /// The kernel's flows carry others.
    pub(super) carried: bool,
    pub(super) group: i32,
    pub(super) age: Duration,
    pub(super) processes: &'a [Process],
    pub(super) tasks: &'a [Task],
    pub(super) most: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) pid: i32,
    pub(super) tid: i32,
    pub(super) state: State,
    pub(super) cpu: u32,
    /// Of one CPU since the last look.
    pub(super) share: f64,
    /// RSS in bytes and threads, at a process's first thread.
    pub(super) process: Option<(u64, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct Seen {
    at: Option<Instant>,
    tasks: Vec<(i32, u64)>,
}

impl From<Instant> for Seen {
    fn from(began: Instant) -> Self {
        Self {
            at: Some(began),
            tasks: Vec::new(),
        }
    }
}

impl Seen {
    fn before(&self, tid: i32) -> u64 {
        let place = self.tasks.binary_search_by_key(&tid, |(tid, _)| *tid);
        place.map_or(0, |place| self.tasks[place].1)
    }

    fn remember(&mut self, tasks: &[Task], now: Instant) {
        self.at = Some(now);
        self.tasks.clear();
        self.tasks
            .extend(tasks.iter().map(|task| (task.tid, task.cpu_ns)));
        self.tasks.sort_unstable();
    }
}

impl View<'_> {
    pub(super) fn rows(&self, seen: &mut Seen, now: Instant) -> Vec<Row> {
        let since = seen.at.map_or(Duration::ZERO, |at| now - at);
        let rows = self.tasks.iter().map(|task| self.row(task, seen, since));
        let rows = rows.collect();
        seen.remember(self.tasks, now);
        rows
    }

    fn row(&self, task: &Task, seen: &Seen, since: Duration) -> Row {
        let used_ns = task.cpu_ns.saturating_sub(seen.before(task.tid));
        let share = used_ns as f64 / since.as_nanos().max(1) as f64;
        let process = self.processes.iter().find(|p| p.pid == task.tid);
        Row {
            what: self.name(task),
            pid: task.pid,
            tid: task.tid,
            state: task.state,
            cpu: task.cpu,
            share: share.min(1.0),
            process: process.map(|process| (process.rss, process.threads)),
        }
    }

    fn name(&self, task: &Task) -> &'static str {
        match task.tid == task.pid {
            true if task.pid == self.group => "parent",
            _ if self.carried => "carrier",
            true => "process",
            false => "thread",
        }
    }

    /// Too many to look at; a few may have ended.
    pub(super) fn not_looked_at(&self) -> u64 {
        let all: u64 = self.processes.iter().map(|p| u64::from(p.threads)).sum();
        match self.tasks.len() >= self.most {
            true => all.saturating_sub(self.tasks.len() as u64),
            false => 0,
        }
    }
}

pub(super) fn flows(variant: &Variant) -> String {
    let flows = match variant.flows {
        1 => "1 flow".to_owned(),
        flows => format!("{} flows", count(flows.into())),
    };
    match (variant.model.is_user_level(), variant.carriers()) {
        (false, _) => flows,
        (true, 1) => format!("{flows} on 1 carrier"),
        (true, carriers) => format!("{flows} on {} carriers", count(carriers.into())),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn task(pid: i32, tid: i32, state: char, cpu_ms: u64) -> Task {
        Task {
            pid,
            tid,
            state: State(state),
            cpu: 1,
            cpu_ns: cpu_ms * 1_000_000,
        }
    }

    pub(in super::super) fn process(pid: i32, threads: u32) -> Process {
        Process {
            pid,
            state: State('S'),
            threads,
            rss: 3 << 20,
            cpu_ns: 0,
            children_cpu_ns: 0,
            cpu: 0,
        }
    }

    pub(in super::super) fn view<'a>(processes: &'a [Process], tasks: &'a [Task]) -> View<'a> {
        View {
            what: "primes trial, round 3, thread",
            flows: "2 flows",
            carried: false,
            group: 10,
            age: Duration::from_millis(1_250),
            processes,
            tasks,
            most: 40,
        }
    }

    /// The rows of a look after so long.
    pub(in super::super) fn rows(view: &View<'_>, ms: u64) -> Vec<Row> {
        let began = Instant::now();
        view.rows(&mut Seen::from(began), began + Duration::from_millis(ms))
    }

    #[test]
    fn shares_are_of_the_time_since_the_look_before() {
        let began = Instant::now();
        let mut seen = Seen::from(began);
        let processes = [process(10, 2), process(12, 1)];
        let first = [
            task(10, 10, 'S', 1),
            task(10, 11, 'R', 50),
            task(12, 12, 'R', 90),
        ];
        let at = began + Duration::from_millis(100);
        let rows = view(&processes, &first).rows(&mut seen, at);
        let shares: Vec<f64> = rows.iter().map(|row| row.share).collect();
        assert_eq!(shares, [0.01, 0.5, 0.9]);
        let names: Vec<&str> = rows.iter().map(|row| row.what).collect();
        assert_eq!(names, ["parent", "thread", "process"]);
        let of_process: Vec<bool> = rows.iter().map(|row| row.process.is_some()).collect();
        assert_eq!(of_process, [true, false, true]);

        let second = [
            task(10, 10, 'S', 1),
            task(12, 12, 'R', 900),
            task(12, 13, 'R', 30),
        ];
        let rows = view(&processes, &second).rows(&mut seen, at + Duration::from_millis(300));
        let shares: Vec<f64> = rows.iter().map(|row| row.share).collect();
        assert_eq!(shares, [0.0, 1.0, 0.1], "a new one has used nothing before");
    }

    #[test]
    fn user_level_flows_are_named_with_their_carriers() {
        let variant = |model: &str, flows| Variant::new(model.parse().unwrap(), flows);
        assert_eq!(
            flows(&variant("fiber", 20_000)),
            "20,000 flows on 1 carrier"
        );
        assert_eq!(flows(&variant("fiber/2", 5)), "5 flows on 2 carriers");
        assert_eq!(flows(&variant("thread", 1)), "1 flow");
        let (processes, tasks) = (
            [process(10, 2)],
            [task(10, 10, 'S', 0), task(10, 11, 'R', 0)],
        );
        let carried = View {
            carried: true,
            ..view(&processes, &tasks)
        };
        let rows = rows(&carried, 1);
        assert_eq!([rows[0].what, rows[1].what], ["parent", "carrier"]);
    }
}
