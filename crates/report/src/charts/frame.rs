use maud::{Markup, html};

use crate::text::{cut, visible, width};

pub(crate) const WIDE: f64 = 860.0;
pub(crate) const PAGE: f64 = 640.0;
/// Width at which a drawing for the page is shown on a telephone.
const PHONE: f64 = 350.0;
pub(super) const COLUMN: f64 = 7.5;
pub(crate) const LINE: f64 = 16.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    pub(crate) desc: &'a str,
    pub(crate) width: f64,
    /// How many times as large as here its text may be shown.
    pub(crate) large: f64,
}

impl<'a> Frame<'a> {
    pub(crate) fn file(id: &'a str, title: &'a str, desc: &'a str) -> Self {
        Self {
            id,
            title,
            desc,
            width: WIDE,
            large: 1.0,
        }
    }

    pub(crate) fn page(id: &'a str, title: &'a str, desc: &'a str) -> Self {
        Self {
            width: PAGE,
            large: PAGE / PHONE,
            ..Self::file(id, title, desc)
        }
    }

    pub(crate) fn below(&self) -> f64 {
        LINE * (1.4 + 0.9 * self.large)
    }

    pub(crate) fn foot(&self) -> f64 {
        self.below() + 0.4 * LINE * self.large
    }

    pub(crate) fn svg(&self, height: f64, data: Option<&str>, body: &Markup) -> Markup {
        let (title, desc) = (format!("{}-t", self.id), format!("{}-d", self.id));
        html! {
            svg id=(self.id) role="img" viewBox=(format!("0 0 {} {}", px(self.width), px(height)))
                data-y=[data] aria-labelledby=(format!("{title} {desc}")) {
                title id=(title) { (visible(self.title)) }
                desc id=(desc) { (visible(self.desc)) }
                (body)
            }
        }
    }
}

pub(crate) fn px(length: f64) -> String {
    let rounded = (length * 10.0).round() / 10.0;
    // A negative zero becomes positive.
    format!("{}", rounded + 0.0)
}

pub(crate) fn text_width(text: &str) -> f64 {
    width(&visible(text)) as f64 * COLUMN
}

pub(crate) fn fitted(text: &str, length: f64) -> String {
    cut(&visible(text), (length / COLUMN).max(1.0) as usize).into_owned()
}

pub(crate) fn widest<'a>(labels: impl Iterator<Item = &'a str>, most: f64) -> f64 {
    labels.map(text_width).fold(0.0, f64::max).min(most)
}

pub(crate) fn label(x: f64, y: f64, anchor: &str, class: &str, text: &str) -> Markup {
    // Short names: a page has thousands of labels.
    let class = match anchor {
        "middle" => format!("m {class}"),
        "end" => format!("e {class}"),
        _ => class.to_owned(),
    };
    let class = class.trim_end();
    html! { text x=(px(x)) y=(px(y)) class=[(!class.is_empty()).then_some(class)] { (visible(text)) } }
}

pub(crate) fn line(from: (f64, f64), to: (f64, f64), class: &str) -> Markup {
    html! { line x1=(px(from.0)) y1=(px(from.1)) x2=(px(to.0)) y2=(px(to.1)) class=(class) {} }
}

/// Points as the shortest path of steps, `M5 6l1-2 3 4`, to one part in `parts` of a unit.
pub(crate) fn steps(points: &[(f64, f64)], parts: f64) -> String {
    let whole = |length: f64| (length * parts).round() as i64;
    let mut last = (0, 0);
    let mut path = String::new();
    for (place, (x, y)) in points.iter().enumerate() {
        let at = (whole(*x), whole(*y));
        let [right, down] = [at.0 - last.0, at.1 - last.1].map(|step| px(step as f64 / parts));
        path.push_str(["M", "l", ""][place.min(2)]);
        for (first, number) in [(place < 2, right), (false, down)] {
            // A sign keeps numbers apart as well as a space does.
            if !first && !number.starts_with('-') {
                path.push(' ');
            }
            path.push_str(&number);
        }
        last = at;
    }
    if points.len() == 1 {
        path.push_str("l0 0");
    }
    path
}

pub(crate) const FINE: f64 = 10.0;
pub(crate) const COARSE: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_do_not_add_their_errors_up() {
        let points: Vec<_> = (0..100).map(|n| (f64::from(n) * 0.34, 1.0)).collect();
        let path = steps(&points, FINE);
        let steps_right = path[1..].replace('l', " ");
        let numbers = steps_right.split(' ').step_by(2);
        let end: f64 = numbers.filter_map(|step| step.parse::<f64>().ok()).sum();
        assert!((end - 99.0 * 0.34).abs() < 0.051, "{end}: {path}");
        assert_eq!(steps(&[(2.0, 3.26)], FINE), "M2 3.3l0 0");
        let three = [(2.4, 3.2), (1.4, 4.6), (8.0, 1.0)];
        assert_eq!(steps(&three, COARSE), "M2 3l-1 2 7-4");
        assert_eq!(steps(&[], FINE), "");
    }
}
