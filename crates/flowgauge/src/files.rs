//! The folders that slots write to, looked at before a run: is there room?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use lab::Study;
use lab::number::bytes;
use machine::Filesystem;
use workload::Work;
use workload::workload::FileWords;

fn words(work: &Work) -> FileWords {
    let files = work.files();
    files.map_or(FileWords::SMALL, |files| files.words)
}

/// `results`, unless work names others, may not exist yet.
pub(crate) fn looked_at(studies: &[Study], results: &Path) -> Result<Vec<Filesystem>> {
    let mut needs: BTreeMap<(PathBuf, bool), &Work> = BTreeMap::new();
    for work in works(studies).filter(|work| work.file_bytes() > 0) {
        let folder = work.folder();
        let key = (folder.unwrap_or(results).to_owned(), folder.is_some());
        let most = needs.entry(key).or_insert(work);
        if work.file_bytes() > most.file_bytes() {
            *most = work;
        }
    }
    let look = |((folder, named), work): ((PathBuf, bool), &Work)| {
        if named {
            ensure!(
                folder.is_dir(),
                "--folder {} is no folder: make it, or name another one",
                folder.display()
            );
        }
        takes_files(&folder, work)?;
        Ok(Filesystem::of(&folder))
    };
    needs.into_iter().map(look).collect()
}

pub(crate) fn named(studies: &[Study]) -> impl Iterator<Item = &Path> {
    works(studies).filter_map(Work::folder)
}

pub(crate) fn works<'a>(
    studies: impl IntoIterator<Item = &'a Study>,
) -> impl Iterator<Item = &'a Work> {
    let cases = studies.into_iter().flat_map(|study| &study.cases);
    cases.flat_map(|case| {
        let own = case.variants.iter().filter_map(|v| v.work.as_ref());
        own.chain([&case.work])
    })
}

fn takes_files(folder: &Path, work: &Work) -> Result<()> {
    let words = words(work);
    let absolute = std::path::absolute(folder)?;
    let there = absolute.ancestors().find(|path| path.is_dir());
    let there = there.unwrap_or(Path::new("/"));
    tempfile::tempfile_in(there).with_context(|| {
        format!(
            "cannot make files for {} in {}; {}",
            words.whose,
            there.display(),
            words.elsewhere
        )
    })?;
    let disk = nix::sys::statvfs::statvfs(there)
        .with_context(|| format!("cannot ask how much room there is in {}", there.display()))?;
    let free = disk.blocks_available().saturating_mul(disk.fragment_size());
    ensure!(free >= work.file_bytes(), "{}", full(there, free, work));
    Ok(())
}

fn full(there: &Path, free: u64, work: &Work) -> String {
    let words = words(work);
    format!(
        "{} has room for {}, and {} {} at once: make room there, {}, or {}",
        there.display(),
        bytes(free as f64),
        words.what,
        bytes(work.file_bytes() as f64),
        words.fewer,
        words.elsewhere
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_work_is_told_of_options_that_it_has() {
        let said = |work: &str| {
            let work = serde_json::from_str(work).unwrap();
            full(Path::new("/mnt"), 1 << 20, &work)
        };
        let wiki = said(r#"{"kind": "wiki", "requests": 1, "pages": 60, "page_size": "8K"}"#);
        for words in [
            "/mnt has room for 1.00 MiB",
            "page store needs 1.88 MiB",
            "pages",
            "--out DIR",
        ] {
            assert!(wiki.contains(words), "{words} in {wiki}");
        }
        assert!(
            !wiki.contains("--loops") && !wiki.contains("--folder"),
            "{wiki}"
        );
        let io = said(r#"{"kind": "io", "workers": 2, "loops": 9000}"#);
        assert!(
            io.contains("fewer --loops") && io.contains("--folder DIR"),
            "{io}"
        );
    }
}
