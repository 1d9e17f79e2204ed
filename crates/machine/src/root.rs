use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use measure::Measured;

use crate::cpulist;

#[derive(Debug)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn new(root: &Path) -> Self {
        Self(root.to_path_buf())
    }

    pub(crate) fn text(&self, path: &str) -> Measured<String> {
        match fs::read(self.below(path)) {
            Ok(bytes) => Measured::Value(String::from_utf8_lossy(&bytes).trim().to_owned()),
            Err(error) => refusal(path, &error),
        }
    }

    pub(crate) fn told(&self, path: impl AsRef<str>) -> Option<String> {
        self.text(path.as_ref()).into_value()
    }

    pub(crate) fn count<T: FromStr>(&self, path: impl AsRef<str>) -> Option<T> {
        self.number(path.as_ref()).into_value()
    }

    /// The first readable one; else why the last cannot be read.
    pub(crate) fn first_text(&self, paths: &[&str]) -> Measured<String> {
        let mut answer = Measured::not_available("no file tells", "");
        for path in paths {
            answer = self.text(path);
            if answer.value().is_some() {
                break;
            }
        }
        answer
    }

    pub(crate) fn link(&self, path: &str) -> Option<String> {
        let target = fs::read_link(self.below(path)).ok()?;
        target.into_os_string().into_string().ok()
    }

    pub(crate) fn number<T: FromStr>(&self, path: &str) -> Measured<T> {
        self.text(path).and_then(|text| {
            let number = text.parse();
            number.map_or_else(|_| unexpected(path, &text), Measured::Value)
        })
    }

    pub(crate) fn cpus(&self, path: &str) -> Measured<Vec<u32>> {
        self.text(path).and_then(|text| {
            let cpus = cpulist::parse(&text);
            cpus.map_or_else(|| unexpected(path, &text), Measured::Value)
        })
    }

    pub(crate) fn names(&self, dir: &str) -> Vec<String> {
        let entries = fs::read_dir(self.below(dir)).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn numbered(&self, dir: &str, prefix: &str) -> Vec<u32> {
        let number = |name: &String| name.strip_prefix(prefix)?.parse().ok();
        let mut numbers: Vec<_> = self.names(dir).iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    pub(crate) fn is_there(&self, path: &str) -> bool {
        self.below(path).exists()
    }

    fn below(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }
}

pub(crate) fn listed<T>(all: Vec<T>, lacks: &str) -> Measured<Vec<T>> {
    Measured::of(Some(all).filter(|all| !all.is_empty()), lacks, "")
}

pub(crate) fn unexpected<T>(path: &str, text: &str) -> Measured<T> {
    let start: String = text.chars().take(40).collect();
    Measured::not_available(
        format!("{path} holds {start:?}, which is not understood"),
        "",
    )
}

fn refusal<T>(path: &str, error: &io::Error) -> Measured<T> {
    let (reason, remedy) = match error.kind() {
        io::ErrorKind::NotFound => (format!("this machine has no {path}"), ""),
        io::ErrorKind::PermissionDenied => (format!("reading {path} is forbidden"), "run as root"),
        _ => (format!("{path}: {error}"), ""),
    };
    Measured::not_available(reason, remedy)
}

/// Of the first line `key SEPARATOR value`, as in `cpuinfo`, `status` or `os-release`.
pub(crate) fn field<'t>(text: &'t str, separator: char, key: &str) -> Option<&'t str> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(separator));
    let (_, value) = pairs.find(|(name, _)| name.trim() == key)?;
    Some(value.trim())
}
