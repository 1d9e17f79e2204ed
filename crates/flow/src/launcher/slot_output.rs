use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::Signal;

use serde::de::DeserializeOwned;

use crate::{Answer, Failure, ProbeSpec, Probed, SlotSpec};

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) file: Option<File>,
    pub(crate) bytes: Vec<u8>,
}

impl Stream {
    pub(crate) fn new(descriptor: Option<OwnedFd>) -> io::Result<Self> {
        let file = descriptor.map(File::from);
        if let Some(file) = &file {
            fcntl(file, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        Ok(Self {
            file,
            bytes: Vec::new(),
        })
    }

    pub(crate) fn read_some(&mut self, keep: usize) -> io::Result<()> {
        let mut buffer = [0; 16_384];
        while let Some(file) = &mut self.file {
            match file.read(&mut buffer) {
                Ok(0) => self.file = None,
                Ok(read) => self.bytes.extend_from_slice(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.bytes.drain(..self.bytes.len().saturating_sub(keep));
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Closed,
    Deadline,
    Interrupted,
}

#[derive(Debug)]
pub(super) struct SlotOutput {
    pub(super) out: Vec<u8>,
    pub(super) err: Vec<u8>,
    pub(super) ended: Ended,
    pub(super) status: ExitStatus,
}

impl SlotOutput {
    pub(super) fn answer<W>(&self, spec: &SlotSpec<W>) -> Answer {
        let flows = spec.variant.flows;
        if self.ended == Ended::Deadline {
            return Answer::failed(Failure::Hung {
                hung: flows,
                flows,
                deadline_s: spec.deadline_text(),
                at: String::new(),
            });
        }
        let stderr = String::from_utf8_lossy(&self.err).trim_end().to_owned();
        let answer = serde_json::from_slice(&self.out);
        answer
            .map(|answer| with_last_words(answer, &stderr))
            .unwrap_or_else(|_no_answer| {
                Answer::failed(Failure::SlotLost {
                    flows,
                    how: how_it_ended(self.status),
                    stderr,
                })
            })
    }

    pub(super) fn probed<P: DeserializeOwned>(&self, spec: &ProbeSpec) -> Probed<P> {
        if self.ended == Ended::Deadline {
            let reason = format!("the probe was still at work after {:.1} s", spec.deadline_s);
            return Probed::NotAvailable { reason };
        }
        serde_json::from_slice(&self.out).unwrap_or_else(|_no_answer| {
            let said = String::from_utf8_lossy(&self.err);
            let (how, said) = (how_it_ended(self.status), said.trim());
            Probed::NotAvailable {
                reason: format!("the probe ended without an answer ({how}) {said}")
                    .trim()
                    .to_owned(),
            }
        })
    }
}

/// A dead flow may have said why on standard error.
fn with_last_words(mut answer: Answer, stderr: &str) -> Answer {
    if let Answer::Failed {
        reason: Failure::FlowsDied { how, .. },
        ..
    } = &mut answer
        && !stderr.is_empty()
    {
        *how = format!("{how}; it said: {stderr}");
    }
    answer
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => {
            Signal::try_from(signal).map_or_else(|_| format!("signal {signal}"), |s| s.to_string())
        }
        (None, None) => "an unknown end".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn only_the_end_of_a_stream_is_kept() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"abcdefgh").unwrap();
        drop(writer);
        let mut stream = Stream::new(Some(OwnedFd::from(reader))).unwrap();
        stream.read_some(3).unwrap();
        // A process that another test starts just then may write too, until it begins its program.
        for _ in 0..12_000 {
            if stream.file.is_none() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
            stream.read_some(3).unwrap();
        }
        assert_eq!(
            (stream.bytes.as_slice(), stream.file.is_none()),
            (b"fgh".as_slice(), true)
        );
    }
}
