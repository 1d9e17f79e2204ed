//! The name that a process bears while it forks, by which a child is known that got no further.
//!
//! A child that is stopped right after its birth, before it has asked to die with its parent, stays
//! when that parent is killed, and looks like it: same file, same words. It also inherits this name,
//! which holds its maker's number and not its own.

use std::ffi::CString;
use std::io;

use nix::sys::prctl::{get_name, set_name};

/// How such a name begins, before the number. The kernel keeps 15 bytes of a name.
pub const MAKER: &str = "fg-of-";

/// As long as this is there, this thread, and what it forks, bears the name of a maker.
#[derive(Debug)]
pub struct MakerName {
    before: CString,
}

impl MakerName {
    /// From here on.
    ///
    /// # Errors
    /// The kernel refuses names.
    pub fn bear() -> io::Result<Self> {
        let before = get_name()?;
        let name = format!("{MAKER}{}", std::process::id());
        set_name(&CString::new(name)?)?;
        Ok(Self { before })
    }
}

impl Drop for MakerName {
    fn drop(&mut self) {
        let _a_name_that_it_had = set_name(&self.before);
    }
}
