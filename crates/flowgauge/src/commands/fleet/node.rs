//! A machine of a fleet, on that machine: runs the plan, sends its journal, leaves nothing. By ssh
//! this process is the end of a conversation on its standard input and output:
//! ```text
//!   this machine                               the one that asked
//!   ready VERSION DIGEST          ─────▶       compares: is it the program that was meant?
//!                                 ◀─────       the plan, one line      (when all machines are ready)
//!   the journal, as it grows      ─────▶       appends it to a file
//!   an empty line now and then    ─────▶       passes over it: this machine does not hang
//!                                 ◀─────       an empty line now and then: I am still there
//!   end                           ─────▶
//! ```
//! Whatever ends the conversation ends the run: end of file on the input, silence for [`PATIENCE`],
//! a signal. The run gets SIGTERM (from the kernel if this process is killed), writes what it has
//! and removes what is its own. Temporary files lie in the folder of the shell around this process
//! (`remote::SCRIPT`); either removes it. Under Slurm there is no conversation: plan and journal
//! lie in a folder that all machines share.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use flow::Interrupt;
use lab::journal::FILE_NAME;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::folder::NODES;
use super::guarded::{self, Guarded, PREFIX};
use super::plan::{Files, Id, MOST, Plan};
use super::wire::REMIND;
use crate::args::NodeArgs;
use crate::ending::Ending;
use crate::whole_file;

const PATIENCE: Duration = Duration::from_secs(90);
const LOOK: Duration = Duration::from_millis(500);
const PARTING: Duration = Duration::from_secs(20);
const SAID: usize = 2_000;
/// The exit code of a run that SIGTERM ended.
const TERMINATED: i32 = 128 + Signal::SIGTERM as i32;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) words: Vec<String>,
    pub(super) files: Files,
}

pub(crate) fn run(args: &NodeArgs) -> Result<Ending> {
    let interrupt = Interrupt::install().context("signals cannot be handled")?;
    interrupt.begin();
    match (&args.shared, &args.folder) {
        (Some(fleet), _) => shared(fleet, args.name.as_deref(), &interrupt),
        (None, Some(folder)) => conversation(folder, &interrupt),
        (None, None) => bail!("a machine of a fleet needs a folder: --folder DIR"),
    }
}

fn conversation(folder: &Path, interrupt: &Interrupt) -> Result<Ending> {
    let guarded = Guarded::join(folder)?;
    say(&format!("ready {}\n", Id::own()?))?;
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let mut input = BufReader::new(File::from(stdin.context("cannot copy a descriptor")?));
    let Some(line) = plan_line(&mut input)? else {
        return Ok(Ending::Answered);
    };
    let task: Task = serde_json::from_slice(&line).context("cannot understand the plan")?;
    for (name, text) in &task.files {
        whole_file::write(&folder.join(name), text)?;
    }
    let mut run = Run::start(&task.words, folder, &folder.join("results"))?;
    let mut journal = Tail::of(folder.join("results").join(FILE_NAME));
    let mut heard = Instant::now();
    while !run.has_ended()? {
        let gone = match wait(&input)? {
            Heard::Nothing => heard.elapsed() > PATIENCE,
            Heard::Something => {
                heard = Instant::now();
                false
            }
            Heard::End => true,
        };
        let gone = gone || guarded.is_alone();
        if gone || interrupt.signal().is_some() || journal.send().is_err() {
            run.end();
            break;
        }
    }
    let sent = journal.send();
    let status = run.end();
    sent.context("nobody takes the journal")?;
    judged(status, &run.said())
}

/// Skips empty lines; `None` if the other side is gone.
fn plan_line(input: &mut BufReader<File>) -> Result<Option<Vec<u8>>> {
    loop {
        if input.buffer().is_empty() && !is_readable(input.get_ref(), PATIENCE)? {
            return Ok(None);
        }
        let mut line = Vec::new();
        let read = input.by_ref().take(MOST).read_until(b'\n', &mut line);
        read.context("cannot read the plan")?;
        match line.as_slice() {
            [] => return Ok(None),
            b"\n" => {}
            _ => return Ok(Some(line)),
        }
    }
}

fn is_readable(file: &File, time: Duration) -> Result<bool> {
    let mut ready = [PollFd::new(file.as_fd(), PollFlags::POLLIN)];
    let time = PollTimeout::try_from(time).unwrap_or(PollTimeout::MAX);
    match poll(&mut ready, time) {
        Ok(0) | Err(nix::errno::Errno::EINTR) => Ok(false),
        Ok(_) => Ok(true),
        Err(error) => Err(error).context("standard input cannot be waited for"),
    }
}

enum Heard {
    Nothing,
    Something,
    End,
}

fn wait(input: &BufReader<File>) -> Result<Heard> {
    if !is_readable(input.get_ref(), LOOK)? {
        return Ok(Heard::Nothing);
    }
    let mut bytes = [0; 64];
    match input.get_ref().read(&mut bytes) {
        Ok(0) | Err(_) => Ok(Heard::End),
        Ok(_) => Ok(Heard::Something),
    }
}

fn shared(fleet: &Path, name: Option<&str>, interrupt: &Interrupt) -> Result<Ending> {
    let name = match name {
        Some(name) => name.to_owned(),
        None => own_name()?,
    };
    let plan = Plan::read(fleet)?;
    let own = fleet.join(NODES).join(&name);
    fs::create_dir_all(&own).with_context(|| format!("{name}: cannot create {}", own.display()))?;
    let ended = in_shared(&plan, &name, &own, interrupt);
    if let Err(error) = &ended {
        let text = format!("{}\n", crate::output::whole(error));
        whole_file::write(&own.join(super::folder::FAILED), text)?;
    }
    ended
}

fn in_shared(plan: &Plan, name: &str, own: &Path, interrupt: &Interrupt) -> Result<Ending> {
    let program = Id::own()?;
    ensure!(
        program == plan.program,
        "another program is there: {program}, and the fleet runs {}",
        plan.program
    );
    guarded::sweep(&std::env::temp_dir());
    let folder = tempfile::Builder::new().prefix(PREFIX).tempdir();
    let folder = folder.context("cannot make a folder for temporary files")?;
    let _guarded = Guarded::join(folder.path())?;
    for (file, text) in &plan.files {
        whole_file::write(&folder.path().join(file), text)?;
    }
    let attempt = std::env::var("SLURM_JOB_ID").unwrap_or_else(|_| std::process::id().to_string());
    let results = own.join(format!("run-{attempt}"));
    let mut run = Run::start(&plan.words_of(name), folder.path(), &results)?;
    while !run.has_ended()? {
        std::thread::sleep(Duration::from_millis(500));
        if interrupt.signal().is_some() {
            break;
        }
    }
    let status = run.end();
    judged(status, &run.said())
}

fn own_name() -> Result<String> {
    if let Ok(name) = std::env::var("SLURMD_NODENAME") {
        return Ok(name);
    }
    let name =
        fs::read_to_string("/proc/sys/kernel/hostname").context("this machine has no name")?;
    Ok(name.trim().to_owned())
}

fn judged(status: Option<ExitStatus>, said: &str) -> Result<Ending> {
    match status.and_then(|status| status.code()) {
        Some(0 | 3) => Ok(Ending::Answered),
        Some(TERMINATED) => bail!("it was cancelled or ended by SIGTERM, as at a time limit"),
        Some(code) => bail!("the run ended with exit code {code}: {}", said.trim()),
        None => bail!("the run was killed: {}", said.trim()),
    }
}

fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

struct Run {
    child: Child,
    said: File,
}

impl Run {
    fn start(words: &[String], folder: &Path, results: &Path) -> Result<Self> {
        let said = tempfile::tempfile_in(folder).context("cannot make a temporary file")?;
        let mut command = Command::new(flow::library::this_program());
        command
            .args(words)
            .arg("--out")
            .arg(results)
            .current_dir(folder)
            .env("TMPDIR", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said.try_clone().context("cannot copy a descriptor")?);
        let child = flow::spawn_tied(&mut command).context("the run cannot be started")?;
        Ok(Self { child, said })
    }

    fn has_ended(&mut self) -> Result<bool> {
        let status = self.child.try_wait();
        Ok(status.context("the run cannot be waited for")?.is_some())
    }

    fn end(&mut self) -> Option<ExitStatus> {
        let pid = i32::try_from(self.child.id()).map(Pid::from_raw);
        let began = Instant::now();
        while let Ok(false) = self.has_ended() {
            if began.elapsed() > PARTING {
                let _gone_is_fine = self.child.kill();
                return self.child.wait().ok();
            }
            if let Ok(pid) = pid {
                let _gone_is_fine = kill(pid, Signal::SIGTERM);
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        self.child.try_wait().ok().flatten()
    }

    fn said(&mut self) -> String {
        whole_file::end_of(&mut self.said, SAID)
            .unwrap_or_else(|error| format!("what it said cannot be read: {error}"))
    }
}

struct Tail {
    path: PathBuf,
    sent: u64,
    is_whole: bool,
    spoke: Instant,
}

impl Tail {
    fn of(path: PathBuf) -> Self {
        Self {
            path,
            sent: 0,
            is_whole: true,
            spoke: Instant::now(),
        }
    }

    /// Sends news, or an empty line after a while.
    fn send(&mut self) -> io::Result<()> {
        let new = self.new_bytes()?;
        if let Some(last) = new.last() {
            self.is_whole = *last == b'\n';
        } else if !self.is_whole || self.spoke.elapsed() < REMIND {
            return Ok(());
        }
        let mut out = io::stdout();
        out.write_all(if new.is_empty() { b"\n" } else { &new })?;
        self.sent += new.len() as u64;
        self.spoke = Instant::now();
        out.flush()
    }

    fn new_bytes(&self) -> io::Result<Vec<u8>> {
        let mut new = Vec::new();
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(new),
            Err(error) => return Err(error),
        };
        file.seek(io::SeekFrom::Start(self.sent))?;
        file.read_to_end(&mut new)?;
        Ok(new)
    }
}
