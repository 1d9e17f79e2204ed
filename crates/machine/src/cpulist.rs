//! Lists of CPUs as the kernel writes them: `0-3,8,10-11`.

pub(crate) fn parse(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(first.parse::<u32>().ok()?..=last.parse().ok()?);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

pub(crate) fn format(cpus: &[u32]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[u32]| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_survive_the_round_trip() {
        for text in ["", "0", "0-1", "0-3,8,10-11", "1,3,5"] {
            assert_eq!(format(&parse(text).unwrap()), text);
        }
    }

    #[test]
    fn order_and_repeats_do_not_matter() {
        assert_eq!(parse("4,0-2,1\n"), Some(vec![0, 1, 2, 4]));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["a", "1-", "-1", "0x3", "1;2"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
