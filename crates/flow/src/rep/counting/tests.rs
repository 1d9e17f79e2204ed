//! Counting with a script in place of the kernel, and with the kernel where it may count.

use std::cell::Cell;
use std::rc::Rc;

use measure::counters::Kernel;

use super::*;

const CYCLES: Event = Event::Cycles;
const SWITCHES: Event = Event::ContextSwitches;

fn sample(count: u64, enabled_ns: u64, running_ns: u64) -> Sample {
    Sample {
        count,
        enabled_ns,
        running_ns,
    }
}

/// Answers by a function of event, scope and thread, and knows how many counters are open.
struct Script<F> {
    answer: F,
    open: Rc<Cell<usize>>,
    most: Rc<Cell<usize>>,
}

/// What a scripted counter does.
#[derive(Debug, Clone, Copy)]
struct Plan {
    begin: Result<(), Errno>,
    sample: Result<Sample, Errno>,
}

impl Plan {
    fn reads(sample: Sample) -> Result<Self, Errno> {
        Ok(Self {
            begin: Ok(()),
            sample: Ok(sample),
        })
    }
}

struct Scripted {
    plan: Plan,
    open: Rc<Cell<usize>>,
}

impl<F: FnMut(Event, Scope, i32) -> Result<Plan, Errno>> Script<F> {
    fn new(answer: F) -> Self {
        Self {
            answer,
            open: Rc::default(),
            most: Rc::default(),
        }
    }

    /// What comes of counting these events for this many threads. Nothing stays open.
    fn count(&mut self, events: &[Event], flows: i32) -> Counted {
        let tids: Vec<i32> = (0..flows).collect();
        let counting = Counting::begin(self, events, &tids).into_value().unwrap();
        let counted = counting.read();
        assert_eq!(self.open.get(), 0, "counters are left open");
        counted
    }
}

impl<F: FnMut(Event, Scope, i32) -> Result<Plan, Errno>> Source for Script<F> {
    type Counter = Scripted;

    fn open(&mut self, event: Event, scope: Scope, whose: Whose) -> Result<Scripted, Errno> {
        let Whose::Thread(tid) = whose else {
            panic!("{whose:?} is no flow");
        };
        let plan = (self.answer)(event, scope, tid)?;
        self.open.set(self.open.get() + 1);
        self.most.set(self.most.get().max(self.open.get()));
        Ok(Scripted {
            plan,
            open: Rc::clone(&self.open),
        })
    }
}

impl Counter for Scripted {
    fn begin(&mut self) -> Result<(), Errno> {
        self.plan.begin
    }

    fn end(&mut self) -> Result<(), Errno> {
        Ok(())
    }

    fn sample(&mut self) -> Result<Sample, Errno> {
        self.plan.sample
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.open.set(self.open.get() - 1);
    }
}

fn refused(errno: Errno) -> Came {
    Came::Refused {
        errno: errno as i32,
    }
}

/// Where an event was counted, of all flows, and of each.
fn read(counted: &Counted, event: Event) -> (Scope, Sample, &[Sample]) {
    match counted.of(event) {
        Some(Came::Read {
            scope, sum, each, ..
        }) => (*scope, *sum, each),
        other => panic!("{other:?}"),
    }
}

const ONCE: Sample = Sample {
    count: 1,
    enabled_ns: 1,
    running_ns: 1,
};

#[test]
fn each_flow_is_read_and_partial_times_are_kept_as_they_are() {
    let mut script = Script::new(|_, _, tid| Plan::reads(sample(10 * tid as u64, 100, 25)));
    let counted = script.count(&[CYCLES], 3);
    assert_eq!(counted.flows, 3);
    let (scope, sum, each) = read(&counted, CYCLES);
    assert_eq!(scope, Scope::Everywhere);
    let expected = [0, 10, 20].map(|count| sample(count, 100, 25));
    assert_eq!(each, &expected);
    assert_eq!(sum, sample(30, 300, 75));
    assert_eq!(sum.scaled(), Some(120.0));
    assert_eq!(counted.of(SWITCHES), None);
}

#[test]
fn flows_that_had_the_counter_for_unlike_parts_are_scaled_before_they_are_added_up() {
    let mut script = Script::new(|_, _, tid| {
        let running_ns = if tid % 2 == 0 { 1_000 } else { 250 };
        Plan::reads(sample(1_000, 1_000, running_ns))
    });
    for flows in [2, 64, 66] {
        let counted = script.count(&[CYCLES], flows);
        let came = counted.of(CYCLES).unwrap();
        assert_eq!(came.scaled(), Some(f64::from(flows / 2) * 5_000.0));
        assert_eq!(came.never_ran(), 0);
    }
}

#[test]
fn a_flow_whose_counter_never_ran_leaves_no_sum_of_the_others() {
    let mut script = Script::new(|_, _, tid| {
        let running_ns = if tid == 1 { 0 } else { 1_000 };
        Plan::reads(sample(1_000, 1_000, running_ns))
    });
    for flows in [2, 66] {
        let counted = script.count(&[CYCLES], flows);
        let came = counted.of(CYCLES).unwrap();
        assert_eq!((came.scaled(), came.never_ran()), (None, 1), "{flows}");
    }
}

#[test]
fn journals_of_earlier_versions_are_scaled_as_far_as_they_tell() {
    let read = |each: &str| -> Came {
        let sum = "[2000,2000,1250]";
        let text = format!(r#"{{"read":{{"scope":"everywhere","sum":{sum},"each":{each}}}}}"#);
        serde_json::from_str(&text).unwrap()
    };
    let each = read("[[1000,1000,1000],[1000,1000,250]]");
    assert_eq!(each.scaled(), Some(5_000.0));
    assert_eq!(read("[]").scaled(), Some(3_200.0));
}

#[test]
fn many_flows_are_one_sum() {
    let mut script = Script::new(|_, _, _| Plan::reads(sample(1, 2, 2)));
    for (flows, rows) in [(64, 64), (65, 0), (1_000, 0)] {
        let counted = script.count(&[CYCLES, SWITCHES], flows);
        let (_, sum, each) = read(&counted, SWITCHES);
        assert_eq!((sum.count, each.len()), (flows as u64, rows));
    }
}

#[test]
fn every_error_of_opening_is_the_events_own_and_the_others_are_counted() {
    use Errno::*;
    for errno in [
        ENOENT, ENODEV, EOPNOTSUPP, ENOSYS, EINVAL, E2BIG, EMFILE, ENFILE, EBUSY, ESRCH, ENOMEM,
        EACCES, EPERM,
    ] {
        let mut script = Script::new(move |event, _, _| match event {
            CYCLES => Err(errno),
            _ => Plan::reads(ONCE),
        });
        let counted = script.count(&[CYCLES, SWITCHES], 2);
        assert_eq!(counted.of(CYCLES), Some(&refused(errno)), "{errno}");
        read(&counted, SWITCHES);
    }
}

#[test]
fn an_event_that_fails_for_a_later_flow_fails_for_all_and_leaves_room() {
    let mut script = Script::new(|event, _, tid| match (event, tid) {
        (CYCLES, 2) => Err(Errno::EMFILE),
        _ => Plan::reads(ONCE),
    });
    let counted = script.count(&[CYCLES, SWITCHES], 3);
    assert_eq!(counted.of(CYCLES), Some(&refused(Errno::EMFILE)));
    assert_eq!(script.most.get(), 3, "what was opened is closed first");
}

#[test]
fn errors_of_beginning_and_of_reading_are_no_counts() {
    let mut script = Script::new(|event, _, tid| {
        let (begin, sample) = match (event, tid) {
            (CYCLES, 1) => (Err(Errno::ENODEV), Ok(ONCE)),
            (SWITCHES, 1) => (Ok(()), Err(Errno::EIO)),
            _ => (Ok(()), Ok(ONCE)),
        };
        Ok(Plan { begin, sample })
    });
    let counted = script.count(&[CYCLES, SWITCHES, Event::PageFaults], 2);
    assert_eq!(counted.of(CYCLES), Some(&refused(Errno::ENODEV)));
    assert_eq!(counted.of(SWITCHES), Some(&refused(Errno::EIO)));
    read(&counted, Event::PageFaults);
}

#[test]
fn what_is_forbidden_in_the_kernel_is_counted_in_user_code_where_that_tells_anything() {
    for errno in [Errno::EACCES, Errno::EPERM] {
        let mut script = Script::new(move |_, scope, _| match scope {
            Scope::Everywhere => Err(errno),
            Scope::UserOnly => Plan::reads(ONCE),
        });
        let counted = script.count(&[CYCLES, SWITCHES], 2);
        assert_eq!(read(&counted, CYCLES).0, Scope::UserOnly);
        assert_eq!(counted.of(SWITCHES), Some(&refused(errno)));
    }
}

#[test]
fn one_that_never_ran_is_kept_as_such() {
    let mut script = Script::new(|_, _, _| Plan::reads(sample(0, 100, 0)));
    let counted = script.count(&[CYCLES], 2);
    let (_, sum, _) = read(&counted, CYCLES);
    assert_eq!(sum, sample(0, 200, 0));
    assert_eq!(sum.scaled(), None);
}

#[test]
fn too_many_counters_are_refused_with_the_numbers() {
    let said = |flows, events, limit| {
        let room = room(flows, events, &Descriptors { limit, open: 24 });
        room.map(|()| "there is room").to_string()
    };
    assert_eq!(said(45, 11, 1_024), "there is room");
    let short = said(46, 11, 1_024);
    assert!(
        short.contains("46 flows x 11 events are 506 counters"),
        "{short}"
    );
    assert!(short.contains("may take 500 file descriptors"), "{short}");
    assert!(short.contains("ulimit -n 1036,"), "{short}");
    assert_eq!(said(46, 11, 1_036), "there is room");
    let many = said(1_000_000, 11, u64::MAX);
    assert!(many.contains("more than the 8192"), "{many}");
    assert!(many.contains("fewer flows"), "{many}");
}

#[test]
fn nothing_is_opened_where_there_is_no_room() {
    let mut script = Script::new(|_, _, _| -> Result<Plan, Errno> { panic!("opened") });
    let tids: Vec<i32> = (0..9_000).collect();
    let refused = Counting::begin(&mut script, &[CYCLES], &tids);
    assert!(refused.value().is_none());
}

/// The real one: what may be counted of this thread is, and it has run.
#[test]
fn the_kernel_counts_a_thread_from_outside_or_says_why_not() {
    let own = nix::unistd::gettid().as_raw();
    let counting = Counting::begin(&mut Kernel, &[Event::TaskClock, CYCLES], &[own]);
    let counted = counting.into_value().unwrap().read();
    for event in &counted.events {
        match &event.came {
            Came::Read { sum, each, .. } => {
                assert_eq!(each.as_slice(), &[*sum]);
                assert!(sum.enabled_ns > 0, "{counted:?}");
            }
            Came::Refused { errno } => assert!(*errno > 0, "{counted:?}"),
        }
    }
}
