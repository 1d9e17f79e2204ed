//! Signals at random moments of real runs, to the main process and its slots: is anything left?
//!
//! A moment is a run that is begun anew, an attack drawn at random after a time drawn at random
//! from the length of such a run, and a look ten seconds later at the latest: no process, no
//! named pipe, no temporary file, no folder of a slot and no half-written file may be there. A run that is
//! asked to end has to do so within two seconds, and the journal of each run that has one must be
//! readable.

use std::time::{Duration, Instant};

use anyhow::Result;
use lab::Results;
use nix::sys::signal::Signal;

use crate::home::{Home, Process, end_of, program};
use crate::table::Table;
use crate::{Campaign, home};

/// Cases of the studies that are cut.
const WORKS: [(&str, &str, [&str; 2]); 6] = [
    (
        "primes",
        "kind = \"primes\"\nstart = 10000001\nblock = 3000\nblocks = 4\nevery = 100\nmethod = \"trial\"",
        ["process", "thread"],
    ),
    (
        "many flows",
        "kind = \"primes\"\nstart = 1\nblock = 100\nblocks = 40\nevery = 10\nmethod = \"trial\"",
        ["process", "10x4"],
    ),
    (
        "files of a drill",
        "kind = \"drill\"\nunits = 200\nfault = \"hang\"\nunit = 199\nfiles = 20",
        ["process", "thread"],
    ),
    (
        "wiki",
        "kind = \"wiki\"\nrequests = 200\npages = 6\npage_size = \"8K\"",
        ["process", "thread"],
    ),
    (
        "wiki server",
        "kind = \"wiki-server\"\nworkers = 2\nrequests = 200\nconnections = 2\npages = 6\npage_size = \"8K\"",
        ["process", "thread"],
    ),
    (
        "io",
        "kind = \"io\"\nworkers = 2\nloops = 300",
        ["process", "thread"],
    ),
];

#[derive(Debug, Clone, Copy)]
enum Attack {
    KillMain,
    KillSlot,
    KillBoth,
    StopSlotKillMain,
    StopMainKillBoth,
    StopOthersKillMain,
    Interrupt,
    InterruptTwice,
    Terminate,
    Hangup,
}

const ATTACKS: [Attack; 10] = [
    Attack::KillMain,
    Attack::KillSlot,
    Attack::KillBoth,
    Attack::StopSlotKillMain,
    Attack::StopMainKillBoth,
    Attack::StopOthersKillMain,
    Attack::Interrupt,
    Attack::InterruptTwice,
    Attack::Terminate,
    Attack::Hangup,
];

/// Runs at one time: most of the time of each is waiting.
const AT_ONCE: usize = 3;

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let mut table = Table::default();
    while campaign.goes_on() {
        let drawn: Vec<Moment> = (0..AT_ONCE).map(|_| Moment::draw(campaign)).collect();
        let tried = std::thread::scope(|scope| {
            let threads: Vec<_> = drawn
                .iter()
                .map(|moment| scope.spawn(|| moment.pass()))
                .collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.collect::<Vec<_>>()
        });
        for (moment, fell) in drawn.iter().zip(tried) {
            let fell = fell.unwrap_or_else(|_| Ok(Some("this campaign panicked".to_owned())))?;
            let what = format!(
                "{} {:?} at {:?}",
                moment.work.0, moment.attack, moment.after
            );
            let name = format!("{:?}", moment.attack);
            table.tried(&name, fell.map(|fell| format!("{what}: {fell}")));
        }
    }
    Ok(table)
}

struct Moment {
    work: &'static (&'static str, &'static str, [&'static str; 2]),
    attack: Attack,
    after: Duration,
}

impl Moment {
    fn draw(campaign: &mut Campaign) -> Self {
        Self {
            work: campaign.choose(&WORKS),
            attack: *campaign.choose(&ATTACKS),
            after: Duration::from_micros(campaign.below(400_000) as u64),
        }
    }

    fn study(&self) -> String {
        let (_, work, models) = self.work;
        let flows = |model: &str| match (self.work.0, model) {
            ("many flows", _) => 40,
            _ => 2,
        };
        let variants: String = models
            .iter()
            .map(|model| {
                format!(
                    "[[case.variant]]\nmodel = \"{model}\"\nflows = {}\n",
                    flows(model)
                )
            })
            .collect();
        format!(
            "schema = 1\nname = \"cut\"\ntitle = \"Cut\"\nstands_for = \"A run that is cut.\"\n\
             headline = \"only\"\n[[case]]\nname = \"only\"\ntitle = \"Only\"\n[case.work]\n{work}\n\
             {variants}"
        )
    }

    fn pass(&self) -> Result<Option<String>> {
        let home = Home::new()?;
        home.write("cut.toml", self.study())?;
        let line = ["run", "cut.toml", "--rounds", "10", "--out", "out"];
        let mut child = home.command(&program()?, &line).spawn()?;
        std::thread::sleep(self.after);
        let main = Process {
            pid: i32::try_from(child.id())?,
            role: "run".to_owned(),
        };
        self.attack(&main, &home);
        let begun = Instant::now();
        // A slot that was killed is a failed one, and the run goes on.
        if matches!(self.attack, Attack::KillSlot) {
            std::thread::sleep(Duration::from_millis(50));
            main.send(Signal::SIGINT);
        }
        let Some(_status) = end_of(&mut child, Duration::from_secs(20)) else {
            return Ok(Some("it did not end in 20 s".to_owned()));
        };
        let took = begun.elapsed();
        if let Some(left) = home.left() {
            return Ok(Some(format!("left: {left}")));
        }
        if took > Duration::from_secs(2) {
            return Ok(Some(format!("it ended after {took:?}")));
        }
        Ok(unreadable(&home))
    }

    fn attack(&self, main: &Process, home: &Home) {
        let slot = |signal: Signal| {
            let processes = home.processes();
            let mut cells = processes.iter().filter(|process| process.role == "__cell");
            if let Some(cell) = cells.next() {
                cell.send(signal);
            }
        };
        match self.attack {
            Attack::KillMain => main.send(Signal::SIGKILL),
            Attack::KillSlot => slot(Signal::SIGKILL),
            Attack::KillBoth => {
                slot(Signal::SIGKILL);
                main.send(Signal::SIGKILL);
            }
            Attack::StopSlotKillMain => {
                slot(Signal::SIGSTOP);
                main.send(Signal::SIGKILL);
            }
            Attack::StopMainKillBoth => {
                main.send(Signal::SIGSTOP);
                slot(Signal::SIGKILL);
                main.send(Signal::SIGKILL);
            }
            Attack::StopOthersKillMain => {
                let others = home.processes().into_iter();
                others
                    .filter(|process| process.pid != main.pid)
                    .for_each(|process| process.send(Signal::SIGSTOP));
                main.send(Signal::SIGKILL);
            }
            Attack::Interrupt => main.send(Signal::SIGINT),
            Attack::InterruptTwice => {
                main.send(Signal::SIGINT);
                std::thread::sleep(Duration::from_millis(5));
                main.send(Signal::SIGINT);
            }
            Attack::Terminate => main.send(Signal::SIGTERM),
            Attack::Hangup => main.send(Signal::SIGHUP),
        }
    }
}

/// What is wrong with the journal of a run, if it has one with a whole line.
fn unreadable(home: &home::Home) -> Option<String> {
    let journal = home.path("out/journal.jsonl");
    let text = std::fs::read(&journal).ok()?;
    if !text.contains(&b'\n') {
        return None;
    }
    let read = Results::from_journal(&journal);
    read.err().map(|error| format!("the journal: {error}"))
}
