use super::*;

fn large(cores: usize) -> Large {
    Large::new(cores).expect("memory for a few lists")
}

fn geometry() -> Geometry {
    Geometry::of(crate::RegionSize::default().bytes())
}

fn mapping(pages: usize) -> Kept {
    let start = os::map(pages * PAGE, geometry().region).expect("memory for a mapping");
    Kept {
        start: start.as_ptr().expose_provenance(),
        mapped: pages * PAGE,
        since: 0,
    }
}

#[test]
fn the_shortest_mapping_that_is_at_most_half_too_long_is_reused() {
    let large = large(1);
    for pages in [800, 880, 840, 1_240] {
        assert!(large.keep(0, mapping(pages)));
    }
    let reuse = || {
        large
            .reuse(0, 820 * PAGE, PAGE)
            .map(|header| header.mapped / PAGE)
    };
    assert_eq!(reuse(), Some(840));
    assert_eq!(reuse(), Some(880));
    assert_eq!(reuse(), None, "1,240 pages are too many");
    assert_eq!(large.stats().kept_bytes, 2_040 * PAGE);
}

#[test]
fn what_a_mapping_is_too_long_counts_as_kept_until_its_block_is_freed() {
    let large = large(1);
    assert!(large.keep(0, mapping(1_200)));
    let header = large.reuse(0, 800 * PAGE, PAGE).expect("it is kept");
    assert_eq!(header.spare, 300 * PAGE);
    assert_eq!(large.stats().kept_bytes, 300 * PAGE);
    let geometry = geometry();
    // SAFETY: the mapping is this test's.
    let block = unsafe { write_header(geometry, header) };
    let at = NonNull::new(block).and_then(|block| NonNull::new(header_of(geometry, block)));
    // SAFETY: the block of the header just written, which nobody uses.
    unsafe { large.free(0, geometry, at.expect("a header"), Keep::Mapping) };
    assert_eq!(large.stats().kept_bytes, 1_200 * PAGE);
    assert!(large.trim() && large.stats() == LargeStats::default());
}

#[test]
fn the_mapping_of_another_core_serves_where_no_own_fits() {
    let large = large(3);
    assert!(large.keep(2, mapping(400)) && large.keep(1, mapping(300)));
    assert!(large.reuse(1, 400 * PAGE, PAGE).is_some());
    assert!(large.reuse(2, 300 * PAGE, PAGE).is_some());
    assert_eq!(large.stats().kept_bytes, 0);
}

#[test]
fn the_oldest_mapping_goes_when_there_are_too_many_and_when_it_is_old() {
    let large = large(2);
    let is_kept = |pages| {
        large.lists.iter().any(|list| {
            list.locked(|list| {
                list.kept[..list.count]
                    .iter()
                    .any(|kept| kept.mapped == pages * PAGE)
            }) == Some(true)
        })
    };
    for pages in 1..=KEPT {
        assert!(large.keep(0, mapping(pages)));
    }
    assert!(!is_kept(1) && is_kept(2), "one place stays free");
    let young = Kept {
        since: u64::MAX / 2,
        ..mapping(99)
    };
    assert!(large.keep(1, young));
    large.give_back_old();
    assert!(!is_kept(2) && !is_kept(KEPT) && is_kept(99));
}

#[test]
fn what_is_kept_is_bounded_by_what_is_live() {
    let large = large(1);
    let pages = KEPT_BYTES / PAGE + 1;
    let long = mapping(pages);
    assert!(!large.keep(0, long));
    large.add(KEPT_PART * pages * PAGE);
    assert!(large.keep(0, long));
    large.subtract(KEPT_PART * pages * PAGE);
    assert!(large.keep(0, mapping(1)));
    assert_eq!(large.stats().kept_bytes, PAGE, "the older one went");
}
