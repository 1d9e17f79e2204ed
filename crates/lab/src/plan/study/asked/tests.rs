//! Tests of what flags make of a study.

use super::*;
use crate::data::{Preset, Settings, parameters_of};
use crate::plan::study::builtin;
use crate::plan::study::command::{Flag, Given};
use crate::plan::study::commands;
use crate::plan::{Request, Wanted, lay_out};
use crate::testing::Says;

/// A study as it is planned.
#[derive(Debug)]
struct Asked {
    study: Study,
    notes: Vec<String>,
}

/// The study that a command line asks for: `--flag value` after its name.
fn of(line: &str) -> Result<Asked, String> {
    let mut words = line.split(' ');
    let name = words.next().unwrap();
    let own = commands().iter().find(|own| own.name == name).unwrap();
    let mut given = GivenFlags::new();
    for flag in &own.command.flags {
        if let Some(default) = &flag.default {
            let usual = Given {
                is_default: true,
                ..read(flag, default)?
            };
            given.insert(flag.name.clone(), usual);
        }
    }
    while let Some(word) = words.next() {
        let name = word.trim_start_matches('-');
        let flag = own.command.flags.iter().find(|flag| flag.name == name);
        let flag = flag.unwrap_or_else(|| panic!("no {word}"));
        given.insert(name.to_owned(), read(flag, words.next().unwrap_or(""))?);
    }
    let flags = Flags {
        command: &own.command,
        given: &given,
    };
    let request = Request {
        wanted: vec![Wanted {
            flags: Some(flags),
            ..Wanted::fitted(builtin(name, own.command.preset).unwrap())
        }],
        ..Request::default()
    };
    let settings = Settings::usual(own.command.preset, 1);
    let plan = lay_out(&request, &settings, &Machine::read());
    let plan = plan.map_err(|error| error.to_string())?;
    Ok(Asked {
        study: plan.studies[0].clone(),
        notes: plan.hints,
    })
}

fn read(flag: &Flag, text: &str) -> Result<Given, String> {
    let parts = if flag.is_list() {
        text.split(',').collect()
    } else {
        vec![text]
    };
    let mut all = Given::default();
    for part in parts {
        let one = flag.read(part)?;
        all.values.extend(one.values);
        all.in_range |= one.in_range;
        all.shown = text.to_owned();
    }
    Ok(all)
}

/// The cases: each with its name and its variants, `flows/2: 2 process, 2 thread`.
fn cases(line: &str) -> Vec<String> {
    let asked = of(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let told = |case: &Case| {
        let variants = case.variants.iter();
        let told = variants.map(|one| format!("{} {}", one.variant.flows, one.label));
        format!("{}: {}", case.name, told.collect::<Vec<_>>().join("; "))
    };
    asked.study.cases.iter().map(told).collect()
}

fn names(line: &str) -> Vec<String> {
    let asked = of(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    asked
        .study
        .cases
        .into_iter()
        .map(|case| case.name)
        .collect()
}

#[test]
fn a_command_without_flags_runs_the_original() {
    assert_eq!(cases("primes"), ["trial: 5 process; 5 thread"]);
    let study = of("primes").unwrap().study;
    assert_eq!(study.headline, "trial");
    let full = builtin("primes", Preset::Full).unwrap();
    assert_eq!(study.cases[0].work, full.cases[0].work);
}

#[test]
fn several_values_are_a_sweep_in_place_of_the_single_case() {
    let line = "primes --block 1000..100000 --method sieve";
    assert_eq!(names(line), ["grain/1000", "grain/10000", "grain/100000"]);
    assert_eq!(of(line).unwrap().study.headline, "grain/10000");
    let two = names("primes --block 1000,5000");
    assert_eq!(two, ["grain/1000", "grain/5000"]);
    assert_eq!(names("primes --block 1000 --method sieve"), ["sieve"]);
    let swept = of("primes --block 1000..10000").unwrap().study;
    assert_eq!(parameters_of(&swept.cases[0].work)["method"], "sieve");
}

#[test]
fn a_number_of_flows_alone_runs_its_models_and_there_is_a_block_for_each() {
    assert_eq!(cases("primes --processes 2"), ["trial: 2 process"]);
    let both = of("primes --processes 2 --threads 3").unwrap();
    assert_eq!(both.study.cases[0].work.units(), 3);
    let mixed = cases("primes --model thread,2x2 --processes 3");
    assert_eq!(mixed, ["trial: 3 thread; 4 2x2"]);
    let more = of("primes --processes 2 --blocks 7").unwrap();
    assert_eq!(more.study.cases[0].work.units(), 7);
}

/// `-p 2..4` was "no whole number from 0 to 18446744073709551615".
#[test]
fn several_numbers_of_flows_are_a_sweep_over_them() {
    let wanted = [
        "trial/2: 2 process",
        "trial/3: 3 process; 3 thread",
        "trial/4: 4 thread",
    ];
    assert_eq!(cases("primes --processes 2..3 --threads 3,4"), wanted);
    let study = of("primes --processes 2..4 --threads 2..4").unwrap().study;
    assert_eq!(study.headline, "trial/3");
    assert_eq!(study.cases[2].work.units(), 4);
    let error = of("primes --processes 2..4 --block 1000..10000").unwrap_err();
    error.says("sweep one of the two");
}

#[test]
fn counts_of_two_models_have_the_points_of_both_and_a_table_of_one_that_both_have() {
    let line = "workers --kind cpu --processes 2..3 --threads 3..4 --loops 1";
    let wanted = [
        "cpu: 3 process; 3 thread",
        "cpu-workers/2: 2 process",
        "cpu-workers/3: 3 process; 3 thread",
        "cpu-workers/4: 4 thread",
    ];
    assert_eq!(cases(line), wanted);
    let one = names("workers --kind mem --processes 4 --threads 4");
    assert_eq!(one, ["mem"]);
    let error = of("workers --processes 2 --threads 3..4").unwrap_err();
    error.says("--processes 2 --threads 3..4");
    error.says("cannot be compared");
}

#[test]
fn two_experiments_are_run_where_both_are_swept_and_one_where_one_is() {
    let line = "switch --model task --flows 2..20 --max-flows 5 --stack-use 0,4K,5000";
    let both = ["flows/2", "flows/5", "stack/0", "stack/4096", "stack/5056"];
    assert_eq!(names(line), both);
    let note = "--stack-use 5,000: rounded up to 5,056, a multiple of 64";
    assert_eq!(of(line).unwrap().notes, [note]);
    let one = cases("switch --model task --flows 7 --stack-use 0,4K");
    assert_eq!(one[1], "stack/4096: 7 task");
    assert_eq!(one.len(), 2);
    let two = names("switch --model task --flows 2,100");
    assert_eq!(two, ["flows/2", "flows/100"]);
    let error = of("switch --stack-use 1000,1024").unwrap_err();
    error.says("1024 twice");
}

#[test]
fn ways_to_hand_over_are_variants_of_the_models_that_they_are_about() {
    let line = "switch --flows 5 --model process,task --yield sched_yield,pipe";
    cases(line)[0].ends(": 5 process, sched_yield; 5 process, pipe; 5 task");
    let idle = of("switch --flows 5 --model task --yield pipe").unwrap();
    idle.notes[0].begins("--yield has no effect on task");
}

#[test]
fn carriers_that_run_in_parallel_are_on_cores() {
    let asked = of("switch --flows 6 --model thread,fiber,fiber/2").unwrap();
    let variants = &asked.study.cases[0].variants;
    let placed = variants.iter().map(|v| v.variant.placement.to_string());
    assert_eq!(placed.collect::<Vec<_>>(), ["one", "one", "cores"]);
}

#[test]
fn a_study_on_one_cpu_keeps_carriers_on_it_and_its_title_says_where_flows_run() {
    let of = |flags: &str| {
        let line = format!("workers --kind cpu --processes 2 --threads 2 {flags}");
        let asked = of(&line).unwrap();
        let case = &asked.study.cases[0];
        let variants = case.variants.iter();
        let placed: Vec<String> = variants.map(|v| v.variant.placement.to_string()).collect();
        let label = case.filled(&asked.study.deciding[0].label);
        (placed, case.title.clone(), label)
    };
    let (placed, title, label) = of("--model process,migratable/2,fiber/2");
    assert_eq!(placed, ["one", "one", "one"]);
    assert_eq!(title, "2 workers that compute on one CPU");
    assert_eq!(label, "Computing, one CPU");
    let (placed, title, label) = of("--model process,migratable/2 --cpu free");
    assert_eq!(placed, ["free", "free"]);
    assert_eq!(title, "2 workers that compute on any CPU");
    assert_eq!(label, "Computing, any CPU");
}

#[test]
fn cases_are_chosen_by_their_work_or_their_name() {
    let two = names("sharing --operation mmap,dup");
    assert_eq!(two, ["cores/mmap", "cores/dup"]);
    let error = of("sharing --operation nmap").unwrap_err();
    error.says("--operation nmap");
    assert_eq!(names("creating --case small"), ["small"]);
    for word in ["numeric", "numeric-small", "numeric-small/fft"] {
        assert!(cases::is_called("numeric-small/fft", word), "{word}");
    }
    for word in ["", "num", "numeric-large", "numeric-small/f"] {
        assert!(!cases::is_called("numeric-small/fft", word), "{word}");
    }
}

#[test]
fn a_parameter_that_no_work_has_is_refused() {
    let error = of("scaling --workload handoff --heap 1M").unwrap_err();
    error.says("--heap");
}
