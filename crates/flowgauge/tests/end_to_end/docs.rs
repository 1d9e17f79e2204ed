//! Every command in the README and in docs/ is run, with settings that keep it short.
//!
//! # Theory
//!
//! The ```sh blocks are read line by line. What would take minutes gets flags that make it
//! small, directly behind its subcommand where it does not have them itself; a bound on time
//! that it has is made a short one. What it needs (a study file, results of other runs) is
//! there under the names that the docs use. Then the shell runs the line as it stands, so that
//! quotes, pipes and redirections are tried too.

use std::fs;
use std::path::{Path, PathBuf};

use super::common::{Home, Run};

/// Folders of results that the docs speak of.
const FOLDERS: [&str; 9] = [
    "before", "after", "main", "branch", "laptop", "server", "board", "results", "again",
];
/// A cut run that can be taken up.
const CUT: &str = "DIR";

/// The time that a run may take, at least one round aside.
const BUDGET: (&str, &str) = ("--budget", "1s");

/// Flags that keep a command short.
fn short(subcommand: &str) -> &'static [(&'static str, &'static str)] {
    match subcommand {
        "run" => &[BUDGET, ("--rounds", "1")],
        "primes" => &[("--block", "1000"), ("--rounds", "1"), BUDGET],
        "switch" => &[("--flows", "2..20"), ("--rounds", "1"), BUDGET],
        "limits" => &[("--rounds", "1"), BUDGET],
        "workers" => &[("--loops", "10"), ("--rounds", "1"), BUDGET],
        "wiki" => &[
            ("--requests", "40"),
            ("--pages", "3"),
            ("--rounds", "1"),
            BUDGET,
        ],
        "scaling" => &[("--preset", "quick"), ("--rounds", "1"), BUDGET],
        "calibrate" => &[("--rounds", "1"), BUDGET],
        "search --study" => &[("--rounds", "1"), BUDGET],
        _ => &[],
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().flatten();
    let docs = docs.map(|entry| entry.path());
    let mut pages: Vec<_> = docs
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// The lines of the ```sh blocks that call flowgauge, with the page they stand on.
fn lines() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        for block in text.split("```sh\n").skip(1) {
            let block = block.split("```").next().unwrap();
            let block = block
                .replace("\\\n", " ")
                .replace("cargo run --release -- ", "flowgauge ");
            let own = block.lines().map(str::trim);
            let own = own.filter(|line| line.starts_with("flowgauge "));
            lines.extend(own.map(|line| (name.clone(), line.to_owned())));
        }
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
    if has("--resume") {
        return line.to_owned();
    }
    let added: String = short(subcommand)
        .iter()
        .filter(|(flag, _)| !has(flag))
        .map(|(flag, value)| format!(" {flag} {value}"))
        .collect();
    in_little_time(line).replacen(
        &format!("flowgauge {subcommand}"),
        &format!("flowgauge {subcommand}{added}"),
        1,
    )
}

/// The line with a short bound on time in place of its own.
fn in_little_time(line: &str) -> String {
    let (flag, short) = BUDGET;
    let Some((before, behind)) = line.split_once(&format!("{flag} ")) else {
        return line.to_owned();
    };
    let own = behind.split(' ').next().unwrap_or_default();
    format!("{before}{flag} {short}{}", &behind[own.len()..])
}

/// A home with everything that the docs speak of.
fn home() -> Home {
    let home = Home::new();
    let study = fs::read_to_string(root().join("docs/writing-a-study.md")).unwrap();
    let study = study
        .split("```toml\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    home.write("my-study.toml", study);
    for folder in ["src", "drivers"] {
        fs::create_dir(home.path(folder)).unwrap();
    }
    home.write("src/one.c", "struct one;\n");
    let line = "run my-study.toml --rounds 8 --out before";
    home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    let journal = fs::read_to_string(home.path("before/journal.jsonl")).unwrap();
    for folder in FOLDERS.iter().skip(1).chain([&CUT]) {
        fs::create_dir(home.path(folder)).unwrap();
    }
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
    let program = Path::new(env!("CARGO_BIN_EXE_flowgauge"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut shell = home.program("bash", &["-c", line]);
    Run::from(shell.env("PATH", path).output().unwrap())
}

#[test]
fn every_command_in_the_docs_runs() {
    let lines = lines();
    assert!(lines.len() > 30, "{}", lines.len());
    let home = home();
    let mut tried: Vec<String> = Vec::new();
    for (page, line) in &lines {
        let short = shortened(line);
        let bare = short
            .split(" #")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned();
        if tried.contains(&bare) {
            continue;
        }
        tried.push(bare);
        cut(&home);
        let run = run(&home, &short);
        // An expectation may fail with settings that are not those of the docs.
        let checks = line.contains("--expect") || line.contains("--fail-on-regression");
        // And a search may find nothing here.
        let search = line.starts_with("flowgauge search ") && run.code == Some(1);
        let fine = matches!((run.code, checks), (Some(0 | 3), _) | (Some(1), true)) || search;
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

#[test]
fn every_page_is_in_the_contents_and_every_link_leads_somewhere() {
    let contents = fs::read_to_string(root().join("docs/README.md")).unwrap();
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            name == "README.md" || contents.contains(&format!("({name})")),
            "{name}"
        );
        let text = fs::read_to_string(&page).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = link.split('#').next().unwrap();
            if !file.is_empty() && !file.contains(':') {
                assert!(page.parent().unwrap().join(file).exists(), "{name}: {link}");
            }
        }
    }
}
