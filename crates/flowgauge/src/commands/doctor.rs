//! `flowgauge doctor`: what is optional, whether it is here, what it would add, and the command that gets it.

use std::collections::BTreeMap;

use ::machine::Machine;
use anyhow::Result;
use flow::Allocator;
use flow::parts::PARTS;
use flow::quota::Quota;
use measure::Measured;

use crate::args::DoctorArgs;
use crate::ending::Ending;
use crate::files::works;
use crate::output;

#[derive(Debug)]
struct Row {
    name: String,
    adds: String,
    missing: Option<(String, String)>,
}

pub(crate) fn run(_args: &DoctorArgs, here: &Machine) -> Result<Ending> {
    let rows = rows(here)?;
    let width = output::style().width;
    let mut text = String::new();
    for row in &rows {
        row.write(&mut text, width);
    }
    let missing = rows.iter().filter(|row| row.missing.is_some()).count();
    text += &match missing {
        0 => format!("\nAll {} parts are here.\n", rows.len()),
        _ => format!(
            "\n{} of {} parts are here; flowgauge works without the others. Packages have the names of Debian and \
             Ubuntu.\n",
            rows.len() - missing,
            rows.len()
        ),
    };
    output::print(&text)?;
    Ok(Ending::Answered)
}

impl Row {
    fn write(&self, text: &mut String, width: usize) {
        let mark = if self.missing.is_none() { "here" } else { "-" };
        let head = format!("{mark:<5}{:<22} ", self.name);
        let mut lines = vec![self.adds.clone()];
        if let Some((why, get)) = &self.missing {
            lines.extend((!why.is_empty()).then(|| why.clone()));
            lines.extend((!get.is_empty()).then(|| format!("to get it: {get}")));
        }
        let column = head.chars().count();
        let room = width.saturating_sub(column).max(20);
        let lines = lines.iter().map(|line| report::text::broken(line, room));
        let body: Vec<String> = lines
            .flat_map(|part| part.lines().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        for (place, line) in body.iter().enumerate() {
            let before = if place == 0 {
                head.clone()
            } else {
                " ".repeat(column)
            };
            *text += &format!("{before}{}\n", report::text::visible(line.trim()));
        }
    }
}

fn rows(here: &Machine) -> Result<Vec<Row>> {
    let installed = Allocator::parts().chain(PARTS).map(|part| {
        let is_missing = part.here().is_none();
        let get = (String::new(), part.get.to_owned());
        row(part.name, part.adds, is_missing.then_some(get))
    });
    let rows = own().into_iter().chain(events(here)).chain(installed);
    Ok(rows.chain(decisions()?).collect())
}

fn row(name: &str, adds: &str, missing: Option<(String, String)>) -> Row {
    Row {
        name: name.to_owned(),
        adds: adds.to_owned(),
        missing,
    }
}

/// What flowgauge carries itself, and what the kernel gives.
fn own() -> [Row; 3] {
    let slots = || flow::library::slot_program();
    let rows = [
        (
            "system's C library",
            "allocators, body and hybrid: what is to be loaded",
            slots().map(drop),
        ),
        (
            "core-aware allocator",
            "malloc, and --allocator core-aware",
            slots()
                .and_then(|_| flow::library::own_allocator())
                .map(drop),
        ),
        (
            "CPU quotas",
            "work under a quota, as in a container: --quota",
            Quota::Cpus(500).check(),
        ),
    ];
    rows.map(|(name, adds, found)| row(name, adds, found.err().map(|why| (why, String::new()))))
}

/// One row for the events of the processor and one for those of the kernel, by the first that is missing.
fn events(here: &Machine) -> [Row; 2] {
    let kinds = [
        (
            true,
            "processor's events",
            "cycles and cache misses as causes: --events, --profile",
        ),
        (
            false,
            "kernel's events",
            "switches, faults and waits as causes: --events, --profile",
        ),
    ];
    kinds.map(|(is_hardware, name, adds)| {
        let all = here.counters.events.iter();
        let missing = all
            .filter(|one| one.event.is_hardware() == is_hardware)
            .find_map(|one| match &one.scope {
                Measured::NotAvailable { reason, remedy } => {
                    Some((reason.to_string(), remedy.to_string()))
                }
                Measured::Value(_) => None,
            });
        row(name, adds, missing)
    })
}

/// What decisions need and is not here: a row for each installer, with the one command that gets all of it.
fn decisions() -> Result<Vec<Row>> {
    let mut needs: BTreeMap<String, (String, Vec<&str>)> = BTreeMap::new();
    for decision in lab::decision_names() {
        let study = lab::decision(decision)?;
        let programs = works([&study]).filter_map(|work| work.program());
        for (name, get) in programs.flat_map(|program| &program.needs) {
            let (_, of) = needs
                .entry(name.clone())
                .or_insert_with(|| (get.clone(), Vec::new()));
            add(of, decision);
        }
    }
    needs.retain(|name, _| !program::is_here(name));
    let mut ways: BTreeMap<&str, Missing<'_>> = BTreeMap::new();
    for (need, (get, of)) in &needs {
        let (installer, packages) = parted(get);
        let missing = ways.entry(installer).or_default();
        add(&mut missing.programs, program_of(need));
        packages.for_each(|package| add(&mut missing.packages, package));
        of.iter()
            .for_each(|decision| add(&mut missing.decisions, *decision));
    }
    Ok(ways.into_iter().map(Missing::row).collect())
}

/// What one installer brings to decisions.
#[derive(Default)]
struct Missing<'a> {
    programs: Vec<&'a str>,
    packages: Vec<&'a str>,
    decisions: Vec<&'a str>,
}

impl Missing<'_> {
    fn row((installer, missing): (&str, Self)) -> Row {
        let decide = format!("decide {}", missing.decisions.join(", "));
        let programs = missing.programs.join(", ");
        let (name, adds) = match missing.programs[..] {
            [program] => (program.to_owned(), decide),
            _ => (
                format!("{} programs", missing.programs.len()),
                format!("{decide}: {programs}"),
            ),
        };
        let get = [&[installer], &missing.packages[..]].concat().join(" ");
        row(&name, &adds, Some((String::new(), get)))
    }
}

/// An installer's command, and the packages behind it; of other advice all is the command.
fn parted(get: &str) -> (&str, impl Iterator<Item = &str>) {
    let installer = ["apt-get install", "pipx install", "pyenv install"]
        .into_iter()
        .find(|installer| get.starts_with(installer) && !get.contains([',', ';', '&']));
    let at = installer.map_or(get.len(), str::len);
    (&get[..at], get[at..].split_whitespace())
}

fn add<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

/// The program that a need looks for: its first word without settings, or the file that is listed.
fn program_of(need: &str) -> &str {
    let mut words = need
        .split(' ')
        .filter(|word| !word.contains(['=', '$', '*']));
    match words.next().unwrap_or_default() {
        "ls" => {
            let file = need.split(' ').nth(1).unwrap_or_default();
            file.rsplit('/').next().unwrap_or_default()
        }
        program => program,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_is_named_by_its_program() {
        for (need, name) in [
            ("go", "go"),
            ("PATH=$PATH:/usr/sbin nginx -v", "nginx"),
            ("python3.14 -c 'import multiprocessing'", "python3.14"),
            ("ls /usr/lib/*/libjemalloc.so.2", "libjemalloc.so.2"),
            (
                "ls /usr/sbin/php-fpm* && PATH=/usr/sbin nginx -v",
                "php-fpm*",
            ),
        ] {
            assert_eq!(program_of(need), name);
        }
    }

    #[test]
    fn one_command_gets_what_an_installer_has() {
        let of = |get| {
            let (installer, packages) = parted(get);
            (installer, packages.collect::<Vec<_>>())
        };
        assert_eq!(
            of("apt-get install php-fpm nginx-light"),
            ("apt-get install", vec!["php-fpm", "nginx-light"])
        );
        let advice = "Java 21 or later: apt-get install openjdk-21-jdk-headless";
        assert_eq!(of(advice), (advice, vec![]));
        let row = Missing::row((
            "apt-get install",
            Missing {
                programs: vec!["nginx", "ruby"],
                packages: vec!["nginx-light", "ruby"],
                decisions: vec!["web", "ruby"],
            },
        ));
        assert_eq!(row.name, "2 programs");
        assert_eq!(row.adds, "decide web, ruby: nginx, ruby");
        let (_, get) = row.missing.unwrap();
        assert_eq!(get, "apt-get install nginx-light ruby");
    }

    #[test]
    fn a_row_says_what_is_added_and_how_to_get_it_within_the_width() {
        let get = (String::new(), "apt-get install libjemalloc2".to_owned());
        let row = row("jemalloc", "--allocator jemalloc", Some(get));
        let mut text = String::new();
        row.write(&mut text, 50);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "-    jemalloc               --allocator jemalloc");
        assert!(text.replace('\n', " ").contains("to get it:"), "{text}");
        assert!(
            lines.len() > 1 && lines.iter().all(|line| line.len() <= 50),
            "{text}"
        );
    }

    #[test]
    fn every_part_of_the_table_is_listed() {
        let rows = rows(&Machine::read()).unwrap();
        for part in Allocator::parts().chain(PARTS) {
            assert!(
                rows.iter().any(|row| row.name == part.name),
                "{}",
                part.name
            );
        }
    }
}
