//! Programs of safe code that misuse fibers (the crate's tests), and C programs that misuse the
//! allocator's blocks, of random sizes from a class to a mapping. Each has to work or to end with
//! its message: silence, or another's memory, falls. Every case is tried before any is tried again.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::home::program;
use crate::table::Table;
use crate::{Campaign, cc};

#[path = "../../fiber/tests/misuse/mod.rs"]
mod fibers;

pub(crate) use fibers::is_carried_out;

const LARGEST: f64 = 26.0;
/// Sizes from which an allocator without guards sees that a pointer leads into a block of its own.
const SLICES: usize = 40_000;
/// Larger mappings are not kept: a second free reads where nothing is mapped.
const KEPT: usize = 32 << 20;

enum Misuse {
    Fiber(fibers::Case),
    Block(&'static Block),
    /// What `hard.c` does to an allocator; it has to work.
    Hard(&'static str),
}

/// Whether the allocator is guarded, what is done, the message, and the least size.
type Block = (bool, &'static str, &'static str, usize);

const BEGINNING: &str = "not the beginning of a block";
const BLOCKS: [Block; 8] = [
    (true, "nothing", "", 1),
    (true, "twice", "freed twice", 1),
    (true, "beyond", "written beyond its end", 1),
    (true, "inside", BEGINNING, 32),
    (true, "unaligned", BEGINNING, 16),
    (false, "twice", "freed twice", 1),
    (false, "inside", BEGINNING, SLICES),
    (false, "unaligned", BEGINNING, 16),
];

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let mut table = Table::default();
    let folder = tempfile::tempdir()?;
    let mut all: Vec<Misuse> = fibers::cases().map(Misuse::Fiber).collect();
    match compiled(folder.path()) {
        Ok(()) => {
            all.extend(BLOCKS.iter().map(Misuse::Block));
            all.extend(["copied", "interrupted"].map(Misuse::Hard));
        }
        Err(error) => table.skipped("malloc", &error.to_string()),
    }
    let mut is_first = true;
    while is_first || campaign.goes_on() {
        campaign.shuffle(&mut all);
        for misuse in &all {
            misuse.attempt(campaign, &mut table, folder.path())?;
            if !is_first && !campaign.goes_on() {
                break;
            }
        }
        is_first = false;
    }
    Ok(table)
}

fn compiled(folder: &Path) -> Result<()> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../flowgauge/tests/malloc");
    for name in ["wrong", "hard"] {
        let source = sources.join(name).with_extension("c");
        cc::compile(&["-pthread", "-fno-builtin"], [source], &folder.join(name))?;
    }
    Ok(())
}

impl Misuse {
    fn attempt(&self, campaign: &mut Campaign, table: &mut Table, folder: &Path) -> Result<()> {
        let (row, fell) = match self {
            Self::Fiber(case) => {
                let fell = fibers::fell(case).map(|fell| format!("{}: {fell}", case.name));
                let row = match case.outcome {
                    fibers::Outcome::Works => "fiber: works",
                    _ => "fiber: ends with a message or works",
                };
                (row.to_owned(), fell)
            }
            Self::Block(block) => misused(block, campaign, &folder.join("wrong"))?,
            Self::Hard(part) => {
                let words = [folder.join("hard"), PathBuf::from(part)];
                let ended = fibers::output(with_malloc(false)?.args(words));
                let fell = (!ended.status.success()).then(|| ended.status.to_string());
                (format!("malloc: {part}"), fell)
            }
        };
        table.tried(&row, fell);
        Ok(())
    }
}

fn misused(
    &(is_guarded, what, message, least): &Block,
    campaign: &mut Campaign,
    program: &Path,
) -> Result<(String, Option<String>)> {
    let size = least.max((campaign.share() * LARGEST).exp2() as usize);
    let mut command = with_malloc(is_guarded)?;
    let ended = fibers::output(command.arg(program).args([what, &size.to_string()]));
    let said = String::from_utf8_lossy(&ended.stderr);
    let is_right = match message {
        "" => ended.status.success(),
        message => {
            let is_unmapped = !is_guarded && size > KEPT;
            !ended.status.success() && (said.contains(message) || is_unmapped)
        }
    };
    let guarded = if is_guarded { " --guarded" } else { "" };
    let fell = format!("{size} bytes: {}: {said}", ended.status);
    Ok((
        format!("malloc{guarded}: {what}"),
        (!is_right).then_some(fell),
    ))
}

fn with_malloc(is_guarded: bool) -> Result<Command> {
    let mut command = Command::new(program()?);
    command.arg("malloc");
    command.args(is_guarded.then_some("--guarded")).arg("--");
    Ok(command)
}
