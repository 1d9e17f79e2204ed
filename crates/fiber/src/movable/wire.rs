//! Fibers between two processes that share no memory: what is live of them is sent. Both have a
//! region at the same address, of the same layout, in their own memory; what is written to a socket
//! goes to the same addresses on the other side:
//! ```text
//!  │ slot, control block, bytes of both parts │ used arena │ live stack │   one fiber
//! ```
//! Of an ended fiber all of the stack is sent: its handle alone knows the length of the result. The
//! rest is as with shared memory; where the socket ends the fibers there are lost. The socket never
//! waits: what it does not take is sent later. A slot that is not there or not away, parts that do
//! not fit, or a stack pointer beside its stack end the link. Not done: more than two processes,
//! which need a socket a pair; different machines.

use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, send};

use super::arena::Arena;
use super::member::Member;
use crate::control::Stage;
use crate::core::Core;

/// Words before the parts of a fiber.
const HEAD: usize = 12;
/// In the place of a slot: the region is closed.
const CLOSED: u64 = u64::MAX;
const READ: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) peer: usize,
    stream: UnixStream,
    inbox: RefCell<Vec<u8>>,
    outbox: RefCell<Vec<u8>>,
    open: Cell<bool>,
}

#[derive(Default)]
struct Sent<'b> {
    index: u64,
    saved: [u64; 6],
    generation: u64,
    stage: u64,
    flags: u64,
    arena: &'b [u8],
    stack: &'b [u8],
}

impl Wire {
    pub(crate) fn over(stream: UnixStream, peer: usize) -> io::Result<Wire> {
        stream.set_nonblocking(true)?;
        Ok(Wire {
            peer,
            stream,
            inbox: RefCell::default(),
            outbox: RefCell::default(),
            open: Cell::new(true),
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.get()
    }

    fn keep(&self, sent: &Sent<'_>) {
        let lengths = [sent.arena.len() as u64, sent.stack.len() as u64];
        let state = [sent.generation, sent.stage, sent.flags];
        let words = std::iter::once(sent.index).chain(sent.saved);
        let words = words.chain(state).chain(lengths);
        let mut outbox = self.outbox.borrow_mut();
        outbox.extend(words.flat_map(u64::to_ne_bytes));
        outbox.extend_from_slice(sent.arena);
        outbox.extend_from_slice(sent.stack);
    }

    fn flush(&self) {
        let mut outbox = self.outbox.borrow_mut();
        let mut done = 0;
        while done < outbox.len() && self.is_open() {
            match send(
                self.stream.as_raw_fd(),
                &outbox[done..],
                MsgFlags::MSG_NOSIGNAL,
            ) {
                Ok(bytes) => done += bytes,
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => break,
                Err(_gone) => self.open.set(false),
            }
        }
        outbox.drain(..done);
    }

    /// What came before the other process ended counts.
    fn fill(&self) {
        let mut inbox = self.inbox.borrow_mut();
        while self.is_open() {
            let before = inbox.len();
            inbox.resize(before + READ, 0);
            let came = (&self.stream).read(&mut inbox[before..]);
            inbox.truncate(before + *came.as_ref().unwrap_or(&0));
            match came {
                Ok(0) => self.open.set(false),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_gone) => self.open.set(false),
            }
        }
    }

    /// Until something comes, or can be sent at last; true if `milliseconds` have passed.
    pub(crate) fn sleep(&self, milliseconds: u16, is_over: bool) -> bool {
        if is_over {
            return false;
        }
        if !self.is_open() {
            std::thread::sleep(std::time::Duration::from_millis(milliseconds.into()));
            return true;
        }
        let mut events = PollFlags::POLLIN;
        if !self.outbox.borrow().is_empty() {
            events |= PollFlags::POLLOUT;
        }
        let mut asked = [PollFd::new(self.stream.as_fd(), events)];
        poll(&mut asked, PollTimeout::from(milliseconds)) == Ok(0)
    }

    /// After all that is still to be sent.
    pub(crate) fn close(&self) {
        self.keep(&Sent {
            index: CLOSED,
            ..Sent::default()
        });
        self.flush();
        while self.is_open() && !self.outbox.borrow().is_empty() {
            self.sleep(1_000, false);
            self.fill();
            self.flush();
        }
    }
}

/// The first whole fiber of what has come, and the bytes after it.
fn first(bytes: &[u8]) -> Option<(Sent<'_>, &[u8])> {
    let (head, rest) = bytes.split_at_checked(HEAD * size_of::<u64>())?;
    let (words, _) = head.as_chunks::<8>();
    let word = |place: usize| u64::from_ne_bytes(words[place]);
    let (arena, rest) = rest.split_at_checked(usize::try_from(word(10)).ok()?)?;
    let (stack, rest) = rest.split_at_checked(usize::try_from(word(11)).ok()?)?;
    let sent = Sent {
        index: word(0),
        saved: std::array::from_fn(|place| word(1 + place)),
        generation: word(7),
        stage: word(8),
        flags: word(9),
        arena,
        stack,
    };
    Some((sent, rest))
}

fn stage_of(number: u64) -> Stage {
    let stages = [Stage::Done, Stage::Panicked];
    let over = stages.into_iter().find(|stage| *stage as u64 == number);
    over.unwrap_or(Stage::Away)
}

impl Core {
    pub(crate) fn post(&self, wire: &Wire, index: u32) {
        let (control, mark) = (self.control(index), self.mark(index));
        let (base, bytes) = self.slots.arena(index);
        let (lowest, top) = (self.slots.lowest(index), self.slots.top(index));
        let from = match mark.stage.get().is_over() {
            true => lowest,
            false => top.wrapping_sub(self.live_bytes(index, control)),
        };
        let live = top.addr() - from.addr();
        // SAFETY: the arena of a fiber that has begun here, or came from where it has.
        let used = unsafe { Arena::used_of(base, bytes) };
        // SAFETY: the used part of the slot's arena, where nobody runs now.
        let arena = unsafe { std::slice::from_raw_parts(base, used) };
        // SAFETY: `live` bytes below the top of a slot are its stack, where nobody runs now.
        let stack = unsafe { std::slice::from_raw_parts(from, live) };
        wire.keep(&Sent {
            index: index.into(),
            saved: control.saved.words().map(|word| word as u64),
            generation: mark.generation.get().into(),
            stage: mark.stage.get() as u64,
            flags: u64::from(mark.permit.get()) | u64::from(control.own_floats.get()) << 1,
            arena,
            stack,
        });
    }

    pub(crate) fn take_from(&self, member: &Member, wire: &Wire) {
        wire.flush();
        wire.fill();
        let came = wire.inbox.take();
        let mut rest = came.as_slice();
        while let Some((sent, after)) = first(rest) {
            rest = after;
            if sent.index == CLOSED {
                member.shared.header().close();
            } else if !self.put_down(member, &sent) {
                wire.open.set(false);
                return;
            }
        }
        wire.inbox.replace(rest.to_vec());
    }

    /// False where it belongs nowhere.
    fn put_down(&self, member: &Member, sent: &Sent<'_>) -> bool {
        let total = member.shared.total() as u64;
        let index = u32::try_from(sent.index).ok();
        let Some(index) = index.filter(|index| u64::from(*index) < total) else {
            return false;
        };
        let stage = stage_of(sent.stage);
        let ((base, bytes), top) = (self.slots.arena(index), self.slots.top(index));
        let room = top.addr() - self.slots.lowest(index).addr();
        let to = top.wrapping_sub(sent.stack.len());
        let [_, sp, ..] = sent.saved;
        let live = (self.top_at_turn(top).addr() as u64).wrapping_sub(sp);
        let is_due = !member.is_home_of(index) || self.mark(index).stage.get() == Stage::Away;
        let fits = is_due
            && sent.arena.len() <= bytes
            && sent.stack.len() <= room
            && (stage.is_over() || live == sent.stack.len() as u64);
        if !fits || self.slots.prepare(index).is_err() {
            return false;
        }
        // SAFETY: the arena of a slot whose fiber is not here, and has room for it (just checked).
        unsafe { std::ptr::copy_nonoverlapping(sent.arena.as_ptr(), base, sent.arena.len()) };
        // SAFETY: the stack of that slot, likewise.
        unsafe { std::ptr::copy_nonoverlapping(sent.stack.as_ptr(), to, sent.stack.len()) };
        // Addresses of code are good here too: the same program at the same addresses.
        let parcel = member.parcel(index);
        parcel.saved.set_words(sent.saved.map(|word| word as usize));
        parcel.mark.generation.set(sent.generation as u32);
        parcel.mark.stage.set(stage);
        parcel.mark.permit.set(sent.flags & 1 == 1);
        parcel.own_floats.set(sent.flags & 2 == 2);
        self.take_one(member, index);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wires() -> (Wire, Wire) {
        let (one, other) = UnixStream::pair().unwrap();
        (Wire::over(one, 1).unwrap(), Wire::over(other, 0).unwrap())
    }

    fn sent<'b>(index: u64, arena: &'b [u8], stack: &'b [u8]) -> Sent<'b> {
        Sent {
            index,
            saved: [2; 6],
            generation: 4,
            stage: 5,
            flags: 1,
            arena,
            stack,
        }
    }

    #[test]
    fn what_comes_in_parts_is_taken_when_it_is_whole() {
        let (one, other) = wires();
        one.keep(&sent(7, b"arena", b"the stack"));
        one.keep(&sent(8, b"", b"next"));
        one.flush();
        other.fill();
        let came = other.inbox.take();
        for cut in 0..HEAD * 8 + 14 {
            assert!(first(&came[..cut]).is_none(), "{cut}");
        }
        let (whole, rest) = first(&came).unwrap();
        assert_eq!((whole.index, whole.stack), (7, &b"the stack"[..]));
        assert_eq!((whole.arena, whole.flags), (&b"arena"[..], 1));
        let (whole, rest) = first(rest).unwrap();
        assert_eq!((whole.index, whole.stack, rest.len()), (8, &b"next"[..], 0));
    }

    #[test]
    fn more_than_a_socket_takes_is_sent_when_it_can_be() {
        let (one, other) = wires();
        let much = vec![9_u8; 4 << 20];
        one.keep(&sent(1, &[], &much));
        one.flush();
        assert!(!one.outbox.borrow().is_empty(), "it does not wait");
        for _ in 0..1_000 {
            other.fill();
            one.flush();
        }
        let came = other.inbox.take();
        assert_eq!(first(&came).unwrap().0.stack.len(), much.len());
    }

    #[test]
    fn the_end_of_the_other_side_is_found_by_reading_and_by_writing() {
        // A process that another test starts just then has the other side too, until it begins its
        // program.
        let ends = |one: &Wire, look: &dyn Fn()| {
            (0..12_000).any(|_| {
                look();
                std::thread::sleep(std::time::Duration::from_millis(5));
                !one.is_open()
            })
        };
        let (one, other) = wires();
        drop(other);
        let writes = || {
            one.keep(&sent(1, &[], &[1]));
            one.flush();
        };
        assert!(ends(&one, &writes));
        let (one, other) = wires();
        drop(other);
        assert!(ends(&one, &|| one.fill()));
        assert!(one.sleep(1, false), "so that who is lost is looked for");
    }
}
