//! A part of a tree that is small enough, as a list of whole folders, the same for every model and
//! every time. In the order of names each folder that fits is taken whole; of one that does not
//! fit, its folders are tried, and files beside them are left out. The searcher itself says which
//! files of text the query's filters leave.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::error::SearchError;
use crate::escape::Escape;
use crate::plan::Plan;
use crate::query::{Paths, Query, Show};
use crate::{Pattern, run};

const MOST_FOLDERS: usize = 256;

/// How large a part may be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// Files at the most.
    pub files: u64,
    /// Bytes of them at the most.
    pub bytes: u64,
}

impl Bound {
    /// Everything.
    pub const NONE: Bound = Bound {
        files: u64::MAX,
        bytes: u64::MAX,
    };

    fn holds(self, size: Bound) -> bool {
        size.files <= self.files && size.bytes <= self.bytes
    }

    fn without(self, size: Bound) -> Bound {
        Bound {
            files: self.files.saturating_sub(size.files),
            bytes: self.bytes.saturating_sub(size.bytes),
        }
    }
}

/// A part of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Its folders, or the roots themselves where all of them fit.
    pub roots: Vec<PathBuf>,
    /// Files of text in it.
    pub files: u64,
    /// Bytes of them.
    pub bytes: u64,
}

#[derive(Debug, Default)]
struct Folder {
    size: Bound,
    folders: BTreeMap<OsString, Folder>,
}

/// The part that `bound` holds, or the smallest folder. Errors: as of [`run`](crate::run()).
pub fn part(query: &Query, bound: Bound) -> Result<Part, SearchError> {
    let mut chosen = Part::default();
    let mut trees = Vec::new();
    for root in &query.roots {
        trees.push((root.clone(), tree(query, root)?));
    }
    let mut left = bound;
    for (root, folder) in &trees {
        take(root, folder, &mut left, &mut chosen);
    }
    if chosen.files == 0 {
        let smallest = trees
            .iter()
            .filter_map(|(root, folder)| smallest(root, folder))
            .min_by_key(|(_, size)| (size.files, size.bytes));
        if let Some((path, size)) = smallest {
            add(&path, size, &mut chosen);
        }
    }
    Ok(chosen)
}

fn tree(query: &Query, root: &Path) -> Result<Folder, SearchError> {
    let all = Query {
        pattern: Pattern::every_line(),
        roots: vec![root.to_owned()],
        show: Show::Files,
        paths: Paths::Always,
        line_numbers: false,
        colour: false,
        escape: Escape::Nothing,
        sort: false,
        watched: false,
        ..query.clone()
    };
    let mut names = Vec::new();
    run(&all, &Plan::default(), &mut names, &mut |_problem| {})?;
    let mut tree = Folder::default();
    for name in names
        .split(|&byte| byte == b'\n')
        .filter(|name| !name.is_empty())
    {
        let path = PathBuf::from(OsString::from_vec(name.to_vec()));
        if let Ok(metadata) = std::fs::metadata(&path) {
            tree.add(path.strip_prefix(root).unwrap_or(&path), metadata.len());
        }
    }
    Ok(tree)
}

impl Folder {
    fn add(&mut self, path: &Path, bytes: u64) {
        let mut here = self;
        here.count(bytes);
        for name in path.parent().into_iter().flat_map(Path::components) {
            let name = name.as_os_str().to_owned();
            here = here.folders.entry(name).or_default();
            here.count(bytes);
        }
    }

    fn count(&mut self, bytes: u64) {
        self.size.files += 1;
        self.size.bytes += bytes;
    }
}

fn take(path: &Path, folder: &Folder, left: &mut Bound, chosen: &mut Part) {
    if folder.size.files == 0 || chosen.roots.len() == MOST_FOLDERS {
        return;
    }
    if left.holds(folder.size) {
        *left = left.without(folder.size);
        return add(path, folder.size, chosen);
    }
    for (name, inner) in &folder.folders {
        take(&path.join(name), inner, left, chosen);
    }
}

fn add(path: &Path, size: Bound, chosen: &mut Part) {
    chosen.roots.push(path.to_owned());
    chosen.files += size.files;
    chosen.bytes += size.bytes;
}

fn smallest(path: &Path, folder: &Folder) -> Option<(PathBuf, Bound)> {
    let inner = folder.folders.iter();
    let inner = inner.filter_map(|(name, inner)| smallest(&path.join(name), inner));
    let own = (folder.size.files > 0).then(|| (path.to_owned(), folder.size));
    inner
        .chain(own)
        .min_by_key(|(_, size)| (size.files, size.bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a`: 3 files; `b`: 2 files and `b/c`: 4; `d`: 1; two beside them. 10 bytes each.
    fn query() -> (tempfile::TempDir, Query) {
        let tree = tempfile::tempdir().unwrap();
        for (folder, files) in [("a", 3), ("b", 2), ("b/c", 4), ("d", 1), (".", 2)] {
            let folder = tree.path().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            for number in 0..files {
                std::fs::write(folder.join(format!("{number}.txt")), "123456789\n").unwrap();
            }
        }
        std::fs::write(tree.path().join("d/.hidden"), "x\n").unwrap();
        std::fs::write(tree.path().join("d/binary"), "x\0y\n").unwrap();
        let mut query = Query::new(Pattern::literal("x").unwrap());
        query.roots = vec![tree.path().to_owned()];
        (tree, query)
    }

    fn chosen(files: u64, bytes: u64) -> (Vec<String>, u64, u64) {
        let (tree, query) = query();
        let part = part(&query, Bound { files, bytes }).unwrap();
        let name = |path: &PathBuf| {
            path.strip_prefix(tree.path())
                .unwrap()
                .display()
                .to_string()
        };
        (
            part.roots.iter().map(name).collect(),
            part.files,
            part.bytes,
        )
    }

    #[test]
    fn all_of_it_where_it_fits() {
        assert_eq!(chosen(12, 120), (vec![String::new()], 12, 120));
    }

    #[test]
    fn whole_folders_in_the_order_of_names_as_long_as_they_fit() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(chosen(11, 1_000), (names(&["a", "b", "d"]), 10, 100));
        assert_eq!(chosen(8, 1_000), (names(&["a", "b/c", "d"]), 8, 80));
        assert_eq!(chosen(100, 79), (names(&["a", "b/c"]), 7, 70));
    }

    #[test]
    fn the_smallest_folder_where_none_fits() {
        assert_eq!(chosen(100, 5), (vec!["d".to_owned()], 1, 10));
    }

    #[test]
    fn a_tree_without_files_has_no_part() {
        let tree = tempfile::tempdir().unwrap();
        let mut query = Query::new(Pattern::literal("x").unwrap());
        query.roots = vec![tree.path().to_owned()];
        assert_eq!(part(&query, Bound::NONE).unwrap(), Part::default());
    }
}
