//! A body that is loaded from a shared library.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::ending::calls;
use crate::table::{Arg, FIBERS, Parts, Proof, Table, VERSION};

const SYMBOL: &str = "flowgauge_body";
const PARTS: &str = "flowgauge_parts";
/// Stack of a fiber where the body does not say.
const USUAL_STACK: u64 = 256 << 10;

/// Why a library is no body that can be run here.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The loader of the system refused.
    #[error("cannot load the body {library}: {source}{}", way_out(source))]
    Library {
        /// Its path.
        library: String,
        /// What the loader said.
        source: libloading::Error,
    },
    /// It exports no table.
    #[error(
        "{library} is no body: it does not export {SYMBOL}: define that table in it, with FLOWGAUGE_EXPORT before \
         it (`flowgauge body --header` prints the header of C)"
    )]
    NoTable {
        /// Its path.
        library: String,
    },
    /// Its table is of another version.
    #[error(
        "{library} is a body of interface {version}; this flowgauge knows {VERSION}: build it with the header that \
         `flowgauge body --header` prints, and .version = {VERSION}"
    )]
    Version {
        /// Its path.
        library: String,
        /// What it says.
        version: u32,
    },
    /// It has nothing to run.
    #[error("{library} is no body: {SYMBOL} has no function `unit`: set .unit")]
    NoUnit {
        /// Its path.
        library: String,
    },
    /// It has no argument of that name.
    #[error("{library} has no argument '{name}': {}", known(names))]
    NoArgument {
        /// Its path.
        library: String,
        /// What was asked for.
        name: String,
        /// Those that it has.
        names: Vec<String>,
    },
    /// It said so itself.
    #[error("{library} could not prepare: its function `prepare` returned {code}")]
    Prepare {
        /// Its path.
        library: String,
        /// What it returned.
        code: c_int,
    },
}

fn way_out(error: &libloading::Error) -> &'static str {
    let text = error.to_string();
    match () {
        () if text.contains("undefined symbol") => ": link it with what defines that (-l)",
        () if text.contains("No such file") => ": install that library, or link it statically",
        () => "",
    }
}

fn known(names: &[String]) -> String {
    match names {
        [] => "it takes none".to_owned(),
        names => format!("use {}", names.join(", ")),
    }
}

/// A function of a body that did not return 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its function `{function}` returned {code}")]
pub struct Refused {
    /// Which one.
    pub function: &'static str,
    /// What it returned.
    pub code: c_int,
}

/// A prepared body, until it is dropped.
#[derive(Debug)]
pub struct Loaded {
    table: Table,
    shared: *mut c_void,
    /// Kept for as long as its functions are called.
    library: Library,
}

// SAFETY: the header asks a body to be called by several flows at once.
unsafe impl Sync for Loaded {}

/// What is called at the ends of parts, and around waits for other flows.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "include/flowgauge.h says it once")]
pub struct Pace {
    pub enter: extern "C" fn(u32),
    pub leave: extern "C" fn(u32),
    pub wait: extern "C" fn(),
    pub woken: extern "C" fn(),
}

/// What a body says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Whether it may run as a fiber.
    pub may_be_fiber: bool,
    /// Names of its arguments.
    pub args: Vec<String>,
    /// Names of the parts of a unit.
    pub parts: Vec<String>,
}

impl About {
    /// # Errors
    /// The body has no argument of such a name.
    pub fn check(&self, path: &Path, args: &BTreeMap<String, u64>) -> Result<(), LoadError> {
        match args.keys().find(|name| !self.args.contains(name)) {
            None => Ok(()),
            Some(name) => Err(LoadError::NoArgument {
                library: path.display().to_string(),
                name: name.clone(),
                names: self.args.clone(),
            }),
        }
    }
}

impl Loaded {
    /// Loads a library to see what it says, and calls none of its functions but those that loading calls.
    /// # Errors
    /// It is no library, no body, or of another version.
    pub fn look(path: &Path) -> Result<About, LoadError> {
        let (library, table) = opened(path)?;
        Ok(about(&library, &table))
    }

    /// Loads a library that the user of this program names, and prepares its body. Its code runs in this process: the
    /// user vouches for it, as for a program that is launched. To be called with one thread.
    /// # Errors
    /// It is no library, no body, of another version, does not know an argument, or cannot prepare.
    pub fn open(path: &Path, args: &BTreeMap<String, u64>) -> Result<Loaded, LoadError> {
        let (library, table) = opened(path)?;
        about(&library, &table).check(path, args)?;
        let mut loaded = Loaded {
            table,
            shared: ptr::null_mut(),
            library,
        };
        loaded.prepare(args).map_err(|code| {
            loaded.table.finish = None;
            LoadError::Prepare {
                library: path.display().to_string(),
                code,
            }
        })?;
        Ok(loaded)
    }

    fn prepare(&mut self, args: &BTreeMap<String, u64>) -> Result<(), c_int> {
        let Some(prepare) = self.table.prepare else {
            return Ok(());
        };
        // A name that the body has holds no 0.
        let given = args
            .iter()
            .filter_map(|(name, value)| Some((CString::new(name.as_str()).ok()?, *value)));
        let given: Vec<(CString, u64)> = given.collect();
        let args = given.iter().map(|(name, value)| Arg {
            name: name.as_ptr(),
            value: *value,
        });
        let args: Vec<Arg> = args.collect();
        let shared = &raw mut self.shared;
        // SAFETY: as the header says of `prepare`; the names live until it returns.
        let prepared = calls("prepare", || unsafe {
            prepare(args.as_ptr(), args.len(), shared)
        });
        match prepared {
            0 => Ok(()),
            code => Err(code),
        }
    }

    /// Has its parts say when they begin and end: before any flow.
    pub fn pace(&self, pace: Pace) {
        // SAFETY: the header asks for a table of that name that may be written, and no flow reads it yet.
        if let Some(parts) = parts(&self.library).and_then(|parts| unsafe { parts.as_mut() }) {
            parts.enter = Some(pace.enter);
            parts.leave = Some(pace.leave);
            parts.wait = Some(pace.wait);
            parts.woken = Some(pace.woken);
        }
    }

    /// Whether it may run as a fiber.
    #[must_use]
    pub fn may_be_fiber(&self) -> bool {
        self.table.flags & FIBERS != 0
    }

    /// Stack of a fiber, in bytes.
    #[must_use]
    pub fn stack_bytes(&self) -> u64 {
        match self.table.stack_bytes {
            0 => USUAL_STACK,
            bytes => bytes,
        }
    }

    /// What flow number `flow` has for itself: to be made in that flow.
    /// # Errors
    /// The body refused.
    pub fn begin(&self, flow: u64) -> Result<Flow<'_>, Refused> {
        let mut own = ptr::null_mut();
        if let Some(begin) = self.table.begin {
            // SAFETY: as the header says of `begin`.
            let code = calls("begin", || unsafe {
                begin(self.shared, flow, &raw mut own)
            });
            returned("begin", code)?;
        }
        Ok(Flow { body: self, own })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Some(finish) = self.table.finish {
            // SAFETY: as the header says of `finish`: a flow borrows this, so none is left.
            calls("finish", || unsafe { finish(self.shared) });
        }
    }
}

/// One flow of a body.
#[derive(Debug)]
pub struct Flow<'b> {
    body: &'b Loaded,
    own: *mut c_void,
}

impl Flow<'_> {
    /// Does unit number `unit` of all, with `ops` operations.
    /// # Errors
    /// The body refused.
    #[inline]
    pub fn unit(&mut self, unit: u64, ops: u64) -> Result<Proof, Refused> {
        let mut proof = Proof::default();
        let table = &self.body.table;
        if let Some(work) = table.unit {
            // SAFETY: as the header says of `unit`: `own` is this flow's.
            let code = calls("unit", || unsafe {
                work(self.body.shared, self.own, unit, ops, &raw mut proof)
            });
            returned("unit", code)?;
        }
        Ok(proof)
    }
}

impl Drop for Flow<'_> {
    fn drop(&mut self) {
        if let Some(end) = self.body.table.end {
            // SAFETY: as the header says of `end`, once.
            calls("end", || unsafe { end(self.body.shared, self.own) });
        }
    }
}

fn returned(function: &'static str, code: c_int) -> Result<(), Refused> {
    match code {
        0 => Ok(()),
        code => Err(Refused { function, code }),
    }
}

fn opened(path: &Path) -> Result<(Library, Table), LoadError> {
    let library = || path.display().to_string();
    // At once: a symbol that nothing defines would end a launch in its middle. For good: its threads may run in it.
    let flags = RTLD_NOW | RTLD_LOCAL | libc::RTLD_NODELETE;
    // SAFETY: the user names the library to have its code run, and it is what the header says.
    let opened = unsafe { Library::open(Some(path), flags) };
    let opened = opened.map_err(|source| LoadError::Library {
        library: library(),
        source,
    })?;
    // SAFETY: a symbol of that name is such a table, by the header.
    let symbol = unsafe { opened.get::<*const Table>(SYMBOL.as_bytes()) };
    let symbol = symbol.map_err(|_| LoadError::NoTable { library: library() })?;
    // SAFETY: its first word is the version in all versions.
    let version = unsafe { symbol.cast::<u32>().read_unaligned() };
    if version != VERSION {
        let library = library();
        return Err(LoadError::Version { library, version });
    }
    // SAFETY: a table of this version.
    let table = unsafe { symbol.read_unaligned() };
    match table.unit {
        Some(_) => Ok((opened, table)),
        None => Err(LoadError::NoUnit { library: library() }),
    }
}

fn parts(library: &Library) -> Option<*mut Parts> {
    // SAFETY: a symbol of that name is such a table, by the header.
    let symbol = unsafe { library.get::<*mut Parts>(PARTS.as_bytes()) }.ok()?;
    Some(*symbol)
}

fn about(library: &Library, table: &Table) -> About {
    // SAFETY: the table of a library that is loaded.
    let parts = parts(library).map(|parts| unsafe { (*parts).names });
    About {
        may_be_fiber: table.flags & FIBERS != 0,
        // SAFETY: names of a library that is loaded.
        args: unsafe { names(table.args) },
        // SAFETY: as above.
        parts: parts.map_or_else(Vec::new, |all| unsafe { names(all) }),
    }
}

/// # Safety
/// Null, or names of a library that is loaded, ended by a null.
unsafe fn names(mut at: *const *const c_char) -> Vec<String> {
    let mut names = Vec::new();
    while !at.is_null() {
        // SAFETY: the list ends by a null.
        let name = unsafe { at.read() };
        if name.is_null() {
            break;
        }
        // SAFETY: a name ended by 0.
        let text = unsafe { CStr::from_ptr(name) };
        names.push(text.to_string_lossy().into_owned());
        at = at.wrapping_add(1);
    }
    names
}
