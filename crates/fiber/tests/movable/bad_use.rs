//! What is refused, and what ends as an error.

use super::*;

/// Why the fiber may not go there.
fn refusal(fiber: &mut MovableFiber<'_>, to: usize) -> MoveError {
    // SAFETY: it goes nowhere.
    unsafe { fiber.move_to(to) }.unwrap_err()
}

pub(crate) fn moves_that_cannot_be_are_refused() {
    let region = Region::reserve(movable(16 << 10).capacity(2), 2).unwrap();
    let scheduler = region.join(0).unwrap();
    let body = |fiber: &mut MovableFiber<'_>, (): ()| {
        let (to, processes) = (2, 2);
        assert_eq!(refusal(fiber, 2), MoveError::NoProcess { to, processes });
        assert_eq!(refusal(fiber, 1), MoveError::Absent { to: 1 });
        std::mem::forget(fiber.stay());
        assert_eq!(refusal(fiber, 0), MoveError::Held { held: 1 });
    };
    scheduler.spawn_movable((), body).unwrap().join().unwrap();
    assert!(matches!(
        region.join(0),
        Err(ConfigError::Joined { process: 0 })
    ));
    let no = region.join(2).map(drop).unwrap_err().to_string();
    let wanted = "there is no process 2 in a region for 2 (the first is 0)";
    assert_eq!(no, wanted);
}

pub(crate) fn regions_that_cannot_be_are_refused() {
    let config = movable(1_024).capacity(10);
    let first = Region::reserve_at(0x6FFF_0000_0000, config, 1).unwrap();
    let taken = Region::reserve_at(first.address(), config, 1).unwrap_err();
    assert!(taken.to_string().contains("0x6fff00000000"), "{taken}");
    for processes in [0, 70_000] {
        let error = Region::reserve(config, processes).unwrap_err();
        assert!(matches!(error, ConfigError::Processes { .. }), "{error}");
    }
    let many = Region::reserve(config.capacity(3 << 30), 2).unwrap_err();
    assert!(matches!(many, ConfigError::Capacity { .. }), "{many}");
    for (way, bytes) in [
        (Way::Copied, 1_024),
        (Way::Aliased, 1_024),
        (Way::Isomalloc, 64),
    ] {
        let error = made(kept(way, bytes)).unwrap_err();
        assert!(matches!(error, ConfigError::Stack { .. }), "{error}");
    }
    let large = made(movable(64 << 10).arena(1 << 30)).unwrap_err();
    assert!(matches!(large, ConfigError::TooLarge { .. }), "{large}");
}

pub(crate) fn no_address_space_is_an_error() {
    if skipped::is_emulated() {
        let why = "no_address_space_is_an_error: an emulator keeps no limit of addresses";
        return skipped::skipped(why);
    }
    let limit = libc::rlimit {
        rlim_cur: 1 << 30,
        rlim_max: 1 << 30,
    };
    // SAFETY: lowers a limit of this process, which the test has for itself.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    let error = Region::reserve(movable(64 << 10).capacity(1 << 20), 2).unwrap_err();
    assert!(matches!(error, ConfigError::Memory { .. }), "{error}");
    assert!(
        error.to_string().contains("ask for fewer or smaller ones"),
        "{error}"
    );
}

/// A filter of the kernel that has one system call fail as it does where there is none.
pub(crate) fn no_shared_memory_is_an_error() {
    if skipped::is_emulated() {
        let why = "no_shared_memory_is_an_error: an emulator filters no system calls";
        return skipped::skipped(why);
    }
    let statement = |code: u32, jt, jf, k| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    let mut filter = [
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        statement(
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            0,
            1,
            libc::SYS_memfd_create as u32,
        ),
        statement(
            libc::BPF_RET,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
        ),
        statement(libc::BPF_RET, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: restricts this process, which the test has for itself.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    // SAFETY: the program lives until the call returns.
    let set = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            &raw const program,
        )
    };
    assert_eq!(set, 0, "no filter");
    let error = made(movable(1_024)).unwrap_err();
    assert!(matches!(error, ConfigError::NoSharedMemory(_)), "{error}");
    assert!(error.to_string().contains("memfd_create"), "{error}");
}

pub(crate) fn a_full_region_is_an_error() {
    let scheduler = made(movable(1_024).capacity(2)).unwrap();
    let _handles = [0, 1].map(|number: u64| scheduler.spawn_movable(number, |_, n| n).unwrap());
    let error = scheduler.spawn_movable((), |_, ()| ()).unwrap_err();
    assert!(error.to_string().contains("all 2 fibers"), "{error}");
}

/// The slots of process 1 begin in the middle of a block. Its first fiber put a zero at the begin of
/// that block, into a fiber of process 0.
pub(crate) fn a_huge_page_of_two_processes_keeps_what_the_first_has_in_it() {
    const FIBERS: u64 = 3_000;
    let config = movable(1_024).capacity(FIBERS as usize);
    let region = Region::reserve(config, 2).unwrap();
    let (mut all_are_here, mut go_ahead) = std::os::unix::net::UnixStream::pair().unwrap();
    let other = in_child(|| {
        go_ahead.read_exact(&mut [0]).unwrap();
        let scheduler = region.join(1).unwrap();
        let only = scheduler.spawn(|_: &mut Fiber| 7_u64).unwrap();
        i32::from(only.join().unwrap() != 7)
    });
    let scheduler = region.join(0).unwrap();
    let spawn = |who| {
        let body = move |fiber: &mut Fiber| {
            let kept = std::hint::black_box([who; 8]);
            fiber.yield_now();
            std::hint::black_box(kept).iter().sum::<u64>()
        };
        scheduler.spawn(body).unwrap()
    };
    let handles: Vec<_> = (0..FIBERS).map(spawn).collect();
    scheduler
        .spawn(|fiber: &mut Fiber| fiber.yield_now())
        .unwrap_err();
    all_are_here.write_all(&[0]).unwrap();
    assert_eq!(other.wait(), 0);
    for (who, handle) in (0..).zip(handles) {
        assert_eq!(handle.join().unwrap(), 8 * who);
    }
}

pub(crate) fn an_overflow_in_the_window_names_its_fiber() {
    #[inline(never)]
    fn overflow() {
        std::hint::black_box([1_u8; 40 << 10]);
    }
    for way in [Way::Copied, Way::Aliased] {
        let dies = in_child(|| {
            let scheduler = made(kept(way, 32 << 10).capacity(3)).unwrap();
            for who in 0..3 {
                let body = move |fiber: &mut Fiber| {
                    fiber.yield_now();
                    if who == 1 {
                        overflow();
                    }
                };
                scheduler.spawn(body).unwrap();
            }
            scheduler.run();
            0
        });
        assert_eq!(dies.wait(), 1_000 + libc::SIGABRT);
    }
}
