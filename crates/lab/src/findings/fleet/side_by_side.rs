use std::num::NonZero;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` makes of each item, in order, two at a time for each CPU: reading waits.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = 2 * std::thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let share = || {
        while let Some((place, item)) = {
            let place = next.fetch_add(1, Ordering::Relaxed);
            items.get(place).map(|item| (place, item))
        } {
            let one = (place, work(item));
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(one);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            let _fewer_are_slower = std::thread::Builder::new().spawn_scoped(scope, share);
        }
        share();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    #[test]
    fn what_is_made_stands_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1_000).collect();
        let made = side_by_side(&items, |item| item * item);
        assert!(
            made.iter()
                .zip(&items)
                .all(|(made, item)| *made == item * item)
        );
        assert_eq!(made.len(), items.len());
        assert!(side_by_side(&[0_u8; 0], |_| ()).is_empty());
    }
}
