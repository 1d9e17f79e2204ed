/// As given, with the drawn seed, without folders of results and plots.
pub(super) fn command_line(seed: u64) -> Vec<String> {
    let given = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let mut words = without_folders(given);
    if let Some(first) = words.first_mut() {
        "flowgauge".clone_into(first);
    }
    if !words
        .iter()
        .any(|word| word == "--seed" || word.starts_with("--seed="))
    {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    words
}

fn without_folders(given: impl Iterator<Item = String>) -> Vec<String> {
    let mut of_a_folder = false;
    given
        .filter(|word| {
            let own = ["--out", "--plots"].into_iter().any(|flag| {
                let rest = word.strip_prefix(flag);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            });
            let drop = of_a_folder || own;
            of_a_folder = own && !word.contains('=');
            !drop
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_there_now_are_not_written_to_again() {
        let given = [
            "flowgauge",
            "run",
            "--out",
            "a",
            "--plots=b",
            "primes",
            "--output-is-no-flag",
        ];
        let kept = without_folders(given.map(str::to_owned).into_iter());
        assert_eq!(kept, ["flowgauge", "run", "primes", "--output-is-no-flag"]);
    }
}
