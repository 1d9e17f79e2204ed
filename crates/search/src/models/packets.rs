//! The exchange of processes: a pair of packet sockets, one end for writing pieces of work, one for
//! reading. The kernel keeps the queue and wakes one reader a packet, so there is no lock to die
//! with. Where the queue is full, the giver keeps its work. Work travels as a path; the receiver
//! reads the rules above it anew. The search is over when a word that counts outstanding pieces
//! comes to zero: that flow shuts the socket down, which wakes all who wait. A process that dies
//! takes its piece with it; then the parent shuts the socket down as soon as all others wait.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, Shutdown, SockFlag, SockType, recv, send, shutdown, socketpair,
};

use crate::exchange::Exchange;
use crate::job::{FilesTask, FolderTask, Task};
use crate::models::shared_memory::{SharedMemory, Stage};

/// Part of a listing and its path; usually much less.
const PACKET_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Packets<'a> {
    read: OwnedFd,
    write: OwnedFd,
    shared: &'a SharedMemory,
}

pub(crate) struct Seat<'p, 'a> {
    packets: &'p Packets<'a>,
    slot: usize,
    holds: Cell<bool>,
    packet: RefCell<Vec<u8>>,
}

impl<'a> Packets<'a> {
    pub(crate) fn new(shared: &'a SharedMemory) -> io::Result<Packets<'a>> {
        let kind = SockType::SeqPacket;
        let (read, write) = socketpair(AddressFamily::Unix, kind, None, SockFlag::SOCK_CLOEXEC)?;
        Ok(Packets {
            read,
            write,
            shared,
        })
    }

    pub(crate) fn seat(&self, slot: usize) -> Seat<'_, 'a> {
        Seat {
            packets: self,
            slot,
            holds: Cell::new(false),
            packet: RefCell::new(vec![0; PACKET_BYTES]),
        }
    }

    pub(crate) fn first_seat(&self, slot: usize) -> Seat<'_, 'a> {
        let seat = self.seat(slot);
        seat.holds.set(true);
        seat
    }

    /// Counts work that was never in the queue.
    pub(crate) fn begin(&self) {
        self.shared.outstanding().store(1, Ordering::SeqCst);
    }

    pub(crate) fn put(&self, task: Task) -> Result<(), Task> {
        let Some(packet) = encode(&task).filter(|packet| packet.len() <= PACKET_BYTES) else {
            return Err(task);
        };
        self.shared.outstanding().fetch_add(1, Ordering::SeqCst);
        self.shared.queued().fetch_add(1, Ordering::SeqCst);
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
        match send(self.write.as_raw_fd(), &packet, flags) {
            Ok(_) => Ok(()),
            Err(_) => {
                self.shared.queued().fetch_sub(1, Ordering::SeqCst);
                self.shared.outstanding().fetch_sub(1, Ordering::SeqCst);
                Err(task)
            }
        }
    }

    pub(crate) fn end(&self) {
        // Fails only when repeated.
        let _ = shutdown(self.read.as_raw_fd(), Shutdown::Both);
    }

    pub(crate) fn is_over(&self, mut slots: impl Iterator<Item = usize>) -> bool {
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_PEEK;
        let empty = recv(self.read.as_raw_fd(), &mut [0; 1], flags) == Err(Errno::EAGAIN);
        empty && slots.all(|slot| self.shared.slot(slot).stage() == Stage::Waiting)
    }
}

impl Exchange for Seat<'_, '_> {
    #[inline]
    fn hungry(&self) -> bool {
        let shared = self.packets.shared;
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
        load(shared.waiting()) > load(shared.queued())
    }

    fn give(&self, task: Task) -> Result<(), Task> {
        self.packets.put(task)
    }

    fn take(&self) -> Option<Task> {
        let shared = self.packets.shared;
        if self.holds.replace(false) && shared.outstanding().fetch_sub(1, Ordering::SeqCst) == 1 {
            self.packets.end();
        }
        shared.waiting().fetch_add(1, Ordering::SeqCst);
        shared.slot(self.slot).is_waiting(true);
        let task = self.receive();
        shared.slot(self.slot).is_waiting(false);
        shared.waiting().fetch_sub(1, Ordering::SeqCst);
        if task.is_some() {
            shared.queued().fetch_sub(1, Ordering::SeqCst);
            self.holds.set(true);
        }
        task
    }
}

impl Seat<'_, '_> {
    fn receive(&self) -> Option<Task> {
        let mut packet = self.packet.borrow_mut();
        loop {
            match recv(
                self.packets.read.as_raw_fd(),
                &mut packet,
                MsgFlags::empty(),
            ) {
                Err(Errno::EINTR) => {}
                Ok(0) | Err(_) => return None,
                Ok(length) => return decode(&packet[..length]),
            }
        }
    }
}

const FOLDER: u8 = 0;
const FILES: u8 = 1;
const ROOT: u8 = 2;

fn encode(task: &Task) -> Option<Vec<u8>> {
    let (kind, root, path, names): (u8, u32, &[u8], &[u8]) = match task {
        Task::Folder(folder) => (FOLDER, folder.root, &folder.path, b""),
        Task::Files(files) => (FILES, files.root, &files.path, &files.names),
        Task::Root(root) => (ROOT, *root, b"", b""),
        Task::Large => return None,
    };
    let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
    let parts = [
        &[kind],
        &root.to_le_bytes()[..],
        &length.to_le_bytes(),
        path,
        names,
    ];
    Some(parts.concat())
}

fn decode(packet: &[u8]) -> Option<Task> {
    let (kind, rest) = packet.split_first()?;
    let (root, rest) = rest.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let (path, names) = rest.split_at_checked(length)?;
    let root = u32::from_le_bytes(*root);
    Some(match *kind {
        FOLDER => Task::Folder(FolderTask {
            root,
            path: path.into(),
            chain: None,
        }),
        FILES => Task::Files(FilesTask {
            root,
            path: path.into(),
            names: names.to_vec(),
            heavy: false,
        }),
        _ => Task::Root(root),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_given_is_taken_and_then_all_is_over() {
        let shared = SharedMemory::new(1).unwrap();
        let packets = Packets::new(&shared).unwrap();
        let files = Task::Files(FilesTask {
            root: 3,
            path: (*b"a/b").into(),
            names: b"x\0y\0".to_vec(),
            heavy: false,
        });
        assert!(packets.put(files).is_ok());
        let seat = packets.seat(0);
        let Some(Task::Files(files)) = seat.take() else {
            panic!()
        };
        assert_eq!((files.root, &*files.path), (3, &b"a/b"[..]));
        assert_eq!(files.names, b"x\0y\0");
        assert!(seat.give(Task::Root(5)).is_ok());
        assert!(matches!(seat.take(), Some(Task::Root(5))));
        assert!(seat.take().is_none());
        assert_eq!(shared.outstanding().load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_full_queue_gives_work_back() {
        let shared = SharedMemory::new(0).unwrap();
        let packets = Packets::new(&shared).unwrap();
        let given = (0..100_000).find(|_| packets.put(Task::Root(0)).is_err());
        let given = given.expect("the kernel bounds its queues");
        assert_eq!(shared.outstanding().load(Ordering::SeqCst), given);
        assert!(!packets.is_over(std::iter::empty()));
    }
}
