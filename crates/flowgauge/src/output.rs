use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result, ensure};
use report::terminal::{PLAIN_WIDTH, Style};
use report::text::visible;

/// A full disk is an error; a closed pipe (`head`) is not.
pub(crate) fn print(text: &str) -> Result<()> {
    is_open()?;
    let mut out = io::stdout().lock();
    taken(out.write_all(text.as_bytes()))
}

/// After all was sent. A closed pipe is no error.
pub(crate) fn taken(written: io::Result<()>) -> Result<()> {
    match written.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => {
            written.context("cannot write to standard output (closed, or its disk is full?)")
        }
    }
}

pub(crate) fn is_open() -> Result<()> {
    ensure!(
        !flow::stdout_was_closed(),
        "standard output is closed, so the answer could not be printed: send it to a file, or to \
         /dev/null where nobody wants it"
    );
    Ok(())
}

/// Control and bidi characters made visible: names come from outside. A closed one is ignored.
pub(crate) fn tell(line: &str) {
    let terminal = terminal_size::terminal_size_of(io::stderr());
    let columns = terminal.map_or(usize::MAX, |(columns, _)| usize::from(columns.0));
    let line = report::text::broken(&visible(line), columns);
    let _closed_is_fine = writeln!(io::stderr(), "{line}");
}

/// Further lines of an error are indented: none is taken for a line of this program.
pub(crate) fn tell_error(error: &anyhow::Error) {
    let told = format!("error: {}", whole(error));
    for (place, line) in told.lines().enumerate() {
        tell(&format!("{}{line}", if place == 0 { "" } else { "  " }));
    }
}

pub(crate) fn whole(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |told, cause| {
        let cause = cause.to_string();
        match told.is_empty() {
            true => cause,
            false if told.contains(&cause) => told,
            false => format!("{told}: {cause}"),
        }
    })
}

pub(crate) fn style() -> Style {
    let terminal = io::stdout().is_terminal();
    let asked = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok());
    let seen = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = if terminal { seen.or(asked) } else { asked };
    Style {
        width: width.unwrap_or(PLAIN_WIDTH).clamp(40, 400),
        colour: colours(),
        ascii: !shows_unicode(),
        verbose: false,
    }
}

/// By the locale; without one assumed, as pipes and containers have none.
fn shows_unicode() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or(set("LC_CTYPE")).or(set("LANG"));
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

pub(crate) fn colours() -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let can = set("TERM").is_some_and(|kind| kind != "dumb");
    io::stdout().is_terminal() && can && set("NO_COLOR").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let error = anyhow::anyhow!("no such file");
        let error = error.context("cannot read x: no such file");
        assert_eq!(whole(&error), "cannot read x: no such file");
        assert_eq!(
            whole(&error.context("it failed")),
            "it failed: cannot read x: no such file"
        );
    }
}
