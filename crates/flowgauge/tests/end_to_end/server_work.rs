//! Server-like work under processes, threads and a mix: all prove the same, and what cannot
//! be run is refused before anything is made.

use flow::Proof;

use super::common::Home;

const HEAD: &str = "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstands_for = \"A test.\"\n";

const WAREHOUSE: &str = "kind = \"warehouse\"\nworkers = 4\ntransactions = 300\nheap = \"1M\"";
const HANDOFF: &str = "kind = \"handoff\"\npairs = 2\nblocks = 500\nqueue = 8\nlive = 10";

/// A case of that work; `flows` where the work does not say how many.
fn case(name: &str, work: &str, models: &[&str], flows: &str) -> String {
    let variant = |model: &&str| {
        let flows = if model.contains('x') { "" } else { flows };
        format!("[[case.variant]]\nmodel = \"{model}\"\n{flows}\n")
    };
    let variants: String = models.iter().map(variant).collect();
    format!(
        "[[case]]\nname = \"{name}\"\ntitle = \"{name}\"\nmetric = \"steady\"\nreps = 1\n\
         max_rounds = 2\n[case.work]\n{work}\n{variants}"
    )
}

fn study(headline: &str, cases: &[String]) -> String {
    format!("{HEAD}headline = \"{headline}\"\n{}", cases.concat())
}

fn numeric(kernel: &str) -> String {
    format!("kind = \"numeric\"\nkernel = \"{kernel}\"\nunits = 8\npasses = 1")
}

#[test]
fn every_work_is_proved_alike_by_processes_threads_and_a_mix() {
    let models = ["process", "thread", "2x2"];
    let kernels = "fft lu sor sparse monte-carlo compress crypto json".split(' ');
    let mut cases: Vec<String> = kernels
        .map(|kernel| case(kernel, &numeric(kernel), &models, "flows = 4"))
        .collect();
    cases.push(case("warehouse", WAREHOUSE, &models, ""));
    cases.push(case("handoff", HANDOFF, &models, ""));
    let home = Home::new();
    home.write("mine.toml", study("warehouse", &cases));
    home.run("run mine.toml --out out").answered();
    home.assert_nothing_left();
    let results = home.results();
    let cases = &results.studies[0].cases;
    assert_eq!(cases.len(), 10);
    for case in cases {
        let slots = case.slots.iter().map(|slot| slot.outcome.answer.done());
        let proofs: Vec<Proof> = slots.map(|slot| slot.unwrap().proof).collect();
        assert_eq!(proofs.len(), 6, "{}", case.case.name);
        let count = match case.case.name.as_str() {
            "warehouse" => 1_200,
            "handoff" => 1_000,
            _ => 8,
        };
        assert_eq!(proofs[0].count, count, "{}", case.case.name);
        assert!(proofs.iter().all(|proof| proof == &proofs[0]), "{proofs:?}");
    }
}

#[test]
fn warehouses_and_kernels_run_on_fibers_and_tasks_too() {
    let models = ["thread", "fiber", "task"];
    let cases = [
        case("warehouse", WAREHOUSE, &models, ""),
        case("compress", &numeric("compress"), &models, "flows = 4"),
    ];
    let home = Home::new();
    home.write("mine.toml", study("compress", &cases));
    home.run("run mine.toml --out out").answered();
    for case in &home.results().studies[0].cases {
        let done = case.slots.iter().filter(|slot| slot.value_ns.is_some());
        assert_eq!(done.count(), 6, "{}", case.case.name);
    }
    home.assert_nothing_left();
}

/// The command refuses `work` before it makes anything, and says each of `words`.
fn refuse(work: &str, model: &str, flows: &str, words: &[&str]) {
    let home = Home::new();
    let case = case("one", work, &[model], flows);
    home.write("mine.toml", study("one", &[case]));
    home.run("run mine.toml --out out").refused(2, words);
    assert!(!home.path("out").exists());
    home.assert_nothing_left();
}

#[test]
fn what_cannot_be_run_is_refused_with_what_would_do() {
    let heap = WAREHOUSE.replace("1M", "512G");
    let need = "4 flows take 2,560 GiB of memory at once, 640 GiB each";
    refuse(&heap, "thread", "", &[need, "memory"]);
    let none = WAREHOUSE.replace("300", "0");
    refuse(&none, "thread", "", &["mine.toml:", "transactions is 0"]);
    let unknown = WAREHOUSE.replace("1M", "much");
    refuse(&unknown, "thread", "", &["'much' is no size", "256M"]);
    let ftt = numeric("ftt");
    refuse(&ftt, "thread", "flows = 1", &["did you mean 'fft'?"]);
    refuse(
        HANDOFF,
        "fiber",
        "",
        &["wait for each other", "use process"],
    );
    let other = "flows = 3";
    refuse(HANDOFF, "thread", other, &["thread has 4 flows, not 3"]);
}
