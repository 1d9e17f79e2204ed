//! Signals at random moments of real runs, to the main process and its slots: is anything left?
//!
//! A moment is a new run, a random attack after a random part of such a run's length, and a look ten seconds later at
//! the latest: no process, named pipe, temporary file, slot's folder or half-written file may be there. A run that is
//! asked to end must do so within two seconds, and its journal must be readable, and free to take up. Half of the
//! moments are within the first 150 ms, where processes are born, evenly by their logarithm. What is left where every
//! child was stopped, or main process and janitor were killed, may wait for the next run; it has a row.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lab::{Journal, Results, ResumeOverrides};
use nix::sys::signal::Signal::{self, SIGHUP, SIGINT, SIGKILL, SIGSTOP, SIGTERM};

use crate::fuzz::real_journal;
use crate::home::{Home, Process, end_of, program};
use crate::table::Table;
use crate::{Campaign, home};
use Step::{Guards, Main, Others, Pause, Slot};

const WORKS: [Work; 6] = [
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

/// Every other command, with its words in a line.
const LINES: [&str; 29] = [
    "exec|sleep 0.01|sleep 0.02|--rounds|10|--out|out",
    "exec|-N|sh -c 'sleep 0.05 & wait'|--rounds|10|--out|out",
    "exec|--quota|0.5|sh -c 'sleep 0.05 & wait'|--rounds|10|--out|out",
    "primes|--quota|0.5,1|-p|2|-t|2|-b|20000|--rounds|10|--out|out",
    "search|--model|process-pool|-j|4|the|/usr/include",
    "search|--model|process-per-file|-j|4|the|/usr/include",
    "search|--study|the|/usr/include|--rounds|10|--out|out",
    "limits|--model|process,thread|--rounds|2|--out|out",
    "simulate|xeon-x5570|--|/bin/true",
    "malloc|--|sleep|0.3",
    "wiki|--server|prefork,thread-pool|--rounds|10|--out|out",
    "hybrid|--allow-root|--flows|2|--rounds|10|--out|out",
    "workers|--preset|quick|--rounds|10|--out|out",
    "switch|--preset|quick|--rounds|10|--out|out",
    "creating|--preset|quick|--rounds|10|--out|out",
    "migrate|--preset|quick|--rounds|10|--out|out",
    "balance|--preset|quick|--rounds|10|--out|out",
    "sharing|--preset|quick|--rounds|10|--out|out",
    "scaling|--preset|quick|--rounds|10|--out|out",
    "allocators|--preset|quick|--rounds|10|--out|out",
    "calibrate|--rounds|10|--sample|5ms|--out|out",
    "run|--preset|quick|--rounds|10|--out|out",
    "report|done|--plots|plots",
    "compare|done|again|--out|page",
    "fleet|gather|done|again|--out|all",
    "machine",
    "man",
    "completions|bash",
    FLEET,
];

/// Two machines that are this one, by an ssh that only runs a shell ([`SSH`]).
const FLEET: &str =
    "fleet|run|cut.toml|--hosts|hosts|--ssh|./ssh|--at|./flowgauge|--out|out|--|--rounds|10";
const SSH: &str = "#!/bin/sh\nfor word; do last=$word; done\nexec sh -c \"$last\"\n";

#[derive(Clone, Copy)]
enum Step {
    Main(Signal),
    Slot(Signal),
    /// All but the main process.
    Others(Signal),
    Guards(Signal),
    Pause,
}

#[derive(Clone, Copy)]
struct Attack(&'static str, &'static [Step]);

const ATTACKS: [Attack; 13] = [
    Attack("KillMain", &[Main(SIGKILL)]),
    KILL_SLOT,
    Attack("KillBoth", &[Slot(SIGKILL), Main(SIGKILL)]),
    Attack("StopSlotKillMain", &[Slot(SIGSTOP), Main(SIGKILL)]),
    Attack(
        "StopMainKillBoth",
        &[Main(SIGSTOP), Slot(SIGKILL), Main(SIGKILL)],
    ),
    Attack("StopOthersKillMain", &[Others(SIGSTOP), Main(SIGKILL)]),
    // Those that are born meanwhile too.
    Attack(
        "StopAllKillMain",
        &[
            Others(SIGSTOP),
            Others(SIGSTOP),
            Others(SIGSTOP),
            Main(SIGKILL),
        ],
    ),
    KILL_BOTH_GUARDS,
    CLOSE_TERMINAL,
    Attack("Interrupt", &[Main(SIGINT)]),
    Attack("InterruptTwice", &[Main(SIGINT), Pause, Main(SIGINT)]),
    Attack("Terminate", &[Main(SIGTERM)]),
    Attack("Hangup", &[Main(SIGHUP)]),
];
const KILL_SLOT: Attack = Attack("KillSlot", &[Slot(SIGKILL)]);
const KILL_BOTH_GUARDS: Attack = Attack("KillBothGuards", &[Guards(SIGKILL), Main(SIGKILL)]);
/// The main process is what holds the other end of the terminal.
const CLOSE_TERMINAL: Attack = Attack("CloseTerminal", &[Main(SIGKILL)]);

impl Attack {
    fn is(self, other: Self) -> bool {
        self.0 == other.0
    }

    /// Whether nobody can be left to clean up but the next run.
    fn leaves_nobody(self) -> bool {
        let is_all = |step: &Step| matches!(step, Others(_) | Guards(_));
        self.1.iter().any(is_all)
    }

    /// Whether it stops processes, which nobody here can do to another machine's.
    fn stops(self) -> bool {
        let stops = |step: &Step| matches!(step, Main(SIGSTOP) | Slot(SIGSTOP) | Others(SIGSTOP));
        self.1.iter().any(stops)
    }

    fn carry_out(self, main: &Process, home: &Home) {
        const GUARDS: [&str; 3] = ["__janitor", "-c", "fleet"];
        let all = || home.processes().into_iter();
        for step in self.1 {
            match *step {
                Main(signal) => main.send(signal),
                Slot(signal) => send(signal, all().find(|one| one.role == "__cell")),
                Others(signal) => send(signal, all().filter(|one| one.pid != main.pid)),
                Guards(signal) => {
                    send(
                        signal,
                        all().filter(|one| GUARDS.contains(&one.role.as_str())),
                    );
                }
                Pause => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

fn send(signal: Signal, to: impl IntoIterator<Item = Process>) {
    to.into_iter().for_each(|one| one.send(signal));
}

/// Rows of what the next run had to remove, of what was gone late, and of journals that are to be taken up.
const NEXT_RUN: &str = "left to the next run: removed by it";
/// The last process is to be gone within the first of them on an idle machine, and within the second under load.
const LATE: [(u64, &str); 2] = [
    (1, "gone after more than 1 s"),
    (5, "gone after more than 5 s"),
];
const TAKEN_UP: &str = "journal free for the next run";

/// Runs at one time: most of the time of each is waiting.
const AT_ONCE: usize = 3;

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    not_ignored()?;
    let mut table = Table::default();
    let journal = real_journal(&Home::new()?)?;
    let mut is_first = true;
    while std::mem::take(&mut is_first) || campaign.goes_on() {
        let draw = |_| Moment::draw(campaign, &journal);
        let drawn: Vec<Moment> = (0..AT_ONCE).map(draw).collect();
        let tried = std::thread::scope(|scope| {
            let threads: Vec<_> = drawn
                .iter()
                .map(|moment| scope.spawn(|| moment.pass()))
                .collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.collect::<Vec<_>>()
        });
        for (moment, came) in drawn.iter().zip(tried) {
            let panicked = |_| Ok(Came::fell("this campaign panicked".to_owned()));
            let came = came.unwrap_or_else(panicked)?;
            let attack = moment.attack.0;
            let what = format!("{} {attack} at {:?}", moment.name(), moment.after);
            table.tried(attack, came.fell.map(|fell| format!("{what}: {fell}")));
            if came.next_run_removed {
                table.tried(NEXT_RUN, None);
            }
            let late = |limit| {
                came.gone
                    .is_some_and(|gone| gone > Duration::from_secs(limit))
            };
            for (_, row) in LATE.iter().filter(|(limit, _)| late(*limit)) {
                table.tried(row, None);
            }
            if let Some(locked) = came.taken_up {
                table.tried(TAKEN_UP, locked.map(|why| format!("{what}: {why}")));
            }
        }
    }
    Ok(table)
}

#[derive(Default)]
struct Came {
    fell: Option<String>,
    next_run_removed: bool,
    /// How long after the attack nothing was left.
    gone: Option<Duration>,
    /// Whether there was a journal to be taken up, and why it could not be.
    taken_up: Option<Option<String>>,
}

impl Came {
    fn fell(what: String) -> Self {
        Self {
            fell: Some(what),
            ..Self::default()
        }
    }
}

#[derive(Clone, Copy)]
enum Target {
    Study(&'static Work),
    Line(&'static str),
}

type Work = (&'static str, &'static str, [&'static str; 2]);

struct Moment<'a> {
    target: Target,
    /// Of a finished run, for commands that ask for one.
    journal: &'a [u8],
    attack: Attack,
    after: Duration,
}

/// The first of them, in microseconds, and how often it is doubled up to 150 ms.
const FIRST_US: f64 = 100.0;
const DOUBLINGS: f64 = 10.55;

impl<'a> Moment<'a> {
    fn draw(campaign: &mut Campaign, journal: &'a [u8]) -> Self {
        let target = match campaign.below(3) {
            0 => Target::Study(campaign.choose(&WORKS)),
            _ => Target::Line(campaign.choose::<&str>(&LINES)),
        };
        let attack = match (target, *campaign.choose(&ATTACKS)) {
            (Target::Line(FLEET), attack) if attack.stops() => KILL_BOTH_GUARDS,
            (_, attack) => attack,
        };
        let micros = match campaign.below(2) {
            0 => (FIRST_US * (campaign.share() * DOUBLINGS).exp2()) as u64,
            _ => campaign.below(400_000) as u64,
        };
        Self {
            target,
            journal,
            attack,
            after: Duration::from_micros(micros),
        }
    }

    fn name(&self) -> String {
        match self.target {
            Target::Study(work) => work.0.to_owned(),
            Target::Line(line) => line.replace('|', " "),
        }
    }

    fn study(&(name, work, models): &Work) -> String {
        let flows = if name == "many flows" { 40 } else { 2 };
        let variants: String = models
            .iter()
            .map(|model| format!("[[case.variant]]\nmodel = \"{model}\"\nflows = {flows}\n"))
            .collect();
        format!(
            "schema = 1\nname = \"cut\"\ntitle = \"Cut\"\nstands_for = \"A run that is cut.\"\n\
             headline = \"only\"\n[[case]]\nname = \"only\"\ntitle = \"Only\"\n[case.work]\n{work}\n\
             {variants}"
        )
    }

    fn command(&self, home: &Home) -> Result<Command> {
        const RUN: &str = "run|cut.toml|--rounds|10|--out|out";
        let line: Vec<&str> = match self.target {
            Target::Study(work) => {
                home.write("cut.toml", Self::study(work))?;
                RUN.split('|').collect()
            }
            Target::Line(line) => {
                prepare(home, self.journal)?;
                line.split('|').collect()
            }
        };
        let program = program()?;
        if !self.attack.is(CLOSE_TERMINAL) {
            return Ok(home.command(&program, &line));
        }
        let quoted = line
            .iter()
            .map(|word| format!("'{}'", word.replace('\'', "'\\''")));
        let quoted: Vec<String> = quoted.collect();
        let line = format!("exec '{}' {}", program.display(), quoted.join(" "));
        Ok(home.command(Path::new("script"), &["-qec", &line, "/dev/null"]))
    }

    fn pass(&self) -> Result<Came> {
        let home = Home::new()?;
        let mut child = self.command(&home)?.spawn()?;
        std::thread::sleep(self.after);
        let main = Process {
            pid: i32::try_from(child.id())?,
            role: "run".to_owned(),
        };
        self.attack.carry_out(&main, &home);
        let begun = Instant::now();
        // A slot that was killed is a failed one, and the run goes on.
        if self.attack.is(KILL_SLOT) {
            std::thread::sleep(Duration::from_millis(50));
            main.send(SIGINT);
        }
        let Some(_status) = end_of(&mut child, Duration::from_secs(20)) else {
            return Ok(Came::fell("it did not end in 20 s".to_owned()));
        };
        let took = begun.elapsed();
        let left = home.left();
        let mut came = Came {
            gone: left.is_none().then(|| begun.elapsed()),
            ..Came::default()
        };
        if let Some(left) = left {
            came.next_run_removed =
                self.attack.leaves_nobody() && self.target.next_run_removes(&home)?;
            if !came.next_run_removed {
                return Ok(Came::fell(format!("left: {left}")));
            }
        }
        if took > Duration::from_secs(2) {
            return Ok(Came::fell(format!("it ended after {took:?}")));
        }
        came.fell = unreadable(&home);
        came.taken_up = came.fell.is_none().then(|| taken_up(&home)).flatten();
        Ok(came)
    }
}

/// What is ignored here is ignored by what is started here, as in a shell's background.
fn not_ignored() -> Result<()> {
    let asks = [SIGHUP, SIGINT, SIGTERM];
    ensure!(
        !asks.iter().any(|&signal| sys::is_ignored(signal as i32)),
        "signals that ask to end are ignored here: env --default-signal campaign kill ..."
    );
    Ok(())
}

fn prepare(home: &Home, journal: &[u8]) -> Result<()> {
    for folder in ["done", "again"] {
        std::fs::create_dir(home.path(folder))?;
        home.write(&format!("{folder}/journal.jsonl"), journal)?;
    }
    home.write("cut.toml", Moment::study(&WORKS[0]))?;
    home.write("hosts", "a\nb\n")?;
    home.write("ssh", SSH)?;
    std::fs::set_permissions(home.path("ssh"), Permissions::from_mode(0o755))?;
    std::os::unix::fs::symlink(program()?, home.path("flowgauge"))?;
    Ok(())
}

impl Target {
    /// Whether a short run of the same kind in the same home, an hour later, leaves nothing of the one before.
    fn next_run_removes(self, home: &Home) -> Result<bool> {
        let line = match self {
            Self::Line(FLEET) => FLEET.replace("|out|", "|next|").replace("10", "1"),
            _ => "primes|-p|1|-b|1000|--rounds|1|--out|next".to_owned(),
        };
        let line: Vec<&str> = line.split('|').collect();
        home.age()?;
        let mut next = home.command(&program()?, &line).spawn()?;
        Ok(end_of(&mut next, Duration::from_secs(60)).is_some() && home.left().is_none())
    }
}

/// Whether there is a journal that is not at its end, and why another run cannot take it up.
fn taken_up(home: &Home) -> Option<Option<String>> {
    let journal = home.path("out/journal.jsonl");
    let results = Results::from_journal(&journal).ok()?;
    if results.finished {
        return None;
    }
    let taken = Journal::resume(&journal, ResumeOverrides::default());
    Some(taken.err().map(|error| error.to_string()))
}

fn unreadable(home: &home::Home) -> Option<String> {
    let journal = home.path("out/journal.jsonl");
    let text = std::fs::read(&journal).ok()?;
    if !text.contains(&b'\n') {
        return None;
    }
    let read = Results::from_journal(&journal);
    read.err().map(|error| format!("the journal: {error}"))
}
