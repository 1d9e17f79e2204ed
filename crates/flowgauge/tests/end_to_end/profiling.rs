//! `--profile`: where the difference of two variants is, and what becomes of it without rights or names.

use std::fs;

use lab::findings::Profiled;
use measure::Measured;

use super::common::{Home, Run, says};

/// Runs with few timed rounds, the fewest profiled ones, and nothing left behind.
fn profiled(home: &Home, arguments: &str) -> Run {
    let line = format!("{arguments} --profile=8 --rounds 1 --out out");
    let run = home.run(&line).answered();
    home.assert_nothing_left();
    run
}

/// What the first comparison says; `None` where the machine forbids events, which is said then.
fn found(home: &Home, run: &Run) -> Option<Profiled> {
    let finding = home.case().findings.swap_remove(0);
    match *finding.profiled.unwrap() {
        Measured::Value(found) => Some(found),
        Measured::NotAvailable { reason, .. } => {
            says(&run.stdout, &["where: not known"]);
            skipped::skipped(&reason);
            None
        }
    }
}

#[test]
fn a_longer_sleep_is_found_as_a_wait_and_has_its_size() {
    let home = Home::new();
    let run = profiled(&home, r#"exec "sleep 0.02" "sleep 0.06""#);
    let Some(found) = found(&home, &run) else {
        return;
    };
    let first = found.named().next().expect("a difference is named");
    assert_eq!(first.name, "waits in sleep", "{:?}", found.places);
    let difference_s = first.difference_s();
    assert!((0.02..0.08).contains(&difference_s), "{difference_s}");
    says(&run.stdout, &["where: "]);
}

/// Timed slots have no profiler, and a report from the journal says the same again.
#[test]
fn profiled_slots_are_no_data_points_and_the_journal_says_it_again() {
    let home = Home::new();
    let run = profiled(&home, "primes -p 2 -t 2 -b 100000");
    let case = home.case();
    assert!(case.slots.len() <= 2, "{} slots", case.slots.len());
    let journal = fs::read_to_string(home.path("out/journal.jsonl")).unwrap();
    let lines = |kind: &str| {
        let line = format!("{{\"line\":\"{kind}\"");
        journal.lines().filter(|one| one.starts_with(&line)).count()
    };
    assert!(lines("profiled") >= 2 && lines("slot") == case.slots.len());
    let Some(found) = found(&home, &run) else {
        return;
    };
    assert_eq!((lines("profiled"), found.rounds), (16, 8));
    let [processes, threads] = found.total_s;
    assert!(processes > 0.0 && threads > 0.0);
    let sum = |side: usize| {
        let seconds = found.places.iter().map(|place| place.seconds[side]);
        seconds.sum::<f64>()
    };
    assert!((sum(0) - processes).abs() < 1e-9 && (sum(1) - threads).abs() < 1e-9);
    let said = "Where the difference is, by 8 profiled rounds of both";
    says(&home.run("report out -v").stdout, &[said]);
}

/// Each function of a script as its interpreter tells it, and not those of the interpreter.
#[test]
fn functions_of_scripts_have_the_names_of_their_source() {
    let python = "import sys\ndef slow(n):\n    return sum(i * i % 7 for i in range(n))\n\
        def main():\n    slow(int(sys.argv[1]))\nmain()\n";
    let node = "function slow(n) { let t = 0; for (let i = 0; i < n; i++) t += i * i % 7; return t; }\n\
        slow(20 * Number(process.argv[2]));\n";
    let all: [(&[&str], _, _); 2] = [
        (&["python3.14", "python3.13", "python3.12"], "a.py", python),
        (&["node"], "a.js", node),
    ];
    let home = Home::new();
    let mut commands = Vec::new();
    for (interpreters, file, script) in all {
        let is_here = |name: &&&str| {
            let asked = std::process::Command::new(name).arg("--version").output();
            asked.is_ok_and(|asked| asked.status.success())
        };
        let Some(interpreter) = interpreters.iter().find(is_here) else {
            skipped::skipped(format!("no {} is here", interpreters.join(" or ")));
            continue;
        };
        home.write(file, script);
        commands.push((file, format!("{interpreter} {file} 300000")));
    }
    let (Some((_, first)), Some((_, last))) = (commands.first(), commands.last()) else {
        return;
    };
    let run = profiled(&home, &format!(r#"exec "{first}" "{last}""#));
    let Some(found) = found(&home, &run) else {
        return;
    };
    for (file, command) in &commands {
        // A generator of it has a name of its own.
        let is_it = |name: &str| name.starts_with("slow") && name.contains(file);
        let mut names = found.places.iter().map(|place| place.name.as_str());
        if !names.any(is_it) {
            let unseen = format!("{:?}", found.unseen);
            assert!(unseen.contains("has no names"), "{:?}", found.places);
            skipped::skipped(format!("{command}: it names no functions"));
        }
    }
}

/// A command that executes another one, and one that ends at once.
#[test]
fn programs_that_execute_others_or_end_at_once_are_profiled_too() {
    let home = Home::new();
    let run = profiled(&home, r#"exec "sh -c 'exec sleep 0.03'" true"#);
    let Some(found) = found(&home, &run) else {
        return;
    };
    let mut places = found.places.iter();
    let sleep = places.find(|place| place.name == "waits in sleep");
    let is_of_one = sleep.is_some_and(|sleep| sleep.seconds[1] == 0.0);
    assert!(is_of_one, "{:?}", found.places);
}

/// What a knob does is tried in rounds of their own, and the journal says it again.
#[test]
fn a_cause_that_a_knob_takes_away_is_confirmed_and_another_one_is_not() {
    let home = Home::new();
    let slow = "sh -c 'test -n \"$MALLOC_ARENA_MAX\" || sleep 0.15'";
    let knobs = "--confirm=8,one-malloc-arena,fixed-addresses,private-file-table";
    let all = ["exec", "true", slow, "--rounds", "7", "--out", "out", knobs];
    let run = home.run(&all).answered();
    home.assert_nothing_left();
    let confirmed = "confirmed: with one malloc arena the gap is";
    let not_confirmed = "not confirmed: with fixed addresses the gap is";
    let not_tried = "not tried: private file table: it changes nothing here";
    says(&run.stdout, &[confirmed, not_confirmed, not_tried]);
    let journal = fs::read_to_string(home.path("out/journal.jsonl")).unwrap();
    let slots = journal.matches("{\"line\":\"confirmed\"").count();
    assert_eq!(slots, 8 * 6, "both sides, and both with each of two knobs");
    let again = home.run("report out -v");
    says(&again.stdout, &["Causes that were tried"]);
}

/// Two processes that only wait: a part of one has no part of the other's time, and the journal says it again.
#[test]
fn a_faster_part_is_predicted_in_rounds_of_its_own() {
    let home = Home::new();
    let line = "workers --kind io --processes 2 --threads 2 --loops 300 --rounds 7 \
                --predict=50,write,fill --out out";
    let run = home.run(line).answered();
    home.assert_nothing_left();
    says(&run.stdout, &["a 50 % faster write would make the whole"]);
    let journal = fs::read_to_string(home.path("out/journal.jsonl")).unwrap();
    let slots = journal.matches("{\"line\":\"predicted\"").count();
    let predicted = home.case().predicted.expect("it was asked for");
    assert_eq!(predicted.parts.len(), 4);
    let rounds = predicted.parts[0].rounds;
    // By the noise.
    assert!((12..=40).contains(&rounds), "{rounds}");
    assert!(predicted.parts.iter().all(|one| one.rounds == rounds));
    // Each model as it is, and with each of two parts.
    assert_eq!(slots, rounds * 2 * 3);
    assert!(predicted.parts.iter().all(|one| one.in_part_ns > Some(0.0)));
    let again = home.run("report out -v");
    says(&again.stdout, &["What faster parts would bring"]);
}

/// What is deleted while it runs has its names as long as a process has it.
#[test]
fn a_program_that_was_deleted_and_one_with_holes_have_names() {
    let home = Home::new();
    let script = "cp /bin/sleep gone && { ./gone 0.3 & rm gone; wait; }";
    let run = profiled(&home, &format!(r#"exec "sh -c '{script}'" true"#));
    let Some(found) = found(&home, &run) else {
        return;
    };
    let unseen = format!("{:?}", found.unseen);
    assert!(!unseen.contains("deleted while it ran"), "{unseen}");
}

#[test]
fn what_cannot_be_profiled_is_refused_with_the_reason() {
    let home = Home::new();
    let parts = "no part 'wriet' (did you mean 'write'?): use fill, write, verify";
    for (line, why) in [
        ("primes --profile=4", "4 is not in 8..=20"),
        ("primes --profile --simulate host", "no time to be sampled"),
        ("primes --confirm=magic", "there is no such knob: use"),
        ("primes --confirm=4", "4 is not in 8..=20"),
        ("primes --confirm --simulate host", "no knobs to turn"),
        ("primes --predict=95", "95 is not in 1..=90"),
        ("workers --kind io --predict=wriet", parts),
        ("exec --predict true", "name a function"),
        ("primes --predict --simulate host", "no flows to slow down"),
        ("hybrid --profile", "ranks are started by an MPI launcher"),
    ] {
        home.run(line).refused(2, &[why]);
    }
}
