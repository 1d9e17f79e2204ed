use std::time::Duration;

use report::number::{bytes, count, time};
use report::text::cut;

use super::view::{Row, View};

const MOST: usize = 24;
/// Progress, two headings, the rest, and the cursor's line.
const OTHERS: usize = 5;

pub(super) fn lines(view: &View<'_>, rows: Vec<Row>, columns: usize, height: usize) -> Vec<String> {
    let most = height.saturating_sub(OTHERS).clamp(1, MOST);
    let (shown, others) = busiest(rows, most);
    let mut lines = vec![
        format!(
            "{}: {} in, {}",
            view.what,
            time(view.age.as_nanos() as f64),
            view.flows
        ),
        heading(),
    ];
    lines.extend(shown.iter().map(line));
    lines.extend(rest(view, &others));
    let fitted = lines.iter().map(|line| cut(line, columns).into_owned());
    fitted.collect()
}

pub(super) fn too_short(what: &str, lasted: Duration, first_look: Duration) -> String {
    let [lasted, first_look] = [lasted, first_look].map(|time| self::time(time.as_nanos() as f64));
    format!("{what}: over in {lasted}, before the first look after {first_look}")
}

fn busiest(rows: Vec<Row>, most: usize) -> (Vec<Row>, Vec<Row>) {
    if rows.len() <= most {
        return (rows, Vec::new());
    }
    let mut places: Vec<usize> = (0..rows.len()).collect();
    places.sort_by(|&a, &b| rows[b].share.total_cmp(&rows[a].share));
    places.truncate(most);
    let rows = rows.into_iter().enumerate();
    let (shown, others): (Vec<_>, Vec<_>) = rows.partition(|(at, _)| places.contains(at));
    let plain = |rows: Vec<(usize, Row)>| rows.into_iter().map(|(_, row)| row).collect();
    (plain(shown), plain(others))
}

fn heading() -> String {
    columns(
        [
            "what", "pid", "tid", "state", "CPU", "CPU %", "RSS", "threads",
        ]
        .map(str::to_owned),
    )
}

fn line(row: &Row) -> String {
    let of_process = |text: fn((u64, u32)) -> String| row.process.map_or(String::new(), text);
    columns([
        row.what.to_owned(),
        row.pid.to_string(),
        row.tid.to_string(),
        row.state.word().to_owned(),
        row.cpu.to_string(),
        format!("{:.1}", row.share * 100.0),
        of_process(|(rss, _)| bytes(rss as f64)),
        of_process(|(_, threads)| count(threads.into())),
    ])
}

fn columns([what, pid, tid, state, cpu, share, memory, threads]: [String; 8]) -> String {
    let line = format!(
        "  {what:<7}  {pid:>7}  {tid:>7}  {state:<8}  {cpu:>3}  {share:>5}  {memory:>8}  {threads:>7}"
    );
    line.trim_end().to_owned()
}

fn rest(view: &View<'_>, others: &[Row]) -> Option<String> {
    let hidden = view.not_looked_at();
    let share: f64 = others.iter().map(|row| row.share).sum();
    let running = others.iter().filter(|row| row.state.0 == 'R').count();
    let seen = (!others.is_empty()).then(|| {
        format!(
            "{} more, {} running, {:.1} CPU % together",
            count(others.len() as u64),
            count(running as u64),
            share * 100.0
        )
    });
    let unseen = (hidden > 0).then(|| format!("{} not looked at", count(hidden)));
    let parts: Vec<String> = seen.into_iter().chain(unseen).collect();
    (!parts.is_empty()).then(|| format!("  and {}", parts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::super::view::tests::{process, rows, task, view};
    use super::*;

    #[test]
    fn a_look_fits_eighty_columns() {
        let processes = [process(10, 2), process(1_048_576, 1)];
        let tasks = [
            task(10, 10, 'S', 0),
            task(10, 4_194_303, 'R', 50),
            task(1_048_576, 1_048_576, 'D', 100),
        ];
        let view = view(&processes, &tasks);
        let lines = lines(&view, rows(&view, 100), 80, 24);
        assert_eq!(
            lines,
            [
                "primes trial, round 3, thread: 1.25 s in, 2 flows",
                "  what         pid      tid  state     CPU  CPU %       RSS  threads",
                "  parent        10       10  sleeping    1    0.0  3.00 MiB        2",
                "  thread        10  4194303  running     1   50.0",
                "  process  1048576  1048576  in I/O      1  100.0  3.00 MiB        1",
            ]
        );
    }

    #[test]
    fn the_busiest_are_shown_and_the_others_counted() {
        let processes = [process(10, 5_000)];
        let tasks: Vec<_> = (0..40).map(|i| task(10, 10 + i, 'R', i as u64)).collect();
        let view = view(&processes, &tasks);
        let lines = lines(&view, rows(&view, 100), 60, 12);
        assert_eq!(lines.len(), 10);
        assert!(
            lines[2].contains(" 43 ") && lines[2].contains("33.0"),
            "{}",
            lines[2]
        );
        let last = lines.last().unwrap();
        assert!(
            last.starts_with("  and 33 more, 33 running, 528.0 CPU % together; 4"),
            "{last}"
        );
        assert!(lines.iter().all(|line| line.chars().count() <= 60));
    }

    #[test]
    fn a_slot_that_was_too_short_is_said_to_be() {
        let line = too_short(
            "switch",
            Duration::from_millis(41),
            Duration::from_millis(100),
        );
        assert_eq!(
            line,
            "switch: over in 41.0 ms, before the first look after 100 ms"
        );
    }
}
