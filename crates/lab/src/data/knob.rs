//! Knobs: changes around a piece of work that take one resource away from it, to test a cause that
//! was seen. A new way is a row here. `exec --what-if` tries rows without a cause, `--confirm`
//! those that answer what was seen; the models between process and thread are rows too.

use std::path::{Path, PathBuf};

use flow::placement::Cpus;
use flow::{Allocator, HeapPages, Model, Placement, Policy, Schedule, Variant};
use program::{CpuChoice, Program};
use workload::Work;

use super::LabelledVariant;

/// A change, and what it takes away.
#[derive(Debug)]
pub struct Knob {
    /// Its name, which labels have too.
    pub name: &'static str,
    /// What the work does without.
    pub without: &'static str,
    /// Parts of what is said of causes, places and counts that it answers.
    answers: &'static [&'static str],
    turns: &'static [Turn],
    /// Whether `--what-if` tries it.
    pub is_tried_unasked: bool,
}

#[derive(Debug)]
enum Turn {
    Variant(fn(&mut Variant)),
    Flows(fn(&mut Variant)),
    Model(&'static [(Model, Model)]),
    /// Such flows of work that shares itself out, whatever their number.
    Number(fn(u32) -> u32),
    Command(fn(&mut Program)),
    Library(&'static str),
    Allocators,
    FewerCpus,
}

const USUAL: Knob = Knob {
    name: "",
    without: "",
    answers: &[],
    turns: &[],
    is_tried_unasked: false,
};

const ADDRESS_SPACE: &[(Model, Model)] = &[
    (Model::Thread, Model::ProcessSharedFiles),
    (Model::ThreadPrivateFiles, Model::Process),
];
const FILE_TABLE: &[(Model, Model)] = &[
    (Model::Thread, Model::ThreadPrivateFiles),
    (Model::ProcessSharedFiles, Model::Process),
];

/// Every knob: those that `--what-if` tries in its order, then the others.
pub static KNOBS: [Knob; 17] = [
    Knob {
        name: "another allocator",
        without: "the allocator of the C library",
        answers: &[
            "malloc",
            "int_free",
            ": free (",
            "calloc",
            "realloc",
            "operator new",
            "arena",
            "lll_lock_wait_private",
            "mmap_lock",
            "munmap",
            "madvise",
            "brk",
        ],
        turns: &[Turn::Allocators],
        is_tried_unasked: true,
    },
    Knob {
        name: "one malloc arena",
        without: "an arena for each thread",
        answers: &["memory differs", "arena"],
        turns: &[Turn::Command(|program| {
            set(program, "MALLOC_ARENA_MAX", "1");
        })],
        is_tried_unasked: true,
    },
    Knob {
        name: "malloc asks for huge pages",
        without: "small pages of the heap",
        answers: &["page faults", "page tables", "TLB", "clear_page"],
        turns: &[
            Turn::Command(|program| set(program, "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")),
            Turn::Flows(|variant| variant.heap_pages = Some(HeapPages::Transparent)),
        ],
        is_tried_unasked: true,
    },
    Knob {
        name: "no huge pages",
        without: "huge pages",
        answers: &["clear_huge_page", "memory differs"],
        turns: &[Turn::Command(|program| program.knobs.no_huge_pages = true)],
        is_tried_unasked: true,
    },
    Knob {
        name: "fixed addresses",
        without: "random addresses",
        answers: &["layout"],
        turns: &[Turn::Command(|program| {
            program.knobs.no_randomisation = true;
        })],
        is_tried_unasked: true,
    },
    Knob {
        name: "batch scheduling",
        without: "preemption by who wakes",
        answers: &[
            "context switches",
            "switches by the kernel",
            "waits for a CPU",
        ],
        turns: &[
            Turn::Command(|program| program.knobs.batch = true),
            Turn::Flows(|variant| variant.policy = Some(Policy::Batch)),
        ],
        is_tried_unasked: true,
    },
    Knob {
        name: "fewer CPUs",
        without: "other CPUs",
        answers: &[
            "moves between CPUs",
            "interrupts",
            "misses of caches",
            "context switches",
        ],
        turns: &[
            Turn::FewerCpus,
            Turn::Flows(|variant| variant.placement = Placement::One),
        ],
        is_tried_unasked: true,
    },
    Knob {
        name: "on any CPU",
        without: "its placement",
        answers: &["waits for a CPU", "without a CPU"],
        turns: &[Turn::Variant(|variant| variant.placement = Placement::Free)],
        is_tried_unasked: true,
    },
    Knob {
        name: "a CPU for each flow",
        without: "moves between CPUs",
        answers: &["moves between CPUs"],
        turns: &[Turn::Flows(|variant| variant.placement = Placement::Cores)],
        ..USUAL
    },
    Knob {
        name: "private address space",
        without: "a shared address space",
        answers: &["address space", "mmap_lock"],
        turns: &[Turn::Model(ADDRESS_SPACE)],
        ..USUAL
    },
    Knob {
        name: "private file table",
        without: "a shared file table",
        answers: &["file table", "fdget", "close_fd"],
        turns: &[Turn::Model(FILE_TABLE)],
        ..USUAL
    },
    Knob {
        name: "processes in place of threads",
        without: "all that threads share",
        answers: &["futex", "mmap_lock"],
        turns: &[Turn::Model(&[
            (Model::Thread, Model::Process),
            (Model::ThreadPrivateFiles, Model::Process),
        ])],
        ..USUAL
    },
    Knob {
        name: "work in a queue",
        without: "parts of the work that are dealt before it begins",
        answers: &["last flow"],
        turns: &[Turn::Flows(|variant| variant.schedule = Schedule::Queue)],
        ..USUAL
    },
    Knob {
        name: "no quota",
        without: "its CPU quota",
        answers: &["throttled", "waits for a CPU", "without a CPU"],
        turns: &[Turn::Variant(|variant| variant.quota = None)],
        ..USUAL
    },
    Knob {
        name: "half of the workers",
        without: "half of its flows",
        answers: &[
            "waits for a CPU",
            "without a CPU",
            "starting and ending",
            "creates ",
        ],
        turns: &[Turn::Number(|flows| flows.div_ceil(2))],
        ..USUAL
    },
    Knob {
        name: "warm files",
        without: "reads from the disk",
        answers: &["for the disk", "storage read"],
        turns: &[Turn::Command(warm)],
        ..USUAL
    },
    Knob {
        name: "no fsync",
        without: "waits until data are on the disk",
        answers: &["fsync", "fdatasync", "msync", "storage written"],
        turns: &[Turn::Library("libeatmydata.so")],
        ..USUAL
    },
];

/// How a thread runs without a shared address space, and without a shared file table.
pub(crate) fn between() -> [Model; 2] {
    [ADDRESS_SPACE, FILE_TABLE]
        .map(|pairs| of_model(pairs, Model::Thread).unwrap_or(Model::Process))
}

fn of_model(pairs: &[(Model, Model)], model: Model) -> Option<Model> {
    let mut all = pairs.iter();
    all.find(|(from, _)| *from == model).map(|(_, to)| *to)
}

fn set(program: &mut Program, name: &str, value: &str) {
    let variables = &mut program.knobs.env;
    variables.insert(name.to_owned(), value.to_owned());
}

fn warm(program: &mut Program) {
    let folder = program.folder.clone().unwrap_or_default();
    let named = program.command.split_whitespace().map(str::to_owned);
    let read = program.stdin.iter().map(|file| file.display().to_string());
    let is_file = |name: &String| Path::new(&folder).join(name).is_file();
    let plain = |name: &String| {
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+,=@%".contains(c);
        !name.starts_with('-') && name.chars().all(is_plain)
    };
    let files: Vec<String> = named.chain(read).filter(is_file).filter(plain).collect();
    if files.is_empty() {
        return;
    }
    let read = format!("cat {} > /dev/null", files.join(" "));
    program.prepare = Some(match &program.prepare {
        Some(own) => format!("{own} && {read}"),
        None => read,
    });
}

impl Knob {
    /// The knob of a name, with spaces or hyphens.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        let name = name.replace('-', " ");
        KNOBS.iter().find(|knob| knob.name == name)
    }

    /// Those that take away what this is said of.
    pub fn answering(said: &str) -> impl Iterator<Item = &'static Self> {
        let answers = |knob: &&Self| knob.answers.iter().any(|part| said.contains(part));
        KNOBS.iter().filter(answers)
    }

    /// Why it cannot be turned here although such work has it.
    #[must_use]
    pub fn missing(&self, work: &Work) -> Option<String> {
        work.program()?;
        let missing = |turn: &Turn| match turn {
            Turn::Library(file) if library(file).is_none() => Some(format!(
                "{file} is not installed (Debian: {})",
                flow::parts::EATMYDATA.get
            )),
            _ => None,
        };
        self.turns.iter().find_map(missing)
    }

    /// Each way of turning the knob, with its name; none where it changes nothing.
    #[must_use]
    pub fn turned(
        &self,
        plain: &LabelledVariant,
        work: &Work,
        cpus: &Cpus,
    ) -> Vec<LabelledVariant> {
        let ways = |turn: &Turn| self.ways(turn, plain, work, cpus);
        let mut all = self.turns.iter().map(ways);
        all.find(|ways| !ways.is_empty()).unwrap_or_default()
    }

    fn ways(
        &self,
        turn: &Turn,
        plain: &LabelledVariant,
        work: &Work,
        cpus: &Cpus,
    ) -> Vec<LabelledVariant> {
        let named = |one| vec![(self.name.to_owned(), one)];
        let preloaded = |program, (name, path): (String, PathBuf)| {
            let change = |one: &mut Program| one.knobs.preload = Some(path);
            (name, of_command(plain, program, change))
        };
        let all: Vec<(String, LabelledVariant)> = match (turn, work.program()) {
            (Turn::Variant(change), _) | (Turn::Flows(change), None) => {
                named(of_variant(plain, change))
            }
            (Turn::Model(pairs), None) => named(of_variant(plain, |one| {
                one.model = of_model(pairs, one.model).unwrap_or(one.model);
            })),
            (Turn::Number(change), None) if work.makes_own_flows() => {
                named(of_variant(plain, |one| one.flows = change(one.flows)))
            }
            (Turn::Command(change), Some(program)) => named(of_command(plain, program, change)),
            (Turn::Library(file), Some(program)) => library(file)
                .map(|path| preloaded(program, (self.name.to_owned(), path)))
                .into_iter()
                .collect(),
            (Turn::Allocators, Some(program)) => allocators()
                .map(|(one, path)| preloaded(program, (one.name().to_owned(), path)))
                .collect(),
            (Turn::Allocators, None) if plain.variant.allocator.is_none() => {
                let first = allocators().next();
                first.map_or_else(Vec::new, |(one, _)| {
                    named(of_variant(plain, |changed| changed.allocator = Some(one)))
                })
            }
            (Turn::FewerCpus, Some(program)) => fewer_cpus(cpus)
                .into_iter()
                .map(|(name, choice)| {
                    let change = |one: &mut Program| one.knobs.cpus = Some(choice);
                    (name.to_owned(), of_command(plain, program, change))
                })
                .collect(),
            _ => Vec::new(),
        };
        let changed = all.into_iter().filter(|(_, one)| one != plain);
        changed
            .map(|(label, one)| LabelledVariant { label, ..one })
            .collect()
    }
}

fn of_variant(plain: &LabelledVariant, change: impl FnOnce(&mut Variant)) -> LabelledVariant {
    let mut changed = plain.clone();
    change(&mut changed.variant);
    changed
}

fn of_command(
    plain: &LabelledVariant,
    program: &Program,
    change: impl FnOnce(&mut Program),
) -> LabelledVariant {
    let mut changed = program.clone();
    change(&mut changed);
    match changed == *program {
        true => plain.clone(),
        false => LabelledVariant {
            work: Some(Work::Program(Box::new(changed))),
            ..plain.clone()
        },
    }
}

fn library(file: &str) -> Option<PathBuf> {
    flow::parts::library(&[file])
}

fn allocators() -> impl Iterator<Item = (Allocator, PathBuf)> {
    Allocator::known().filter_map(|one| {
        let library = flow::library::of(&one).ok()??;
        Some((one, library))
    })
}

fn fewer_cpus(cpus: &Cpus) -> Vec<(&'static str, CpuChoice)> {
    let all = u32::try_from(cpus.allowed.len()).unwrap_or(u32::MAX);
    let mut choices = vec![
        ("one CPU", 2, CpuChoice::First(1)),
        ("half of the CPUs", 4, CpuChoice::First(all / 2)),
    ];
    if cpus.cores.len() < cpus.allowed.len() {
        let threads = CpuChoice::These(cpus.cores.clone());
        choices.push(("one hardware thread of each core", 2, threads));
    }
    let fewer = choices.into_iter().filter(|(_, least, _)| all >= *least);
    fewer.map(|(name, _, choice)| (name, choice)).collect()
}

#[cfg(test)]
mod tests;
