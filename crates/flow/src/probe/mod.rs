//! A small probe behind a lowered limit: does it stop where reading says it will (docs/switch.md,
//! "How `limits` works")? A fresh process lowers one limit *for itself* ([`Fence`]), reads again
//! inside, and makes flows until the kernel refuses. It can not harm the machine: a fence is at
//! most some hundred tasks or [`ADDRESSES`] bytes wide and gone with its process, and the launcher
//! kills the group at a deadline. No limit counts fibers and tasks: theirs is how many one
//! scheduler (one vector) can be made for, found by halving, every flow made and run. A control
//! group's folder would outlive a kill: none is used.

mod fence;
mod ids;
mod make;

use std::io;

use nix::errno::Errno;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::getppid;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use fence::{ADDRESSES, TASKS};

use crate::Model;
use crate::body::Body;
use crate::context::AnyBody;
use crate::ending::{end_on_panic, exit, write_line};
use crate::tied::{Task, is_in_role};

pub(crate) const PROBE_ARGUMENT: &str = "__probe";

const EXIT_NO_TASK: i32 = 96;

/// What is lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fence {
    /// `kernel.pid_max` of a namespace of ids.
    Ids,
    /// `RLIMIT_NPROC` of a user.
    User,
    /// `RLIMIT_AS` of the process.
    Addresses,
}

impl Fence {
    /// What it is, in words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Ids => "a namespace of ids",
            Self::User => "a user's tasks",
            Self::Addresses => "address space",
        }
    }
}

/// One probe to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeSpec {
    /// Of which flows: process, thread, a fiber on one kernel thread, or task.
    pub model: Model,
    /// Behind which fence.
    pub fence: Fence,
    /// Tasks of this user now, for a user that is not root.
    pub user_tasks: u64,
    /// Seconds after which the probe is killed.
    pub deadline_s: f64,
}

/// What came of a probe; `P` is the prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probed<P> {
    /// Flows were made until there was no room for more.
    Met {
        /// What reading said behind the fence, before the first flow.
        predicted: P,
        /// Flows that there were at one time.
        reached: u64,
        /// The error that refused one more (`EAGAIN`), before far more than predicted.
        refused_with: Option<String>,
    },
    /// There is no such fence here.
    NotAvailable {
        /// Why.
        reason: String,
    },
}

/// Whether this process was started as a probe. To be asked first of all in `main`.
#[must_use]
pub fn is_probe() -> bool {
    is_in_role(PROBE_ARGUMENT)
}

/// The whole life of a probe; `predict` reads behind the fence for how many there is room.
pub fn probe_main<B: Body, P: Serialize + DeserializeOwned>(
    body: &B,
    predict: impl FnOnce(Model) -> Option<(u64, P)>,
) -> ! {
    end_on_panic();
    let tied = set_pdeathsig(Signal::SIGKILL);
    let task = serde_json::from_reader(io::stdin().lock());
    let Ok(Task::<ProbeSpec> { spec, parent }) = task else {
        exit(EXIT_NO_TASK)
    };
    if tied.is_err() || getppid().as_raw() != parent {
        exit(EXIT_NO_TASK);
    }
    let probed =
        probe(&spec, body, predict).unwrap_or_else(|reason| Probed::NotAvailable { reason });
    exit(i32::from(write_line(&probed).is_err()))
}

fn enter(spec: &ProbeSpec) -> Result<(), String> {
    match spec.fence {
        Fence::Ids => ids::enter(),
        Fence::User => fence::fewer_tasks(spec.user_tasks),
        Fence::Addresses => fence::fewer_addresses(),
    }
}

fn probe<P>(
    spec: &ProbeSpec,
    body: &dyn AnyBody,
    predict: impl FnOnce(Model) -> Option<(u64, P)>,
) -> Result<Probed<P>, String> {
    enter(spec)?;
    let (flows, predicted) = predict(spec.model).ok_or("no limit can be read behind the fence")?;
    let (reached, refused) = make::as_many_as_can_be(spec.model, body, flows)?;
    Ok(Probed::Met {
        predicted,
        reached,
        refused_with: refused.as_ref().map(name),
    })
}

fn name(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(number) => format!("{:?}", Errno::from_raw(number)),
        None => error.to_string(),
    }
}
