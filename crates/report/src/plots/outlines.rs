//! The texts of a drawing as outlines: reading fonts and setting text took a fifth of the program's
//! build time. The outlines come with the program (`assets/outlines.py` writes them), each with its
//! advance. Sizes and weights are those that `style` gives the classes of a text.

use std::collections::HashMap;
use std::sync::OnceLock;

type Outlines = HashMap<char, (f64, &'static str)>;

const NONE: char = '\u{fffd}';
const SIZES: [(&str, f64, bool); 3] = [
    ("title", 15.0, true),
    ("name", 12.0, true),
    ("fine", 10.5, false),
];
const SIZE: f64 = 12.0;

pub(super) fn outlined(svg: &str) -> String {
    let svg = svg.replace("text{", ".text{");
    let mut drawing = String::with_capacity(4 * svg.len());
    let mut rest = svg.as_str();
    while let Some((before, tag, text, after)) = next_text(rest) {
        drawing.push_str(before);
        outline(tag, &plain(text), &mut drawing);
        rest = after;
    }
    drawing + rest
}

/// Before a text, its attributes, itself, and behind it.
fn next_text(svg: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, element) = svg.split_once("<text ")?;
    let (tag, element) = element.split_once('>')?;
    let (text, after) = element.split_once("</text>")?;
    Some((before, tag, text, after))
}

fn outline(tag: &str, text: &str, drawing: &mut String) {
    let class = attribute(tag, "class");
    let has = |name: &str| class.split(' ').any(|one| one == name);
    let size = SIZES.iter().find(|(class, ..)| has(class));
    let (size, bold) = size.map_or((SIZE, false), |(_, size, bold)| (*size, *bold));
    let (mut end, mut path) = (0.0, String::new());
    for c in text.chars() {
        let (advance, outline) = glyph(c, bold);
        path.push_str(&format!("M{end} 0{outline}"));
        end += advance;
    }
    let before = match (has("m"), has("e")) {
        (true, _) => end / 2.0,
        (_, true) => end,
        _ => 0.0,
    };
    let scale = size / 1000.0;
    let (x, y) = (attribute(tag, "x"), attribute(tag, "y"));
    drawing.push_str(&format!(
        "<path class=\"text {class}\" transform=\"translate({x} {y}) scale({scale}) \
         translate({} 0)\" d=\"{path}\"/>",
        -before
    ));
}

fn attribute<'t>(tag: &'t str, name: &str) -> &'t str {
    let mut parts = tag.split('"');
    let is_it = |part: &str| part.trim_start().strip_suffix('=') == Some(name);
    while let (Some(part), Some(value)) = (parts.next(), parts.next()) {
        if is_it(part) {
            return value;
        }
    }
    ""
}

fn plain(text: &str) -> String {
    let escapes = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ];
    let text = text.to_owned();
    escapes
        .iter()
        .fold(text, |text, (escape, c)| text.replace(escape, c))
}

fn glyph(c: char, bold: bool) -> (f64, &'static str) {
    static OUTLINES: OnceLock<[Outlines; 2]> = OnceLock::new();
    let all = OUTLINES.get_or_init(|| {
        [
            include_str!("../../assets/DejaVuSans.outlines"),
            include_str!("../../assets/DejaVuSans-Bold.outlines"),
        ]
        .map(read)
    });
    let outlines = &all[usize::from(bold)];
    let own = outlines.get(&c).or_else(|| outlines.get(&NONE));
    own.copied().unwrap_or_default()
}

fn read(text: &'static str) -> Outlines {
    let own = |line: &'static str| {
        let mut rest = line.chars();
        let c = rest.next()?;
        let (advance, path) = rest.as_str().trim_start().split_once(' ')?;
        Some((c, (advance.parse().ok()?, path)))
    };
    text.lines().filter_map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_paths_where_their_anchors_are() {
        let svg = r#"<style>text{fill:red}.h0 text{fill:blue}</style><g><text x="5" y="6" class="e name">A&lt;</text><text x="1" y="2">漢</text></g>"#;
        let drawing = outlined(svg);
        assert!(!drawing.contains("<text"), "{drawing}");
        assert!(drawing.contains(".h0 .text{fill:blue}"), "{drawing}");
        let (a, less) = (glyph('A', true), glyph('<', true));
        let end = -(a.0 + less.0);
        let placed = format!(
            "class=\"text e name\" transform=\"translate(5 6) scale(0.012) translate({end} 0)\""
        );
        assert!(drawing.contains(&placed), "{drawing}");
        assert!(drawing.contains(&format!("M0 0{}M{} 0{}\"", a.1, a.0, less.1)));
        assert!(drawing.contains(glyph(NONE, false).1));
    }

    /// Sizes are said here and in the style of the drawing.
    #[test]
    fn sizes_are_those_of_the_style() {
        let style = super::super::style::sheet();
        assert!(style.contains(&format!("font-size:{SIZE}px")));
        for (class, size, bold) in SIZES {
            let rule = style.split(&format!(".{class}{{")).nth(1).unwrap();
            let rule = rule.split('}').next().unwrap();
            assert_eq!(rule.contains("font-weight:bold"), bold, "{class}");
            let is_usual = (size - SIZE).abs() < 1e-9;
            assert!(
                is_usual || rule.contains(&format!("font-size:{size}px")),
                "{class}"
            );
        }
    }

    /// Letters, signs and arrows of charts have outlines of their own, in both weights.
    #[test]
    fn what_charts_say_has_outlines() {
        for c in "Az09µ…×±≥≤→←↑↓é−%".chars() {
            for bold in [false, true] {
                assert!(!glyph(c, bold).1.is_empty(), "{c}");
                assert_ne!(glyph(c, bold), glyph(NONE, bold), "{c}");
            }
        }
        assert_eq!(glyph(' ', false).1, "");
    }
}
