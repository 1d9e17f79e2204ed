//! Every model and every way of reading finds the same.

use std::num::NonZeroU32;

use search::{Class, Io, Model, Plan, Query, Show};

use super::common::{Found, Tree, raw, run, utf16};

/// Small files, large files, many in one folder, many folders, rules, odd names.
fn mixed() -> Tree {
    let tree = Tree::new();
    tree.write(".ignore", "left-out\n*.skip\n");
    tree.write("left-out/a", "needle\n");
    tree.write("empty", "");
    tree.write("no-feed-at-end", "first\nneedle");
    tree.write(raw(b"odd \xFF\n:name"), "needle\n");
    tree.write("binary", "needle\n\0\n");
    tree.write("utf16", utf16("a needle\nb\n"));
    for folder in 0..40 {
        tree.write(format!("deep/{folder}/x/.ignore"), "b*\n");
        for file in 0..folder {
            let text = format!("{file} needle {folder}\nhay\n");
            tree.write(
                format!("deep/{folder}/x/{}{file}", ["a", "b", "c"][file % 3]),
                text,
            );
        }
    }
    for file in 0..1_000 {
        let text = if file % 7 == 0 {
            "one needle\n"
        } else {
            "hay\n"
        };
        tree.write(
            format!("flat/a-rather-long-name-so-that-parts-are-many-{file}"),
            text,
        );
    }
    let line = "hay and more hay, sixty-four bytes a line so that windows cut..\n";
    tree.write(
        "large",
        line.repeat(20_000) + "needle\n" + &line.repeat(2_000),
    );
    tree.write(
        "long-line",
        "x".repeat(300_000) + "needle" + &"y".repeat(100_000),
    );
    tree
}

fn every_plan() -> Vec<Plan> {
    let mut plans = Vec::new();
    for io in Io::ALL {
        for model in Model::ALL.into_iter().map(Some).chain([None]) {
            for workers in [0, 1, 5] {
                plans.push(Plan {
                    model,
                    workers: NonZeroU32::new(workers),
                    io,
                    proof: true,
                    profile: workers == 5,
                    skip: None,
                });
            }
        }
    }
    // A process for each file takes its time, however it reads.
    let often = |plan: &Plan| plan.model == Some(Model::ProcessPerFile);
    plans.retain(|plan| !often(plan) || plan.workers == NonZeroU32::new(5));
    let refused = |plan: &Plan| plan.model.and_then(|model| plan.io.refused_with(model));
    plans.retain(|plan| refused(plan).is_none());
    plans
}

fn available(plan: &Plan, tree: &Tree) -> bool {
    let query = tree.query("x");
    let tried = run(&query, plan, &mut Vec::new(), &mut |_| {});
    match tried {
        Ok(_) => true,
        // What a kernel or a machine may not have; all else is there everywhere.
        Err(error) if plan.io == Io::Uring || plan.model == Some(Model::Fiber) => {
            skipped::skipped(error);
            false
        }
        Err(error) => panic!("{plan:?}: {error}"),
    }
}

/// One plan a model.
fn every_model() -> Vec<Plan> {
    let mut plans = every_plan();
    plans.retain(|plan| plan.io == Io::Read && plan.profile);
    plans
}

/// Phases are parts of the whole, which a search cannot outlast.
fn times_add_up(found: &Found, plan: &Plan) {
    let times = found.report.times;
    let sum = times.create_ns + times.steady_ns + times.tear_down_ns;
    assert_eq!(sum, times.total_ns, "{plan:?}: {times:?}");
    if found.report.flows.made == 0 {
        assert_eq!((times.create_ns, times.tear_down_ns), (0, 0), "{plan:?}");
    }
}

fn same_by(plans: Vec<Plan>, tree: &Tree, query: &Query) -> Found {
    let one = Plan {
        proof: true,
        ..Plan::of(Model::Sequential, 1)
    };
    let first = tree.run(query, &one);
    assert_eq!(first.problems, Vec::<String>::new());
    let probe = Tree::of(&[("a", "x")]);
    for plan in plans {
        if !available(&plan, &probe) {
            continue;
        }
        let found = tree.run(query, &plan);
        assert_eq!(found.lines, first.lines, "{plan:?}");
        assert_eq!(found.report.counts, first.report.counts, "{plan:?}");
        assert_eq!(found.report.profile.is_some(), plan.profile);
        assert_eq!(found.report.otherwise, None, "{plan:?}");
        times_add_up(&found, &plan);
    }
    first
}

#[test]
fn lines_are_the_same_by_every_plan() {
    let tree = mixed();
    let mut query = tree.query("needle");
    query.line_numbers = true;
    let found = same_by(every_plan(), &tree, &query);
    assert!(found.lines.contains(&"large:20001:needle".to_owned()));
    assert!(found.lines.contains(&"no-feed-at-end:2:needle".to_owned()));
    assert!(found.lines.contains(&"utf16:1:a needle".to_owned()));
    // One in seven of the thousand.
    let flat = found.lines.iter().filter(|line| line.starts_with("flat/"));
    assert_eq!(flat.count(), 143);
    assert_ne!(found.report.counts.checksum, 0);
}

#[test]
fn counts_and_names_are_the_same_by_every_plan() {
    let tree = mixed();
    for show in [Show::Count, Show::Files] {
        let mut query = tree.query("[h]ay");
        query.show = show;
        let found = same_by(every_model(), &tree, &query);
        assert!(found.lines.len() > 1_300);
    }
}

#[test]
fn sorted_output_is_the_same_to_the_byte() {
    let tree = mixed();
    let mut query = tree.query("needle");
    query.sort = true;
    let found = same_by(every_model(), &tree, &query);
    let paths: Vec<&str> = found
        .lines
        .iter()
        .filter_map(|line| line.split(':').next())
        .filter(|path| !path.contains(char::REPLACEMENT_CHARACTER) && path.contains('/'))
        .collect();
    let mut by_parts = paths.clone();
    by_parts.sort_by_key(|path| path.split('/').collect::<Vec<_>>());
    assert_eq!(paths, by_parts);
}

#[test]
fn a_cap_holds_flows_back_and_all_is_searched() {
    let tree = mixed();
    for model in [
        Model::ThreadPerFile,
        Model::ProcessPerFile,
        Model::ThreadPerDirectory,
    ] {
        let found = tree.run(&tree.query("needle"), &Plan::of(model, 2));
        let flows = found.report.flows;
        assert!(flows.most <= 2, "{model}: {flows:?}");
        assert_eq!(found.report.chosen.workers, 2);
        if model != Model::ProcessPerFile {
            assert_eq!(flows.held_at, Some(2), "{model}: {flows:?}");
        }
    }
}

/// Where results are not taken, as many threads as were asked for could come together, and
/// take every mapping that the kernel allows.
#[test]
fn a_cap_is_no_higher_than_there_is_room_for() {
    let tree = Tree::of(&[("a", "needle\n")]);
    for (model, most) in [
        (Model::ThreadPerFile, 2_048),
        (Model::ThreadPerDirectory, 2_048),
        (Model::ProcessPerFile, 256),
    ] {
        let found = tree.run(&tree.query("needle"), &Plan::of(model, 100_000));
        let chosen = &found.report.chosen;
        assert!((1..=most).contains(&chosen.workers), "{chosen:?}");
        assert!(chosen.why.starts_with("a cap of"), "{chosen:?}");
        assert_eq!(found.lines, ["a:needle"]);
    }
}

#[test]
fn a_flow_for_each_file_is_a_flow_for_each_file() {
    let tree = Tree::of(&[("a", "x"), ("b", "x"), ("c/d", "x"), ("c/e/f", "y")]);
    for (model, flows) in [
        (Model::ThreadPerFile, 4),
        (Model::ProcessPerFile, 4),
        (Model::ThreadPerDirectory, 3),
        (Model::ThreadPool, 5),
        (Model::ThreadPrivateFiles, 5),
        (Model::ProcessPool, 5),
        (Model::Sequential, 0),
    ] {
        let found = tree.run(&tree.query("x"), &Plan::of(model, 5));
        assert_eq!(found.report.flows.made, flows, "{model}");
        assert_eq!(
            (found.report.counts.files, found.report.counts.folders),
            (4, 3)
        );
        assert_eq!(found.report.chosen.model, model);
        assert!(found.report.usage.flows.cpu_ns > 0);
        assert!(found.report.times.total_ns >= found.report.times.create_ns);
    }
}

#[test]
fn a_search_without_flows_has_no_tear_down() {
    let tree = Tree::new();
    for model in Model::ALL {
        let plan = Plan::of(model, 2);
        times_add_up(&tree.run(&tree.query("x"), &plan), &plan);
    }
}

#[test]
fn batches_for_flows_of_one_file_are_refused() {
    let tree = Tree::of(&[("a", "x")]);
    for model in [Model::ThreadPerFile, Model::ProcessPerFile] {
        let plan = Plan {
            io: Io::Uring,
            ..Plan::of(model, 2)
        };
        let refused = run(&tree.query("x"), &plan, &mut Vec::new(), &mut |_| {});
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("one file; use --io read"), "{error}");
    }
}

#[test]
fn the_profile_of_a_flow_for_each_file_tells_making_from_waiting() {
    let tree = mixed();
    for model in [
        Model::ThreadPerFile,
        Model::ProcessPerFile,
        Model::ThreadPool,
    ] {
        let plan = Plan {
            profile: true,
            ..Plan::of(model, 64)
        };
        let report = tree.run(&tree.query("needle"), &plan).report;
        let profile = report.profile.unwrap();
        assert!(profile.of(Class::Create) > 0, "{model}: {profile:?}");
        // One flow makes them, one by one.
        let create_ns = report.times.create_ns;
        assert!(
            profile.of(Class::Create) >= create_ns,
            "{model}: {report:?}"
        );
    }
}

#[test]
fn a_choice_says_why() {
    let tree = mixed();
    let found = tree.run(&tree.query("needle"), &Plan::default());
    let chosen = found.report.chosen;
    assert!(chosen.why.contains("by one flow"), "{chosen:?}");
    let small = Tree::of(&[("a", "x")]);
    let found = small.run(&small.query("x"), &Plan::default());
    // One flow, unless the machine was too busy to let it search one file in time.
    let chosen = found.report.chosen;
    assert!(
        matches!(chosen.model, Model::Sequential | Model::ThreadPrivateFiles),
        "{chosen:?}"
    );
    let three = Plan {
        workers: NonZeroU32::new(3),
        ..Plan::default()
    };
    let found = small.run(&small.query("x"), &three);
    assert_eq!(found.report.chosen.model, Model::ThreadPrivateFiles);
    assert_eq!(found.report.chosen.workers, 3);
}
