//! `flowgauge man`: manual pages made from the arguments themselves. What stands behind them in
//! `--help` has parts, each with a heading and a colon (`Examples:`, `Exit codes: 0 answered,
//! ...`): sections of the page. Lines below a heading stay, text is filled.

use anyhow::Result;
use clap::builder::{Resettable, StyledStr};
use clap::{Arg, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::args::{self, CompletionsArgs, ManArgs};
use crate::ending::Ending;
use crate::output;
use crate::whole_file;

const VERSION: &str = concat!("flowgauge ", env!("CARGO_PKG_VERSION"));

pub(crate) fn run(args: &ManArgs) -> Result<Ending> {
    let command = built();
    let Some(folder) = &args.out else {
        output::print(&Page::of(command)?.text)?;
        return Ok(Ending::Answered);
    };
    let commands = command.get_subcommands().chain([&command]).cloned();
    let pages: Vec<Page> = commands.map(Page::of).collect::<Result<_>>()?;
    whole_file::make_folder(folder)?;
    whole_file::write_all(folder, pages.into_iter().map(|page| (page.name, page.text)))?;
    Ok(Ending::Answered)
}

/// `flowgauge completions`, made from the arguments too.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::all(), "flowgauge", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(Ending::Answered)
}

/// `flowgauge help run` is `flowgauge run --help`: no page.
fn built() -> Command {
    let mut command = args::all().disable_help_subcommand(true);
    command.build();
    command
}

struct Page {
    name: String,
    text: String,
}

impl Page {
    fn of(command: Command) -> Result<Self> {
        let behind = command.get_after_long_help().or(command.get_after_help());
        let behind = behind.map(ToString::to_string);
        let usage = command.clone().render_usage().to_string();
        let bare = command
            .after_help(Resettable::<StyledStr>::Reset)
            .after_long_help(Resettable::<StyledStr>::Reset);
        let man = Man::new(bare.mut_args(with_help)).source(VERSION);
        let mut text = Vec::new();
        man.render(&mut text)?;
        let mut text = with_synopsis(&as_written(&String::from_utf8(text)?), &usage);
        for part in behind.unwrap_or_default().split("\n\n") {
            text.push_str(&section(part));
        }
        Ok(Self {
            name: man.get_filename(),
            text,
        })
    }
}

/// What `-h` leaves out is on the page too: of such an option only the long help is put there.
fn with_help(option: Arg) -> Arg {
    let help = option.get_long_help().or(option.get_help()).cloned();
    match help {
        Some(help) => option.long_help(help),
        None => option,
    }
}

fn as_written(page: &str) -> String {
    let mut made = String::with_capacity(page.len());
    let mut within = false;
    for line in page.lines() {
        let indented = line.starts_with("  ");
        if indented != within {
            made.push_str(if indented { ".nf\n" } else { ".fi\n" });
        }
        within = indented;
        made.push_str(line);
        made.push('\n');
    }
    made
}

/// The usage of `--help`: one made from options alone lacks their values.
fn with_synopsis(page: &str, usage: &str) -> String {
    let usage = usage.trim_start_matches("Usage:").trim();
    let made = section(&format!("Synopsis:{usage}"));
    let begin = page.find(".SH SYNOPSIS");
    let end = page.find(".SH DESCRIPTION");
    match begin.zip(end) {
        Some((begin, end)) => format!("{}{made}{}", &page[..begin], &page[end..]),
        None => page.to_owned(),
    }
}

fn section(part: &str) -> String {
    let Some((heading, content)) = part.split_once(':') else {
        return String::new();
    };
    let mut roff = Roff::new();
    roff.control("SH", [heading.to_uppercase().as_str()]);
    match content.strip_prefix('\n') {
        Some(lines) => {
            roff.control("nf", []);
            for line in lines.lines() {
                roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
            }
            roff.control("fi", []);
        }
        None => {
            roff.text([roman(content.trim_start())]);
        }
    }
    let text = roff.render();
    text.find(".SH")
        .map_or(String::new(), |at| text[at..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a part without one nothing would be on the page.
    #[test]
    fn every_part_behind_the_arguments_has_a_heading() {
        let command = built();
        for command in command.get_subcommands().chain([&command]) {
            let behind = command.get_after_help().map(ToString::to_string);
            for part in behind.unwrap_or_default().split("\n\n") {
                let heading = part.split_once(':').map(|(heading, _)| heading);
                let is_heading = heading.is_some_and(|heading| {
                    heading.starts_with(char::is_uppercase) && heading.split(' ').count() < 4
                });
                assert!(is_heading, "{}: {part}", command.get_name());
            }
        }
    }

    /// Those that `-h` leaves out stood there without a word.
    #[test]
    fn every_option_is_described() {
        let command = built();
        let exec = command.find_subcommand("exec").unwrap().clone();
        let page = Page::of(exec).unwrap().text;
        let floor = page.split("\\-\\-floor").nth(1).unwrap();
        let described = floor.lines().nth(1).unwrap();
        assert!(described.starts_with("Differences below"), "{described}");
        assert!(page.contains(VERSION), "{page}");
    }

    /// A synopsis had `[--floor]` without its value, and one folder where two are needed.
    #[test]
    fn the_synopsis_is_the_usage_of_the_help() {
        let command = built();
        let compare = command.find_subcommand("compare").unwrap().clone();
        let page = Page::of(compare).unwrap().text;
        let synopsis =
            ".SH SYNOPSIS\nflowgauge compare [OPTIONS] <DIR> <DIR>...\n.SH DESCRIPTION\n";
        assert!(page.contains(synopsis), "{page}");
    }

    #[test]
    fn lists_stay_as_they_were_written() {
        let page = ".SH X\nOne of\n\n  a   first\n  bc  second\n\nand so on\n";
        let made = as_written(page);
        assert_eq!(
            made,
            ".SH X\nOne of\n\n.nf\n  a   first\n  bc  second\n.fi\n\nand so on\n"
        );
    }

    #[test]
    fn examples_stay_line_by_line_and_text_is_filled() {
        let made = section("Examples:\n  flowgauge run            every study\n  .it's");
        assert_eq!(
            made,
            ".SH EXAMPLES\n.nf\nflowgauge run            every study\n\\&.it\\*(Aqs\n.fi\n"
        );
        let made = section("Exit codes: 0 answered,\n1 failed");
        assert_eq!(made, ".SH \"EXIT CODES\"\n0 answered,\n1 failed\n");
    }
}
