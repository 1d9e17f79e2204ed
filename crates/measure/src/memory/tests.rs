use std::fs;
use std::path::Path;
use std::time::Duration;

use super::*;

const ROLLUP: &str = "\
55651ab82000-7ffd0441c000 ---p 00000000 00:00 0                          [rollup]
Rss:                1656 kB
Pss:                 454 kB
Pss_Dirty:           112 kB
Pss_Anon:            112 kB
";
const STATUS: &str = "\
Name:\tcat
State:\tR (running)
VmPeak:\t    3060 kB
VmHWM:\t    1588 kB
VmRSS:\t    1580 kB
VmPTE:\t      44 kB
Threads:\t3
";
const ZOMBIE: &str = "Name:\tsleep\nState:\tZ (zombie)\nThreads:\t1\n";
const STACK: u64 = 16_384;

/// A sampler of processes from 10 on, of each of which these are the files.
fn sampler(processes: &[(&str, Option<&str>)]) -> (tempfile::TempDir, Sampler) {
    let root = tempfile::tempdir().unwrap();
    for (pid, (status, rollup)) in (10_i32..).zip(processes) {
        let dir = root.path().join(pid.to_string());
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("status"), status).unwrap();
        if let Some(rollup) = rollup {
            fs::write(dir.join("smaps_rollup"), rollup).unwrap();
        }
    }
    let sampler = Sampler::below(root.path(), STACK);
    (root, sampler)
}

const CAT: (&str, Option<&str>) = (STATUS, Some(ROLLUP));

#[test]
fn a_group_is_the_sum_of_its_processes() {
    let (_root, mut sampler) = sampler(&[CAT, CAT]);
    let memory = sampler.of(&[10, 11]).unwrap();
    let expected = Memory {
        pss: 2 * 454 * 1_024,
        page_tables: 2 * 44 * 1_024,
        kernel_stacks: 6 * STACK,
        rss: 2 * 1_656 * 1_024,
        processes: 2,
        tasks: 6,
        peak_rss: Some(2 * 1_588 * 1_024),
        first_rss: Some(1_656 * 1_024),
        ..Memory::default()
    };
    assert_eq!(memory, expected);
    assert_eq!(memory.total(), 2 * (454 + 44 + 48) * 1_024);
    let slab = Some(5);
    assert_eq!(Memory { slab, ..memory }.total(), memory.total() + 5);
}

#[test]
fn the_first_process_of_several_is_known_apart_from_the_others() {
    let [small, large] = ["600", "800"].map(|rss| ROLLUP.replace("1656", rss));
    let [small, large] = [&small, &large].map(|rollup| (STATUS, Some(rollup.as_str())));
    let (_root, mut sampler) = sampler(&[CAT, small, large]);
    let memory = sampler.of(&[10, 11, 12]).unwrap();
    assert_eq!(memory.first_rss, Some(1_656 * 1_024));
    assert_eq!(memory.other_rss(), Some(700 * 1_024));
    let alone = sampler.of(&[10]).unwrap();
    assert_eq!((alone.first_rss, alone.other_rss()), (None, None));
    let old = serde_json::to_string(&alone).unwrap();
    assert!(!old.contains("first_rss"), "{old}");
    assert_eq!(serde_json::from_str::<Memory>(&old).unwrap(), alone);
}

#[test]
fn a_heap_is_on_large_pages_as_far_as_the_kernel_says() {
    let heap = "Anonymous: 6144 kB\nAnonHugePages: 4096 kB\nPrivate_Hugetlb: 2048 kB\n";
    let rollup = format!("{ROLLUP}{heap}");
    let told = (STATUS, Some(rollup.as_str()));
    let (_root, mut sampler) = sampler(&[told, told, CAT]);
    let heap = sampler.of(&[10, 11]).unwrap().heap.unwrap();
    assert_eq!((heap.bytes, heap.large), (16 << 20, 12 << 20));
    assert_eq!(heap.share(), Some(0.75));
    assert_eq!(sampler.of(&[10, 12]).unwrap().heap, None);
}

#[test]
fn a_peak_that_one_process_lacks_the_group_lacks() {
    let status = STATUS.replace("VmHWM", "VmXXX");
    let (_root, mut sampler) = sampler(&[CAT, (&status, Some(ROLLUP))]);
    let memory = sampler.of(&[10, 11]).unwrap();
    assert_eq!(memory.peak_rss, None);
}

#[test]
fn page_tables_of_old_kernels_are_in_two_lines() {
    let status = Status::parse(&STATUS.replace("VmPTE:", "VmPMD:\t  12 kB\nVmPTE:")).unwrap();
    assert_eq!(status.page_tables, 56 * 1_024);
}

#[test]
fn without_smaps_rollup_there_is_rss_under_its_own_name() {
    let (_root, mut sampler) = sampler(&[(STATUS, None)]);
    assert!(matches!(
        sampler.of(&[10]),
        Err(MemoryError::NotAvailable { .. })
    ));
    match sampler.reading(&[10]).unwrap() {
        Reading::RssOnly { rss, remedy, .. } => {
            assert_eq!(rss, 1_580 * 1_024);
            assert!(remedy.contains("4.14"));
        }
        honest => panic!("{honest:?}"),
    }
}

#[test]
fn an_ended_process_is_an_error_and_not_a_smaller_sum() {
    let (_root, mut sampler) = sampler(&[CAT, (ZOMBIE, Some(ROLLUP))]);
    for gone in [11, 12] {
        assert_eq!(
            sampler.reading(&[10, gone]),
            Err(MemoryError::Ended { pid: gone })
        );
    }
}

#[test]
fn this_process_reads_itself_quickly() {
    let pid = std::process::id() as i32;
    let mut sampler = Sampler::new();
    let memory = match sampler.of(&[pid]) {
        Ok(memory) => memory,
        Err(error) => return skipped::skipped(error),
    };
    // Beside tests that map pages between its two readings, its PSS may be above its RSS.
    assert!(memory.pss > 0 && memory.rss > 0);
    assert!(memory.page_tables > 0 && memory.tasks >= 1);
    assert!(memory.total() > memory.pss);
    let start_ns = crate::clock::thread_cpu_ns();
    for _ in 0..100 {
        sampler.of(&[pid]).unwrap();
    }
    // 60 us each; the bound only catches a reading that became a walk.
    let took_ns = crate::clock::thread_cpu_ns() - start_ns;
    assert!(took_ns < 1_000_000_000, "{took_ns} ns");
}

#[test]
fn a_larger_heap_is_seen() {
    let pid = std::process::id() as i32;
    let before = match of(&[pid]) {
        Ok(before) => before,
        Err(error) => return skipped::skipped(error),
    };
    let block = vec![1u8; 256 << 20];
    let after = of(&[pid]).unwrap();
    std::hint::black_box(&block);
    // Other tests of this process may have freed some memory meanwhile.
    let grown = before.pss + (192 << 20);
    assert!(after.pss >= grown, "{before:?} {after:?}");
}

#[test]
fn a_process_of_another_user_is_forbidden_with_a_remedy() {
    // Process 1 belongs to root; root may read it, others get EACCES.
    match of(&[1]) {
        Ok(memory) => assert!(memory.processes == 1),
        Err(MemoryError::NotAvailable { reason, remedy }) => {
            assert!(reason.contains("forbidden") && remedy.contains("root"));
            assert!(matches!(reading(&[1]), Ok(Reading::RssOnly { .. })));
        }
        Err(ended) => panic!("{ended}"),
    }
}

/// Processes that are ended when the test is.
struct Idle(Vec<std::process::Child>);

impl Idle {
    fn start(count: usize) -> Self {
        let sleep = || std::process::Command::new("sleep").arg("600").spawn();
        Self((0..count).map(|_| sleep().unwrap()).collect())
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _it_may_have_ended = child.kill();
            let _it_may_have_ended = child.wait();
        }
    }
}

/// What a process holds once it has come to rest: it sleeps as its program says, and is neither the
/// copy of this one that becomes it nor waits for a CPU or a disk while it begins.
fn at_rest(pid: i32) -> Memory {
    let mut before = None;
    loop {
        let now = of(&[pid]).unwrap();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let rests = stat.contains(" (sleep) S ");
        if rests && before == Some(now.rss) {
            return now;
        }
        before = rests.then_some(now.rss);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// With 16 idle runs of the same program beside it, the memory of a group fell by half.
#[test]
fn memory_does_not_depend_on_who_else_maps_the_program() {
    let measured = Idle::start(1);
    let pid = measured.0[0].id() as i32;
    let alone = at_rest(pid);
    assert!(alone.pss <= alone.rss, "{alone:?}");
    let beside = Idle::start(16);
    for one in &beside.0 {
        at_rest(one.id() as i32);
    }
    let among = of(&[pid]).unwrap();
    assert_eq!(among.sharing, alone.sharing);
    if alone.sharing == Sharing::Everyone {
        assert!(files::mapped(Path::new("/proc"), &[pid], 4_096).is_none());
        return skipped::skipped("/proc/PID/pagemap cannot be read here");
    }
    assert!(
        among.pss.abs_diff(alone.pss) <= alone.pss / 50,
        "{alone:?} {among:?}"
    );
    // Alone in its group, a process has all that it maps.
    assert!(among.pss.abs_diff(among.rss) <= among.rss / 10, "{among:?}");
}

/// Text that both map is one text.
#[test]
fn what_a_group_shares_counts_once() {
    let two = Idle::start(2);
    let pids: Vec<i32> = two.0.iter().map(|one| one.id() as i32).collect();
    let each: Vec<Memory> = pids.iter().map(|pid| at_rest(*pid)).collect();
    let both = of(&pids).unwrap();
    if both.sharing == Sharing::Everyone {
        return skipped::skipped("/proc/PID/pagemap cannot be read here");
    }
    assert!(both.pss < each[0].pss + each[1].pss, "{both:?} {each:?}");
    assert!(both.pss >= each[0].pss, "{both:?} {each:?}");
}
