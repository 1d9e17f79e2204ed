//! What a result costs on its way to the parent: named pipe, pipe and shared ring, five
//! writers and one reader, all values received and counted.
//!
//! ```text
//! cargo bench -p flow --bench channel [-- ROUNDS]
//! ```
//!
//! Printed: ns a value (steady time over values), median and quartiles over interleaved
//! slots, for processes and threads.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use flow::{
    Body, Cell, Channel, Interrupt, Launcher, Model, Outlet, Proof, Sink, SlotSpec, Variant,
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

    fn state(&self) {}

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
    if flow::is_cell() {
        flow::cell_main(|cell: &Cell<()>| cell.run(&Sender, &mut Adder(0)));
    }
    let rounds = std::env::args()
        .filter_map(|a| a.parse().ok())
        .next()
        .unwrap_or(15);
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
    println!("{WRITERS} writers of {VALUES} values, {rounds} interleaved rounds");
    for (cost, (model, channel)) in costs.iter_mut().zip(&variants) {
        cost.sort_by(f64::total_cmp);
        let at = |quarter: usize| cost[(cost.len() - 1) * quarter / 4];
        println!(
            "  {model:8} {channel:5} {:.2} ns a value  [{:.2} ... {:.2}]",
            at(2),
            at(1),
            at(3)
        );
    }
}

fn one(launcher: &mut Launcher, model: Model, channel: Channel) -> f64 {
    let variant = Variant {
        model,
        flows: WRITERS,
        placement: flow::Placement::Free,
        schedule: flow::Schedule::Static,
        channel,
    };
    let spec = SlotSpec {
        work: (),
        variant,
        cpus: Vec::new(),
        warmups: 1,
        reps: 1,
        deadline_s: 60.0,
        narrate: false,
        output: None,
    };
    let outcome = launcher.launch(&spec).expect("launch");
    let record = outcome
        .answer
        .done()
        .unwrap_or_else(|| panic!("{:?}", outcome.answer))
        .clone();
    record.reps[0].steady_ns as f64 / (f64::from(WRITERS) * VALUES as f64)
}
