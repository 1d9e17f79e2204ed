//! What the command line lays on every variant of a study, axis by axis. Several words make one
//! variant each out of every one, in order, so that the first stays the reference. A variant whose
//! study names its own value keeps it.

use crate::data::axis::{Axis, Laid, LaidWords};
use crate::data::{Case, LabelledVariant, Study, unique};

pub(crate) fn laid(mut study: Study, words: &LaidWords) -> Result<Study, String> {
    for (axis, laid) in Axis::laid() {
        let words = words.on(laid);
        if !words.is_empty() {
            let mut cases = study.cases.iter_mut();
            cases.try_for_each(|case| lay(case, (axis, laid), words))?;
        }
    }
    Ok(study)
}

fn lay(case: &mut Case, (axis, laid): (&Axis, &Laid), words: &[String]) -> Result<(), String> {
    let mut variants = Vec::new();
    for one in &case.variants {
        variants.extend(laid_on(one, axis, words)?);
    }
    case.variants = unique(variants);
    if let [word] = words {
        let word = label(axis, word)?;
        case.title = format!("{}, {} {word}", case.title, laid.title);
    }
    Ok(())
}

fn label(axis: &Axis, word: &str) -> Result<String, String> {
    let mut variant = flow::Variant::new(flow::Model::Thread, 1);
    (axis.set)(&mut variant, word)?;
    Ok((axis.label)(&variant, &[]).unwrap_or_default())
}

fn laid_on(
    one: &LabelledVariant,
    axis: &Axis,
    words: &[String],
) -> Result<Vec<LabelledVariant>, String> {
    if (axis.word)(&one.variant).is_some() {
        return Ok(vec![one.clone()]);
    }
    let with = |word: &String| {
        let mut laid = one.clone();
        (axis.set)(&mut laid.variant, word)?;
        if words.len() > 1 {
            laid.label = format!("{} {}", one.label, label(axis, word)?);
        }
        Ok(laid)
    };
    words.iter().map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, labels};

    fn study() -> Study {
        testing::study(vec![testing::case("c", 1, &["process", "thread"])])
    }

    fn with(study: Study, key: &str, words: &[&str]) -> Study {
        let mut all = LaidWords::default();
        let (_, laid) = Axis::laid().find(|(axis, _)| axis.key == key).unwrap();
        all.lay(laid, words.iter().map(|word| (*word).to_owned()).collect());
        super::laid(study, &all).unwrap()
    }

    #[test]
    fn one_word_is_laid_on_all_variants_alike_and_several_make_variants_of_each() {
        for (key, words) in [
            ("allocator", ["core-aware", "libc"]),
            ("memory_policy", ["interleave", "local"]),
        ] {
            let one = with(study(), key, &words[..1]);
            assert_eq!(labels(&one), ["process", "thread"]);
            let title = format!("c, with the {} {}", key.replace('_', " "), words[0]);
            assert_eq!(one.cases[0].title, title);
            let (axis, variants) = (Axis::of(key).unwrap(), one.cases[0].variants.iter());
            let laid = variants.filter_map(|one| (axis.word)(&one.variant));
            assert_eq!(laid.collect::<Vec<_>>(), [words[0]; 2], "{key}");
            let each = |model: &str| words.map(|word| format!("{model} {word}"));
            let both = with(study(), key, &words);
            assert_eq!(labels(&both), [each("process"), each("thread")].concat());
        }
    }

    #[test]
    fn pages_are_laid_on_what_names_none_itself() {
        let mut own = study();
        own.cases[0].variants[0].variant.heap_pages = Some("thp".parse().unwrap());
        let study = with(own, "heap_pages", &["4k", "thp"]);
        assert_eq!(labels(&study), ["process", "thread 4k", "thread thp"]);
    }

    #[test]
    fn none_changes_nothing() {
        assert_eq!(with(study(), "allocator", &[]), study());
    }
}
