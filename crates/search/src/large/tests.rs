//! What flows find together is what one flow finds, whatever the text and wherever it is cut.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use proptest::prelude::*;
use sys::Alone;

use super::Sizes;
use crate::escape::Escape;
use crate::models;
use crate::plan::{Model, Plan};
use crate::problem::Problem;
use crate::query::{Query, Show};
use crate::report::Counts;
use crate::{How, Pattern};

/// Everything tiny: chunks of two blocks, and results that spill after a line.
const TINY: Sizes = Sizes {
    block: 8,
    chunk: 16,
    large: 16,
    head: 2,
    spill: 16,
};

#[derive(Debug, PartialEq)]
struct Found {
    out: String,
    said: Vec<String>,
    counts: Counts,
}

fn search(query: &Query, model: Option<Model>, workers: u32, sizes: Sizes) -> Found {
    let (mut out, mut said) = (Vec::new(), Vec::new());
    let plan = Plan {
        model,
        proof: true,
        ..Plan::of(Model::Sequential, workers)
    };
    let mut say = |problem: &Problem| said.push(problem.to_string());
    let report =
        models::run(query, &plan, sizes, Alone::now, &mut out, &mut say).expect("a search");
    Found {
        out: String::from_utf8_lossy(&out).into_owned(),
        said,
        counts: report.counts,
    }
}

/// Text of lines that are long, short or empty, with what makes searching hard.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => Just(b"needle\n".to_vec()),
        8 => Just(b"\n".to_vec()),
        4 => Just(b"a needle\r\n".to_vec()),
        4 => Just(b"hay".to_vec()),
        2 => Just(vec![b'x'; 41]),
        2 => Just(b"hay\nhay\n".to_vec()),
        1 => Just(b"ne".to_vec()),
    ];
    let mark = prop_oneof![
        4 => Just(b"".to_vec()),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
        1 => Just(b"\xFF\xFE".to_vec()),
    ];
    let nul = prop_oneof![2 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)];
    let nuls = (nul.clone(), nul);
    (mark, prop::collection::vec(piece, 0..80), nuls).prop_map(|(mark, pieces, nuls)| {
        let mut text = [mark, pieces.concat()].concat();
        for index in [nuls.0, nuls.1].into_iter().flatten() {
            let at = index.index(text.len().max(1));
            if let Some(byte) = text.get_mut(at) {
                *byte = 0;
            }
        }
        text
    })
}

fn query(pattern: &str, root: &Path, show: Show, flags: (bool, bool, bool)) -> Query {
    let (named, text, colour) = flags;
    let how = How {
        text,
        ..How::default()
    };
    let mut query = Query::new(Pattern::new(pattern, how).expect("a pattern"));
    query.roots = vec![if named {
        root.join("file")
    } else {
        root.to_owned()
    }];
    query.show = show;
    query.line_numbers = true;
    query.filter.text = text;
    query.colour = colour;
    query.escape = Escape::Nothing;
    query
}

const MODELS: [(Option<Model>, u32); 6] = [
    (Some(Model::ThreadPool), 1),
    (Some(Model::ThreadPool), 2),
    (Some(Model::ThreadPool), 5),
    (Some(Model::ThreadPrivateFiles), 3),
    (Some(Model::Fiber), 3),
    (None, 3),
];

proptest! {
    #[test]
    fn a_file_that_is_cut_gives_what_one_flow_finds(
        text in texts(),
        pattern in prop::sample::select(vec!["needle", "n[e]+dle", "", "x", "^$", "hay"]),
        show in prop::sample::select(vec![Show::Lines, Show::Count, Show::Files]),
        flags in any::<(bool, bool, bool)>(),
        (sort, line_numbers) in any::<(bool, bool)>(),
        (model, workers) in prop::sample::select(MODELS.to_vec()),
        chunk in 1_usize..4,
    ) {
        let tree = tempfile::tempdir().unwrap();
        fs::write(tree.path().join("file"), &text).unwrap();
        let mut query = query(pattern, tree.path(), show, flags);
        (query.sort, query.line_numbers) = (sort, line_numbers);
        let sizes = Sizes { chunk: chunk * TINY.block, ..TINY };
        let one = search(&query, Some(Model::Sequential), 1, sizes);
        prop_assert_eq!(search(&query, model, workers, sizes), one);
    }
}

/// Lines of a file stand together and in their order, also when several files are large.
#[test]
fn several_large_files_do_not_mix() {
    let tree = tempfile::tempdir().unwrap();
    for file in 0..5 {
        let text: String = (0..400)
            .map(|line| format!("needle {file} {line}\n"))
            .collect();
        fs::write(tree.path().join(format!("file-{file}")), text).unwrap();
        fs::write(tree.path().join(format!("small-{file}")), "needle\n").unwrap();
    }
    let sizes = Sizes {
        chunk: 64,
        large: 64,
        ..TINY
    };
    for (model, workers) in MODELS {
        let query = query("needle", tree.path(), Show::Lines, (false, false, false));
        let one = search(&query, Some(Model::Sequential), 1, sizes);
        let found = search(&query, model, workers, sizes);
        assert_eq!(found.counts, one.counts, "{model:?}");
        for file in 0..5 {
            let of = |found: &Found| {
                let mark = format!("file-{file}:");
                let lines = found.out.lines().enumerate();
                let of = lines.filter(|(_, line)| line.contains(&mark));
                of.map(|(at, line)| (at, line.to_owned()))
                    .collect::<Vec<_>>()
            };
            let (own, wanted) = (of(&found), of(&one));
            assert_eq!(own.len(), 400);
            assert_eq!(
                own[399].0 - own[0].0,
                399,
                "{model:?}: others stand between"
            );
            let text = |lines: Vec<(usize, String)>| {
                lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>()
            };
            assert_eq!(text(own), text(wanted), "{model:?}");
        }
    }
}

/// Closed after a few bytes.
struct Closes(usize);

impl Write for Closes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.checked_sub(bytes.len()) {
            None => Err(io::ErrorKind::BrokenPipe.into()),
            Some(left) => {
                self.0 = left;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn output_that_is_closed_ends_the_search_of_a_large_file() {
    let tree = tempfile::tempdir().unwrap();
    fs::write(tree.path().join("file"), "needle\n".repeat(20_000)).unwrap();
    for (model, workers) in MODELS {
        let query = query("needle", tree.path(), Show::Lines, (true, false, false));
        let plan = Plan {
            model,
            ..Plan::of(Model::Sequential, workers)
        };
        let mut out = Closes(5_000);
        let report = models::run(&query, &plan, TINY, Alone::now, &mut out, &mut |_| {});
        assert!(report.expect("a search").output_closed, "{model:?}");
    }
}

/// Files that are larger than two chunks of the usual size.
#[test]
fn the_usual_sizes_cut_too() {
    let tree = tempfile::tempdir().unwrap();
    let mut text = "hay and more of it\n".repeat(200_000);
    text.insert_str(1_900_000, "needle");
    text.push_str("needle");
    fs::write(tree.path().join("file"), text).unwrap();
    for show in [Show::Lines, Show::Count, Show::Files] {
        let query = query("needle", tree.path(), show, (false, false, true));
        let one = search(&query, Some(Model::Sequential), 1, Sizes::USUAL);
        for (model, workers) in MODELS {
            assert_eq!(
                search(&query, model, workers, Sizes::USUAL),
                one,
                "{model:?}"
            );
        }
    }
}
