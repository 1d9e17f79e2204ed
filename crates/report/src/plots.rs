//! Every chart of the page as a file of its own. A file has no style sheet, so a plot has its own,
//! in light colours and written out in full: readers of SVG often know neither variables nor
//! shorthands. PNG files are rendered at twice the size, with outlines of letters that come with
//! the program: of western languages; others are boxes in PNG, and right in SVG.

mod legend;
mod outlines;
mod style;

use lab::Results;
use maud::{Markup, html};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::charts::{Frame, LINE, WIDE, definitions, label, px};
use crate::document::figures::Figure;
use crate::document::{Document, FOLDER};
use crate::text::visible_markup;

const MARGIN: f64 = 14.0;
const SCALE: f32 = 2.0;

/// A chart as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plot {
    /// Name of the file without its ending; unique among the plots of a document.
    pub name: String,
    /// The drawing.
    pub svg: String,
}

/// A plot that could not be rendered.
#[derive(Debug, thiserror::Error)]
#[error("cannot render the plot {name}: {message}")]
pub struct PlotError {
    name: String,
    message: String,
}

/// Every chart of a run.
#[must_use]
pub fn all(results: &Results) -> Vec<Plot> {
    plots(Document::of(results, FOLDER).into_figures())
}

pub(crate) fn plots(figures: Vec<(String, Figure)>) -> Vec<Plot> {
    let mut names: Vec<String> = Vec::new();
    let figures = figures.into_iter().map(|(place, figure)| {
        let kind = figure.id.rsplit('-').next().unwrap_or_default();
        let wanted = file_name(&format!("{place} {kind}"));
        let name = free_name(&names, wanted);
        names.push(name.clone());
        let svg = standalone(&figure, &place);
        Plot { name, svg }
    });
    figures.collect()
}

/// Safe for every file system and shell.
fn file_name(words: &str) -> String {
    let mut name = String::new();
    for c in words.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
    }
    name.trim_end_matches('-').to_owned()
}

fn free_name(taken: &[String], wanted: String) -> String {
    let numbered = |number: u32| match number {
        1 => wanted.clone(),
        _ => format!("{wanted}-{number}"),
    };
    let mut names = (1..).map(numbered);
    names.find(|name| !taken.contains(name)).unwrap_or(wanted)
}

fn standalone(figure: &Figure, place: &str) -> String {
    let legend = legend::rows(&figure.legend, WIDE);
    let frame = Frame::file("chart", &figure.title, &figure.desc);
    let chart = figure.chart.draw(&frame);
    let (chart, height) = nested(&chart.into_string());
    let top = MARGIN + 1.8 * LINE + legend.height;
    let (width, height) = (WIDE + 2.0 * MARGIN, top + height + MARGIN);
    let body: Markup = html! {
        rect class="paper" width=(px(width)) height=(px(height)) {}
        (label(MARGIN, MARGIN + LINE, "start", "title", &format!("{} ({place})", figure.title)))
        g transform=(format!("translate({} {})", px(MARGIN), px(MARGIN + 2.0 * LINE))) { (legend.drawing) }
        g transform=(format!("translate({} {})", px(MARGIN), px(top))) { (maud::PreEscaped(&chart)) }
    };
    let size = format!("0 0 {} {}", px(width), px(height));
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(size) width=(px(width)) height=(px(height)) {
            style { (maud::PreEscaped(style::sheet())) }
            defs { (definitions(&chart)) }
            (body)
        }
    };
    visible_markup(&svg.into_string()) + "\n"
}

fn nested(svg: &str) -> (String, f64) {
    let height = svg.split("viewBox=\"").nth(1).and_then(|rest| {
        let size = rest.split('"').next()?;
        size.split(' ').nth(3)?.parse().ok()
    });
    let inside = svg.find('>').map_or("", |end| &svg[end + 1..]);
    let inside = inside.strip_suffix("</svg>").unwrap_or(inside);
    (inside.to_owned(), height.unwrap_or(0.0))
}

impl Plot {
    /// The plot as a PNG image; an error where the drawing cannot be read or rendered.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        let failed = |message: String| PlotError {
            name: self.name.clone(),
            message,
        };
        let drawing = outlines::outlined(&self.svg);
        let tree = Tree::from_str(&drawing, &Options::default())
            .map_err(|error| failed(error.to_string()))?;
        let size = tree.size();
        let (width, height) = (size.width() * SCALE, size.height() * SCALE);
        let pixmap = Pixmap::new(width.ceil() as u32, height.ceil() as u32);
        let mut pixmap = pixmap.ok_or_else(|| failed("it is too large".to_owned()))?;
        resvg::render(
            &tree,
            Transform::from_scale(SCALE, SCALE),
            &mut pixmap.as_mut(),
        );
        pixmap
            .encode_png()
            .map_err(|error| failed(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_no_two_the_same() {
        assert_eq!(
            file_name("primes grain/1000 =ecdf"),
            "primes-grain-1000-ecdf"
        );
        assert_eq!(file_name("../../etc \u{202e}x"), "etc-x");
        let taken = ["a".to_owned(), "a-2".to_owned()];
        assert_eq!(free_name(&taken, "a".to_owned()), "a-3");
        assert_eq!(free_name(&taken, "b".to_owned()), "b");
    }

    /// Charts became PNG by parsers of fonts, one of which nobody mends any more; all of them are
    /// slow to build.
    #[test]
    fn no_parser_of_fonts_is_built_in() {
        let lock = include_str!("../../../Cargo.lock");
        for parser in ["rustybuzz", "ttf-parser", "skrifa", "harfrust"] {
            assert!(!lock.contains(&format!("\"{parser}\"")), "{parser}");
        }
    }
}
