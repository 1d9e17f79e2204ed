use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use search::{Escape, Io, Model};

use super::{HowArgs, words};

const SEARCH_EXAMPLES: &str = "\
Examples:
  flowgauge search PM_RESUME /usr/src          lines with a literal
  flowgauge search -n 'fn \\w+_at\\(' -g '*.rs'  a regular expression, in Rust sources here
  flowgauge search -c -w struct drivers        how many lines a file, whole words only
  flowgauge search --explain struct            which flows did it, why, and what they used
  flowgauge search --model process-pool -j 4 struct
  flowgauge search --study struct src          which flows are best here, how many, and why

Models: sequential, thread-per-file, process-per-file, thread-per-directory, thread-pool, \
process-pool, thread-private-files, fiber; auto chooses by a short probe.

Exit codes: 0 something matched, 1 nothing did, 2 something could not be searched, \
130/143 interrupted. With --study: 0 answered, 1 an expectation fails, 2 error, \
3 cannot tell, 130/143 interrupted.";

/// Search files for a pattern, by the flows of your choice.
///
/// Folders are walked: hidden files, binary files and what .gitignore, .ignore and .rgignore
/// name are left out, and symbolic links are not followed.
#[derive(Debug, Args)]
#[command(after_help = SEARCH_EXAMPLES, args_override_self = true)]
pub(crate) struct SearchArgs {
    /// The pattern: a regular expression, or with -F a literal; with -e or -f a PATH
    #[arg(value_name = "PATTERN", required_unless_present_any = ["regexp", "file"])]
    pattern: Option<String>,
    /// Files and folders; - is standard input [default: the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A pattern, also one that begins with -; several: lines that match any of them
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<String>,
    /// Patterns from FILE (- is standard input), one a line
    #[arg(short = 'f', long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// The pattern is a literal
    #[arg(short = 'F', long)]
    pub(crate) fixed_strings: bool,
    /// Upper and lower case are the same
    #[arg(short = 'i', long)]
    pub(crate) ignore_case: bool,
    /// Whole words only
    #[arg(short = 'w', long)]
    pub(crate) word_regexp: bool,
    /// Print only the number of matching lines of each file that has any
    #[arg(short = 'c', long, overrides_with = "files_with_matches")]
    pub(crate) count: bool,
    /// Print only the paths of files with a match; of this and -c the last one counts
    #[arg(short = 'l', long)]
    pub(crate) files_with_matches: bool,
    /// Line numbers [default: on a terminal]
    #[arg(short = 'n', long, overrides_with = "no_line_number")]
    pub(crate) line_number: bool,
    /// No line numbers
    #[arg(short = 'N', long)]
    pub(crate) no_line_number: bool,
    /// Print the path before each line, even for a single file
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    pub(crate) with_filename: bool,
    /// No paths before lines
    #[arg(short = 'I', long)]
    pub(crate) no_filename: bool,
    /// Search hidden files and folders too
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Search what ignore files exclude, too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Search only files that match GLOB; with ! before it only others; the last one counts
    #[arg(short = 'g', long, value_name = "GLOB")]
    pub(crate) glob: Vec<String>,
    /// Search binary files as text
    #[arg(short = 'a', long)]
    pub(crate) text: bool,
    /// Make control and invisible characters visible: in names, in names and lines (all), or
    /// nowhere [default: names on a terminal, else nothing]
    #[arg(long, value_parser = escape(), value_name = "WHAT")]
    pub(crate) escape: Option<Escape>,
    /// Sort by path; output waits until everything is found
    #[arg(long, value_enum, value_name = "BY")]
    pub(crate) sort: Option<Sort>,
    #[command(flatten)]
    pub(crate) flows: FlowArgs,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// What of the results is made harmless for a terminal.
fn escape() -> impl TypedValueParser<Value = Escape> {
    words::one_of([
        ("nothing", "Nothing", Escape::Nothing),
        ("names", "Names of files and folders", Escape::Names),
        ("all", "Names and lines", Escape::All),
    ])
}

/// Instead of searching once: a study.
#[derive(Debug, Args)]
#[command(next_help_heading = "A study")]
pub(crate) struct StudyArgs {
    /// Search again and again by one flow, a thread for each file, and pools of 1 to 16 threads and
    /// processes: which is best, by how much, and why. The options below are for it
    #[arg(long)]
    pub(crate) study: bool,
    /// Empty the page cache before each search, so that all files come from the disk (root only)
    #[arg(long)]
    pub(crate) cold: bool,
}

impl SearchArgs {
    pub(crate) fn patterns(&self) -> Result<Vec<String>> {
        if self.regexp.is_empty() && self.file.is_empty() {
            return Ok(self.pattern.iter().cloned().collect());
        }
        let mut patterns = self.regexp.clone();
        for file in &self.file {
            let text = match file.as_os_str() == "-" {
                true => std::io::read_to_string(std::io::stdin()),
                false => std::fs::read_to_string(file),
            };
            let text = text.with_context(|| format!("patterns of {}", file.display()))?;
            patterns.extend(text.lines().map(str::to_owned));
        }
        Ok(patterns)
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let mut paths = self.paths.clone();
        if !(self.regexp.is_empty() && self.file.is_empty()) {
            // What would be the pattern is a path then.
            paths.splice(0..0, self.pattern.iter().map(PathBuf::from));
        }
        paths
    }

    pub(crate) fn of_one_search(&self) -> Vec<&'static str> {
        let flows = &self.flows;
        let given = [
            ("--count", self.count),
            ("--files-with-matches", self.files_with_matches),
            ("--escape", self.escape.is_some()),
            ("--line-number", self.line_number),
            ("--no-line-number", self.no_line_number),
            ("--with-filename", self.with_filename),
            ("--no-filename", self.no_filename),
            ("--sort", self.sort.is_some()),
            ("--model", flows.model.0.is_some()),
            ("--jobs", flows.jobs.0.is_some()),
            ("--io", flows.io != Io::Read),
            ("--explain", flows.explain),
        ];
        let given = given.into_iter().filter(|(_, given)| *given);
        given.map(|(name, _)| name).collect()
    }
}

/// Which flows do the search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which flows")]
pub(crate) struct FlowArgs {
    /// The kind of flows, and how they share the work
    #[arg(long, value_name = "MODEL", default_value = "auto", value_parser = model)]
    pub(crate) model: Auto<Model>,
    /// Workers of a pool; with a flow per file or folder, the maximum at one time
    #[arg(short = 'j', long, value_name = "N", default_value = "auto", allow_hyphen_values = true, value_parser = workers)]
    pub(crate) jobs: Auto<NonZeroU32>,
    /// How files are read: read, mmap, uring (uring not with a flow per file)
    #[arg(long, value_name = "IO", default_value = "read")]
    pub(crate) io: Io,
    /// Report which flows were chosen and why, and what they did and used
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Auto<T>(pub(crate) Option<T>);

/// What the order is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// By path
    Path,
    /// In the order found
    None,
}

/// What ripgrep and grep can show, and this command does not.
const OTHERS: &[(&str, &str)] = &[
    (
        "-A --after-context -B --before-context -C --context",
        "shows lines around a match",
    ),
    ("--invert-match", "shows lines that do not match"),
    ("-o --only-matching", "shows the matching parts of lines"),
    ("-r --replace", "shows lines with replacements"),
    (
        "-t --type -T --type-not",
        "selects files by type (here: -g '*.rs')",
    ),
    ("--json", "prints JSON"),
    ("--stats", "prints statistics (here: --explain)"),
    ("-U --multiline", "matches across lines"),
    ("-P --pcre2 --perl-regexp", "takes Perl's expressions"),
    (
        "-S --smart-case",
        "chooses the case by the pattern (here: -i)",
    ),
    ("-x --line-regexp", "matches whole lines (here: ^(...)$)"),
    ("-L --follow", "follows symbolic links"),
    ("-m --max-count", "ends after some lines of a file"),
    ("-q --quiet", "prints nothing (here: > /dev/null)"),
    ("-z --search-zip", "searches compressed files"),
    (
        "-u --unrestricted",
        "takes all files (here: --no-ignore --hidden -a)",
    ),
    ("-d --max-depth", "bounds the depth of folders"),
    (
        "--files --heading --column --vimgrep --color --count-matches",
        "shows results in other forms",
    ),
];

pub(crate) fn of_others(flag: &str) -> Option<String> {
    let known = |names: &&(&str, &str)| names.0.split(' ').any(|name| name == flag);
    let (_, does) = OTHERS.iter().find(known)?;
    Some(format!(
        "{flag} is no option of flowgauge search, which asks what flows search fastest: ripgrep \
         {does}"
    ))
}

fn model(text: &str) -> Result<Auto<Model>, String> {
    match text {
        "auto" => Ok(Auto(None)),
        name => name
            .parse()
            .map(|model| Auto(Some(model)))
            .map_err(|error: search::ModelError| format!("{error}; or auto to have it chosen")),
    }
}

fn workers(text: &str) -> Result<Auto<NonZeroU32>, String> {
    if text == "auto" {
        return Ok(Auto(None));
    }
    let number = text.parse::<u32>().ok().and_then(NonZeroU32::new);
    number.map(|number| Auto(Some(number))).ok_or_else(|| {
        let most = u32::MAX;
        format!("'{text}' is no number of flows: use 1 to {most}, or auto to have it chosen")
    })
}
