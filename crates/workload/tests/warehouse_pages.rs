//! How many pages the objects of a warehouse lie on.
//!
//! Alone in its process: in a heap that other tests have left full of holes, the objects of a
//! warehouse fill those holes and lie on more pages.

use flow::{Body, Pieces};
use workload::{Bytes, Warehouse};

#[test]
fn its_objects_lie_on_about_as_many_pages_as_its_heap_has() {
    let small = Warehouse {
        workers: 2,
        transactions: 2_000,
        heap: Bytes(2 << 20),
        seed: 7,
    };
    let place = small.state(0);
    let mut pieces = Pieces::of_flow(0);
    small.touched(&place, 0, &mut pieces);
    let pages = pieces.pages() as u64;
    let heap = small.heap.0 / flow::page_bytes();
    assert!(
        (heap * 9 / 10..heap * 3 / 2).contains(&pages),
        "{pages} of {heap}"
    );
}
