//! Each chart as a file.

use std::collections::BTreeSet;
use std::path::PathBuf;

use report::{html, plots};

use crate::html::grids;
use crate::support::results;

#[test]
fn every_chart_of_the_page_is_a_plot() {
    let plots = plots::all(&results());
    let page = html::page(&results());
    assert_eq!(plots.len(), page.matches("<figure id=").count());
    let names: BTreeSet<&str> = plots.iter().map(|plot| plot.name.as_str()).collect();
    assert!(names.contains("primes-trial-ecdf"), "{names:?}");
    for name in &names {
        assert!(
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
            "{name}"
        );
    }
    assert_eq!(names.len(), plots.len());
}

#[test]
fn a_plot_needs_nothing_else_and_holds_nothing_that_acts() {
    for plot in plots::all(&results()) {
        assert!(plot.svg.starts_with("<svg xmlns="));
        for bad in ["var(", "<script", "@media", "href", "\u{202e}", "\u{1b}"] {
            assert!(!plot.svg.contains(bad), "{}: {bad}", plot.name);
        }
    }
    let (run, grids) = (plots::all(&results()), plots::all(&grids()));
    for (plots, name, parts) in [
        (
            &run,
            "primes-trial-phases",
            ["class=\"part s0\"", "process", "thread"],
        ),
        (
            &run,
            "primes-forest",
            ["class=\"whisker faster\"", "faster", "class=\"band\""],
        ),
        (
            &grids,
            "scaling-width-grid",
            ["reference", "slower", "hatch"],
        ),
    ] {
        let plot = plots.iter().find(|plot| plot.name == name);
        let svg = &plot
            .unwrap_or_else(|| panic!("no {name} in {plots:#?}"))
            .svg;
        for part in parts {
            assert!(svg.contains(part), "{name}: {part}: {svg}");
        }
    }
}

#[test]
fn a_plot_is_rendered_with_its_text() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    for plot in plots::all(&results()).iter().take(8) {
        let png = plot.png().expect("it can be rendered");
        assert!(png.starts_with(b"\x89PNG"), "{}", plot.name);
        std::fs::write(folder.join(format!("{}.png", plot.name)), &png).expect("it can be written");
        // Without its text it is another picture: the font was found.
        let without = report::plots::Plot {
            name: plot.name.clone(),
            svg: plot.svg.replace("fill:#1b1d21", "fill:none"),
        };
        assert_ne!(
            without.png().expect("it can be rendered"),
            png,
            "{}",
            plot.name
        );
    }
}

/// A study that times one step in each case has them on one scale, on the page and as a file.
#[test]
fn steps_of_a_machine_stand_on_one_scale() {
    let mut results = results();
    let study = &mut results.studies[0];
    let mut step = study.cases[0].clone();
    step.case.metric = lab::Metric::Unit;
    step.case.variants.truncate(1);
    step.variants.truncate(1);
    step.findings.clear();
    study.cases = (0..4).map(|_| step.clone()).collect();
    let scale = "4 steps, from ";
    assert!(html::page(&results).contains(scale));
    let plots = report::plots::all(&results);
    assert!(plots.iter().any(|plot| plot.svg.contains(scale)));
    // Three are read in their table.
    results.studies[0].cases.pop();
    assert!(!html::page(&results).contains("steps, from "));
}
