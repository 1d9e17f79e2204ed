//! The trees that studies search, looked at before anything runs: one that is not there or has
//! no files, and a page cache that cannot be emptied, are said at once.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use lab::Study;
use search::{Bound, Part};
use workload::searching::DROP_CACHES;
use workload::{Searching, Work};

/// Trees of small files that nearly every Linux machine has, in the order of choice.
const USUAL: [&str; 3] = ["/usr/include", "/usr/share", "/usr/lib"];
/// A tree of this many files of text is large enough; otherwise the largest of them is taken.
const ENOUGH: u64 = 500;

/// The studies with their trees filled in: `tree` where it is asked for, the tree that a study
/// names, or one that this machine has; of each as much as its bounds hold.
pub(crate) fn filled(mut studies: Vec<Study>, tree: Option<&Path>) -> Result<Vec<Study>> {
    let mut looked_at = LookedAt::default();
    let any = each_search(&mut studies, |search| looked_at.fill(search, tree))?;
    if tree.is_some() {
        some_search("--tree", any)?;
    }
    Ok(studies)
}

/// Fills in the tree of a search: `tree` where it is asked for, or one that this machine has.
pub(crate) fn fill(search: &mut Searching, tree: Option<&Path>) -> Result<()> {
    LookedAt::default().fill(search, tree)
}

/// The studies with their searches of files that come from the disk.
pub(crate) fn cold(mut studies: Vec<Study>) -> Result<Vec<Study>> {
    let any = each_search(&mut studies, |search| {
        search.cold = true;
        Ok(())
    })?;
    some_search("--cold", any)?;
    Ok(studies)
}

/// Changes each search of the studies; false where there is none.
fn each_search(
    studies: &mut [Study],
    mut change: impl FnMut(&mut Searching) -> Result<()>,
) -> Result<bool> {
    let mut any = false;
    for case in studies.iter_mut().flat_map(|study| &mut study.cases) {
        let own = case.variants.iter_mut().filter_map(|v| v.work.as_mut());
        for work in own.chain([&mut case.work]) {
            if let Work::Search(search) = work {
                any = true;
                change(search)?;
            }
        }
    }
    Ok(any)
}

fn some_search(flag: &str, any: bool) -> Result<()> {
    ensure!(
        any,
        "{flag}: none of these studies searches files; run the study search with it"
    );
    Ok(())
}

/// That the page cache can be emptied where a study asks for that.
pub(crate) fn check_cold(studies: &[Study]) -> Result<()> {
    let cases = studies.iter().flat_map(|study| &study.cases);
    let mut works = cases.flat_map(|case| {
        let own = case.variants.iter().filter_map(|v| v.work.as_ref());
        own.chain([&case.work])
    });
    let cold = works.any(|work| matches!(work, Work::Search(search) if search.cold));
    if !cold {
        return Ok(());
    }
    let opened = std::fs::File::options().write(true).open(DROP_CACHES);
    opened.map(drop).with_context(|| {
        format!(
            "a cold search is not possible here: the page cache cannot be emptied, which root of \
             the machine itself can do by writing to {DROP_CACHES}; run it there as root, or \
             without --cold"
        )
    })
}

/// Parts of trees that were looked at before: many cases search the same.
#[derive(Default)]
struct LookedAt(Vec<(Searching, Vec<PathBuf>)>);

impl LookedAt {
    fn fill(&mut self, search: &mut Searching, tree: Option<&Path>) -> Result<()> {
        if let Some(tree) = tree {
            search.tree = vec![tree.to_owned()];
        }
        // What decides on the files; the rest makes no other part of them.
        let key = Searching {
            pattern: String::new(),
            design: workload::Design::default(),
            io: workload::Reading::default(),
            cold: false,
            ..search.clone()
        };
        if let Some((_, roots)) = self.0.iter().find(|(known, _)| *known == key) {
            search.tree.clone_from(roots);
            return Ok(());
        }
        let roots = match search.tree.is_empty() {
            true => usual(search)?,
            false => named(search)?,
        };
        search.tree.clone_from(&roots);
        self.0.push((key, roots));
        Ok(())
    }
}

/// The part of the tree that a study names.
fn named(search: &Searching) -> Result<Vec<PathBuf>> {
    let mut roots = Vec::new();
    for path in &search.tree {
        let shown = path.display();
        ensure!(
            path.as_os_str() != "-",
            "a study searches its tree many times, and standard input can be read once: name a \
             folder"
        );
        let there = path.canonicalize();
        roots.push(
            there.with_context(|| format!("cannot search {shown}: name a tree that is there"))?,
        );
    }
    let part = part_of(search, roots)?;
    if part.files == 0 {
        let names: Vec<String> = search
            .tree
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        bail!(
            "no files to search in {}: there are none, or all are binary, hidden or named in \
             ignore files; name another tree, or try --hidden, --no-ignore or --text",
            names.join(", ")
        );
    }
    Ok(part.roots)
}

/// The part of the first usual tree that is large enough, or of the largest.
fn usual(search: &Searching) -> Result<Vec<PathBuf>> {
    let mut best: Option<Part> = None;
    for tree in USUAL
        .map(PathBuf::from)
        .into_iter()
        .filter(|tree| tree.is_dir())
    {
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
        _ => bail!(
            "no tree to search: {} hold no files of text; name one with --tree DIR",
            USUAL.join(", ")
        ),
    }
}

fn part_of(search: &Searching, roots: Vec<PathBuf>) -> Result<Part> {
    let query = search::Query {
        roots,
        ..search.query()?
    };
    let bound = Bound {
        files: search.most_files.unwrap_or(u64::MAX),
        bytes: search.most_bytes.unwrap_or(u64::MAX),
    };
    Ok(search::part(&query, bound)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::Preset;

    fn study() -> Vec<Study> {
        vec![lab::builtin("search", Preset::Quick).expect("it is built in")]
    }

    fn roots(studies: &[Study]) -> Vec<Vec<PathBuf>> {
        let cases = studies[0].cases.iter();
        let all = cases.flat_map(|case| (0..case.variants.len()).map(|at| case.work_of(at)));
        all.map(|work| match work {
            Work::Search(search) => search.tree.clone(),
            other => panic!("{other:?}"),
        })
        .collect()
    }

    #[test]
    fn every_variant_searches_the_tree_that_was_asked_for() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("a.txt"), "text\n").unwrap();
        let filled = filled(study(), Some(tree.path())).unwrap();
        let expected = tree.path().canonicalize().unwrap();
        assert!(
            roots(&filled)
                .iter()
                .all(|roots| *roots == [expected.clone()])
        );
    }

    #[test]
    fn a_tree_without_files_or_that_is_not_there_is_refused() {
        let tree = tempfile::tempdir().unwrap();
        let error = filled(study(), Some(tree.path())).unwrap_err().to_string();
        assert!(error.contains("no files to search in"), "{error}");
        let error = filled(study(), Some(&tree.path().join("x"))).unwrap_err();
        assert!(error.to_string().contains("cannot search"), "{error}");
    }

    #[test]
    fn a_tree_for_studies_that_search_nothing_is_refused() {
        let other = vec![lab::builtin("primes", Preset::Quick).unwrap()];
        let error = filled(other, Some(Path::new("/"))).unwrap_err().to_string();
        assert!(error.contains("--tree"), "{error}");
    }
}
