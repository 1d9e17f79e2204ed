//! What is checked before a run makes anything: work with its stores, CPUs, flow counts.

use std::collections::BTreeSet;

use flow::placement::Cpus;
use machine::Machine;

use super::capacity::no_room;
use crate::data::{Case, LabelledVariant, Study, base};

/// A case asks for what this machine does not have, or for impossible work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{study}, {case}: {message}")]
pub struct CaseError {
    /// The study.
    pub study: String,
    /// The case.
    pub case: String,
    /// What is wrong and what to use.
    pub message: String,
}

/// The CPUs that placements choose from.
#[must_use]
pub fn cpus(machine: &Machine) -> Cpus {
    Cpus {
        allowed: machine.allowed().to_vec(),
        cores: machine.cores(),
        smt: machine.smt_order(),
        numa: machine.numa_order(),
    }
}

/// Checks every case against a machine; fails with the first that cannot be run.
pub fn check(studies: &[Study], machine: &Machine) -> Result<(), CaseError> {
    let cpus = cpus(machine);
    let mut names = BTreeSet::new();
    for study in studies {
        for case in &study.cases {
            let fresh = names.insert((&study.name, &case.name));
            let checked = match fresh {
                true => check_case(case, machine, &cpus),
                false => Err(
                    "there are two of that name: give one of the two files another name".to_owned(),
                ),
            };
            checked.map_err(|message| CaseError {
                study: study.name.clone(),
                case: case.name.clone(),
                message: format!("{message}{}", without_it(study, machine, &cpus)),
            })?;
        }
    }
    Ok(())
}

/// `; these can run, name them: warehouse, wiki`: the works that pass where another does not.
fn without_it(study: &Study, machine: &Machine, cpus: &Cpus) -> String {
    let passes = |case: &&Case| check_case(case, machine, cpus).is_ok();
    let mut names: Vec<&str> = study.cases.iter().filter(passes).map(base).collect();
    names.dedup();
    match names.is_empty() {
        true => String::new(),
        false => format!("; these can run, name them: {}", names.join(",")),
    }
}

fn check_case(case: &Case, machine: &Machine, cpus: &Cpus) -> Result<(), String> {
    if case.variants.is_empty() {
        return Err("nothing to run: name at least one variant".to_owned());
    }
    case.work.check().map_err(|error| error.to_string())?;
    for (place, LabelledVariant { variant, work, .. }) in case.variants.iter().enumerate() {
        if let Some(own) = work {
            own.check().map_err(|error| error.to_string())?;
            own.check_here(cpus).map_err(|error| error.to_string())?;
        }
        let placed = variant.placement.resolve(cpus);
        placed.map_err(|error| error.to_string())?;
        let work = case.work_of(place);
        let why = work.missing().or_else(|| work.unsuited(variant));
        if let Some(why) = why.or_else(|| no_room(machine, variant, work)) {
            return Err(why);
        }
    }
    let here = case.work.check_here(cpus);
    here.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use flow::Placement;
    use machine::topology::Node;
    use measure::Measured;

    use super::*;
    use crate::testing::{self, Says};

    /// A study of a server with that CPU of its load and that port, checked.
    fn checked(key: &str, value: u32) -> Result<(), String> {
        let mut case = testing::case("served", 1, &["thread"]);
        case.work = serde_json::from_value(serde_json::json!({
            "kind": "wiki-server", "workers": 2, "requests": 10, "connections": 1, key: value,
        }))
        .unwrap();
        let machine = Machine::read();
        check_case(&case, &machine, &cpus(&machine))
    }

    /// Each slot failed, where the command refuses the same.
    #[test]
    fn a_cpu_for_the_load_that_is_not_there_is_refused_before_a_study_runs() {
        assert_eq!(checked("keep_alive", 5), Ok(()));
        let why = checked("load_cpu", 60_000).unwrap_err();
        why.says("load_cpu 60000: this program may");
    }

    /// `--model` was refused for one work, and nobody said that the others can run.
    #[test]
    fn what_one_work_cannot_do_is_refused_with_the_names_of_those_that_can() {
        let cases = vec![
            testing::case("bad", 1, &[]),
            testing::case("good", 1, &["thread"]),
        ];
        let why = check(&[testing::study(cases)], &Machine::read()).unwrap_err();
        why.to_string().ends("; these can run, name them: good");
    }

    #[test]
    fn flows_are_dealt_to_memory_nodes_where_there_are_two() {
        let with_nodes = |cpus: &[&[u32]]| {
            let mut machine = Machine::read().simulating("four cores", 4, 1);
            let node = |(id, cpus): (u32, &&[u32])| Node {
                id,
                cpus: cpus.to_vec(),
                bytes: None,
            };
            machine.topology.nodes = Measured::Value((0..).zip(cpus).map(node).collect());
            machine
        };
        let mut case = testing::case("placed", 1, &["thread"]);
        case.variants[0].variant.placement = Placement::Numa;
        let two = with_nodes(&[&[0, 1], &[2, 3]]);
        assert_eq!(check_case(&case, &two, &cpus(&two)), Ok(()));
        assert_eq!(Placement::Numa.resolve(&cpus(&two)), Ok(vec![0, 2, 1, 3]));
        let one = with_nodes(&[&[0, 1, 2, 3], &[]]);
        let why = check_case(&case, &one, &cpus(&one)).unwrap_err();
        why.says("fewer than two nodes here have CPUs");
    }

    #[test]
    fn a_port_in_use_is_refused_before_a_study_runs() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let why = checked("port", port.into()).unwrap_err();
        why.says(&format!("port {port}"));
    }
}
