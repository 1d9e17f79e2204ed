//! The first screen: answers as a forest, what to do next, and what to beware of. A row has a
//! label, a sentence and, where there is room, a bar with the interval around *same*. Bars share
//! one axis of logarithms, faster on the left, cut at [`MOST`]. Each verdict has its own marker. On
//! a narrow terminal there are no bars, and sentences are wrapped under their labels.

use super::page::Page;
use crate::document::answers::Answers;
use lab::Answer;
use lab::findings::answers::{About, Line};

use crate::text::{tied, width, wrap};
use crate::words::{Tone, tone};

/// Odd: *same* has a column of its own.
const BAR: usize = 19;
const WORDS: usize = 52;
const LABEL: usize = 20;
const MOST: f64 = 8.0;

struct Layout {
    label: usize,
    words: usize,
    bar: bool,
    besides: bool,
    ends: f64,
}

pub(super) fn answers(page: &mut Page<'_>, answers: &Answers, (several, besides): (bool, bool)) {
    let layout = Layout {
        besides,
        ..layout(page, answers)
    };
    let others = match answers.rows.is_empty() {
        true => "ANSWERS",
        false => "OTHER ANSWERS",
    };
    // Of many rows, those that say nothing are named together: the page has them.
    let (unknown, known): (Vec<&Answer>, Vec<&Answer>) =
        answers.all().partition(|row| several && row.says_little());
    let (main, other): (Vec<&Answer>, Vec<&Answer>) = known
        .into_iter()
        .partition(|row| row.is_on_threads_and_processes());
    let groups = [("THREADS AGAINST PROCESSES", main), (others, other)];
    let mut headed = false;
    for (heading, rows) in groups.iter().filter(|(_, rows)| !rows.is_empty()) {
        page.blank();
        let has_bars = rows.iter().any(|row| row.times().is_some());
        title(page, &layout, heading, has_bars && !headed);
        headed |= has_bars;
        rows.iter().for_each(|one| row(page, &layout, one));
    }
    if !unknown.is_empty() {
        page.blank();
        page.text(0, Tone::Strong, "NOT KNOWN YET");
        let labels: Vec<&str> = unknown.iter().map(|row| row.label.as_str()).collect();
        page.text(2, Tone::Doubt, &labels.join("; "));
    }
}

fn layout(page: &Page<'_>, answers: &Answers) -> Layout {
    let labels = answers.all();
    let labels = labels.map(|row| width(&page.shown(&row.label)) + width(row.mark()));
    let label = labels.max().unwrap_or(0).min(LABEL);
    let room = page.prose().saturating_sub(2 + label + 2);
    let bar = room >= WORDS + 2 + BAR;
    let timed = answers.all().filter(|row| row.times().is_some());
    let farthest = timed.filter_map(ends_of);
    let farthest = farthest.flat_map(|(low, high)| [1.0 / low, high]);
    let farthest = farthest.fold(1.0, f64::max);
    Layout {
        label,
        words: if bar { room - BAR - 2 } else { room },
        bar,
        besides: true,
        ends: [1.1, 1.25, 2.0, 4.0]
            .into_iter()
            .find(|end| farthest <= *end)
            .unwrap_or(MOST),
    }
}

fn ends_of(row: &Answer) -> Option<(f64, f64)> {
    row.interval.or(row.ratio.map(|ratio| (ratio, ratio)))
}

fn title(page: &mut Page<'_>, layout: &Layout, heading: &str, with_axis: bool) {
    let mut line = vec![(Tone::Strong, heading.to_owned())];
    if layout.bar && with_axis {
        let before = 2 + layout.label + 2 + layout.words + 2;
        let space = " ".repeat(before.saturating_sub(width(heading)));
        let axis = page.shown("◄ faster ┼ slower ►").into_owned();
        line.push((Tone::Quiet, format!("{space}{axis}")));
    }
    page.line(0, &line);
}

fn row(page: &mut Page<'_>, layout: &Layout, row: &Answer) {
    let words = page.shown(&row.words).into_owned();
    let ends = page.shown(&row.ends).into_owned();
    let room = match layout.bar {
        true => page.prose() - (2 + layout.label + 2),
        false => layout.words,
    };
    let beside = row.times().map_or(room, |_| layout.words);
    let lines = sentence(&words, &ends, beside);
    let label = page
        .shown(&format!("{}{}", row.label, row.mark()))
        .into_owned();
    let names = wrap(&label, layout.label);
    let said = lines
        .into_iter()
        .map(|(loud, rest)| vec![(tone(row), loud), (Tone::Plain, rest)]);
    let shown = |below: &&Line| layout.besides || below.about != About::Besides;
    let below = row.below.iter().filter(shown).flat_map(|below| {
        let lines = wrap(&tied(&page.shown(&below.text)), room);
        lines.into_iter().map(|line| vec![(Tone::Quiet, line)])
    });
    let mut beside: Vec<Vec<(Tone, String)>> = said.chain(below).collect();
    beside.resize(beside.len().max(names.len()), Vec::new());
    for (at, spans) in beside.into_iter().enumerate() {
        let name = names.get(at).map_or("", String::as_str);
        let space = " ".repeat(layout.label + 2 - width(name));
        let taken: usize = spans.iter().map(|(_, text)| width(text)).sum();
        let mut line = vec![(Tone::Plain, format!("{name}{space}"))];
        line.extend(spans);
        if at == 0 && layout.bar && row.times().is_some() {
            line.push((Tone::Plain, " ".repeat(layout.words + 2 - taken)));
            line.push((tone(row), page.shown(&bar(row, layout.ends)).into_owned()));
        }
        page.line(2, &line);
    }
}

fn sentence(words: &str, ends: &str, columns: usize) -> Vec<(String, String)> {
    let whole = format!("{words} {ends}");
    if width(whole.trim_end()) <= columns {
        let rest = if ends.is_empty() {
            String::new()
        } else {
            format!(" {ends}")
        };
        return vec![(words.to_owned(), rest)];
    }
    let loud = wrap(words, columns).into_iter();
    let mut loud: Vec<(String, String)> = loud.map(|line| (line, String::new())).collect();
    if let Some((last, rest)) = loud.last_mut()
        && width(last) + 1 + width(ends) <= columns
    {
        *rest = format!(" {ends}");
        return loud;
    }
    let quiet = wrap(ends, columns)
        .into_iter()
        .map(|line| (String::new(), line));
    loud.extend(quiet.filter(|(_, line)| !line.is_empty()));
    loud
}

/// `    ─●─┼   `: the interval, the estimate by its verdict, and *same*.
fn bar(row: &Answer, ends: f64) -> String {
    let middle = BAR / 2;
    let at = |ratio: f64| {
        let share = (ratio.ln() / ends.ln()).clamp(-1.0, 1.0);
        (middle as f64 + share * middle as f64).round() as usize
    };
    let mut cells = vec![' '; BAR];
    if let Some((low, high)) = row.interval {
        let (low, high) = (at(low), at(high));
        cells[low..=high].fill('─');
    }
    cells[middle] = '┼';
    let marker = match tone(row) {
        Tone::Faster => '●',
        Tone::Slower => '■',
        Tone::Doubt => '▲',
        _ => '◆',
    };
    // A cut end is an arrow beside its marker.
    let (low, high) = ends_of(row).unwrap_or((1.0, 1.0));
    if low < 0.999 / ends {
        cells[0] = '◄';
    }
    if high > ends * 1.001 {
        cells[BAR - 1] = '►';
    }
    if let Some(ratio) = row.ratio.filter(|_| row.interval.is_some()) {
        cells[at(ratio).clamp(1, BAR - 2)] = marker;
    }
    cells.into_iter().collect::<String>().trim_end().to_owned()
}

pub(super) fn axis(page: &Page<'_>, answers: &Answers) -> Option<String> {
    let layout = layout(page, answers);
    let any = answers.all().any(|row| row.times().is_some());
    (layout.bar && any).then(|| {
        let ends = crate::number::trimmed(layout.ends, 2);
        format!("Scale of the answers: logarithmic, {ends}x at the ends. ● faster ■ slower ◆ same ▲ not known")
    })
}

#[cfg(test)]
mod tests {
    use lab::findings::Word;

    use super::*;

    fn row(ratio: f64, interval: (f64, f64), verdict: Word) -> Answer {
        Answer {
            ratio: Some(ratio),
            interval: Some(interval),
            verdict: Some(verdict),
            ..Answer::default()
        }
    }

    #[test]
    fn a_bar_has_its_marker_on_the_side_of_its_verdict() {
        let faster = bar(&row(0.5, (0.4, 0.6), Word::Faster), 2.0);
        assert_eq!(faster, "◄●─      ┼");
        let undecided = bar(&row(0.98, (0.9, 1.2), Word::CannotTell), 2.0);
        assert!(
            undecided.contains('▲') && undecided.chars().count() <= BAR,
            "{undecided}"
        );
        let slower = bar(&row(1.5, (1.4, 1.6), Word::Slower), 2.0);
        assert!(slower.find('┼') < slower.find('■'), "{slower}");
    }

    #[test]
    fn words_and_ends_share_a_line_where_there_is_room() {
        let one = sentence("threads 7.8 % faster", "[3.1 … 20.5 %]", 40);
        assert_eq!(
            one,
            [(
                "threads 7.8 % faster".to_owned(),
                " [3.1 … 20.5 %]".to_owned()
            )]
        );
        assert_eq!(
            sentence("threads 7.8 % faster", "[3.1 … 20.5 %]", 30).len(),
            2
        );
    }
}
