use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) inode: u64,
    pub(crate) kind: u8,
    pub(crate) name_with_nul: &'a [u8],
}

impl<'a> Entry<'a> {
    pub(crate) fn name(&self) -> &'a [u8] {
        &self.name_with_nul[..self.name_with_nul.len() - 1]
    }
}

const LENGTH_AT: usize = 16;
const KIND_AT: usize = 18;
const NAME_AT: usize = 19;

pub(crate) fn entries(bytes: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || first(&mut rest))
        .filter(|entry| !matches!(entry.name(), b"." | b".."))
}

fn first<'a>(rest: &mut &'a [u8]) -> Option<Entry<'a>> {
    let inode = u64::from_ne_bytes(rest.first_chunk::<8>().copied()?);
    let length = rest.get(LENGTH_AT..LENGTH_AT + 2)?.first_chunk::<2>()?;
    let length = usize::from(u16::from_ne_bytes(*length));
    let (entry, after) = rest.split_at_checked(length)?;
    let name = entry.get(NAME_AT..)?;
    let end = memchr::memchr(0, name)?;
    *rest = after;
    Some(Entry {
        inode,
        kind: entry[KIND_AT],
        name_with_nul: &name[..=end],
    })
}

pub(crate) fn getdents(folder: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    let (pointer, length) = (buffer.as_mut_ptr(), buffer.len());
    // SAFETY: the kernel writes at most `length` bytes at `pointer`, which the exclusive reference
    // guarantees; any bytes are valid for it.
    let written =
        unsafe { libc::syscall(libc::SYS_getdents64, folder.as_raw_fd(), pointer, length) };
    usize::try_from(written).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::os::fd::AsFd;

    #[test]
    fn every_entry_is_told_with_its_kind() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
        let opened = File::open(folder.path()).unwrap();
        let mut buffer = [0; 4096];
        let length = getdents(opened.as_fd(), &mut buffer).unwrap();
        let mut told: Vec<_> = entries(&buffer[..length])
            .map(|entry| (entry.name().to_vec(), entry.kind))
            .collect();
        told.sort();
        let wanted = [
            (b"file".to_vec(), libc::DT_REG),
            (b"folder".to_vec(), libc::DT_DIR),
            (b"link".to_vec(), libc::DT_LNK),
        ];
        // A file system may leave kinds out; names it tells.
        for (told, wanted) in told.iter().zip(&wanted) {
            assert_eq!(told.0, wanted.0);
            assert!(told.1 == wanted.1 || told.1 == libc::DT_UNKNOWN);
        }
        assert_eq!(told.len(), 3);
        assert_eq!(getdents(opened.as_fd(), &mut buffer).unwrap(), 0);
    }

    #[test]
    fn cut_bytes_end_the_entries() {
        assert_eq!(entries(&[]).count(), 0);
        assert_eq!(entries(&[1; 19]).count(), 0);
        assert_eq!(entries(&[255; 64]).count(), 0);
    }
}
