//! The workload `wiki` under every model, and stores that cannot be read.

use lab::results::Requests;

use super::common::{Home, results};

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
    home.write("mine.toml", &study.concat());
    let run = home.run(&["run", "mine.toml", "--out", "out"]).answered();
    assert!(run.stdout.contains("requests/s"), "{}", run.stdout);
    home.assert_nothing_left();
    let results = results(&home.path("out"));
    let slots = results.studies[0].cases.iter().flat_map(|case| &case.slots);
    let records: Vec<_> = slots
        .map(|slot| slot.outcome.answer.done().expect("a slot that is done"))
        .collect();
    assert_eq!(records.len(), 10);
    for record in &records {
        assert_eq!(record.proof, records[0].proof);
        assert_eq!(record.proof.count, 60);
        let noted = record
            .reps
            .iter()
            .map(|rep| rep.latencies.as_deref().unwrap());
        assert!(noted.map(flow::Latencies::count).eq([60, 60]));
    }
    for variant in results.studies[0]
        .cases
        .iter()
        .flat_map(|case| &case.variants)
    {
        let Requests {
            count,
            per_s,
            p50_ns,
            p99_ns,
            most_ns,
            ..
        } = variant.requests.unwrap();
        assert_eq!(count, 120);
        assert!(per_s > 0.0 && 0 < p50_ns && p50_ns <= p99_ns && p99_ns <= most_ns);
    }
    let names = home.listing("out");
    assert!(
        !names.iter().any(|name| name.ends_with(".files")),
        "{names:?}"
    );
    let summary = std::fs::read_to_string(home.path("out/summary.csv")).unwrap();
    assert!(summary.contains("requests_per_s"), "{summary}");
}

#[test]
fn a_store_that_cannot_be_read_fails_the_run_with_its_name_and_what_to_do() {
    for (bytes, words) in [
        (Some("no store ".repeat(999)), "corrupt or no SQLite file"),
        (None, "name a file that is there"),
    ] {
        let home = Home::new();
        let study = [
            HEAD,
            &case("off", "store = \"own.sqlite\"", &["thread", "process"]),
        ];
        home.write("mine.toml", &study.concat());
        if let Some(bytes) = bytes {
            home.write("own.sqlite", &bytes);
        }
        let run = home.run(&["run", "mine.toml", "--out", "out"]);
        let said = format!("{}{}", run.stdout, run.stderr);
        // However wide the page, words are not parted.
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("own.sqlite"), "{said}");
        assert!(said.contains(words), "{said}");
        assert!(!matches!(run.code, Some(0)), "{said}");
        home.assert_nothing_left();
    }
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
        let lines: Vec<&str> = lines.collect();
        let text = lines
            .join("\n")
            .replace("seed = 5", &format!("seed = 5\n{keys}"));
        home.write("mine.toml", &format!("{HEAD}{text}"));
        home.run(&["run", "mine.toml", "--out", "out"])
            .refused(2, &["mine.toml", words]);
        assert!(!home.path("out").exists());
    }
}
