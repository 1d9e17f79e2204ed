//! Slots whose memory accesses run through a model of another machine (docs/simulate.md).
//! ```text
//!   launcher ─▶ qemu-x86_64 -plugin recorder ─▶ slot process, flows     a trace for each thread
//!      └─ when it has answered: traces ─▶ simulate::merge ─▶ counts, in the slot's outcome
//! ```
//! The slot process runs in the emulator; its CPUs are hardware threads of the simulated machine.
//! Recorded is the steady phase of each flow, up to a window ([`mark`]). Work that makes its own
//! flows, and a user's program ([`Simulation::of_program`]), each thread a flow, are recorded and
//! counted as a whole, cold caches too. Traces are merged again with turns [`OTHER_TURN`] times as
//! long, in [`ORDERS`] more orders, and in parts of the window ([`PARTS`]).

use std::ffi::CStr;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;

use measure::Measured;
use serde::{Deserialize, Serialize};
use simulate::trace::{EXEC, accesses_at_end};
use simulate::{Machine, Merged, Rule, Trace};
use sys::mark;

/// The machine that a slot's accesses are run through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// The machine.
    pub machine: Machine,
    /// Bytes of a page.
    pub page: u64,
    /// Accesses of a hardware thread in its turn.
    pub turn: u64,
    /// Accesses of a flow before the next one on its hardware thread is switched in.
    pub timeslice: u64,
    /// Accesses of a flow that are recorded at the most.
    pub window: u64,
    /// A folder that gets the traces of every slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<PathBuf>,
}

/// Accesses of a time slice where nothing else is asked for: some tenths of a millisecond.
pub const TIMESLICE: u64 = 256 << 10;

/// What a model counted of a slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    /// All of it.
    pub merged: Merged,
    /// The same with longer turns, where hardware threads of a core took turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_longer_turns: Option<Box<Merged>>,
    /// The same in other orders of the flows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_other_orders: Vec<Merged>,
    /// Counts of one n-th of the window, with n, where the work did not end within it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_parts: Vec<(u64, Merged)>,
    /// Programs were started by exec; they were not recorded.
    pub left_out_exec: bool,
}

/// Lead of a core over the others.
const SLICE: u64 = 1_000;
/// One part in this many of recorded accesses warms up.
const WARM: u64 = 4;
/// Orders beside the first: five values of two sides that do not overlap are 1 of 126 chances.
const ORDERS: u64 = 4;
/// Parts of the window: one in so many.
pub const PARTS: [u64; 2] = [16, 4];
/// How much longer turns are the second time.
pub const OTHER_TURN: u64 = 16;
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

impl Simulation {
    /// `on`: hardware threads of the flows, in flow order. `None` if it was stopped.
    pub(crate) fn run(
        &self,
        folder: &Path,
        on: &[u32],
        stopped: &dyn Fn() -> bool,
    ) -> Option<Measured<Simulated>> {
        let warm = |recorded: u64| recorded.min(self.window) / WARM;
        match self.counted(folder, &|flow| place(on, flow), &warm, None, stopped) {
            Ok(counted) => Some(Measured::Value(counted)),
            Err(_) if stopped() => None,
            Err(error) => Some(Measured::not_available(error.to_string(), "")),
        }
    }

    /// Counts what the traces of a program tell, its threads as flows on these hardware threads in
    /// the order of birth. Errors: the traces cannot be read, or it was stopped.
    pub fn of_program(
        &self,
        folder: &Path,
        on: &[u32],
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Simulated> {
        self.of_program_known(folder, on, None, stopped)
    }

    /// `known`: what [`of_one_flow`](Self::of_one_flow) has counted of the first trace.
    pub(crate) fn of_program_known(
        &self,
        folder: &Path,
        on: &[u32],
        known: Option<Merged>,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Simulated> {
        let warm = |recorded: u64| match recorded > self.window {
            true => self.window / WARM,
            false => 0,
        };
        self.counted(folder, &|flow| place(on, flow), &warm, known, stopped)
    }

    pub(crate) fn of_one_flow(
        &self,
        tokens: impl Read,
        on: &[u32],
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Merged> {
        let (warm, most) = (0, u64::MAX);
        let only = [Trace { tokens, warm, most }];
        let place = |flow| place(on, flow);
        simulate::merge(
            &self.machine,
            self.page,
            self.rule(1, 0),
            only,
            place,
            stopped,
        )
        .map_err(io::Error::other)
    }

    fn rule(&self, times: u64, order: u64) -> Rule {
        Rule {
            turn: self.turn * times,
            slice: SLICE,
            timeslice: self.timeslice * times,
            order,
        }
    }

    fn counted(
        &self,
        folder: &Path,
        place: &dyn Fn(u64) -> Option<u32>,
        warm: &dyn Fn(u64) -> u64,
        known: Option<Merged>,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Simulated> {
        let traces = traces(folder)?;
        let recorded = traces.iter().map(|trace| recorded(trace));
        let recorded: Vec<Option<u64>> = recorded.collect::<io::Result<_>>()?;
        let merged = |times, order, part: u64| {
            let files = traces.iter().zip(&recorded).map(|(trace, recorded)| {
                let warm = recorded.map_or(0, warm) / part;
                let most = match part {
                    1 => u64::MAX,
                    part => recorded.unwrap_or(u64::MAX).min(self.window) / part,
                };
                File::open(trace).map(|tokens| Trace { tokens, warm, most })
            });
            let files: Vec<Trace<File>> = files.collect::<io::Result<_>>()?;
            simulate::merge(
                &self.machine,
                self.page,
                self.rule(times, order),
                files,
                place,
                stopped,
            )
            .map_err(io::Error::other)
        };
        let is_all = matches!(recorded[..], [Some(only)] if only <= self.window);
        let first = match known.filter(|_| is_all) {
            Some(known) => known,
            None => merged(1, 0, 1)?,
        };
        let longer = self.share_a_core(&first).then(|| merged(OTHER_TURN, 0, 1));
        let orders = if first.flows.len() > 1 { ORDERS } else { 0 };
        let in_other_orders = (1..=orders).map(|order| merged(1, order, 1));
        let is_cut = recorded.iter().flatten().any(|one| *one > self.window);
        let parts = PARTS.iter().filter(|_| is_cut);
        let in_parts = parts.map(|&part| {
            let mut merged = merged(1, 0, part)?;
            for (flow, whole) in merged.flows.iter_mut().zip(&first.flows) {
                flow.accesses = whole.accesses;
            }
            Ok((part, merged))
        });
        Ok(Simulated {
            with_longer_turns: longer.transpose()?.map(Box::new),
            in_other_orders: in_other_orders.collect::<io::Result<_>>()?,
            in_parts: in_parts.collect::<io::Result<_>>()?,
            left_out_exec: folder.join(EXEC).exists(),
            merged: first,
        })
    }

    fn share_a_core(&self, merged: &Merged) -> bool {
        let mut cores: Vec<u32> = merged
            .flows
            .iter()
            .map(|flow| self.machine.core_of(flow.on))
            .collect();
        cores.sort_unstable();
        cores.windows(2).any(|pair| pair[0] == pair[1])
    }
}

fn place(on: &[u32], flow: u64) -> Option<u32> {
    on.get(flow as usize % on.len().max(1)).copied()
}

fn traces(folder: &Path) -> io::Result<Vec<PathBuf>> {
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

fn recorded(trace: &Path) -> io::Result<Option<u64>> {
    let mut file = File::open(trace)?;
    let from = file.metadata()?.len().saturating_sub(16);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok(accesses_at_end(&tail))
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Recorded<'a> {
    machine: &'a Machine,
    on: &'a [u32],
}

/// Looked up at run time: only a core-aware allocator has it.
const ON_CORE: &CStr = c"flowgauge_malloc_on_core";

impl<'a> Recorded<'a> {
    pub(crate) fn of(simulation: Option<&'a Simulation>, on: &'a [u32]) -> Option<Self> {
        let machine = &simulation?.machine;
        (!on.is_empty()).then_some(Self { machine, on })
    }

    pub(crate) fn flow_is_born(self, flow: usize) {
        let core = self.machine.core_of(self.on[flow % self.on.len()]);
        // SAFETY: the name ends with a zero; the answer is an address or null.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, ON_CORE.as_ptr()) };
        // SAFETY: the core-aware allocator alone has that name, of this type; null is `None`.
        let on_core: Option<extern "C" fn(u16)> = unsafe { std::mem::transmute(found) };
        if let Some(on_core) = on_core {
            on_core(core as u16);
        }
    }
}

pub(crate) fn tell_allocator(command: &mut Command, simulation: Option<&Simulation>) {
    if let Some(simulation) = simulation {
        let mut settings = std::env::var_os(SETTINGS).unwrap_or_default();
        settings.push(format!(",cores={}", simulation.machine.cores));
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

/// From here on this thread and every new one are flows.
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
        assert!(
            newer.contains("10.1") && newer.contains("Debian"),
            "{newer}"
        );
        assert!(
            interface("something else")
                .unwrap_err()
                .contains("no version")
        );
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
