use std::fs;
use std::io;

use flow::{Body, Outlet};

use super::*;
use crate::testing::{self, prove_all};

fn io(workers: u64, loops: u64, sync: Sync) -> Io {
    Io {
        workers,
        loops,
        block: 4096,
        sync,
        folder: None,
    }
}

#[test]
fn workers_prove_what_is_expected_of_them_and_leave_no_files() {
    let folder = tempfile::tempdir().unwrap();
    for sync in [Sync::Dsync, Sync::Fsync] {
        let io = io(2, 3 * LOOPS_A_BLOCK, sync);
        let proved = prove_all(&io.body(Some(folder.path())));
        assert_eq!(Some(proved), io.expected());
        assert_eq!(proved.count, io.file_bytes());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_not_as_it_was_written_proves_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let io = io(1, LOOPS_A_BLOCK, Sync::Dsync);
    let body = io.body(Some(folder.path()));
    let path = body.path(0);
    body.write(&path, 0).unwrap();
    assert_eq!(Some(body.verify(&path, 0).unwrap()), io.expected());
    let right = fs::read(&path).unwrap();
    let mut flipped = right.clone();
    flipped[77] ^= 1;
    let longer = [right.as_slice(), &right].concat();
    for wrong in [flipped, right[..4000].to_vec(), longer, Vec::new()] {
        fs::write(&path, wrong).unwrap();
        assert_ne!(Some(body.verify(&path, 0).unwrap()), io.expected());
    }
}

#[test]
fn a_folder_that_takes_no_file_fails_the_flow_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let io = io(1, 1, Sync::Dsync);
    let outlet = &mut Outlet::nowhere();
    io.body(Some(&missing)).unit(&mut (), 0, outlet);
    let error = outlet.failure().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

/// Set in a process of this test that may not write large files.
const LIMITED: &str = "FLOWGAUGE_TEST_OF_LIMITED_FILES";

/// A file that may not grow stands for a disk that fills up amid a file.
#[test]
fn a_file_that_is_refused_midway_is_gone_and_its_reason_is_kept() {
    if std::env::var_os(LIMITED).is_none() {
        return in_a_process_of_small_files();
    }
    let folder = tempfile::tempdir().unwrap();
    let io = io(1, 100 * LOOPS_A_BLOCK, Sync::Fsync);
    let outlet = &mut Outlet::nowhere();
    let proof = io.body(Some(folder.path())).unit(&mut (), 0, outlet);
    let error = outlet.failure().unwrap();
    assert_eq!(error.raw_os_error(), Some(libc::EFBIG), "{error}");
    assert_eq!(proof, Proof::default());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Runs the test above where files have 64 blocks of a shell at the most: more than a block
/// of io, and less than all of them.
fn in_a_process_of_small_files() {
    let test = "io::tests::a_file_that_is_refused_midway_is_gone_and_its_reason_is_kept";
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
    let output = std::process::Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env(LIMITED, "yes")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

/// Before the first slot 3e11 blocks were gone through, silently and for minutes.
#[test]
fn more_blocks_than_can_be_expected_one_by_one_are_refused() {
    let most = "use at most 1500000000 loops";
    testing::refused(
        &io(2, LOOPS_A_BLOCK * MOST_BLOCKS / 2, Sync::Dsync),
        &[
            (|io| io.loops = 10_000_000_000_000, most),
            (|io| io.loops = u64::MAX, most),
        ],
    );
}

#[test]
fn parameters_that_cannot_be_are_refused() {
    let good = io(2, 9_000, Sync::Fsync);
    assert_eq!(good.blocks(), 300);
    testing::refused(
        &good,
        &[
            (|io| io.block = 12, "blocks of 12 bytes"),
            (|io| io.block = MOST_BLOCK + 8, "blocks of 67108872 bytes"),
            (|io| io.workers = 0, "at least 1"),
            (|io| io.loops = u64::MAX, "not proved one by one"),
        ],
    );
}
