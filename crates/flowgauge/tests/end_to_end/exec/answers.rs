//! Answers: what is measured, of which processes, and what is said of it.

use flow::Answer;

use super::exec;
use crate::common::{Home, says};

#[test]
fn two_commands_are_answered_and_every_launch_is_recorded() {
    let home = Home::new();
    let run = exec(&home, r#"--rounds 10 "sleep 0.01" "sleep 0.1""#);
    says(&run.answered().stdout, &["slower than sleep 0.01"]);
    let case = home.case();
    let values = case.variants.iter().map(|variant| variant.value.unwrap());
    let typical: Vec<f64> = values.map(|value| value.typical / 1e6).collect();
    assert!(typical[0] > 10.0 && typical[1] > 100.0, "{typical:?}");
    let Answer::Done(record) = &case.slots[0].outcome.answer else {
        panic!("a good slot")
    };
    let own = record.reps[0].self_managed.as_deref().unwrap();
    let counts = "launch_of_true_ns read_bytes written_bytes left_behind exit_code";
    for count in counts.split(' ') {
        assert!(own.counts.contains_key(count), "{count}: {:?}", own.counts);
    }
    assert!(own.peak_rss > 0 && record.reps[0].flows[0].steady.minor_faults > 0);
    home.assert_nothing_left();
}

#[test]
fn cpu_time_faults_and_memory_are_of_the_whole_tree() {
    let home = Home::new();
    // A grandchild in a session of its own uses the CPU and the memory; the command waits for it.
    let tree = "sh -c 'setsid --wait python3 -c \"import time; x = bytearray(60_000_000); sum(range(2_000_000)); time.sleep(1)\"; true'";
    exec(&home, &[tree]).answered();
    let variant = &home.case().variants[0];
    let memory = variant.memory.as_ref().expect("it was looked at");
    assert!(memory.total() > 50_000_000, "{memory:?}");
    assert!(variant.cpu_ns.unwrap() > 2e7, "{:?}", variant.cpu_ns);
    home.assert_nothing_left();
}

#[test]
fn what_launching_costs_is_shown_where_it_matters() {
    let home = Home::new();
    let run = exec(&home, "true true").answered();
    let few = "too few rounds to say what is left";
    says(&run.stdout, &["`true` takes", few]);
    let home = Home::new();
    let run = exec(&home, r#"true "sleep 0.01" --rounds 7 --floor 90%"#);
    says(&run.answered().stdout, &["without it: "]);
}

#[test]
fn units_of_work_give_a_rate() {
    let home = Home::new();
    exec(&home, &["sleep 0.05", "--work", "100"]).answered();
    let case = home.case();
    let rate = case.quantity("rate", "sleep 0.05");
    let rate = rate.unwrap().value.value().unwrap().estimate;
    assert!((10.0..=2_000.0).contains(&rate), "{rate}");
}

/// `-r N` stopped as soon as the answer was sure.
#[test]
fn exactly_as_many_launches_are_made_as_were_asked_for() {
    let home = Home::new();
    exec(&home, &["-r", "12", "true", "sleep 0.05"]).answered();
    let case = home.case();
    assert_eq!((case.rounds, case.slots.len()), (12, 24));
}

/// The kernel adds nothing of a child that nobody waits for to its parent: such CPU time is the control group's, or
/// not available. Faults are never available.
#[test]
fn cpu_time_of_children_that_are_forgotten_is_whole_or_not_available() {
    let home = Home::new();
    home.write(
        "forgets.py",
        "import os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
         if os.fork() == 0:\n    sum(range(6_000_000))\n    os._exit(0)\n\
         try:\n    os.wait()\nexcept ChildProcessError:\n    pass\n",
    );
    exec(&home, &["python3 forgets.py", "python3 -c pass"]).answered();
    let case = home.case();
    let [forgets, starts] = [0, 1].map(|at| &case.variants[at]);
    match forgets.self_managed.as_ref().unwrap().counts["by_cgroup"] > 0.0 {
        true => assert!(forgets.cpu_ns.unwrap() > 1.5 * starts.cpu_ns.unwrap()),
        false => assert_eq!(forgets.cpu_ns, None),
    }
    assert_eq!(forgets.counts.unwrap().faults(), None);
    assert!(forgets.not_counted[0].contains("SIGCHLD is ignored"));
    assert!(starts.cpu_ns.is_some() && starts.counts.unwrap().faults().is_some());
    home.assert_nothing_left();
}

/// Two runs of one program a few seconds apart differed by a fifth in every variant, and the recipe
/// for CI compared such runs. Both builds in one run are compared round by round.
#[test]
fn two_builds_in_one_run_fail_on_the_slower_one_alone() {
    let home = Home::new();
    let code = |new: &str, out: &str| {
        let checked = r#"--rounds 10 --expect "exec/new vs old <= 2""#;
        let builds = format!(r#"exec "sleep 0.01" "{new}" -n old -n new"#);
        home.run(&format!("{builds} {checked} --out {out}")).code
    };
    assert_eq!(code("sleep 0.2", "slower"), Some(1));
    assert_ne!(code("sleep 0.01", "same"), Some(1));
}
