//! Disks, outputs, limits and machines that do not do what they should. Each fault is a shell
//! script around a short real run, with its right exit codes; one that a machine does not allow
//! (mounts, control groups) ends with 77 and is counted as skipped. Two need a helper: a filter of
//! system calls, which Python installs before it becomes the command, and clocks that step, which a
//! library shows to the command alone.

use std::time::Duration;

use anyhow::Result;

use crate::home::{Home, end_of, program};
use crate::table::Table;

/// A name; what `sh` runs, where `$F` is the command and `$RUN` a short run into the folder `out`; the right exit codes.
type Fault = (&'static str, &'static str, &'static [i32]);

/// A busy machine takes its time over a second of CPU.
const PATIENCE: Duration = Duration::from_secs(180);
const SKIPPED: i32 = 77;
/// Every answer that a run of two rounds may have.
const ANSWERED: &[i32] = &[0, 3];
const REFUSED: &[i32] = &[2];

const FAULTS: [Fault; 33] = [
    ("full standard output", "$RUN > /dev/full", REFUSED),
    ("closed standard output", "$RUN >&-", REFUSED),
    ("a reader that leaves", "$RUN | true", ANSWERED),
    ("closed standard error and input", "$RUN 2>&- <&-", ANSWERED),
    (
        "full disk",
        "unshare -rm sh -c 'mkdir small && mount -t tmpfs -o size=16k none small || exit 77; \
         $F primes -p 2 -b 1000 --rounds 40 --out small/out'",
        REFUSED,
    ),
    (
        "read-only disk",
        "unshare -rm sh -c 'mkdir fixed && mount -t tmpfs -o ro none fixed || exit 77; \
         $F primes -p 2 -b 1000 --rounds 2 --out fixed/out'",
        REFUSED,
    ),
    (
        "no folder for temporary files",
        "TMPDIR=$PWD/missing $RUN",
        REFUSED,
    ),
    (
        "empty /proc",
        "unshare -rm sh -c 'mount -t tmpfs none /proc || exit 77; $RUN'",
        REFUSED,
    ),
    ("few open files", "ulimit -n 12; $RUN", &[0, 2, 3]),
    ("little address space", "ulimit -v 60000; $RUN", &[0, 2, 3]),
    ("small files only", "ulimit -f 8; $RUN", REFUSED),
    ("small stack", "ulimit -s 64; $RUN", REFUSED),
    (
        "little CPU time",
        "ulimit -t 1; $F primes -p 2 -b 100000000 --rounds 1 --out out",
        REFUSED,
    ),
    (
        "process 1 of a namespace, with a run beside it",
        "unshare -rpf --mount-proc true || exit 77; \
         unshare -rpf --mount-proc $F primes -p 2 -b 1000 --rounds 9 --out beside & \
         unshare -rpf --mount-proc $RUN; code=$?; wait $! || exit 1; exit $code",
        ANSWERED,
    ),
    (
        "process 1 resumes the run of another process 1",
        "unshare -rpf --mount-proc true || exit 77; \
         unshare -rpf --mount-proc --kill-child $F primes -p 2 -b 60000 --rounds 90 --out out & \
         sleep 1; kill -9 $!; sleep 0.3; \
         unshare -rpf --mount-proc $F run --resume out --budget 2s",
        ANSWERED,
    ),
    (
        "a machine that sleeps",
        "$F primes -p 2 -b 20000 --rounds 20 --out out & main=$!; \
         for nap in 1 2 3; do sleep 0.3; \
         kill -STOP $main $(pgrep -P $main); sleep 0.5; kill -CONT $main $(pgrep -P $main); \
         done; wait $main",
        ANSWERED,
    ),
    (
        "a clock that runs elsewhere",
        "unshare -rT --monotonic 86400 --boottime 86400 true || exit 77; \
         unshare -rT --monotonic 86400 --boottime 86400 --fork $RUN",
        ANSWERED,
    ),
    (
        "a wall clock that steps by an hour, back and forth",
        "cc -shared -fPIC -o step.so step.c || exit 77; LD_PRELOAD=$PWD/step.so $RUN",
        ANSWERED,
    ),
    (
        "a seccomp filter that refuses counters, affinity and io_uring",
        "$SECCOMP 1 298,203,425,434,319 $RUN",
        ANSWERED,
    ),
    (
        "a seccomp filter that knows no clone3, statx, rseq and pidfd_open",
        "$SECCOMP 38 435,332,334,434 $RUN",
        ANSWERED,
    ),
    (
        "a seccomp filter that refuses every new process",
        "$SECCOMP 1 56,57,58,435 $RUN",
        REFUSED,
    ),
    (
        "a seccomp filter that refuses named pipes",
        "$SECCOMP 1 133,259 $RUN",
        REFUSED,
    ),
    (
        "a seccomp filter that refuses getrusage",
        "$SECCOMP 1 98 $RUN 2> said; code=$?; grep -q 'getrusage.*is refused' said || exit 1; \
         ! grep -q panicked said || exit 1; exit $code",
        REFUSED,
    ),
    (
        "a seccomp filter that refuses signalfd",
        "$SECCOMP 1 289 $RUN 2> said; code=$?; grep -q 'signalfd4 is refused' said || exit 1; exit $code",
        REFUSED,
    ),
    (
        "a seccomp filter that refuses eventfd",
        "$SECCOMP 1 284,290 $RUN 2> said; code=$?; grep -q 'eventfd2 is refused' said || exit 1; exit $code",
        REFUSED,
    ),
    (
        "a seccomp filter that refuses policies of memory",
        "$SECCOMP 1 238 $F primes --memory-policy local,interleave --rounds 1 --out out 2> said; code=$?; \
         grep -q 'set_mempolicy is refused' said || exit 1; exit $code",
        REFUSED,
    ),
    (
        "a worker of a prefork server that is killed",
        "$F wiki --server prefork --rounds 3 --out out 2> said & main=$!; sleep 1; \
         for one in $(pgrep -P $main); do for worker in $(pgrep -P $one | head -1); do kill -9 $worker; done; done; \
         wait $main; code=$?; ! grep -q panicked said || exit 1; exit $code",
        &[0, 2, 3],
    ),
    (
        "a seccomp filter that refuses memory to share: what moves is left out",
        "$SECCOMP 1 319 $F run primes,balance --case blocks,grain --rounds 1 --budget 2s --out out",
        &[0, 2, 3],
    ),
    (
        "CPUs taken away in mid-run",
        "taskset -p $$ || exit 77; cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//'); \
         $F primes -p 2 -b 20000 --rounds 20 --out out & main=$!; \
         for i in 1 2 3 4 5 6 7 8; do sleep 0.1; \
         for pid in $main $(pgrep -P $main); do taskset -acp $cpu $pid; done; done; \
         wait $main",
        ANSWERED,
    ),
    (
        "CPU time taken away in mid-run by a control group",
        "root=/sys/fs/cgroup; grep -qw cpu $root/cgroup.controllers 2>/dev/null || root=$root/cpu; \
         group=$root/flowgauge-campaign-$$; mkdir $group 2>/dev/null || exit 77; $TIDY; \
         $F primes -p 2 -b 20000 --rounds 20 --out out & main=$!; \
         echo $main > $group/cgroup.procs; sleep 0.3; \
         if test -e $group/cpu.max; then echo '5000 100000' > $group/cpu.max; \
         else echo 5000 > $group/cpu.cfs_quota_us; fi || { wait $main; exit 77; }; \
         sleep 2; \
         if test -e $group/cpu.max; then echo max > $group/cpu.max; \
         else echo -1 > $group/cpu.cfs_quota_us; fi; wait $main",
        ANSWERED,
    ),
    (
        "little memory in a control group",
        "root=/sys/fs/cgroup; grep -qw memory $root/cgroup.controllers 2>/dev/null || root=$root/memory; \
         group=$root/flowgauge-campaign-$$; mkdir $group 2>/dev/null || exit 77; $TIDY; \
         most=$group/memory.max; test -e $most || most=$group/memory.limit_in_bytes; \
         echo 12000000 > $most || exit 77; \
         sh -c 'echo $$ > $0/cgroup.procs; exec $RUN' $group",
        // Whom the kernel kills for want of memory is its choice.
        &[0, 2, 3, 137],
    ),
    (
        "a group of version 2 that is frozen and thawed, as a machine sleeps",
        "$V2; sh -c 'echo $$ > $0/cgroup.procs; exec $F primes -p 2 -b 20000 --rounds 20 --out out' \
         $group & main=$!; \
         for nap in 1 2 3; do sleep 0.3; echo 1 > $group/cgroup.freeze; sleep 0.5; \
         echo 0 > $group/cgroup.freeze; done; wait $main",
        ANSWERED,
    ),
    (
        "a group of version 2 killed at one instant, and the run taken up again",
        "$V2; test -e $group/cgroup.kill || exit 77; \
         sh -c 'echo $$ > $0/cgroup.procs; exec $F wiki --model process,thread --rounds 90 --out out' $group & \
         main=$!; i=0; until grep -q at_s out/journal.jsonl || test $((i += 1)) -gt 300; do \
         sleep 0.1; done; echo 1 > $group/cgroup.kill; wait $main; \
         $F run --resume out --budget 2s",
        ANSWERED,
    ),
];

pub(crate) fn run() -> Result<Table> {
    let mut table = Table::default();
    for (name, script, codes) in FAULTS {
        let home = Home::new()?;
        home.write("seccomp.py", skipped::SECCOMP)?;
        home.write("step.c", STEP)?;
        let program = program()?.display().to_string();
        let run = format!("{program} primes -p 2 -t 2 -b 1000 --rounds 2 --out out");
        let script = expanded(script, &program, &run);
        let mut child = home.command("sh".as_ref(), &["-c", &script]).spawn()?;
        let code = end_of(&mut child, PATIENCE).map(|status| status.code());
        match code {
            Some(Some(SKIPPED)) => table.skipped(name, "this machine does not allow it"),
            Some(Some(code)) if codes.contains(&code) => {
                table.tried(name, home.left().map(|left| format!("left: {left}")));
            }
            Some(code) => table.tried(name, Some(format!("it ended with {code:?}"))),
            None => table.tried(name, Some("it did not end in 3 minutes".to_owned())),
        }
    }
    table.skipped(
        "a step of the clock of the whole machine",
        "it would change the clock of others; one command sees steps",
    );
    Ok(table)
}

fn expanded(script: &str, program: &str, run: &str) -> String {
    let filtered = "test $(uname -m) = x86_64 || exit 77; python3 seccomp.py";
    script
        .replace("$V2", V2)
        .replace("$TIDY", TIDY)
        .replace("$SECCOMP", filtered)
        .replace("$RUN", run)
        .replace("$F", program)
}

const V2: &str = "v2=$(awk '$3 == \"cgroup2\" { print $2; exit }' /proc/mounts); \
                  test -n \"$v2\" || exit 77; group=$v2/flowgauge-campaign-$$; \
                  mkdir $group 2>/dev/null || exit 77; $TIDY";

const TIDY: &str =
    "trap 'for i in 1 2 3 4 5 6 7 8 9; do rmdir $group && break; sleep 0.2; done' EXIT";

/// A wall clock an hour behind every other fifth of a second; time since boot runs ahead.
const STEP: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    int code = syscall(SYS_clock_gettime, clock, now);
    int odd = code == 0 && now->tv_nsec / 200000000 % 2;
    if (odd && clock == CLOCK_REALTIME) now->tv_sec -= 3600;
    if (odd && clock == CLOCK_BOOTTIME) now->tv_sec += 3600;
    return code;
}
time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
";
