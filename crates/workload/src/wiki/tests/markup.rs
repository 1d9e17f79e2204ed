//! Every kind of markup, and whatever else a text holds.

use proptest::prelude::*;

use super::*;

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
    let whole = "{{ }} {{{ }}} [[ ]] [ ] | || = == * # ; : ' '' ''' ''''' {| |} |- |+ ! !! <ref> </ref> <nowiki> \
                 </nowiki> <!-- --> <br> < > & &amp; \" a é T 1 File: Category: https:// class=\" ---- {{T| {{{1|";
    let spaced = [
        " ",
        "\n",
        "\n\n",
        "<ref name=\"a\"",
        " />",
        "<references />",
    ];
    let pieces: Vec<&str> = whole.split(' ').chain(spaced).collect();
    let pieces = prop::sample::select(pieces);
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
    let whole = "{{ [[ {{{ }} <ref> '' ''''' = <!-- <nowiki> [[a| {{a| http:// {{{1|";
    let spaced = [
        "[https://a ",
        "{|\n",
        "* ",
        "|-\n",
        "<ref name=a>",
        "|| ",
        ": \n",
    ];
    for sign in whole.split(' ').chain(spaced) {
        let html = html_with(&sign.repeat(50_000), &[]);
        assert_eq!(fault(&html), None, "{sign}");
    }
}
