//! The folder of a fleet: `nodes/NAME/journal.jsonl` for each machine (`failed.txt` with the reason
//! of one that failed), and beside them what was made of all. All else is left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use lab::fleet::merge::{Journals, is_finished};
use lab::journal::FILE_NAME;

use super::limits::{Allowance, WORDS};
use crate::whole_file;

pub(crate) const NODES: &str = "nodes";
pub(crate) const FAILED: &str = "failed.txt";
pub(crate) const SCRIPT: &str = "fleet.sbatch";

pub(crate) type Places = BTreeMap<String, BTreeSet<PathBuf>>;

#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) journals: Journals,
    pub(crate) failed: Option<String>,
}

pub(crate) fn places(folders: &[PathBuf]) -> Result<Places> {
    let mut all = Places::new();
    for folder in folders {
        let nodes = folder.join(NODES);
        if nodes.is_dir() {
            let entries = fs::read_dir(&nodes);
            let entries = entries.with_context(|| format!("cannot read {}", nodes.display()))?;
            for entry in entries {
                let path = entry?.path();
                if !path.is_file() {
                    all.entry(name(&path)).or_default().insert(path);
                }
            }
        } else if folder.join(FILE_NAME).is_file() {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            all.entry(name(&real)).or_default().insert(real);
        } else {
            let is_there = folder.is_dir();
            let folder = folder.display();
            ensure!(is_there, "there is no folder {folder}");
            bail!("no fleet and no run is in {folder}: it has neither {NODES} nor {FILE_NAME}");
        }
    }
    Ok(all)
}

fn name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.unwrap_or_default().into_owned()
}

pub(crate) fn read<'a>(folders: impl IntoIterator<Item = &'a PathBuf>, limit: u64) -> Result<Kept> {
    let mut kept = Kept::default();
    let mut allowance = Allowance::of(limit);
    for folder in folders {
        for path in journals_in(folder)? {
            kept.journals.take(allowance.read(&path)?);
        }
        let failed = folder.join(FAILED);
        if failed.symlink_metadata().is_ok() {
            let text = Allowance::of(WORDS).read(&failed)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            kept.failed = kept.failed.max(Some(text));
        }
    }
    if kept.is_finished() {
        kept.failed = None;
    }
    Ok(kept)
}

pub(crate) fn bytes<'a>(folders: impl IntoIterator<Item = &'a PathBuf>, limit: u64) -> u64 {
    let paths = folders
        .into_iter()
        .filter_map(|folder| journals_in(folder).ok());
    let sizes = paths
        .flatten()
        .filter_map(|path| Some(path.symlink_metadata().ok()?.len()));
    sizes.fold(0, u64::saturating_add).min(limit)
}

impl Kept {
    fn is_finished(&self) -> bool {
        self.journals
            .best_first()
            .first()
            .is_some_and(|best| is_finished(best))
    }
}

/// Equal files are not touched.
pub(crate) fn write(folder: &Path, kept: &Kept) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut files: Vec<(String, &[u8])> = kept.journals.files().collect();
    if let Some(failed) = &kept.failed {
        files.push((FAILED.to_owned(), failed.as_bytes()));
    }
    for (name, text) in &files {
        let path = folder.join(name);
        let there = Allowance::of(text.len() as u64).read(&path);
        if there.ok().as_deref() != Some(text) {
            whole_file::write(&path, text)?;
        }
    }
    let failed = folder.join(FAILED);
    if kept.failed.is_none() && failed.exists() {
        fs::remove_file(&failed).with_context(|| format!("cannot remove {}", failed.display()))?;
    }
    Ok(())
}

fn journals_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let paths = paths_in(folder)?;
    let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
    let runs = paths.iter().filter(|path| begins(path, "run-"));
    let mut all = Vec::new();
    for run in runs.filter(|path| !path.is_file()) {
        is_folder(run)?;
        all.extend(Some(run.join(FILE_NAME)).filter(is_there));
    }
    all.extend(paths.into_iter().filter(|path| is_journal(path)));
    Ok(all)
}

const NAMES: usize = 10_000;

fn paths_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = || format!("cannot read {}", folder.display());
    is_folder(folder)?;
    let entries = fs::read_dir(folder).with_context(failed)?;
    let paths = entries.take(NAMES).map(|entry| Ok(entry?.path()));
    paths.collect::<std::io::Result<_>>().with_context(failed)
}

/// Refuses links: they lead anywhere.
fn is_folder(path: &Path) -> Result<()> {
    let found = path.symlink_metadata();
    let found = found.with_context(|| format!("cannot read {}", path.display()))?;
    ensure!(found.is_dir(), "{} is no folder", path.display());
    Ok(())
}

fn begins(path: &Path, with: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(with))
}

fn is_journal(path: &Path) -> bool {
    begins(path, "journal")
        && path
            .extension()
            .is_some_and(|extension| extension == "jsonl")
}
