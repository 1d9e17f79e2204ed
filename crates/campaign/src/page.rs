use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

const BEGIN: &str = "<!-- figures -->\n";
const END: &str = "<!-- end of figures -->";

pub(crate) fn write(figures: &Path, page: &Path) -> Result<()> {
    let lines = fs::read_to_string(figures)?;
    let runs: Vec<Value> = lines
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let text = fs::read_to_string(page)?;
    fs::write(page, with_tables(&text, &runs)?)?;
    Ok(())
}

fn with_tables(text: &str, runs: &[Value]) -> Result<String> {
    let (before, rest) = text.split_once(BEGIN).context("the page has no mark")?;
    let (_, after) = rest
        .split_once(END)
        .context("the page has no second mark")?;
    Ok(format!("{before}{BEGIN}{}\n{END}{after}", tables(runs)))
}

fn tables(runs: &[Value]) -> String {
    let mut text = "| command | build | tried | fell |\n|---|---|---:|---:|\n".to_owned();
    let mut rows: Vec<(String, u64, u64)> = Vec::new();
    for run in runs {
        let what = run["campaign"].as_str().unwrap_or_default();
        let (mut tried, mut fell) = (0, 0);
        for row in run["rows"].as_array().into_iter().flatten() {
            let name = format!("{what}: {}", row["tried"].as_str().unwrap_or_default());
            let [times, fallen] = ["times", "fell"].map(|key| row[key].as_u64().unwrap_or(0));
            tried += times;
            fell += fallen;
            match rows.iter_mut().find(|(known, ..)| *known == name) {
                Some((_, all, all_fell)) => {
                    *all += times;
                    *all_fell += fallen;
                }
                None => rows.push((name, times, fallen)),
            }
        }
        let (minutes, seed) = (&run["minutes"], &run["seed"]);
        let build = run["build"].as_str().unwrap_or("debug");
        text += &format!(
            "| `{what} --minutes {minutes} --seed {seed}` | {build} | {tried} | {fell} |\n"
        );
    }
    text + &by_name(&rows)
}

/// What fell, a row each; what held, a line for each campaign.
fn by_name(rows: &[(String, u64, u64)]) -> String {
    let mut text = "\n| tried | times | fell |\n|---|---:|---:|\n".to_owned();
    let mut held: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, times, fell) in rows {
        if *fell > 0 {
            text += &format!("| {name} | {times} | {fell} |\n");
            continue;
        }
        let (what, tried) = name.split_once(": ").unwrap_or(("", name));
        let tried = match times {
            1 => tried.to_owned(),
            _ => format!("{tried} {times}"),
        };
        match held.iter_mut().find(|(known, _)| *known == what) {
            Some((_, all)) => all.push(tried),
            None => held.push((what, vec![tried])),
        }
    }
    if !held.is_empty() {
        text += "\nNothing fell of these (a number: how often, if not once):\n\n";
    }
    for (what, all) in held {
        text += &format!("- {what}: {}\n", all.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_take_the_place_of_those_before() {
        let run = |seed: u64| {
            serde_json::json!({"campaign": "kill", "minutes": 1.5, "seed": seed, "build": "debug",
                               "rows": [{"tried": "KillMain", "times": 4, "fell": 1},
                                        {"tried": "Hangup", "times": 3, "fell": 0}]})
        };
        let page = format!("a\n{BEGIN}old\n{END}\nb\n");
        let text = with_tables(&page, &[run(1), run(2)]).expect("two marks");
        assert!(text.starts_with("a\n<!-- figures -->\n| command |"));
        assert!(text.contains("| `kill --minutes 1.5 --seed 2` | debug | 7 | 1 |\n"));
        assert!(text.contains("| kill: KillMain | 8 | 2 |\n"));
        assert!(text.contains("\n- kill: Hangup 6\n"));
        assert!(!text.contains("old") && text.ends_with("<!-- end of figures -->\nb\n"));
        assert_eq!(with_tables(&text, &[run(1), run(2)]).expect("again"), text);
        assert!(with_tables("no mark", &[]).is_err());
    }
}
