//! Slots whose memory accesses are recorded, for a model of another machine (docs/simulate.md).
//! ```text
//!   launcher ─▶ qemu-x86_64 -plugin recorder ─▶ slot process, flows     a trace for each thread
//!      └─ when it has answered: traces ─▶ who asked for them ─▶ counts, in the slot's outcome
//! ```
//! The slot's CPUs are hardware threads of the other machine. Recorded is the steady phase of each
//! flow, up to a window ([`mark`]). Work that makes its own flows, and a user's program
//! ([`Launcher::record`](crate::Launcher::record)), each thread a flow, are recorded as a whole.

use std::ffi::CStr;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};
use sys::mark;

/// How a slot's accesses are recorded, and of which machine its CPUs are hardware threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// Accesses of a flow that are recorded at the most.
    pub window: u64,
    /// A folder that gets the traces of every slot.
    pub keep: Option<PathBuf>,
    /// Cores of that machine.
    pub cores: u32,
    /// Hardware threads of each, numbered one after another.
    pub threads_per_core: u32,
}

const INTERFACE: &str = "FLOWGAUGE_QEMU_INTERFACE";
/// Every x86-64 server of today has these instructions; wider ones are off.
const CPU: &str = "Nehalem";

/// qemu-user with the recorder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emulator {
    qemu: PathBuf,
    interface: u32,
    recorder: PathBuf,
}

const QEMU: &str = "qemu-x86_64";

impl Emulator {
    /// Finds the emulator; `recorder` is the library. An error says what is missing.
    pub fn find(recorder: PathBuf) -> Result<Self, String> {
        if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
            return Err("accesses are recorded of x86-64 programs on Linux alone".to_owned());
        }
        if recorder.to_string_lossy().contains(',') {
            let shown = recorder.display();
            return Err(format!(
                "{shown} has a comma in its path, which {QEMU} does not take"
            ));
        }
        let told = crate::output_tied(Command::new(QEMU).arg("--version"));
        let told = told.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!(
                "accesses are recorded by {QEMU}, which is not installed: {}",
                crate::parts::QEMU.get
            ),
            _ => format!("{QEMU} cannot be started: {error}"),
        })?;
        if !told.status.success() {
            let said = String::from_utf8_lossy(&told.stderr);
            let said = said.lines().next().unwrap_or("it said nothing").to_owned();
            return Err(format!("{QEMU} --version failed, {}: {said}", told.status));
        }
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        Ok(Self {
            qemu: PathBuf::from(QEMU),
            interface: interface(&text)?,
            recorder,
        })
    }

    fn command(&self, program: &Path, name: &OsStr, traces: &Path, how: &str) -> Command {
        let mut plugin = self.recorder.clone().into_os_string();
        plugin.push(",dir=");
        plugin.push(traces);
        plugin.push(how);
        let mut command = Command::new(&self.qemu);
        command
            .env(INTERFACE, self.interface.to_string())
            .args(["-cpu", CPU, "-0"])
            .arg(name)
            .arg("-plugin")
            .arg(plugin)
            .arg(program);
        command
    }

    pub(crate) fn this_program(&self, traces: &Path, window: u64) -> io::Result<Command> {
        let program = crate::library::slot_program_path().or_else(|_| std::env::current_exe())?;
        let how = format!(",window={window}");
        Ok(self.command(&program, OsStr::new("flowgauge"), traces, &how))
    }

    /// The command that records any program from its first instruction; arguments are to be added.
    #[must_use]
    pub fn program(&self, program: &Path, name: &OsStr, traces: &Path, window: u64) -> Command {
        self.command(program, name, traces, &format!(",window={window},all=on"))
    }
}

fn interface(told: &str) -> Result<u32, String> {
    let version = told.split("version ").nth(1).unwrap_or_default();
    let mut numbers = version.split(|letter: char| !letter.is_ascii_digit());
    let mut number = || numbers.next()?.parse::<u32>().ok();
    let (major, minor) = (number(), number());
    match (major, minor) {
        (Some(7..=8), _) => Ok(1),
        (Some(9), _) | (Some(10), Some(0)) => Ok(2),
        (Some(major), Some(minor)) => Err(format!(
            "{QEMU} {major}.{minor}: the recorder knows the plugin interface of 7.0 to 10.0; \
             Debian 12 and 13 have such a qemu-user"
        )),
        _ => Err(format!(
            "{QEMU} --version says '{}', which is no version",
            told.trim()
        )),
    }
}

/// The traces in a folder, in order of their threads' birth.
pub fn traces(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut traces = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.bytes().all(|letter| letter.is_ascii_digit()) {
            traces.push(path);
        }
    }
    traces.sort();
    Ok(traces)
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Recorded<'a> {
    threads_per_core: u32,
    on: &'a [u32],
}

/// Looked up at run time: only a core-aware allocator has it.
const ON_CORE: &CStr = c"flowgauge_malloc_on_core";

impl<'a> Recorded<'a> {
    pub(crate) fn of(recording: Option<&Recording>, on: &'a [u32]) -> Option<Self> {
        let threads_per_core = recording?.threads_per_core;
        (!on.is_empty()).then_some(Self {
            threads_per_core,
            on,
        })
    }

    pub(crate) fn flow_is_born(self, flow: usize) {
        let core = self.on[flow % self.on.len()] / self.threads_per_core;
        // SAFETY: the name ends with a zero; the answer is an address or null.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, ON_CORE.as_ptr()) };
        // SAFETY: the core-aware allocator alone has that name, of this type; null is `None`.
        let on_core: Option<extern "C" fn(u16)> = unsafe { std::mem::transmute(found) };
        if let Some(on_core) = on_core {
            on_core(core as u16);
        }
    }
}

pub(crate) fn tell_allocator(command: &mut Command, recording: Option<&Recording>) {
    if let Some(recording) = recording {
        let mut settings = std::env::var_os(SETTINGS).unwrap_or_default();
        settings.push(format!(",cores={}", recording.cores));
        command.env(SETTINGS, settings);
    }
}

const SETTINGS: &str = "FLOWGAUGE_MALLOC";

pub(crate) fn flow_begins(flow: usize) {
    tell(mark::BEGIN, flow);
}

pub(crate) fn flow_ends(flow: usize) {
    tell(mark::END, flow);
}

pub(crate) fn each_thread_is_a_flow() {
    tell(mark::EACH, 0);
}

pub(crate) fn no_more_flows() {
    tell(mark::NO_MORE, 0);
}

pub(crate) fn keep_traces(traces_of: &Path, keep: &Path, name: &str) -> io::Result<()> {
    fs::create_dir_all(keep)?;
    let taken = fs::read_dir(keep)?.count();
    let folder = keep.join(format!("{taken:04}-{name}"));
    fs::create_dir(&folder)?;
    for trace in traces(traces_of)? {
        fs::copy(&trace, folder.join(trace.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

fn tell(what: u64, flow: usize) {
    // SAFETY: no kernel has that call; the emulator's recorder takes numbers alone from it.
    let _no_such_call = unsafe { libc::syscall(mark::CALL, what, flow) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interface_is_that_of_the_version() {
        let debian = "qemu-x86_64 version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\nCopyright";
        assert_eq!(interface(debian), Ok(1));
        assert_eq!(interface("qemu-x86_64 version 9.2.0"), Ok(2));
        assert_eq!(interface("qemu-x86_64 version 10.0.2 (Debian)"), Ok(2));
        let newer = interface("qemu-x86_64 version 10.1.0").unwrap_err();
        assert!(newer.contains("10.1"), "{newer}");
        assert!(newer.contains("Debian"), "{newer}");
        let other = interface("something else").unwrap_err();
        assert!(other.contains("no version"), "{other}");
    }

    #[test]
    fn traces_are_those_with_a_number() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["00000010", "00000002", "exec", ".flowgauge-slot"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = traces(folder.path()).unwrap();
        let names: Vec<_> = found.iter().filter_map(|path| path.file_name()).collect();
        assert_eq!(names, ["00000002", "00000010"]);
    }
}
