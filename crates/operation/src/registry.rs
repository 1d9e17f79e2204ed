//! Every operation there is.

use flow::{Answer, Cell, NoSink};

use crate::facts::{Facts, Name};
use crate::repeat::{Operation, Repeat};
use crate::site::Site;
use crate::{
    brk, caller, dup, fallocate, file_data, file_lock, futex, lock, make_flow, malloc, mapping,
    message, name, open, page_fault, protect, ready, seek, signal, switch,
};

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
    mapping::OwnMapped,
    mapping::SameMapped,
    brk::Brk,
    protect::Protect,
    protect::Forget,
    page_fault::Private,
    page_fault::Shared,
    page_fault::FilePrivate,
    page_fault::FileShared,
    malloc::Large,
    malloc::Small,
    open::OwnFileOneFolder,
    open::OwnFolder,
    open::SameFile,
    dup::Dup,
    file_data::Pread,
    file_data::PreadSame,
    file_data::Pwrite,
    file_data::PwriteSame,
    file_data::Read,
    file_data::Write,
    file_data::ReadSeek,
    file_data::WriteSeek,
    seek::Own,
    seek::Same,
    fallocate::Fallocate,
    name::CreateInOne,
    name::CreateInOwn,
    name::RenameInOne,
    name::RenameInOwn,
    file_lock::OwnFlock,
    file_lock::SameFlock,
    file_lock::OwnRecord,
    file_lock::SameRecord,
    message::ByPipe,
    message::BySocket,
    message::Eventfd,
    ready::Poll,
    ready::Epoll,
    futex::Private,
    futex::OwnShared,
    futex::Same,
    lock::OwnMutex,
    lock::SameMutex,
    lock::OwnSemaphore,
    lock::SameSemaphore,
    switch::Pipe,
    switch::Futex,
    signal::ToSelf,
    caller::Parent,
    caller::Yield,
    make_flow::Fork,
    make_flow::ForkSharedFiles,
    make_flow::Vfork,
    make_flow::CloneVm,
    make_flow::CloneVmFiles,
    make_flow::Spawn,
    make_flow::Thread,
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
