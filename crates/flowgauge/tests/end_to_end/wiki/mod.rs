//! The workload `wiki` under every model, from stores, and as a server.

mod disturbed;
mod servers;
mod stores;

use crate::common::{Home, says};

const HEAD: &str = "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstands_for = \"A test.\"\n\
                    headline = \"off\"\n";

/// A case of 60 requests to 4 small pages.
fn case(name: &str, keys: &str, models: &[&str]) -> String {
    let variant = |model: &&str| {
        let flows = if model.contains('x') { "" } else { "flows = 4" };
        format!("[[case.variant]]\nmodel = \"{model}\"\n{flows}\nschedule = \"queue\"\n")
    };
    let variants: String = models.iter().map(variant).collect();
    format!(
        "[[case]]\nname = \"{name}\"\ntitle = \"{name}\"\nmetric = \"steady\"\nreps = 2\n\
         max_rounds = 1\n[case.work]\nkind = \"wiki\"\nrequests = 60\npages = 4\n\
         page_size = \"1K\"\nseed = 5\n{keys}\n{variants}"
    )
}

#[test]
fn every_model_answers_all_requests_alike_with_and_without_the_parser_cache() {
    let models = ["process", "thread", "2x2", "fiber", "task"];
    let home = Home::new();
    let study = [
        HEAD.to_owned(),
        case("off", "cache = false", &models),
        case("on", "cache = true", &models),
    ];
    home.write("mine.toml", study.concat());
    let run = home.run("run mine.toml --out out").answered();
    assert!(run.stdout.contains("requests/s"), "{}", run.stdout);
    home.assert_nothing_left();
    let results = home.results();
    let slots = results.studies[0].cases.iter().flat_map(|case| &case.slots);
    let records: Vec<_> = slots
        .map(|slot| slot.outcome.answer.done().expect("a slot that is done"))
        .collect();
    assert_eq!(records.len(), 10);
    for record in &records {
        assert_eq!(record.proof, records[0].proof);
        assert_eq!(record.proof.count, 60);
        let reps = record.reps.iter();
        let noted = reps.map(|rep| rep.latencies.as_deref().unwrap());
        assert!(noted.map(flow::Latencies::count).eq([60, 60]));
    }
    let cases = results.studies[0].cases.iter();
    for variant in cases.flat_map(|case| &case.variants) {
        let told = variant.requests.unwrap();
        assert_eq!(told.count, 120);
        assert!(told.per_s > 0.0 && told.p50_ns > 0);
        assert!(told.p50_ns <= told.p99_ns && told.p99_ns <= told.most_ns);
    }
    home.assert_no_files();
    let summary = std::fs::read_to_string(home.path("out/summary.csv")).unwrap();
    assert!(summary.contains("requests_per_s"), "{summary}");
}

#[test]
fn parameters_that_cannot_be_are_refused_before_anything_is_made() {
    for (keys, words) in [
        ("requests = 0", "requests is 0"),
        ("pages = 0", "0 pages"),
        ("page_size = \"9M\"", "page_size"),
        ("cash = true", "unknown field `cash`"),
    ] {
        let home = Home::new();
        let key = keys.split(' ').next().unwrap();
        let case = case("off", "", &["thread"]);
        let lines = case.lines().filter(|line| !line.starts_with(key));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.replace("seed = 5", &format!("seed = 5\n{keys}"));
        home.write("mine.toml", format!("{HEAD}{text}"));
        home.run("run mine.toml --out out")
            .refused(2, &["mine.toml", words]);
        assert!(!home.path("out").exists());
    }
}

/// `flowgauge wiki` with a small amount of work.
fn wiki(further: &str) -> String {
    format!("wiki --requests 90 --pages 4 --page-size 1K --rounds 1 --seed 5 {further}")
}

#[test]
fn requests_that_the_budget_has_no_time_for_end_with_it_and_are_told() {
    let home = Home::new();
    let endless = "wiki --requests 1000000000 --pages 1 --budget 2s --out out";
    let run = home.run(endless);
    run.refused(2, &[]);
    let told = "wiki, within, process: its pilot was cut after 2.0 s";
    says(&run.stdout, &[told]);
    home.assert_nothing_left();
}

/// The random seed of each run was part of its work, so that no two runs could be compared.
#[test]
fn two_runs_of_the_same_pages_can_be_compared() {
    let home = Home::new();
    for (out, seed) in [("a", "1"), ("b", "2")] {
        let line = format!("wiki --requests 20 --pages 5 --rounds 1 --seed {seed} --out {out}");
        home.run(&line).answered();
    }
    let run = home.run("compare a b --fail-on-regression 900%");
    assert!(!run.stderr.contains("not compared"), "{}", run.stderr);
    assert!(!run.stdout.contains("other work"), "{}", run.stdout);
    home.assert_nothing_left();
}
