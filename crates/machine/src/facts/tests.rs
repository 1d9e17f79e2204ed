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
    let all: Vec<_> = guest()
        .machine()
        .facts()
        .into_iter()
        .map(|g| g.title)
        .collect();
    let machine = Fixture::new().machine();
    let groups = machine.facts();
    let titles: Vec<_> = groups.iter().map(|g| g.title.clone()).collect();
    assert_eq!(titles, all);
    assert!(groups.iter().all(|group| !group.rows.is_empty()));
    assert!(value(&groups, "kernel.pid_max").starts_with("not available: this machine has no"));
}

#[test]
fn caches_that_are_alike_share_a_row() {
    let tree = [0, 1].into_iter().fold(guest(), |tree, cpu| {
        let cache = |index| format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}");
        tree.file(&format!("{}/level", cache(0)), "1")
            .file(&format!("{}/type", cache(0)), "Data")
            .file(&format!("{}/size", cache(0)), "48K")
            .file(&format!("{}/shared_cpu_list", cache(0)), cpu.to_string())
            .file(&format!("{}/level", cache(3)), "3")
            .file(&format!("{}/type", cache(3)), "Unified")
            .file(&format!("{}/size", cache(3)), "480M")
            .file(&format!("{}/shared_cpu_list", cache(3)), "0-1")
    });
    let rows = tree.machine().cache_facts();
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (row.name.as_str(), row.value.as_str()))
        .collect();
    assert_eq!(
        rows[..2],
        [
            ("L1 data", "2 of 48.0 KiB"),
            ("L3 unified", "1 of 480.0 MiB")
        ]
    );
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
    machine
        .warnings()
        .iter()
        .for_each(|warning| println!("warning: {warning}"));
}
