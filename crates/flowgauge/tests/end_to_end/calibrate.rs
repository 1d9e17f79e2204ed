//! The machine against itself.

use super::common::{Home, results};

#[test]
fn calibrate_compares_identical_programs_and_a_planted_difference() {
    let home = Home::new();
    let line = "calibrate --rounds 10 --budget 10m --format json --out out";
    let run = home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(!document.is_null());
    let results = results(&home.path("out"));
    assert!(results.finished);
    let cases = &results.studies[0].cases;
    let names: Vec<&str> = cases.iter().map(|case| case.case.name.as_str()).collect();
    assert_eq!(names, ["identical", "planted"]);
    for case in cases {
        assert_eq!(case.rounds, 10, "{}", case.case.name);
        assert_eq!(case.slots.len(), 20);
        assert!(case.noise.is_some());
        let estimate = case.findings[0].estimate.unwrap();
        assert!(estimate.ratio > 0.0);
    }
    home.assert_nothing_left();
}
