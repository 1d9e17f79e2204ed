//! What a program brings along: files of its study, and what a command makes of them, once a run,
//! by the first slot, in a folder whose name has the hash of files and command; a mark, made last,
//! says that it is complete. The folder stays with the results: it is what was measured. It
//! deliberately knows no compiler, and does not ask whether a file is newer than another.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::pipe::first_word;
use crate::program::Program;

const MARK: &str = ".complete";

pub(crate) struct Built(PathBuf);

impl Built {
    pub(crate) fn of(program: &Program, dir: Option<&Path>) -> Option<Self> {
        let beside = dir?.parent()?;
        let is_wanted = program.build.is_some() || !program.files.is_empty();
        is_wanted.then(|| Self(beside.join(format!("built-{}", hash(program)))))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    pub(crate) fn is_there(&self) -> bool {
        self.0.join(MARK).exists()
    }

    pub(crate) fn write(&self, program: &Program) -> io::Result<()> {
        let named = |path: &Path, error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        };
        fs::create_dir_all(&self.0).map_err(|error| named(&self.0, error))?;
        for (name, text) in &program.files {
            let path = self.0.join(name);
            fs::write(&path, text).map_err(|error| named(&path, error))?;
        }
        Ok(())
    }

    pub(crate) fn is_complete(&self) -> io::Result<()> {
        fs::write(self.0.join(MARK), "")
    }
}

fn hash(program: &Program) -> String {
    let mut hasher = Sha256::new();
    let files = program.files.iter().flat_map(|(name, text)| [name, text]);
    for text in files.chain(program.build.as_ref()) {
        hasher.update(text.len().to_le_bytes());
        hasher.update(text);
    }
    format!("{:016x}", first_word(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(build: &str) -> Program {
        let mut program = Program::new("cat '{built}/text'".to_owned());
        program
            .files
            .insert("text".to_owned(), "as it is".to_owned());
        program.build = Some(build.to_owned());
        program
    }

    #[test]
    fn what_was_made_of_other_files_or_by_another_command_is_elsewhere() {
        let dir = Path::new("/run/slot");
        let folder = |program: &Program| Built::of(program, Some(dir)).unwrap().0;
        let one = program("true");
        let mut other = one.clone();
        other.files.insert("text".to_owned(), "changed".to_owned());
        assert_eq!(folder(&one).parent(), Some(Path::new("/run")));
        assert_ne!(folder(&one), folder(&other));
        assert_ne!(folder(&one), folder(&program("false")));
        assert!(Built::of(&Program::new("true".to_owned()), Some(dir)).is_none());
    }

    #[test]
    fn a_folder_is_complete_only_when_that_was_said() {
        let run = tempfile::tempdir().unwrap();
        let one = program("true");
        let built = Built::of(&one, Some(&run.path().join("slot"))).unwrap();
        built.write(&one).unwrap();
        assert!(!built.is_there());
        built.is_complete().unwrap();
        assert!(built.is_there());
        let text = fs::read_to_string(built.folder().join("text")).unwrap();
        assert_eq!(text, "as it is");
    }
}
