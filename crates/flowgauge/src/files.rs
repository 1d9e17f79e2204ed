//! The folders that slots write files to, looked at before anything runs: a folder that takes
//! no files, or not so many bytes, is said at once and not in the last case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use lab::Study;
use lab::number::bytes;
use machine::Filesystem;
use workload::Work;

/// What to do about a folder that will not do.
const REMEDY: &str = "name a folder on another disk: --folder DIR";

/// What each folder is on; those that are not asked for by name are `results`, which need not
/// be there yet.
pub(crate) fn looked_at(studies: &[Study], results: &Path) -> Result<Vec<Filesystem>> {
    let mut needs: BTreeMap<(PathBuf, bool), u64> = BTreeMap::new();
    for work in works(studies).filter(|work| work.file_bytes() > 0) {
        let folder = work.folder();
        let key = (folder.unwrap_or(results).to_owned(), folder.is_some());
        let need = needs.entry(key).or_default();
        *need = (*need).max(work.file_bytes());
    }
    let look = |((folder, named), need): ((PathBuf, bool), u64)| {
        if named {
            ensure!(
                folder.is_dir(),
                "--folder {} is no folder: make it, or name another one",
                folder.display()
            );
        }
        takes_files(&folder, need)?;
        Ok(Filesystem::of(&folder))
    };
    needs.into_iter().map(look).collect()
}

/// The folders that work names for its files.
pub(crate) fn named(studies: &[Study]) -> impl Iterator<Item = &Path> {
    works(studies).filter_map(Work::folder)
}

fn works(studies: &[Study]) -> impl Iterator<Item = &Work> {
    let cases = studies.iter().flat_map(|study| &study.cases);
    cases.flat_map(|case| {
        let own = case.variants.iter().filter_map(|v| v.work.as_ref());
        own.chain([&case.work])
    })
}

/// Checks that files of so many bytes can be made in `folder`, or in the nearest one above it
/// that is there.
fn takes_files(folder: &Path, need: u64) -> Result<()> {
    let absolute = std::path::absolute(folder)?;
    let there = absolute.ancestors().find(|path| path.is_dir());
    let there = there.unwrap_or(Path::new("/"));
    tempfile::tempfile_in(there)
        .with_context(|| format!("cannot make files for io in {}; {REMEDY}", there.display()))?;
    let disk = nix::sys::statvfs::statvfs(there)
        .with_context(|| format!("cannot ask how much room there is in {}", there.display()))?;
    let free = disk.blocks_available().saturating_mul(disk.fragment_size());
    ensure!(
        free >= need,
        "{} has room for {}, and the files of io need {} at once: make room there, use fewer \
         --loops, or {REMEDY}",
        there.display(),
        bytes(free as f64),
        bytes(need as f64)
    );
    Ok(())
}
