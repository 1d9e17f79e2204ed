//! The flags that lay axes on every variant: one a row of [`lab::data::axis::AXES`].

use std::fmt::Display;

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use lab::data::axis::{Axis, LaidWords};

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AxisArgs(Vec<(&'static str, Vec<String>)>);

impl AxisArgs {
    pub(crate) fn words(&self) -> Result<LaidWords> {
        let mut words = LaidWords::default();
        for (_, laid) in Axis::laid() {
            if let Some((_, given)) = self.0.iter().find(|(flag, _)| *flag == laid.flag) {
                words.lay(laid, each_once(&format!("--{}", laid.flag), given)?);
            }
        }
        Ok(words)
    }
}

impl Args for AxisArgs {
    fn augment_args(command: Command) -> Command {
        Axis::laid().fold(command, |command, (axis, laid)| {
            let read = |text: &str| axis.read(text).map(|()| text.to_owned());
            let flag = Arg::new(laid.flag)
                .long(laid.flag)
                .value_name("LIST")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .hide_short_help(laid.is_hidden)
                .value_parser(read)
                .help((laid.help)());
            command.arg(flag)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for AxisArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = Axis::laid().filter_map(|(_, laid)| {
            let typed = matches.value_source(laid.flag) == Some(ValueSource::CommandLine);
            let words = matches.get_many::<String>(laid.flag).filter(|_| typed)?;
            Some((laid.flag, words.cloned().collect()))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(crate) fn each_once<T: Clone + PartialEq + Display>(flag: &str, list: &[T]) -> Result<Vec<T>> {
    match names::repeated(list) {
        Some(one) => bail!("{flag} names {one} twice: once is enough"),
        None => Ok(list.to_vec()),
    }
}
