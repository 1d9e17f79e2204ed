//! A fleet that is a job of Slurm, whose commands are scripts here.

use std::fs;

use super::super::common::Run;
use super::{AT, ROUNDS, SLURM, home_of, home_with_ssh, program};

/// The folder of a job that was refused kept the plan, and the next try into it was refused too.
#[test]
fn a_job_that_sbatch_refuses_is_named_and_leaves_no_folder() {
    let home = home_with_ssh();
    program(
        &home,
        "slurm/sbatch",
        "#!/bin/sh\necho 'sbatch: error: invalid partition specified: debug' >&2\nexit 1\n",
    );
    program(&home, "slurm/sinfo", "#!/bin/sh\necho batch\n");
    let path = home.path("slurm");
    for _ in 0..2 {
        let line = [&SLURM[..], &AT].concat();
        let run = home.command(&line).env("PATH", &path).output().unwrap();
        Run::from(run).refused(2, &["no partition 'debug'; there are: batch", "specified"]);
        assert!(!home.path("f").exists());
    }
    fs::remove_file(home.path("slurm/sbatch")).unwrap();
    let into_its_own = [&SLURM[..7], &AT].concat();
    let run = home
        .command(&into_its_own)
        .env("PATH", &path)
        .output()
        .unwrap();
    Run::from(run).refused(2, &["sbatch cannot be started: is Slurm installed here?"]);
}

/// A Slurm that is two names on this machine.
#[test]
fn a_slurm_job_leaves_a_journal_a_node() {
    let home = home_with_ssh();
    program(
        &home,
        "slurm/sbatch",
        "#!/bin/sh\nfor s; do :; done\necho Submitted batch job 1\nsh \"$s\" > /dev/null 2>&1\n",
    );
    program(
        &home,
        "slurm/srun",
        "#!/bin/sh\nwhile [ \"${1#--}\" != \"$1\" ]; do shift; done\nfor n in n1 n2; do SLURMD_NODENAME=$n \"$@\"; done\n",
    );
    let path = format!(
        "{}:{}",
        home.path("slurm").display(),
        std::env::var("PATH").unwrap()
    );
    let slurm = |more: &[&str]| {
        let line = [&SLURM[..], &AT, more, &ROUNDS].concat();
        Run::from(home.command(&line).env("PATH", &path).output().unwrap())
    };
    let dry = slurm(&["--dry-run"]);
    assert!(
        dry.stdout.contains("#SBATCH --partition=\"debug\"\n"),
        "{}",
        dry.stdout
    );
    assert!(!home.path("f").exists());
    let run = slurm(&["--wait"]).answered();
    assert!(
        run.stderr.contains("Submitted batch job 1"),
        "{}",
        run.stderr
    );
    assert!(run.words().contains("2 machines"), "{}", run.stdout);
    assert_eq!(home.listing("f/nodes"), ["n1", "n2"]);
    home.assert_nothing_left();
}

/// It was asked for again, and all machines were needed where it was left out.
#[test]
fn a_quorum_of_the_run_is_that_of_a_later_gather() {
    let home = home_of(1);
    program(
        &home,
        "slurm/sbatch",
        "#!/bin/sh\necho Submitted batch job 1\n",
    );
    let line = [&SLURM[..], &AT, &["--quorum", "1"], &ROUNDS].concat();
    let run = home.command(&line).env("PATH", home.path("slurm")).output();
    Run::from(run.unwrap()).answered();
    let gather = |more: &[&str]| home.run(&[&["fleet", "gather", "f"], more].concat());
    gather(&[]).refused(
        2,
        &["no machine in f has results", "no node has begun: squeue"],
    );
    home.write("f/slurm-1.out", "starting\nsrun: error: no memory\n\n");
    gather(&[]).refused(2, &["slurm-1.out: srun: error: no memory"]);
    fs::create_dir_all(home.path("f/nodes/n1")).unwrap();
    fs::create_dir_all(home.path("f/nodes/n2")).unwrap();
    fs::copy(
        home.path("m0/journal.jsonl"),
        home.path("f/nodes/n1/journal.jsonl"),
    )
    .unwrap();
    let run = gather(&[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("run it again alone with --only n2"),
        "{}",
        run.stderr
    );
    gather(&["--quorum", "2"]).refused(2, &["--quorum asks for 2"]);
}
