//! Programs of the same objects whose layout in memory alone differs: how often is a difference
//! named? Two files are linked of the same objects in another order, lie at paths of other lengths,
//! or run in environments of other sizes. The order of objects makes a real difference; with both
//! orders on each side (`--builds`) it may be named in 5 % and what chance adds.

use std::path::{Path, PathBuf};

use anyhow::Result;
use stats::Verdict;

use crate::home::Home;
use crate::table::{Table, by_chance};
use crate::trials::Trials;
use crate::{Campaign, cc};

const OUTCOMES: [&str; 3] = ["named", "same", "open"];
const ORDER: &str = "order of objects";
const BUILDS: &str = "order of objects, both on each side";
const PATHS: &str = "length of the path";
const ENVIRONMENT: &str = "size of the environment";
const ROWS: [&str; 4] = [ORDER, BUILDS, PATHS, ENVIRONMENT];
/// Objects, each with a hot loop whose place depends on those before it.
const OBJECTS: usize = 6;

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let folder = tempfile::tempdir()?;
    let objects = objects(folder.path())?;
    let attempt = |campaign: &mut Campaign, row: &&str| {
        let words = words(row, campaign, folder.path(), &objects)?;
        outcome(campaign, &words)
    };
    let trials = Trials::run(("layout", &OUTCOMES), campaign, &ROWS, |row| row, attempt)?;
    println!("{}", trials.in_words());
    Ok(table(&trials))
}

fn table(trials: &Trials) -> Table {
    let mut table = Table::default();
    for row in ROWS {
        let allowed = |tried| match row {
            ORDER => tried,
            _ => by_chance(0.05, 2.0, tried) as u64,
        };
        trials.tell(&mut table, row, (Some(row), "named"), allowed);
    }
    table
}

/// Compiled once: their bytes are the same in each file.
fn objects(folder: &Path) -> Result<Vec<PathBuf>> {
    let object = |number: usize| {
        let own = folder.join(format!("object{number}"));
        let (source, object) = (own.with_extension("c"), own.with_extension("o"));
        std::fs::write(&source, text(number))?;
        let options = ["-c", "-fno-align-functions", "-fno-align-loops"];
        cc::compile(&options, [&source], &object)?;
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
        cc::compile(&[], objects, &file)?;
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
    let words = words.iter().map(String::as_str);
    let line: Vec<&str> = ["exec", "--budget", "20s"]
        .into_iter()
        .chain(words)
        .collect();
    let finding = campaign.finding(&Home::new()?, &line)?;
    let finding = finding.as_ref();
    let by_cpu = finding.and_then(|one| one.by_cpu.map(|by_cpu| by_cpu.verdict));
    let outcome = match by_cpu.or(finding.map(|one| one.verdict)) {
        Some(Verdict::Faster { .. } | Verdict::Slower { .. }) => "named",
        Some(Verdict::Same { .. }) => "same",
        _ => "open",
    };
    let said = finding.map_or(String::new(), |finding| finding.sentence.clone());
    Ok((outcome, said))
}
