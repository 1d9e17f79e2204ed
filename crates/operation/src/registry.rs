use std::io;

use flow::{Answer, NoSink, SlotProcess};

use crate::{EachFlow, Facts, Name, Operation, OperationContext, Repeat};
use crate::{
    barrier, beside, brk, caller, dup, fallocate, file_data, file_lock, futex, group, lock,
    make_flow, malloc, mapping, message, name, open, page_fault, preempt, protect, ready, seek,
    signal, switch,
};

/// Makes one enum of all operations: one [`flow::Body`], compiled into the flow loop once and not
/// sixty times. It is matched once a repetition; the loop is the operation's own.
macro_rules! registry {
    ($($variant:ident: $operation:ty),+ $(,)?) => {
        static ALL: &[Facts] = &[$(<$operation>::FACTS),+];

        #[derive(Debug)]
        pub(crate) enum Any {
            $($variant($operation)),+
        }

        #[derive(Debug)]
        pub(crate) enum AnyState {
            $($variant(<$operation as Operation>::State)),+
        }

        impl Any {
            fn prepare(name: Name, context: &OperationContext) -> io::Result<Self> {
                $(if name.as_str() == <$operation>::FACTS.name {
                    return <$operation>::prepare(context).map(Self::$variant);
                })+
                unreachable!("{name} is a name, and names are those of the registry")
            }

            pub(crate) fn own(&self, flow: usize) -> AnyState {
                match self {
                    $(Self::$variant(operation) => AnyState::$variant(operation.own(flow))),+
                }
            }

            pub(crate) fn repeat(&self, own: &mut AnyState, ops: u64) -> u64 {
                match (self, own) {
                    $((Self::$variant(operation), AnyState::$variant(own)) => {
                        operation.repeat(own, ops)
                    })+
                    _ => unreachable!("what a flow keeps was made by its operation"),
                }
            }
        }
    };
}

registry![
    MappingAnonymous: EachFlow<mapping::Anonymous>,
    MappingTouched: EachFlow<mapping::Touched>,
    MappingOwnMapped: mapping::OwnMapped,
    MappingSameMapped: mapping::SameMapped,
    BrkBrk: brk::Brk,
    ProtectProtect: EachFlow<protect::Protect>,
    ProtectForget: EachFlow<protect::Forget>,
    PageFaultPrivate: EachFlow<page_fault::Private>,
    PageFaultShared: EachFlow<page_fault::Shared>,
    PageFaultFilePrivate: EachFlow<page_fault::FilePrivate>,
    PageFaultFileShared: EachFlow<page_fault::FileShared>,
    MallocLarge: malloc::Large,
    MallocSmall: EachFlow<malloc::Small>,
    OpenOwnFileOneFolder: EachFlow<open::OwnFileOneFolder>,
    OpenOwnFolder: EachFlow<open::OwnFolder>,
    OpenSameFile: open::SameFile,
    DupDup: EachFlow<dup::Dup>,
    FileDataPread: file_data::Pread,
    FileDataPreadSame: file_data::PreadSame,
    FileDataPwrite: file_data::Pwrite,
    FileDataPwriteSame: file_data::PwriteSame,
    FileDataRead: file_data::Read,
    FileDataWrite: file_data::Write,
    FileDataReadSeek: file_data::ReadSeek,
    FileDataWriteSeek: file_data::WriteSeek,
    SeekOwn: EachFlow<seek::Own>,
    SeekSame: seek::Same,
    FallocateFallocate: EachFlow<fallocate::Fallocate>,
    NameCreateInOne: EachFlow<name::CreateInOne>,
    NameCreateInOwn: EachFlow<name::CreateInOwn>,
    NameRenameInOne: EachFlow<name::RenameInOne>,
    NameRenameInOwn: EachFlow<name::RenameInOwn>,
    FileLockOwnFlock: file_lock::OwnFlock,
    FileLockSameFlock: file_lock::SameFlock,
    FileLockOwnRecord: file_lock::OwnRecord,
    FileLockSameRecord: file_lock::SameRecord,
    MessageByPipe: EachFlow<message::ByPipe>,
    MessageBySocket: EachFlow<message::BySocket>,
    MessageEventfd: EachFlow<message::Eventfd>,
    GroupByPipe: group::ByPipe,
    GroupBySocket: group::BySocket,
    ReadyPoll: EachFlow<ready::Poll>,
    ReadyEpoll: EachFlow<ready::Epoll>,
    FutexPrivate: futex::Private,
    FutexOwnShared: futex::OwnShared,
    FutexSame: futex::Same,
    LockOwnMutex: lock::OwnMutex,
    LockSameMutex: lock::SameMutex,
    LockOwnSemaphore: lock::OwnSemaphore,
    LockSameSemaphore: lock::SameSemaphore,
    SwitchPipe: EachFlow<switch::Pipe>,
    SwitchFutex: EachFlow<switch::Futex>,
    SignalToSelf: signal::ToSelf,
    CallerParent: EachFlow<caller::Parent>,
    CallerYield: EachFlow<caller::Yield>,
    MakeFlowFork: EachFlow<make_flow::Fork>,
    MakeFlowForkSharedFiles: EachFlow<make_flow::ForkSharedFiles>,
    MakeFlowVfork: EachFlow<make_flow::Vfork>,
    MakeFlowCloneVm: EachFlow<make_flow::CloneVm>,
    MakeFlowCloneVmFiles: EachFlow<make_flow::CloneVmFiles>,
    MakeFlowSpawn: make_flow::Spawn,
    MakeFlowThread: EachFlow<make_flow::Thread>,
    BarrierSpin: barrier::Spin,
    BarrierYield: barrier::Yield,
    BarrierFutex: barrier::Futex,
    BesideFaultMap: beside::FaultMap,
    BesideProtectSpin: beside::ProtectSpin,
    BesideProtectSleep: beside::ProtectSleep,
    BesideNapSpin: beside::NapSpin,
    BesideNapSleep: beside::NapSleep,
    PreemptCompute: preempt::Compute,
    PreemptCompute10: preempt::Compute10,
    PreemptCompute1: preempt::Compute1,
    PreemptBehind: preempt::Behind,
    PreemptBehind10: preempt::Behind10,
    PreemptBehind1: preempt::Behind1,
];

/// Every operation, family by family.
#[must_use]
pub fn all() -> &'static [Facts] {
    ALL
}

/// Runs the slot of `slot`: `flows` flows each repeat the operation `ops` times.
#[must_use]
pub fn run<W>(slot: &SlotProcess<W>, name: Name, flows: u64, ops: u64) -> Answer {
    let context = OperationContext::new(flows, slot.spec().variant.model, slot.scratch());
    match Any::prepare(name, &context) {
        Ok(operation) => {
            let repeat = Repeat {
                name,
                operation,
                flows,
                ops,
            };
            slot.run(&repeat, &mut NoSink)
        }
        Err(error) => Answer::from_error(&error),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_operation_has_a_name_of_its_own_and_says_what_it_is() {
        let names: BTreeSet<&str> = all().iter().map(|facts| facts.name).collect();
        assert_eq!(names.len(), all().len());
        for facts in all() {
            let Facts {
                name,
                does,
                shares,
                verified,
                ops,
                ..
            } = facts;
            let named = Name::try_from((*name).to_owned()).unwrap();
            assert_eq!(named.facts(), facts);
            assert!(
                ![does, shares, verified].iter().any(|text| text.is_empty()),
                "{name}"
            );
            assert!(*ops > 0, "{name}");
        }
    }

    #[test]
    fn every_operation_is_in_the_documentation_and_in_the_study() {
        let page = include_str!("../../../docs/sharing.md");
        let study = include_str!("../../../studies/sharing/study.toml");
        // The quick preset names those that it runs; its other cases are of all, but for the one of
        // groups.
        let of_groups = r#"values = ["group-pipe", "group-socket"]"#;
        assert_eq!(study.matches(of_groups).count(), 1);
        let cases = study.matches("[case.each]").count();
        assert_eq!(study.matches("values = \"all\"").count(), cases - 1);
        let (_, quick) = study.split_once("each = [").unwrap();
        let (quick, _) = quick.split_once(']').unwrap();
        let words = quick.split(',').map(str::trim);
        for word in words.filter(|word| !word.is_empty()) {
            let known = |facts: &Facts| word == format!("\"{}\"", facts.name);
            assert!(all().iter().any(known), "{word}");
        }
        for Facts { name, does, .. } in all() {
            let (named, told) = (format!("`{name}`"), format!(": {does}"));
            let has = |line: &str| line.contains(&named) && line.ends_with(&told);
            assert!(page.lines().any(has), "{name}");
        }
    }
}
