//! Whether there is room for a server with all of its connections: open files, tasks of a thread
//! each, and places at the listening socket, without which a generator waits.

use flow::Variant;
use machine::limits::Bound;
use machine::{Ceiling, Machine};
use measure::Measured;
use workload::Work;
use workload::workload::Beside;

use super::{limit, most};
use crate::data::number::count;

/// `lowest`: room for flows of that model.
pub(super) fn no_room(
    machine: &Machine,
    variant: &Variant,
    work: &Work,
    lowest: &Ceiling,
) -> Option<String> {
    let beside = work.beside(variant)?;
    no_files(machine, &beside)
        .or_else(|| no_tasks(variant, &beside, lowest))
        .or_else(|| no_places(machine, &beside))
}

fn no_files(machine: &Machine, beside: &Beside) -> Option<String> {
    let &Measured::Value(Bound::At(files)) = &machine.limits.nofile_hard else {
        return None;
    };
    let need = beside.open_files;
    (need > files).then(|| {
        format!(
            "{} need up to {} open files in one process: RLIMIT_NOFILE allows {}; use fewer, or \
             raise the limit (ulimit -Hn {need})",
            beside.who,
            count(need),
            count(files)
        )
    })
}

fn no_tasks(variant: &Variant, beside: &Beside, lowest: &Ceiling) -> Option<String> {
    let need = u64::from(variant.flows) + beside.tasks;
    (need > most(lowest)).then(|| {
        format!(
            "{} need up to {} processes and threads: there is room for {} (the limit is {}); use \
             fewer, or raise it: {}",
            beside.who,
            count(need),
            count(most(lowest)),
            limit(lowest),
            lowest.raise
        )
    })
}

fn no_places(machine: &Machine, beside: &Beside) -> Option<String> {
    let &Measured::Value(places) = &machine.limits.somaxconn else {
        return None;
    };
    let need = beside.waiting;
    (need > places).then(|| {
        format!(
            "{} connections wait at one socket: net.core.somaxconn = {} allows no more of them; \
             use fewer, or raise it: sudo sysctl net.core.somaxconn={need}",
            count(need),
            count(places)
        )
    })
}

#[cfg(test)]
mod tests {
    use flow::Schedule;

    use super::super::no_room;
    use super::*;
    use crate::testing::Says;

    fn machine(files: u64, tasks: u64, places: u64) -> Machine {
        let mut machine = Machine::read();
        machine.limits.nofile_hard = Measured::Value(Bound::At(files));
        machine.limits.nproc = Measured::Value(Bound::At(tasks));
        machine.limits.user_tasks = Measured::Value(0);
        machine.limits.somaxconn = Measured::Value(places);
        machine
    }

    fn refused(machine: &Machine, design: &str, connections: u64) -> Option<String> {
        let server = serde_json::json!({
            "kind": "wiki-server",
            "workers": 1,
            "design": design,
            "requests": 10_000,
            "connections": connections,
        });
        let variant = Variant {
            schedule: Schedule::Queue,
            ..Variant::new("thread".parse().unwrap(), 1)
        };
        no_room(machine, &variant, &serde_json::from_value(server).unwrap())
    }

    #[test]
    fn a_server_with_more_connections_than_open_files_is_refused_with_need_room_and_remedy() {
        let machine = machine(100, 10_000, 4_096);
        assert_eq!(refused(&machine, "pool", 36), None);
        let why = refused(&machine, "pool", 64).unwrap();
        for words in ["need up to 128 open files", "allows 100", "ulimit -Hn 128"] {
            why.says(words);
        }
        // Each has a thread with a store of its own, and a thread of the one before may be there.
        let why = refused(&machine, "per-connection", 36).unwrap();
        why.says("need up to 210 open files");
    }

    #[test]
    fn a_thread_for_each_connection_is_refused_where_there_may_not_be_so_many() {
        let machine = machine(100_000, 50, 4_096);
        assert_eq!(refused(&machine, "pool", 1_000), None);
        let why = refused(&machine, "per-connection", 100).unwrap();
        why.says("need up to 203 processes and threads");
        why.says("RLIMIT_NPROC = 50");
        why.says("ulimit -u");
    }

    #[test]
    fn connections_that_would_find_no_place_at_the_socket_are_refused() {
        let machine = machine(100_000, 10_000, 128);
        assert_eq!(refused(&machine, "per-connection", 1_000), None);
        let why = refused(&machine, "pool", 129).unwrap();
        why.says("somaxconn = 128");
    }
}
