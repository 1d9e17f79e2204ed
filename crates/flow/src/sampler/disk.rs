use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The unit of `stat`, whatever the file system's own blocks are.
const BLOCK: u64 = 512;

/// Links are not followed, vanished files not counted, files with two names counted twice.
pub(super) fn used(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    let mut folders = vec![folder.to_owned()];
    let mut is_first = true;
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if is_first => return Err(error),
            entries => entries.into_iter().flatten().flatten(),
        };
        is_first = false;
        for entry in entries {
            let Ok(about) = entry.metadata() else {
                continue;
            };
            sum += about.blocks() * BLOCK;
            if about.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_is_counted_and_not_length_and_in_folders_too() {
        let root = tempfile::tempdir().unwrap();
        let empty = used(root.path()).unwrap();
        let inner = root.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("full"), vec![7u8; 100_000]).unwrap();
        let hole = fs::File::create(root.path().join("hole")).unwrap();
        hole.set_len(1 << 30).unwrap();
        std::os::unix::fs::symlink("/", root.path().join("link")).unwrap();
        let grown = used(root.path()).unwrap() - empty;
        assert!((98_304..1 << 20).contains(&grown), "{grown}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        assert!(used(&root.path().join("none")).is_err());
    }
}
