//! Results of other load generators, read from their output.

use crate::load::Said;

pub(crate) fn read(line: &str, output: &str) -> Result<Said, String> {
    let (tool, parse) = known(line)?;
    // A line without its end may have been cut in the middle of a number.
    let end = output.rfind(['\n', '\r']).unwrap_or(0);
    parse(&output[..end])
        .ok_or_else(|| format!("the output of {tool} has no rate of requests in it, or was cut"))
}

pub(crate) fn known(line: &str) -> Result<(&'static str, Parse), String> {
    let words = line.split_whitespace();
    let mut names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    let tool = names.find_map(|name| TOOLS.into_iter().find(|(known, _)| *known == name));
    tool.ok_or_else(|| {
        format!(
            "'{line}' is none of the load generators whose output is known: {}",
            TOOLS.map(|(name, _)| name).join(", ")
        )
    })
}

pub(crate) type Parse = fn(&str) -> Option<Said>;

const TOOLS: [(&str, Parse); 7] = [
    ("wrk", wrk),
    ("wrk2", wrk),
    ("hey", hey),
    ("ab", ab),
    ("redis-benchmark", redis),
    ("pgbench", pgbench),
    ("memcaslap", memcaslap),
];

fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.trim().strip_prefix(key))
        .map(str::trim)
}

fn first_number(text: &str) -> Option<f64> {
    let begin = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[begin..];
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(rest.len());
    rest[..end].trim_end_matches('.').parse().ok()
}

fn count(text: &str, key: &str) -> f64 {
    after(text, key).and_then(first_number).unwrap_or(0.0)
}

/// In ns, of `1.23ms`, `2s`, `12us`.
fn time(text: &str) -> Option<f64> {
    let number = first_number(text)?;
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let factor = match text.trim().trim_start_matches(is_digit).trim() {
        "us" => 1e3,
        "ms" => 1e6,
        "s" | "secs" => 1e9,
        "m" => 60e9,
        _ => return None,
    };
    Some(number * factor)
}

fn wrk(text: &str) -> Option<Said> {
    let percentile = |names: &[&str]| names.iter().find_map(|name| time(after(text, name)?));
    let sockets = after(text, "Socket errors:").map_or(0.0, |line| {
        let counts = line.split(',').filter_map(first_number);
        counts.sum()
    });
    Some(Said {
        per_s: first_number(after(text, "Requests/sec:")?)?,
        p50_ns: percentile(&["50.000%", "50%"]),
        p99_ns: percentile(&["99.000%", "99%"]),
        errors: count(text, "Non-2xx or 3xx responses:") + sockets,
    })
}

/// hey counts requests without an answer too and names the rate last, under one of two headings.
fn hey(text: &str) -> Option<Said> {
    let ends = ["Status code distribution:", "Error distribution:"];
    ends.iter().find(|end| text.contains(*end))?;
    let percentile = |name: &str| {
        let line = after(text, name)?;
        time(line.trim_start_matches('%').trim().trim_start_matches("in"))
    };
    let (answered, failed) = text.split_once("Error distribution:").unwrap_or((text, ""));
    let bad = in_brackets(answered)
        .filter(|(code, rest)| !code.starts_with('2') && rest.contains("responses"));
    let bad = bad.filter_map(|(_, rest)| first_number(rest));
    let lost = in_brackets(failed).filter_map(|(count, _)| first_number(count));
    Some(Said {
        per_s: first_number(after(text, "Requests/sec:")?)?,
        p50_ns: percentile("50%"),
        p99_ns: percentile("99%"),
        errors: bad.sum::<f64>() + lost.sum::<f64>(),
    })
}

/// Of lines such as `[500] 3 responses`: the brackets' content, and the rest.
fn in_brackets(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().map(str::trim);
    lines.filter_map(|line| line.strip_prefix('[')?.split_once(']'))
}

/// Another length is no error (as with `ab -l`); percentiles of 0 ms say nothing.
fn ab(text: &str) -> Option<Said> {
    let percentile = |name| {
        let ms = first_number(after(text, name)?)?;
        Some(ms * 1e6).filter(|&ns| ns > 0.0)
    };
    let lengths = after(text, "(Connect:").and_then(|line| line.split_once("Length:"));
    let lengths = lengths.and_then(|(_, rest)| first_number(rest));
    Some(Said {
        per_s: first_number(after(text, "Requests per second:")?)?,
        p50_ns: percentile("50%"),
        p99_ns: percentile("99%"),
        errors: count(text, "Failed requests:") - lengths.unwrap_or(0.0)
            + count(text, "Non-2xx responses:"),
    })
}

/// redis-benchmark, `-q` or `--csv`: the rate is over all tests, percentiles of a single one.
fn redis(text: &str) -> Option<Said> {
    let csv = redis_csv(text);
    let tests = if csv.is_empty() {
        redis_lines(text)
    } else {
        csv
    };
    let seconds: f64 = tests.iter().map(|test| 1.0 / test.per_s).sum();
    match tests[..] {
        [] => None,
        [test] => Some(test),
        _ => Some(Said {
            per_s: tests.len() as f64 / seconds,
            ..Said::default()
        }),
    }
}

fn redis_csv(text: &str) -> Vec<Said> {
    let rows = text.lines().filter(|line| line.starts_with('"'));
    let mut rows = rows.map(|line| {
        let cells = line.split(',').map(|cell| cell.trim_matches('"'));
        cells.collect::<Vec<_>>()
    });
    let header = rows.next().unwrap_or_default();
    rows.filter_map(|row| {
        let cell = |name| number_below(&header, &row, name);
        Some(Said {
            per_s: cell("rps")?,
            p50_ns: cell("p50_latency_ms").map(|ms| ms * 1e6),
            p99_ns: cell("p99_latency_ms").map(|ms| ms * 1e6),
            ..Said::default()
        })
    })
    .collect()
}

fn redis_lines(text: &str) -> Vec<Said> {
    let mut lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = lines.find(|line| line.contains(&"p99")).unwrap_or_default();
    let values = lines.next().unwrap_or_default();
    let in_table = |name| number_below(&header, &values, name);
    let rates = text.split(['\r', '\n']).filter_map(|line| {
        let (before, rest) = line.split_once(" requests per second")?;
        let p50 = rest
            .split_once("p50=")
            .and_then(|(_, p50)| first_number(p50));
        Some(Said {
            per_s: before.rsplit(' ').next()?.parse().ok()?,
            p50_ns: p50.or_else(|| in_table("p50")).map(|ms| ms * 1e6),
            p99_ns: in_table("p99").map(|ms| ms * 1e6),
            ..Said::default()
        })
    });
    rates.collect()
}

fn number_below(header: &[&str], row: &[&str], name: &str) -> Option<f64> {
    let column = header.iter().position(|one| *one == name)?;
    row.get(column)?.parse().ok()
}

fn pgbench(text: &str) -> Option<Said> {
    Some(Said {
        per_s: first_number(after(text, "tps =")?)?,
        errors: count(text, "number of failed transactions:"),
        ..Said::default()
    })
}

fn memcaslap(text: &str) -> Option<Said> {
    let line = text.lines().rfind(|line| line.contains("TPS:"))?;
    let (_, rest) = line.split_once("TPS:")?;
    Some(Said {
        per_s: first_number(rest)?,
        ..Said::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was run and the file with what it wrote; the rate, the median and p99 in ms, errors.
    const WROTE: &str = "\
wrk -t1 -c4 --latency http://x/ | wrk | 10901.36 | 0.254 | 5.09 | 2188
wrk2 -c4 -R 200 --latency http://x/ | wrk2 | 200.07 | 1.0 | 5.39 | 480
hey -n 500 http://x/ | hey | 7439.4985 | 0.4 | 2.6 | 100
hey -n 20 http://x/ | hey-refused | 23269.5863 | - | - | 20
/usr/bin/ab -n 500 http://x/ | ab | 1711.63 | 1 | 11 | 100
ab -n 500 http://x/ | ab-length | 1498.42 | 2 | 13 | 0
redis-benchmark -t get | redis-benchmark | 113636.37 | 0.047 | 0.103 | 0
redis-benchmark -t get,set -q | redis-benchmark-q | 107526.88 | - | - | 0
redis-benchmark -t get,set --csv | redis-benchmark-csv | 105263.15 | - | - | 0
pgbench -S -c 4 | pgbench | 13759.808245 | - | - | 0
PGUSER=x pgbench -C -c 4 | pgbench-reconnect | 114.649595 | - | - | 0
memcaslap -t 1s | memcaslap | 40777 | - | - | 0";

    /// The cells of each row, what it wrote, and what was read of that.
    fn wrote() -> impl Iterator<Item = ([&'static str; 6], String, Said)> {
        WROTE.lines().map(|row| {
            let cells: Vec<&str> = row.split(" | ").collect();
            let cells: [&str; 6] = cells.try_into().expect(row);
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/load/outputs");
            let output = std::fs::read_to_string(format!("{folder}/{}.txt", cells[1])).unwrap();
            let said = read(cells[0], &output).expect("a rate");
            (cells, output, said)
        })
    }

    #[test]
    fn what_each_tool_really_wrote_is_read() {
        for ([_, file, per_s, p50_ms, p99_ms, errors], _, said) in wrote() {
            let ns = |ms: &str| ms.parse().ok().map(|ms: f64| (ms * 1e6).round());
            assert_eq!(said.p50_ns.map(f64::round), ns(p50_ms), "{file}");
            assert_eq!(said.p99_ns.map(f64::round), ns(p99_ms), "{file}");
            assert_eq!(said.errors, errors.parse::<f64>().unwrap(), "{file}");
            let per_s: f64 = per_s.parse().unwrap();
            assert!((said.per_s / per_s - 1.0).abs() < 1e-6, "{file}: {said:?}");
        }
    }

    #[test]
    fn what_no_tool_wrote_is_no_rate() {
        assert!(read("curl x", "").unwrap_err().contains("none of the load"));
        for (tool, _) in TOOLS {
            assert!(
                read(tool, "nothing").unwrap_err().contains("no rate"),
                "{tool}"
            );
        }
    }

    /// `Requests/sec:   10901.36`, cut behind the first digit, was one request a second.
    #[test]
    fn an_output_that_was_cut_has_no_other_rate() {
        let whole_tests = |file: &str| !file.starts_with("redis") && file != "memcaslap";
        for ([line, file, ..], output, whole) in wrote().filter(|row| whole_tests(row.0[1])) {
            for cut in (0..output.len()).filter(|&cut| output.is_char_boundary(cut)) {
                let Ok(found) = read(line, &output[..cut]) else {
                    continue;
                };
                assert_eq!(found.per_s, whole.per_s, "{file} {cut}");
                let p99 = [found.p99_ns, whole.p99_ns];
                assert!(p99[0].is_none() || p99[0] == p99[1], "{file} {cut}");
            }
        }
    }

    /// Any text at all is read or refused.
    #[test]
    fn a_damaged_output_is_refused_and_no_panic() {
        for output in [
            "Requests/sec: -nan\n",
            "Requests/sec:\n",
            "Requests/sec: ....\n",
            "  99% in\nStatus code distribution:\n [] \n[",
            "\"test\",\"rps\"\n\"GET\"\n",
            "tps = \n",
            "TPS: ä\n",
        ] {
            for (tool, _) in TOOLS {
                let read = read(tool, output);
                assert!(read.is_err(), "{tool} {output:?}: {read:?}");
            }
        }
    }

    #[test]
    fn errors_of_sockets_are_added_to_those_of_answers() {
        let output = "  Socket errors: connect 0, read 2, write 0, timeout 1\n  Non-2xx or 3xx responses: 3\n\
                      Requests/sec:   1234.56\n";
        assert_eq!(read("wrk http://x/", output).unwrap().errors, 6.0);
    }
}
