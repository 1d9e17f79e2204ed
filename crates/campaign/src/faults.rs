//! Disks, outputs, limits and machines that do not do what they should.
//!
//! Each fault is a shell script around a short real run, with the exit codes that are right for it.
//! What a machine does not allow (mounts, control groups) ends its script with 77 and is counted
//! as skipped, with the reason.

use std::time::Duration;

use anyhow::Result;

use crate::home::{Home, end_of, program};
use crate::table::Table;

/// A fault.
struct Fault {
    name: &'static str,
    /// Run by `sh`; `$F` is the command, and `$RUN` a short run into the folder `out`.
    script: &'static str,
    /// Right exit codes.
    codes: &'static [i32],
}

const SKIPPED: i32 = 77;
/// Every answer that a run of two rounds may have.
const ANSWERED: &[i32] = &[0, 3];
const REFUSED: &[i32] = &[2];

const FAULTS: [Fault; 18] = [
    Fault {
        name: "full standard output",
        script: "$RUN > /dev/full",
        codes: REFUSED,
    },
    Fault {
        name: "closed standard output",
        script: "$RUN >&-",
        codes: REFUSED,
    },
    Fault {
        name: "a reader that leaves",
        script: "$RUN | true",
        codes: ANSWERED,
    },
    Fault {
        name: "closed standard error and input",
        script: "$RUN 2>&- <&-",
        codes: ANSWERED,
    },
    Fault {
        name: "full disk",
        script: "unshare -rm sh -c 'mkdir small && mount -t tmpfs -o size=16k none small || exit 77; \
                 $F primes -p 2 -b 1000 --rounds 40 --out small/out'",
        codes: REFUSED,
    },
    Fault {
        name: "read-only disk",
        script: "unshare -rm sh -c 'mkdir fixed && mount -t tmpfs -o ro none fixed || exit 77; \
                 $F primes -p 2 -b 1000 --rounds 2 --out fixed/out'",
        codes: REFUSED,
    },
    Fault {
        name: "no folder for temporary files",
        script: "TMPDIR=$PWD/missing $RUN",
        codes: REFUSED,
    },
    Fault {
        name: "empty /proc",
        script: "unshare -rm sh -c 'mount -t tmpfs none /proc || exit 77; $RUN'",
        codes: REFUSED,
    },
    Fault {
        name: "few open files",
        script: "ulimit -n 12; $RUN",
        codes: &[0, 2, 3],
    },
    Fault {
        name: "little address space",
        script: "ulimit -v 60000; $RUN",
        codes: &[0, 2, 3],
    },
    Fault {
        name: "small files only",
        script: "ulimit -f 8; $RUN",
        codes: REFUSED,
    },
    Fault {
        name: "small stack",
        script: "ulimit -s 64; $RUN",
        codes: REFUSED,
    },
    Fault {
        name: "little CPU time",
        script: "ulimit -t 1; $F primes -p 2 -b 100000000 --rounds 1 --out out",
        codes: REFUSED,
    },
    Fault {
        name: "process 1 of a namespace, with a run beside it",
        script: "unshare -rpf --mount-proc true || exit 77; \
                 unshare -rpf --mount-proc $F primes -p 2 -b 1000 --rounds 9 --out beside & \
                 unshare -rpf --mount-proc $RUN; code=$?; wait $! || exit 1; exit $code",
        codes: ANSWERED,
    },
    Fault {
        name: "process 1 goes on with the run of another process 1",
        script: "unshare -rpf --mount-proc true || exit 77; \
                 unshare -rpf --mount-proc --kill-child $F primes -p 2 -b 60000 --rounds 90 --out out & \
                 sleep 1; kill -9 $!; sleep 0.3; \
                 unshare -rpf --mount-proc $F run --resume out --budget 2s",
        codes: ANSWERED,
    },
    Fault {
        name: "a machine that sleeps",
        script: "$F primes -p 2 -b 20000 --rounds 20 --out out & main=$!; \
                 for nap in 1 2 3; do sleep 0.3; \
                 kill -STOP $main $(pgrep -P $main); sleep 0.5; kill -CONT $main $(pgrep -P $main); \
                 done; wait $main",
        codes: ANSWERED,
    },
    Fault {
        name: "a clock that runs elsewhere",
        script: "unshare -rT --monotonic 86400 --boottime 86400 true || exit 77; \
                 unshare -rT --monotonic 86400 --boottime 86400 --fork $RUN",
        codes: ANSWERED,
    },
    Fault {
        name: "CPU taken away in mid-run",
        script: "group=/sys/fs/cgroup/flowgauge-campaign-$$; mkdir $group 2>/dev/null || exit 77; \
                 test -w $group/cpu.max || { rmdir $group; exit 77; }; \
                 $F primes -p 2 -b 20000 --rounds 20 --out out & main=$!; \
                 echo $main > $group/cgroup.procs; sleep 0.3; echo '5000 100000' > $group/cpu.max; \
                 sleep 2; echo max > $group/cpu.max; wait $main; code=$?; sleep 0.1; rmdir $group; \
                 exit $code",
        codes: ANSWERED,
    },
];

pub(crate) fn run() -> Result<Table> {
    let mut table = Table::default();
    for fault in FAULTS {
        let home = Home::new()?;
        let program = program()?.display().to_string();
        let run = format!("{program} primes -p 2 -t 2 -b 1000 --rounds 2 --out out");
        let mut child = home
            .command(
                "sh".as_ref(),
                &["-c", &expanded(fault.script, &program, &run)],
            )
            .spawn()?;
        let code = end_of(&mut child, Duration::from_secs(60)).map(|status| status.code());
        match code {
            Some(Some(SKIPPED)) => table.skipped(fault.name, "this machine does not allow it"),
            Some(Some(code)) if fault.codes.contains(&code) => {
                table.tried(fault.name, home.left().map(|left| format!("left: {left}")));
            }
            Some(code) => table.tried(fault.name, Some(format!("it ended with {code:?}"))),
            None => table.tried(fault.name, Some("it did not end in 60 s".to_owned())),
        }
    }
    table.skipped(
        "a seccomp filter",
        "no program here installs one without unsafe code",
    );
    table.skipped(
        "a step of the clock of the machine",
        "it would change the clock of others",
    );
    Ok(table)
}

/// The script with the command and the run in their places, within quotes too.
fn expanded(script: &str, program: &str, run: &str) -> String {
    script.replace("$RUN", run).replace("$F", program)
}
