//! `signal`: a flow sends itself a signal; handlers and count are the process's, under a lock.

use std::io;

use crate::check::{must, same};
use crate::sys::signal::{Address, count_signals, seen};
use crate::{Facts, Operation, OperationContext};

#[derive(Debug)]
pub(crate) struct ToSelf;

impl Operation for ToSelf {
    const FACTS: Facts = Facts {
        name: "signal",
        family: "signals",
        does: "send a signal to itself and handle it",
        shares: "nothing (threads have the handlers of their process)",
        verified: "the flow's handler has run once for each",
        ops: 1_300,
        ..Facts::USUAL
    };

    type State = Address;

    fn prepare(_context: &OperationContext) -> io::Result<Self> {
        count_signals()?;
        Ok(Self)
    }

    fn own(&self, _flow: usize) -> Address {
        Address::of_self()
    }

    fn repeat(&self, own: &mut Address, ops: u64) -> u64 {
        let before = seen();
        for op in 0..ops {
            must("send a signal", own.signal());
            same("the number of signals", seen() - before, op + 1);
        }
        seen() - before
    }
}
