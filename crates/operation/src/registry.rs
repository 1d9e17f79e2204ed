//! Every operation there is.

use flow::{Answer, Cell, NoSink};

use crate::facts::{Facts, Name};
use crate::repeat::{Operation, Repeat};
use crate::site::Site;
use crate::{caller, mapping, open, page_fault, switch};

/// Lists the types of all operations once, for the two things that are done with them.
macro_rules! registry {
    ($($operation:ty),+ $(,)?) => {
        static ALL: &[Facts] = &[$(<$operation>::FACTS),+];

        /// Runs the slot of `cell`: `flows` flows each repeat the operation `ops` times.
        #[must_use]
        pub fn run<W>(cell: &Cell<W>, name: Name, flows: u64, ops: u64) -> Answer {
            $(if name.as_str() == <$operation>::FACTS.name {
                return run_one::<$operation, W>(cell, flows, ops);
            })+
            unreachable!("{name} is a name, and names are those of the registry")
        }
    };
}

registry![
    mapping::Anonymous,
    page_fault::Private,
    page_fault::Shared,
    page_fault::FilePrivate,
    page_fault::FileShared,
    open::OwnFileOneFolder,
    open::OwnFolder,
    open::SameFile,
    caller::Parent,
    switch::Pipe,
];

/// Every operation there is, family by family.
#[must_use]
pub fn all() -> &'static [Facts] {
    ALL
}

fn run_one<O: Operation, W>(cell: &Cell<W>, flows: u64, ops: u64) -> Answer {
    let site = Site::new(flows, cell.spec().variant.model, cell.scratch());
    match O::prepare(&site) {
        Ok(operation) => cell.run(
            &Repeat {
                operation,
                flows,
                ops,
            },
            &mut NoSink,
        ),
        Err(error) => Answer::from_error(&error),
    }
}
