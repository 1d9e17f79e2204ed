//! What a result costs on its way to the parent: named pipe, pipe and shared ring, five
//! writers and one reader, all values received and counted.
//!
//! ```text
//! cargo bench -p flowgauge-flow --bench channel [-- ROUNDS]
//! ```
//!
//! Printed: ns a value (steady time over values), median and quartiles over interleaved
//! slots, for processes and threads; and beside them the floor: a bare program whose five
//! children write the same number of 4,096-byte batches, filled beforehand, into one
//! pipe, read by the parent 64 KiB at a time and added up.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io::{Read, Write};

use flow::{
    Body, Channel, Interrupt, Launcher, Model, Outlet, Proof, Sink, SlotProcess, SlotSpec, Variant,
};

const WRITERS: u32 = 5;
const VALUES: u64 = 4_000_000;

/// Sends `VALUES` consecutive numbers.
struct Sender;

impl Body for Sender {
    type State = ();
    const SENDS: bool = true;

    fn units(&self) -> u64 {
        u64::from(WRITERS)
    }

    fn state(&self, _flow: usize) {}

    fn unit(&self, _state: &mut (), _unit: u64, outlet: &mut Outlet<'_>) -> Proof {
        (0..VALUES).for_each(|value| outlet.push(value));
        Proof {
            count: VALUES,
            checksum: 0,
        }
    }
}

/// Adds up what it is given, so that every value is looked at.
struct Adder(u64);

impl Sink for Adder {
    fn begin(&mut self) -> std::io::Result<()> {
        self.0 = 0;
        Ok(())
    }

    fn take(&mut self, _unit: u64, _first: u64, values: &[u64]) -> std::io::Result<()> {
        self.0 = values
            .iter()
            .fold(self.0, |sum, value| sum.wrapping_add(*value));
        Ok(())
    }

    fn end(&mut self) -> std::io::Result<()> {
        let expected = u64::from(WRITERS) * (VALUES * (VALUES - 1) / 2);
        assert_eq!(self.0, expected, "values were lost or changed");
        Ok(())
    }
}

fn main() {
    if flow::is_slot_process() {
        flow::slot_process_main(|slot: &SlotProcess<()>| slot.run(&Sender, &mut Adder(0)));
    }
    let rounds = std::env::args().find_map(|word| word.parse().ok());
    let rounds = rounds.unwrap_or(15);
    let mut launcher = Launcher::new(Interrupt::install().expect("signals"));
    let variants: Vec<(Model, Channel)> = [Model::Process, Model::Thread]
        .into_iter()
        .flat_map(|model| {
            [Channel::Fifo, Channel::Pipe, Channel::Shm].map(|channel| (model, channel))
        })
        .collect();
    let mut costs = vec![Vec::new(); variants.len()];
    for _round in 0..rounds {
        for (cost, (model, channel)) in costs.iter_mut().zip(&variants) {
            cost.push(one(&mut launcher, *model, *channel));
        }
    }
    let mut bare: Vec<f64> = (0..rounds).map(|_round| bare_pipe()).collect();
    println!("{WRITERS} writers of {VALUES} values, {rounds} interleaved rounds");
    for (cost, (model, channel)) in costs.iter_mut().zip(&variants) {
        let [low, median, high] = quartiles(cost);
        println!("  {model:8} {channel:5} {median:.2} ns a value  [{low:.2} ... {high:.2}]");
    }
    let [low, median, high] = quartiles(&mut bare);
    println!("  bare     pipe  {median:.2} ns a value  [{low:.2} ... {high:.2}]");
}

fn quartiles(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}

/// The floor: batches through a pipe with nothing around them.
fn bare_pipe() -> f64 {
    let (mut reader, mut writer) = std::io::pipe().expect("a pipe");
    let batches = VALUES as usize * 8 / 4_096;
    let began = measure::clock::now_ns();
    for _writer in 0..WRITERS {
        // SAFETY: this program has one thread; the child only writes and leaves.
        if unsafe { libc::fork() } == 0 {
            let batch = [1; 4_096];
            for _batch in 0..batches {
                writer.write_all(&batch).expect("write a batch");
            }
            // SAFETY: `_exit` has no preconditions.
            unsafe { libc::_exit(0) }
        }
    }
    drop(writer);
    let (mut buffer, mut sum, mut bytes) = (vec![0; 65_536], 0_u64, 0);
    while let Ok(read @ 1..) = reader.read(&mut buffer) {
        let words = buffer[..read].chunks_exact(8);
        sum = words.fold(sum, |sum, word| sum.wrapping_add(u64::from(word[0])));
        bytes += read;
    }
    // SAFETY: the statuses are not wanted, so the pointer may be null.
    while unsafe { libc::wait(std::ptr::null_mut()) } > 0 {}
    assert_eq!(sum as usize, bytes / 8, "bytes were lost");
    (measure::clock::now_ns() - began) as f64 / (bytes / 8) as f64
}

fn one(launcher: &mut Launcher, model: Model, channel: Channel) -> f64 {
    let variant = Variant {
        channel,
        ..Variant::new(model, WRITERS)
    };
    let spec = SlotSpec {
        warmups: 1,
        ..SlotSpec::new((), variant)
    };
    let answer = launcher.launch(&spec).expect("launch").answer;
    let record = answer.done().unwrap_or_else(|| panic!("{answer:?}"));
    record.reps[0].steady_ns as f64 / (f64::from(WRITERS) * VALUES as f64)
}
