//! Every command in the README and in docs/ is run, with settings that keep it short.
//!
//! # Theory
//!
//! The ```sh blocks of all pages are read line by line, and the table of the README; a command
//! that stands anywhere else as a line of its own is an error, so that none is forgotten. What
//! would take minutes gets flags that make it small, directly behind its subcommand where it
//! does not have them itself; a value that it has and that makes it long is made a small one.
//! Examples of other crates are run with small arguments where they take some. What a command needs (a study file, results of other runs) is
//! there under the names that the docs use. Then the shell runs the line as it stands, so that
//! quotes, pipes and redirections are tried too.

use std::fs;
use std::path::{Path, PathBuf};

use super::common::{Arguments, Home, Run};

/// Folders of results that the docs speak of.
const FOLDERS: [&str; 9] = [
    "before", "after", "main", "branch", "laptop", "server", "board", "results", "again",
];
/// A cut run that can be taken up.
const CUT: &str = "DIR";

/// What not every machine has, or takes long and has tests of its own, as do `hybrid`, which needs an MPI, profiles and
/// the probe of the machine. Of such lines the flags are read.
const READ: [&str; 7] = [
    "flowgauge hybrid",
    "--profile=8",
    "flowgauge machine --probe",
    "sqlite3",
    "python3 rows.py",
    "redis-server",
    "/postgres",
];

/// The time that a run may take, at least one round aside.
const BUDGET: (&str, &str) = ("--budget", "100ms");

/// Flags whose values decide how long a command takes, with small ones.
const SMALL: [(&str, &str); 5] = [
    BUDGET,
    ("--heap", "1M"),
    ("--ballast", "16M"),
    ("--sample", "10ms"),
    ("-b", "1000"),
];

/// Examples of other crates with arguments that keep them short; those that need other programs
/// or much time are there, and are not run.
const EXAMPLES: [(&str, Option<&str>); 9] = [
    ("warehouse", Some("1M 500 1")),
    ("wiki", Some("1K 20 1")),
    ("numeric", Some("1")),
    ("warehouse_allocations", None),
    ("primes_vs_primesieve", None),
    ("search_vs_others", None),
    ("count_traces", None),
    ("made_fleet", None),
    ("primes", None),
];

/// Flags that keep a command short.
fn short(subcommand: &str) -> String {
    let own = match subcommand {
        "run" | "decide" | "exec" | "limits" | "sharing" | "calibrate" | "body"
        | "search --study" => "",
        "primes" => "--block 1000",
        "switch" => "--flows 2..20",
        "workers" => "--loops 10",
        "wiki" => "--requests 40 --pages 3",
        "migrate" => "--case same-cpu,pipelined --moves 1000",
        "balance" => "--amount 20000",
        "creating" | "scaling" | "allocators" => "--preset quick",
        _ => return String::new(),
    };
    let (flag, budget) = BUDGET;
    format!("{own} --rounds 1 {flag} {budget}")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every page of the book, those in its folders too, and the README.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    add_pages(&root().join("docs"), &mut pages);
    pages.sort();
    pages
}

fn add_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            pages.push(path);
        }
    }
}

/// A page by its place in docs/, or in the root.
fn name(page: &Path) -> String {
    let root = root();
    let own = page
        .strip_prefix(root.join("docs"))
        .or(page.strip_prefix(&root));
    own.unwrap().display().to_string()
}

/// What stands in the ```sh blocks of a page, line by line.
fn shell_lines(text: &str) -> Vec<String> {
    let blocks = text.split("```sh\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    let whole = blocks.map(|block| block.replace("\\\n", " "));
    let lines = whole.flat_map(|block| {
        let lines = block.lines().map(|line| line.trim().to_owned());
        lines.collect::<Vec<_>>()
    });
    lines.collect()
}

/// The commands in the rows of a table.
fn in_tables(text: &str) -> Vec<String> {
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let spans = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let own = spans.filter(|span| span.starts_with("flowgauge "));
    own.map(str::to_owned).collect()
}

/// The lines that call flowgauge, with the page they stand on.
fn lines() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut own = shell_lines(&text);
        if page == root().join("README.md") {
            own.extend(in_tables(&text));
        }
        let own = own.iter();
        let own = own.map(|line| line.replace("cargo run --release -- ", "flowgauge "));
        let own = own.filter(|line| line.starts_with("flowgauge "));
        lines.extend(own.map(|line| (name(&page), line)));
    }
    lines
}

/// The line with flags that keep it short.
fn shortened(line: &str) -> String {
    let mut words = line.split_whitespace();
    let subcommand = match words.nth(1).unwrap_or_default() {
        "search" if words.next() == Some("--study") => "search --study",
        other => other,
    };
    let has = |flag: &str| {
        let letter = match flag {
            "--block" => "-b",
            other => other,
        };
        line.split([' ', '='])
            .any(|word| word == flag || word == letter)
    };
    let short = match has("--resume") {
        true => format!("{} {}", BUDGET.0, BUDGET.1),
        false => short(subcommand),
    };
    let words = short.words();
    let added = words.chunks(2).filter(|flag| !has(flag[0]));
    let added: String = added.map(|flag| format!(" {}", flag.join(" "))).collect();
    in_little_time(line).replacen(
        &format!("flowgauge {subcommand}"),
        &format!("flowgauge {subcommand}{added}"),
        1,
    )
}

/// The line with small values in place of its own.
fn in_little_time(line: &str) -> String {
    SMALL.iter().fold(line.to_owned(), |line, (flag, small)| {
        let Some((before, behind)) = line.split_once(&format!(" {flag} ")) else {
            return line;
        };
        let own = behind.split(' ').next().unwrap_or_default();
        format!("{before} {flag} {small}{}", &behind[own.len()..])
    })
}

/// A home with everything that the docs speak of.
fn home() -> Home {
    let home = Home::new();
    let study = fs::read_to_string(root().join("docs/writing-a-study.md")).unwrap();
    let study = study.split("```toml\n").nth(1).unwrap();
    let study = study.split("```").next().unwrap();
    home.write("my-study.toml", study);
    fs::create_dir(home.path("drivers")).unwrap();
    home.write("src/one.c", "struct one;\n");
    super::bodies::of_the_docs(&home);
    home.write("hosts", "node1\nme@node2\n");
    let line = "run my-study.toml --rounds 8 --out before";
    home.run(line).answered();
    let journal = fs::read_to_string(home.path("before/journal.jsonl")).unwrap();
    for folder in &FOLDERS[1..] {
        home.write(&format!("{folder}/journal.jsonl"), &journal);
    }
    home
}

/// Cuts the run that the docs take up, as it was before any of them did.
fn cut(home: &Home) {
    let journal = fs::read_to_string(home.path("before/journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().take(6).collect();
    home.write(&format!("{CUT}/journal.jsonl"), &(lines.join("\n") + "\n"));
}

/// Runs a line by the shell, with the command on its path.
fn run(home: &Home, line: &str) -> Run {
    Run::of(home.script("bash", &["-c", line]))
}

#[test]
fn every_command_in_the_docs_runs() {
    let lines = lines();
    assert!(lines.len() > 60, "{}", lines.len());
    let pages = "README.md why.md watching.md workers.md workloads/wiki.md";
    for page in pages.split(' ') {
        assert!(lines.iter().any(|(of, _)| of == page), "none of {page}");
    }
    let home = home();
    let mut tried: Vec<String> = Vec::new();
    for (page, line) in &lines {
        let needs_others = READ.iter().any(|other| line.contains(other));
        let short = match needs_others {
            true => format!("{} --help", line.split(" #").next().unwrap_or_default()),
            false => shortened(line),
        };
        let bare = short.split(" #").next().unwrap_or_default();
        let bare = bare.trim().to_owned();
        if tried.contains(&bare) {
            continue;
        }
        tried.push(bare);
        if (line.contains("--simulate") || line.contains("flowgauge simulate "))
            && !super::simulated::is_there()
        {
            skipped::skipped(format!("qemu-user is not installed: {line}"));
            continue;
        }
        let policy = flow::MemoryPolicy::Local.check();
        if let (true, Err(why)) = (line.contains("--memory-policy"), policy) {
            skipped::skipped(format!("{why}: {line}"));
            continue;
        }
        cut(&home);
        let run = run(&home, &short);
        // An expectation may fail with settings that are not those of the docs.
        let checks = line.contains("--expect") || line.contains("--fail-on-regression");
        // And a search may find nothing here.
        let search = line.starts_with("flowgauge search ") && run.code == Some(1);
        // On a busy machine the budget of a test may end before the first launch.
        let cut = run.code == Some(2) && run.stdout.contains("allow more (--budget)");
        let fine =
            matches!((run.code, checks), (Some(0), _) | (Some(1 | 3), true)) || search || cut;
        assert!(
            fine,
            "{page}: {line}\n({short}) ended with {:?}: {}",
            run.code, run.stderr
        );
        for made in ["page", "plots", "primes.csv", "checked"] {
            let made = home.path(made);
            let _not_made_is_fine = fs::remove_dir_all(&made).or_else(|_| fs::remove_file(&made));
        }
    }
    home.assert_nothing_left();
}

/// Else it would not be run.
#[test]
fn every_command_of_the_docs_stands_in_a_shell_block() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        // What stands between fences is a shell block, or what a command printed.
        let outside = text.split("```").step_by(2).flat_map(str::lines);
        for line in outside.filter(|line| line.starts_with([' ', '\t'])) {
            let line = line.trim_start().trim_start_matches("$ ");
            let commands = ["flowgauge ", "cargo run "];
            let is_command = commands.iter().any(|word| line.starts_with(word));
            assert!(!is_command, "{}: {line}", name(&page));
        }
    }
}

#[test]
fn every_example_in_the_docs_is_there_and_runs() {
    let pages = pages().into_iter().chain([root().join("CONTRIBUTING.md")]);
    let texts: Vec<String> = pages
        .map(|page| fs::read_to_string(page).unwrap())
        .collect();
    let mut told = 0;
    let lines = texts.iter().flat_map(|text| text.lines());
    for line in lines.filter(|line| line.contains("cargo run ") && line.contains("--example ")) {
        let behind = |flag: &str| {
            let rest = line.split(&format!("{flag} ")).nth(1);
            rest.and_then(|rest| rest.split(' ').next()).unwrap()
        };
        let (package, example) = (behind("-p"), behind("--example"));
        let folder = package.strip_prefix("flowgauge-").unwrap();
        let file = root().join(format!("crates/{folder}/examples/{example}.rs"));
        assert!(file.exists(), "{line}: no {}", file.display());
        let known = EXAMPLES.iter().find(|(name, _)| *name == example);
        let (_, small) = known.unwrap_or_else(|| panic!("{line}: how is {example} kept short?"));
        if let Some(small) = small {
            run_example(example, small);
        }
        told += 1;
    }
    assert!(told >= EXAMPLES.len(), "{told}");
}

fn run_example(example: &str, arguments: &str) {
    let program = format!("examples/{example}");
    let said = built_and_run(&["--example", example], &program, arguments);
    assert!(!said.is_empty(), "{example} says nothing");
}

/// Builds a program as tests of the whole workspace do, so that it is there already where they are run,
/// and runs it. One package alone would have other features, and much would be built again.
fn built_and_run(what: &[&str], program: &str, arguments: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_flowgauge")).parent().unwrap();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut build = std::process::Command::new(cargo);
    build
        .current_dir(root())
        .args(["build", "--workspace", "--quiet", "--offline"])
        .args(["--profile", profile])
        .args(what);
    finished(&mut build);
    // A shell has what runs in its background ignore signals, and a campaign refuses that.
    let mut command = std::process::Command::new("env");
    command.arg("--default-signal").arg(folder.join(program));
    finished(command.current_dir(root()).args(arguments.split(' ')))
}

/// What a command says that does its job. A campaign in which something fell ends with 1, and now
/// and then a verdict is wrong, as its level says.
fn finished(command: &mut std::process::Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let found = said.is_empty() && output.status.code() == Some(1) && !output.stdout.is_empty();
    assert!(output.status.success() || found, "{command:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// One round of attacks of each. Faults have no short form: each is a run of its own.
#[test]
fn every_campaign_in_the_docs_runs() {
    let page = fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    let lines = shell_lines(&page);
    let behind = "cargo run --release -p flowgauge-campaign -- ";
    let attacks: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.strip_prefix(behind)?.split(' ').next())
        .collect();
    let known = "kill fuzz misuse faults verdict causes layout profile profile-cost predict";
    assert_eq!(attacks.join(" "), known);
    // One trial of these takes half a minute and more: `.ci/full` has them.
    let long = ["faults", "profile", "profile-cost", "predict"];
    for attack in attacks.into_iter().filter(|attack| !long.contains(attack)) {
        let what = ["--bin", "campaign", "--examples"];
        let arguments = format!("{attack} --minutes 0.001");
        let table = built_and_run(&what, "campaign", &arguments);
        assert!(table.lines().count() > 2, "{attack}: {table}");
    }
}

#[test]
fn every_test_that_reliability_names_is_there() {
    let page = fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    let table = page.split("| what fell | test |\n|---|---|\n").nth(1);
    let table = table.unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let mut named = 0;
    for place in rows.flat_map(|row| row.split(['|', ';']).skip(2)) {
        let words: Vec<&str> = place.split('`').skip(1).step_by(2).collect();
        let Some((file, tests)) = words.split_first() else {
            continue;
        };
        let text = fs::read_to_string(root().join("crates").join(file)).unwrap();
        for test in tests {
            assert!(text.contains(&format!("fn {test}()")), "{file}: {test}");
            named += 1;
        }
    }
    assert!(named > 30, "{named}");
}

#[test]
fn every_page_is_in_the_contents_and_every_link_leads_somewhere() {
    let contents = fs::read_to_string(root().join("docs/README.md")).unwrap();
    for page in pages() {
        let name = name(&page);
        let is_listed = contents.contains(&format!("({name})"));
        assert!(name == "README.md" || is_listed, "{name}");
        let text = fs::read_to_string(&page).unwrap();
        let links = text.split("](").skip(1);
        for link in links.filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if !file.is_empty() && !file.contains(':') {
                assert!(page.parent().unwrap().join(file).exists(), "{name}: {link}");
            }
        }
    }
}
