//! Stores of one's own, and files that are none.

use super::{HEAD, case};
use crate::common::{Home, says};

/// Files that are no store of pages, and what is said of each.
fn no_stores(home: &Home) -> [(&'static str, &'static str); 6] {
    home.write("text.sqlite", "no store ".repeat(999));
    let connection = rusqlite::Connection::open(home.path("bare.sqlite")).unwrap();
    connection.execute_batch("CREATE TABLE other (id)").unwrap();
    let connection = rusqlite::Connection::open(home.path("damaged.sqlite")).unwrap();
    let fill = "CREATE TABLE page (title TEXT, text TEXT);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
                INSERT INTO page SELECT 'p' || i, hex(zeroblob(500)) FROM n;";
    connection.execute_batch(fill).unwrap();
    drop(connection);
    let mut bytes = std::fs::read(home.path("damaged.sqlite")).unwrap();
    bytes[4096..12_288].fill(0xee);
    std::fs::write(home.path("damaged.sqlite"), bytes).unwrap();
    nix::unistd::mkfifo(&home.path("pipe.sqlite"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::create_dir(home.path("folder.sqlite")).unwrap();
    [
        ("text.sqlite", "corrupt or no SQLite file"),
        ("bare.sqlite", "needs a table page"),
        ("damaged.sqlite", "corrupt"),
        ("none.sqlite", "name a file that is there"),
        ("pipe.sqlite", "no regular file"),
        ("folder.sqlite", "no regular file"),
    ]
}

#[test]
fn a_store_that_cannot_be_used_is_refused_and_not_failed_slot_by_slot() {
    let home = Home::new();
    for (name, words) in no_stores(&home) {
        let key = format!("store = \"{name}\"");
        let case = case("off", &key, &["thread", "process"]).replace("page_size = \"1K\"\n", "");
        home.write("mine.toml", [HEAD, &case].concat());
        home.run("run mine.toml --out out")
            .refused(2, &[name, words]);
        for wiki in ["wiki", "wiki --server prefork"] {
            home.run(&format!("{wiki} --store {name} --out out"))
                .refused(2, &[name, words]);
        }
        assert!(!home.path("out").exists());
    }
    home.assert_nothing_left();
}

#[test]
fn a_store_of_ones_own_is_named_and_no_page_size_goes_with_it() {
    let home = Home::new();
    let connection = rusqlite::Connection::open(home.path("own.sqlite")).unwrap();
    let fill = "CREATE TABLE page (title TEXT, text TEXT);
                INSERT INTO page VALUES ('One', '== Words ==\nand a [[Two|link]]'), ('Two', 'x');";
    connection.execute_batch(fill).unwrap();
    drop(connection);
    let asked = "wiki --store own.sqlite --requests 20";
    let run = home
        .run(&format!("{asked} --rounds 1 --out out"))
        .answered();
    says(
        &run.stderr,
        &["own.sqlite, parser cache off", "the first 2 of"],
    );
    assert!(!run.stderr.contains("of about"), "{}", run.stderr);
    says(&run.stdout, &["pages 2"]);
    assert!(!run.stdout.contains("page_size"), "{}", run.stdout);
    home.run(&format!("{asked} --page-size 1K"))
        .refused(2, &["--page-size", "--store"]);
    home.assert_nothing_left();
}
