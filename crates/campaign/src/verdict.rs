//! Studies of identical variants, and of planted differences, through the real command. Four of six
//! compare a program with itself: faster or slower is false, and 5 % may be. The others have 5 %
//! and 30 % of further steps in one variant; what is not found within its rounds is missed. A
//! verdict in the wrong direction is counted against none. (Under much noise chance gives one in up
//! to 2.5 % of studies: docs/method.md.)

use anyhow::Result;
use stats::Verdict;

use crate::Campaign;
use crate::home::Home;
use crate::table::{Table, by_chance};

/// Steps of a unit: a tenth of a millisecond or two.
const STEPS: u64 = 100_000;
/// Studies of identical variants for each with a planted difference: rare mistakes take many.
const EACH: usize = 4;
const IDENTICAL: &str = "identical variants";
/// Planted differences, in percent of the steps.
const PLANTED: [u64; 2] = [5, 30];

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let mut table = Table::default();
    while campaign.goes_on() {
        for _ in 0..EACH {
            identical(campaign, &mut table)?;
        }
        for percent in PLANTED {
            planted(campaign, &mut table, percent)?;
        }
    }
    table.allow(IDENTICAL, |tried| by_chance(0.05, 2.0, tried) as u64);
    for percent in PLANTED {
        table.allow(&missed(percent), |tried| tried);
    }
    Ok(table)
}

fn identical(campaign: &mut Campaign, table: &mut Table) -> Result<()> {
    let verdict = verdict_of(campaign, 0)?;
    let fell = match verdict {
        Some(Verdict::Faster { .. } | Verdict::Slower { .. }) => Some(format!("{verdict:?}")),
        Some(_) => None,
        None => Some("it has no verdict".to_owned()),
    };
    table.tried(IDENTICAL, fell);
    Ok(())
}

fn missed(percent: u64) -> String {
    format!("planted {percent} %: not found")
}

fn planted(campaign: &mut Campaign, table: &mut Table, percent: u64) -> Result<()> {
    let verdict = verdict_of(campaign, STEPS * percent / 100)?;
    let wrong = matches!(verdict, Some(Verdict::Faster { .. }));
    let direction = format!("planted {percent} %: wrong direction");
    table.tried(&direction, wrong.then(|| format!("{verdict:?}")));
    let found = matches!(verdict, Some(Verdict::Slower { .. }));
    table.tried(
        &missed(percent),
        (!found && !wrong).then(|| format!("{verdict:?}")),
    );
    Ok(())
}

fn verdict_of(campaign: &mut Campaign, planted: u64) -> Result<Option<Verdict>> {
    let home = Home::new()?;
    home.write(
        "study.toml",
        format!(
            "schema = 1\nname = \"pair\"\ntitle = \"Pair\"\nstands_for = \"A known difference.\"\n\
             headline = \"only\"\n[[case]]\nname = \"only\"\ntitle = \"Only\"\n\
             [case.work]\nkind = \"spin\"\nunits = 2\nsteps = {STEPS}\n\
             [[case.variant]]\nlabel = \"one\"\nmodel = \"thread\"\nflows = 1\n\
             [[case.variant]]\nlabel = \"other\"\nmodel = \"thread\"\nflows = 1\n\
             work = {{ planted = {planted} }}\n"
        ),
    )?;
    let finding = campaign.finding(&home, &["run", "study.toml", "--rounds", "20"])?;
    // Seen from the second variant, whichever of the two the finding is about.
    Ok(finding.map(|finding| match finding.verdict {
        Verdict::Faster { at_least } if finding.subject == "one" => Verdict::Slower { at_least },
        Verdict::Slower { at_least } if finding.subject == "one" => Verdict::Faster { at_least },
        verdict => verdict,
    }))
}
