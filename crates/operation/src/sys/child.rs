use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::unistd::ForkResult;

use super::memory::{Mapping, Of};
use super::{answer, no_error};

#[derive(Debug)]
pub(crate) struct Child(libc::pid_t);

impl Child {
    /// Returns the exit code; an error where a signal ended it.
    #[inline]
    pub(crate) fn wait(self) -> io::Result<u64> {
        let mut status = 0;
        loop {
            // SAFETY: the status is written to a variable that lives.
            match answer(unsafe { libc::waitpid(self.0, &raw mut status, libc::__WALL) }) {
                Ok(_) if libc::WIFEXITED(status) => return Ok(libc::WEXITSTATUS(status) as u64),
                Ok(_) => return Err(io::Error::other("it was ended by a signal")),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Runs no exit handlers of the parent's.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: `_exit` ends the process and has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Forks a process that does `work` and exits with 0, killed when its parent ends. `shared`: flags
/// of `clone` for what it shares (not memory). Safety: the process has one thread: the child
/// continues with everything that it has.
pub(crate) unsafe fn fork(work: impl FnOnce(), shared: libc::c_int) -> io::Result<Child> {
    let parent = std::process::id();
    // SAFETY: the caller's; the child never returns, and `shared` is what the caller's model shares.
    match unsafe { ::sys::fork_sharing(shared) }? {
        ForkResult::Child => {
            // SAFETY: the call takes numbers alone.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            if std::os::unix::process::parent_id() == parent {
                work();
            }
            exit(0)
        }
        ForkResult::Parent { child } => Ok(Child(child.as_raw())),
    }
}

pub(crate) fn unshare_files() -> io::Result<()> {
    // SAFETY: the call takes a number alone and changes no memory.
    answer(unsafe { libc::unshare(libc::CLONE_FILES | libc::CLONE_FS) }).map(|_| ())
}

#[inline]
pub(crate) fn sched_yield() -> io::Result<()> {
    // SAFETY: the call has no preconditions.
    answer(unsafe { libc::sched_yield() }).map(|_| ())
}

#[inline]
pub(crate) fn fork_to_exit(code: u8) -> io::Result<Child> {
    // SAFETY: the child makes one call, which is allowed whatever other threads hold.
    match unsafe { nix::unistd::fork() }? {
        ForkResult::Child => exit(code.into()),
        ForkResult::Parent { child } => Ok(Child(child.as_raw())),
    }
}

#[derive(Debug)]
pub(crate) struct Stack(Mapping);

impl Stack {
    pub(crate) fn new() -> io::Result<Self> {
        Mapping::new(STACK, Of::Private).map(Self)
    }

    fn top(&self) -> *mut libc::c_void {
        self.0.as_ptr().wrapping_byte_add(self.0.len())
    }
}

const STACK: usize = 16 << 10;

extern "C" fn end(code: *mut libc::c_void) -> libc::c_int {
    code.addr() as libc::c_int
}

/// It exits with `code`, and shares what `flags` say. Wait for it before the stack is used again.
#[inline]
pub(crate) fn clone(stack: &Stack, flags: libc::c_int, code: u8) -> io::Result<Child> {
    let argument = std::ptr::without_provenance_mut(code.into());
    // SAFETY: the child runs `end` on a stack of its own, since the one before was waited for;
    // `end` touches no other memory, and the library's wrapper ends the process when it returns.
    let pid = unsafe { ::sys::clone_on(stack.top(), end, argument, flags) }?;
    Ok(Child(pid.as_raw()))
}

extern "C" fn give_back(told: *mut libc::c_void) -> *mut libc::c_void {
    told
}

#[inline]
pub(crate) fn thread(told: usize) -> io::Result<usize> {
    let mut handle = 0;
    let argument = std::ptr::without_provenance_mut(told);
    let no_attributes = std::ptr::null();
    // SAFETY: the thread only gives its argument back, which is a number.
    let code = unsafe { libc::pthread_create(&raw mut handle, no_attributes, give_back, argument) };
    no_error(code)?;
    let mut answer = std::ptr::null_mut();
    // SAFETY: the thread was made above and is joined here alone; the answer lives.
    no_error(unsafe { libc::pthread_join(handle, &raw mut answer) })?;
    Ok(answer.addr())
}

#[derive(Debug)]
pub(crate) struct Program {
    path: CString,
}

const FOLDERS: [&str; 2] = ["/bin", "/usr/bin"];

impl Program {
    pub(crate) fn find(name: &str) -> io::Result<Self> {
        let paths = FOLDERS.map(|folder| Path::new(folder).join(name));
        let found = paths.into_iter().find(|path| path.exists());
        let path = found.ok_or_else(|| {
            io::Error::other(format!(
                "there is no program {name} in {}",
                FOLDERS.join(" or ")
            ))
        })?;
        let path = CString::new(path.as_os_str().as_bytes())?;
        Ok(Self { path })
    }

    /// Without arguments, with an empty environment.
    #[inline]
    pub(crate) fn spawn(&self) -> io::Result<Child> {
        let mut pid = 0;
        let arguments = [self.path.as_ptr().cast_mut(), std::ptr::null_mut()];
        let environment = [std::ptr::null_mut()];
        // SAFETY: path and lists, each with a null at its end, live beyond the call, which returns
        // when the program runs; no actions or attributes are asked for.
        let code = unsafe {
            libc::posix_spawn(
                &raw mut pid,
                self.path.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                arguments.as_ptr(),
                environment.as_ptr(),
            )
        };
        no_error(code)?;
        Ok(Child(pid))
    }
}
