use proptest::prelude::*;

use super::*;

/// The same, as slow and plain as can be: when each tag was used, and the used bits by hand.
struct Reference {
    sets: u64,
    ways: usize,
    policy: Policy,
    /// Of each set, by way: tag, time of its last use, used bit.
    held: Vec<Vec<Option<(u32, u64, bool)>>>,
    now: u64,
}

impl Reference {
    fn new(sets: u64, ways: u32, policy: Policy) -> Self {
        Self {
            sets,
            ways: ways as usize,
            policy,
            held: vec![vec![None; ways as usize]; sets as usize],
            now: 0,
        }
    }

    fn touch(&mut self, index: u64, tag: u32) -> Touch {
        self.now += 1;
        let (now, policy) = (self.now, self.policy);
        let set = &mut self.held[(index % self.sets) as usize];
        let there = set
            .iter()
            .position(|way| way.is_some_and(|(held, ..)| held == tag));
        let (way, touch) = match there {
            Some(way) => (way, Touch::Hit),
            None => {
                let way = match policy {
                    Policy::Lru => {
                        let age = |way: &usize| set[*way].map_or(0, |(_, used, _)| used);
                        (0..self.ways).min_by_key(age).unwrap()
                    }
                    _ => {
                        let clear = |way: &usize| !set[*way].is_some_and(|(.., used)| used);
                        (0..self.ways).find(clear).unwrap_or(self.ways - 1)
                    }
                };
                let evicted = set[way].map_or(NONE, |(held, ..)| held);
                (way, Touch::Miss { evicted })
            }
        };
        set[way] = Some((tag, now, true));
        if set.iter().all(|way| way.is_some_and(|(.., used)| used)) {
            set.iter_mut()
                .flatten()
                .for_each(|(.., used)| *used = false);
            set[way] = Some((tag, now, true));
        }
        touch
    }

    fn remove(&mut self, index: u64, tag: u32) -> bool {
        let set = &mut self.held[(index % self.sets) as usize];
        let there = set
            .iter()
            .position(|way| way.is_some_and(|(held, ..)| held == tag));
        there.map(|way| set[way] = None).is_some()
    }
}

fn policies() -> impl Strategy<Value = Policy> {
    prop_oneof![Just(Policy::Lru), Just(Policy::PseudoLru)]
}

proptest! {
    #[test]
    fn every_touch_is_that_of_a_slow_reference(
        policy in policies(),
        bits in 0..4_u32,
        ways in 1..20_u32,
        steps in prop::collection::vec((0..60_u32, 0..8_u8), 1..600),
    ) {
        let sets = 1 << bits;
        let mut fast = Sets::new(sets, ways, policy);
        let mut slow = Reference::new(sets, ways, policy);
        for (tag, what) in steps {
            let index = u64::from(tag);
            match what {
                0 => prop_assert_eq!(fast.remove(index, tag), slow.remove(index, tag)),
                _ => prop_assert_eq!(fast.touch(index, tag), slow.touch(index, tag)),
            }
        }
    }

    /// Whatever a policy is: what is touched is there, and a set holds no more than its ways.
    #[test]
    fn what_was_touched_last_is_there(
        ways in 1..20_u32,
        tags in prop::collection::vec(0..40_u32, 1..300),
    ) {
        for policy in [Policy::Lru, Policy::PseudoLru, Policy::Random] {
            let mut sets = Sets::new(4, ways, policy);
            let mut held = std::collections::BTreeSet::new();
            for &tag in &tags {
                let touch = sets.touch(u64::from(tag), tag);
                prop_assert_eq!(touch == Touch::Hit, held.contains(&tag));
                if let Touch::Miss { evicted } = touch {
                    held.remove(&evicted);
                }
                held.insert(tag);
                prop_assert!(sets.touch_if_there(u64::from(tag), tag));
                let of_set = held.iter().filter(|held| *held % 4 == tag % 4).count();
                prop_assert!(of_set <= ways as usize);
            }
        }
    }
}

/// A loop over one line more than the ways misses always where the oldest goes, and not always
/// where any goes.
#[test]
fn a_loop_that_is_one_line_too_long_is_the_worst_case_of_lru() {
    for ways in [1, 2, 4, 8, 16] {
        let misses = |policy, lines: u32| {
            let mut sets = Sets::new(1, ways, policy);
            let touches = (0..100 * lines).map(|at| sets.touch(0, at % lines));
            touches.filter(|touch| *touch != Touch::Hit).count()
        };
        assert_eq!(misses(Policy::Lru, ways), ways as usize);
        assert_eq!(misses(Policy::PseudoLru, ways), ways as usize);
        assert_eq!(misses(Policy::Random, ways), ways as usize);
        assert_eq!(misses(Policy::Lru, ways + 1), 100 * (ways as usize + 1));
        if ways > 2 {
            assert!(misses(Policy::Random, ways + 1) < 80 * (ways as usize + 1));
        }
    }
}

#[test]
fn a_tag_that_is_not_there_is_not_brought_in() {
    let mut sets = Sets::new(2, 2, Policy::Lru);
    assert!(!sets.touch_if_there(0, 0));
    assert!(!sets.remove(0, 0));
    assert_eq!(sets.touch(0, 0), Touch::Miss { evicted: NONE });
    assert!(sets.touch_if_there(0, 0));
}

#[test]
fn every_tag_of_a_kind_is_removed_and_no_other() {
    for policy in [Policy::Lru, Policy::PseudoLru, Policy::Random] {
        let mut sets = Sets::new(2, 4, policy);
        for tag in 0..8 {
            assert_ne!(sets.touch(u64::from(tag), tag), Touch::Hit);
        }
        sets.remove_all(|tag| tag % 4 >= 2);
        let there: Vec<u32> = (0..8)
            .filter(|tag| sets.touch_if_there(u64::from(*tag), *tag))
            .collect();
        assert_eq!(there, [0, 1, 4, 5], "{policy:?}");
    }
}
