//! The same results as ripgrep, where it is installed (15 or newer: `RIPGREP` names it, or it
//! is `rg` on the path).

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::common::Tree;

/// ripgrep, if there is one that is new enough.
fn ripgrep() -> Option<String> {
    let program = std::env::var("RIPGREP").unwrap_or_else(|_| "rg".to_owned());
    let told = Command::new(&program).arg("--version").output().ok()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let major = told.split_whitespace().nth(1)?.split('.').next()?;
    (major.parse::<u32>().ok()? >= 15).then_some(program)
}

const FILES: &[(&str, &[u8])] = &[
    (".git/HEAD", b"x\n"),
    (".git/info/exclude", b"excluded\n"),
    (
        ".gitignore",
        b"*.o\nbuild/\n/top\n!kept.o\nsub/**/deep.txt\nfoo[!a]\n\\#odd\n",
    ),
    (".ignore", b"*.tmp\n!allowed.tmp\n"),
    (".rgignore", b"rare\n!sub/x.o\n"),
    ("sub/.gitignore", b"!x.o\nlocal\n/anchored\n"),
    ("sub/inner/.git/HEAD", b"x\n"),
    ("excluded", b"needle\n"),
    ("x.o", b"needle\n"),
    ("kept.o", b"needle\n"),
    ("top", b"needle\n"),
    ("sub/top", b"needle\n"),
    ("sub/x.o", b"needle\n"),
    ("sub/local", b"needle\n"),
    ("sub/anchored", b"needle\n"),
    ("sub/a/anchored", b"needle\n"),
    ("sub/a/b/deep.txt", b"needle\n"),
    ("sub/inner/x.o", b"needle\n"),
    ("sub/inner/build/a", b"needle\n"),
    ("build/a", b"needle\n"),
    ("a.tmp", b"needle\n"),
    ("allowed.tmp", b"needle\n"),
    ("rare", b"needle\n"),
    ("foob", b"needle\n"),
    ("fooa", b"needle\n"),
    ("#odd", b"needle\n"),
    (".hidden/a", b"needle\n"),
    ("with space", b"a needle, a Needle, needles\nneedle"),
    ("crlf.txt", b"needle\r\nhay needle\r\n"),
    ("empty", b""),
    ("feed", b"\n"),
    ("mark-alone", b"\xEF\xBB\xBF"),
    ("little-mark-alone", b"\xFF\xFE"),
    ("big-mark-alone", b"\xFE\xFF"),
    ("latin", b"caf\xE9 needle\nn\xE9edle\n"),
    ("utf8.txt", "né needle ß\nNÉEDLE\n".as_bytes()),
    ("mark.txt", b"\xEF\xBB\xBFneedle\n"),
    ("binary-first", b"\0needle\n"),
    ("binary-last", b"needle\nhay\n\0"),
    ("code.rs", b"fn needle_at(x: u32) -> u32 {\n    x[0]\n}\n"),
];

/// Folders, rules, text and no text of many kinds.
fn odd() -> Tree {
    let tree = Tree::of(FILES);
    let hay = "hay and more hay, so that there are many windows of it\n";
    tree.write("windows", hay.repeat(3_000) + "needle\n" + &hay.repeat(10));
    tree.write(
        "binary-far",
        "needle\n".to_owned() + &hay.repeat(5_000) + "\0\nneedle\n",
    );
    // Not longer: the buffer of ripgrep would stay larger for files that follow, and what it
    // shows of files that turn out to be binary would depend on that.
    tree.write(
        "long-line",
        "x".repeat(30_000)
            + "needle"
            + &"y".repeat(30_000)
            + "
hay
",
    );
    let utf16 = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(order).collect()
    };
    tree.write("little.txt", utf16("a needle é\nhay\n", u16::to_le_bytes));
    tree.write("big.txt", utf16("a needle é\nhay\n", u16::to_be_bytes));
    for file in 0..900 {
        tree.write(
            &format!("flat/a-long-name-that-fills-listings-{file}"),
            format!("needle {file}\n"),
        );
    }
    tree.write("flat/.ignore", "*7\n");
    symlink("..", tree.path().join("sub/up")).expect("a link");
    symlink("with space", tree.path().join("link")).expect("a link");
    tree
}

fn sorted(output: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = output
        .split(|&byte| byte == b'\n')
        // Said by ripgrep among the results, and here on standard error.
        .filter(|line| !String::from_utf8_lossy(line).contains("stopped searching binary file"))
        .map(<[u8]>::to_vec)
        .collect();
    lines.sort();
    lines
}

const QUERIES: &[&[&str]] = &[
    &["needle"],
    &["-n", "needle"],
    &["-c", "needle"],
    &["-l", "needle"],
    &["-c", "-l", "needle"],
    &["-l", "-c", "needle"],
    &["-n", r"needle\x00"],
    &["-n", r"needle|\x00"],
    &["-i", "-n", "needle"],
    &["-w", "needle"],
    &["-i", "-w", "-c", "needle"],
    &["-F", "x[0]"],
    &["-n", r"\bneed\w+"],
    &["-n", r"needle\s"],
    &["-n", "^needle$"],
    &["-c", "^"],
    &["-n", "^$"],
    &["-n", "é|ß"],
    &["-i", "é"],
    &["-n", r"(?-u)\xE9"],
    &["-n", r"\Aneedle\z"],
    &["-c", ""],
    &["-l", r"[^n]eedle|hay\b.*\bit"],
    &["--hidden", "-l", "needle"],
    &["--no-ignore", "-l", "needle"],
    &["--no-ignore", "--hidden", "-c", "needle"],
    &["-g", "*.txt", "-n", "needle"],
    &["-g", "!*.txt", "-l", "needle"],
    &["-g", "*.{o,rs}", "-l", "needle"],
    &["-g", "sub/**", "-l", "needle"],
    &["-g", "!flat", "-g", "kept*", "-l", "needle"],
    &["-a", "-c", "needle"],
    &["-a", "-n", r"\x00needle"],
    &["nothing-like-it"],
];

#[test]
fn every_flag_finds_what_ripgrep_finds() {
    let Some(ripgrep) = ripgrep() else {
        return skipped::skipped("ripgrep 15 or newer is not installed (RIPGREP names it)");
    };
    let tree = odd();
    let roots: [&[&str]; 5] = [
        &[],
        &["."],
        &["sub", "flat"],
        &["windows"],
        &["sub/inner/", "crlf.txt"],
    ];
    for (query, roots) in QUERIES
        .iter()
        .flat_map(|query| roots.map(|roots| (query, roots)))
    {
        let ours = tree
            .command(&[*query, roots].concat())
            .output()
            .expect("it starts");
        let theirs = Command::new(&ripgrep)
            .args(["--no-config", "--no-heading", "--color", "never"])
            .args(*query)
            .args(if roots.is_empty() { &["./"] } else { roots })
            .current_dir(tree.path())
            .output()
            .expect("it starts");
        // Without a root paths are shown without `./`.
        let strip = |lines: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
            let cut = |line: Vec<u8>| {
                line.strip_prefix(b"./")
                    .map_or(line.clone(), <[u8]>::to_vec)
            };
            let mut cut: Vec<Vec<u8>> = lines.into_iter().map(cut).collect();
            cut.sort();
            cut
        };
        let (mut ours_lines, mut theirs_lines) = (sorted(&ours.stdout), sorted(&theirs.stdout));
        if roots.is_empty() {
            (ours_lines, theirs_lines) = (strip(ours_lines), strip(theirs_lines));
        }
        let show = |lines: &[Vec<u8>]| {
            String::from_utf8_lossy(&lines.concat())
                .chars()
                .take(500)
                .collect::<String>()
        };
        assert!(
            ours_lines == theirs_lines,
            "{query:?} {roots:?}\nours: {}\ntheirs: {}",
            show(&ours_lines),
            show(&theirs_lines)
        );
        assert_eq!(
            ours.status.code(),
            theirs.status.code(),
            "{query:?} {roots:?}"
        );
    }
}

#[test]
fn rules_above_the_root_are_those_of_ripgrep() {
    let Some(ripgrep) = ripgrep() else {
        return skipped::skipped("ripgrep 15 or newer is not installed (RIPGREP names it)");
    };
    let tree = odd();
    for folder in ["sub", "sub/a", "sub/inner", "flat", "build"] {
        let below = tree.path().join(folder);
        if !fs::exists(&below).expect("it can be told") {
            continue;
        }
        let ours = tree
            .command(&["-l", "needle"])
            .current_dir(&below)
            .output()
            .expect("it starts");
        let theirs = Command::new(&ripgrep)
            .args(["--no-config", "-l", "needle", "./"])
            .current_dir(&below)
            .output()
            .expect("it starts");
        let theirs = String::from_utf8_lossy(&theirs.stdout).replace("./", "");
        assert_eq!(sorted(&ours.stdout), sorted(theirs.as_bytes()), "{folder}");
    }
}
