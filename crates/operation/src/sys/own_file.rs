use std::ffi::CString;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::descriptor::{WORD, open};

/// A file whose contents no other file has: word i is the tag plus i.
#[derive(Debug)]
pub(crate) struct OwnFile {
    pub(crate) file: File,
    pub(crate) path: CString,
    pub(crate) tag: u64,
}

impl OwnFile {
    pub(crate) fn make(folder: &Path, name: &str, words: u64) -> io::Result<Self> {
        let path = folder.join(name);
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(true);
        let mut file = options.custom_flags(libc::O_NOFOLLOW).open(&path)?;
        let tag = tag(name);
        let mut bytes = Vec::with_capacity(words as usize * WORD);
        (0..words).for_each(|word| bytes.extend((tag + word).to_ne_bytes()));
        file.write_all(&bytes)?;
        let path = CString::new(path.as_os_str().as_bytes())?;
        Ok(Self { file, path, tag })
    }

    pub(crate) fn again(&self) -> io::Result<Self> {
        let fd = open(&self.path, libc::O_RDWR)?;
        Ok(Self {
            file: File::from(fd),
            path: self.path.clone(),
            tag: self.tag,
        })
    }

    pub(crate) fn of_flow(folder: &Path, flow: usize, words: u64) -> io::Result<Self> {
        Self::make(folder, &format!("flow-{flow}"), words)
    }
}

/// FNV-1a, upper half: room for the words above it.
fn tag(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash & 0x7fff_ffff_0000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_tags_of_their_own() {
        let tags: std::collections::BTreeSet<u64> = (0..1_000)
            .map(|flow| tag(&format!("flow-{flow}")))
            .collect();
        assert_eq!(tags.len(), 1_000);
    }
}
