//! Charts of ratios over the number of flows, or of figures by a number over their first.

use lab::{Ratio, Scaling, StudyResult, Topology};

use super::stacks::stack;
use super::{Figure, Legend};
use crate::charts::Chart;
use crate::charts::axis::RATE;
use crate::charts::bars::{Bar, Parts};
use crate::charts::gains::Gains;
use crate::charts::lines::{Point, Series};
use crate::document::table::Table;
use crate::number::plain;
use lab::data::gathered::distinct;

const LINE: usize = 3;

/// Both charts of a work; none for two points. `id` is a prefix.
pub(crate) fn gains(id: &str, work: &Scaling) -> [Option<Figure>; 2] {
    if work.points.len() < LINE {
        return [None, None];
    }
    let over = over_processes(&format!("{id}_over"), work);
    [Some(of_one(&format!("{id}_gain"), work)), over]
}

/// Bars of a work with several allocators or page kinds, at the most flows that have CPUs.
pub(crate) fn chain(id: &str, study: &StudyResult, work: &Scaling) -> Option<Figure> {
    let mut points = work.points.iter();
    let fits = points.rfind(|point| point.flows <= work.room);
    let point = fits.or(work.points.first())?;
    let case = study.cases.iter().find(|case| case.case.name == point.case);
    let mut variants = case.iter().flat_map(|case| &case.case.variants);
    let named = |one: &lab::LabelledVariant| {
        one.variant.allocator.is_some() || one.variant.heap_pages.is_some()
    };
    if !variants.any(named) {
        return None;
    }
    let bar = |variant: &lab::Throughput| Bar {
        label: variant.label.clone(),
        parts: vec![variant.per_s],
    };
    let title = format!(
        "{} {}: {} a second, {} flows",
        work.workload,
        work.along.spoken(),
        work.counted,
        point.flows
    );
    let parts = Parts {
        names: &["a second"],
        unit: &RATE,
        write: plain,
    };
    stack(id, &title, point.variants.iter().map(bar).collect(), parts)
}

fn of_one(id: &str, work: &Scaling) -> Figure {
    let variants = work.points.iter().flat_map(|point| &point.variants);
    let labels = distinct(variants.map(|variant| variant.label.as_str()));
    let labels = labels.into_iter().enumerate();
    let series = labels.map(|(place, label)| of_variant(work, place, label));
    let unit = if work.one > 1 { "one pair" } else { "one flow" };
    let title = format!(
        "{} {}: throughput over {unit}; thin line: all there is to win",
        work.workload,
        work.along.spoken()
    );
    let gains = Gains {
        ideal: to_win(work),
        ..Gains::over_flows(series.collect())
    };
    of_gains(id, title, gains)
}

/// As many times the work of one as flows, up to the CPUs; along SMT core after core.
fn to_win(work: &Scaling) -> Vec<(f64, f64)> {
    let Some((first, last)) = work.points.first().zip(work.points.last()) else {
        return Vec::new();
    };
    let most = match work.along {
        Topology::Smt => last.flows,
        Topology::Cores | Topology::All => work.room.max(work.one),
    };
    let mut flows = vec![first.flows, most.clamp(first.flows, last.flows), last.flows];
    flows.dedup();
    let at = |flows: u32| {
        let won = f64::from(flows.min(most)) / f64::from(work.one);
        (f64::from(flows), won)
    };
    flows.into_iter().map(at).collect()
}

fn of_variant(work: &Scaling, place: usize, label: &str) -> Series {
    let points = work.points.iter().filter_map(|point| {
        let mut variants = point.variants.iter();
        let variant = variants.find(|variant| variant.label == label)?;
        Some(at(point.flows, &variant.over_one?))
    });
    Series::new(place, label, points)
}

fn over_processes(id: &str, work: &Scaling) -> Option<Figure> {
    let points = work.points.iter();
    let points = points.filter_map(|point| {
        let ratio = point.threads_over_processes.as_ref()?;
        Some(at(point.flows, ratio))
    });
    let ours = Series::new(0, "threads over processes", points);
    if ours.points.len() < LINE {
        return None;
    }
    let title = format!(
        "{} {}: throughput of threads over processes, with intervals",
        work.workload,
        work.along.spoken()
    );
    Some(of_gains(id, title, Gains::over_flows(vec![ours])))
}

fn at(flows: u32, ratio: &Ratio) -> Point {
    let ends = ratio.interval.unwrap_or([ratio.ratio; 2]);
    Point::within(flows.into(), ratio.ratio, ends)
}

pub(crate) fn of_gains(id: &str, title: String, gains: Gains) -> Figure {
    let lines = gains.series.len();
    let desc = match gains.are_over_flows() {
        true => format!("{lines} lines over the number of flows."),
        false => format!("{lines} lines by {}.", gains.number),
    };
    let (legend, data) = (Legend::lines(&gains.series), data(&gains));
    Figure::new(id, title, desc, Chart::Gains(gains))
        .legend(legend)
        .data(data)
}

fn data(gains: &Gains) -> Table {
    let rows = gains.series.iter().flat_map(|series| {
        series.points.iter().map(|point| {
            let three = |ratio: f64| format!("{ratio:.3}");
            let ends = [point.low, point.high].map(|end| match point.low < point.high {
                true => three(end),
                false => String::new(),
            });
            let own = [series.label.clone(), plain(point.x), three(point.y)];
            own.into_iter().chain(ends).collect()
        })
    });
    let heads = ["series", &gains.number, "ratio", "from", "to"];
    Table::texts("", &heads, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::table::Unit;

    fn work(along: Topology, flows: &[u32]) -> Scaling {
        let point = |flows: &u32| lab::ScalingPoint {
            flows: *flows,
            case: String::new(),
            variants: Vec::new(),
            threads_over_processes: None,
            dtlb_misses: measure::Measured::not_available("not counted", ""),
        };
        Scaling {
            workload: "warehouse".to_owned(),
            along,
            room: 2,
            counted: "transactions".to_owned(),
            allocates: None,
            one: 1,
            points: flows.iter().map(point).collect(),
        }
    }

    #[test]
    fn flows_beyond_the_cpus_have_nothing_more_to_win() {
        let cores = to_win(&work(Topology::Cores, &[1, 2, 4, 8]));
        assert_eq!(cores, [(1.0, 1.0), (2.0, 2.0), (8.0, 2.0)]);
        let fit = to_win(&work(Topology::Cores, &[1, 2]));
        assert_eq!(fit, [(1.0, 1.0), (2.0, 2.0)]);
        let next_cores = to_win(&work(Topology::Smt, &[1, 4]));
        assert_eq!(next_cores, [(1.0, 1.0), (4.0, 4.0)]);
    }

    #[test]
    fn a_ratio_without_an_interval_has_empty_ends() {
        let ratio = |interval| Ratio {
            ratio: 1.061,
            interval,
        };
        let points = [at(1, &ratio(None)), at(2, &ratio(Some([1.05, 1.07])))];
        let series = Series::new(0, "x", points.into_iter());
        let data = data(&Gains::over_flows(vec![series]));
        let shown = |row: usize| {
            let cells = data.rows[row].iter();
            cells
                .map(|cell| cell.value.shown(Unit::Plain))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(0), ["x", "1", "1.061", "", ""]);
        assert_eq!(shown(1), ["x", "2", "1.061", "1.050", "1.070"]);
    }
}
