//! Causes that lie in making and ending flows.

use super::*;
use crate::findings::testing::lacks;

#[test]
fn a_last_flow_that_works_on_alone_is_named() {
    let mut process = process();
    process.imbalance = 1.42;
    assert_eq!(
        reasons(&process, SAME),
        ["the last flow ends 1.10x as late as the mean one, against 1.42x"]
    );
}

/// Tables for 64 MiB in each of three processes, all of it mapped.
fn copied() -> Memory {
    Memory {
        page_tables: 3 * 16_384 * 8,
        rss: 3 * 64 * MIB,
        processes: 3,
        ..MEMORY
    }
}

/// What one process has of the same.
fn not_copied() -> Memory {
    Memory {
        page_tables: 16_384 * 8,
        rss: 64 * MIB,
        ..MEMORY
    }
}

#[test]
fn entries_that_forks_copied_are_named_where_they_explain_the_time() {
    let mut process = dear_process();
    process.memory = Some(copied());
    let mut thread = thread();
    thread.memory = Some(not_copied());
    let said = reasons_for(&thread, &process, DIFFERENT);
    assert_eq!(
        said[1],
        "fork copied 32,768 page-table entries more for processes (384 KiB of page tables in \
         3 processes against 128 KiB in 1 process): 244 ns of create and tear-down each"
    );
    lacks(&said.join("\n"), "(3.00x less)");
    // A thousandth of the time cannot be that of this many entries.
    process.phases.create_ns = 205e3;
    process.phases.teardown_ns = 103e3;
    process.phases.steady_ns = 5e6;
    let said = reasons_for(&thread, &process, DIFFERENT);
    lacks(&said.join("\n"), "fork copied");
}

#[test]
fn small_parents_and_huge_pages_have_few_entries_to_copy() {
    let mut process = dear_process();
    // Each child has tables of its own, but hardly anything is mapped in them.
    process.memory = Some(Memory {
        rss: 6 * MIB,
        ..copied()
    });
    let silent = |thread: &Profile, process: &Profile| {
        let said = reasons_for(thread, process, DIFFERENT);
        lacks(&said.join("\n"), "fork copied");
    };
    silent(&thread(), &process);
    process.memory = Some(copied());
    process.variant.parent_memory = Some(ParentMemory {
        bytes: 64 * MIB,
        pages: Pages::Huge,
    });
    let mut thread = thread();
    thread.memory = Some(not_copied());
    silent(&thread, &process);
}

#[test]
fn a_flow_for_each_item_is_named_where_making_them_takes_the_time() {
    let mut each = dear_process();
    each.variant = variant("process", 200);
    each.made = 200.0;
    let said = reasons(&each, DIFFERENT);
    assert_eq!(
        said[1],
        "processes create 200 flows, threads 2: creating and ending takes 40.4 µs more for each \
         further one"
    );
}

/// "4 flows made by processes, not 1" was said of 4 flows on both sides.
#[test]
fn of_user_level_flows_those_of_the_kernel_are_counted_and_called_so() {
    let mut process = dear_process();
    process.variant = variant("process", 4);
    process.made = 4.0;
    let mut migratable = thread();
    migratable.variant = variant("migratable", 4);
    migratable.made = 1.0;
    let said = reasons_for(&migratable, &process, DIFFERENT);
    let made = "processes create 4 kernel flows, threads 1: creating and ending takes ";
    assert!(said.iter().any(|one| one.starts_with(made)), "{said:?}");
}
