//! Kernels and sandboxes that deny what a plan asks for: it is said, or was not asked for.
//!
//! A filter of system calls, which counts for one thread and those that it makes, plays the
//! sandbox.

use search::{Io, Model, Plan, Report};

use super::common::{Found, Tree, one_by};

/// A system call that a sandbox denies with an error.
#[derive(Clone, Copy)]
struct Denied {
    call: libc::c_long,
    /// Only where its first argument is this.
    first_argument: Option<u32>,
    errno: i32,
}

const fn instruction(code: u32, jumps: (u8, u8), k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: code as u16,
        jt: jumps.0,
        jf: jumps.1,
        k,
    }
}

/// Offsets in `seccomp_data`, little-endian.
const CALL_AT: u32 = 0;
const FIRST_ARGUMENT_AT: u32 = 16;

impl Denied {
    /// Has the kernel deny it to this thread, and to all that this thread makes; false where
    /// the kernel has no such filters.
    fn deny(self) -> bool {
        use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W};
        let load = |at| instruction(BPF_LD | BPF_W | BPF_ABS, (0, 0), at);
        let unless = |value, skip| instruction(BPF_JMP | BPF_JEQ | BPF_K, (0, skip), value);
        let answer = |answer| instruction(BPF_RET | BPF_K, (0, 0), answer);
        let call = u32::try_from(self.call).expect("a number of a call");
        let errno = libc::SECCOMP_RET_ERRNO | u32::try_from(self.errno).expect("positive");
        let mut filter = match self.first_argument {
            None => vec![load(CALL_AT), unless(call, 1), answer(errno)],
            Some(first) => vec![
                load(CALL_AT),
                unless(call, 3),
                load(FIRST_ARGUMENT_AT),
                unless(first, 1),
                answer(errno),
            ],
        };
        filter.push(answer(libc::SECCOMP_RET_ALLOW));
        let program = libc::sock_fprog {
            len: u16::try_from(filter.len()).expect("a few"),
            filter: filter.as_mut_ptr(),
        };
        // SAFETY: sets a flag of this thread; the arguments are those that it asks for.
        let settled = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        let mode = libc::SECCOMP_MODE_FILTER;
        // SAFETY: the program and its instructions live until the call has copied them.
        let denied = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) };
        (settled, denied) == (0, 0)
    }
}

/// Searches where `denied` is denied; `None`, and a word, where no sandbox can be had.
fn search_without(denied: Denied, tree: &Tree, plan: &Plan) -> Option<Found> {
    let search = || denied.deny().then(|| tree.run(&tree.query("needle"), plan));
    let found = std::thread::scope(|scope| scope.spawn(search).join().expect("a search"));
    if found.is_none() {
        skipped::skipped("the kernel filters no system calls here");
    }
    found
}

/// Enough that a probe leaves some of it.
fn tree() -> Tree {
    let tree = Tree::new();
    for file in 0..3_000 {
        tree.write(format!("{}/{file}", file % 100), "a needle\n".repeat(20));
    }
    tree
}

const NO_TABLES: Denied = Denied {
    call: libc::SYS_unshare,
    first_argument: None,
    errno: libc::EPERM,
};

#[test]
fn tables_of_their_own_that_are_denied_are_said_where_they_were_asked_for() {
    let plan = Plan::of(Model::ThreadPrivateFiles, 3);
    let Some(found) = search_without(NO_TABLES, &tree(), &plan) else {
        return;
    };
    assert_eq!(found.lines.len(), 60_000);
    assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
    assert!(found.problems[0].contains("they share one"));
    assert_eq!(found.report.otherwise.as_ref(), Some(&found.problems[0]));
    assert_eq!(found.report.counts.errors, 0);
}

#[test]
fn tables_of_their_own_that_nobody_asked_for_are_not_missed_aloud() {
    let three = std::num::NonZeroU32::new(3);
    for workers in [None, three] {
        let plan = Plan {
            workers,
            ..Plan::default()
        };
        let Some(found) = search_without(NO_TABLES, &tree(), &plan) else {
            return;
        };
        assert_eq!(found.lines.len(), 60_000);
        assert_eq!(found.problems, Vec::<String>::new());
        let Report {
            chosen, otherwise, ..
        } = found.report;
        assert_eq!(otherwise, None);
        // On a single CPU a probe chooses one flow.
        if workers.is_some() || chosen.model != Model::Sequential {
            assert_eq!(chosen.model, Model::ThreadPool, "{chosen:?}");
            assert!(chosen.why.contains("denied to threads here"), "{chosen:?}");
        }
    }
}

/// The ring of a flow, not the smaller one by which it is asked whether there are any.
const NO_RINGS: Denied = Denied {
    call: libc::SYS_io_uring_setup,
    first_argument: Some(32),
    errno: libc::ENOMEM,
};

fn by_rings() -> Plan {
    Plan {
        io: Io::Uring,
        ..Plan::of(Model::ThreadPool, 3)
    }
}

/// Whether there are rings here at all.
fn rings(tree: &Tree) -> bool {
    let tried = search::run(&tree.query("x"), &by_rings(), &mut Vec::new(), &mut |_| {});
    tried.inspect_err(|error| skipped::skipped(error)).is_ok()
}

#[test]
fn a_ring_that_cannot_be_made_is_said_once_and_files_are_read() {
    let tree = tree();
    if !rings(&tree) {
        return;
    }
    for model in [Model::ThreadPool, Model::ProcessPool] {
        let plan = Plan {
            model: Some(model),
            ..by_rings()
        };
        let Some(found) = search_without(NO_RINGS, &tree, &plan) else {
            return;
        };
        assert_eq!(found.lines.len(), 60_000);
        assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
        assert!(found.problems[0].contains("no memory for a ring"));
        assert!(found.report.otherwise.is_some());
    }
}

#[test]
fn a_ring_that_fails_under_way_is_an_error_and_no_crash() {
    let tree = tree();
    if !rings(&tree) {
        return;
    }
    let denied = Denied {
        call: libc::SYS_io_uring_enter,
        first_argument: None,
        errno: libc::EINVAL,
    };
    let plan = one_by(Io::Uring);
    let Some(found) = search_without(denied, &tree, &plan) else {
        return;
    };
    assert_eq!(found.report.counts.errors, 1, "{:?}", found.problems);
    assert!(found.problems[0].contains("use --io read"));
    // All but what was under way.
    assert!(found.lines.len() > 59_000, "{}", found.lines.len());
}
