//! Placeholders that nothing would fill in, refused before anything is launched. A brace in quotes
//! (`awk '{print}'`) or behind a `$` is the command's own.

use anyhow::{Result, bail, ensure};
use program::command_line::bare;
use program::fill::has;

use super::command::Named;
use crate::args::ExecArgs;

const NAMES: [&str; 8] = [
    "flows",
    "processes",
    "threads",
    "i",
    "cpu",
    "port",
    "dir",
    "build",
];

pub(super) fn check(args: &ExecArgs, commands: &[Named]) -> Result<()> {
    let of_commands = commands.iter().flat_map(|command| command.program.lines());
    for line in of_commands.chain(args.serve.load.iter().map(String::as_str)) {
        is_written_well(line)?;
        ensure!(
            args.copies.is_some() || !has(line, "i"),
            "{{i}} is the number of a copy, and there are none: add --copies N and --against: {line}"
        );
        let is_numbered = args.flows.is_some()
            || args.sweep.is_some()
            || args.grid.is_some()
            || args.copies.is_some();
        ensure!(
            is_numbered || !has(line, "flows"),
            "{{flows}} is a number that nothing gives: add --flows 4 for one, or --sweep flows=1,2,4 for several: {line}"
        );
        let split = ["processes", "threads"]
            .into_iter()
            .find(|name| has(line, name));
        if let (Some(name), None) = (split, &args.grid) {
            bail!(
                "{{{name}}} is a part of a split, and there is none: add --grid, or use {{flows}}, the number \
                 of --flows and --sweep: {line}"
            );
        }
    }
    Ok(())
}

fn is_written_well(line: &str) -> Result<()> {
    let bare = bare(line);
    for (at, _) in bare.match_indices('{') {
        let rest = &bare[at + 1..];
        let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        let (name, next) = (&rest[..end], rest[end..].chars().next());
        if name.is_empty() || bare[..at].ends_with('$') {
            continue;
        }
        match next {
            Some('}') if NAMES.contains(&name) => {}
            Some('}') => bail!(
                "{{{name}}} is no placeholder{}: use {{{}}}, or a name of -L or -P; quote it to pass it on as it \
                 is: {line}",
                names::meant(name, NAMES),
                NAMES.join("} {")
            ),
            None | Some(' ' | '\t') => bail!("the brace of {{{name} is not closed: {line}"),
            Some(_) => {}
        }
    }
    let lone = |word: &str| {
        let (name, _) = word.split_once('}').unwrap_or_default();
        NAMES.contains(&name)
    };
    match bare.split_whitespace().find(|word| lone(word)) {
        Some(word) => bail!("the brace of {word} is not opened: {line}"),
        None => Ok(()),
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_shells_and_other_programs_are_left_to_them() {
        for line in [
            "work -t {flows} -o {dir}/x -p {port}",
            "awk '{print}' f",
            "sh -c 'echo {name}'",
            "echo ${name} \"${i}\" \\{name\\}",
            "find . -exec cat {} +",
            "{ echo a; }",
            "echo {a,b} {1..3}",
            "f() { true; }; f",
        ] {
            assert!(is_written_well(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_name_that_is_no_placeholder_is_refused_with_the_nearest_one() {
        for (line, said) in [
            ("work -t {thread}", "did you mean 'threads'?"),
            ("work -t {n}", "{n} is no placeholder: use {flows}"),
            ("work -t {flows -x", "the brace of {flows is not closed"),
            ("work -t {flows", "the brace of {flows is not closed"),
            ("work -t flows} -x", "the brace of flows} is not opened"),
        ] {
            let error = is_written_well(line).unwrap_err().to_string();
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
