//! The last pass over a page: it leaves out end tags that HTML implies (a fifth of a page of
//! tables) and quotes around one word. Texts have their `<` escaped: what looks like a tag is one.

/// A cell, row or item ends at the next or with its parent; the first row begins the body.
const NEEDLESS: [&str; 6] = ["</td>", "</th>", "</tr>", "</li>", "<tbody>", "</tbody>"];

/// One word needs no quotes. None is a shape's, which would end within its value.
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

pub(super) fn script(of: &str) -> String {
    let lines = of.lines().map(str::trim_start);
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    lines.join("\n")
}
