use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

const LOOK: Duration = Duration::from_millis(2);

/// The first trace of a program, to its end; reading fails as soon as there is a second one.
pub(super) struct Growing<'p> {
    first: PathBuf,
    second: PathBuf,
    open: Option<File>,
    process: &'p mut Child,
    stopped: &'p dyn Fn() -> bool,
}

impl<'p> Growing<'p> {
    pub(super) fn new(
        traces: &Path,
        process: &'p mut Child,
        stopped: &'p dyn Fn() -> bool,
    ) -> Self {
        Self {
            first: traces.join(format!("{:08}", 0)),
            second: traces.join(format!("{:08}", 1)),
            open: None,
            process,
            stopped,
        }
    }

    fn read_there(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.open.is_none() {
            match File::open(&self.first) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
                open => self.open = Some(open?),
            }
        }
        self.open.as_mut().map_or(Ok(0), |file| file.read(buffer))
    }
}

impl Read for Growing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // Asked first: what is written last is there when it has ended.
            let ended = self.process.try_wait()?.is_some();
            if self.second.exists() || (self.stopped)() {
                return Err(io::Error::other("it is not to be read any more"));
            }
            let read = self.read_there(buffer)?;
            if read > 0 || ended {
                return Ok(read);
            }
            std::thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn read(script: &str) -> io::Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("/bin/sh");
        let command = command.args(["-c", script]).current_dir(folder.path());
        let mut process = command.spawn().unwrap();
        let mut text = String::new();
        let read = Growing::new(folder.path(), &mut process, &|| false).read_to_string(&mut text);
        process.wait().unwrap();
        read.map(|_| text)
    }

    #[test]
    fn what_is_written_until_the_end_is_read() {
        let late = "sleep .02; printf one > 00000000; sleep .02; printf two >> 00000000";
        assert_eq!(read(late).unwrap(), "onetwo");
        assert_eq!(read("true").unwrap(), "");
    }

    #[test]
    fn a_second_trace_ends_it() {
        assert!(read("printf one > 00000000; printf two > 00000001").is_err());
    }
}
