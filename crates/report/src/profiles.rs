//! Profiles for other viewers: lines of stacks, and the format of the Firefox Profiler.

use lab::findings::{Frame, Profiled};
use lab::{Finding, Results};
use serde_json::{Value, json};

/// The version of the processed format that is written; viewers upgrade it.
const VERSION: u64 = 47;

fn all(results: &Results) -> impl Iterator<Item = (String, &Finding, &Profiled)> {
    let studies = results.studies.iter();
    let cases = studies.flat_map(|study| study.cases.iter().map(move |case| (study, case)));
    cases.flat_map(|(study, case)| {
        let found = case.findings.iter().filter_map(|finding| {
            let found = finding.profiled.as_deref()?.value()?;
            Some((finding, found))
        });
        found.map(move |(finding, found)| {
            let name = format!("{} {}", study.study.name, case.case.name);
            (name, finding, found)
        })
    })
}

fn own_ns(tree: &[Frame]) -> Vec<[f64; 2]> {
    let mut own: Vec<[f64; 2]> = tree.iter().map(|frame| frame.seconds).collect();
    for frame in tree {
        if let Some(above) = frame.above.checked_sub(1) {
            for side in [0, 1] {
                own[above][side] -= frame.seconds[side];
            }
        }
    }
    own.iter()
        .map(|sides| sides.map(|seconds| (seconds * 1e9).round().max(0.0)))
        .collect()
}

/// A line for each stack: names from the first caller on, then ns a unit, reference and subject.
#[must_use]
pub fn folded(results: &Results) -> Option<String> {
    let mut text = String::new();
    for (name, finding, found) in all(results) {
        let root = format!("{name}: {} against {}", finding.subject, finding.reference);
        let mut stacks: Vec<String> = Vec::new();
        for (frame, [reference, subject]) in found.tree.iter().zip(own_ns(&found.tree)) {
            let above = frame.above.checked_sub(1);
            let above = above.map_or(root.as_str(), |above| stacks[above].as_str());
            let stack = format!(
                "{};{}",
                above.replace('\n', " "),
                frame.name.replace([';', '\n'], ",")
            );
            if reference + subject > 0.0 {
                text.push_str(&format!("{stack} {reference} {subject}\n"));
            }
            stacks.push(stack);
        }
    }
    (!text.is_empty()).then_some(text)
}

/// A thread for each side of each comparison, for <https://profiler.firefox.com>, in ms a unit.
#[must_use]
pub fn firefox(results: &Results) -> Option<String> {
    let mut threads = Vec::new();
    for (name, finding, found) in all(results) {
        for (side, label) in [&finding.reference, &finding.subject]
            .into_iter()
            .enumerate()
        {
            let name = format!("{name}: {label} (for each {})", found.unit);
            threads.push(thread(&name, threads.len(), found, side));
        }
    }
    if threads.is_empty() {
        return None;
    }
    let categories = json!([
        {"name": "Other", "color": "grey", "subcategories": ["Other"]},
        {"name": "on a CPU", "color": "blue", "subcategories": ["Other"]},
        {"name": "waits", "color": "orange", "subcategories": ["Other"]},
    ]);
    let profile = json!({
        "meta": {
            "interval": 1, "startTime": results.header.began_unix_s * 1000, "processType": 0,
            "product": "flowgauge", "stackwalk": 1, "version": 27,
            "preprocessedProfileVersion": VERSION, "categories": categories, "markerSchema": [],
            "symbolicated": true, "debug": false,
        },
        "libs": [],
        "threads": threads,
    });
    Some(profile.to_string())
}

fn thread(name: &str, number: usize, found: &Profiled, side: usize) -> Value {
    let tree = &found.tree;
    let own = own_ns(tree);
    let names: Vec<&str> = tree.iter().map(|frame| frame.name.as_str()).collect();
    let count = names.len();
    let none = || vec![Value::Null; count];
    let places: Vec<usize> = (0..count).collect();
    // The first frame of each says which category all below it have.
    let mut categories: Vec<u8> = Vec::with_capacity(count);
    for frame in tree {
        categories.push(match frame.above.checked_sub(1) {
            Some(above) => categories[above],
            None if frame.name == "waits" => 2,
            None => 1,
        });
    }
    let above: Vec<Option<usize>> = tree
        .iter()
        .map(|frame| frame.above.checked_sub(1))
        .collect();
    let taken: Vec<usize> = places
        .iter()
        .copied()
        .filter(|&at| own[at][side] > 0.0)
        .collect();
    let weights: Vec<f64> = taken.iter().map(|&at| own[at][side] / 1e6).collect();
    let zeros = vec![0; count];
    json!({
        "name": name, "processName": name, "processType": "default", "isMainThread": true,
        "pid": number.to_string(), "tid": number, "processStartupTime": 0, "processShutdownTime": null,
        "registerTime": 0, "unregisterTime": null, "pausedRanges": [],
        "frameTable": {
            "length": count, "address": vec![-1; count], "inlineDepth": zeros, "category": categories,
            "subcategory": zeros, "func": places, "nativeSymbol": none(), "innerWindowID": none(),
            "implementation": none(), "line": none(), "column": none(),
        },
        "funcTable": {
            "length": count, "name": places, "isJS": vec![false; count],
            "relevantForJS": vec![false; count], "resource": vec![-1; count], "fileName": none(),
            "lineNumber": none(), "columnNumber": none(),
        },
        "stackTable": {
            "length": count, "frame": places, "prefix": above, "category": categories,
            "subcategory": zeros,
        },
        "samples": {
            "length": taken.len(), "stack": taken, "time": (0..taken.len()).collect::<Vec<_>>(),
            "weight": weights, "weightType": "tracing-ms",
        },
        "markers": {
            "length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [],
            "startTime": [],
        },
        "resourceTable": {"length": 0, "lib": [], "name": [], "host": [], "type": []},
        "nativeSymbols": {"length": 0, "libIndex": [], "address": [], "name": [], "functionSize": []},
        "stringArray": names,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(name: &str, above: usize, seconds: [f64; 2]) -> Frame {
        Frame {
            name: name.to_owned(),
            above,
            seconds,
            interval: None,
            p_value: None,
            is_named: false,
            callers: Vec::new(),
        }
    }

    fn found() -> Profiled {
        Profiled {
            rounds: 8,
            unit: "launch".to_owned(),
            total_s: [3.0, 5.0],
            places: Vec::new(),
            tree: vec![
                frame("on a CPU", 0, [3.0, 4.0]),
                frame("main", 1, [3.0, 4.0]),
                frame("work", 2, [2.0, 2.0]),
                frame("waits", 0, [0.0, 1.0]),
            ],
            judged: 0,
            samples: [3, 5],
            lost: 0,
            each: 1,
            cost: None,
            unseen: Vec::new(),
        }
    }

    #[test]
    fn a_frame_has_what_those_below_it_have_not() {
        let ns = own_ns(&found().tree);
        assert_eq!(ns, [[0.0, 0.0], [1e9, 2e9], [2e9, 2e9], [0.0, 1e9]]);
    }

    /// Weights of a side add up to its total, and each sample names a stack.
    #[test]
    fn the_threads_of_a_viewer_have_all_of_the_time() {
        let sums = [3_000.0, 5_000.0];
        for side in [0, 1] {
            let thread = thread("name", side, &found(), side);
            let samples = &thread["samples"];
            let weights = samples["weight"].as_array().unwrap();
            let sum: f64 = weights.iter().filter_map(Value::as_f64).sum();
            assert_eq!(sum, sums[side]);
            let stacks = thread["stackTable"]["length"].as_u64().unwrap();
            let named = samples["stack"].as_array().unwrap().iter();
            assert!(named.filter_map(Value::as_u64).all(|stack| stack < stacks));
        }
    }
}
