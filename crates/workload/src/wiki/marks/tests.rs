//! Tests of finding marks.

use super::special::next_special;
use super::*;
use proptest::prelude::*;

fn found(text: &str) -> Vec<(Kind, &str)> {
    let marks = find(text);
    marks.iter().map(|m| (m.kind, &text[m.inside()])).collect()
}

#[test]
fn braces_are_eaten_from_the_inside() {
    assert_eq!(
        found("{{{{{1}}}}}"),
        [(Kind::Template, "{{{1}}}"), (Kind::Parameter, "1")]
    );
    assert_eq!(
        found("{{a|{{b}}}}"),
        [(Kind::Template, "a|{{b}}"), (Kind::Template, "b")]
    );
    assert_eq!(found("{{{{a}}"), [(Kind::Template, "a")]);
    assert_eq!(found("{a} }} {{ {"), []);
}

#[test]
fn a_closer_takes_the_opener_of_its_kind_and_what_is_between_is_text() {
    assert_eq!(found("[[a {{b]] c}}"), [(Kind::Link, "a {{b")]);
    assert_eq!(
        found("[[a|[[b]]]]"),
        [(Kind::Link, "a|[[b]]"), (Kind::Link, "b")]
    );
    assert_eq!(found("[[[a]]]"), [(Kind::Link, "a")]);
}

#[test]
fn nothing_counts_in_plain_text_and_comments() {
    assert_eq!(
        found("<nowiki>[[a]]</nowiki><!-- {{b}} -->"),
        [(Kind::Plain, "[[a]]"), (Kind::Comment, " {{b}} ")]
    );
    assert_eq!(found("<!-- [[a]]"), [(Kind::Link, "a")]);
}

#[test]
fn references_have_content_or_a_name() {
    let all = found("<ref name=\"x\">a</ref><ref name=x /><references /><refs>");
    let kinds = [
        (Kind::Reference { attributes: 4 }, "a"),
        (Kind::ReferenceAgain, " name=x />"),
        (Kind::References, " />"),
    ];
    assert_eq!(all, kinds);
    assert_eq!(found("<br><br/>< br>").len(), 2);
}

#[test]
fn deep_nests_lose_their_outside_and_not_their_inside() {
    let text = format!("{}a{}", "{{".repeat(100), "}}".repeat(100));
    assert_eq!(find(&text).len(), usize::from(DEEPEST));
    let links = format!("{}a{}", "[[x|".repeat(100), "]]".repeat(100));
    assert_eq!(find(&links).len(), usize::from(DEEPEST));
}

proptest! {
    #[test]
    fn the_next_special_byte_is_found_wherever_it_is(bytes in "[a-z{}\\[\\]<>|;é\n ]{0,40}", at in 0_usize..41) {
        let bytes = bytes.as_bytes();
        let slow = bytes.iter().skip(at).position(|byte| b"{}[]<".contains(byte));
        prop_assert_eq!(next_special(bytes, at), slow.map(|further| at + further));
    }

    #[test]
    fn marks_are_nested_or_apart(text in "(\\{\\{|\\}\\}|\\{|\\[\\[|\\]\\]|<ref>|</ref>|<br>|<!--|-->|a|\\||\n){0,60}") {
        let known = Marks::of(&text);
        let marks = known.all();
        for place in 0..=text.len() {
            let first = marks.iter().position(|mark| mark.start as usize >= place);
            prop_assert_eq!(known.from(place), first.unwrap_or(marks.len()));
        }
        for (place, mark) in marks.iter().enumerate() {
            prop_assert!(mark.start < mark.end && mark.end as usize <= text.len());
            prop_assert!(mark.start <= mark.inner.0 && mark.inner.0 <= mark.inner.1 && mark.inner.1 <= mark.end);
            for other in &marks[place + 1..] {
                prop_assert!(other.start >= mark.end || other.end <= mark.inner.1, "{:?} {:?}", mark, other);
            }
            let after = marks.iter().position(|other| other.start >= mark.end);
            prop_assert_eq!(mark.after as usize, after.unwrap_or(marks.len()));
        }
    }
}
