//! Every kind of work and every key has a place in the docs.

use super::*;

/// What a refused key is answered with: the keys that there are.
fn expected(error: &str) -> Vec<String> {
    let list = error.split("expected").nth(1);
    let list = list.unwrap_or_else(|| panic!("{error}"));
    let words = list.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

fn keys<T: serde::de::DeserializeOwned>() -> Vec<String> {
    let error = toml::from_str::<T>("no-such-key = 1").err().unwrap();
    expected(&error.to_string())
}

/// What the page says of a label and what the glossary says of it are the same words.
#[test]
fn every_term_of_the_page_is_in_the_glossary_with_its_words() {
    let page = include_str!("../../../../../../../docs/glossary.md");
    let has = |term: &str, words: &str| {
        let ways = [format!("**{term}**"), format!("`{term}`")];
        let of_term = |line: &str| ways.iter().any(|way| line.contains(way));
        let mut lines = page.lines();
        lines.any(|line| of_term(line) && line.contains(words))
    };
    let studies = crate::plan::study::builtin_names()
        .map(|name| crate::plan::study::builtin(name, crate::data::Preset::Full).unwrap());
    let own: Vec<(String, String)> = studies.flat_map(|study| study.terms).collect();
    assert!(own.len() > 5, "{own:?}");
    let models = [
        "process-shared-files",
        "thread-private-files",
        "fiber",
        "fiber-packed",
        "migratable",
        "migratable-copied",
        "migratable-aliased",
        "task",
    ];
    let models = models.map(|name| {
        let model: flow::Model = name.parse().unwrap();
        (name.to_owned(), model.gloss().unwrap().to_owned())
    });
    for (term, words) in own.into_iter().chain(models) {
        assert!(has(&term, &words), "{term}: {words}");
    }
}

#[test]
fn every_kind_and_key_is_in_the_docs() {
    use crate::data::{OfSweep, OfVariant, OfWork, Pair, Published};
    use crate::plan::study::command::{Change, Command, Flag};
    use crate::plan::study::format::{
        FileCase, FileEach, FileOrigin, FileStudy, FileSweep, FileVariant, Overrides,
    };
    let page = include_str!("../../../../../../../docs/writing-a-study.md");
    let missing = |word: &String| {
        let ways = [
            "",
            "[case.",
            "[[case.",
            "[",
            "[[",
            "[command.",
            "[[command.",
            "[[origin.",
        ];
        let mut ways = ways.iter().map(|way| format!("`{way}{word}"));
        !ways.any(|way| page.contains(&way))
    };
    let kind = |text: &str| serde_json::from_str::<Work>(text).unwrap_err().to_string();
    let kinds = expected(&kind(r#"{"kind": "no-such-kind"}"#));
    assert!(kinds.len() > 12, "{kinds:?}");
    let mut words = kinds.clone();
    for name in &kinds {
        let parameters = expected(&kind(&format!(r#"{{"kind": "{name}", "no-such-key": 1}}"#)));
        assert!(!parameters.is_empty(), "{name}");
        words.extend(parameters);
    }
    let files = [
        keys::<FileStudy>(),
        keys::<FileCase>(),
        keys::<FileVariant>(),
        keys::<FileEach>(),
        keys::<FileSweep>(),
        keys::<Overrides>(),
        keys::<FileOrigin>(),
        keys::<Command>(),
        keys::<Change>(),
        keys::<Flag>(),
        keys::<Published>(),
        keys::<Pair>(),
        keys::<OfVariant>(),
        keys::<OfSweep>(),
        keys::<OfWork>(),
    ];
    assert!(files.iter().all(|keys| keys.len() > 1), "{files:?}");
    words.extend(files.into_iter().flatten());
    words.retain(missing);
    assert_eq!(words, [""; 0]);
}
