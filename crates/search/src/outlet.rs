//! Where results leave the search: one place that all flows write to, in large pieces that end
//! where a file ends, so lines of two files never mix. Where a file's lines do not fit, more
//! follows, and until then no other flow is let in: memory for results is bounded. Who is to
//! deliver more stands in a word, not in who holds the lock: the pieces of a large file come from
//! many flows (`large`) in turn through one [`Here`]. Flows here write under a lock, others send
//! frames by a pipe (`models::children`).

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::locks::{held, waited};
use crate::problem::{Kind, Problem};

pub(crate) trait Deliver {
    /// `more`: the file continues in the next piece.
    fn text(&mut self, text: &[u8], more: bool);

    fn sorted(&mut self, key: Key, text: &[u8]);

    fn tell(&mut self, problem: Problem);
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    root: u32,
    /// Slashes are the smallest bytes.
    path: Vec<u8>,
}

impl Key {
    pub(crate) fn new(root: u32, path: Vec<u8>) -> Key {
        let lowered = path.into_iter().map(|byte| match byte {
            b'/' => 0,
            other => other,
        });
        Key {
            root,
            path: lowered.collect(),
        }
    }

    pub(crate) fn parts(&self) -> (u32, &[u8]) {
        (self.root, &self.path)
    }
}

pub(crate) struct Outlet<'o> {
    state: Mutex<State<'o>>,
    free: Condvar,
    /// The output was closed: all flows end soon.
    stop: &'o AtomicBool,
    errors: AtomicU64,
}

struct State<'o> {
    out: &'o mut (dyn Write + Send),
    say: &'o mut (dyn FnMut(&Problem) + Send),
    kept: Vec<(Key, Vec<u8>)>,
    taken: bool,
    /// Of flows that cannot wait until it is free.
    later: Vec<u8>,
    closed: bool,
    otherwise: Vec<String>,
}

impl<'o> Outlet<'o> {
    pub(crate) fn new(
        out: &'o mut (dyn Write + Send),
        say: &'o mut (dyn FnMut(&Problem) + Send),
        stop: &'o AtomicBool,
    ) -> Outlet<'o> {
        Outlet {
            state: Mutex::new(State {
                out,
                say,
                kept: Vec::new(),
                taken: false,
                later: Vec::new(),
                closed: false,
                otherwise: Vec::new(),
            }),
            free: Condvar::new(),
            stop,
            errors: AtomicU64::new(0),
        }
    }

    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    pub(crate) fn tell(&self, problem: &Problem) {
        self.say(&mut held(&self.state), problem);
    }

    fn say(&self, state: &mut State<'_>, problem: &Problem) {
        match problem.kind {
            Kind::Error => {
                self.errors.fetch_add(1, Ordering::Relaxed);
            }
            // Said once, though many flows meet it.
            Kind::Otherwise if state.otherwise.contains(&problem.what) => return,
            Kind::Otherwise => state.otherwise.push(problem.what.clone()),
            Kind::Notice => {}
        }
        (state.say)(problem);
    }

    pub(crate) fn otherwise(&self) -> Option<String> {
        let state = held(&self.state);
        (!state.otherwise.is_empty()).then(|| state.otherwise.join("; "))
    }

    fn write(&self, state: &mut State<'_>, text: &[u8]) {
        if self.stop.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = state.out.write_all(text) {
            self.stop.store(true, Ordering::Relaxed);
            if error.kind() == io::ErrorKind::BrokenPipe {
                state.closed = true;
            } else {
                let what = format!("cannot write results: {error}");
                self.say(state, &Problem::error(what));
            }
        }
    }

    fn write_later(&self, state: &mut State<'_>) {
        let later = std::mem::take(&mut state.later);
        if !later.is_empty() {
            self.write(state, &later);
        }
    }

    pub(crate) fn finish(&self) -> bool {
        let mut state = held(&self.state);
        self.write_later(&mut state);
        let mut kept = std::mem::take(&mut state.kept);
        // A stable sort: parts of a file keep their order.
        kept.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (_, text) in &kept {
            self.write(&mut state, text);
        }
        if let Err(error) = state.out.flush() {
            state.closed |= error.kind() == io::ErrorKind::BrokenPipe;
        }
        state.closed
    }
}

pub(crate) struct Here<'s, 'o> {
    outlet: &'s Outlet<'o>,
    more: bool,
    waits: bool,
}

impl<'s, 'o> Here<'s, 'o> {
    pub(crate) fn new(outlet: &'s Outlet<'o>) -> Here<'s, 'o> {
        Here {
            outlet,
            more: false,
            waits: true,
        }
    }

    /// Of a flow that is alone: its text comes behind that of a large file that it left.
    pub(crate) fn alone(outlet: &'s Outlet<'o>) -> Here<'s, 'o> {
        Here {
            waits: false,
            ..Here::new(outlet)
        }
    }

    fn enter(&self) -> MutexGuard<'s, State<'o>> {
        let mut state = held(&self.outlet.state);
        while state.taken && !self.more && self.waits {
            state = waited(&self.outlet.free, state);
        }
        state
    }
}

impl Deliver for Here<'_, '_> {
    fn text(&mut self, text: &[u8], more: bool) {
        let mut state = self.enter();
        if state.taken && !self.more {
            return state.later.extend_from_slice(text);
        }
        self.outlet.write(&mut state, text);
        state.taken = more;
        if !more {
            self.outlet.write_later(&mut state);
        }
        drop(state);
        if self.more && !more {
            self.outlet.free.notify_all();
        }
        self.more = more;
    }

    fn sorted(&mut self, key: Key, text: &[u8]) {
        held(&self.outlet.state).kept.push((key, text.to_vec()));
    }

    fn tell(&mut self, problem: Problem) {
        self.outlet.tell(&problem);
    }
}

impl Drop for Here<'_, '_> {
    fn drop(&mut self) {
        if self.more {
            self.text(b"", false);
        }
    }
}

pub(crate) type Together<'d> = Mutex<dyn Deliver + Send + 'd>;

impl Deliver for &Together<'_> {
    fn text(&mut self, text: &[u8], more: bool) {
        held(self).text(text, more);
    }

    fn sorted(&mut self, key: Key, text: &[u8]) {
        held(self).sorted(key, text);
    }

    fn tell(&mut self, problem: Problem) {
        held(self).tell(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_sorts_before_everything_else() {
        let key = |path: &str| Key::new(0, path.as_bytes().to_vec());
        let mut keys = [key("a-b"), key("a/z"), key("a"), key("a/b/c"), key("a/b.c")];
        keys.sort();
        assert_eq!(
            keys,
            [key("a"), key("a/b/c"), key("a/b.c"), key("a/z"), key("a-b")]
        );
        assert!(Key::new(0, b"z".to_vec()) < Key::new(1, b"a".to_vec()));
    }

    /// What an outlet, which is not closed, has written when it is finished.
    fn written(deliver: impl FnOnce(&Outlet<'_>)) -> Vec<u8> {
        let stop = AtomicBool::new(false);
        let (mut out, mut say) = (Vec::new(), |_: &Problem| {});
        let outlet = Outlet::new(&mut out, &mut say, &stop);
        deliver(&outlet);
        assert!(!outlet.finish());
        drop(outlet);
        out
    }

    #[test]
    fn while_more_of_a_file_is_to_come_nobody_else_writes() {
        let written = written(|outlet| {
            std::thread::scope(|scope| {
                let mut first = Here::new(outlet);
                first.text(b"a1 ", true);
                let second = scope.spawn(|| Here::new(outlet).text(b"b ", false));
                first.text(b"a2 ", true);
                first.text(b"a3 ", false);
                assert!(second.join().is_ok());
            });
        });
        assert_eq!(written, b"a1 a2 a3 b ");
    }

    /// A search of a small file and a large one with many results waited for itself for ever.
    #[test]
    fn a_flow_that_left_a_large_file_does_not_wait_for_it() {
        let written = written(|outlet| {
            let mut large = Here::new(outlet);
            large.text(b"large1 ", true);
            Here::alone(outlet).text(b"small ", false);
            large.text(b"large2 ", false);
            Here::alone(outlet).text(b"next", false);
            drop(large);
        });
        assert_eq!(written, b"large1 large2 small next");
    }

    #[test]
    fn what_is_told_amid_a_file_lets_nobody_in_between() {
        let written = written(|outlet| {
            std::thread::scope(|scope| {
                let mut first = Here::new(outlet);
                first.text(b"a1 ", true);
                first.tell(Problem::error("lost"));
                let second = scope.spawn(|| Here::new(outlet).text(b"b ", false));
                first.text(b"a2 ", false);
                assert!(second.join().is_ok());
            });
            assert_eq!(outlet.errors(), 1);
        });
        assert_eq!(written, b"a1 a2 b ");
    }

    #[test]
    fn a_difference_from_the_plan_is_said_once_and_kept() {
        let stop = AtomicBool::new(false);
        let (mut out, mut said) = (Vec::new(), Vec::new());
        let mut say = |problem: &Problem| said.push(problem.what.clone());
        let outlet = Outlet::new(&mut out, &mut say, &stop);
        assert_eq!(outlet.otherwise(), None);
        for what in ["no ring", "no ring", "no tables"] {
            outlet.tell(&Problem::otherwise(what));
        }
        assert_eq!(outlet.otherwise().as_deref(), Some("no ring; no tables"));
        assert_eq!(outlet.errors(), 0);
        drop(outlet);
        assert_eq!(said, ["no ring", "no tables"]);
    }

    #[test]
    fn output_that_is_closed_stops_the_search() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let stop = AtomicBool::new(false);
        let (mut out, mut say) = (Closed, |problem: &Problem| panic!("{problem}"));
        let outlet = Outlet::new(&mut out, &mut say, &stop);
        Here::new(&outlet).text(b"a", false);
        assert!(stop.load(Ordering::Relaxed));
        assert!(outlet.finish());
    }
}
