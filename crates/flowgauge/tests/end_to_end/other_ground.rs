//! Kernels and sandboxes that lack something: each command answers, or says what is not available and why.

use super::common::{Home, PROGRAM, Run};

/// Filters have numbers of x86-64. Each ground with a word of what is then said to be missing, if something is.
const GROUNDS: &[Ground] = &[
    Ground {
        name: "no memfd_create (before Linux 3.17)",
        within: "python3 seccomp.py 38 319",
        without: Some("memfd_create"),
    },
    Ground {
        name: "no pidfd (before Linux 5.3)",
        within: "python3 seccomp.py 38 424,434",
        without: None,
    },
    Ground {
        name: "no MADV_GUARD_INSTALL (before Linux 6.13) and no process_madvise",
        within: "python3 seccomp.py 22 28/2=102,440",
        without: None,
    },
    Ground {
        name: "no clone3, statx, openat2, close_range and rseq",
        within: "python3 seccomp.py 38 435,332,437,436,334",
        without: None,
    },
    Ground {
        name: "what a container's profile forbids: counters, io_uring, memory policies, namespaces, personalities, mounts",
        within: "python3 seccomp.py 1 298,425,426,427,237,238,239,272,308,135,165,166,323,321,250",
        without: None,
    },
    Ground {
        name: "calls that gVisor lacks: counters, io_uring_register, copy_file_range, process_madvise",
        within: "python3 seccomp.py 38 298,427,326,440,323,278",
        without: None,
    },
    Ground {
        name: "one CPU",
        within: "taskset -c CPU",
        without: None,
    },
];

struct Ground {
    name: &'static str,
    /// The words before a command; `CPU` is one that may be used.
    within: &'static str,
    without: Option<&'static str>,
}

impl Ground {
    /// `None`: it cannot be had here.
    fn run(&self, home: &Home, command: &str) -> Option<Run> {
        let cpu = machine::Machine::read().allowed()[0].to_string();
        let within = self.within.replace("CPU", &cpu);
        let (program, words) = within.split_once(' ')?;
        let words = format!("{words} {PROGRAM} {command}");
        let run = Run::from(home.program(program, &words).output().ok()?);
        (run.code != Some(77)).then_some(run)
    }

    fn check(&self, command: &str, run: &Run) {
        let said = format!("{}{}", run.stdout, run.stderr);
        let is_reasoned =
            run.code == Some(2) && (said.contains("not available") || said.contains("needs"));
        let what = format!("{}: {command}: {:?}: {said}", self.name, run.code);
        assert!(matches!(run.code, Some(0 | 3)) || is_reasoned, "{what}");
        assert!(!said.contains("panicked"), "{what}");
        if let Some(word) = self.without.filter(|_| command.starts_with("switch")) {
            assert!(said.contains(word), "{what}");
        }
    }
}

/// What is tried on each of them.
const COMMANDS: [&str; 9] = [
    "machine",
    "doctor",
    "run primes --case even --rounds 1 --budget 300ms",
    "balance --case grain --rounds 1 --budget 300ms",
    "switch --flows 4 --model process,thread,fiber,fiber-packed,task,migratable --rounds 1 --budget 300ms",
    "limits --model fiber --rounds 1 --budget 300ms",
    "exec true false||true --rounds 1 --budget 300ms",
    "wiki --server prefork --requests 40 --pages 3 --rounds 1 --budget 300ms",
    "search needle tree",
];

#[test]
fn each_ground_has_answers_or_reasons() {
    if cfg!(not(target_arch = "x86_64")) {
        skipped::skipped("filters name the system calls of x86-64 by number");
        return;
    }
    for ground in GROUNDS {
        let home = Home::new();
        home.write("seccomp.py", skipped::SECCOMP);
        home.write("tree/one.txt", "one needle\n");
        for command in COMMANDS {
            let Some(run) = ground.run(&home, command) else {
                skipped::skipped(format!("{}: no {}", ground.name, ground.within));
                break;
            };
            ground.check(command, &run);
        }
        home.assert_nothing_left();
    }
}
