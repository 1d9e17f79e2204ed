//! Warehouses; the first half does a quarter of all transactions. A piece fills a [`Depot`] first.

use allocator_api2::alloc::Allocator;
use flow::Proof;
use flow::migration::Uneven;

use super::Balanced;
use super::depot::Depot;

pub(super) struct Warehouses<'a>(pub(super) &'a Balanced);

impl Uneven for Warehouses<'_> {
    type State<A: Allocator + Copy> = Depot<A>;

    fn state_bytes(&self) -> usize {
        usize::try_from(self.0.heap().0).unwrap_or(usize::MAX)
    }

    fn begin<A: Allocator + Copy>(&self, piece: u64, memory: A) -> Depot<A> {
        Depot::fill(self.0.heap(), piece, memory)
    }

    fn step<A: Allocator + Copy>(&self, depot: &mut Depot<A>, piece: u64, step: u64) -> Proof {
        let all = self.0.parts();
        let of = |part: u128| u128::from(self.0.amount) * part * part / (all * all);
        let part = self.0.part(piece, step);
        let proof = depot.transact((of(part + 1) - of(part)) as u64);
        if step + 1 == self.0.steps
            && let Err(rule) = depot.audit()
        {
            panic!("the books of warehouse {piece} do not balance: {rule}");
        }
        proof
    }
}
