//! Files that a user names to be read whole: studies, machines, lists of hosts.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of such a file at the most: the longest that is shipped has a hundredth of that.
const MOST: u64 = 4 << 20;

/// Reads a file, which may be a pipe; one without an end is refused and does not fill the memory.
///
/// # Errors
/// It cannot be read, or is too long.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST {
        true => Err(io::Error::other(format!(
            "it has more than {} MiB",
            MOST >> 20
        ))),
        false => Ok(bytes),
    }
}

/// The same as text.
///
/// # Errors
/// As [`read`], or it is not UTF-8.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
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
}
