//! Tests of the whole warehouse: its books, its size, its proof.

use allocation_counter::measure as allocated;
use proptest::prelude::*;

use super::*;
use crate::testing::{self, prove};

fn small() -> Warehouse {
    Warehouse {
        workers: 2,
        transactions: 2_000,
        heap: Bytes(2 << 20),
        seed: 7,
    }
}

/// A warehouse after some work.
fn worked() -> Store {
    let mut place = small().state(0);
    prove(&small(), &mut place, 0);
    place.store
}

#[test]
fn the_books_balance_before_and_after_the_work() {
    let place = small().state(0);
    assert_eq!(place.store.audit(), Ok(()));
    assert_eq!(worked().audit(), Ok(()));
}

/// What breaks in the store, and a word of the rule that finds it.
type Fault = (fn(&mut Store), &'static str);

#[test]
fn whatever_is_written_by_half_is_found() {
    let faults: [Fault; 12] = [
        (|s| s.taken += 1, "payments to the warehouse"),
        (|s| s.districts[3].taken -= 1, "payments to the warehouse"),
        (|s| customer(s).paid += 1, "payments taken and made"),
        (|s| customer(s).balance -= 1, "what is owed"),
        (|s| s.books.delivered += 5, "what is owed"),
        (|s| stock(s).quantity += 1, "pieces in stock"),
        (|s| stock(s).sold += 1, "pieces sold"),
        (
            |s| s.districts[0].next_order += 1,
            "orders there and removed",
        ),
        (|s| s.districts[0].waiting.clear(), "orders waiting"),
        (|s| order(s).total += 1, "the lines of an order"),
        (|s| order(s).lines[0].amount += 100, "the lines of an order"),
        (
            |s| order(s).customer = u32::MAX,
            "the last order of a customer",
        ),
    ];
    for (break_it, rule) in faults {
        let mut store = worked();
        break_it(&mut store);
        let error = store.audit().unwrap_err().to_string();
        assert!(error.contains(rule), "{rule}: {error}");
    }
}

fn customer(store: &mut Store) -> &mut store::Customer {
    store.districts[1].customers.get_mut(&3).unwrap()
}

fn stock(store: &mut Store) -> &mut store::Stock {
    store.stock.get_mut(&5).unwrap()
}

/// The last order of a district, which waits.
fn order(store: &mut Store) -> &mut store::Order {
    store.districts[2].orders.last_entry().unwrap().into_mut()
}

#[test]
#[should_panic(expected = "do not balance")]
fn books_that_do_not_balance_fail_the_flow() {
    let mut place = small().state(0);
    place.store.taken += 1;
    small().settle(&mut place);
}

#[test]
fn a_worker_proves_the_same_whoever_worked_before_in_its_flow() {
    let work = small();
    let (mut one, mut other) = (work.state(0), work.state(0));
    let apart = [prove(&work, &mut one, 0), prove(&work, &mut other, 1)];
    let mut both = work.state(0);
    let together = [prove(&work, &mut both, 0), prove(&work, &mut both, 1)];
    assert_eq!(apart, together);
    assert_ne!(apart[0], apart[1]);
    assert_eq!(apart[0].count, 2_000);
}

#[test]
fn another_seed_is_other_work() {
    let other = Warehouse { seed: 8, ..small() };
    let prove = |work: &Warehouse| prove(work, &mut work.state(0), 0);
    assert_ne!(prove(&small()), prove(&other));
}

#[test]
fn the_heap_is_as_large_as_asked_for_and_stays_so() {
    for mib in [1, 4, 32] {
        let work = Warehouse {
            heap: Bytes(mib << 20),
            transactions: 100_000,
            ..small()
        };
        let asked = work.heap.0 as f64;
        let mut place = None;
        let filled = allocated(|| place = Some(work.state(0))).bytes_current as f64;
        assert!(
            (0.9..1.1).contains(&(filled / asked)),
            "{mib} MiB: {filled}"
        );
        let mut place = place.unwrap();
        let grown = allocated(|| _ = prove(&work, &mut place, 0)).bytes_current as f64;
        assert!((grown / asked).abs() < 0.02, "{mib} MiB grew by {grown}");
    }
}

#[test]
fn a_transaction_allocates_what_the_reports_say() {
    for mib in [8, 32] {
        let work = Warehouse {
            heap: Bytes(mib << 20),
            transactions: 200_000,
            ..small()
        };
        let mut place = work.state(0);
        let info = allocated(|| _ = prove(&work, &mut place, 0));
        let each = |all: u64| all as f64 / work.transactions as f64;
        let said = Warehouse::ALLOCATES;
        let (count, bytes) = (each(info.count_total), each(info.bytes_total));
        assert!((count - said.count).abs() < 0.02, "{mib} MiB: {count}");
        assert!((bytes - said.bytes).abs() < 5.0, "{mib} MiB: {bytes}");
    }
}

#[test]
fn every_transaction_allocates() {
    let work = small();
    let mut place = work.state(0);
    let info = allocated(|| _ = prove(&work, &mut place, 0));
    assert!(info.count_total >= work.transactions, "{info:?}");
}

#[test]
fn bad_parameters_are_refused_with_what_would_do() {
    testing::refused(
        &small(),
        &[
            (|work| work.transactions = 0, "transactions is 0"),
            (|work| work.heap = Bytes(1_000), "1000 bytes: use 1 MiB"),
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_work_balances(seed: u64, transactions in 1_u64..3_000, kib in 1_024_u64..4_096) {
        let heap = Bytes(kib << 10);
        let work = Warehouse { workers: 1, transactions, heap, seed };
        let mut place = work.state(0);
        prove(&work, &mut place, 0);
        prop_assert_eq!(place.store.audit(), Ok(()));
    }
}
