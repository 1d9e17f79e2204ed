//! The last pass over a page: it leaves out what a browser does not need.
//!
//! # Theory
//!
//! HTML itself names the end tags that may be missing, and a page of tables is to a fifth made of
//! them; and one word needs no quotes. The pass does not look at what a tag means: `<` is escaped
//! in every text, so what looks like a tag is one.

/// Tags that may be left out as they stand. A cell, a row or an item ends where the next one
/// begins or its parent ends; the first row of a table begins its body.
const NEEDLESS: [&str; 6] = ["</td>", "</th>", "</tr>", "</li>", "<tbody>", "</tbody>"];

/// Attributes that stand in every row: one word needs no quotes. None of them is one of a shape,
/// which would end in the middle of its value.
const OFTEN: [&str; 9] = [
    "aria-hidden=\"true\"",
    "class=\"case\"",
    "class=\"g\"",
    "class=\"l\"",
    "class=\"quiet\"",
    "class=\"rep\"",
    "scope=\"col\"",
    "scope=\"row\"",
    "tabindex=\"0\"",
];

/// The page without tags that are understood.
pub(super) fn compact(page: &str) -> String {
    let needless = NEEDLESS.iter();
    let page = needless.fold(page.to_owned(), |page, tag| page.replace(tag, ""));
    OFTEN.iter().fold(page, |page, attribute| {
        page.replace(
            &format!(" {attribute}"),
            &format!(" {}", attribute.replace('"', "")),
        )
    })
}
