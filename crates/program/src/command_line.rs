//! A command line into words, or into the decision that a shell is needed: half a millisecond and, for some shells, one
//! more process. A line is read by the rules of a POSIX shell as far as words and quotes go; anything else that a shell
//! would act on (`|`, `$HOME`, `*`, `A=b cmd`, a builtin) needs one. Nothing is expanded: a line never means something
//! else here than there.

/// Characters that mean something to a shell when they are not quoted.
const SPECIAL: &str = "|&;<>()$`*?[]{}~#!\n";

/// Builtins without a program of the same name, and words of the shell's own language.
const OF_SHELL: [&str; 34] = [
    ".", ":", "alias", "bg", "break", "case", "cd", "command", "continue", "eval", "exec", "exit",
    "export", "fg", "for", "if", "jobs", "local", "read", "readonly", "return", "set", "shift",
    "source", "times", "trap", "type", "ulimit", "umask", "unalias", "unset", "until", "wait",
    "while",
];

/// How a command line is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Split {
    /// As a program with these arguments; never empty.
    Words(Vec<String>),
    /// By a shell; what makes it necessary.
    Shell(&'static str),
}

/// A command line that no shell could read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// There is nothing in it.
    #[error("the command is empty: name a program")]
    Empty,
    /// A quote is not closed.
    #[error("a quote ({quote}) is not closed in: {line}")]
    Open {
        /// Which quote.
        quote: char,
        /// The whole line.
        line: String,
    },
}

/// Reads a line; fails if it is empty, or a quote is not closed.
pub fn split(line: &str) -> Result<Split, WordsError> {
    let mut reader = Reader {
        line,
        words: Vec::new(),
        word: None,
        shell: None,
    };
    reader.read()?;
    let Reader { words, shell, .. } = reader;
    let first = words.first().ok_or(WordsError::Empty)?;
    if let Some(why) = shell {
        return Ok(Split::Shell(why));
    }
    if OF_SHELL.contains(&first.as_str()) {
        return Ok(Split::Shell("it begins with a word of the shell"));
    }
    if is_assignment(first) {
        return Ok(Split::Shell("it begins with an assignment"));
    }
    Ok(Split::Words(words))
}

/// The line with a zero for each byte that is quoted, and for the quotes: what a shell may act on, in its place.
#[must_use]
pub fn bare(line: &str) -> String {
    let mut quote = None;
    let mut escaped = false;
    let blank = |c: char| {
        let is_open = quote.is_none() && !escaped && !"'\"\\".contains(c);
        match (escaped, quote, c) {
            (true, ..) => escaped = false,
            (_, None | Some('"'), '\\') => escaped = true,
            (_, None, '\'' | '"') => quote = Some(c),
            (_, Some(open), c) if open == c => quote = None,
            _ => {}
        }
        if is_open {
            c.to_string()
        } else {
            "\0".repeat(c.len_utf8())
        }
    };
    line.chars().map(blank).collect()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let known = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(known)
    })
}

struct Reader<'a> {
    line: &'a str,
    words: Vec<String>,
    word: Option<String>,
    shell: Option<&'static str>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), WordsError> {
        let mut chars = self.line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\'' | '"' => self.quoted(c, &mut chars)?,
                '\\' => self.push(chars.next().unwrap_or('\\')),
                ' ' | '\t' => self.words.extend(self.word.take()),
                c if SPECIAL.contains(c) => {
                    self.shell = Some("it has characters that mean something to a shell");
                    self.push(c);
                }
                c => self.push(c),
            }
        }
        self.words.extend(self.word.take());
        Ok(())
    }

    fn quoted(&mut self, quote: char, chars: &mut std::str::Chars<'_>) -> Result<(), WordsError> {
        self.word.get_or_insert_default();
        loop {
            match chars.next() {
                None => {
                    let line = self.line.to_owned();
                    return Err(WordsError::Open { quote, line });
                }
                Some(c) if c == quote => return Ok(()),
                Some('\\') if quote == '"' => self.escaped(chars.next()),
                Some(c) => {
                    if quote == '"' && "$`".contains(c) {
                        self.shell = Some("it has a variable or a command in quotes");
                    }
                    self.push(c);
                }
            }
        }
    }

    /// Within double quotes a backslash only protects what means something there.
    fn escaped(&mut self, next: Option<char>) {
        match next {
            Some(c) if "\"\\$`".contains(c) => self.push(c),
            Some(c) => {
                self.push('\\');
                self.push(c);
            }
            None => self.push('\\'),
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        match split(line) {
            Ok(Split::Words(words)) => words,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn words_and_quotes_are_read_as_a_shell_reads_them() {
        assert_eq!(words("sort  -n 'a b' c\\ d"), ["sort", "-n", "a b", "c d"]);
        assert_eq!(
            words(r#"printf "%s\n" '' x"y"z"#),
            ["printf", "%s\\n", "", "xyz"]
        );
        assert_eq!(words("awk '{print $1}' f"), ["awk", "{print $1}", "f"]);
    }

    #[test]
    fn whatever_a_shell_would_act_on_goes_to_a_shell() {
        for line in [
            "a | b",
            "a > f",
            "a $HOME",
            "a \"$HOME\"",
            "a *.c",
            "a; b",
            "cd x",
            "A=1 b",
            "a &",
            "ls ~",
            "for i in 1",
            "a `b`",
            "ulimit -n 4",
        ] {
            assert!(matches!(split(line), Ok(Split::Shell(_))), "{line}");
        }
    }

    #[test]
    fn what_is_quoted_is_blank_in_a_bare_line() {
        assert_eq!(bare("a 'b' \"c'd\" e"), "a \0\0\0 \0\0\0\0\0 e");
        assert_eq!(bare("\\{a \"\\\"{\" 'ä'z"), "\0\0a \0\0\0\0\0 \0\0\0\0z");
    }

    #[test]
    fn what_no_shell_could_read_is_an_error() {
        assert_eq!(split("  "), Err(WordsError::Empty));
        let error = split("echo 'a").unwrap_err().to_string();
        assert_eq!(error, "a quote (') is not closed in: echo 'a");
    }
}
