//! The command of a study, made from the options that its file gives.

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use lab::study::asked::GivenFlags;
use lab::study::command::{self, Flag, Given, Kind, StudyCommand};

use super::HowArgs;
use super::run::PresetArg;

/// The command line of a study's command, as it was typed.
#[derive(Debug)]
pub(crate) struct StudyArgs {
    /// The study.
    pub(crate) study: &'static StudyCommand,
    /// What was given for its own options.
    pub(crate) given: GivenFlags,
    /// How much work.
    pub(crate) preset: lab::Preset,
    /// How it is run.
    pub(crate) how: HowArgs,
}

/// Every study that is a command.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    command::commands().iter().map(of_study)
}

/// The study whose command was given, if it is one of a study.
pub(crate) fn read(name: &str, matches: &ArgMatches) -> Option<Result<StudyArgs, clap::Error>> {
    let study = command::commands()
        .iter()
        .find(|study| study.name == name)?;
    Some(args(study, matches))
}

fn args(study: &'static StudyCommand, matches: &ArgMatches) -> Result<StudyArgs, clap::Error> {
    let flags = study.command.flags.iter();
    let given = flags.filter_map(|flag| Some((flag.name.clone(), given(flag, matches)?)));
    let asked = matches.get_one::<PresetArg>(PRESET).copied();
    Ok(StudyArgs {
        study,
        given: given.collect(),
        preset: asked.map_or(study.command.preset, lab::Preset::from),
        how: HowArgs::from_arg_matches(matches)?,
    })
}

/// The flag of all runs that a study may do more with.
const SHARED: &str = "verbose";

/// What was given for an option; several values of a list are one.
fn given(flag: &Flag, matches: &ArgMatches) -> Option<Given> {
    if flag.value == Kind::Switch {
        return matches.get_flag(&flag.name).then(|| Given {
            values: vec![true.into()],
            shown: "yes".to_owned(),
            ..Given::default()
        });
    }
    let all: Vec<&Given> = matches.get_many::<Given>(&flag.name)?.collect();
    let shown: Vec<&str> = all.iter().map(|given| given.shown.as_str()).collect();
    Some(Given {
        shown: shown.join(", "),
        in_range: all.iter().any(|given| given.in_range),
        is_default: matches.value_source(&flag.name) == Some(ValueSource::DefaultValue),
        values: all.iter().flat_map(|given| given.values.clone()).collect(),
    })
}

const PRESET: &str = "preset";

fn of_study(study: &'static StudyCommand) -> Command {
    let StudyCommand { name, command } = study;
    // What all runs have is not made twice: a study that does more with it finds it given.
    let own = command.flags.iter().filter(|flag| flag.name != SHARED);
    let flags = own.map(of_flag);
    let made = Command::new(name.as_str()).args(flags);
    // Last, as the flags that all runs have would describe themselves in its place.
    let made = HowArgs::augment_args(made.arg(preset(command.preset)))
        .about(command.about.as_str())
        .after_help(examples(command));
    match command.long.trim() {
        "" => made,
        long => made.long_about(format!("{}\n\n{long}", command.about)),
    }
}

/// The lines of the examples, what they do one below the other.
fn examples(command: &command::Command) -> String {
    let widest = command.examples.iter().map(|[line, _]| line.len()).max();
    let widest = widest.unwrap_or(0).min(WIDEST_EXAMPLE);
    let lines = command.examples.iter();
    let lines = lines.map(|[line, what]| format!("\n  {line:<widest$}  {what}"));
    format!("Examples:{}", lines.collect::<String>())
}

/// What longer examples do stands farther to the right.
const WIDEST_EXAMPLE: usize = 56;

fn preset(usual: lab::Preset) -> Arg {
    let usual = match usual {
        lab::Preset::Quick => "quick",
        lab::Preset::Full => "full",
    };
    Arg::new(PRESET)
        .long(PRESET)
        .value_name("PRESET")
        .value_parser(clap::value_parser!(PresetArg))
        .default_value(usual)
        .help("How much work: quick answers in seconds, full is the size of the original")
}

fn of_flag(flag: &'static Flag) -> Arg {
    let arg = Arg::new(flag.name.as_str())
        .long(flag.name.as_str())
        .help(flag.help.as_str());
    let arg = match flag.short {
        Some(letter) => arg.short(letter),
        None => arg,
    };
    let arg = match &flag.needs {
        Some(other) => arg.requires(other.as_str()),
        None => arg,
    };
    if flag.value == Kind::Switch {
        return arg.action(ArgAction::SetTrue);
    }
    let arg = match flag.choices.as_slice() {
        [] => arg.value_parser(move |text: &str| flag.read(text)),
        choices => {
            let words = choices.iter().map(String::as_str);
            let known = PossibleValuesParser::new(words.collect::<Vec<&'static str>>());
            arg.value_parser(known.try_map(move |text| flag.read(&text)))
        }
    };
    let arg = match &flag.default {
        Some(default) => arg.default_value(default.as_str()),
        None => arg,
    };
    let arg = match flag.is_list() {
        true => arg.value_delimiter(',').action(ArgAction::Append),
        false => arg,
    };
    arg.value_name(value_name(flag))
        .allow_negative_numbers(matches!(flag.value, Kind::Count | Kind::Counts))
        .allow_hyphen_values(flag.value == Kind::Bytes)
}

fn value_name(flag: &'static Flag) -> String {
    let usual = || match flag.value {
        Kind::Count | Kind::Counts => "N".to_owned(),
        Kind::Bytes | Kind::Sizes => "BYTES".to_owned(),
        Kind::File => "FILE".to_owned(),
        Kind::Folder => "DIR".to_owned(),
        _ => flag.name.to_uppercase(),
    };
    flag.value_name.clone().unwrap_or_else(usual)
}
