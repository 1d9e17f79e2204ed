use std::io::Write;
use std::process::{Child, Command, Stdio};

use super::*;
use crate::ring_record::{
    EXIT, FORK, SWITCH, SWITCH_OUT as OUT, SWITCH_PREEMPTED as OUT_PREEMPTED, decode,
};

fn read(kind: u32, misc: u16, words: &[i32], time: u64) -> Option<(u64, i32, Change)> {
    let words = words.iter().flat_map(|word| word.to_ne_bytes());
    let bytes: Vec<u8> = words.chain(time.to_ne_bytes()).collect();
    let moment = moment(&decode(kind, misc, &bytes)?)?;
    Some((moment.at_ns, moment.tid, moment.change))
}

#[test]
fn records_of_the_kernel_are_understood() {
    let switch = |misc| read(SWITCH, misc, &[1, 2], 30);
    assert_eq!(switch(0), Some((30, 2, Change::On)));
    assert_eq!(switch(OUT), Some((30, 2, Change::Waits)));
    let preempted = switch(OUT | OUT_PREEMPTED);
    assert_eq!(preempted, Some((30, 2, Change::Preempted)));
    let task = |kind| read(kind, 0, &[5, 1, 6, 1], 40);
    assert_eq!(task(FORK), Some((40, 6, Change::Made)));
    assert_eq!(task(EXIT), Some((40, 6, Change::Ended)));
    assert_eq!(task(99), None);
}

/// A shell that begins when it is given a line, and waits for another one in between.
fn shell() -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", "read first; sleep 0; read second"]);
    command.stdin(Stdio::piped()).spawn().unwrap()
}

#[test]
fn making_waiting_and_ending_are_heard_of_a_process_and_its_child() {
    let mut shell = shell();
    let pid = i32::try_from(shell.id()).unwrap();
    let recorder = Recorder::of(pid);
    let input = shell.stdin.as_mut().unwrap();
    input.write_all(b"one\ntwo\n").unwrap();
    shell.wait().unwrap();
    let mut recorder = match recorder {
        Ok(recorder) => recorder,
        Err(error) => {
            return skipped::skipped(format!("switches cannot be recorded here: {error}"));
        }
    };
    let mut moments = Vec::new();
    assert_eq!(recorder.drain(&mut moments), 0);
    moments.sort_by_key(|moment| moment.at_ns);
    let of = |tid: i32| moments.iter().filter(move |moment| moment.tid == tid);
    let has = |tid: i32, change: Change| of(tid).any(|moment| moment.change == change);
    let made = moments.iter().find(|moment| moment.change == Change::Made);
    let child = made.expect("sleep is a child").tid;
    for task in [pid, child] {
        let both = has(task, Change::On) && has(task, Change::Ended);
        assert!(both, "{moments:?}");
    }
    let last = of(child).next_back().expect("an end");
    let off = [Change::Ended, Change::Waits, Change::Preempted];
    assert!(off.contains(&last.change), "{last:?}");
    let now = crate::clock::now_ns();
    assert!(moments.iter().all(|moment| moment.at_ns < now), "{now}");
}
