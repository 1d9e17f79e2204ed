//! The marker of each variant.

use maud::{Markup, html};

use super::px;

/// Different markers; after the last they begin again.
pub(crate) const MARKERS: usize = 6;

/// The outline of variant `place`'s marker around a point, as path data: circle, square,
/// triangle, diamond, upright cross, triangle on its point.
pub(crate) fn outline(place: usize, x: f64, y: f64, r: f64) -> String {
    let at = |dx: f64, dy: f64| format!("{} {}", px(x + dx * r), px(y + dy * r));
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<_> = corners.iter().map(|&(dx, dy)| at(dx, dy)).collect();
        format!("M{}Z", corners.join("L"))
    };
    match place % MARKERS {
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

/// The class that colours variant `place`.
pub(crate) fn class(place: usize) -> String {
    format!("v{}", place % MARKERS)
}

/// The class of a path with variant `place`'s marker at each of its points: the style sheet
/// refers to the definitions by it.
pub(crate) fn marked(place: usize) -> String {
    format!("m{}", place % MARKERS)
}

/// The markers as definitions, once a document, so that a chart of thousands of slots needs
/// no more than their places.
pub(crate) fn definitions() -> Markup {
    html! {
        @for place in 0..MARKERS {
            marker id=(marked(place)) viewBox="-9 -9 18 18" markerWidth="18"
                markerHeight="18" markerUnits="userSpaceOnUse" {
                g class=(class(place)) { path class="mark" d=(outline(place, 0.0, 0.0, 3.4)) {} }
            }
        }
    }
}

/// The outline of marker `place` around the origin, in the colour of whoever uses it.
pub(crate) fn key(place: usize) -> Markup {
    html! { path.mark id=(format!("k{place}")) d=(outline(place, 0.0, 0.0, 4.5)) {} }
}

/// A marker beside a label in a legend, in a square of 14.
pub(crate) fn drawn(place: usize) -> Markup {
    html! { g class=(class(place)) { path class="mark" d=(outline(place, 7.0, 7.0, 4.5)) {} } }
}
