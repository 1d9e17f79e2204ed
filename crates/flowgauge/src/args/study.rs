//! The command of a study, made from the options that its file gives.

use std::ffi::OsStr;

use clap::builder::{PossibleValuesParser, Resettable, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Id};
use lab::study::StudyCommand;
use lab::study::asked::{Flags, GivenFlags};
use lab::study::command::{self, Flag, Given, Kind, Sets};

use super::{HowArgs, words};

#[derive(Debug)]
pub(crate) struct StudyArgs {
    pub(crate) study: &'static StudyCommand,
    pub(crate) given: GivenFlags,
    pub(crate) preset: lab::Preset,
    pub(crate) how: HowArgs,
}

impl StudyArgs {
    pub(crate) fn flags(&self) -> Flags<'_> {
        Flags {
            command: &self.study.command,
            given: &self.given,
        }
    }
}

pub(crate) fn commands() -> impl Iterator<Item = Command> {
    lab::study::commands().iter().map(self::command)
}

pub(crate) fn of_file(word: &OsStr) -> Option<Result<&'static StudyCommand, String>> {
    let path = word.to_str().filter(|word| word.ends_with(".toml"))?;
    let read = StudyCommand::of_file(path).map_err(|error| error.to_string());
    let checked = read.and_then(|study| check(&study).map(|()| study));
    Some(checked.map(|study| &*Box::leak(Box::new(study))))
}

fn check(study: &StudyCommand) -> Result<(), String> {
    check_flags(&study.command).map_err(|message| format!("{}: {message}", study.name))
}

fn check_flags(command: &command::Command) -> Result<(), String> {
    let every = HowArgs::augment_args(Command::new("").arg(preset(command.preset)));
    let taken = |flag: &Flag| {
        let own = |arg: &&Arg| arg.get_long() == Some(&flag.name) || is_letter(arg, flag.short);
        every.get_arguments().find(own)?.get_long()
    };
    for (place, flag) in command.flags.iter().enumerate() {
        let name = &flag.name;
        if let Some(other) = taken(flag).filter(|_| name != SHARED) {
            return Err(format!(
                "[[command.flag]] {name}: every run has --{other}: name it otherwise"
            ));
        }
        let before = &command.flags[..place];
        let is_same =
            |one: &Flag| one.name == *name || (one.short == flag.short && one.short.is_some());
        if before.iter().any(is_same) || name == "help" || flag.short == Some('h') {
            return Err(format!(
                "[[command.flag]] {name}: its name or letter is taken: choose another"
            ));
        }
        let is_there = |needed: &String| command.flags.iter().any(|one| one.name == *needed);
        if let Some(needed) = flag.needs.as_ref().filter(|needed| !is_there(needed)) {
            return Err(format!(
                "[[command.flag]] {name}: needs {needed}, which is no flag of it"
            ));
        }
    }
    Ok(())
}

fn is_letter(arg: &Arg, letter: Option<char>) -> bool {
    letter.is_some() && arg.get_short() == letter
}

pub(crate) fn read(
    file: Option<&'static StudyCommand>,
    name: &str,
    matches: &ArgMatches,
) -> Option<Result<StudyArgs, clap::Error>> {
    let mut all = lab::study::commands().iter().chain(file);
    let study = all.rfind(|study| study.name == name)?;
    Some(args(study, matches))
}

fn args(study: &'static StudyCommand, matches: &ArgMatches) -> Result<StudyArgs, clap::Error> {
    let flags = study.command.flags.iter();
    let given = flags.filter_map(|flag| Some((flag.name.clone(), given(flag, matches)?)));
    let mut given = given.collect();
    let asked = matches.try_get_one(PRESET).ok().flatten();
    let preset = asked.copied().unwrap_or(study.command.preset);
    if preset != study.command.preset {
        leave_to_preset(&study.command, &mut given);
    }
    Ok(StudyArgs {
        study,
        given,
        preset,
        how: HowArgs::from_arg_matches(matches)?,
    })
}

/// Defaults of flags belong to the command's preset: another one sets its own. Of several flags
/// that set the same, one given leaves the others theirs.
fn leave_to_preset(command: &command::Command, given: &mut GivenFlags) {
    let set = |name: &String| {
        let own = command.flags.iter().find(|flag| flag.name == *name);
        own.map(|flag| flag.sets.clone())
    };
    let typed = given.iter().filter(|(_, given)| !given.is_default);
    let typed: Vec<Option<Sets>> = typed.map(|(name, _)| set(name)).collect();
    given.retain(|name, given| !given.is_default || typed.contains(&set(name)));
}

/// The flag of all runs that a study may do more with.
const SHARED: &str = "verbose";

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

pub(crate) fn command(study: &'static StudyCommand) -> Command {
    let StudyCommand { name, command, .. } = study;
    let own = command.flags.iter().filter(|flag| flag.name != SHARED);
    let flags = own.map(of_flag);
    let made = Command::new(name.as_str()).args(flags);
    // How far flows are created is a question of its own where limits are probed.
    let made = made.args((!command.probes).then(|| preset(command.preset)));
    // Last, as the flags that all runs have would describe themselves in its place.
    let made = HowArgs::augment_args(made)
        .about(command.about.as_str())
        .after_help(examples(command));
    match command.long.trim() {
        "" => made,
        long => made.long_about(format!("{}\n\n{long}", command.about)),
    }
}

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
        .value_parser(words::preset())
        .default_value(usual)
        .help("How much work: quick answers in seconds, full is the size of the original")
}

fn of_flag(flag: &'static Flag) -> Arg {
    let arg = Arg::new(flag.name.as_str())
        .long(flag.name.as_str())
        .short(flag.short)
        .requires(Resettable::from(flag.needs.as_deref().map(Id::from)))
        .help(flag.help.as_str());
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
    let arg = match flag.is_list() {
        true => arg.value_delimiter(',').action(ArgAction::Append),
        false => arg,
    };
    arg.default_value(flag.default.as_deref())
        .value_name(value_name(flag))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(names: &[(&str, Option<char>)]) -> command::Command {
        let flag = |(name, short): &(&str, Option<char>)| Flag {
            name: (*name).to_owned(),
            short: *short,
            ..Flag::default()
        };
        command::Command {
            flags: names.iter().map(flag).collect(),
            ..command::Command::default()
        }
    }

    #[test]
    fn a_flag_of_a_study_file_has_a_name_and_a_letter_of_its_own() {
        assert_eq!(
            check_flags(&flags(&[("size", None), ("depth", Some('d'))])),
            Ok(())
        );
        for wrong in [
            flags(&[("rounds", None)]),
            flags(&[("preset", None)]),
            flags(&[("help", None)]),
            flags(&[("size", Some('h'))]),
            flags(&[("size", None), ("size", None)]),
            flags(&[("size", Some('s')), ("depth", Some('s'))]),
        ] {
            assert!(check_flags(&wrong).is_err(), "{wrong:?}");
        }
        for study in lab::study::commands() {
            assert_eq!(check_flags(&study.command), Ok(()), "{}", study.name);
        }
    }

    /// Nine thousand loops, the default of `--loops`, took the place of the quick preset's.
    #[test]
    fn a_default_of_a_flag_does_not_replace_what_a_preset_sets() {
        let study = builtin("workers");
        let given = |line: &str| {
            let words = ["workers"].into_iter().chain(line.split_whitespace());
            let matches = command(study)
                .try_get_matches_from(words)
                .expect("it is read");
            args(study, &matches).expect("it is read").given
        };
        let is_given = |line: &str, flag: &str| given(line).contains_key(flag);
        assert!(is_given("", "loops") && is_given("--preset full", "loops"));
        assert!(!is_given("--preset quick", "loops"));
        assert!(is_given("--preset quick --loops 7", "loops"));
        // Numbers of threads are compared with those of processes.
        assert!(!is_given("--preset quick", "threads"));
        assert!(is_given("--preset quick --processes 4", "threads"));
    }

    fn builtin(name: &str) -> &'static StudyCommand {
        let mut all = lab::study::commands().iter();
        all.find(|study| study.name == name)
            .expect("it is built in")
    }
}
