//! Which files are searched: ignore files, hidden names, globs.

use std::fs;

use search::{Filter, Model, Plan};

use super::common::Tree;

fn names(tree: &Tree, filter: Filter) -> Vec<String> {
    let mut query = tree.query("x");
    query.filter = filter;
    query.show = search::Show::Files;
    let found = tree.run(&query, &Plan::of(Model::Sequential, 1));
    assert_eq!(found.problems, Vec::<String>::new());
    found.lines
}

fn by_default(tree: &Tree) -> Vec<String> {
    names(tree, Filter::default())
}

#[test]
fn hidden_names_are_left_out() {
    let tree = Tree::of(&[("a", "x"), (".b", "x"), (".c/d", "x")]);
    assert_eq!(by_default(&tree), ["a"]);
    let all = Filter {
        hidden: true,
        ..Filter::default()
    };
    assert_eq!(names(&tree, all), [".b", ".c/d", "a"]);
}

#[test]
fn rules_of_git_count_in_a_repository_only() {
    let tree = Tree::of(&[(".gitignore", "a\n"), ("a", "x"), ("b", "x")]);
    assert_eq!(by_default(&tree), ["a", "b"]);
    fs::create_dir(tree.join(".git")).unwrap();
    assert_eq!(by_default(&tree), ["b"]);
    tree.write(".git/info/exclude", "b\n");
    assert_eq!(by_default(&tree), Vec::<String>::new());
    let none = Filter {
        no_ignore: true,
        ..Filter::default()
    };
    assert_eq!(names(&tree, none), ["a", "b"]);
}

#[test]
fn rules_of_git_end_at_the_border_of_a_repository() {
    let tree = Tree::of(&[
        (".git/HEAD", ""),
        (".gitignore", "*.log\n"),
        (".ignore", "*.tmp\n"),
        ("a.log", "x"),
        ("inner/.git/HEAD", ""),
        ("inner/a.log", "x"),
        ("inner/a.tmp", "x"),
    ]);
    assert_eq!(by_default(&tree), ["inner/a.log"]);
}

#[test]
fn nearer_rules_and_stronger_files_win() {
    let tree = Tree::of(&[
        (".git/HEAD", ""),
        (".gitignore", "*.o\nbuild/\n/top\n"),
        ("sub/.gitignore", "!keep.o\n"),
        ("x.o", "x"),
        ("sub/x.o", "x"),
        ("sub/keep.o", "x"),
        ("build/a", "x"),
        ("top", "x"),
        ("sub/top", "x"),
        (".ignore", "!x.o\n"),
        ("sub/.rgignore", "x.o\n"),
    ]);
    assert_eq!(by_default(&tree), ["sub/keep.o", "sub/top", "x.o"]);
}

#[test]
fn rules_above_the_root_count() {
    let tree = Tree::of(&[
        (".git/HEAD", ""),
        (".gitignore", "/a/b/skip\n*.o\n"),
        ("a/.ignore", "b/also\n"),
        ("a/b/skip", "x"),
        ("a/b/also", "x"),
        ("a/b/x.o", "x"),
        ("a/b/kept", "x"),
    ]);
    let mut query = tree.query("x");
    query.roots = vec![tree.join("a/b")];
    for model in [Model::Sequential, Model::ProcessPool] {
        let found = tree.run(&query, &Plan::of(model, 2));
        assert_eq!(found.lines, ["a/b/kept:x"]);
    }
}

#[test]
fn a_worktree_shares_the_exclusions_of_its_repository() {
    let tree = Tree::of(&[
        ("main/.git/info/exclude", "secret\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("w/secret", "x"),
        ("w/open", "x"),
    ]);
    let real = tree.join("main/.git/worktrees/w");
    tree.write("w/.git", format!("gitdir: {}\n", real.display()));
    assert_eq!(by_default(&tree), ["w/open"]);
}

#[test]
fn globs_go_before_everything() {
    let tree = Tree::of(&[
        (".ignore", "b.rs\n"),
        ("a.rs", "x"),
        ("b.rs", "x"),
        ("c.md", "x"),
        (".d.rs", "x"),
        ("sub/e.rs", "x"),
    ]);
    let with = |globs: &[&str]| {
        names(
            &tree,
            Filter {
                globs: globs.iter().map(|&glob| glob.to_owned()).collect(),
                ..Filter::default()
            },
        )
    };
    assert_eq!(with(&["*.rs"]), [".d.rs", "a.rs", "b.rs", "sub/e.rs"]);
    assert_eq!(with(&["*.rs", "!a*"]), [".d.rs", "b.rs", "sub/e.rs"]);
    assert_eq!(with(&["!*.rs"]), ["c.md"]);
    assert_eq!(with(&["!**/sub/**"]), ["a.rs", "c.md"]);
}

#[test]
fn a_glob_that_makes_no_sense_is_an_error() {
    let tree = Tree::of(&[("a", "x")]);
    let mut query = tree.query("x");
    query.filter.globs = vec!["a[".to_owned()];
    let error = search::run(&query, &Plan::default(), &mut Vec::new(), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("'a['"), "{error}");
}

#[test]
fn rules_that_stand_in_a_later_part_of_a_large_folder_count() {
    let tree = Tree::new();
    for file in 0..1_000 {
        tree.write(
            format!("a-name-that-takes-up-room-in-a-listing-{file}"),
            "x",
        );
    }
    tree.write(".ignore", "a-name-*1\n");
    assert_eq!(by_default(&tree).len(), 900);
}

#[test]
fn lines_that_are_no_globs_are_left_out() {
    let tree = Tree::new();
    tree.write(".ignore", b"a[\n\xEF\xBB\xBFb\n# c\n\nd\r\n");
    for name in ["a[", "c", "d", "e"] {
        tree.write(name, "x");
    }
    assert!(!by_default(&tree).contains(&"d".to_owned()));
    assert!(by_default(&tree).contains(&"c".to_owned()));
}
