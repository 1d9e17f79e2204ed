use super::*;

fn frame(memory: &mut Memory, space: u32, page: u64, store: bool) -> u32 {
    memory.page(space, page, store).0.frame
}

/// Whether loads of these pages, each of a space, are of one frame.
fn are_one(memory: &mut Memory, one: (u32, u64), other: (u32, u64)) -> bool {
    let [one, other] = [one, other].map(|(space, page)| frame(memory, space, page, false));
    one == other
}

/// An object of that first page.
fn object(page: u64, private: bool) -> Backing {
    Backing::Object {
        object: 1,
        page,
        private,
    }
}

#[test]
fn shared_mappings_are_one_memory_for_all() {
    let mut memory = Memory::default();
    memory.map(1, 100, 4, object(0, false));
    memory.map(2, 500, 4, object(0, false));
    memory.wrote(1, 102);
    assert!(are_one(&mut memory, (1, 102), (2, 502)));
    assert!(!are_one(&mut memory, (1, 102), (2, 503)));
}

#[test]
fn a_private_file_is_shared_until_it_is_written() {
    let mut memory = Memory::default();
    memory.map(1, 0, 4, object(7, true));
    memory.map(2, 0, 4, object(7, true));
    let before = frame(&mut memory, 1, 3, false);
    assert_eq!(frame(&mut memory, 2, 3, false), before);
    let (after, was_another) = memory.page(2, 3, true);
    assert!(was_another && after.frame != before);
    assert_eq!(frame(&mut memory, 2, 3, false), after.frame);
    assert_eq!(frame(&mut memory, 1, 3, false), before);
}

#[test]
fn what_a_child_maps_itself_is_its_own() {
    let mut memory = Memory::default();
    memory.map(0, 10, 10, Backing::Own);
    memory.fork(0, 1);
    memory.fork(0, 2);
    assert!(are_one(&mut memory, (1, 12), (2, 12)));
    memory.map(1, 12, 1, Backing::Own);
    assert!(!are_one(&mut memory, (1, 12), (2, 12)));
    assert!(are_one(&mut memory, (1, 13), (2, 13)));
}

#[test]
fn what_was_written_before_is_its_own() {
    let mut memory = Memory::default();
    memory.fork(0, 1);
    memory.fork(0, 2);
    memory.wrote(1, 5);
    assert!(!are_one(&mut memory, (1, 5), (2, 5)));
}

#[test]
fn a_mapping_that_is_cut_keeps_its_places() {
    let mut memory = Memory::default();
    memory.map(1, 0, 100, object(0, false));
    memory.map(2, 0, 100, object(0, false));
    memory.unmap(1, 40, 20);
    assert!(!are_one(&mut memory, (1, 50), (2, 50)));
    for page in [0, 39, 60, 99] {
        assert!(are_one(&mut memory, (1, page), (2, page)), "{page}");
    }
    memory.map(1, 40, 20, object(40, false));
    assert!(are_one(&mut memory, (1, 50), (2, 50)));
}
