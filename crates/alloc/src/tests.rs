//! The allocator against a model: random operations on random cores.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// An allocator for as many cores, on whatever machine; without magazines, since blocks in those
/// of the CPU that runs the test keep their regions.
fn with_cores(count: usize, config: Config) -> CoreAware {
    let mut cores = Cores::alone();
    cores.set_count(count);
    let mut allocator = CoreAware::with_cores(config, cores).expect("memory for the heaps");
    allocator.magazines = Magazines::none();
    allocator
}

/// A live block: where, how long, what it is filled with, and who asked for it.
#[derive(Debug, Clone, Copy)]
struct Live {
    block: NonNull<u8>,
    size: usize,
    fill: u8,
    core: usize,
}

#[derive(Debug, Clone)]
enum Step {
    Take {
        core: usize,
        size: usize,
        align: u32,
    },
    Free {
        core: usize,
        which: usize,
    },
    Resize {
        which: usize,
        size: usize,
    },
    Trim,
}

fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![
        8 => 0_usize..600,
        4 => 600_usize..40_000,
        2 => 40_000_usize..1_500_000,
        1 => 1_500_000_usize..6_000_000,
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let take = (0_usize..4, sizes(), 0_u32..24);
    let take = take.prop_map(|(core, size, align)| Step::Take { core, size, align });
    let free = (0_usize..4, any::<usize>()).prop_map(|(core, which)| Step::Free { core, which });
    let resize = (any::<usize>(), sizes()).prop_map(|(which, size)| Step::Resize { which, size });
    let step = prop_oneof![6 => take, 5 => free, 1 => resize, 1 => Just(Step::Trim)];
    prop::collection::vec(step, 1..300)
}

fn fill(live: &Live) {
    // SAFETY: the block is live and has that many bytes.
    unsafe { live.block.as_ptr().write_bytes(live.fill, live.size) };
}

/// A block of an allocator, or a panic.
fn block(at: *mut u8) -> NonNull<u8> {
    NonNull::new(at).expect("this machine has memory")
}

fn free_at(allocator: &CoreAware, core: usize, block: NonNull<u8>) {
    // SAFETY: tests free live blocks, and use them no more.
    unsafe { allocator.free_at(core, block) };
}

fn free(allocator: &CoreAware, block: NonNull<u8>) {
    // SAFETY: as above.
    unsafe { allocator.free(block) };
}

fn usable(allocator: &CoreAware, block: NonNull<u8>) -> usize {
    // SAFETY: tests ask it of live blocks.
    unsafe { allocator.usable(block) }
}

/// What the heap knows of the region of a live block.
fn region(allocator: &CoreAware, block: NonNull<u8>) -> &region::Own {
    let base = allocator.geometry.base(block.as_ptr()).cast::<Region>();
    // SAFETY: the region has a live block.
    unsafe { base.as_ref() }.expect("a region").own()
}

fn is_filled(block: NonNull<u8>, bytes: usize, fill: u8) -> bool {
    // SAFETY: the block is live, that long, and was written whole.
    let bytes = unsafe { std::slice::from_raw_parts(block.as_ptr(), bytes) };
    bytes.iter().all(|&byte| byte == fill)
}

/// Blocks by address; inserting one that overlaps another fails.
#[derive(Default)]
struct Blocks(BTreeMap<usize, Live>);

impl Blocks {
    fn insert(&mut self, live: Live) -> bool {
        let at = live.block.addr().get();
        let before = self.0.range(..=at).next_back();
        let is_clear = before.is_none_or(|(start, other)| start + other.size.max(1) <= at);
        let after = self.0.range(at..).next();
        let is_clear = is_clear && after.is_none_or(|(&start, _)| at + live.size.max(1) <= start);
        self.0.insert(at, live);
        is_clear
    }

    fn take(&mut self, which: usize) -> Option<Live> {
        let place = which.checked_rem(self.0.len())?;
        let key = *self.0.keys().nth(place)?;
        self.0.remove(&key)
    }
}

fn run(steps: Vec<Step>, config: Config) -> Result<(), TestCaseError> {
    let allocator = with_cores(4, config);
    let mut blocks = Blocks::default();
    for (number, step) in steps.into_iter().enumerate() {
        match step {
            Step::Take { core, size, align } => {
                let (at, _) = allocator.allocate_at(core, size, 1 << align);
                let block = block(at);
                prop_assert!(at.addr().is_multiple_of(1 << align));
                // SAFETY: the block is live.
                let owner = unsafe { allocator.owner(block) };
                prop_assert!(owner.is_none_or(|owner| owner == core));
                prop_assert!(usable(&allocator, block) >= size);
                let live = Live {
                    block,
                    size,
                    fill: number as u8,
                    core,
                };
                prop_assert!(blocks.insert(live), "a block overlaps another");
                fill(&live);
            }
            Step::Free { core, which } => {
                let Some(live) = blocks.take(which) else {
                    continue;
                };
                prop_assert!(is_filled(live.block, live.size, live.fill));
                free_at(&allocator, core, live.block);
            }
            Step::Resize { which, size } => {
                let Some(live) = blocks.take(which) else {
                    continue;
                };
                // SAFETY: the block is live.
                let block = block(unsafe { allocator.reallocate(live.block, size) });
                prop_assert!(is_filled(block, live.size.min(size), live.fill));
                let live = Live {
                    block,
                    size,
                    ..live
                };
                prop_assert!(blocks.insert(live), "a block overlaps another");
                fill(&live);
            }
            Step::Trim => {
                allocator.trim();
            }
        }
    }
    prop_assert_eq!(allocator.stats().live_blocks(), blocks.0.len());
    while let Some(live) = blocks.take(0) {
        prop_assert!(is_filled(live.block, live.size, live.fill));
        free_at(&allocator, (live.core + 1) % 4, live.block);
    }
    allocator.trim();
    prop_assert_eq!(allocator.stats().live_blocks(), 0);
    let stats = allocator.stats();
    prop_assert!(stats.cores().all(|heap| heap.regions == 0), "{stats}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 64 }))]

    #[test]
    fn blocks_keep_their_contents_and_their_core(steps in steps()) {
        run(steps, Config::default())?;
    }

    #[test]
    fn so_they_do_in_regions_of_four_mib(steps in steps()) {
        run(steps, Config { region: config::RegionSize::FourMiB, ..Config::default() })?;
    }
}

#[test]
fn no_large_page_holds_blocks_of_two_cores() {
    let allocator = with_cores(8, Config::default());
    let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
    for number in 0..60_000 {
        let core = number * 7919 % 8;
        let at = allocator.allocate_at(core, 16 + number % 900, 16).0;
        let page = at.addr() >> 21;
        assert_eq!(*owner.entry(page).or_insert(core), core);
    }
}

#[test]
fn memory_of_a_core_that_sleeps_comes_back_when_others_free_it() {
    let allocator = with_cores(2, Config::default());
    let blocks: Vec<_> = (0..20_000)
        .map(|_| allocator.allocate_at(0, 400, 16).0)
        .collect();
    let before = allocator.heaps[0].stats().regions;
    for at in blocks {
        free_at(&allocator, 1, block(at));
    }
    assert!(before >= 4);
    let live = allocator.heaps[0].live_blocks_at_home();
    assert!(live <= 257, "{live} blocks are not home yet");
}

#[test]
fn absurd_requests_are_refused() {
    let allocator = with_cores(1, Config::default());
    assert!(allocator.allocate(usize::MAX).is_null());
    assert!(allocator.allocate(isize::MAX as usize).is_null());
    assert!(allocator.allocate_aligned(64, 1 << 62).is_null());
    assert!(
        allocator
            .allocate_aligned(usize::MAX - 10, 1 << 21)
            .is_null()
    );
    assert!(!allocator.allocate(0).is_null());
}

#[test]
fn threads_on_all_cores_hand_blocks_to_each_other() {
    let allocator = with_cores(4, Config::default());
    let (sender, receiver) = std::sync::mpsc::channel::<(usize, usize, u8)>();
    std::thread::scope(|scope| {
        for core in 0..3 {
            let (allocator, sender) = (&allocator, sender.clone());
            scope.spawn(move || {
                for number in 0..30_000_usize {
                    let size = 1 + number * 31 % 3_000;
                    let block = allocator.allocate_at(core, size, 1).0;
                    // SAFETY: the block was just made.
                    unsafe { block.write_bytes(number as u8, size) };
                    let _ = sender.send((block.expose_provenance(), size, number as u8));
                }
            });
        }
        drop(sender);
        for (at, size, fill) in receiver {
            let block = block(std::ptr::with_exposed_provenance_mut(at));
            assert!(is_filled(block, size, fill));
            free_at(&allocator, 3, block);
        }
    });
    assert_eq!(allocator.stats().live_blocks(), 0);
}

#[test]
fn blocks_in_magazines_are_free_and_keep_to_their_core() {
    let allocator = CoreAware::new(Config::default()).expect("memory for the heaps");
    std::thread::scope(|scope| {
        for thread in 0..6_usize {
            let allocator = &allocator;
            scope.spawn(move || {
                let mut held = Vec::new();
                for number in 0..if cfg!(miri) { 600 } else { 50_000_usize } {
                    let size = 1 + (number * 31 + thread) % 5_000;
                    let block = block(allocator.allocate(size));
                    // SAFETY: the block was just made.
                    unsafe { block.as_ptr().write_bytes(thread as u8, size) };
                    held.push((block, size));
                    if held.len() > 100 {
                        let (block, size) = held.swap_remove(number * 17 % 100);
                        assert!(is_filled(block, size, thread as u8));
                        free(allocator, block);
                    }
                }
                for (block, _) in held {
                    free(allocator, block);
                }
            });
        }
    });
    assert_eq!(allocator.stats().live_blocks(), 0);
}

#[test]
fn guarded_blocks_live_many_lives() {
    let config = Config {
        guarded: true,
        ..Config::default()
    };
    let allocator = with_cores(1, config);
    for round in 0..3_000_usize {
        let size = round * 37 % 5_000;
        let block = block(allocator.allocate_guarded(size, 16));
        assert_eq!(usable(&allocator, block), size);
        // SAFETY: it has that many bytes.
        unsafe { block.as_ptr().write_bytes(0xa5, size) };
        free_at(&allocator, 0, block);
    }
    assert_eq!(allocator.stats().live_blocks(), 0);
}

#[test]
fn zeros_are_written_only_where_somebody_wrote_before() {
    let allocator = with_cores(1, Config::default());
    for size in [40_000, 1_000_000, 3_000_000] {
        let (at, is_zero) = allocator.allocate_at(0, size, 1);
        assert!(
            is_zero && is_filled(block(at), size, 0),
            "{size} fresh bytes"
        );
        // SAFETY: the block has that many bytes.
        unsafe { at.write_bytes(7, size) };
        free_at(&allocator, 0, block(at));
        let again = block(allocator.allocate_zeroed(size));
        assert_eq!(
            again.as_ptr(),
            at,
            "this test is about a block that is used again"
        );
        assert!(
            is_filled(again, size, 0),
            "{size} bytes in their second life"
        );
    }
}

#[test]
fn a_block_grows_where_it_stands_as_long_as_nothing_is_behind_it() {
    let allocator = with_cores(1, Config::default());
    let first = block(allocator.allocate(40_000));
    // SAFETY: the block has that many bytes.
    unsafe { first.write_bytes(9, 40_000) };
    for size in (40_000..=LARGEST).step_by(8_192) {
        // SAFETY: the block is live.
        assert_eq!(unsafe { allocator.reallocate(first, size) }, first.as_ptr());
    }
    assert!(is_filled(first, 40_000, 9));
    free(&allocator, first);
    assert_eq!(allocator.stats().live_blocks(), 0);
}

#[test]
fn a_block_that_moves_to_grow_gets_more_than_it_asked_for() {
    let allocator = with_cores(1, Config::default());
    let mut growing = [0, 1].map(|_| block(allocator.allocate(40_000)));
    let mut moves = 0;
    for size in (40_000..4_000_000).step_by(8_192) {
        for block_of in &mut growing {
            // SAFETY: the block is live, and used only where it is then.
            let now = block(unsafe { allocator.reallocate(*block_of, size) });
            moves += usize::from(now != *block_of);
            *block_of = now;
        }
    }
    assert!(moves < 100, "{moves} moves of two blocks in 966 steps");
}

#[test]
fn blocks_that_are_alone_are_not_put_on_huge_pages_before_they_are_used() {
    let allocator = with_cores(1, Config::default());
    let sparse: Vec<_> = (0..40)
        .map(|_| block(allocator.allocate(900_000)))
        .collect();
    for block in sparse {
        let own = region(&allocator, block);
        assert!(own.is_sparse.get() && !own.is_huge.get());
    }
}

#[test]
fn empty_spans_of_blocks_that_are_alone_are_kept_up_to_a_bound() {
    let allocator = with_cores(1, Config::default());
    let sizes = (0..200).map(|number| 40_000 + number * 4_700);
    let blocks: Vec<_> = sizes.map(|size| block(allocator.allocate(size))).collect();
    let all = allocator.heaps[0].stats().regions;
    blocks.into_iter().for_each(|block| free(&allocator, block));
    let left = allocator.heaps[0].stats();
    assert_eq!(left.live_blocks, 0);
    assert!(left.regions * 2 < all, "{} of {all} regions", left.regions);
    assert!(allocator.trim() && allocator.heaps[0].stats().regions == 0);
}

#[test]
fn huge_pages_for_all_memory_are_asked_for_at_once() {
    let config = Config {
        huge_at_once: true,
        ..Config::default()
    };
    let allocator = with_cores(1, config);
    let at = block(allocator.allocate(900_000));
    assert!(region(&allocator, at).is_huge.get());
}

#[test]
fn a_block_of_no_more_than_eight_bytes_takes_eight_and_is_aligned_as_asked_for() {
    let allocator = CoreAware::new(Config::default()).expect("memory for the heaps");
    for (size, align, bytes) in [(0, 1, 8), (8, 8, 8), (9, 1, 16), (1, 16, 16), (8, 16, 16)] {
        let blocks = [(); 9].map(|()| allocator.allocate_aligned(size, align));
        for block in blocks.map(block) {
            assert!(
                block.addr().get().is_multiple_of(align.max(8)),
                "{size} {align}"
            );
            assert_eq!(usable(&allocator, block), bytes, "{size} {align}");
            free(&allocator, block);
        }
    }
}
