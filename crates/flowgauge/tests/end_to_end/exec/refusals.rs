//! What cannot be run is refused before anything is launched.

use super::{exec, refused};
use crate::common::{Home, says};

#[test]
fn what_cannot_be_run_is_refused_before_anything_is_made() {
    refused(
        r#"no-such-program => 'no-such-program' in PATH; install it
./nope => ./nope; No such file
"echo 'a" => a quote (') is not closed
" " => the command is empty
-N "true | true" => needs a shell
true --sample 10ms => --sample; whole tree
true --show-output => --show-output cannot be kept
true -m 10 => --min-runs cannot be kept; --rounds
true --style basic => --style and --time-unit cannot be kept
true --export-orgmode x.org => cannot be kept; --export-markdown
true --check-output [ => regular expression
true --stdin nothing => nothing: No such file
--sweep flows=1,2 true => {flows}
-L n 1,2 true => no command has {n}
-L n 1,2 -P n 3 4 "true {n}" => n is the name of two lists
-n a -n a true false => two commands are named 'a'
--variant a=true --variant a=false => two commands are named 'a'
--export-json missing/folder/x true => cannot write missing/folder"#,
    );
}

/// The server was started, and the failure came after its time.
#[test]
fn a_load_whose_output_cannot_be_read_is_refused_before_a_server_is_started() {
    let home = Home::new();
    let line = r#"--serve "touch started" --load "curl http://127.0.0.1:1/""#;
    exec(&home, line).refused(2, &["none of the load generators"]);
    assert!(!home.path("started").exists());
}

/// Somebody else's server was measured, and the run ended well.
#[test]
fn a_port_at_which_another_server_answers_is_refused() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/", taken.local_addr().unwrap());
    let home = Home::new();
    let run = exec(&home, &["--serve", "sleep 60", "--load", &url]);
    run.refused(2, &["is in use"]);
    assert!(!home.path("out").exists());
}

/// The message named no folder and no way out.
#[test]
fn a_working_directory_that_was_removed_is_named() {
    let home = Home::new();
    let run = home.shell("mkdir gone && cd gone && rmdir ../gone && exec flowgauge exec true");
    let cannot = "the working directory cannot be used";
    says(&run.stderr, &[cannot, "gone (deleted)"]);
}

/// Each of them was passed on as it is, or had a value that never changed.
#[test]
fn a_placeholder_that_nothing_fills_in_is_refused() {
    refused(
        r#""work {i}" => {i} is the number of a copy; --copies
"work {flows}" => {flows} is a number that nothing gives; --flows 4; --sweep flows=1,2,4
"work -t {threads}" --flows 4 => {threads} is a part of a split; --grid; {flows}
--sweep flows=1,2 "a {threads}" "b {flows}" => {threads} is a part of a split
"work {thread}" => did you mean 'threads'?; quote it
"work {built}/x" => {built} is no placeholder
"work {flows -x" => the brace of {flows is not closed
true --prepare "rm {dri}/x" => {dri} is no placeholder
--serve "sleep 60" --load http://127.0.0.1:{port}/ => this server does not learn it; --env PORT={port}"#,
    );
}

/// What is asked for, of commands that need nothing to be refused.
const GRID: &str = r#"--grid "work {processes} {threads}""#;
const COPIES: &str = "--copies 2 true --against true";
const SWEEP: &str = r#"--sweep flows=1,2 "echo {flows}""#;
const SERVER: &str = r#"--serve "s {port}" --load http://127.0.0.1:{port}/"#;
const WRK: &str = r#"--serve "s {port}" --load "wrk http://127.0.0.1:{port}/""#;

/// Flags were read and had no effect, and commands beside that of `--grid` were forgotten.
#[test]
fn flags_that_have_no_effect_together_are_refused() {
    refused(&format!(
        "\
{GRID} true => --grid is for one command, and there are 2: true
{GRID} -L n 1,2 => no command has {{n}}
{GRID} --what-if => cannot be used with
{COPIES} --variant a=true => --copies is for one command; there are 3
{COPIES} --sweep flows=1,2 => cannot be used with
{COPIES} --serve s{{port}} --load http://127.0.0.1:{{port}}/ => cannot be used with
{SWEEP} --flows 7 => cannot be used with
true{{n}} -L n 1,1 => -L n has 1 twice
{SWEEP} --what-if => cannot be used with
true --connections 3 => not provided; --load
true --duration 3s => not provided; --load
{SERVER} --stdin /dev/null => --stdin is for a command that ends by itself
{SERVER} --same-output => --same-output is for; --same-body
{SERVER} --load-cpus 9999 => --load-cpus 9999; choose among
{SERVER} --rate 20,20 => --rate 20 is there twice
{SERVER} --ready https://127.0.0.1/ => --ready; only http://
{WRK} --connections 4 => --connections is for the built-in load generator"
    ));
}
