//! The machine against itself.

use super::common::{Home, says};

/// Fewer than the first look has: at that one a case is over where little noise decides it.
const ROUNDS: usize = 5;

#[test]
fn calibrate_compares_identical_programs_and_a_planted_difference() {
    let home = Home::new();
    let line = format!("calibrate --rounds {ROUNDS} --budget 10m --format json --out out");
    let run = home.run(&line).answered();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(!document.is_null());
    let results = home.results();
    assert!(results.finished);
    let cases = &results.studies[0].cases;
    let names: Vec<&str> = cases.iter().map(|case| case.case.name.as_str()).collect();
    assert_eq!(names, ["identical", "planted"]);
    for case in cases {
        assert_eq!(case.rounds, ROUNDS, "{}", case.case.name);
        assert_eq!(case.slots.len(), 2 * ROUNDS);
        assert!(case.noise.is_some());
        let estimate = case.findings[0].estimate.unwrap();
        assert!(estimate.ratio > 0.0);
    }
    home.assert_nothing_left();
}

#[test]
fn calibrate_measures_what_a_sampler_costs() {
    let home = Home::new();
    let line = "calibrate --rounds 1 --sample 10ms --budget 10m --out out";
    let run = home.run(line).answered();
    let results = home.results();
    let cases = &results.studies[0].cases;
    let is_sampled = |name: &str| name.starts_with("sampled");
    for case in cases.iter().filter(|case| is_sampled(&case.case.name)) {
        for slot in &case.slots {
            assert_eq!(slot.outcome.samples.is_some(), slot.variant == 1);
        }
        says(&run.stdout, &[&format!("{}: ", case.case.title)]);
    }
    assert!(cases.iter().any(|case| case.case.name == "sampled"));
    says(&run.stdout, &["of one CPU itself"]);
    home.assert_nothing_left();
}
