//! Two trees of callers on one scale of seconds: callees below their caller, as wide as their time.

use maud::{Markup, html};

use super::frame::{Frame, LINE, fitted, label, px, text_width};

const ROW: f64 = 16.0;
const LEAST: f64 = 0.8;
const DEEPEST: usize = 40;

#[derive(Debug, Clone)]
pub(crate) struct Flames {
    pub(crate) sides: [String; 2],
    pub(crate) total_s: [f64; 2],
    pub(crate) frames: Vec<Flame>,
}

#[derive(Debug, Clone)]
pub(crate) struct Flame {
    pub(crate) name: String,
    pub(crate) above: usize,
    pub(crate) seconds: [f64; 2],
    pub(crate) class: &'static str,
    pub(crate) said: String,
}

pub(crate) fn flames(frame: &Frame<'_>, flames: &Flames) -> Markup {
    let most_s = flames.total_s.into_iter().fold(0.0, f64::max);
    if most_s <= 0.0 {
        return html! {};
    }
    let scale = frame.width / most_s;
    let mut top = 0.0;
    let mut sides = Vec::new();
    for side in [0, 1] {
        let boxes = boxes(flames, side, scale);
        let deepest = boxes.iter().map(|one| one.depth).max().unwrap_or(0);
        let head = top + LINE * frame.large.max(1.0);
        top = head + 6.0 + ROW * (deepest + 1) as f64 + 0.8 * LINE;
        sides.push((head, boxes));
    }
    let body = html! {
        @for ((head, boxes), title) in sides.iter().zip(&flames.sides) {
            (label(0.0, *head, "start", "name", title))
            @for one in boxes { (drawn(one, head + 6.0)) }
        }
    };
    frame.svg(top, None, &body)
}

struct Tile<'a> {
    flame: &'a Flame,
    depth: usize,
    x: f64,
    width: f64,
}

fn boxes(flames: &Flames, side: usize, scale: f64) -> Vec<Tile<'_>> {
    let mut next: Vec<(f64, usize)> = vec![(0.0, 0)];
    let mut boxes = Vec::new();
    for flame in &flames.frames {
        let (x, depth) = next[flame.above];
        let width = flame.seconds[side] * scale;
        next[flame.above].0 += width;
        next.push((x, depth + 1));
        if width >= LEAST && depth < DEEPEST {
            boxes.push(Tile {
                flame,
                depth,
                x,
                width,
            });
        }
    }
    boxes
}

fn drawn(one: &Tile<'_>, top: f64) -> Markup {
    let y = top + ROW * one.depth as f64;
    html! {
        rect class=(format!("flame {}", one.flame.class)) x=(px(one.x)) y=(px(y))
            width=(px(one.width - 0.4)) height=(px(ROW - 1.0)) {
            title { (one.flame.said) }
        }
        @if text_width("mmmm") < one.width {
            (label(one.x + 3.0, y + ROW - 4.5, "start", "w", &fitted(&one.flame.name, one.width - 6.0)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flame(name: &str, above: usize, seconds: [f64; 2]) -> Flame {
        Flame {
            name: name.to_owned(),
            above,
            seconds,
            class: "same",
            said: format!("{name}: said"),
        }
    }

    fn two() -> Flames {
        Flames {
            sides: ["a 3 s".to_owned(), "b 4 s".to_owned()],
            total_s: [3.0, 4.0],
            frames: vec![
                flame("main", 0, [3.0, 4.0]),
                flame("f", 1, [1.0, 1.0]),
                flame("gone", 1, [2.0, 0.0]),
                flame("new", 1, [0.0, 3.0]),
            ],
        }
    }

    #[test]
    fn each_side_has_what_is_on_it_alone_on_one_scale() {
        let flames = two();
        let of = |side| -> Vec<(String, f64, f64)> {
            let boxes = boxes(&flames, side, 10.0).into_iter();
            boxes
                .map(|one| (one.flame.name.clone(), one.x, one.width))
                .collect()
        };
        let named = |name: &str, x, width| (name.to_owned(), x, width);
        assert_eq!(
            of(0),
            [
                named("main", 0.0, 30.0),
                named("f", 0.0, 10.0),
                named("gone", 10.0, 20.0)
            ]
        );
        assert_eq!(
            of(1),
            [
                named("main", 0.0, 40.0),
                named("f", 0.0, 10.0),
                named("new", 10.0, 30.0)
            ]
        );
    }

    #[test]
    fn a_drawing_says_of_each_frame_what_was_found() {
        let drawn = flames(&Frame::file("id", "title", "desc"), &two()).into_string();
        assert!(
            drawn.contains("new: said") && drawn.contains("gone: said"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("main: said").count(), 2);
    }
}
