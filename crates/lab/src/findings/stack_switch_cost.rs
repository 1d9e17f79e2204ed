//! Why one way to keep a stack movable switches cheaper than another. Three ways of one model run
//! the same turns ([`flow::Way`]); its price is what it takes beyond the way that does nothing:
//!
//! * a copied stack is copied in and out: a price for each byte in use, read off the largest use;
//! * a mapped stack takes system calls, read off the smallest use, and a page fault for each page
//!   touched, read off what is added up to the largest use.
//!
//! These are differences of typical values; verdicts on the times themselves stand beside them.

use flow::{Model, Way};

use super::CaseResult;
use super::phrases::joined;
use crate::data::Metric;
use crate::data::gathered::grouped;
use crate::data::number::{plain, time};

const PAGE: f64 = flow::PAGE as f64;
const KIB: f64 = 1024.0;

pub(super) fn ways(cases: &[CaseResult]) -> Vec<String> {
    let mut points: Vec<Point<'_>> = cases.iter().filter_map(Point::of).collect();
    points.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
    let sweeps = grouped(points.iter().map(|point| (point.sweep, point)));
    let said = sweeps
        .iter()
        .filter_map(|(sweep, points)| sentence(sweep, points));
    said.collect()
}

struct Point<'a> {
    sweep: &'a str,
    bytes: f64,
    own: f64,
    copied: Option<f64>,
    mapped: Option<f64>,
}

impl<'a> Point<'a> {
    fn of(case: &'a CaseResult) -> Option<Self> {
        let point = case.case.sweep.as_ref()?;
        if case.case.metric != Metric::Switch || point.parameter != "stack_use" {
            return None;
        }
        let typical = |way: Way| {
            let variants = case.case.variants.iter();
            let place = variants
                .map(|labelled| labelled.variant.model)
                .position(|model| model == Model::migratable(way, 1))?;
            let value = case.variants.get(place)?.value.as_ref()?;
            Some(value.typical)
        };
        Some(Self {
            sweep: &point.sweep,
            bytes: point.value,
            own: typical(Way::Isomalloc)?,
            copied: typical(Way::Copied),
            mapped: typical(Way::Aliased),
        })
    }
}

fn sentence(sweep: &str, points: &[&Point<'_>]) -> Option<String> {
    let said = joined(
        [copying(points), mapping(points)].into_iter().flatten(),
        "; ",
    )?;
    Some(format!(
        "{sweep}: why the ways to keep a stack movable differ: a stack at an address of its own \
         needs nothing at a switch; {said}"
    ))
}

fn copying(points: &[&Point<'_>]) -> Option<String> {
    let used = points.iter().filter(|point| point.bytes > 0.0);
    let mut added = used.filter_map(|point| Some((point.bytes, point.copied? - point.own)));
    let (bytes, added) = added.next_back().filter(|(_, added)| *added > 0.0)?;
    Some(format!(
        "one that is copied in and out takes {} more for each KiB in use (at {} bytes)",
        time(added * KIB / bytes),
        plain(bytes)
    ))
}

fn mapping(points: &[&Point<'_>]) -> Option<String> {
    let mut added = points
        .iter()
        .filter_map(|point| Some((point.bytes, point.mapped? - point.own)));
    let (least, base) = added.next().filter(|(_, base)| *base > 0.0)?;
    let (most, all) = added.next_back()?;
    let pages = (most - least) / PAGE;
    let for_pages = match (all - base) / pages {
        each if each > 0.0 => format!(
            ", and {} for each further page touched (up to {} bytes), which faults once",
            time(each),
            plain(most)
        ),
        _ => String::new(),
    };
    Some(format!(
        "one that is mapped to its place takes {} more for its system calls{for_pages}",
        time(base)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::testing::has;

    fn point(bytes: f64, copied: f64, mapped: f64) -> Point<'static> {
        Point {
            sweep: "stack use",
            bytes,
            own: 10.0,
            copied: Some(10.0 + copied),
            mapped: Some(10.0 + mapped),
        }
    }

    #[test]
    fn the_price_of_each_way_is_what_it_adds_to_the_one_that_does_nothing() {
        let points = [
            point(256.0, 30.0, 8_000.0),
            point(4_096.0, 800.0, 8_300.0),
            point(1_048_576.0, 204_800.0, 109_976.0),
        ];
        let said = sentence("stack use", &points.iter().collect::<Vec<_>>()).unwrap();
        has(&said, "200 ns more for each KiB in use");
        has(&said, "8.00 µs more for its system calls");
        has(&said, "398 ns for each further page");
    }

    #[test]
    fn one_way_alone_says_nothing() {
        let alone = Point {
            copied: None,
            mapped: None,
            ..point(256.0, 0.0, 0.0)
        };
        assert_eq!(sentence("stack use", &[&alone]), None);
    }
}
