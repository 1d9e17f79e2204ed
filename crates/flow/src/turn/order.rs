//! Whether every flow runs between two turns of the same flow. All turns draw a number. Where N
//! flows take turns fairly, the next number of a flow is the last one plus N: smaller for one that
//! runs twice, larger for one passed over. Drawing costs a few nanoseconds: its laps are not timed.

use crate::record::Turns;

pub(crate) const CHECKED_LAPS: u64 = 4;

#[inline]
pub(crate) fn is_orderly(last: u64, number: u64, flows: u64) -> bool {
    number == last + flows
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Order {
    last: Option<u64>,
    checked: u64,
    orderly: u64,
}

impl Order {
    pub(crate) fn take(&mut self, number: u64, flows: u64) {
        if let Some(last) = self.last.replace(number) {
            self.checked += 1;
            self.orderly += u64::from(is_orderly(last, number, flows));
        }
    }

    pub(crate) fn add_to(self, turns: &mut Turns) {
        turns.checked += self.checked;
        turns.orderly += self.orderly;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(numbers: &[u64]) -> (u64, u64) {
        let mut order = Order::default();
        numbers.iter().for_each(|&number| order.take(number, 3));
        (order.checked, order.orderly)
    }

    #[test]
    fn each_step_of_so_many_as_there_are_flows_is_orderly() {
        assert_eq!(seen(&[2, 5, 8, 11]), (3, 3));
        assert_eq!(seen(&[7]), (0, 0));
    }

    #[test]
    fn running_twice_in_a_row_and_being_passed_over_are_not() {
        assert_eq!(seen(&[2, 3, 4, 5]), (3, 0));
        assert_eq!(seen(&[2, 5, 9, 12]), (3, 2));
    }
}
