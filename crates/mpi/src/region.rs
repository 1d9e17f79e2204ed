//! Memory at one address in all ranks of a machine, so that flows can move between them
//! ([`fiber::movable`]). Ranks are placed at random, so a rank with such flows starts itself again
//! at fixed addresses, before it begins MPI ([`at_the_same_addresses`]). Then rank 0 makes the
//! region and a socket; all ranks get its name by a collective call, connect, compare programs and
//! addresses, and map the region's memory. What goes wrong in one rank is what all come to
//! ([`all_agree`]), so none waits for another. Ranks of several machines share no memory: refused.
//! Sources: C. Huang, O. Lawlor, L. Kale, "Adaptive MPI", 2003 (ranks as flows that move, and
//! isomalloc); personality(2), unix(7).

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};

use fiber::Config;
use fiber::movable::{Region, agree_on_addresses, can_agree_on_addresses};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use nix::unistd::geteuid;

use crate::nodes::this_machine;
use crate::world::World;

/// Why flows cannot move between ranks here, if known before ranks start.
#[must_use]
pub fn no_moves() -> Option<String> {
    let available = fiber::available().map_err(str::to_owned);
    let can_move = available.and_then(|()| can_agree_on_addresses().map_err(forbidden));
    can_move.err()
}

pub(crate) fn at_the_same_addresses() -> Result<(), String> {
    agree_on_addresses().map_err(forbidden)
}

fn forbidden(error: io::Error) -> String {
    format!(
        "ranks cannot be placed at the same addresses, which flows that move need (personality(2): {error}); where a \
         container forbids it, Docker has --security-opt seccomp=unconfined"
    )
}

pub(crate) fn of_all(world: &mut World, config: Config) -> Result<Region, String> {
    let ranks = world.size as usize;
    let door = (world.rank == 0).then(|| Door::open(config, ranks));
    let door = all_agree(world, door.transpose())?;
    let here = all_agree(world, this_machine())?;
    let all = world.gather(&[here, door.as_ref().map_or(0, |door| door.name)]);
    if all.chunks(2).any(|rank| rank[0] != here) {
        return Err("flows move between ranks of one machine, and these are on several".to_owned());
    }
    let region = match door {
        Some(door) => door.offer(ranks - 1),
        None => accept(all[1]),
    };
    all_agree(world, region)
}

/// What all ranks have, or the first rank's reason why not.
pub(crate) fn all_agree<T>(world: &mut World, own: Result<T, String>) -> Result<T, String> {
    let reason = own.as_ref().err().cloned();
    match first_reason(world.gather_values(&reason)) {
        Some(why) => Err(why),
        None => own,
    }
}

fn first_reason(all: Vec<Option<String>>) -> Option<String> {
    let mut ranks = all.into_iter().zip(0..);
    ranks.find_map(|(why, rank)| Some(format!("rank {rank}: {}", why?)))
}

struct Door {
    region: Region,
    listener: UnixListener,
    name: u64,
}

impl Door {
    fn open(config: Config, ranks: usize) -> Result<Self, String> {
        let region = Region::reserve(config, ranks).map_err(|error| error.to_string())?;
        let name = RandomState::new().hash_one(std::process::id());
        let listener = address(name).and_then(|address| UnixListener::bind_addr(&address));
        let listener = listener.map_err(unreachable)?;
        Ok(Self {
            region,
            listener,
            name,
        })
    }

    fn offer(self, others: usize) -> Result<Region, String> {
        let mut given = 0;
        while given < others {
            let (peer, _) = self.listener.accept().map_err(unreachable)?;
            let whose = getsockopt(&peer, PeerCredentials).map_err(|no| unreachable(no.into()))?;
            // Sockets have no owner by name: anybody may connect.
            if whose.uid() == geteuid().as_raw() {
                self.region
                    .offer(&peer)
                    .map_err(|error| error.to_string())?;
                given += 1;
            }
        }
        Ok(self.region)
    }
}

fn accept(name: u64) -> Result<Region, String> {
    let peer = address(name).and_then(|address| UnixStream::connect_addr(&address));
    Region::accept(&peer.map_err(unreachable)?).map_err(|error| error.to_string())
}

fn address(name: u64) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("flowgauge-ranks-{name:016x}"))
}

fn unreachable(error: io::Error) -> String {
    format!("ranks of this machine cannot reach each other by a socket: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{padded, value};

    #[test]
    fn all_ranks_get_to_know_the_first_reason() {
        let long = "é\0".repeat(500);
        let said = |ranks: &[Option<&str>]| {
            let words = ranks.iter().map(|why| {
                let text = serde_json::to_string(why).unwrap();
                value(&padded(&text, 1_000))
            });
            first_reason(words.collect())
        };
        assert_eq!(said(&[None, None]), None);
        let both = said(&[None, Some("no room"), Some(&long)]);
        assert_eq!(both, Some("rank 1: no room".to_owned()));
        assert_eq!(said(&[Some(&long)]), Some(format!("rank 0: {long}")));
    }

    /// The other side is another thread here, whose thread-local values lie elsewhere.
    #[test]
    fn one_that_lies_at_other_addresses_is_refused_on_both_sides() {
        // SAFETY: no fiber is made.
        let config = unsafe { Config::movable(1 << 14) };
        let Ok(door) = Door::open(config.capacity(2), 2) else {
            assert!(fiber::available().is_err());
            return;
        };
        let name = door.name;
        let other = std::thread::spawn(move || accept(name).map(drop));
        let why = [door.offer(1).map(drop), other.join().unwrap()].map(Result::unwrap_err);
        assert!(
            why.iter().all(|why| why.contains("thread-locals")),
            "{why:?}"
        );
        assert!(accept(name).unwrap_err().contains("by a socket"));
    }
}
