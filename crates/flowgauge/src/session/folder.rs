use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow, bail, ensure};
use lab::Study;

use crate::leftovers;
use crate::results_folder::NewFolder;

pub(crate) fn journal_in(folder: &Path) -> Result<PathBuf> {
    let journal = folder.join(lab::journal::FILE_NAME);
    if journal.is_file() {
        return Ok(journal);
    }
    let here = folder.display();
    let why = match folder.parent() {
        _ if !folder.exists() => "there is nothing of that name".to_owned(),
        Some(parent) if folder.is_file() && parent.join(lab::journal::FILE_NAME).is_file() => {
            bail!(
                "{here} is a file in a results folder: name the folder, {}",
                named(parent)
            )
        }
        _ if folder.is_file() => "it is a file".to_owned(),
        _ => format!("it has no {}", lab::journal::FILE_NAME),
    };
    bail!("{here} is no results folder: {why}; name the folder that a run printed at its end")
}

fn named(folder: &Path) -> String {
    match folder.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => folder.display().to_string(),
    }
}

/// New or empty. (A journal in it is refused elsewhere.)
pub(super) fn asked_for(folder: &Path) -> Result<()> {
    if folder.is_symlink() && !folder.exists() {
        bail!(
            "--out {} is a link that leads to nothing: name a new folder, or an empty one",
            folder.display()
        );
    }
    if folder.exists() && !folder.is_dir() {
        bail!(
            "--out {} is no folder: name a new folder, or an empty one",
            folder.display()
        );
    }
    let journal = folder.join(lab::journal::FILE_NAME);
    holds_no_others(folder, |_| journal.exists())
}

/// Of what is given for results: it holds nothing but what is ours.
pub(crate) fn holds_no_others(folder: &Path, is_ours: impl Fn(&OsStr) -> bool) -> Result<()> {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    ensure!(
        entries.all(|entry| is_ours(&entry.file_name())),
        "--out {} holds other files: name a new folder, or an empty one",
        folder.display()
    );
    Ok(())
}

pub(super) fn new_folder(folder: &Path) -> Result<NewFolder> {
    NewFolder::make(folder).map_err(|error| {
        let way_out = match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "; name a folder that you may write to: --out DIR"
            }
            _ => flow::way_out(&error),
        };
        anyhow!("cannot create {}: {error}{way_out}", folder.display())
    })
}

/// Two runs that begin at once get one each.
pub(super) fn fresh_folder(now: SystemTime, studies: &[Study]) -> Result<(PathBuf, NewFolder)> {
    loop {
        let folder = default_folder(now, studies);
        let made = new_folder(&folder)?;
        if made.made(&folder) {
            return Ok((folder, made));
        }
    }
}

/// `flowgauge-results/2026-11-21T08-30-00Z-primes`, numbered if taken.
pub(super) fn default_folder(now: SystemTime, studies: &[Study]) -> PathBuf {
    let name = match studies {
        [one] => one.name.clone(),
        _ => "run".to_owned(),
    };
    let folders = (1..).map(|number: u32| match number {
        1 => usual_place(now, &name),
        _ => usual_place(now, &format!("{name}-{number}")),
    });
    folders
        .into_iter()
        .find(|folder| !folder.exists())
        .unwrap_or_default()
}

pub(crate) fn usual_place(now: SystemTime, name: &str) -> PathBuf {
    let time = humantime::format_rfc3339_seconds(now).to_string();
    let folder = format!("{}-{name}", time.replace(':', "-"));
    Path::new(leftovers::USUAL_PLACE).join(folder)
}
