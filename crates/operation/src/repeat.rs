use std::fmt::Debug;
use std::io;
use std::marker::PhantomData;

use flow::{Body, Outlet, Proof};

use crate::context::OperationContext;
use crate::facts::{Facts, Name};
use crate::registry::{Any, AnyState};

pub(crate) trait Operation: Sync + Sized {
    const FACTS: Facts;

    /// One flow's files, descriptors or memory.
    type State;

    /// Made in the slot process, before any flow, so that processes share it.
    fn prepare(context: &OperationContext) -> io::Result<Self>;

    /// Made in the flow, before the gate.
    fn own(&self, flow: usize) -> Self::State;

    /// Does and verifies `ops` operations. The checksum of their effects depends on `ops` alone.
    fn repeat(&self, own: &mut Self::State, ops: u64) -> u64;
}

pub(crate) trait PerFlow: Debug + Sized {
    const FACTS: Facts;

    fn make(context: &OperationContext, flow: usize) -> Self;

    fn repeat(&mut self, ops: u64) -> u64;
}

#[derive(Debug)]
pub(crate) struct EachFlow<T> {
    context: OperationContext,
    of: PhantomData<fn() -> T>,
}

impl<T: PerFlow> Operation for EachFlow<T> {
    const FACTS: Facts = T::FACTS;

    type State = T;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        if T::FACTS.needs_folder {
            context.folder()?;
        }
        Ok(Self {
            context: context.clone(),
            of: PhantomData,
        })
    }

    fn own(&self, flow: usize) -> T {
        T::make(&self.context, flow)
    }

    fn repeat(&self, own: &mut T, ops: u64) -> u64 {
        own.repeat(ops)
    }
}

#[derive(Debug)]
pub(crate) struct Repeat {
    pub(crate) name: Name,
    pub(crate) operation: Any,
    pub(crate) flows: u64,
    pub(crate) ops: u64,
}

impl Body for Repeat {
    type State = AnyState;
    const SENDS: bool = false;
    const SHOOTS_DOWN: bool = true;

    fn units(&self) -> u64 {
        self.flows
    }

    fn describe(&self, unit: u64) -> String {
        let Self { name, ops, .. } = self;
        format!("{ops} x {name} (flow {unit})")
    }

    fn state(&self, flow: usize) -> AnyState {
        self.operation.own(flow)
    }

    fn unit(&self, own: &mut AnyState, _unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        Proof {
            count: self.ops,
            checksum: self.operation.repeat(own, self.ops),
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use flow::Model;

    use super::*;

    /// An operation of this number of threads.
    pub(crate) fn of_flows<O: Operation>(flows: usize) -> O {
        let context = OperationContext::new(flows as u64, Model::Thread, None);
        O::prepare(&context).unwrap()
    }

    /// What each of these flows proves in one repetition.
    pub(crate) fn together<O>(operation: &O, flows: usize, ops: u64) -> Vec<u64>
    where
        O: Operation<State: Send>,
    {
        let states: Vec<O::State> = (0..flows).map(|flow| operation.own(flow)).collect();
        std::thread::scope(|scope| {
            let flow = |mut own| scope.spawn(move || operation.repeat(&mut own, ops));
            let flows: Vec<_> = states.into_iter().map(flow).collect();
            let proved = flows.into_iter().map(|flow| flow.join().unwrap());
            proved.collect()
        })
    }
}
