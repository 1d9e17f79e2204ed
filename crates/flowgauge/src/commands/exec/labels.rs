use report::text::cut;

use super::parameters::Written;

const LABEL: usize = 40;

/// Where a label also shows the place at which commands differ.
const BEGIN: usize = 12;

/// The given name, or the command cut to where it differs. Repeated ones are numbered.
pub(super) fn of(
    commands: &[Written],
    given: impl Fn(usize, &Written) -> Option<String>,
) -> Vec<String> {
    let lines: Vec<String> = commands.iter().map(|one| line(&one.command)).collect();
    let mut labels: Vec<String> = Vec::new();
    for (number, one) in commands.iter().enumerate() {
        let label = given(number, one).unwrap_or_else(|| beside(&lines[number], &lines));
        labels.push(free(label, &labels));
    }
    labels
}

pub(super) fn short(command: &str) -> String {
    cut(&line(command), LABEL).into_owned()
}

fn line(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Another line with the same beginning is shown from the first word that differs.
fn beside(line: &str, all: &[String]) -> String {
    let label = cut(line, LABEL);
    let others = all.iter().filter(|other| *other != line);
    let like = others.filter(|other| cut(other, LABEL) == label);
    let Some(same) = like.map(|other| in_common(line, other)).max() else {
        return label.into_owned();
    };
    let chars: Vec<char> = line.chars().collect();
    let word = chars[..same].iter().rposition(|c| *c == ' ');
    let from = word.map_or(0, |space| space + 1).max(same - BEGIN);
    let begin: String = chars[..BEGIN].iter().collect();
    let rest: String = chars[from..].iter().collect();
    let room = LABEL - BEGIN - 1;
    format!("{}…{}", begin.trim_end(), cut(&rest, room))
}

fn in_common(one: &str, other: &str) -> usize {
    let pairs = one.chars().zip(other.chars());
    pairs.take_while(|(a, b)| a == b).count()
}

fn free(label: String, taken: &[String]) -> String {
    let numbered = (2..).map(|n| format!("{label} #{n}"));
    let mut all = std::iter::once(label.clone()).chain(numbered);
    all.find(|one| !taken.contains(one)).unwrap_or(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(commands: &[&str]) -> Vec<String> {
        let written = commands.iter().map(|command| Written {
            command: (*command).to_owned(),
            ..Written::default()
        });
        of(&written.collect::<Vec<_>>(), |_, _| None)
    }

    /// Both were called `sh -c 'sleep 0.01; echo /var/lib/someth…`.
    #[test]
    fn commands_that_begin_the_same_are_named_by_where_they_differ() {
        let command = |last: &str| {
            format!("serve --config /etc/a/long/folder/of/files --workers {last} --quiet")
        };
        assert_eq!(
            labels(&[&command("2"), &command("16"), "true"]),
            ["serve --conf…2 --quiet", "serve --conf…16 --quiet", "true"]
        );
    }

    #[test]
    fn a_difference_within_a_long_word_is_shown() {
        let command = |last: &str| format!("run /{}/{last}", "x".repeat(60));
        assert_eq!(
            labels(&[&command("a"), &command("b")]),
            ["run /xxxxxxx…xxxxxxxxxxx/a", "run /xxxxxxx…xxxxxxxxxxx/b"]
        );
    }

    #[test]
    fn the_same_command_is_numbered() {
        assert_eq!(
            labels(&["true", "true", "true"]),
            ["true", "true #2", "true #3"]
        );
    }

    #[test]
    fn a_line_that_is_the_beginning_of_another_keeps_its_end() {
        let long = "a".repeat(50);
        let longer = format!("{long} b");
        let both = labels(&[&long, &longer]);
        assert_ne!(both[0], both[1]);
    }
}
