//! Stores of pages, and answers from them.

use flow::Body;

use super::*;
use crate::testing::{self, prove_all};

fn wiki(requests: u64) -> Wiki {
    Wiki {
        requests,
        pages: 5,
        page_size: Bytes(1 << 10),
        cache: false,
        store: None,
        seed: 3,
    }
}

/// A file in which SQLite did that.
fn made(folder: &tempfile::TempDir, name: &str, sql: &str) -> PathBuf {
    let path = folder.path().join(name);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(sql).unwrap();
    path
}

#[test]
fn with_and_without_the_cache_the_answers_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = wiki(40).prepared(Some(folder.path())).unwrap();
    let proof = prove_all(&prepared);
    assert_eq!(proof.count, 40);
    let other = tempfile::tempdir().unwrap();
    let cached = Wiki {
        cache: true,
        ..wiki(40)
    };
    let cached = cached.prepared(Some(other.path())).unwrap();
    assert_eq!(prove_all(&cached), proof);
    let mut desk = prepared.state(0);
    testing::prove(&prepared, &mut desk, 0);
    assert_eq!(prepared.latencies(&desk).unwrap().count(), 1);
}

#[test]
fn a_store_of_ones_own_is_read_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let pages = "CREATE TABLE page (title TEXT, text TEXT);
        INSERT INTO page VALUES ('B', '{{T|x}}'), ('A', '''''a'''''), ('Template:T', 'y {{{1}}}');";
    let own = made(&folder, "own.sqlite", pages);
    let before = std::fs::read(&own).unwrap();
    let wiki = Wiki {
        store: Some(own.clone()),
        ..wiki(10)
    };
    let prepared = wiki.prepared(Some(folder.path())).unwrap();
    assert_eq!(prove_all(&prepared).count, 10);
    assert_eq!(std::fs::read(&own).unwrap(), before);
}

#[test]
fn a_store_that_is_none_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, words: &[&str]| {
        let wiki = Wiki {
            store: Some(folder.path().join(name)),
            ..wiki(1)
        };
        let error = wiki.prepared(Some(folder.path())).unwrap_err().to_string();
        for word in words.iter().chain(&[name]) {
            assert!(error.contains(word), "{word} in {error}");
        }
    };
    refused("missing", &["name a file that is there"]);
    std::fs::write(folder.path().join("text"), "no store".repeat(999)).unwrap();
    refused("text", &["corrupt or no SQLite file"]);
    made(&folder, "other", "CREATE TABLE a (b)");
    refused("other", &["no such table: page", "columns title and text"]);
    let no_pages = "CREATE TABLE page (title TEXT, text TEXT)";
    made(&folder, "other", no_pages);
    refused("other", &["no pages"]);
}

#[test]
fn pages_that_are_none_are_told_by_their_titles_in_the_file_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (rows, words)) in [
        ("('A', 'a'), ('B', 'b'), ('A', 'c')", "the title 'A' twice"),
        ("('A', 'a'), (NULL, 'b')", "a title that is NULL"),
        ("('A', NULL)", "a page 'A' whose text is NULL"),
        ("('A', x'00ff')", "a page 'A' whose text is a BLOB"),
        ("(7, 'a')", "a title that is a number"),
        ("('', 'a')", "a page whose title is empty"),
        (
            "('A', CAST(x'c3' AS TEXT))",
            "a page 'A' whose text is not in UTF-8",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let sql = format!("CREATE TABLE page (title, text); INSERT INTO page VALUES {rows}");
        let path = made(&folder, &format!("own-{number}.sqlite"), &sql);
        let error = check_store(&path).unwrap_err().to_string();
        let beginning = format!("the page store {} has {words}", path.display());
        assert!(error.starts_with(&beginning), "{error}");
    }
}

#[test]
fn titles_that_differ_in_case_alone_are_two() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "CREATE TABLE page (title TEXT COLLATE NOCASE, text TEXT);
        INSERT INTO page VALUES ('A', '1'), ('a', '2'), ('B', '3')";
    let path = made(&folder, "own.sqlite", sql);
    let titles = store::Store::read_all(&path).unwrap();
    let titles: Vec<String> = titles.into_iter().map(|page| page.title).collect();
    assert_eq!(titles, ["A", "B", "a"]);
}

/// A page table may be a view, and a view need not end.
#[test]
fn a_store_whose_pages_do_not_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let view = "CREATE VIEW page AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                SELECT 'p' || i AS title, hex(zeroblob(500000)) AS text FROM n";
    let error = check_store(&made(&folder, "endless.sqlite", view))
        .unwrap_err()
        .to_string();
    assert!(error.contains("1 GiB") || error.contains("20 s"), "{error}");
}

#[test]
fn a_store_that_is_damaged_is_found_before_the_flows_begin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    let pages = generated(20, 4 << 10, 1);
    store::Store::make(&path, &pages).unwrap().close().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096 * 4].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let wiki = Wiki {
        store: Some(path),
        ..wiki(1)
    };
    let error = wiki.prepared(Some(folder.path())).unwrap_err().to_string();
    assert!(
        error.contains("corrupt") && error.contains("damaged"),
        "{error}"
    );
}

#[test]
#[should_panic(expected = "request 1 failed: the page '")]
fn an_answer_that_differs_ends_the_flow() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = wiki(1).prepared(Some(folder.path())).unwrap();
    let change = "UPDATE page SET text = text || 'x'";
    made(&folder, "wiki.sqlite", change);
    prove_all(&prepared);
}

#[test]
fn parameters_that_cannot_be_are_refused() {
    testing::refused(
        &wiki(1),
        &[
            (|wiki| wiki.requests = 0, "requests is 0"),
            (|wiki| wiki.pages = 0, "0 pages"),
            (|wiki| wiki.page_size = Bytes(2 << 20), "2 MiB"),
        ],
    );
}
