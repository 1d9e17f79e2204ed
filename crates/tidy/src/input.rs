//! Files that a user names to be read whole: studies, machines, lists of hosts.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// Bytes of such a file at the most: the longest that is shipped has a hundredth of that.
const MOST: u64 = 4 << 20;

/// Reads a file, or a pipe that somebody writes to. One too long or without a writer is refused.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open(path.as_ref(), &mut bytes)?;
    file.take(MOST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST {
        true => Err(io::Error::other(format!(
            "it has more than {} MiB",
            MOST >> 20
        ))),
        false => Ok(bytes),
    }
}

/// Takes what a pipe has already: to open one without a writer would wait for ever.
fn open(path: &Path, bytes: &mut Vec<u8>) -> io::Result<File> {
    let at_once = OFlag::O_NONBLOCK.bits();
    let mut file = OpenOptions::new()
        .read(true)
        .custom_flags(at_once)
        .open(path)?;
    if file.metadata()?.file_type().is_fifo() {
        let mut first = [0; 4096];
        match file.read(&mut first) {
            Ok(0) => return Err(io::Error::other("it is a pipe to which nobody writes")),
            Ok(read) => bytes.extend(&first[..read]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    fcntl(&file, FcntlArg::F_SETFL(OFlag::empty()))?;
    Ok(file)
}

/// As [`read`], as text; an error where it is not UTF-8.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use super::*;

    /// A study, a machine or hosts behind a link to such a device took all memory.
    #[test]
    fn a_file_without_an_end_is_refused() {
        let endless = read("/dev/zero").unwrap_err().to_string();
        assert_eq!(endless, "it has more than 4 MiB");
        assert_eq!(read("/dev/null").unwrap(), b"");
        assert!(read_to_string("/proc/self/exe").is_err());
        assert!(read_to_string("/proc/self/stat").unwrap().ends_with('\n'));
    }

    /// Hosts and studies behind a named pipe were waited for without a word.
    #[test]
    fn a_pipe_is_read_to_its_end_and_is_refused_where_nobody_writes_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let nobody = read(&pipe).unwrap_err().to_string();
        assert_eq!(nobody, "it is a pipe to which nobody writes");
        let (ours, mut theirs) = io::pipe().unwrap();
        let writer = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            theirs.write_all(&[b'a'; 9_000])
        });
        let path = format!("/proc/self/fd/{}", ours.as_raw_fd());
        assert_eq!(read(path).unwrap().len(), 9_000);
        writer.join().unwrap().unwrap();
    }
}
