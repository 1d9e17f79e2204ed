//! How the series of a chart are distinguished: six colours and six shapes, as many as an eye tells
//! apart. The seventh series has the first colour and a hollow marker, the thirteenth a filled
//! marker of the next shape: the first [`LOOKS`] differ. Of variants in several runs, colour and
//! marker are the variant's and the stroke is the run's. Others are quiet dashed lines.

use maud::{Markup, PreEscaped, html};

use super::frame::px;

pub(crate) const COLOURS: usize = 6;
const LOOKS: usize = COLOURS * COLOURS * 2;
/// The first is whole; the style sheet has the others.
pub(crate) const STROKES: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Variant(usize),
    /// A variant in one of several runs, by the places of both.
    Run {
        variant: usize,
        run: usize,
    },
    Aside,
}

impl Look {
    fn place(self) -> Option<usize> {
        match self {
            Self::Variant(place) => Some(place % LOOKS),
            Self::Run { variant, run } => Some((variant + COLOURS * (run / STROKES)) % LOOKS),
            Self::Aside => None,
        }
    }

    pub(crate) fn class(self) -> String {
        match self {
            Self::Variant(place) => format!("v{}", place % COLOURS),
            Self::Run { variant, run } if run % STROKES > 0 => {
                format!("v{} d{}", variant % COLOURS, run % STROKES)
            }
            Self::Run { variant, .. } => format!("v{}", variant % COLOURS),
            Self::Aside => "aside".to_owned(),
        }
    }

    pub(crate) fn marked(self) -> String {
        self.place().map_or(String::new(), marker)
    }

    pub(crate) fn key(self) -> Option<String> {
        let place = self.place()?;
        let hollow = if is_hollow(place) { " o" } else { "" };
        Some(format!(
            "key v{} k{}{hollow}",
            place % COLOURS,
            shape(place)
        ))
    }

    /// Path data for a marker that is drawn, not referenced.
    pub(crate) fn outline(self, x: f64, y: f64, r: f64) -> String {
        let place = self.place();
        place.map_or(String::new(), |place| outline(shape(place), x, y, r))
    }

    pub(crate) fn outlined(self) -> &'static str {
        match self.place().is_some_and(is_hollow) {
            true => "o",
            false => "mark",
        }
    }

    pub(crate) fn has_stroke(self) -> bool {
        !matches!(self, Self::Variant(_))
    }
}

fn shape(place: usize) -> usize {
    (place + place / (2 * COLOURS)) % COLOURS
}

fn is_hollow(place: usize) -> bool {
    place / COLOURS % 2 == 1
}

fn marker(place: usize) -> String {
    format!("m{place}")
}

/// Path data: circle, square, triangle, diamond, upright cross, triangle on its point.
pub(crate) fn outline(shape: usize, x: f64, y: f64, r: f64) -> String {
    let at = |dx: f64, dy: f64| format!("{} {}", px(x + dx * r), px(y + dy * r));
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<_> = corners.iter().map(|&(dx, dy)| at(dx, dy)).collect();
        format!("M{}Z", corners.join("L"))
    };
    match shape % COLOURS {
        0 => format!(
            "M{}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0",
            at(-1.0, 0.0),
            d = 2.0 * r
        ),
        1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => polygon(&[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)]),
        3 => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        4 => polygon(&[
            (-0.4, -1.2),
            (0.4, -1.2),
            (0.4, -0.4),
            (1.2, -0.4),
            (1.2, 0.4),
            (0.4, 0.4),
            (0.4, 1.2),
            (-0.4, 1.2),
            (-0.4, 0.4),
            (-1.2, 0.4),
            (-1.2, -0.4),
            (-0.4, -0.4),
        ]),
        _ => polygon(&[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)]),
    }
}

/// The markers that a drawing refers to, once a document: thousands of slots need only places.
pub(crate) fn definitions(drawing: &str) -> Markup {
    let used = (0..LOOKS).filter(|place| drawing.contains(&format!("{}\"", marker(*place))));
    let used: Vec<usize> = used.collect();
    let rule = |place: &usize| {
        let name = marker(*place);
        format!(
            ".{name}{{marker-start:url(#{name});marker-mid:url(#{name});marker-end:url(#{name})}}"
        )
    };
    html! {
        @if !used.is_empty() { style { (PreEscaped(used.iter().map(rule).collect::<String>())) } }
        @for &place in &used {
            marker id=(marker(place)) viewBox="-9 -9 18 18" markerWidth="18"
                markerHeight="18" markerUnits="userSpaceOnUse" {
                (mark(place, (0.0, 0.0), 3.4))
            }
        }
    }
}

fn mark(place: usize, (x, y): (f64, f64), r: f64) -> Markup {
    let class = if is_hollow(place) { "mark o" } else { "mark" };
    html! {
        g class=(Look::Variant(place).class()) {
            path class=(class) d=(outline(shape(place), x, y, r)) {}
        }
    }
}

pub(crate) fn key(shape: usize) -> Markup {
    html! { path.mark id=(format!("k{shape}")) d=(outline(shape, 0.0, 0.0, 4.5)) {} }
}

/// As long as its longest pattern, beside its marker.
const STROKE: f64 = 28.0;

/// For a legend: 14 high; returns its width too.
pub(crate) fn drawn(look: Look) -> (Markup, f64) {
    let stroke = match look.has_stroke() {
        true => STROKE,
        false => 0.0,
    };
    let marker = match look.place() {
        Some(_) => 14.0,
        None => 0.0,
    };
    let gap = if stroke > 0.0 && marker > 0.0 {
        3.0
    } else {
        0.0
    };
    let sample = html! {
        @if stroke > 0.0 {
            g class=(look.class()) { path class="curve" d=(format!("M0 7h{STROKE}")) {} }
        }
        @if let Some(place) = look.place() { (mark(place, (stroke + gap + 7.0, 7.0), 4.5)) }
    };
    (sample, stroke + gap + marker)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn seen(looks: impl Iterator<Item = Look>) -> BTreeSet<(String, String, Option<String>)> {
        looks
            .map(|look| (look.class(), look.marked(), look.key()))
            .collect()
    }

    #[test]
    fn no_two_entries_of_a_legend_look_the_same() {
        assert_eq!(seen((0..LOOKS).map(Look::Variant)).len(), LOOKS);
        let keys: BTreeSet<_> = (0..LOOKS).map(|place| Look::Variant(place).key()).collect();
        assert_eq!(keys.len(), LOOKS);
        let both = |runs: usize| {
            (0..6).flat_map(move |variant| (0..runs).map(move |run| Look::Run { variant, run }))
        };
        assert_eq!(seen(both(2)).len(), 12);
        assert_eq!(seen(both(2 * STROKES)).len(), 12 * STROKES);
    }

    #[test]
    fn the_seventh_variant_has_the_first_colour_and_another_marker() {
        let [first, seventh] = [0, 6].map(Look::Variant);
        assert_eq!((first.class(), seventh.class()), ("v0".into(), "v0".into()));
        assert_eq!(first.key().as_deref(), Some("key v0 k0"));
        assert_eq!(seventh.key().as_deref(), Some("key v0 k0 o"));
        assert_ne!(first.marked(), seventh.marked());
    }

    #[test]
    fn only_markers_that_are_used_are_defined() {
        let drawing = r#"<path class="dots m11"/><path class="curve m2"/>"#;
        let made = definitions(drawing).into_string();
        assert_eq!(made.matches("<marker").count(), 2, "{made}");
        assert!(
            made.contains("id=\"m11\"") && made.contains("mark o"),
            "{made}"
        );
    }
}
