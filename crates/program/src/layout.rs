//! What the layout of a program in memory is drawn from. Where code and stack lie changes how fast the same
//! instructions run, by some percent, and a comparison of two files takes that for a difference of the programs (T.
//! Mytkowicz and others, "Producing wrong data without doing anything obviously wrong!", 2009). Drawn anew for each
//! launch, from the seed of the slot (splitmix64), are the size of the environment, which moves the stack, and the
//! file, where a side has several builds. Addresses are random or not as the system has it.

use serde::{Deserialize, Serialize};

/// The variable whose length is drawn.
pub const VARIABLE: &str = "FLOWGAUGE_LAYOUT";

const LENGTHS: u64 = 4_096;

/// What each launch draws; by default nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Layout {
    /// The length of a variable of the environment.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub environment: bool,
    /// Files that are the same program; one is `{build}`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub builds: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Drawn {
    pub(crate) environment: Option<u64>,
    pub(crate) build: Option<usize>,
}

impl Layout {
    pub(crate) fn draw(&self, state: &mut u64) -> Drawn {
        let mut below = |end: u64| next(state) % end.max(1);
        let environment = self.environment.then(|| below(LENGTHS));
        let builds = self.builds.len() as u64;
        let build = (builds > 0).then(|| below(builds));
        Drawn {
            environment,
            build: build.and_then(|build| usize::try_from(build).ok()),
        }
    }
}

impl Drawn {
    pub(crate) fn variable(self) -> Option<(String, String)> {
        let length = usize::try_from(self.environment?).ok()?;
        Some((VARIABLE.to_owned(), "x".repeat(length)))
    }
}

/// G. L. Steele Jr., D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_of_a_slot_draw_and_draw_the_same_again() {
        let layout = Layout {
            environment: true,
            builds: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
        };
        let draws = |seed: u64| {
            let mut state = seed;
            (0..300)
                .map(|_| layout.draw(&mut state))
                .collect::<Vec<_>>()
        };
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
        for build in 0..3 {
            let of_build = |one: &&Drawn| one.build == Some(build);
            let often = draws(1).iter().filter(of_build).count();
            assert!((60..140).contains(&often), "{build}: {often} of 300");
        }
        let lengths = draws(1).into_iter().filter_map(|one| one.environment);
        assert!(lengths.clone().all(|length| length < LENGTHS));
        assert!(lengths.clone().min() < Some(500) && lengths.max() > Some(3_500));
        let (name, value) = draws(1)[0].variable().unwrap();
        assert_eq!(
            (name.as_str(), value.len() as u64),
            (VARIABLE, draws(1)[0].environment.unwrap())
        );
    }

    #[test]
    fn what_asks_for_nothing_draws_nothing() {
        let mut state = 7;
        assert_eq!(Layout::default().draw(&mut state), Drawn::default());
        assert_eq!((state, Drawn::default().variable()), (7, None));
    }
}
