//! `open*`: a file is opened and closed. That takes the lowest free number of the file table, under
//! its lock, and looks up the name, of which more or less is common.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::check::{Recurrence, at_length, must, same};
use crate::sys::descriptor::{close, open, pread_word};
use crate::sys::own_file::OwnFile;
use crate::{Facts, Operation, OperationContext, PerFlow, either};

const FAMILY: &str = "file table";
const VERIFIED: &str = "numbers come again; 1 in 64 holds the words of its file";

fn open_and_close(path: &CStr, tag: u64, flows: u64, ops: u64) -> u64 {
    let mut numbers = Recurrence::new(flows);
    let mut checksum = 0;
    for op in 0..ops {
        let file = must("open a file", open(path, libc::O_RDWR));
        numbers.up(file.as_raw_fd() as u64);
        if at_length(op) {
            let word = must("read a file", pread_word(file.as_fd(), 0));
            same("the first word of the file", word, tag);
            checksum += op + 1;
        }
        must("close a file", close(file));
    }
    numbers.check("numbers of files");
    checksum
}

#[derive(Debug)]
pub(crate) struct Own<const OWN_FOLDER: bool> {
    file: OwnFile,
    flows: u64,
}

pub(crate) type OwnFileOneFolder = Own<false>;
pub(crate) type OwnFolder = Own<true>;

impl<const OWN_FOLDER: bool> PerFlow for Own<OWN_FOLDER> {
    const FACTS: Facts = Facts {
        name: either(OWN_FOLDER, "open-own-folder", "open"),
        family: FAMILY,
        does: either(
            OWN_FOLDER,
            "open a file in a folder of the flow's own and close it",
            "open a file of the flow's own and close it",
        ),
        shares: either(OWN_FOLDER, "nothing", "the folder"),
        verified: VERIFIED,
        ops: 1_200,
        needs_folder: true,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, flow: usize) -> Self {
        let own = || OwnFile::of_flow(&context.flow_folder(flow), flow, 1);
        let file = match OWN_FOLDER {
            true => must("make a file", own()),
            false => context.flow_file(flow, 1),
        };
        let flows = context.flows;
        Self { file, flows }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        open_and_close(&self.file.path, self.file.tag, self.flows, ops)
    }
}

#[derive(Debug)]
pub(crate) struct SameFile {
    file: OwnFile,
    flows: u64,
}

impl Operation for SameFile {
    const FACTS: Facts = Facts {
        name: "open-same",
        family: FAMILY,
        does: "open the one file of all flows and close it",
        shares: "the file",
        verified: VERIFIED,
        ops: 1_200,
        needs_folder: true,
        ..Facts::USUAL
    };

    type State = ();

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            file: context.shared_file(1)?,
            flows: context.flows,
        })
    }

    fn own(&self, _flow: usize) {}

    fn repeat(&self, (): &mut (), ops: u64) -> u64 {
        open_and_close(&self.file.path, self.file.tag, self.flows, ops)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the first word of the file")]
    fn another_file_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = OwnFile::of_flow(folder.path(), 0, 1).unwrap();
        open_and_close(&file.path, file.tag + 1, 1, 10);
    }
}
