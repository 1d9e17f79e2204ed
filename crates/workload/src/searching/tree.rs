//! The tree of a search: the one named, or one that this machine has, within the bounds.

use std::path::PathBuf;

use search::{Bound, Part};

use super::{Design, Reading, Searching};
use crate::WorkError;
use crate::work::refused;

/// Trees of small files that nearly every Linux machine has, in the order of choice.
const USUAL: [&str; 3] = ["/usr/include", "/usr/share", "/usr/lib"];
/// Files of text that make a tree large enough; otherwise the largest is taken.
const ENOUGH: u64 = 500;

/// Trees that were looked at before: many cases of a study search the same.
#[derive(Debug, Default)]
pub struct Trees(Vec<(Searching, Vec<PathBuf>)>);

impl Trees {
    pub(super) fn find(&mut self, search: &Searching) -> Result<Vec<PathBuf>, WorkError> {
        // What decides on the files; the rest makes no other part of them.
        let key = Searching {
            pattern: String::new(),
            design: Design::default(),
            io: Reading::default(),
            cold: false,
            ..search.clone()
        };
        if let Some((_, roots)) = self.0.iter().find(|(known, _)| *known == key) {
            return Ok(roots.clone());
        }
        let roots = match search.tree.is_empty() {
            true => usual(search)?,
            false => named(search)?,
        };
        self.0.push((key, roots.clone()));
        Ok(roots)
    }
}

fn named(search: &Searching) -> Result<Vec<PathBuf>, WorkError> {
    let mut roots = Vec::new();
    for path in &search.tree {
        let shown = path.display();
        if path.as_os_str() == "-" {
            return refused(
                "a study searches its tree many times, and standard input can be read once: name a \
                 folder",
            );
        }
        let there = path.canonicalize().or_else(|error| {
            refused(format!(
                "cannot search {shown}: name a tree that is there: {error}"
            ))
        });
        roots.push(there?);
    }
    let part = part_of(search, roots)?;
    if part.files == 0 {
        let names = search.tree.iter().map(|path| path.display().to_string());
        return refused(format!(
            "no files to search in {}: there are none, or all are binary, hidden or named in \
             ignore files; name another tree, or try --hidden, --no-ignore or --text",
            names.collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(part.roots)
}

fn usual(search: &Searching) -> Result<Vec<PathBuf>, WorkError> {
    let mut best: Option<Part> = None;
    let trees = USUAL.map(PathBuf::from).into_iter();
    for tree in trees.filter(|tree| tree.is_dir()) {
        let part = part_of(search, vec![tree])?;
        if part.files >= ENOUGH.min(search.most_files.unwrap_or(ENOUGH) / 2) {
            return Ok(part.roots);
        }
        if best.as_ref().is_none_or(|best| best.files < part.files) {
            best = Some(part);
        }
    }
    match best {
        Some(part) if part.files > 0 => Ok(part.roots),
        _ => refused(format!(
            "no tree to search: {} hold no files of text; name one with --tree DIR",
            USUAL.join(", ")
        )),
    }
}

fn part_of(search: &Searching, roots: Vec<PathBuf>) -> Result<Part, WorkError> {
    let query = search::Query {
        roots,
        ..search.query()?
    };
    let bound = Bound {
        files: search.most_files.unwrap_or(u64::MAX),
        bytes: search.most_bytes.unwrap_or(u64::MAX),
    };
    search::part(&query, bound).or_else(|error| refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(tree: PathBuf) -> Result<Vec<PathBuf>, String> {
        let search = serde_json::json!({ "pattern": "a", "tree": tree });
        let search: Searching = serde_json::from_value(search).unwrap();
        let found = Trees::default().find(&search);
        found.map_err(|error| error.to_string())
    }

    #[test]
    fn the_tree_that_was_asked_for_is_searched() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("a.txt"), "text\n").unwrap();
        let real = tree.path().canonicalize().unwrap();
        assert_eq!(found(tree.path().to_owned()), Ok(vec![real]));
    }

    #[test]
    fn a_tree_without_files_or_that_is_not_there_is_refused() {
        let tree = tempfile::tempdir().unwrap();
        let error = found(tree.path().to_owned()).unwrap_err();
        assert!(error.contains("no files to search in"), "{error}");
        let error = found(tree.path().join("x")).unwrap_err();
        assert!(error.contains("cannot search"), "{error}");
    }
}
