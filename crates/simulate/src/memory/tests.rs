use super::*;

fn frame(memory: &mut Memory, space: u32, page: u64, store: bool) -> u32 {
    memory.page(space, page, store).0.frame
}

#[test]
fn shared_mappings_are_one_memory_for_all() {
    let mut memory = Memory::default();
    let shared = Backing::Shared { object: 1, page: 0 };
    memory.map(1, 100, 4, shared);
    memory.map(2, 500, 4, shared);
    assert_eq!(
        frame(&mut memory, 1, 102, true),
        frame(&mut memory, 2, 502, false)
    );
    assert_ne!(
        frame(&mut memory, 1, 102, true),
        frame(&mut memory, 2, 503, false)
    );
}

#[test]
fn a_private_file_is_shared_until_it_is_written() {
    let mut memory = Memory::default();
    let file = Backing::PrivateFile { object: 1, page: 7 };
    memory.map(1, 0, 4, file);
    memory.map(2, 0, 4, file);
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
    assert_eq!(
        frame(&mut memory, 1, 12, false),
        frame(&mut memory, 2, 12, false)
    );
    memory.map(1, 12, 1, Backing::Own);
    assert_ne!(
        frame(&mut memory, 1, 12, false),
        frame(&mut memory, 2, 12, false)
    );
    assert_eq!(
        frame(&mut memory, 1, 13, false),
        frame(&mut memory, 2, 13, false)
    );
}

#[test]
fn what_was_written_before_is_its_own() {
    let mut memory = Memory::default();
    memory.fork(0, 1);
    memory.fork(0, 2);
    memory.wrote(1, 5);
    assert_ne!(
        frame(&mut memory, 1, 5, false),
        frame(&mut memory, 2, 5, false)
    );
}

#[test]
fn a_mapping_that_is_cut_keeps_its_places() {
    let mut memory = Memory::default();
    let file = Backing::Shared { object: 1, page: 0 };
    memory.map(1, 0, 100, file);
    memory.map(2, 0, 100, file);
    memory.unmap(1, 40, 20);
    assert_ne!(
        frame(&mut memory, 1, 50, false),
        frame(&mut memory, 2, 50, false)
    );
    for page in [0, 39, 60, 99] {
        assert_eq!(
            frame(&mut memory, 1, page, false),
            frame(&mut memory, 2, page, false)
        );
    }
    memory.map(
        1,
        40,
        20,
        Backing::Shared {
            object: 1,
            page: 40,
        },
    );
    assert_eq!(
        frame(&mut memory, 1, 50, false),
        frame(&mut memory, 2, 50, false)
    );
}
