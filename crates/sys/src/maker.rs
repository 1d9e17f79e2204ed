//! The name of a process while it forks: a child stopped before it asks to die with its parent has
//! its maker's number in it.

use std::ffi::CString;
use std::io;

use nix::sys::prctl::{get_name, set_name};

/// How such a name begins, before the number. The kernel keeps 15 bytes of a name.
pub const MAKER: &str = "fg-of-";

/// While this lives, this thread and what it forks bear the name of a maker.
#[derive(Debug)]
pub struct MakerName {
    before: CString,
}

impl MakerName {
    /// Takes the name.
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
