//! Primes among the first numbers, by trial division with every number up to the root, so that
//! what is left of the division grows with the number.

use allocator_api2::alloc::Allocator;
use flow::Proof;
use flow::migration::Uneven;

use super::Balanced;

pub(super) struct Primes<'a>(pub(super) &'a Balanced);

impl Uneven for Primes<'_> {
    type State<A: Allocator + Copy> = ();

    fn state_bytes(&self) -> usize {
        0
    }

    fn begin<A: Allocator + Copy>(&self, _piece: u64, _memory: A) {}

    fn step<A: Allocator + Copy>(&self, (): &mut (), piece: u64, step: u64) -> Proof {
        let of = |part: u128| (u128::from(self.0.amount) * part / self.0.parts()) as u64;
        let part = self.0.part(piece, step);
        let primes = (of(part)..of(part + 1)).filter(|number| is_prime(*number));
        primes.fold(Proof::default(), |proof, prime| Proof {
            count: proof.count + 1,
            checksum: proof.checksum + prime,
        })
    }
}

fn is_prime(number: u64) -> bool {
    let mut divisors = (2..).take_while(|divisor| divisor * divisor <= number);
    number > 1 && divisors.all(|divisor| !number.is_multiple_of(divisor))
}
