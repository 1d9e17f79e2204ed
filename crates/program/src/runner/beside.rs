//! Commands in no phase: `true`, `build`, `setup`, `prepare`, `check`, `conclude`, `cleanup`.

use std::io;
use std::path::Path;

use super::{Runner, free_port, null};
use crate::build_inputs::Built;
use crate::command::{Shell, by_shell, ready, resolve, words};
use crate::judge;
use crate::pipe::{Pipe, TAIL};
use crate::supervisor::{Order, Running, Wait, flood};
use crate::sys::Executable;

/// In each slot `true` is launched as often as the command, and not less often than this.
const LAUNCHES_OF_TRUE: usize = 2;

impl Runner<'_> {
    /// The shortest launch of a program that does nothing, if any, for subtraction from times.
    pub(super) fn launch_of_true(&mut self, launches: u32) -> io::Result<Option<u64>> {
        // A command that measures itself has no launch in its times.
        if self.program.reports || resolve("true").is_err() {
            return Ok(None);
        }
        let shell = match by_shell(&self.program.command, &self.program.shell) {
            true if self.program.shell == Shell::Auto => &Shell::Always,
            _ => &self.program.shell,
        };
        let line = words("true", shell).map_err(io::Error::other)?;
        let truth = ready(&line, &self.program.env)?;
        let launches = LAUNCHES_OF_TRUE.max(launches as usize);
        let mut times = Vec::with_capacity(launches);
        for _ in 0..launches {
            let order = Order {
                executable: &truth,
                stdin: null()?,
                stdout: None,
                is_limited: false,
            };
            let mut running = self.supervisor.launch(order)?;
            self.supervisor
                .wait(&mut [&mut running], self.deadline, None)?;
            let ended = running.ended.map(|end| end.at_ns);
            times.extend(ended.map(|at| at.saturating_sub(running.started_ns)));
        }
        Ok(times.into_iter().min())
    }

    pub(super) fn build(&mut self, dir: Option<&Path>) -> io::Result<()> {
        let Some(built) = Built::of(self.program, dir) else {
            return Ok(());
        };
        self.fill.built = Some(built.folder().display().to_string());
        if built.is_there() {
            return Ok(());
        }
        built.write(self.program)?;
        // A killed compiler leaves unfinished files.
        self.scratch.clone_from(&self.fill.built);
        self.aside("build", self.program.build.as_deref())?;
        self.scratch = None;
        built.is_complete()
    }

    pub(super) fn aside(&mut self, what: &str, line: Option<&str>) -> io::Result<()> {
        let Some(line) = line else {
            return Ok(());
        };
        let (line, executable) = self.filled(line)?;
        let order = Order {
            executable: &executable,
            stdin: null()?,
            stdout: Some(Pipe::new(TAIL, false)?),
            is_limited: false,
        };
        let mut running = self.supervisor.launch(order)?;
        let waited = self
            .supervisor
            .wait(&mut [&mut running], self.deadline, None)?;
        let late = waited != Wait::Ended;
        if waited == Wait::Flood {
            self.supervisor.kill(&mut [&mut running], &[])?;
        } else if late {
            self.supervisor.stop(&mut [&mut running], self.grace())?;
        }
        // An earlier command may leave what a later one ends.
        self.supervisor.take_orphans();
        match judge::status(&running) {
            _ if waited == Wait::Flood => Err(failed(what, &line, &flood().to_string(), &running)),
            _ if late => Err(io::Error::other(format!(
                "{what} ({line}) did not end in time"
            ))),
            Ok(0) => Ok(()),
            Ok(code) => Err(failed(what, &line, &format!("exit code {code}"), &running)),
            Err(signal) => Err(failed(what, &line, &signal, &running)),
        }
    }

    pub(crate) fn need_port(&mut self) -> io::Result<()> {
        if self.fill.port.is_none() {
            self.fill.port = Some(free_port()?);
        }
        Ok(())
    }

    pub(crate) fn generator(&self) -> io::Result<Executable> {
        let words = [
            flow::library::this_program().display().to_string(),
            crate::load::ARGUMENT.to_owned(),
        ];
        ready(&words, &Default::default())
    }

    pub(crate) fn prepare(&mut self) -> io::Result<()> {
        self.aside("prepare", self.program.prepare.as_deref())
    }

    pub(crate) fn after(&mut self) -> io::Result<()> {
        self.aside("check", self.program.check.as_deref())?;
        self.aside("conclude", self.program.conclude.as_deref())
    }
}

fn failed(what: &str, line: &str, how: &str, running: &Running) -> io::Error {
    let said = judge::said(std::slice::from_ref(running));
    io::Error::other(format!(
        "{what} ({line}) failed: {how}{}",
        judge::after(&said)
    ))
}
