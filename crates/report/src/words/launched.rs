//! What was launched, and how to launch it again.

use lab::data::axis::AXES;
use lab::{Case, LabelledVariant, Results, StudyResult};
use serde_json::Value;
use workload::{Searching, Work};

use super::many;
use crate::number::{bytes, count, plain};
use crate::text::shell_word;

/// Without what its variants do each in their own way.
pub(crate) fn work_of(case: &Case) -> String {
    let works = (0..case.variants.len()).map(|at| case.work_of(at));
    let searches = works.map(|work| work.search());
    match searches.collect::<Option<Vec<_>>>().as_deref() {
        Some(searches @ [_, ..]) => searching(searches),
        _ => work(&case.work),
    }
}

/// `primes: block 200,000, blocks 5, method trial`.
pub(crate) fn work(work: &Work) -> String {
    if let Some(search) = work.search() {
        return searching(&[search]);
    }
    let Ok(Value::Object(mut fields)) = serde_json::to_value(work) else {
        return String::new();
    };
    // Pages of a store have sizes of their own.
    if fields.contains_key("store") {
        fields.remove("page_size");
    }
    let kind = fields.remove("kind").map(|kind| parameter(&kind));
    let fields = fields.iter().map(|(name, value)| match name.as_str() {
        // Names that happen to be numbers.
        "seed" | "port" | "load_cpu" => format!("{name} {value}"),
        _ => named(name, value),
    });
    let fields: Vec<String> = fields.collect();
    format!("{}: {}", kind.unwrap_or_default(), fields.join(", "))
}

/// `search: 'errno' in /usr/include/EGL and 22 more, pool, read, at most 800 files`.
fn searching(searches: &[&Searching]) -> String {
    let search = searches[0];
    let common = |what: fn(&Searching) -> &'static str| {
        let same = searches.iter().all(|other| what(other) == what(search));
        same.then(|| what(search).to_owned())
    };
    let shown = |path: &std::path::PathBuf| path.display().to_string();
    let tree = match &search.tree[..] {
        [] => "a tree of this machine".to_owned(),
        [one] => shown(one),
        [first, more @ ..] => format!("{} and {} more", shown(first), more.len()),
    };
    let mut parts = vec![format!("search: '{}' in {tree}", search.pattern)];
    parts.extend(common(|search| search.design.name()));
    parts.extend(common(|search| search.io.name()));
    let flags = [
        (search.literal, "literal"),
        (search.ignore_case, "upper and lower case alike"),
        (search.word, "whole words"),
        (search.hidden, "hidden files too"),
        (search.no_ignore, "ignored files too"),
        (search.text, "binary files too"),
        (search.cold, "page cache emptied before"),
    ];
    let on = flags.into_iter().filter(|(on, _)| *on);
    parts.extend(on.map(|(_, word)| word.to_owned()));
    parts.extend(search.globs.iter().map(|glob| format!("glob {glob}")));
    let files = search
        .most_files
        .map(|files| format!("{} files", count(files)));
    let bytes = search.most_bytes.map(|most| bytes(most as f64));
    let most = files.into_iter().chain(bytes);
    parts.extend(most.map(|most| format!("at most {most}")));
    parts.join(", ")
}

/// What its case's work has not: `yield pipe`; all of it where it is of another kind.
pub(crate) fn work_apart(own: &Work, of_case: &Work) -> String {
    let fields = |work: &Work| match serde_json::to_value(work) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (own_fields, others) = (fields(own), fields(of_case));
    if own_fields.get("kind") != others.get("kind") {
        return work(own);
    }
    let own_fields = own_fields.iter();
    let apart = own_fields.filter(|(name, value)| others.get(*name) != Some(value));
    let apart = apart.map(|(name, value)| named(name, value));
    apart.collect::<Vec<_>>().join(", ")
}

fn named(name: &str, value: &Value) -> String {
    format!("{name} {}", parameter(value))
}

fn parameter(value: &Value) -> String {
    match value {
        // The text of a file: its study has it.
        Value::String(text) if text.trim().contains('\n') => {
            format!("of {} lines", text.trim().lines().count())
        }
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            // Floating point has no room for the last digits of large ones.
            (Some(whole), _) => count(whole),
            (_, Some(below)) => format!("-{}", count(below.unsigned_abs())),
            _ => number.as_f64().map_or_else(|| number.to_string(), plain),
        },
        Value::Array(all) => all.iter().map(parameter).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let each = fields.iter().map(|(name, value)| named(name, value));
            format!("({})", each.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// `process, 5 flows, free, static, fifo`, and its work where that is not the case's.
pub(crate) fn launched(labelled: &LabelledVariant) -> String {
    let variant = &labelled.variant;
    let flows = many(variant.flows.into(), "flow");
    let axes = AXES.iter();
    let axes = axes.filter_map(|axis| Some((axis.said)(&(axis.word)(variant)?)));
    let first = [variant.model.to_string(), flows].into_iter();
    let how = first.chain(axes).collect::<Vec<_>>().join(", ");
    match &labelled.work {
        Some(own) => format!("{how}, with work of its own: {}", work(own)),
        None => how,
    }
}

pub(crate) fn run_again(results: &Results) -> String {
    seeded(results, results.header.command.clone())
}

/// In the same order: that depends on the seed and on names, and not on what else was run.
pub(crate) fn run_study_again(results: &Results, study: &StudyResult) -> String {
    let name = &study.study.name;
    let command = &results.header.command;
    let among_others =
        results.studies.len() > 1 && command.get(1).is_some_and(|word| word == "run");
    if !among_others || !lab::builtin_names().any(|known| known == name) {
        return run_again(results);
    }
    let mut words = command[..2].to_vec();
    words.push(name.clone());
    words.extend(flags(&command[2..], name));
    seeded(results, words)
}

/// Without the names of studies, and what is expected of other studies.
fn flags(words: &[String], study: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            continue;
        }
        // The only flag of `run` whose value, if it has one, stands behind `=`.
        let has_value = !word.contains('=') && word != "--watch";
        let flag = [word].into_iter().chain(words.next_if(|_| has_value));
        let flag: Vec<String> = flag.cloned().collect();
        let expects = flag[0].strip_prefix("--expect");
        let expected = expects.map(|rest| {
            flag.get(1)
                .map_or(rest.trim_start_matches('='), String::as_str)
        });
        if expected.is_none_or(|path| path.starts_with(&format!("{study}/"))) {
            kept.extend(flag);
        }
    }
    kept
}

fn seeded(results: &Results, mut words: Vec<String>) -> String {
    let own = words.iter().take_while(|word| *word != "--").count();
    let seeded = words[..own]
        .iter()
        .any(|word| word == "--seed" || word.starts_with("--seed="));
    if !seeded {
        let seed = results.header.settings.seed.to_string();
        words.splice(own..own, ["--seed".to_owned(), seed]);
    }
    let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_whole_numbers_keep_their_last_digits() {
        assert_eq!(
            parameter(&serde_json::json!(18_446_744_073_709_545_472_u64 + 101)),
            "18,446,744,073,709,545,573"
        );
        assert_eq!(
            parameter(&serde_json::json!(-9_007_199_254_740_993_i64)),
            "-9,007,199,254,740,993"
        );
        assert_eq!(parameter(&serde_json::json!(0.5)), "0.50");
    }

    /// What a load consists of was shown as JSON.
    #[test]
    fn a_parameter_of_several_parts_is_said_in_words() {
        let load = serde_json::json!({ "urls": ["/a", "/b"], "connections": 2 });
        assert_eq!(parameter(&load), "(connections 2, urls /a, /b)");
    }

    #[test]
    fn a_study_is_run_again_with_the_flags_of_its_run() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let given = "primes --tree primes --watch switch --budget=5s --expect switch/thread<=1s \
                     --expect=primes/thread<=1s --rounds 20";
        assert_eq!(
            flags(&words(given), "primes").join(" "),
            "--tree primes --watch --budget=5s --expect=primes/thread<=1s --rounds 20"
        );
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_word("--rounds=20"), "--rounds=20");
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
