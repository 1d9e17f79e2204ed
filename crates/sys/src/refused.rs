use std::io;

use nix::errno::Errno;

/// The error of the system call `name` that ended with that, unless it is 0.
pub fn succeeded(name: &'static str, done: libc::c_long) -> io::Result<()> {
    match done {
        0 => Ok(()),
        _ => Err(refused(name)(Errno::last())),
    }
}

/// The error of the system call `name`, which a sandbox must know to allow it.
pub fn refused(name: &'static str) -> impl Fn(Errno) -> io::Error {
    move |errno| {
        let error = io::Error::from(errno);
        match errno {
            Errno::EPERM | Errno::EACCES | Errno::ENOSYS => io::Error::new(
                error.kind(),
                format!("the system call {name} is refused: {error}; allow it in the sandbox"),
            ),
            _ => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Operation not permitted" was all that was said of a sandbox without signalfd.
    #[test]
    fn a_call_that_a_sandbox_refuses_is_named_and_other_errors_keep_their_number() {
        let error = refused("signalfd4")(Errno::EPERM).to_string();
        assert!(error.contains("signalfd4 is refused"), "{error}");
        assert!(error.contains("sandbox"), "{error}");
        let error = refused("signalfd4")(Errno::EMFILE);
        assert_eq!(error.raw_os_error(), Some(Errno::EMFILE as i32));
    }
}
