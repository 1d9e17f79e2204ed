//! What is wrong with a fleet before it begins: refused, and nothing is made or reached.

use super::super::common::{Arguments, Run, says};
use super::{fleet, home_with_ssh};

#[test]
fn what_is_wrong_with_the_plan_is_said_before_anything_is_reached() {
    let home = home_with_ssh();
    home.write("hosts", "a\n");
    home.write("none", "# nobody\n");
    let listing = home.listing(".");
    for (line, message) in [
        ("fleet run prims --hosts hosts", "primes"),
        (
            "fleet run primes --hosts hosts -- --nonsense",
            "unexpected argument '--nonsense'",
        ),
        (
            "fleet run primes --hosts hosts -- --out x",
            "--out is not for the machines",
        ),
        ("fleet run primes --hosts nothing", "nothing"),
        ("fleet run primes --hosts none", "names no machine"),
        ("fleet run primes --hosts hosts --only z", "no such machine"),
        ("fleet run primes", "--hosts FILE"),
        ("fleet run primes --slurm x", "--nodes N"),
        (
            "fleet run primes primes --hosts hosts",
            "primes is named twice",
        ),
        (
            "fleet run primes --hosts hosts --ssh-config none.cfg",
            "no such file",
        ),
        (
            "fleet run primes --slurm x --nodes 1 --only n1\u{a0}--wrap=id",
            "--only 'n1",
        ),
    ] {
        home.run(line).refused(2, &[message]);
    }
    assert_eq!(home.listing("."), listing);
    let dry = Run::of(fleet(&home, "--dry-run"));
    says(
        &dry.stdout,
        &["a: ./ssh a: flowgauge run mine.toml --seed "],
    );
    assert!(!home.path("on").exists());
}

/// A job was paid by the account that was meant: by ssh there is none.
#[test]
fn options_of_slurm_are_refused_beside_hosts() {
    let home = home_with_ssh();
    home.write("hosts", "a\n");
    for more in [
        "--account x",
        "--qos x",
        "--constraint x",
        "--gres x",
        "--reservation x",
        "--array",
        "--wait",
        "--shared-nodes",
        "--shared-nodes --cpus 2",
        "--cpus 2",
    ] {
        let run = Run::of(fleet(&home, &format!("{more} --dry-run")));
        run.refused(2, &["--hosts", more.words()[0]]);
    }
}

/// One binary file was kilobytes of escapes, and a long list of something else as many lines.
#[test]
fn a_file_that_is_no_list_of_hosts_is_a_few_lines() {
    let home = home_with_ssh();
    home.write("hosts", "a\0b\n\n");
    let run = Run::of(fleet(&home, "--dry-run"));
    run.refused(2, &["hosts is no text"]);
    home.write("hosts", format!("{}a\n", "b c\n".repeat(100)));
    let run = Run::of(fleet(&home, "--dry-run"));
    assert!(run.stderr.contains("hosts: and 95 more"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 6, "{}", run.stderr);
}

/// A job of 4 nodes was submitted with a quorum of 5, and one of 4 for the one node that was named.
#[test]
fn a_quorum_and_nodes_that_cannot_be_are_refused_before_any_folder_is_made() {
    let home = home_with_ssh();
    home.write("hosts", "a\n");
    let listing = home.listing(".");
    for (line, message) in [
        (
            "fleet run primes --hosts hosts --quorum 2",
            "the fleet has 1 machine",
        ),
        (
            "fleet run primes --hosts hosts --quorum 2 --dry-run",
            "the fleet has 1 machine",
        ),
        (
            "fleet run primes --slurm x --nodes 4 --quorum 5",
            "--quorum 5: the fleet has 4 machines",
        ),
        (
            "fleet run primes --slurm x --nodes 4 --array --quorum 5 --dry-run",
            "--quorum 5: the fleet has 4 machines",
        ),
        (
            "fleet run primes --slurm x --nodes 4 --only n1",
            "--only n1 names 1 node, and --nodes says 4",
        ),
        ("fleet run primes --slurm x --only n[1-3]", "with --nodes N"),
    ] {
        home.run(line).refused(2, &[message]);
    }
    assert_eq!(home.listing("."), listing);
}

/// The line of a machine was shown with the name of an ssh program that turned the rest of it.
#[test]
fn a_dry_run_shows_what_acts_on_a_terminal_and_has_no_effect_there() {
    let home = home_with_ssh();
    home.write("hosts", "a\n");
    let shown = Run::of(fleet(&home, "--dry-run --ssh ./s\u{202e}sh")).stdout;
    says(&shown, &["a: ./s"]);
    assert!(!shown.contains('\u{202e}'), "{shown}");
}
