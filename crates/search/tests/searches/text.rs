//! What is text, what is a line, and what files look like in practice.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc;

use search::{Io, Model, Pattern, Plan, Query, SearchError, Show};

use super::common::{Tree, Writes, one_by, raw, run, utf16};

#[test]
fn empty_files_and_files_without_a_last_line_feed() {
    let tree = Tree::of(&[
        ("empty", ""),
        ("feed", "\n"),
        ("bare", "a"),
        ("two", "a\na"),
    ]);
    assert_eq!(tree.search("a").lines, ["bare:a", "two:a", "two:a"]);
    assert_eq!(tree.search("").lines, ["bare:a", "feed:", "two:a", "two:a"]);
}

#[test]
fn bytes_that_are_no_utf8_are_text() {
    let tree = Tree::new();
    tree.write("latin", b"caf\xE9 needle\n");
    tree.write(raw(b"n\xFFme"), "needle\n");
    let found = tree.search("needle");
    assert_eq!(
        found.lines,
        ["latin:caf\u{FFFD} needle", "n\u{FFFD}me:needle"]
    );
    assert_eq!(tree.search("caf.needle").lines, Vec::<String>::new());
    assert_eq!(tree.search("(?-u)caf. needle").lines.len(), 1);
}

#[test]
fn a_nul_byte_makes_a_walked_file_binary() {
    let tree = Tree::new();
    tree.write("first", "\0needle\n");
    tree.write("last", "needle\n".to_owned() + &"hay\n".repeat(100) + "\0");
    assert_eq!(tree.search("needle").lines, Vec::<String>::new());
    let mut query = tree.query("needle");
    query.filter.text = true;
    let found = tree.run(&query, &Plan::of(Model::Sequential, 1));
    assert_eq!(found.lines.len(), 2);
}

#[test]
fn a_nul_byte_far_into_a_file_leaves_what_was_found_before_and_says_so() {
    let tree = Tree::new();
    tree.write(
        "far",
        "needle\n".to_owned() + &"hay\n".repeat(50_000) + "\0\nneedle\n",
    );
    for io in [Io::Read, Io::Mmap] {
        let plan = one_by(io);
        let found = tree.run(&tree.query("needle"), &plan);
        assert_eq!(found.lines, ["far:needle"]);
        assert!(
            found.problems[0].contains("NUL at byte 200007"),
            "{:?}",
            found.problems
        );
        assert_eq!(found.report.counts.errors, 0);
        let mut query = tree.query("needle");
        query.show = Show::Count;
        assert_eq!(tree.run(&query, &plan).lines, Vec::<String>::new());
    }
}

#[test]
fn a_binary_file_that_is_named_is_searched() {
    let tree = Tree::new();
    tree.write("small", b"hay\n\0needle\n");
    tree.write("large", "needle\n".repeat(20_000) + "\0x\nneedle\n");
    tree.write("after", b"\0needle");
    for io in [Io::Read, Io::Mmap] {
        let plan = one_by(io);
        let lines = |file: &str, pattern: &str| {
            let mut query = tree.query(pattern);
            query.roots = vec![tree.join(file)];
            tree.run(&query, &plan).lines
        };
        let matches_at = |byte| [format!("binary file matches (NUL at byte {byte})")];
        assert_eq!(lines("small", "needle"), matches_at(4));
        assert_eq!(lines("after", "^needle"), matches_at(0));
        assert_eq!(lines("small", "hay"), matches_at(4));
        // Lines in windows before the NUL byte are shown.
        let large = lines("large", "needle");
        assert!(
            large.len() > 18_000 && large.len() < 20_000,
            "{}",
            large.len()
        );
        assert!(large[0].starts_with("binary file matches"));
    }
}

/// It was shown as a line of text: the mark itself.
#[test]
fn a_byte_order_mark_alone_is_no_text() {
    let tree = Tree::new();
    for (name, mark) in [
        ("little", &b"\xFF\xFE"[..]),
        ("big", b"\xFE\xFF"),
        ("utf8", b"\xEF\xBB\xBF"),
    ] {
        tree.write(name, mark);
    }
    for io in Io::ALL {
        let plan = one_by(io);
        let query = tree.query("");
        let mut out = Vec::new();
        match search::run(&query, &plan, &mut out, &mut |_| {}) {
            // Where there is no ring.
            Err(SearchError::Io { .. }) => {}
            found => assert_eq!(found.unwrap().counts.files, 3),
        }
        assert_eq!(String::from_utf8_lossy(&out), "");
    }
}

#[test]
fn byte_order_marks() {
    let tree = Tree::new();
    tree.write("utf8", "\u{FEFF}needle\n");
    let little = utf16("needle é\nhay");
    let big = little.as_chunks::<2>().0.iter();
    let big: Vec<u8> = big.flat_map(|[low, high]| [*high, *low]).collect();
    tree.write("little", little);
    tree.write("big", big);
    tree.write("long", utf16(&("hay and hay\n".repeat(30_000) + "needle")));
    let found = tree.search("^needle");
    assert_eq!(
        found.lines,
        [
            "big:needle é",
            "little:needle é",
            "long:needle",
            "utf8:needle"
        ]
    );
}

#[test]
fn lines_over_the_ends_of_windows_and_longer_than_any() {
    let tree = Tree::new();
    for length in [65_530, 65_535, 65_536, 65_537, 131_072, 1_000_000] {
        let text = "x".repeat(length) + "needle\n" + &"y".repeat(length) + "\nneedle";
        tree.write(format!("{length}"), text);
    }
    for io in [Io::Read, Io::Mmap] {
        let mut query = tree.query("needle");
        query.line_numbers = true;
        let plan = one_by(io);
        let found = tree.run(&query, &plan);
        assert_eq!(found.lines.len(), 12);
        assert!(found.lines.contains(&"65536:3:needle".to_owned()));
        assert!(found.lines.iter().any(|line| line.len() > 1_000_000));
    }
}

#[test]
fn a_file_of_more_than_two_to_the_31_bytes() {
    let tree = Tree::new();
    tree.write("sparse", "");
    let file = File::options()
        .write(true)
        .open(tree.join("sparse"))
        .unwrap();
    file.write_all_at(b"\nneedle\n", (1 << 31) + 5).unwrap();
    // Found by walking it is binary after its first window.
    let found = tree.search("needle");
    assert_eq!((found.lines.len(), found.report.counts.files), (0, 1));
    assert!(found.report.counts.bytes <= 1 << 17);
    // Named, it is read to its end, with memory for one window.
    let found = tree.search_file("needle", "sparse");
    assert_eq!(found.lines, ["binary file matches (NUL at byte 0)"]);
    assert_eq!(found.report.counts.bytes, (1 << 31) + 13);
}

/// Lines of a megabyte each, of bytes that were never written, up to behind 2^31.
#[test]
fn a_line_behind_two_to_the_31_bytes_has_its_number_however_it_is_read() {
    const LINE: u64 = 1 << 20;
    const LINES: u64 = (1 << 31) / LINE + 1;
    let tree = Tree::new();
    tree.write("sparse", "");
    let path = tree.join("sparse");
    let file = File::options().write(true).open(path).unwrap();
    for line in 1..=LINES {
        file.write_all_at(b"\n", line * LINE - 1).unwrap();
    }
    file.write_all_at(b"a needle\nhay", LINES * LINE).unwrap();
    let mut query = tree.query("needle");
    query.filter.text = true;
    query.line_numbers = true;
    for io in Io::ALL {
        let plan = Plan {
            io,
            ..Plan::of(Model::ThreadPool, 2)
        };
        let tried = search::run(&tree.query("x"), &plan, &mut Vec::new(), &mut |_| {});
        if io == Io::Uring && tried.is_err() {
            continue;
        }
        let found = tree.run(&query, &plan);
        assert_eq!(found.lines, ["sparse:2050:a needle"], "{io}");
        assert_eq!(found.report.counts.bytes, LINES * LINE + 12, "{io}");
    }
}

#[test]
fn links_are_not_followed_unless_they_are_named() {
    let tree = Tree::of(&[("real/a", "needle\n")]);
    symlink("..", tree.join("real/up")).unwrap();
    symlink("a", tree.join("real/b")).unwrap();
    symlink("real", tree.join("folder")).unwrap();
    symlink("self", tree.join("self")).unwrap();
    assert_eq!(tree.search("needle").lines, ["real/a:needle"]);
    assert_eq!(
        tree.search_file("needle", "folder").lines,
        ["folder/a:needle"]
    );
    assert_eq!(tree.search_file("needle", "real/b").lines, ["needle"]);
    let found = tree.search_file("needle", "self");
    assert_eq!(found.problems, ["self: Too many levels of symbolic links"]);
}

#[test]
fn what_is_no_file_is_left_out() {
    let tree = Tree::of(&[("a", "needle\n")]);
    nix::unistd::mkfifo(&tree.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(tree.join("socket")).unwrap();
    let found = tree.search("needle");
    assert_eq!((found.lines.len(), found.problems.len()), (1, 0));
}

#[test]
fn files_that_say_they_are_empty_are_read_to_their_end() {
    if skipped::is_emulated() {
        return skipped::skipped(
            "the emulator has lists of mappings of its own, where it knows the path",
        );
    }
    // Files of /proc have no length, and give less than is asked for before they end.
    let text = fs::read("/proc/self/smaps").unwrap();
    assert!(text.len() > 8_192, "not long enough to come in parts");
    let mut query = Query::new(Pattern::literal("Rss:").unwrap());
    query.roots = vec!["/proc/self/smaps".into()];
    query.show = Show::Count;
    for io in Io::ALL {
        let plan = one_by(io);
        let mut out = Vec::new();
        if search::run(&query, &plan, &mut out, &mut |_| {}).is_ok() {
            let count: usize = String::from_utf8(out).unwrap().trim().parse().unwrap();
            let maps = fs::read_to_string("/proc/self/maps")
                .unwrap()
                .lines()
                .count();
            assert!(count.abs_diff(maps) < 20, "{count} of {maps} by {io}");
        }
    }
}

#[test]
fn paths_longer_than_the_kernel_takes() {
    let tree = Tree::new();
    let name = "a-folder-with-a-name-of-some-length".repeat(5);
    let mut at = File::open(tree.path()).unwrap();
    for _ in 0..40 {
        use nix::fcntl::{OFlag, openat};
        use nix::sys::stat::{Mode, mkdirat};
        mkdirat(&at, name.as_str(), Mode::S_IRWXU).unwrap();
        at = openat(&at, name.as_str(), OFlag::O_RDONLY, Mode::empty())
            .unwrap()
            .into();
    }
    let flags = nix::fcntl::OFlag::O_WRONLY | nix::fcntl::OFlag::O_CREAT;
    let file = nix::fcntl::openat(&at, "last", flags, nix::sys::stat::Mode::S_IRWXU).unwrap();
    nix::unistd::write(&file, b"needle\n").unwrap();
    for model in Model::ALL {
        let found = tree.run(&tree.query("needle"), &Plan::of(model, 2));
        assert_eq!((found.lines.len(), found.problems.len()), (1, 0), "{model}");
        assert!(found.lines[0].len() > 7_000);
    }
}

/// Nothing takes so long.
const LONG: std::time::Duration = std::time::Duration::from_secs(60);

/// The lines written to it go into `pipe`, up to the line `end`. Another program has the pipe open:
/// flows that are forked while this one had it would hold it open for ever.
fn writer_of(pipe: &Path) -> ChildStdin {
    let lines = "while read -r line && [ \"$line\" != end ]; do echo \"$line\"; done > \"$1\"";
    let mut shell = Command::new("sh")
        .args(["-c", lines, "sh"])
        .arg(pipe)
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh starts");
    let stdin = shell.stdin.take().expect("a pipe");
    std::thread::spawn(move || shell.wait());
    stdin
}

/// A line was shown when the writer had ended, and lines after the first part were not found.
#[test]
fn lines_of_a_named_pipe_are_shown_as_they_come() {
    let tree = Tree::new();
    for (name, plan) in [
        ("sequential", Plan::of(Model::Sequential, 1)),
        ("usual", Plan::default()),
        ("processes", Plan::of(Model::ProcessPool, 2)),
    ] {
        // Of its own: a process that a test beside this one forks may keep the reader of the pipe before.
        let pipe = tree.join(name);
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut query = tree.query("needle");
        query.roots = vec![pipe.clone()];
        query.line_numbers = true;
        let (to, came) = mpsc::channel();
        let mut writer = writer_of(&pipe);
        let shown = std::thread::spawn(move || {
            let mut shown = Vec::new();
            for part in ["hay\nneedle 1\n", "needle 2\nhay\n", "hay\n", "needle 3\n"] {
                writer.write_all(part.as_bytes()).unwrap();
                if part.contains("needle") {
                    // It comes before the next part is written, or never.
                    shown.push(came.recv_timeout(LONG).expect("it is shown"));
                }
            }
            writer.write_all(b"end\n").unwrap();
            shown
        });
        let mut hands_on = Writes(|bytes: &[u8]| {
            let _nobody_may_listen = to.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        });
        let report = run(&query, &plan, &mut hands_on, &mut |problem| {
            panic!("{problem}")
        });
        assert_eq!(report.unwrap().counts.lines, 3);
        assert_eq!(
            shown.join().unwrap(),
            ["2:needle 1\n", "3:needle 2\n", "6:needle 3\n"]
        );
    }
}
