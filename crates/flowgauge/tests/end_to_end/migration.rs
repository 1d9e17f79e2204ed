//! `flowgauge migrate` and `flowgauge balance`: every way proves the same work, and whatever ends
//! them leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;

use flow::{Answer, Failure};
use nix::sys::signal::Signal;

use super::common::{Home, Process, until};

/// The good slots of a run: how many there are of each case and variant, and what each case
/// proved.
struct Done {
    slots: BTreeMap<(String, String), usize>,
    proofs: BTreeMap<String, BTreeSet<(u64, u64)>>,
}

fn done(home: &Home) -> Done {
    let mut done = Done {
        slots: BTreeMap::new(),
        proofs: BTreeMap::new(),
    };
    for case in home.results().studies.iter().flat_map(|s| &s.cases) {
        let name = &case.case.name;
        for slot in &case.slots {
            let Answer::Done(record) = &slot.outcome.answer else {
                panic!("{name}: {:?}", slot.outcome.answer)
            };
            let label = case.case.variants[slot.variant].label.clone();
            *done.slots.entry((name.clone(), label)).or_default() += 1;
            let proof = (record.proof.count, record.proof.checksum);
            done.proofs.entry(name.clone()).or_default().insert(proof);
        }
    }
    done
}

impl Done {
    /// The counts of all proofs.
    fn counts(&self) -> impl Iterator<Item = u64> {
        self.proofs.values().flatten().map(|proof| proof.0)
    }

    #[track_caller]
    fn assert_one_proof_a_case(&self) {
        for (case, proofs) in &self.proofs {
            assert_eq!(proofs.len(), 1, "{case}: {proofs:?}");
        }
    }
}

fn answered(line: &str) -> Done {
    let home = Home::new();
    home.run(line).answered();
    home.assert_nothing_left();
    done(&home)
}

#[test]
fn state_gets_to_the_other_side_by_every_means() {
    let line = "migrate --case same-cpu,other-cpu,pipelined --bytes 256,8K --moves 600 --rounds 1 \
                --budget 10m --out out";
    let done = answered(line);
    // One at a time by six means in two cases, pipelined by three in two; two sizes of each.
    assert_eq!(
        done.slots.len(),
        2 * (6 + 6 + 3 + 3),
        "{:?}",
        done.slots.keys()
    );
    done.assert_one_proof_a_case();
    // 256 flows go around in whole rounds.
    assert_eq!(done.counts().collect::<BTreeSet<_>>(), [512, 600].into());
}

#[test]
fn many_flows_go_there_and_back() {
    let done = answered("migrate --case many --flows 3000 --rounds 1 --out out");
    let proofs: Vec<u64> = done.counts().collect();
    assert_eq!(proofs.len(), 1);
    let rounds = proofs[0] / 6_000;
    assert!(rounds > 0 && proofs[0] == rounds * 6_000, "{proofs:?}");
}

#[test]
fn uneven_work_is_the_same_however_it_is_balanced() {
    for (work, count) in [
        // There are 783 primes below 6,000.
        ("grain --pieces 8,64 --amount 6000", 783),
        ("warehouses --pieces 4,16 --amount 4000", 4_000),
    ] {
        let done = answered(&format!("balance --case {work} --rounds 1 --out out"));
        assert_eq!(done.slots.len(), 2 * 5, "{:?}", done.slots.keys());
        assert_eq!(done.counts().collect::<BTreeSet<_>>(), [count].into());
        done.assert_one_proof_a_case();
    }
}

#[test]
fn a_run_that_is_killed_while_flows_move_leaves_nothing() {
    for line in [
        "migrate --case same-cpu --bytes 64 --moves 4000000000 --out out",
        "migrate --case many --flows 1000 --moves 4000000000 --out out",
        "balance --case grain --pieces 64 --amount 4000000000 --out out",
    ] {
        let home = Home::new();
        let mut run = home.start(line);
        home.wait_for(Process::worker);
        run.send(Signal::SIGKILL);
        assert_eq!(run.end().signal(), Some(9));
        home.assert_nothing_left();
    }
}

/// Kills processes of a run, one after the other, until a slot fails for a reason that has
/// `what` in it.
fn killed_until(home: &Home, line: &str, what: &str) {
    let mut run = home.start(line);
    home.wait_for_slots(1);
    until(60, what, || {
        if let Some(process) = Process::worker(&home.processes()) {
            process.send(Signal::SIGKILL);
        }
        let studies = home.results().studies;
        let cases = studies.iter().flat_map(|study| &study.cases);
        let is_said = |answer: &Answer| match answer {
            Answer::Failed {
                reason: Failure::Error { what: said },
                ..
            } => said.contains(what),
            _ => false,
        };
        let mut slots = cases.flat_map(|case| &case.slots);
        slots.any(|slot| is_said(&slot.outcome.answer))
    });
    run.send(Signal::SIGINT);
    run.end();
    home.assert_nothing_left();
}

#[test]
fn a_process_that_dies_fails_its_slot_and_the_flows_that_it_had_are_named() {
    // Few moves: on a busy machine each waits for its turn of a CPU.
    let one = "migrate --case many --flows 1 --bytes 64 --moves 5000 --rounds 1000 --out out";
    killed_until(
        &Home::new(),
        one,
        "process 1 died, and 1 of 1 flows with it (flows 0)",
    );
    // Flows that wait for others at a barrier do not wait for those that are lost.
    let many = "balance --case grain --pieces 16 --amount 300000 --rounds 1000 --out out";
    killed_until(&Home::new(), many, "of 16 flows with it (flows ");
}

/// The others waited for it until the deadline of the slot, which names none.
#[test]
fn a_process_that_dies_at_a_socket_or_a_queue_is_named_at_once() {
    for by in ["socket", "memcpy"] {
        let home = Home::new();
        let study = format!(
            "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstands_for = \"A test.\"\n\
             headline = \"only\"\n[[case]]\nname = \"only\"\ntitle = \"Only\"\nmetric = \"unit\"\n\
             [case.work]\nkind = \"migrate\"\nbytes = 64\nmoves = 5000\n\
             [[case.variant]]\nmodel = \"process\"\nwork = {{ by = \"{by}\" }}\n"
        );
        home.write("mine.toml", &study);
        let line = "run mine.toml --rounds 1000 --deadline 600s --out out";
        let ended = "process 1 ended before its work was done: SIGKILL";
        killed_until(&home, line, ended);
    }
}

/// A study of one round, in which every model of flows that could move does the work of the
/// studies.
fn study_of_all_works() -> String {
    let works = [
        ("cpu", "flows", "workers = 2\nloops = 5"),
        ("mem", "flows", "workers = 2\nloops = 5"),
        ("io", "flows", "workers = 2\nloops = 5"),
        ("spin", "flows", "units = 2\nsteps = 100"),
        (
            "primes",
            "flows",
            "start = 1000\nblock = 100\nblocks = 2\nevery = 1\nmethod = \"trial\"",
        ),
        (
            "warehouse",
            "flows",
            "workers = 2\ntransactions = 50\nheap = \"1M\"",
        ),
        (
            "turns",
            "",
            "flows = 2\nkernel_turns = 40\nuser_turns = 40\nstack_use = 256",
        ),
    ];
    let head = "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstands_for = \"A test.\"\n\
                headline = \"cpu\"\n";
    let mut text = head.to_owned();
    for (kind, flows, parameters) in works {
        text += &format!(
            "[[case]]\nname = \"{kind}\"\ntitle = \"{kind}\"\nreps = 1\n[case.work]\n\
             kind = \"{kind}\"\n{parameters}\n"
        );
        for model in MODELS {
            text += &format!("[[case.variant]]\nmodel = \"{model}\"\n");
            text += if flows.is_empty() { "" } else { "flows = 2\n" };
            // On two idle CPUs processes that yield are never switched, and are refused for it.
            if (kind, model) == ("turns", "process") {
                text += "placement = \"one\"\n";
            }
        }
    }
    text
}

const MODELS: [&str; 5] = [
    "process",
    "migratable",
    "migratable/2",
    "migratable-copied",
    "migratable-aliased",
];

#[test]
fn flows_that_could_move_prove_the_same_in_every_study() {
    let home = Home::new();
    home.write("mine.toml", study_of_all_works());
    home.run("run mine.toml --rounds 1 --out out").answered();
    let done = done(&home);
    assert_eq!(
        done.slots.len(),
        7 * MODELS.len(),
        "{:?}",
        done.slots.keys()
    );
    done.assert_one_proof_a_case();
}

/// Its flag for cases named one by default that the quick preset has not, and was refused for it.
#[test]
fn the_quick_preset_can_be_asked_for_by_name() {
    for study in ["migrate", "balance"] {
        let home = Home::new();
        home.run(&format!("{study} --preset quick --rounds 1 --out out"))
            .answered();
    }
}

#[test]
fn what_cannot_be_moved_is_refused_before_anything_starts() {
    let home = Home::new();
    for (line, said) in [
        (
            "migrate --case same-cpu --bytes 100 --out out",
            "power of two",
        ),
        ("migrate --case same-cpu --bytes 2M --out out", "1048576"),
        (
            "primes --model process,migratable/65000 --out out",
            "use at most migratable/",
        ),
        (
            "switch --model migratable --flows 4000000000 --out out",
            "more than this machine can hold",
        ),
        (
            "balance --pieces 4096 --amount 100 --out out",
            "an amount of 1 for each step",
        ),
    ] {
        home.run(line).refused(2, &[said]);
    }
}
