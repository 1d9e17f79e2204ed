//! What cannot be run is refused before anything is launched.

use super::exec;
use crate::common::Home;

#[test]
fn what_cannot_be_run_is_refused_before_anything_is_made() {
    for (arguments, words) in [
        (
            vec!["no-such-program"],
            vec!["'no-such-program' in PATH", "install it"],
        ),
        (vec!["./nope"], vec!["./nope", "No such file"]),
        (vec!["echo 'a"], vec!["a quote (') is not closed"]),
        (vec![" "], vec!["the command is empty"]),
        (vec!["-N", "true | true"], vec!["needs a shell"]),
        (
            vec!["true", "--sample", "10ms"],
            vec!["--sample", "whole tree"],
        ),
        (
            vec!["true", "--show-output"],
            vec!["--show-output cannot be kept"],
        ),
        (
            vec!["true", "-m", "10"],
            vec!["--min-runs cannot be kept", "--rounds"],
        ),
        (
            vec!["true", "--style", "basic"],
            vec!["--style and --time-unit cannot be kept"],
        ),
        (
            vec!["true", "--export-orgmode", "x.org"],
            vec!["cannot be kept", "--export-markdown"],
        ),
        (
            vec!["true", "--check-output", "["],
            vec!["regular expression"],
        ),
        (
            vec!["true", "--stdin", "nothing"],
            vec!["nothing: No such file"],
        ),
        (vec!["--sweep", "flows=1,2", "true"], vec!["{flows}"]),
        (vec!["-L", "n", "1,2", "true"], vec!["no command has {n}"]),
        (
            vec!["--export-json", "missing/folder/x", "true"],
            vec!["cannot write missing/folder"],
        ),
    ] {
        let home = Home::new();
        exec(&home, &arguments).refused(2, &words);
        assert_eq!(home.listing("out"), [""; 0], "{arguments:?}");
        home.assert_nothing_left();
    }
}

/// The server was started, and the failure came after its time.
#[test]
fn a_load_whose_output_cannot_be_read_is_refused_before_a_server_is_started() {
    let home = Home::new();
    let run = exec(
        &home,
        &[
            "--serve",
            "touch started",
            "--load",
            "curl http://127.0.0.1:1/",
        ],
    );
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("none of the load generators"),
        "{}",
        run.stderr
    );
    assert!(!home.path("started").exists());
}

/// Somebody else's server was measured, and the run ended well.
#[test]
fn a_port_at_which_another_server_answers_is_refused() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/", taken.local_addr().unwrap());
    let home = Home::new();
    let run = exec(&home, &["--serve", "sleep 60", "--load", &url]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("is in use"), "{}", run.stderr);
    assert!(!home.path("out").exists());
}

/// The message named no folder and no way out.
#[test]
fn a_working_directory_that_was_removed_is_named() {
    let home = Home::new();
    let here = home.command(&["exec", "true"]);
    let line = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" exec true";
    let program = here.get_program().to_str().unwrap().to_owned();
    let ended = home.program("sh", &["-c", line, &program]).output();
    let said = String::from_utf8(ended.unwrap().stderr).unwrap();
    assert!(
        said.contains("the working directory cannot be used"),
        "{said}"
    );
    assert!(said.contains("gone (deleted)"), "{said}");
}

/// Each of them was passed on as it is, or had a value that never changed.
#[test]
fn a_placeholder_that_nothing_fills_in_is_refused() {
    for (arguments, words) in [
        (
            vec!["work {i}"],
            vec!["{i} is the number of a copy", "--copies"],
        ),
        (
            vec!["work -t {threads}", "--flows", "4"],
            vec!["{threads} is a part of a split", "--grid", "{flows}"],
        ),
        (
            vec!["--sweep", "flows=1,2", "a {threads}", "b {flows}"],
            vec!["{threads} is a part of a split"],
        ),
        (
            vec!["work {thread}"],
            vec!["did you mean 'threads'?", "quote it"],
        ),
        (vec!["work {built}/x"], vec!["{built} is no placeholder"]),
        (
            vec!["work {flows -x"],
            vec!["the brace of {flows is not closed"],
        ),
        (
            vec!["true", "--prepare", "rm {dri}/x"],
            vec!["{dri} is no placeholder"],
        ),
        (
            vec!["--serve", "sleep 60", "--load", "http://127.0.0.1:{port}/"],
            vec!["this server does not learn it", "--env PORT={port}"],
        ),
    ] {
        let home = Home::new();
        exec(&home, &arguments).refused(2, &words);
        assert_eq!(home.listing("out"), [""; 0], "{arguments:?}");
    }
}

/// What is asked for (see below), the further flags, and what must be said of them.
const NO_EFFECT: &str = "\
grid | true | --grid is for one command, and there are 2: true
grid | -L n 1,2 | no command has {n}
grid | --what-if | cannot be used with
copies | --variant a=true | --copies is for one command; there are 3
copies | --sweep flows=1,2 | cannot be used with
copies | --serve s{port} --load http://127.0.0.1:{port}/ | cannot be used with
sweep | --flows 7 | cannot be used with
sweep | --what-if | cannot be used with
plain | --connections 3 | not provided; --load
plain | --duration 3s | not provided; --load
server | --stdin /dev/null | --stdin is for a command that ends by itself
server | --same-output | --same-output is for; --same-body
server | --load-cpus 9999 | --load-cpus 9999; choose among
server | --rate 20,20 | --rate 20 is there twice
server | --ready https://127.0.0.1/ | --ready; only http://
wrk | --connections 4 | --connections is for the built-in load generator";

fn asked(name: &str) -> &'static [&'static str] {
    match name {
        "grid" => &["--grid", "work {processes} {threads}"],
        "copies" => &["--copies", "2", "true", "--against", "true"],
        "sweep" => &["--sweep", "flows=1,2", "echo {flows}"],
        "server" => &["--serve", "s {port}", "--load", "http://127.0.0.1:{port}/"],
        "wrk" => &[
            "--serve",
            "s {port}",
            "--load",
            "wrk http://127.0.0.1:{port}/",
        ],
        _ => &["true"],
    }
}

/// Flags were read and had no effect, and commands beside that of `--grid` were forgotten.
#[test]
fn flags_that_have_no_effect_together_are_refused() {
    for row in NO_EFFECT.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let flags: Vec<&str> = cells[1].split(' ').collect();
        let words: Vec<&str> = cells[2].split("; ").collect();
        let home = Home::new();
        exec(&home, &[asked(cells[0]), &flags].concat()).refused(2, &words);
        assert_eq!(home.listing("out"), [""; 0], "{row}");
    }
}
