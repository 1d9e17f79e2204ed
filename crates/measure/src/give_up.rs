//! The end of a flow that cannot do its work, with words for people; other panics are defects.

use std::cell::Cell;
use std::fmt::Display;

thread_local! {
    static GIVES_UP: Cell<bool> = const { Cell::new(false) };
}

/// Ends the flow by a panic, with words for people.
#[cold]
pub fn give_up(why: impl Display) -> ! {
    GIVES_UP.set(true);
    panic!("{why}")
}

/// Whether the panic of this thread is one of [`give_up`]: its text is all there is to say.
#[must_use]
pub fn gives_up() -> bool {
    GIVES_UP.get()
}
