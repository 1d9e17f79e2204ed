//! `create-unlink*`, `rename*`: names in folders. A folder is locked while a name in it changes.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::check::must;
use crate::sys::descriptor::{close, open};
use crate::sys::file::{rename, unlink};
use crate::{Facts, OperationContext, PerFlow, either};

const FAMILY: &str = "file names";
const OWN: &str = "nothing: each flow has its own folder";
const ONE: &str = "the folder";

fn name(folder: &Path, name: &str) -> CString {
    let path = CString::new(folder.join(name).as_os_str().as_bytes());
    must("name a file", path.map_err(io::Error::from))
}

fn folder(context: &OperationContext, flow: usize, own: bool) -> PathBuf {
    match own {
        true => context.flow_folder(flow),
        false => must("find the folder", context.folder()).to_owned(),
    }
}

#[inline]
fn create(path: &CString) {
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
    let file = must("make a file that is not there", open(path, flags));
    must("close a file", close(file));
}

#[derive(Debug)]
pub(crate) struct Create<const OWN_FOLDER: bool> {
    path: CString,
}

pub(crate) type CreateInOne = Create<false>;
pub(crate) type CreateInOwn = Create<true>;

impl<const OWN_FOLDER: bool> PerFlow for Create<OWN_FOLDER> {
    const FACTS: Facts = Facts {
        name: either(OWN_FOLDER, "create-unlink-own-folder", "create-unlink"),
        family: FAMILY,
        does: "make a file, close it, remove it",
        shares: either(OWN_FOLDER, OWN, ONE),
        verified: "making fails where a file is (O_EXCL), removing where none is",
        ops: 200,
        needs_folder: true,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, flow: usize) -> Self {
        let folder = folder(context, flow, OWN_FOLDER);
        let path = name(&folder, &format!("new-{flow}"));
        Self { path }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        for _ in 0..ops {
            create(&self.path);
            must("remove a file", unlink(&self.path));
        }
        ops
    }
}

#[derive(Debug)]
pub(crate) struct Rename<const OWN_FOLDER: bool> {
    here: CString,
    there: CString,
}

pub(crate) type RenameInOne = Rename<false>;
pub(crate) type RenameInOwn = Rename<true>;

impl<const OWN_FOLDER: bool> PerFlow for Rename<OWN_FOLDER> {
    const FACTS: Facts = Facts {
        name: either(OWN_FOLDER, "rename-own-folder", "rename"),
        family: FAMILY,
        does: "give a file another name, and its own again",
        shares: either(OWN_FOLDER, OWN, ONE),
        verified: "a name that the file has no more cannot be changed",
        ops: 250,
        needs_folder: true,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, flow: usize) -> Self {
        let folder = folder(context, flow, OWN_FOLDER);
        let [here, there] = ["here", "there"].map(|end| name(&folder, &format!("{flow}-{end}")));
        let path = folder.join(format!("{flow}-here"));
        must("make a file", std::fs::write(path, []));
        Self { here, there }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let Self { here, there } = self;
        for _ in 0..ops {
            must("rename a file", rename(here, there));
            must("rename a file", rename(there, here));
        }
        ops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "cannot make a file that is not there")]
    fn a_file_that_was_not_removed_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = name(folder.path(), "new");
        create(&path);
        create(&path);
    }
}
