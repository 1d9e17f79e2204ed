//! Profiles that are compared: of a program and itself, and of one whose function of 7 % of the
//! time was made slower until the whole takes 2 % longer. An identical pair is *named* where any
//! place or branch is called different (one run in twenty may be). A planted one is *right* where
//! the slowed function stands first with a size within a fifth of the true one, *size* with another
//! size, *other* where another place stands first, *none* where none is named.

use anyhow::Result;
use lab::findings::Profiled;

use crate::home::Home;
use crate::table::{Table, by_chance};
use crate::trials::Trials;
use crate::{Campaign, cc};

const OUTCOMES: [&str; 6] = ["none", "named", "right", "size", "other", "refused"];
const IDENTICAL: &str = "identical pairs";
const PLANTED: &str = "2 % in a function of 7 %";

/// Steps of both functions: 0.25 s of an identical pair, 4 s of a planted one.
const SHORT: (u64, u64) = (116_000_000, 9_000_000);
const LONG: (u64, u64) = (1_870_000_000, 140_000_000);
const PLANT: f64 = 0.02;
const SLOWED: &str = "slowed_work";
const WITHIN: f64 = 0.2;

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let folder = tempfile::tempdir()?;
    let built = cc::program(folder.path(), "profiles", include_str!("profiles.c"))?;
    let attempt = |campaign: &mut Campaign, row: &&str| {
        let commands = sides(row).map(|(steady, slowed)| {
            let built = built.display();
            format!("{built} {} {}", steady / 1_000, slowed / 1_000)
        });
        attempt(campaign, row, &commands)
    };
    let (of, rows) = (("profile", &OUTCOMES[..]), [IDENTICAL, PLANTED]);
    let trials = Trials::run(of, campaign, &rows, |row| row, attempt)?;
    println!("{}", trials.in_words());
    Ok(table(&trials))
}

/// What is profiled for its cost: a name, the program, and its arguments.
const COSTS: [(&str, &str, &str); 6] = [
    ("computing", "profiles", "200000 10000"),
    ("page faults", "plants", "faults 100000"),
    ("system calls", "plants", "kernel 1000000"),
    ("switches", "plants", "switches 200000"),
    ("wake-ups", "plants", "wake-ups 100000"),
    ("programs started", "plants", "spawns 300"),
];
const CHEAP: [&str; 3] = ["cheap", "dear", "refused"];
const MOST: f64 = 1.05;

/// What a profiler costs: a command against itself, profiled launches beside timed ones.
pub(crate) fn cost(campaign: &mut Campaign) -> Result<Table> {
    let folder = tempfile::tempdir()?;
    cc::program(folder.path(), "profiles", include_str!("profiles.c"))?;
    cc::program(folder.path(), "plants", include_str!("plants.c"))?;
    let attempt = |campaign: &mut Campaign, (row, program, words): &(&str, &str, &str)| {
        let command = format!("{}/{program} {words}", folder.path().display());
        let how = ["--profile=8", "--rounds", "7"];
        let found = profiled(campaign, &[command.clone(), command], &how)?;
        let found = found.as_ref().map_err(String::as_str);
        let (outcome, said) = match found.map(|found| (found.cost, found)) {
            Ok((Some([one, other]), found)) => {
                let ratio = (one + other) / 2.0;
                let each = found.each;
                let outcome = if ratio <= MOST { "cheap" } else { "dear" };
                let said = format!("{ratio:.3} with one switch in {each}, {} lost", found.lost);
                (outcome, said)
            }
            Ok((None, _)) => ("refused", "no cost".to_owned()),
            Err(why) => ("refused", why.to_owned()),
        };
        println!("{row}: {said}");
        Ok((outcome, said))
    };
    let of = ("profile-cost", &CHEAP[..]);
    let trials = Trials::run(of, campaign, &COSTS, |(row, ..)| row, attempt)?;
    let mut table = Table::default();
    for (row, ..) in COSTS {
        for (outcome, allowed) in [("dear", 0.5), ("refused", 0.0)] {
            // Half of the trials: the typical one is cheap.
            let allowed = |tried| (allowed * tried as f64) as u64;
            let name = format!("{row}: {outcome}");
            trials.tell(&mut table, &name, (Some(row), outcome), allowed);
        }
    }
    Ok(table)
}

fn sides(row: &str) -> [(u64, u64); 2] {
    let (steady, slowed) = LONG;
    let more = (PLANT * (steady + slowed) as f64).round() as u64;
    match row == PLANTED {
        true => [LONG, (steady, slowed + more)],
        false => [SHORT, SHORT],
    }
}

fn attempt(
    campaign: &mut Campaign,
    row: &str,
    commands: &[String; 2],
) -> Result<(&'static str, String)> {
    let found = profiled(campaign, commands, &["--profile", "--rounds", "1"])?;
    Ok(match found {
        Ok(found) => {
            let cost = found.cost.map(|[reference, _]| format!("{reference:.3}"));
            let cost = cost.unwrap_or_default();
            let said = format!("{}; cost {cost}", found.lines().join("; "));
            (outcome(row, &found), said)
        }
        Err(why) => ("refused", why),
    })
}

fn profiled(
    campaign: &mut Campaign,
    commands: &[String; 2],
    how: &[&str],
) -> Result<Result<Profiled, String>> {
    let [one, other] = commands;
    let words = ["exec", one, other, "-n", "before", "-n", "after"];
    let results = campaign.results(&Home::new()?, &[&words, how].concat())?;
    let mut findings = results.studies.iter().flat_map(|study| &study.cases);
    let finding = findings.find_map(|case| case.findings.first());
    let found = finding.and_then(|finding| finding.profiled.as_deref());
    let found = found.ok_or_else(|| "no profile".to_owned());
    Ok(found.and_then(|found| {
        let own = found.value().cloned();
        own.ok_or_else(|| format!("{found:?}"))
    }))
}

fn outcome(row: &str, found: &Profiled) -> &'static str {
    let any = found
        .places
        .iter()
        .chain(&found.tree)
        .any(|one| one.is_named);
    if row == IDENTICAL {
        return if any { "named" } else { "none" };
    }
    let Some(first) = found.named().next() else {
        return "none";
    };
    if first.name != SLOWED {
        return "other";
    }
    let on_cpu = found
        .places
        .iter()
        .filter(|place| !place.name.starts_with("waits"));
    let whole_s: f64 = on_cpu.map(|place| place.seconds[0]).sum();
    let size = first.difference_s() / (PLANT * whole_s);
    match (size - 1.0).abs() <= WITHIN {
        true => "right",
        false => "size",
    }
}

fn table(trials: &Trials) -> Table {
    let mut table = Table::default();
    let falls = [
        (IDENTICAL, "named", 0.05),
        (PLANTED, "size", 0.1),
        (PLANTED, "other", 0.1),
        (PLANTED, "none", 0.1),
    ];
    for (row, outcome, share) in falls {
        let name = format!("{row}: {outcome}");
        let allowed = |tried| by_chance(share, 3.0, tried).ceil() as u64;
        trials.tell(&mut table, &name, (Some(row), outcome), allowed);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(named: &[(&str, f64)]) -> Profiled {
        let place = |(name, difference_s): &(&str, f64)| lab::findings::Frame {
            name: (*name).to_owned(),
            above: 0,
            seconds: [0.07, 0.07 + difference_s],
            interval: None,
            p_value: Some(0.0),
            is_named: *difference_s != 0.0,
            callers: Vec::new(),
        };
        let steady = lab::findings::Frame {
            seconds: [0.93, 0.93],
            ..place(&("steady_work", 0.0))
        };
        Profiled {
            rounds: 16,
            unit: "launch".to_owned(),
            total_s: [1.0, 1.02],
            places: named.iter().map(place).chain([steady]).collect(),
            tree: Vec::new(),
            judged: 2,
            samples: [1_000, 1_020],
            lost: 0,
            each: 1,
            cost: None,
            unseen: Vec::new(),
        }
    }

    #[test]
    fn what_is_found_is_right_or_it_is_not() {
        let of = |named: &[(&str, f64)]| outcome(PLANTED, &found(named));
        assert_eq!(of(&[(SLOWED, 0.021)]), "right");
        assert_eq!(of(&[(SLOWED, 0.03)]), "size");
        assert_eq!(of(&[("waits for a CPU", 0.2), (SLOWED, 0.02)]), "other");
        assert_eq!(of(&[(SLOWED, 0.0)]), "none");
        assert_eq!(outcome(IDENTICAL, &found(&[(SLOWED, 0.0)])), "none");
        assert_eq!(outcome(IDENTICAL, &found(&[(SLOWED, 0.1)])), "named");
    }

    #[test]
    fn a_planted_pair_takes_two_per_cent_longer() {
        let [(a, b), (c, d)] = sides(PLANTED);
        let ratio = (c + d) as f64 / (a + b) as f64;
        assert!((ratio - 1.02).abs() < 1e-6 && a == c, "{ratio}");
        assert!((0.05..=0.1).contains(&(b as f64 / (a + b) as f64)));
    }
}
