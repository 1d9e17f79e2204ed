use std::convert::Infallible;

use flow::{Body, Outlet, Proof};
use proptest::prelude::*;

use super::request::render;
use super::*;

/// The HTML of the page "A", where templates are what is given.
fn html_with(text: &str, templates: &[(&str, &str)]) -> String {
    let find = |title: &str| -> Result<Option<String>, Infallible> {
        let found = templates
            .iter()
            .find(|(name, _)| title == format!("Template:{name}"));
        Ok(found.map(|(_, text)| (*text).to_owned()))
    };
    render("A", text.to_owned(), find).unwrap()
}

/// What is between `<main>` and its end.
fn body_with(text: &str, templates: &[(&str, &str)]) -> String {
    let html = html_with(text, templates);
    assert_eq!(fault(&html), None, "{html}");
    let (_, rest) = html.split_once("<main>\n").unwrap();
    rest.split_once("</main>").unwrap().0.trim_end().to_owned()
}

fn body(text: &str) -> String {
    body_with(text, &[])
}

/// What is wrong with HTML as an XML reader sees it: tags that do not match, signs that are
/// not escaped.
fn fault(html: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>\n").unwrap_or(html);
    while let Some(place) = rest.find(['<', '>', '&']) {
        let (text, at) = rest.split_at(place);
        if text.contains(['<', '>']) || at.starts_with('>') {
            return Some(format!("a lone sign before {at:.40?}"));
        }
        if at.starts_with('&') {
            let end = at.find(';').filter(|&end| end <= 12);
            let Some(end) = end else {
                return Some(format!("a lone & at {:?}", &at[..at.len().min(9)]));
            };
            rest = &at[end..];
            continue;
        }
        let Some(end) = at.find('>') else {
            return Some("a tag without an end".to_owned());
        };
        let tag = &at[1..end];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Some(format!("</{name}> closes nothing"));
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or(""));
        }
        if tag.matches('"').count() % 2 == 1 || tag.contains('<') {
            return Some(format!("odd quotes in <{tag}>"));
        }
        rest = &at[end + 1..];
    }
    (!open.is_empty()).then(|| format!("not closed: {open:?}"))
}

#[test]
fn formats_nest_however_they_are_closed() {
    assert_eq!(body("a ''b'' '''c'''"), "<p>a <i>b</i> <b>c</b></p>");
    assert_eq!(body("'''''a''b'''"), "<p><b><i>a</i>b</b></p>");
    assert_eq!(body("'''a ''b''' c''"), "<p><b>a <i>b</i></b><i> c</i></p>");
    assert_eq!(body("''a\nb''"), "<p><i>a</i>\nb</p>");
    assert_eq!(body("it's ''''a'''"), "<p>it's '<b>a</b></p>");
}

#[test]
fn links_have_labels_trails_and_addresses() {
    assert_eq!(
        body("[[some page]]s [[b|''c'']]"),
        "<p><a href=\"/wiki/Some_page\" title=\"some page\">some pages</a> \
         <a href=\"/wiki/B\" title=\"b\"><i>c</i></a></p>"
    );
    assert_eq!(
        body("[https://e.org/?a&b x] http://f.org."),
        "<p><a class=\"external\" href=\"https://e.org/?a&amp;b\">x</a> \
         <a class=\"external\" href=\"http://f.org\">http://f.org</a>.</p>"
    );
    assert_eq!(
        body("[javascript:x y] [[]] [a]"),
        "<p>[javascript:x y] [[]] [a]</p>"
    );
    let within = body("[[a|b [https://e.org c]]]");
    assert_eq!(within.matches("<a ").count(), 1, "{within}");
}

#[test]
fn lists_nest_by_their_signs() {
    assert_eq!(
        body("* a\n** b\n** c\n* d\n# e"),
        "<ul><li>a<ul><li>b</li>\n<li>c</li>\n</ul>\n</li>\n<li>d</li>\n</ul>\n<ol><li>e</li>\n</ol>"
    );
    assert_eq!(body("; a\n: b"), "<dl><dt>a</dt>\n<dd>b</dd>\n</dl>");
    assert_eq!(body("*** a").matches("<ul>").count(), 3);
}

#[test]
fn tables_have_captions_headers_attributes_and_tables() {
    let text = "{| class=\"t\" onclick=\"x\"\n|+ c\n! h !! i\n|-\n| style=\"a:b\" | 1 || [[l|m]]\n|-\n|\n* x\n\
                {|\n| in\n|}\n|}\nafter";
    assert_eq!(
        body(text),
        "<table class=\"t\"><caption> c</caption>\n<tr><th>h</th><th>i</th></tr>\n\
         <tr><td style=\"a:b\">1</td><td><a href=\"/wiki/L\" title=\"l\">m</a></td></tr>\n\
         <tr><td><ul><li>x</li>\n</ul>\n<table>\n<tr><td>in</td></tr>\n</table>\n</td></tr>\n\
         </table>\n<p>after</p>"
    );
    assert_eq!(body("{|\n| a"), "<table>\n<tr><td>a</td></tr>\n</table>");
}

#[test]
fn templates_take_arguments_and_have_defaults() {
    let templates = [
        ("T", "{{{1}}}-{{{x|none}}}"),
        ("Twice", "{{t|{{{1}}}|x={{{1}}}}}"),
        ("Box", "{|\n| {{{a}}}\n|}\n"),
    ];
    let body = |text| body_with(text, &templates);
    assert_eq!(body("q {{t|a}}"), "<p>q a-none</p>");
    assert_eq!(body("q {{t|''a''| x = b }}"), "<p>q <i>a</i>-b</p>");
    assert_eq!(body("q {{Twice|[[z]]}}").matches("<a ").count(), 2);
    assert_eq!(
        body("{{box|a=1}}"),
        "<table>\n<tr><td>1</td></tr>\n</table>"
    );
    assert_eq!(body("in {{box|a=1}} line"), "<p>in 1  line</p>");
    assert_eq!(body("q {{t}}"), "<p>q {{{1}}}-none</p>");
    let missing = body("q {{no such}}");
    assert!(
        missing.contains("href=\"/wiki/Template:No_such\""),
        "{missing}"
    );
}

#[test]
fn templates_within_themselves_and_too_many_end() {
    let loops = [("A", "{{b}}"), ("B", "x {{a}}")];
    assert_eq!(
        body_with("{{a}}", &loops),
        "<p>x <strong>Template loop: a</strong></p>"
    );
    let names: Vec<String> = (0..12).map(|n| format!("L{n}")).collect();
    let texts: Vec<String> = (1..=12)
        .map(|n| format!("{{{{L{n}}}}}").repeat(8))
        .collect();
    let laughs: Vec<(&str, &str)> = names
        .iter()
        .zip(&texts)
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let html = html_with("a {{L0}}", &laughs);
    assert_eq!(fault(&html), None);
    assert!(html.len() < 4 << 20, "{}", html.len());
}

#[test]
fn references_are_numbered_and_listed() {
    let html =
        body("a<ref name=\"n\">''one''</ref> b<ref>two</ref> c<ref name=n />\n\n<references />");
    let listed = "<ol class=\"references\" start=\"1\">\n<li id=\"cite_note-1\">\
                  <a href=\"#cite_ref-1-1\">^</a> <i>one</i></li>\n<li id=\"cite_note-2\">\
                  <a href=\"#cite_ref-2-1\">^</a> two</li>\n</ol>";
    assert!(html.ends_with(listed), "{html}");
    assert!(html.contains("id=\"cite_ref-1-2\""), "{html}");
    assert!(body("a<ref>x</ref>").ends_with("</ol>"));
}

#[test]
fn headings_make_a_table_of_contents() {
    let html = body("lead\n== A ==\n=== B ===\n== A ==\n== ''C'' d ==\nend");
    let contents = html.split_once("</nav>").unwrap().0;
    for entry in [
        "<a href=\"#A\"><span>1</span> A</a>",
        "<a href=\"#B\"><span>1.1</span> B</a>",
        "<a href=\"#A_2\"><span>2</span> A</a>",
        "<a href=\"#C_d\"><span>3</span> C d</a>",
    ] {
        assert!(contents.contains(entry), "{entry} in {contents}");
    }
    assert!(html.contains("<h2 id=\"A_2\">A</h2>"), "{html}");
}

#[test]
fn text_that_is_meant_as_it_stands_stays() {
    assert_eq!(
        body("<nowiki>''[[a]]''</nowiki> <script>&amp;x&lt"),
        "<p>''[[a]]'' &lt;script&gt;&amp;x&amp;lt</p>"
    );
    assert_eq!(body(" a\n  b"), "<pre>a\n b</pre>");
    assert_eq!(
        body("a<!-- b -->c<br>d\n----\n[[Category:X]]"),
        "<p>ac<br />d</p>\n<hr />"
    );
    assert!(html_with("[[Category:X y]]", &[]).contains("<a href=\"/wiki/Category:X_y\">X y</a>"));
}

/// Text with many signs in it.
fn signs() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{{",
        "}}",
        "{{{",
        "}}}",
        "[[",
        "]]",
        "[",
        "]",
        "|",
        "||",
        "=",
        "==",
        "\n",
        "\n\n",
        "*",
        "#",
        ";",
        ":",
        "'",
        "''",
        "'''",
        "'''''",
        "{|",
        "|}",
        "|-",
        "|+",
        "!",
        "!!",
        "<ref>",
        "</ref>",
        "<ref name=\"a\"",
        " />",
        "<references />",
        "<nowiki>",
        "</nowiki>",
        "<!--",
        "-->",
        "<br>",
        "<",
        ">",
        "&",
        "&amp;",
        "\"",
        " ",
        "a",
        "é",
        "T",
        "1",
        "File:",
        "Category:",
        "https://",
        "class=\"",
        "----",
        "{{T|",
        "{{{1|",
    ]);
    prop::collection::vec(pieces, 0..80).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_the_text_the_page_is_balanced_and_escaped(text in signs(), template in signs()) {
        let html = html_with(&text, &[("T", &template), ("A", "{{T|{{{1}}}}}")]);
        prop_assert_eq!(fault(&html), None, "{}", html);
    }

    #[test]
    fn no_text_at_all_is_too_odd(text: String) {
        prop_assert_eq!(fault(&html_with(&text, &[])), None);
    }
}

#[test]
fn signs_by_the_thousand_take_no_longer_than_a_page() {
    for sign in [
        "{{",
        "[[",
        "{{{",
        "}}",
        "[https://a ",
        "<ref>",
        "''",
        "'''''",
        "{|\n",
        "* ",
        "=",
        "<!--",
        "<nowiki>",
        "[[a|",
        "{{a|",
        "|-\n",
        "http://",
        "{{{1|",
        "<ref name=a>",
        "|| ",
        ": \n",
    ] {
        let html = html_with(&sign.repeat(50_000), &[]);
        assert_eq!(fault(&html), None, "{sign}");
    }
}

#[test]
fn pages_are_those_of_their_seed_and_about_as_long_as_asked() {
    let pages = generated(60, 8 << 10, 7);
    assert_eq!(pages, generated(60, 8 << 10, 7));
    assert_ne!(pages, generated(60, 8 << 10, 8));
    let mut lengths: Vec<usize> = pages.iter().take(60).map(|page| page.text.len()).collect();
    lengths.sort_unstable();
    assert!((6_500..12_000).contains(&lengths[30]), "{lengths:?}");
    assert!(
        lengths[59] > 2 * lengths[30] && lengths[0] < lengths[30] / 2,
        "{lengths:?}"
    );
    let find = |title: &str| -> Result<_, Infallible> {
        let page = pages.iter().find(|page| page.title == title);
        Ok(page.map(|page| page.text.clone()))
    };
    for page in &pages {
        let html = render(&page.title, page.text.clone(), find).unwrap();
        assert_eq!(fault(&html), None, "{}", page.title);
        assert!(!html.contains("class=\"new\""), "{html}");
    }
}

/// A page that comes out otherwise than before is another work: results of before no longer
/// compare, so anyone who changes it does so here too, on purpose.
#[test]
fn the_usual_pages_of_seed_0_are_what_they_always_were() {
    let pages = generated(USUAL_PAGES, USUAL_PAGE_SIZE.0, 0);
    let find = |title: &str| -> Result<Option<String>, Infallible> {
        let found = pages.iter().find(|page| page.title == title);
        Ok(found.map(|page| page.text.clone()))
    };
    let (mut texts, mut htmls) = (0_u64, 0_u64);
    let articles = pages
        .iter()
        .filter(|page| !page.title.starts_with(store::TEMPLATE));
    for page in articles {
        let html = render(&page.title, page.text.clone(), find).unwrap();
        texts = texts.wrapping_add(sum_of(page.text.as_bytes()));
        htmls = htmls.wrapping_add(sum_of(html.as_bytes()));
    }
    assert_eq!(
        (texts, htmls),
        (15_243_983_771_812_810_752, 16_469_375_946_811_775_872)
    );
}

fn wiki(requests: u64) -> Wiki {
    Wiki {
        requests,
        pages: 5,
        page_size: Bytes(1 << 10),
        cache: false,
        store: None,
        seed: 3,
    }
}

fn prove(prepared: &PreparedStore) -> Proof {
    let mut desk = prepared.state(0);
    let units = 0..prepared.units();
    units
        .map(|unit| prepared.unit(&mut desk, unit, &mut Outlet::nowhere()))
        .sum()
}

#[test]
fn with_and_without_the_cache_the_answers_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = wiki(40).prepared(Some(folder.path())).unwrap();
    let proof = prove(&prepared);
    assert_eq!(proof.count, 40);
    let other = tempfile::tempdir().unwrap();
    let cached = Wiki {
        cache: true,
        ..wiki(40)
    };
    assert_eq!(prove(&cached.prepared(Some(other.path())).unwrap()), proof);
    let mut desk = prepared.state(0);
    prepared.unit(&mut desk, 0, &mut Outlet::nowhere());
    assert_eq!(prepared.latencies(&desk).unwrap().count(), 1);
}

#[test]
fn a_store_of_ones_own_is_read_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.sqlite");
    let connection = rusqlite::Connection::open(&own).unwrap();
    let pages = "CREATE TABLE page (title TEXT, text TEXT);
        INSERT INTO page VALUES ('B', '{{T|x}}'), ('A', '''''a'''''), ('Template:T', 'y {{{1}}}');";
    connection.execute_batch(pages).unwrap();
    drop(connection);
    let before = std::fs::read(&own).unwrap();
    let wiki = Wiki {
        store: Some(own.clone()),
        ..wiki(10)
    };
    let prepared = wiki.prepared(Some(folder.path())).unwrap();
    assert_eq!(prove(&prepared).count, 10);
    assert_eq!(std::fs::read(&own).unwrap(), before);
}

#[test]
fn a_store_that_is_none_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, words: &[&str]| {
        let wiki = Wiki {
            store: Some(folder.path().join(name)),
            ..wiki(1)
        };
        let error = wiki.prepared(Some(folder.path())).unwrap_err().to_string();
        for word in words.iter().chain(&[name]) {
            assert!(error.contains(word), "{word} in {error}");
        }
    };
    refused("missing", &["name a file that is there"]);
    std::fs::write(folder.path().join("text"), "no store".repeat(999)).unwrap();
    refused("text", &["corrupt or no SQLite file"]);
    let path = folder.path().join("other");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE a (b)").unwrap();
    refused("other", &["no such table: page", "columns title and text"]);
    connection
        .execute_batch("CREATE TABLE page (title TEXT, text TEXT)")
        .unwrap();
    refused("other", &["no pages"]);
}

#[test]
fn pages_that_are_none_are_told_by_their_titles_in_the_file_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (rows, words)) in [
        ("('A', 'a'), ('B', 'b'), ('A', 'c')", "the title 'A' twice"),
        ("('A', 'a'), (NULL, 'b')", "a title that is NULL"),
        ("('A', NULL)", "a page 'A' whose text is NULL"),
        ("('A', x'00ff')", "a page 'A' whose text is a BLOB"),
        ("(7, 'a')", "a title that is a number"),
        ("('', 'a')", "a page whose title is empty"),
        (
            "('A', CAST(x'c3' AS TEXT))",
            "a page 'A' whose text is not in UTF-8",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("own-{number}.sqlite"));
        let connection = rusqlite::Connection::open(&path).unwrap();
        let sql = format!("CREATE TABLE page (title, text); INSERT INTO page VALUES {rows}");
        connection.execute_batch(&sql).unwrap();
        let error = check_store(&path).unwrap_err().to_string();
        let beginning = format!("the page store {} has {words}", path.display());
        assert!(error.starts_with(&beginning), "{error}");
    }
}

#[test]
fn titles_that_differ_in_case_alone_are_two() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.sqlite");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql = "CREATE TABLE page (title TEXT COLLATE NOCASE, text TEXT);
        INSERT INTO page VALUES ('A', '1'), ('a', '2'), ('B', '3')";
    connection.execute_batch(sql).unwrap();
    let titles = store::Store::read_all(&path).unwrap();
    let titles: Vec<String> = titles.into_iter().map(|page| page.title).collect();
    assert_eq!(titles, ["A", "B", "a"]);
}

/// A page table may be a view, and a view need not end.
#[test]
fn a_store_whose_pages_do_not_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endless.sqlite");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let view = "CREATE VIEW page AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                SELECT 'p' || i AS title, hex(zeroblob(500000)) AS text FROM n";
    connection.execute_batch(view).unwrap();
    connection.close().unwrap();
    let error = check_store(&path).unwrap_err().to_string();
    assert!(error.contains("1 GiB") || error.contains("20 s"), "{error}");
}

#[test]
fn a_store_that_is_damaged_is_found_before_the_flows_begin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    let pages = generated(20, 4 << 10, 1);
    store::Store::make(&path, &pages).unwrap().close().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096 * 4].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let wiki = Wiki {
        store: Some(path),
        ..wiki(1)
    };
    let error = wiki.prepared(Some(folder.path())).unwrap_err().to_string();
    assert!(
        error.contains("corrupt") && error.contains("damaged"),
        "{error}"
    );
}

#[test]
#[should_panic(expected = "request 1 failed: the page '")]
fn an_answer_that_differs_ends_the_flow() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = wiki(1).prepared(Some(folder.path())).unwrap();
    let change = rusqlite::Connection::open(folder.path().join("wiki.sqlite")).unwrap();
    change
        .execute("UPDATE page SET text = text || 'x'", ())
        .unwrap();
    prove(&prepared);
}

#[test]
fn parameters_that_cannot_be_are_refused() {
    assert!(wiki(1).check().is_ok());
    let none = Wiki {
        pages: 0,
        ..wiki(1)
    };
    let long = Wiki {
        page_size: Bytes(2 << 20),
        ..wiki(1)
    };
    for (bad, word) in [
        (wiki(0), "requests is 0"),
        (none, "0 pages"),
        (long, "2 MiB"),
    ] {
        let error = bad.check().unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}
