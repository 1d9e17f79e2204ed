//! A fleet that is a job of Slurm, whose commands are scripts here.

use std::ffi::OsStr;
use std::fs;

use super::super::common::{Home, Run, says};
use super::{AT, ROUNDS, home_of_three, home_with_ssh};

/// A fleet of two nodes by Slurm, whose commands are found on `path`.
fn slurm(home: &Home, more: &str, path: impl AsRef<OsStr>) -> Run {
    let line = format!("fleet run mine.toml --slurm debug --nodes 2 {AT} {more}");
    Run::of(home.command(&line).env("PATH", path))
}

/// The folder of a job that was refused kept the plan, and the next try into it was refused too.
#[test]
fn a_job_that_sbatch_refuses_is_named_and_leaves_no_folder() {
    let home = home_with_ssh();
    home.executable(
        "slurm/sbatch",
        "#!/bin/sh\necho 'sbatch: error: invalid partition specified: debug' >&2\nexit 1\n",
    );
    home.executable("slurm/sinfo", "#!/bin/sh\necho batch\n");
    let path = home.path("slurm");
    for _ in 0..2 {
        let run = slurm(&home, "--out f", &path);
        run.refused(2, &["no partition 'debug'; there are: batch", "specified"]);
        assert!(!home.path("f").exists());
    }
    fs::remove_file(home.path("slurm/sbatch")).unwrap();
    let into_its_own = slurm(&home, "", &path);
    into_its_own.refused(2, &["sbatch cannot be started: is Slurm installed here?"]);
}

/// A Slurm that is two names on this machine.
#[test]
fn a_slurm_job_leaves_a_journal_a_node() {
    let home = home_with_ssh();
    home.executable(
        "slurm/sbatch",
        "#!/bin/sh\nfor s; do :; done\necho Submitted batch job 1\nsh \"$s\" > /dev/null 2>&1\n",
    );
    home.executable(
        "slurm/srun",
        "#!/bin/sh\nwhile [ \"${1#--}\" != \"$1\" ]; do shift; done\nfor n in n1 n2; do SLURMD_NODENAME=$n \"$@\"; done\n",
    );
    let own = home.path("slurm").display().to_string();
    let path = format!("{own}:{}", std::env::var("PATH").unwrap());
    let run = |flag: &str| slurm(&home, &format!("--out f {flag} -- {ROUNDS}"), &path);
    says(
        &run("--dry-run").stdout,
        &["#SBATCH --partition=\"debug\"\n"],
    );
    assert!(!home.path("f").exists());
    let run = run("--wait").answered();
    says(&run.stderr, &["Submitted batch job 1"]);
    says(&run.stdout, &["2 machines"]);
    assert_eq!(home.listing("f/nodes"), ["n1", "n2"]);
    home.assert_nothing_left();
}

/// It was asked for again, and all machines were needed where it was left out.
#[test]
fn a_quorum_of_the_run_is_that_of_a_later_gather() {
    let home = home_of_three();
    home.executable("slurm/sbatch", "#!/bin/sh\necho Submitted batch job 1\n");
    let line = format!("--out f --quorum 1 -- {ROUNDS}");
    slurm(&home, &line, home.path("slurm")).answered();
    let gather = |more: &str| home.run(&format!("fleet gather f {more}"));
    let begun = "no node has begun: squeue";
    gather("").refused(2, &["no machine in f has results", begun]);
    home.write("f/slurm-1.out", "starting\nsrun: error: no memory\n\n");
    gather("").refused(2, &["slurm-1.out: srun: error: no memory"]);
    fs::create_dir_all(home.path("f/nodes/n2")).unwrap();
    let journal = fs::read(home.path("m0/journal.jsonl")).unwrap();
    home.write("f/nodes/n1/journal.jsonl", journal);
    let alone = "run it again alone with --only n2";
    says(&gather("").answered().stderr, &[alone]);
    gather("--quorum 2").refused(2, &["--quorum asks for 2"]);
}
