//! A command line made executable: directly where possible, else by a shell.

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command_line::{Split, split};
use crate::sys::Executable;

/// Who reads a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shell {
    /// Nobody, where it is only words; else `/bin/sh`.
    #[default]
    Auto,
    /// Nobody: it must be only words.
    Never,
    /// `/bin/sh`.
    Always,
    /// Another shell, which must know `-c`.
    #[serde(untagged)]
    Other(String),
}

const SH: &str = "/bin/sh";

/// The words executed for a line. Fails, in words, if it cannot be read, or may not have a shell.
pub fn words(line: &str, shell: &Shell) -> Result<Vec<String>, String> {
    let by = |shell: &str| vec![shell.to_owned(), "-c".to_owned(), line.to_owned()];
    match shell {
        Shell::Always => Ok(by(SH)),
        Shell::Other(shell) => {
            let mut all: Vec<String> = shell.split_whitespace().map(str::to_owned).collect();
            all.extend(["-c".to_owned(), line.to_owned()]);
            Ok(all)
        }
        Shell::Auto | Shell::Never => {
            match (split(line).map_err(|error| error.to_string())?, shell) {
                (Split::Words(words), _) => Ok(words),
                (Split::Shell(_), Shell::Auto) => Ok(by(SH)),
                (Split::Shell(why), _) => Err(format!(
                    "'{line}' needs a shell, since {why}: leave -N out, or quote it"
                )),
            }
        }
    }
}

/// Whether a line is run by a shell.
#[must_use]
pub fn by_shell(line: &str, shell: &Shell) -> bool {
    match shell {
        Shell::Always | Shell::Other(_) => true,
        Shell::Never => false,
        Shell::Auto => matches!(split(line), Ok(Split::Shell(_))),
    }
}

/// The file of a program's name, looked up as a shell does. Fails, in words, if none is there.
pub fn resolve(program: &str) -> Result<PathBuf, String> {
    if program.contains('/') {
        return executable(Path::new(program))
            .map_err(|why| format!("cannot execute {program}: {why}"));
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
    let mut found =
        std::env::split_paths(&path).filter_map(|folder| executable(&folder.join(program)).ok());
    found.next().ok_or_else(|| {
        format!("cannot find the program '{program}' in PATH: install it, or write its path, such as ./{program}")
    })
}

/// The files of all programs that a line names, also within what a shell reads.
#[must_use]
pub fn programs(line: &str) -> Vec<PathBuf> {
    let is_of_a_name = |c: char| c.is_alphanumeric() || "_-+./".contains(c);
    let words = line.split(|c: char| !is_of_a_name(c));
    let words = words.filter(|word| !word.is_empty());
    words.filter_map(|word| resolve(word).ok()).collect()
}

fn executable(path: &Path) -> Result<PathBuf, String> {
    let about = path.metadata().map_err(|error| error.to_string())?;
    match (about.is_file(), about.permissions().mode() & 0o111 != 0) {
        (false, _) => Err("it is no file".to_owned()),
        (true, false) => Err("it is not executable: chmod +x makes it so".to_owned()),
        (true, true) => Ok(path.to_owned()),
    }
}

pub(crate) fn ready(
    words: &[String],
    environment: &BTreeMap<String, String>,
) -> io::Result<Executable> {
    let first = words.first().map_or("", String::as_str);
    let path = resolve(first).map_err(io::Error::other)?;
    let arguments = words.iter().map(|word| CString::new(word.as_str()));
    let mut all: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    let own = environment.iter();
    all.extend(own.map(|(name, value)| (name.into(), value.into())));
    let variables = all.into_iter().map(|(mut name, value)| {
        name.push("=");
        name.push(value);
        CString::new(name.into_vec())
    });
    Ok(Executable {
        path: CString::new(path.as_os_str().as_bytes())?,
        arguments: arguments.collect::<Result<_, _>>()?,
        environment: variables.collect::<Result<_, _>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_used_only_where_it_is_needed() {
        let other = Shell::Other("bash --norc".to_owned());
        for (line, shell, expected) in [
            ("ls -l", Shell::Auto, &["ls", "-l"][..]),
            ("ls | wc", Shell::Auto, &[SH, "-c", "ls | wc"]),
            ("ls", Shell::Always, &[SH, "-c", "ls"]),
            ("ls", other, &["bash", "--norc", "-c", "ls"]),
        ] {
            assert_eq!(words(line, &shell).unwrap(), expected);
        }
        let why = words("ls | wc", &Shell::Never).unwrap_err();
        assert!(why.contains("needs a shell"), "{why}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_what_to_do() {
        let why = resolve("no-such-program-here").unwrap_err();
        assert!(why.contains("'no-such-program-here' in PATH"), "{why}");
        let why = resolve("/etc/passwd").unwrap_err();
        assert!(why.contains("chmod +x"), "{why}");
        assert_eq!(resolve("/bin/sh").unwrap(), Path::new("/bin/sh"));
    }

    #[test]
    fn programs_are_found_also_within_what_a_shell_reads() {
        let found = programs("sh -c 'no-such-program x & /bin/true; wait'");
        let names = ["sh", "true"];
        assert_eq!(found.len(), 2, "{found:?}");
        let is_named = |(path, name): (&PathBuf, &str)| path.ends_with(name);
        assert!(found.iter().zip(names).all(is_named), "{found:?}");
    }

    #[test]
    fn a_shell_reads_back_from_a_study_file() {
        for (text, shell) in [
            ("\"auto\"", Shell::Auto),
            ("\"bash\"", Shell::Other("bash".to_owned())),
        ] {
            assert_eq!(serde_json::from_str::<Shell>(text).unwrap(), shell);
        }
    }
}
