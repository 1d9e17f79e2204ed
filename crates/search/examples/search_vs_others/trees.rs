//! The trees of cases that need another one than that of the command line, made of its text.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a case searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tree {
    /// The tree of the command line.
    Given,
    /// Forty small files of it.
    Small,
    /// Three files of `LARGE_MIB` MiB each.
    Large,
}

/// Files of the small tree.
const FEW: usize = 40;
/// The longest of them.
const SMALL_BYTES: u64 = 32 << 10;
/// Text that the large files repeat.
const TEXT_BYTES: usize = 16 << 20;
/// What the large files have where `LARGE_MIB` says nothing else.
const USUAL_MIB: usize = 150;

/// Makes the trees below `folder`.
pub(crate) fn make(given: &Path, folder: &Path) -> io::Result<()> {
    let (mut few, mut text) = (0, Vec::new());
    let mut waiting = vec![given.to_owned()];
    fs::create_dir(place(Tree::Small, given, folder))?;
    while let Some(next) = waiting
        .pop()
        .filter(|_| few < FEW || text.len() < TEXT_BYTES)
    {
        for entry in fs::read_dir(next)? {
            let entry = entry?;
            match entry.file_type()? {
                kind if kind.is_dir() => waiting.push(entry.path()),
                kind if !kind.is_file() => {}
                _ => {
                    let Some(lines) = lines(&entry.path()) else {
                        continue;
                    };
                    if few < FEW && (lines.len() as u64) < SMALL_BYTES {
                        let small = place(Tree::Small, given, folder);
                        fs::write(small.join(few.to_string()), &lines)?;
                        few += 1;
                    }
                    text.extend_from_slice(&lines);
                }
            }
        }
    }
    large(&place(Tree::Large, given, folder), &text)
}

/// Where a tree is.
pub(crate) fn place(tree: Tree, given: &Path, folder: &Path) -> PathBuf {
    match tree {
        Tree::Given => given.to_owned(),
        Tree::Small => folder.join("small"),
        Tree::Large => folder.join("large"),
    }
}

/// The text of a file, unless it cannot be read or is binary.
fn lines(path: &Path) -> Option<Vec<u8>> {
    let mut text = fs::read(path).ok()?;
    if text.contains(&0) {
        return None;
    }
    text.push(b'\n');
    Some(text)
}

fn large(folder: &Path, text: &[u8]) -> io::Result<()> {
    let mib = std::env::var("LARGE_MIB")
        .ok()
        .and_then(|mib| mib.parse().ok());
    let bytes = mib.unwrap_or(USUAL_MIB) << 20;
    fs::create_dir(folder)?;
    for name in ["a", "b", "c"] {
        let mut file = File::create(folder.join(name))?;
        for _ in 0..bytes.div_ceil(text.len().max(1)) {
            file.write_all(text)?;
        }
    }
    Ok(())
}
