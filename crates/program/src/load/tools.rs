//! What other load generators say of a run, read from their output.

use crate::load::Said;

/// Reads what a tool wrote; `None` for a tool that is not known.
pub(crate) fn read(line: &str, output: &str) -> Option<Result<Said, String>> {
    let words = line.split_whitespace();
    let mut names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    let (tool, parse): (&str, fn(&str) -> Option<Said>) = names.find_map(|name| {
        let (known, parse) = TOOLS.iter().find(|(known, _)| *known == name)?;
        Some((*known, *parse))
    })?;
    Some(parse(output).ok_or_else(|| format!("the output of {tool} has no rate of requests in it")))
}

/// The names of all of them.
pub(crate) fn names() -> String {
    TOOLS.map(|(name, _)| name).join(", ")
}

type Parse = fn(&str) -> Option<Said>;

const TOOLS: [(&str, Parse); 7] = [
    ("wrk", wrk),
    ("wrk2", wrk),
    ("hey", hey),
    ("ab", ab),
    ("redis-benchmark", redis),
    ("pgbench", pgbench),
    ("memcaslap", memcaslap),
];

/// What follows `key` on a line, up to the end of the line.
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

/// `1.23ms`, `2s`, `12us` in ns.
fn time(text: &str) -> Option<f64> {
    let number = first_number(text)?;
    let unit = text
        .trim()
        .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
        .trim();
    let factor = match unit {
        "us" => 1e3,
        "ms" => 1e6,
        "s" | "secs" => 1e9,
        "m" => 60e9,
        _ => return None,
    };
    Some(number * factor)
}

/// wrk and wrk2 with `--latency`.
fn wrk(text: &str) -> Option<Said> {
    let percentile = |names: &[&str]| names.iter().find_map(|name| time(after(text, name)?));
    let failed = after(text, "Non-2xx or 3xx responses:").and_then(first_number);
    let sockets = after(text, "Socket errors:").map_or(0.0, |line| {
        let counts = line.split(',').filter_map(first_number);
        counts.sum()
    });
    Some(Said {
        per_s: first_number(after(text, "Requests/sec:")?)?,
        p50_ns: percentile(&["50.000%", "50%"]),
        p99_ns: percentile(&["99.000%", "99%"]),
        errors: failed.unwrap_or(0.0) + sockets,
    })
}

fn hey(text: &str) -> Option<Said> {
    let percentile = |name: &str| {
        let line = after(text, name)?;
        time(line.trim_start_matches("in").trim())
    };
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with('['));
    let bad = lines.filter(|line| !line.starts_with("[2") && line.contains("responses"));
    let bad = bad.filter_map(|line| first_number(line.split(']').nth(1)?));
    Some(Said {
        per_s: first_number(after(text, "Requests/sec:")?)?,
        p50_ns: percentile("50%").or_else(|| percentile("50%%")),
        p99_ns: percentile("99%").or_else(|| percentile("99%%")),
        errors: bad.sum(),
    })
}

fn ab(text: &str) -> Option<Said> {
    let percentile = |name| first_number(after(text, name)?).map(|ms| ms * 1e6);
    let count = |name| after(text, name).and_then(first_number).unwrap_or(0.0);
    Some(Said {
        per_s: first_number(after(text, "Requests per second:")?)?,
        p50_ns: percentile("50%"),
        p99_ns: percentile("99%"),
        errors: count("Failed requests:") + count("Non-2xx responses:"),
    })
}

/// redis-benchmark `--csv` or `-q`; of several tests the sum of times counts, so the first is read.
fn redis(text: &str) -> Option<Said> {
    let csv = text.lines().filter(|line| line.starts_with('"'));
    let mut rows = csv.map(|line| {
        line.split(',')
            .map(|cell| cell.trim_matches('"'))
            .collect::<Vec<_>>()
    });
    let first = rows.next();
    if let Some(header) = first.filter(|header| header.first() == Some(&"test")) {
        let row = rows.next()?;
        let cell = |name: &str| {
            row.get(header.iter().position(|one| *one == name)?)?
                .parse::<f64>()
                .ok()
        };
        return Some(Said {
            per_s: cell("rps")?,
            p50_ns: cell("p50_latency_ms").map(|ms| ms * 1e6),
            p99_ns: cell("p99_latency_ms").map(|ms| ms * 1e6),
            errors: 0.0,
        });
    }
    let line = text
        .split(['\r', '\n'])
        .rfind(|line| line.contains("requests per second"))?;
    let (_, rest) = line.rsplit_once(':').unwrap_or(("", line));
    Some(Said {
        per_s: first_number(rest)?,
        p50_ns: rest
            .split_once("p50=")
            .and_then(|(_, p50)| first_number(p50))
            .map(|ms| ms * 1e6),
        p99_ns: None,
        errors: 0.0,
    })
}

fn pgbench(text: &str) -> Option<Said> {
    let average = after(text, "latency average =").and_then(first_number);
    Some(Said {
        per_s: first_number(after(text, "tps =")?)?,
        p50_ns: average.map(|ms| ms * 1e6),
        p99_ns: None,
        errors: after(text, "number of failed transactions:")
            .and_then(first_number)
            .unwrap_or(0.0),
    })
}

fn memcaslap(text: &str) -> Option<Said> {
    let line = text.lines().rfind(|line| line.contains("TPS:"))?;
    let (_, rest) = line.split_once("TPS:")?;
    Some(Said {
        per_s: first_number(rest)?,
        p50_ns: None,
        p99_ns: None,
        errors: 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str, output: &str) -> Said {
        read(line, output).expect("a known tool").expect("a rate")
    }

    #[test]
    fn each_tool_is_read() {
        let wrk = said(
            "wrk -t1 -c4 --latency http://127.0.0.1:1/",
            "  Latency Distribution\n     50%    1.50ms\n     99%   12.00ms\n  Socket errors: connect 0, read 2, \
             write 0, timeout 1\n  Non-2xx or 3xx responses: 3\nRequests/sec:   1234.56\n",
        );
        assert_eq!(
            (wrk.per_s, wrk.p99_ns, wrk.errors),
            (1234.56, Some(12e6), 6.0)
        );
        let ab = said(
            "/usr/bin/ab -n 10 http://x/",
            "Failed requests:        1\nRequests per second:    200.5 [#/sec] (mean)\n  50%      3\n  99%      9\n",
        );
        assert_eq!((ab.per_s, ab.p50_ns, ab.errors), (200.5, Some(3e6), 1.0));
        let redis = said(
            "redis-benchmark -q -t get",
            "GET: rps=0.0\rGET: 98765.43 requests per second, p50=0.207 msec\n",
        );
        assert_eq!((redis.per_s, redis.p50_ns), (98765.43, Some(207_000.0)));
        let csv = "\"test\",\"rps\",\"avg_latency_ms\",\"p50_latency_ms\",\"p99_latency_ms\"\n\"GET\",\"100.5\",\"1\",\"2\",\"3\"\n";
        assert_eq!(said("redis-benchmark --csv", csv).p99_ns, Some(3e6));
        let pg = said(
            "pgbench -c 4",
            "latency average = 2.5 ms\ntps = 800.25 (without initial connection time)\n",
        );
        assert_eq!((pg.per_s, pg.p50_ns), (800.25, Some(2.5e6)));
        let hey = said(
            "hey -n 5 http://x/",
            "  Requests/sec:\t50.5\n  50% in 0.0010 secs\n  99% in 0.0100 secs\n  [200]\t4 responses\n  [500]\t1 responses\n",
        );
        assert_eq!((hey.per_s, hey.p99_ns, hey.errors), (50.5, Some(1e7), 1.0));
        assert_eq!(
            said(
                "memcaslap -s x",
                "Run time: 1.0s Ops: 9 TPS: 12345 Net_rate: 1M/s\n"
            )
            .per_s,
            12345.0
        );
        assert!(read("curl x", "").is_none());
        assert!(read("ab x", "nothing").unwrap().is_err());
    }
}
