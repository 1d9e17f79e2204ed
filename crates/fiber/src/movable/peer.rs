//! A region between processes that were started by themselves. A forked process has code, statics
//! and region where its parent has them; the kernel places others at random. So both have to be the
//! same program at the same addresses: [`agree_on_addresses`] restarts the process without that.
//!
//! The region's file is then passed through a socket and mapped at the same address. Before that
//! the two compare, and part with an error where one of these differs:
//!
//! | what | why |
//! |---|---|
//! | the program, by a hash of its file | frames and vtables are those of one build |
//! | the address of a function of it | return addresses, vtables, statics |
//! | the address of a function of the C library | the same, where it is loaded apart |
//! | the address of a thread-local of this kernel thread | code may keep it over a yield |
//! | the region's address, free in both | pointers into stacks and arenas |
//!
//! Two processes of one machine that cannot share memory ([`Region::link`]) compare the same, and
//! then send what is live of a fiber (`wire`). Sources: personality(2), unix(7) (`SCM_RIGHTS`).

use std::hash::Hasher;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::sync::OnceLock;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

use super::region::{Region, Terms};
use super::wire::Wire;
use crate::config::{Config, Stack};
use crate::current;
use crate::error::ConfigError;
use crate::movable::Way;

/// Why two processes cannot share a region.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// Not the same program, or not at the same addresses.
    #[error(
        "the other process cannot take fibers of this one, nor the other way round: {what} differs \
         ({ours:#x} here, {theirs:#x} there); both have to be the same build, with addresses that \
         are not placed at random (movable::agree_on_addresses)"
    )]
    Differs {
        /// What was compared.
        what: &'static str,
        /// What it is here.
        ours: u64,
        /// What the other process says.
        theirs: u64,
    },
    /// No region there, or no room here.
    #[error(transparent)]
    Region(#[from] ConfigError),
    /// The other process cannot be talked to.
    #[error("the other process does not answer as one with a region does: {0}")]
    Talk(#[from] io::Error),
}

/// Starts this process again without placing at random, where every process of the same program
/// lies. Call it first of all. Errors: the kernel or a sandbox forbids it.
pub fn agree_on_addresses() -> io::Result<()> {
    let before = place_next(|now| now | libc::ADDR_NO_RANDOMIZE)?;
    if before & libc::ADDR_NO_RANDOMIZE != 0 {
        return Ok(());
    }
    let mut again = std::process::Command::new("/proc/self/exe");
    let mut words = std::env::args_os();
    if let Some(name) = words.next() {
        again.arg0(name);
    }
    Err(again.args(words).exec())
}

/// Whether [`agree_on_addresses`] is allowed here; starts nothing again.
pub fn can_agree_on_addresses() -> io::Result<()> {
    let before = place_next(|now| now | libc::ADDR_NO_RANDOMIZE)?;
    place_next(|_| before).map(drop)
}

fn place_next(change: impl FnOnce(i32) -> i32) -> io::Result<i32> {
    // SAFETY: only asks.
    let now = unsafe { libc::personality(0xFFFF_FFFF) };
    // SAFETY: changes where the next program is placed, and nothing else.
    if now < 0 || unsafe { libc::personality(change(now) as libc::c_ulong) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(now)
}

const NAMES: [&str; 4] = [
    "the program",
    "where its code lies",
    "where the C library lies",
    "where thread-locals lie",
];

fn traits() -> io::Result<[u64; 4]> {
    Ok([
        program()?,
        agree_on_addresses as fn() -> io::Result<()> as usize as u64,
        libc::memfd_create as *const () as usize as u64,
        current::address() as u64,
    ])
}

/// Read once: some processes have many peers.
fn program() -> io::Result<u64> {
    static KNOWN: OnceLock<u64> = OnceLock::new();
    match KNOWN.get() {
        Some(known) => Ok(*known),
        None => hashed().map(|hash| *KNOWN.get_or_init(|| hash)),
    }
}

fn hashed() -> io::Result<u64> {
    let mut file = std::fs::File::open("/proc/self/exe")?;
    let (mut hash, mut part) = (std::hash::DefaultHasher::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hash.finish()),
            bytes => hash.write(&part[..bytes]),
        }
    }
}

impl Region {
    /// Shares this region with the other end of `peer`, which calls [`Region::accept`]. Errors: it
    /// is not the same program at the same addresses, or cannot be talked to.
    pub fn offer(&self, peer: &UnixStream) -> Result<(), PeerError> {
        compare(peer)?;
        send_with_file(peer, &bytes_of(&words(&self.terms())), self.file())?;
        Ok(())
    }

    /// Shares the region that the other end of `peer` offers. Errors: as [`Region::offer`]; or
    /// something is where it has to be.
    pub fn accept(peer: &UnixStream) -> Result<Region, PeerError> {
        compare(peer)?;
        let mut words = [0_u64; WORDS];
        let file = receive_with_file(peer, &mut words)?;
        Ok(Region::on(terms(&words)?, Some(file))?)
    }

    /// Has fibers go between this process, number 0, and the one at the other end of `peer`, number
    /// 1, which calls [`Region::linked`], without shared memory. Errors: as [`Region::offer`]; or
    /// the region is not for two, has another one, or no room there.
    pub fn link(&self, mut peer: UnixStream) -> Result<(), PeerError> {
        let (processes, most) = (self.processes(), LINKED);
        if processes != most {
            return Err(ConfigError::Processes { processes, most }.into());
        }
        if self.has_joined(1) {
            return Err(ConfigError::Joined { process: 1 }.into());
        }
        compare(&peer)?;
        peer.write_all(&bytes_of(&words(&self.terms())))?;
        let mut answer = [0; 1];
        peer.read_exact(&mut answer)?;
        if answer != [READY] {
            let said = "it has no room for the region at that address";
            return Err(PeerError::Talk(io::Error::other(said)));
        }
        match self.send_by(Wire::over(peer, 1)?) {
            true => Ok(()),
            false => Err(ConfigError::Joined { process: 1 }.into()),
        }
    }

    /// The region of the other end of `peer`, in own memory. Errors: as [`Region::accept`].
    pub fn linked(mut peer: UnixStream) -> Result<Region, PeerError> {
        compare(&peer)?;
        let mut bytes = [0; size_of::<[u64; WORDS]>()];
        peer.read_exact(&mut bytes)?;
        let region = Region::on(terms(&words_of(&bytes))?, None);
        peer.write_all(&[if region.is_ok() { READY } else { 0 }])?;
        let region = region?;
        region.send_by(Wire::over(peer, 0)?);
        Ok(region)
    }
}

const LINKED: usize = 2;
const READY: u8 = 1;

fn compare(mut peer: &UnixStream) -> Result<(), PeerError> {
    let ours = traits()?;
    peer.write_all(&bytes_of(&ours))?;
    let mut theirs = [0; size_of::<[u64; NAMES.len()]>()];
    peer.read_exact(&mut theirs)?;
    let theirs = theirs.as_chunks::<8>().0;
    for ((what, ours), theirs) in NAMES.into_iter().zip(ours).zip(theirs) {
        let theirs = u64::from_ne_bytes(*theirs);
        if ours != theirs {
            return Err(PeerError::Differs { what, ours, theirs });
        }
    }
    Ok(())
}

const WORDS: usize = 8;

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn words_of(bytes: &[u8; size_of::<[u64; WORDS]>()]) -> [u64; WORDS] {
    let (chunks, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|place| u64::from_ne_bytes(chunks[place]))
}

fn words(terms: &Terms) -> [u64; WORDS] {
    let Config { stack, .. } = terms.config;
    let way = match stack {
        Stack::Movable { way, .. } => way as u64,
        Stack::Packed { .. } | Stack::Guarded { .. } => u64::MAX,
    };
    [
        way,
        stack.bytes() as u64,
        stack.arena() as u64,
        terms.config.capacity as u64,
        terms.processes as u64,
        terms.number.into(),
        terms.address as u64,
        terms.config.common.into(),
    ]
}

fn terms(words: &[u64; WORDS]) -> io::Result<Terms> {
    let [
        way,
        bytes,
        arena,
        capacity,
        processes,
        number,
        address,
        common,
    ] = *words;
    let ways = [Way::Isomalloc, Way::Copied, Way::Aliased];
    let way = ways.into_iter().find(|known| *known as u64 == way);
    let way = way.ok_or_else(|| io::Error::other("it offers no movable stacks"))?;
    // SAFETY: who reserved the region promised that frames fit; both processes are one program.
    let config = unsafe { Config::kept(way, bytes as usize) };
    let config = config.arena(arena as usize).capacity(capacity as usize);
    Ok(Terms {
        config: config.common(common as u32),
        processes: processes as usize,
        number: number as u32,
        address: address as usize,
    })
}

fn send_with_file(peer: &UnixStream, bytes: &[u8], file: RawFd) -> io::Result<()> {
    let (parts, files) = ([IoSlice::new(bytes)], [file]);
    let control = [ControlMessage::ScmRights(&files)];
    let flags = MsgFlags::MSG_NOSIGNAL;
    let sent = sendmsg::<()>(peer.as_raw_fd(), &parts, &control, flags, None)?;
    match sent == bytes.len() {
        true => Ok(()),
        false => Err(io::ErrorKind::WriteZero.into()),
    }
}

fn receive_with_file(peer: &UnixStream, words: &mut [u64; WORDS]) -> io::Result<OwnedFd> {
    let mut bytes = [0; size_of::<[u64; WORDS]>()];
    let mut control = nix::cmsg_space!(RawFd);
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC | MsgFlags::MSG_WAITALL;
    let message = recvmsg::<()>(peer.as_raw_fd(), &mut parts, Some(&mut control), flags)?;
    let got = message.bytes;
    let file = message.cmsgs()?.find_map(|part| match part {
        ControlMessageOwned::ScmRights(files) => files.first().copied(),
        _ => None,
    });
    // SAFETY: the kernel made the descriptor for this process just now.
    let file = file.map(|file| unsafe { OwnedFd::from_raw_fd(file) });
    *words = words_of(&bytes);
    let file = file.filter(|_| got == bytes.len());
    file.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}
