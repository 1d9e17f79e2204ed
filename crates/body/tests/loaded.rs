//! A body of C that is loaded: what it is called with, and that the loader allocates nothing between.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(feature = "load")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use body::{Loaded, Proof, Refused};

const SOURCE: &str = r#"
#include "flowgauge.h"
static const char *const names[] = {"n", NULL};
static uint64_t n, ended, finished;
static int prepare(const flowgauge_arg *args, size_t count, void **shared) { n = count ? args[0].value : 1; *shared = &n; return 0; }
static int begin(void *shared, uint64_t flow, void **own) { *own = (void *)(flow + 1); return flow == 9 ? 4 : *(uint64_t *)shared == n ? 0 : 2; }
static int unit(void *shared, void *own, uint64_t unit, uint64_t ops, flowgauge_proof *proof) {
    proof->count = ops; proof->checksum = *(uint64_t *)shared * unit + (uint64_t)own; return unit == 99 ? 6 : 0;
}
static void end(void *shared, void *own) { (void)shared, (void)own; ended++; }
static void finish(void *shared) { (void)shared; finished++; }
FLOWGAUGE_EXPORT const flowgauge_body_v1 flowgauge_body = {
    .version = 1, .stack_bytes = 65536, .args = names, .prepare = prepare, .begin = begin, .unit = unit, .end = end, .finish = finish };
"#;

fn compiled(folder: &Path) -> PathBuf {
    let [source, library] = ["mine.c", "libmine.so"].map(|name| folder.join(name));
    std::fs::write(&source, SOURCE).unwrap();
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
    let mut compiler = Command::new("cc");
    let compiler = compiler.args(["-O2", "-shared", "-fPIC", "-I", header, "-o"]);
    let compiled = compiler.arg(&library).arg(source).status().unwrap();
    assert!(compiled.success());
    library
}

#[test]
fn a_body_is_called_as_the_header_says_and_no_memory_is_taken_between() {
    let folder = tempfile::tempdir().unwrap();
    let args = BTreeMap::from([("n".to_owned(), 3)]);
    let body = Loaded::open(&compiled(folder.path()), &args).unwrap();
    assert_eq!((body.may_be_fiber(), body.stack_bytes()), (false, 65_536));
    let mut flow = body.begin(4).unwrap();
    let mut sum = 0;
    let allocated = allocation_counter::measure(|| {
        let mut checksum = |unit| flow.unit(unit, 7).unwrap().checksum;
        sum = (0..50).map(&mut checksum).sum();
    });
    let expected: u64 = (0..50).map(|unit| 3 * unit + 5).sum();
    assert_eq!((sum, allocated.count_total), (expected, 0));
    let (count, checksum) = (7, 8);
    assert_eq!(flow.unit(1, 7), Ok(Proof { count, checksum }));
    let refused = |function, code| Refused { function, code };
    assert_eq!(flow.unit(99, 1), Err(refused("unit", 6)));
    assert_eq!(body.begin(9).err(), Some(refused("begin", 4)));
}

/// A thread that `prepare` had started ran in code that was unloaded: the slot ended by SIGSEGV in place of its reason.
#[test]
fn a_library_stays_when_its_body_goes() {
    let folder = tempfile::tempdir().unwrap();
    let library = compiled(folder.path());
    drop(Loaded::open(&library, &BTreeMap::new()).unwrap());
    let mapped = std::fs::read_to_string("/proc/self/maps").unwrap();
    assert!(mapped.contains(library.to_str().unwrap()), "{mapped}");
}
