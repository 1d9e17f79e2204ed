//! Splits and copies of one command.

use super::exec;
use crate::common::{Home, labels, says};

/// Each split is run, the default is among them, and one sentence says which to take.
#[test]
fn a_grid_ends_in_a_recommendation_that_its_rounds_support() {
    let home = Home::new();
    let command = "sh -c 'test {processes} = 1 && test {threads} = 4 || sleep 0.1'";
    let run = exec(&home, &["--grid", command, "--flows", "4", "-r", "10"]);
    let run = run.answered();
    let case = home.case();
    let best = case.optimum.as_ref().unwrap();
    assert!(best.is_told, "{best:?}");
    assert_eq!(best.label, "1x4");
    says(&run.stdout, &["1x4 ("]);
    let default = best.default.as_deref().unwrap();
    let labels = labels(&case);
    assert_eq!(labels[0], default);
    for split in ["1x4", "2x2", "4x1"] {
        assert!(labels.contains(&split), "{labels:?}");
    }
    home.assert_nothing_left();
}

#[test]
fn copies_stand_against_one_each_with_its_own_number() {
    let home = Home::new();
    exec(&home, r#"--copies 3 "touch c{i}" --against "touch one""#).answered();
    for file in ["c0", "c1", "c2", "one"] {
        assert!(home.path(file).exists(), "{file}");
    }
    assert!(!home.path("c3").exists());
}
