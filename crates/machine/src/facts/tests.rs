use super::*;
use crate::fixture::{Fixture, guest};

fn value<'g>(groups: &'g [Group], name: &str) -> &'g str {
    let rows = groups.iter().flat_map(|group| &group.rows);
    &rows.into_iter().find(|row| row.name == name).unwrap().value
}

#[test]
fn values_have_units_and_missing_ones_a_reason() {
    let groups = guest().machine().facts();
    assert_eq!(value(&groups, "model"), "Intel(R) Xeon(R) Processor");
    assert_eq!(value(&groups, "clock speed"), "2600 MHz");
    assert_eq!(value(&groups, "total"), "23.5 GiB");
    assert_eq!(value(&groups, "swap"), "0 B");
    assert_eq!(value(&groups, "virtual machine"), "yes");
    assert_eq!(value(&groups, "RLIMIT_STACK"), "8.0 MiB");
    assert_eq!(
        value(&groups, "processes"),
        "32383, bounded by kernel.pid_max = 32768"
    );
    assert_eq!(value(&groups, "cycles"), "can be counted");
    assert!(value(&groups, "governor").starts_with("not available: "));
    assert!(value(&groups, "caches").starts_with("not available: "));
}

#[test]
fn nothing_is_left_out_of_a_machine_that_tells_nothing() {
    let titles = |groups: &[Group]| -> Vec<String> {
        groups.iter().map(|group| group.title.clone()).collect()
    };
    let groups = Fixture::new().machine().facts();
    assert_eq!(titles(&groups), titles(&guest().machine().facts()));
    assert!(groups.iter().all(|group| !group.rows.is_empty()));
    assert!(value(&groups, "kernel.pid_max").starts_with("not available: this machine has no"));
}

#[test]
fn caches_that_are_alike_share_a_row() {
    let tree = [0, 1].into_iter().fold(guest(), |tree, cpu| {
        tree.cache((cpu, 0), ["1", "Data", "48K", &cpu.to_string()])
            .cache((cpu, 3), ["3", "Unified", "480M", "0-1"])
    });
    let rows = tree.machine().cache_facts();
    let [first, second] =
        [0, 1].map(|row: usize| (rows[row].name.as_str(), rows[row].value.as_str()));
    assert_eq!(first, ("L1 data", "2 of 48.0 KiB"));
    assert_eq!(second, ("L3 unified", "1 of 480.0 MiB"));
}

#[test]
fn a_machine_survives_json() {
    let machine = guest().machine();
    let json = serde_json::to_string(&machine).unwrap();
    assert_eq!(serde_json::from_str::<Machine>(&json).unwrap(), machine);
    assert!(json.contains(r#""governor":{"not_available":{"reason":"#));
}

#[test]
fn this_machine_can_be_read_and_told() {
    let machine = Machine::read();
    assert!(!machine.allowed().is_empty() && !machine.cores().is_empty());
    assert!(machine.cores().len() <= machine.smt_order().len());
    for group in machine.facts() {
        println!("{}", group.title);
        for row in group.rows {
            println!("  {:32} {:60} {}", row.name, row.value, row.note);
        }
    }
    for warning in machine.warnings() {
        println!("warning: {warning}");
    }
}
