use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::*;
use crate::ring_record::{
    EXIT, FORK, LOST, SWITCH, SWITCH_OUT as OUT, SWITCH_PREEMPTED as OUT_PREEMPTED,
};

fn moment(at_ns: u64, tid: i32, change: Change) -> Read {
    Read::Moment(Moment { at_ns, tid, change })
}

fn bytes(words: &[i32], time: u64) -> Vec<u8> {
    let words = words.iter().flat_map(|word| word.to_ne_bytes());
    words.chain(time.to_ne_bytes()).collect()
}

#[test]
fn records_of_the_kernel_are_understood() {
    let switch = bytes(&[1, 2], 30);
    assert_eq!(read(SWITCH, 0, &switch), moment(30, 2, Change::On));
    assert_eq!(read(SWITCH, OUT, &switch), moment(30, 2, Change::Waits));
    let preempted = read(SWITCH, OUT | OUT_PREEMPTED, &switch);
    assert_eq!(preempted, moment(30, 2, Change::Preempted));
    let task = bytes(&[5, 1, 6, 1], 40);
    assert_eq!(read(FORK, 0, &task), moment(40, 6, Change::Made));
    assert_eq!(read(EXIT, 0, &task), moment(40, 6, Change::Ended));
    assert_eq!(read(LOST, 0, &bytes(&[0, 0], 9)), Read::Lost(9));
    assert_eq!(read(99, 0, &switch), Read::Nothing);
    assert_eq!(read(SWITCH, 0, &switch[..9]), Read::Nothing);
}

#[test]
fn each_state_has_a_letter_of_its_own_as_in_a_journal() {
    for state in State::ALL {
        let written = serde_json::to_string(&state).unwrap();
        assert_eq!(written, format!("\"{}\"", state.letter()));
        assert_eq!(serde_json::from_str::<State>(&written).unwrap(), state);
    }
}

/// A shell that begins when it is given a line, and waits for another one in between.
fn shell() -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", "read first; sleep 0; read second"]);
    command.stdin(Stdio::piped()).spawn().unwrap()
}

fn until(done: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    done()
}

#[test]
fn a_process_that_reads_a_pipe_waits_for_a_pipe() {
    let mut shell = shell();
    let pid = i32::try_from(shell.id()).unwrap();
    let waits = until(|| waits_for(pid).is_some());
    if waits {
        assert_eq!(waits_for(pid), Some(State::Pipe));
    } else {
        skipped::skipped("/proc/PID/syscall is not readable: no cause of a wait was read");
    }
    shell.kill().unwrap();
    shell.wait().unwrap();
    assert_eq!(waits_for(pid), None);
}

#[test]
fn making_waiting_and_ending_are_heard_of_a_process_and_its_child() {
    let mut shell = shell();
    let pid = i32::try_from(shell.id()).unwrap();
    let recorder = Recorder::of(pid);
    shell
        .stdin
        .as_mut()
        .unwrap()
        .write_all(b"one\ntwo\n")
        .unwrap();
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
    assert!(
        has(pid, Change::On) && has(pid, Change::Ended),
        "{moments:?}"
    );
    assert!(
        has(child, Change::On) && has(child, Change::Ended),
        "{moments:?}"
    );
    let last = of(child).next_back().expect("an end");
    assert!(
        matches!(
            last.change,
            Change::Ended | Change::Waits | Change::Preempted
        ),
        "{last:?}"
    );
    let now = crate::clock::now_ns();
    assert!(moments.iter().all(|moment| moment.at_ns < now), "{now}");
}
