//! What the command prints, and its exit codes.

use super::common::{MODELS, Tree};

fn small() -> Tree {
    Tree::of(&[
        ("a.txt", b"one\nTwo one\n"),
        ("b.md", b"ones\n"),
        ("sub/c.txt", b"three\n"),
        (".hidden", b"one\n"),
        (".ignore", b"left-out\n"),
        ("left-out", b"one\n"),
    ])
}

#[test]
fn lines_counts_names_and_numbers() {
    let tree = small();
    assert_eq!(
        tree.lines(&["one"]),
        ["a.txt:Two one", "a.txt:one", "b.md:ones"]
    );
    assert_eq!(
        tree.lines(&["one", "."]),
        ["./a.txt:Two one", "./a.txt:one", "./b.md:ones"]
    );
    assert_eq!(tree.lines(&["-n", "one", "a.txt"]), ["1:one", "2:Two one"]);
    assert_eq!(
        tree.lines(&["-nH", "two", "-i", "a.txt"]),
        ["a.txt:2:Two one"]
    );
    assert_eq!(tree.lines(&["-c", "one"]), ["a.txt:2", "b.md:1"]);
    assert_eq!(tree.lines(&["-l", "one"]), ["a.txt", "b.md"]);
    assert_eq!(tree.lines(&["-w", "one"]), ["a.txt:Two one", "a.txt:one"]);
    assert_eq!(tree.lines(&["-I", "-g", "*.md", "one"]), ["ones"]);
    assert_eq!(
        tree.lines(&["-l", "--hidden", "one"]),
        [".hidden", "a.txt", "b.md"]
    );
    assert_eq!(
        tree.lines(&["-l", "--no-ignore", "one"]),
        ["a.txt", "b.md", "left-out"]
    );
    assert_eq!(tree.run(&["-F", "e."]).code, Some(1));
}

#[test]
fn a_flag_that_is_repeated_is_no_mistake_and_the_last_value_counts() {
    let tree = small();
    assert_eq!(tree.lines(&["-i", "-i", "TWO"]), ["a.txt:Two one"]);
    assert_eq!(tree.lines(&["-c", "-c", "ones"]), ["b.md:1"]);
    let run = tree.run_line("search -j 9 -j 2 --model fiber --model thread-pool --explain ones");
    assert!(run.err.contains("thread-pool, 2 workers"), "{}", run.err);
    // Globs are a list, of which all count.
    assert_eq!(
        tree.lines(&["-l", "-g", "*.md", "-g", "*.txt", "one"]),
        ["a.txt", "b.md"]
    );
}

#[test]
fn one_of_something_is_not_called_many() {
    let tree = Tree::of(&[("a", b"one\n")]);
    let run = tree.run(&["--explain", "--model", "thread-pool", "-j", "1", "one"]);
    for words in [
        "1 worker\n",
        "1 file in 1 folder,",
        "1 line of 1 file matches; 0 errors",
    ] {
        assert!(run.err.contains(words), "{words}: {}", run.err);
    }
}

#[test]
fn exit_codes_are_those_of_grep() {
    let tree = small();
    for model in MODELS {
        let code = |args: &[&str]| tree.run(&[&["--model", model], args].concat()).code;
        assert_eq!(code(&["one"]), Some(0), "{model}");
        assert_eq!(code(&["nowhere"]), Some(1), "{model}");
        assert_eq!(code(&["one", "nowhere", "a.txt"]), Some(2), "{model}");
    }
}

#[test]
fn sorted_output_is_the_same_for_all_models() {
    let tree = small();
    for model in MODELS {
        let run = tree.run(&["--sort", "path", "--model", model, "e"]);
        let lines: Vec<&str> = run.out.lines().collect();
        let wanted = ["a.txt:one", "a.txt:Two one", "b.md:ones", "sub/c.txt:three"];
        assert_eq!(lines, wanted, "{model}");
    }
}

#[test]
fn no_colours_where_nobody_looks() {
    assert!(!small().run(&["one"]).out.contains('\x1b'));
}

#[test]
fn a_terminal_gets_colours_and_numbers_unless_it_says_no() {
    let tree = small();
    let program = env!("CARGO_BIN_EXE_flowgauge");
    let line = format!("{program} search one a.txt -H");
    let on_terminal = |variables: &[(&str, &str)]| {
        let mut script = std::process::Command::new("script");
        script
            .args(["-qec", &line, "/dev/null"])
            .current_dir(tree.path());
        // What the tests were started in says nothing of the terminal that is made here.
        script
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied());
        script
            .output()
            .ok()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(plain) = on_terminal(&[("NO_COLOR", "1")]) else {
        return skipped::skipped("no command 'script' to make a terminal");
    };
    assert!(plain.contains("a.txt:1:one"), "{plain:?}");
    let coloured = on_terminal(&[]).expect("it was there");
    assert!(
        coloured.contains("\x1b[35ma.txt\x1b[0m:\x1b[32m1\x1b[0m:\x1b[1;31mone\x1b[0m"),
        "{coloured:?}"
    );
}

#[test]
fn what_makes_no_sense_is_refused_with_the_place_and_the_way_out() {
    let tree = small();
    for (args, words) in [
        (
            &["foo(bar"][..],
            &["foo(bar", "    ^", "unclosed group"][..],
        ),
        (&["a\\nb"], &["at byte 2", "line feed"]),
        (&["-j", "0", "one"], &["'0'", "1 to 4294967295", "auto"]),
        (&["-j", "-1", "one"], &["'-1'", "1 to 4294967295"]),
        (&["-j", "4294967296", "one"], &["1 to 4294967295"]),
        (&["-j", "many", "one"], &["'many'", "auto"]),
        (
            &["--model", "threads", "one"],
            &["'threads'", "thread-pool", "or auto"],
        ),
        (
            &["--model", "sequential", "-j", "4", "one"],
            &["one flow, not 4", "leave -j out"],
        ),
        (&[r"one\x00"], &["NUL byte", "use --text"]),
        (&["--io", "paper", "one"], &["'paper'", "mmap"]),
        (
            &["--io", "uring", "--model", "process-per-file", "one"],
            &["--io uring", "process-per-file", "use --io read"],
        ),
        (&["-g", "a[", "one"], &["'a['", "glob"]),
        (&[], &["PATTERN"]),
    ] {
        let run = tree.run(args);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{args:?}");
        for word in words {
            assert!(run.err.contains(word), "{args:?}: {}", run.err);
        }
    }
}

#[test]
fn several_patterns_are_looked_for_together() {
    let tree = Tree::of(&[
        ("a", b"one\ntwo\nthree\n-four\n"),
        ("list", b"two\nthree\n"),
    ]);
    for (args, lines) in [
        (&["-e", "one", "-e", "t.o", "a"][..], "one\ntwo\n"),
        (&["-e", "-four", "a"], "-four\n"),
        (&["-f", "list", "a"], "two\nthree\n"),
        (&["-f", "list", "-e", "one", "a"], "one\ntwo\nthree\n"),
        (&["-F", "-e", "t.o", "-e", "three", "a"], "three\n"),
        (&["-w", "-e", "thr", "-e", "one", "a"], "one\n"),
    ] {
        let run = tree.run(args);
        assert_eq!(run.out, lines, "{args:?}: {}", run.err);
    }
    let run = tree.run(&["-f", "none", "a"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("patterns of none"), "{}", run.err);
}

/// They were unexpected arguments, with the advice to pass them as values.
#[test]
fn what_ripgrep_can_do_beyond_this_is_named() {
    let tree = small();
    for flag in "-A --context -o --json --stats --type -U -q".split(' ') {
        let run = tree.run(&[flag, "one"]);
        assert_eq!(run.code, Some(2), "{flag}");
        let named = format!("{flag} is no option of flowgauge search");
        assert!(
            run.err.contains(&named) && run.err.contains("ripgrep"),
            "{}",
            run.err
        );
    }
    // It was taken as --verbose, and the lines that match were shown.
    let run = tree.run(&["-v", "one"]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.contains("lines that do not match"), "{}", run.err);
    let run = tree.run(&["--paper", "one"]);
    assert!(run.err.contains("unexpected argument"), "{}", run.err);
}

#[test]
fn of_counts_and_names_the_last_one_counts() {
    let tree = small();
    assert_eq!(tree.lines(&["-l", "-c", "one"]), tree.lines(&["-c", "one"]));
    assert_eq!(tree.lines(&["-c", "-l", "one"]), tree.lines(&["-l", "one"]));
    assert_ne!(tree.lines(&["-c", "one"]), tree.lines(&["-l", "one"]));
}

#[test]
fn what_is_said_of_a_name_with_a_line_feed_is_one_line() {
    let tree = small();
    let run = tree.run(&["one", ".", "no\nwhere"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.err, "no where: No such file or directory\n");
}

#[test]
fn an_explanation_says_which_flows_and_why_on_standard_error() {
    let tree = small();
    let run = tree.run(&["--explain", "--profile", "one"]);
    assert_eq!(run.out.lines().count(), 3);
    for word in [
        "model: ",
        " by one flow",
        "searched: 3 files in 2 folders",
        "used: ",
        "walk ",
    ] {
        assert!(run.err.contains(word), "{word}: {}", run.err);
    }
    let run = tree.run(&["--explain", "--model", "process-pool", "-j", "3", "one"]);
    assert!(
        run.err.contains("model: process-pool, 3 workers"),
        "{}",
        run.err
    );
    assert!(run.err.contains("flows: 3 made"), "{}", run.err);
}

#[test]
fn a_cap_that_held_flows_back_is_said() {
    let tree = Tree::of(&[]);
    for file in 0..200 {
        tree.write(&format!("{file}"), "x\n".repeat(1_000));
    }
    let run = tree.run(&["--model", "thread-per-file", "-j", "1", "-c", "x"]);
    assert_eq!((run.code, run.out.lines().count()), (Some(0), 200));
    assert!(
        run.err.contains("thread-per-file: at most 1 at a time"),
        "{}",
        run.err
    );
}

#[test]
fn standard_input_is_searched_as_it_comes() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let tree = small();
    let mut command = tree.command(&["needle", "-"]);
    let mut run = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = run.stdin.take().unwrap();
    let mut out = BufReader::new(run.stdout.take().unwrap());
    for part in [&b"hay\na needle\nhay"[..], b"\nhay\nanother needle\n"] {
        input.write_all(part).unwrap();
        // The input has not ended.
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(line.contains("needle"), "{line}");
    }
    drop(input);
    assert!(run.wait().unwrap().success());
}

/// Names were printed as they are, and could clear a screen or forge a line.
#[test]
fn names_and_lines_can_be_made_harmless_for_a_terminal() {
    let tree = Tree::of(&[("a\x1b[2J\nb", b"one\x1b]52;c;eA==\x07\n")]);
    let raw = tree.run(&["--escape", "nothing", "one"]).out;
    assert!(raw.contains('\x1b'), "{raw:?}");
    assert_eq!(
        tree.run(&["one"]).out,
        raw,
        "programs read names as they are"
    );
    let names = tree.run(&["--escape", "names", "one"]).out;
    assert!(
        names.starts_with("a\\u{1b}[2J\\u{a}b:one\x1b]52"),
        "{names:?}"
    );
    let all = tree.lines(&["--escape", "all", "one"]);
    assert_eq!(all, ["a\\u{1b}[2J\\u{a}b:one\\u{1b}]52;c;eA==\\u{7}"]);
    // On a terminal names are harmless unless it is asked otherwise.
    let line = format!("{} search -l one", env!("CARGO_BIN_EXE_flowgauge"));
    let script = std::process::Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(tree.path())
        .env("TERM", "dumb")
        .output();
    if let Ok(seen) = script {
        let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(seen.contains("a\\u{1b}[2J"), "{seen:?}");
    }
}
