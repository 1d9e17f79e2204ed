//! Programs of the same objects whose layout in memory alone differs: how often is a difference
//! named? Two files are linked of the same objects in another order, lie at paths of other lengths,
//! or run in environments of other sizes. The order of objects makes a real difference; with both
//! orders on each side (`--builds`) it may be named in 5 % and what chance adds.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use lab::Results;
use stats::Verdict;

use crate::Campaign;
use crate::causes::compile;
use crate::home::{Home, program};
use crate::table::Table;
use crate::trials::Trials;

const OUTCOMES: [&str; 3] = ["named", "same", "open"];
const ORDER: &str = "order of objects";
const BUILDS: &str = "order of objects, both on each side";
const PATHS: &str = "length of the path";
const ENVIRONMENT: &str = "size of the environment";
const ROWS: [&str; 4] = [ORDER, BUILDS, PATHS, ENVIRONMENT];
/// Objects, each with a hot loop whose place depends on those before it.
const OBJECTS: usize = 6;

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let mut trials = Trials::resumed("layout", &OUTCOMES, campaign)?;
    let folder = tempfile::tempdir()?;
    let objects = objects(folder.path())?;
    while campaign.goes_on() {
        let Some(row) = trials.next(&ROWS, |row| row, campaign.runs) else {
            break;
        };
        let words = words(row, campaign, folder.path(), &objects)?;
        let (outcome, said) = outcome(campaign, &words)?;
        trials.add(row, outcome, &said)?;
    }
    println!("{}", trials.in_words());
    Ok(table(&trials))
}

fn table(trials: &Trials) -> Table {
    let mut table = Table::default();
    for row in ROWS {
        table.count(row, trials.tried(row), trials.of(Some(row), "named"));
        table.allow(row, |tried| match row {
            ORDER => tried,
            _ => {
                let tried = tried as f64;
                (0.05 * tried + 2.0 * (tried * 0.05 * 0.95).sqrt()).floor() as u64
            }
        });
    }
    table
}

/// Compiled once: their bytes are the same in each file.
fn objects(folder: &Path) -> Result<Vec<PathBuf>> {
    let object = |number: usize| {
        let own = folder.join(format!("object{number}"));
        let (source, object) = (own.with_extension("c"), own.with_extension("o"));
        std::fs::write(&source, text(number))?;
        let mut compiler = Command::new("cc");
        compiler.args([
            "-O1",
            "-w",
            "-c",
            "-fno-align-functions",
            "-fno-align-loops",
            "-o",
        ]);
        let compiled = compiler.arg(&object).arg(&source).status();
        let compiled = compiled.context("cc cannot be started")?;
        ensure!(compiled.success(), "cc: {compiled}");
        Ok(object)
    };
    (0..OBJECTS).map(object).collect()
}

/// The first has `main`; each has code of its own length.
fn text(number: usize) -> String {
    if number == 0 {
        let all: Vec<usize> = (1..OBJECTS).collect();
        let declared = all.iter().map(|one| format!("unsigned f{one}(unsigned);"));
        let called = all.iter().map(|one| format!("x = f{one}(x);"));
        return format!(
            "{}\nvolatile unsigned sink;\nint main(void) {{ unsigned x = 1;\n\
             for (int i = 0; i < 400; i++) {{ {} }}\nsink = x; return 0; }}\n",
            declared.collect::<String>(),
            called.collect::<String>()
        );
    }
    let more = "x ^= x >> 3; ".repeat(number);
    format!(
        "unsigned f{number}(unsigned x) {{ for (unsigned i = 0; i < 2500; i++) {{ \
         if (x & 1) x = x * 1664525u + i; else x = (x >> 1) ^ i; {more}}} return x | 1; }}\n"
    )
}

fn words(
    row: &str,
    campaign: &mut Campaign,
    folder: &Path,
    objects: &[PathBuf],
) -> Result<Vec<String>> {
    let mut other: Vec<PathBuf> = objects.to_vec();
    campaign.shuffle(&mut other);
    let link = |objects: &[PathBuf], name: &str| -> Result<String> {
        let file = folder.join(name);
        let objects: Vec<&Path> = objects.iter().map(PathBuf::as_path).collect();
        compile(&objects, &file)?;
        Ok(file.display().to_string())
    };
    let one = link(objects, "one")?;
    let own = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    Ok(match row {
        ORDER => own(&[&one, &link(&other, "two")?]),
        BUILDS => {
            let both = format!("{one},{}", link(&other, "two")?);
            own(&["{build}", "{build}", "--builds", &both])
        }
        PATHS => {
            let deep = folder.join("d".repeat(1 + campaign.below(200)));
            std::fs::create_dir_all(&deep)?;
            let copy = deep.join("one");
            std::fs::copy(&one, &copy)?;
            own(&[&one, &copy.display().to_string()])
        }
        _ => {
            let padded = format!("env PAD={} {one}", "x".repeat(campaign.below(4_000)));
            own(&[&format!("env PAD= {one}"), &padded])
        }
    })
}

fn outcome(campaign: &mut Campaign, words: &[String]) -> Result<(&'static str, String)> {
    let home = Home::new()?;
    let seed = campaign.below(1 << 30).to_string();
    let how = ["--seed", &seed, "--out", "out", "--budget", "20s"];
    let line = ["exec"].into_iter().chain(words.iter().map(String::as_str));
    let line: Vec<&str> = line.chain(how).collect();
    let run = home.command(&program()?, &line).output()?;
    let results = Results::from_journal(&home.path("out/journal.jsonl"))
        .with_context(|| String::from_utf8_lossy(&run.stderr).into_owned())?;
    let finding = results.studies.first().and_then(|study| study.headline());
    let by_cpu = finding.and_then(|one| one.by_cpu.map(|by_cpu| by_cpu.verdict));
    let outcome = match by_cpu.or(finding.map(|one| one.verdict)) {
        Some(Verdict::Faster { .. } | Verdict::Slower { .. }) => "named",
        Some(Verdict::Same { .. }) => "same",
        _ => "open",
    };
    let said = finding.map_or(String::new(), |finding| finding.sentence.clone());
    Ok((outcome, said))
}
