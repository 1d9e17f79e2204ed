//! The style of a single chart: the page's light colours, written out.

use crate::charts::marker::{COLOURS, STROKES};

const FONT: &str = "DejaVu Sans";
const PARTS: usize = 7;

const PAGE: &str = include_str!("../html/style.css");

fn colour(name: &str) -> &'static str {
    let light = PAGE.split('}').next().unwrap_or_default();
    let value = light.split(&format!("--{name}:")).nth(1);
    value
        .and_then(|rest| rest.split([';', '}']).next())
        .unwrap_or("#000")
        .trim()
}

fn rule(selector: &str) -> &'static str {
    let own = PAGE.split(&format!("{selector}{{")).nth(1);
    let own = own.and_then(|rest| rest.split('}').next());
    own.unwrap_or_default()
}

pub(super) fn sheet() -> String {
    let mut sheet = fixed();
    let verdicts = [
        ("faster", "good"),
        ("slower", "bad"),
        ("doubt", "doubt"),
        ("same", "same"),
    ];
    let variants = (0..COLOURS).map(|place| (format!("v{place}"), format!("v{place}")));
    let aside = [("aside".to_owned(), "quiet".to_owned())];
    let classes = verdicts.map(|(class, name)| (class.to_owned(), name.to_owned()));
    for (class, name) in classes.into_iter().chain(variants).chain(aside) {
        let c = colour(&name);
        for (mark, rule) in [
            ("mark", format!("fill:{c}")),
            ("whisker", format!("stroke:{c}")),
            ("curve", format!("stroke:{c}")),
            ("area", format!("fill:{c}")),
            ("fit", format!("stroke:{c}")),
            (
                "o",
                format!("fill:{};stroke:{c};stroke-width:1.6", colour("paper")),
            ),
        ] {
            sheet.push_str(&format!(
                ".{class}.{mark}{{{rule}}}.{class} .{mark}{{{rule}}}\n"
            ));
        }
    }
    let strokes = (1..STROKES).map(|run| format!(".d{run} .curve"));
    for of in strokes.chain([".aside .curve".to_owned()]) {
        sheet.push_str(&format!("{of}{{{}}}\n", rule(&of)));
    }
    for place in 0..PARTS {
        let fill = colour(&format!("s{place}"));
        sheet.push_str(&format!(".s{place}{{fill:{fill}}}"));
    }
    for class in (0..9)
        .map(|level| format!("h{level}"))
        .chain(["hd".to_owned()])
    {
        sheet.push_str(&format!(".{class} rect{{fill:{}}}", colour(&class)));
    }
    let on = colour("ho");
    sheet.push_str(&format!(
        ".h0 text{{fill:{on}}}.h8 text{{fill:{on}}}.cell .hatch{{fill:url(#hatch)}}\n"
    ));
    sheet
}

fn fixed() -> String {
    let (ink, quiet, rule, paper) = (
        colour("ink"),
        colour("quiet"),
        colour("rule"),
        colour("paper"),
    );
    let (bad, doubt) = (colour("bad"), colour("doubt"));
    format!(
        "text{{font-family:\"{FONT}\",sans-serif;font-size:12px;fill:{ink}}}\n\
         .title{{font-size:15px;font-weight:bold}}.name{{font-weight:bold}}.fine{{font-size:10.5px}}\n\
         .m{{text-anchor:middle}}.e{{text-anchor:end}}.tick{{fill:{quiet}}}.paper{{fill:{paper}}}\n\
         .grid{{stroke:{rule};stroke-width:1;fill:none}}.axis{{stroke:{quiet};stroke-width:1}}\n\
         .one{{stroke:{ink};stroke-width:1.2}}.band{{fill:{rule};opacity:.5}}\n\
         .mark{{stroke:{paper};stroke-width:.6}}.whisker{{stroke-width:2}}\n\
         .curve{{fill:none;stroke-width:2}}.area{{opacity:.2}}.dots{{fill:none;stroke:none}}\n\
         .fit{{fill:none;stroke-width:1.5;stroke-dasharray:5 4}}\n\
         .cross{{stroke:{bad};stroke-width:1.8;fill:none}}.part{{stroke:{paper};stroke-width:1}}\n\
         .on0{{fill:#fff}}.on1{{fill:#111}}.on2{{fill:#111}}.on3{{fill:#111}}.on4{{fill:#111}}.on5{{fill:#fff}}.on6{{fill:#111}}\n\
         .hn rect{{fill:none;stroke:{quiet};stroke-dasharray:3 3}}.stroke{{stroke:{doubt};stroke-width:1.4;opacity:.35}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_is_one_of_the_page() {
        for name in [
            "ink", "paper", "v0", "v5", "s5", "h0", "h8", "hd", "ho", "good",
        ] {
            assert!(
                colour(name).starts_with('#') && colour(name) != "#000",
                "{name}"
            );
        }
        assert!(!sheet().contains("var("));
        // Each part of a bar, those of a search too, and none in black by mistake.
        for place in 0..crate::document::searched::CLASSES.len() {
            let fill = colour(&format!("s{place}"));
            assert!(sheet().contains(&format!(".s{place}{{fill:{fill}}}")));
            assert_ne!(fill, "#000", "part {place}");
        }
        for of in [".d1 .curve", ".d5 .curve", ".aside .curve"] {
            assert!(rule(of).starts_with("stroke-dasharray:"), "{of}");
        }
    }
}
