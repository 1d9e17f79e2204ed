//! Tests of handing over, in both ways.

use proptest::prelude::*;

use super::*;
use crate::testing::{self, variant};

fn work() -> Handoff {
    Handoff {
        pairs: 2,
        blocks: 3_000,
        smallest: Bytes(16),
        largest: Bytes(4 << 10),
        queue: 8,
        live: 20,
        seed: 5,
    }
}

/// Runs all flows on threads, whatever the variant was; what they prove together.
fn prove(pairs: &Pairs<'_>) -> Proof {
    std::thread::scope(|scope| {
        let flow = |unit| scope.spawn(move || testing::prove(pairs, &mut pairs.state(0), unit));
        let flows: Vec<_> = (0..pairs.units()).map(flow).collect();
        flows.into_iter().map(|flow| flow.join().unwrap()).sum()
    })
}

#[test]
fn blocks_and_copies_prove_what_is_known_beforehand() {
    let work = work();
    let expected = work.expected().unwrap();
    assert_eq!(expected.count, 6_000);
    for model in ["thread", "process", "2x2"] {
        let pairs = work.pairs(&variant(model, 4)).unwrap();
        assert_eq!(prove(&pairs), expected, "{model}");
    }
}

/// Which pairs share a heap, under a model.
fn common(model: &str, pairs: u64) -> Vec<bool> {
    let work = Handoff { pairs, ..work() };
    let flows = u32::try_from(work.units()).unwrap();
    let pairs = work.pairs(&variant(model, flows)).unwrap().pairs;
    pairs.iter().map(|pair| pair.places.is_some()).collect()
}

#[test]
fn pointers_are_handed_over_within_a_process_and_contents_between_two() {
    assert_eq!(common("thread", 2), [true, true]);
    assert_eq!(common("process", 2), [false, false]);
    assert_eq!(common("2x2", 2), [true, true]);
    // Flows 0, 1, 2 and 3, 4, 5: the second pair is cut in two.
    assert_eq!(common("2x3", 3), [true, false, true]);
}

#[test]
fn within_a_process_it_is_the_same_memory() {
    let pair = work().pair(true).unwrap();
    let block = work().plans(0).next().unwrap().make();
    let address = block.as_ptr().addr();
    pair.hand_over(block);
    let taken = pair.take();
    assert_eq!(taken.as_ptr().addr(), address);
}

#[test]
fn a_word_that_differs_a_short_block_and_a_lost_one_are_found() {
    let plan = Plan { words: 9, first: 4 };
    let block = plan.make();
    assert!(plan.is(&block));
    let mut other = block.clone();
    other[8] ^= 1;
    assert!(!plan.is(&other));
    assert!(!plan.is(&block[..8]));
    assert!(!plan.is(&[]));
}

#[test]
#[should_panic(expected = "block 0 of pair 1 is not the one")]
fn a_block_of_another_pair_fails_the_flow() {
    let work = work();
    let pairs = work.pairs(&variant("process", 4)).unwrap();
    pairs.pairs[1].hand_over(work.plans(0).next().unwrap().make());
    pairs.consume(1, &mut VecDeque::new());
}

#[test]
fn a_consumer_keeps_as_many_blocks_as_it_should() {
    let work = Handoff {
        blocks: 8,
        live: 3,
        ..work()
    };
    let pairs = work.pairs(&variant("thread", 4)).unwrap();
    pairs.produce(0);
    let mut kept = pairs.state(0);
    pairs.consume(0, &mut kept);
    assert_eq!(kept.len(), 3);
}

#[test]
fn flows_that_cannot_wait_for_each_other_are_refused() {
    let handoff = Work::Handoff(work());
    for model in ["fiber", "task"] {
        let why = handoff.unsuited(&variant(model, 4)).unwrap();
        assert!(why.contains(model) && why.contains("use process"), "{why}");
    }
    let queue = Variant {
        schedule: Schedule::Queue,
        ..variant("thread", 4)
    };
    assert!(handoff.unsuited(&queue).unwrap().contains("static"));
    assert_eq!(handoff.unsuited(&variant("thread", 4)), None);
}

#[test]
fn bad_parameters_are_refused_with_what_would_do() {
    testing::refused(
        &work(),
        &[
            (|work| work.blocks = 0, "blocks is 0"),
            (|work| work.queue = 6, "power of two"),
            (|work| work.smallest = Bytes(4), "4 bytes to 4 KiB"),
            (|work| work.largest = Bytes(5_000), "powers of two"),
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn blocks_are_within_their_bounds_and_arrive(
        seed: u64, low in 3_u32..8, more in 0_u32..6, queue in 0_u32..5, live in 0_u32..50
    ) {
        let work = Handoff {
            pairs: 1,
            blocks: 200,
            smallest: Bytes(1 << low),
            largest: Bytes(1 << (low + more)),
            queue: 1 << queue,
            live,
            seed,
        };
        prop_assert_eq!(work.check(), Ok(()));
        for plan in work.plans(0) {
            let bytes = WORD * plan.words as u64;
            prop_assert!(bytes >= work.smallest.0 && bytes <= work.largest.0);
        }
        for model in ["thread", "process"] {
            let pairs = work.pairs(&variant(model, 2)).unwrap();
            prop_assert_eq!(Some(prove(&pairs)), work.expected());
        }
    }
}

#[test]
fn blocks_of_a_common_heap_are_worked_on_by_both_and_copies_by_the_consumer_alone() {
    let work = work();
    let pages = |model: &str| {
        let variant = variant(model, 4);
        let pairs = work.pairs(&variant).unwrap();
        let kept: VecDeque<Block> = [vec![1; 4096].into_boxed_slice()].into();
        let mut pieces = flow::Pieces::of_flow(1);
        pairs.touched(&kept, 1, &mut pieces);
        let mut queue = flow::Pieces::of_flow(1);
        pairs.touched(&VecDeque::new(), 1, &mut queue);
        pieces.pages() - queue.pages()
    };
    let (alone, both) = (pages("process"), pages("thread"));
    // A block of 8 pages lies on 9 where it does not begin with one.
    assert!((8..=9).contains(&alone), "{alone}");
    assert!((16..=18).contains(&both), "{both}");
}

/// A queue of 16,384 blocks of up to 1 MiB was reckoned at 34 GiB, whatever went through it.
#[test]
fn memory_is_that_of_blocks_that_can_be_alive_at_once() {
    let few = Handoff {
        pairs: 1,
        blocks: 20,
        largest: Bytes(1 << 20),
        queue: 16_384,
        ..work()
    };
    // At the most 20 are kept, 20 wait and 2 are in hands, of two flows.
    assert!(few.bytes_a_flow().unwrap() <= (21 << 20));
    let many = Handoff {
        blocks: 1_000_000,
        smallest: Bytes(1 << 20),
        live: 1_000,
        ..few
    };
    assert_eq!(
        many.bytes_a_flow().unwrap(),
        ((16_384 + 1_000 + 2) / 2) << 20
    );
    let pair = |plans: &[Plan]| -> u64 { plans.iter().map(|plan| plan.words as u64 * WORD).sum() };
    let mixed = Handoff {
        blocks: 5_000,
        queue: 1_024,
        live: 1_000,
        ..few
    };
    let plans: Vec<Plan> = mixed.plans(0).collect();
    let most = plans.windows(2_026).map(pair).max().unwrap();
    let reckoned = 2 * mixed.bytes_a_flow().unwrap();
    assert!(most <= reckoned && reckoned < 4 * most, "{most} {reckoned}");
}

#[test]
fn sizes_that_are_the_wrong_way_round_are_said_to_be() {
    let why = "smallest = 8 KiB is more than largest";
    testing::refused(&work(), &[(|work| work.smallest = Bytes(8 << 10), why)]);
}
