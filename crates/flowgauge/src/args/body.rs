use std::path::PathBuf;

use clap::Args;
use flow::{Model, Placement};

use super::HowArgs;

/// A function of your own, under every model.
///
/// A shared library exports the function through a table that the header declares (`--header`). Each
/// launch loads it into a process of its own.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge body --header > flowgauge.h                 the interface for C
  flowgauge body ./libmine.so                           as processes and threads
  flowgauge body old/libmine.so new/libmine.so          the new build against the old one
  flowgauge body ./libmine.so --model thread,fiber/2    threads, and fibers on two threads
  flowgauge body ./libmine.so --units 64 --ops 1e5      64 calls of 100,000 operations each
  flowgauge body ./libmine.so --arg n=1e3,1e6           at two sizes of its argument n
  flowgauge body ./libmine.so --model thread --allocator libc,core-aware
  flowgauge body ./libmine.so --study > mine.toml       the same as a study file, to be extended")]
pub(crate) struct BodyArgs {
    /// A shared library that exports a body; several are builds of one function, each compared with the first
    /// under every model
    #[arg(value_name = "LIBRARY", required_unless_present = "header")]
    pub(crate) libraries: Vec<PathBuf>,
    /// Models to compare, such as process,thread,fiber,2x2; the first is the reference [default:
    /// process,thread]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) model: Vec<Model>,
    /// Flows of each [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) flows: Option<u32>,
    /// Units that are dealt out to the flows [default: 16 for each flow]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = whole)]
    pub(crate) units: Option<u64>,
    /// Operations of each unit
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = whole, default_value = "1000")]
    pub(crate) ops: u64,
    /// CPUs to use: free, one, cores, smt, numa, or a list such as 0,2
    #[arg(long, value_name = "PLACEMENT", default_value = "free")]
    pub(crate) placement: Placement,
    /// An argument of the body; of one of them several values, each a case: n=1,10,100
    #[arg(long = "arg", value_name = "NAME=VALUES", value_parser = argument)]
    pub(crate) args: Vec<Argument>,
    /// Print the header of C, and run nothing
    #[arg(long, conflicts_with = "libraries")]
    pub(crate) header: bool,
    /// Print the study that would be run, as a file, and run nothing; flags that say how to run are given
    /// to the file's run again
    #[arg(long)]
    pub(crate) study: bool,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) values: Vec<u64>,
}

fn argument(text: &str) -> Result<Argument, String> {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        let begins = letters
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        begins && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let (name, values) = text.split_once('=').unwrap_or((text, ""));
    if !is_name(name) || values.is_empty() {
        return Err(format!(
            "'{text}' is no argument such as n=100 or n=1e3,1e6"
        ));
    }
    let values = values.split(',').map(whole);
    Ok(Argument {
        name: name.to_owned(),
        values: values.collect::<Result<_, _>>()?,
    })
}

/// `100`, `1e6`; a TOML file has no larger integers.
fn whole(text: &str) -> Result<u64, String> {
    let number = crate::number::whole(text)?;
    match i64::try_from(number) {
        Ok(_) => Ok(number),
        Err(_) => Err(format!("{text} is more than {}", i64::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_has_a_name_and_whole_values() {
        let read = argument("n=1,1e6").unwrap();
        assert_eq!(
            (read.name.as_str(), &read.values[..]),
            ("n", &[1, 1_000_000][..])
        );
        for wrong in [
            "", "n", "n=", "=3", "2n=3", "n=x", "n=1,,2", "a b=1", "n=-1", "n=1e30",
        ] {
            assert!(argument(wrong).is_err(), "{wrong}");
        }
    }
}
