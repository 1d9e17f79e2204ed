//! Who listens at an address: the server that was started, or another program that was there first.
//! The kernel lists listening sockets with their inodes (`/proc/net/tcp`, `tcp6`), and a process's
//! descriptors name those of its sockets (`/proc/PID/fd`): a socket that no process of the tree
//! holds is another program's. Where the list shows none, or descriptors may not be read, nothing
//! is refused. Source: proc(5), the kernel's Documentation/networking/proc_net_tcp.rst.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::tree;

const LISTENS: &str = "0A";
/// Time in which a local server accepts.
pub(crate) const CONNECTS: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listens {
    Own,
    Other(String),
    Unknown,
}

/// Refuses an address where another program answers.
pub(crate) fn is_free(address: SocketAddr) -> io::Result<()> {
    match TcpStream::connect_timeout(&address, CONNECTS) {
        Err(_) => Ok(()),
        Ok(_) => Err(io::Error::other(format!(
            "{address} is in use: it answers before the server is started, so another server would \
             be measured; end that one, or use {{port}} for a free port"
        ))),
    }
}

pub(crate) fn listens(address: SocketAddr, own: &[i32]) -> Listens {
    let sockets = sockets(address);
    if sockets.is_empty() {
        return Listens::Unknown;
    }
    let held: Option<Vec<Vec<u64>>> = own.iter().map(|&pid| inodes(pid)).collect();
    let of_own = |inode: &u64| held.iter().flatten().any(|inodes| inodes.contains(inode));
    match (sockets.iter().any(of_own), &held) {
        (true, _) => Listens::Own,
        (false, None) => Listens::Unknown,
        (false, Some(_)) => Listens::Other(holder(&sockets)),
    }
}

/// Inodes of sockets that listen at this address, else at all addresses.
fn sockets(address: SocketAddr) -> Vec<u64> {
    let lists = ["/proc/net/tcp", "/proc/net/tcp6"];
    let text = lists.map(|list| fs::read_to_string(list).unwrap_or_default());
    let text = text.concat();
    let all: Vec<(SocketAddr, u64)> = text.lines().filter_map(listening).collect();
    let mapped = |ip: IpAddr| match ip {
        IpAddr::V6(ip) => ip.to_ipv4_mapped().map_or(IpAddr::V6(ip), IpAddr::V4),
        IpAddr::V4(_) => ip,
    };
    let at = |is_there: &dyn Fn(IpAddr) -> bool| -> Vec<u64> {
        let found = all
            .iter()
            .filter(|(other, _)| other.port() == address.port() && is_there(mapped(other.ip())));
        found.map(|(_, inode)| *inode).collect()
    };
    match at(&|ip| ip == address.ip()) {
        none if none.is_empty() => at(&|ip| ip.is_unspecified()),
        exact => exact,
    }
}

fn listening(line: &str) -> Option<(SocketAddr, u64)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
    (*state == LISTENS).then_some(())?;
    let (ip, port) = local.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    Some((SocketAddr::new(address(ip)?, port), inode.parse().ok()?))
}

fn address(digits: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let word = u32::from_str_radix(digits.get(8 * at..8 * at + 8)?, 16).ok()?;
        Some(word.to_ne_bytes())
    };
    match digits.len() {
        8 => Some(IpAddr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for at in 0..4 {
                bytes[4 * at..4 * at + 4].copy_from_slice(&word(at)?);
            }
            Some(IpAddr::from(Ipv6Addr::from(bytes)))
        }
        _ => None,
    }
}

fn inodes(pid: i32) -> Option<Vec<u64>> {
    let descriptors = match fs::read_dir(format!("/proc/{pid}/fd")) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return None,
        descriptors => descriptors.into_iter().flatten().flatten(),
    };
    let links = descriptors.filter_map(|one| fs::read_link(one.path()).ok());
    let inode = |link: std::path::PathBuf| {
        let text = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
        text.parse().ok()
    };
    Some(links.filter_map(inode).collect())
}

fn holder(sockets: &[u64]) -> String {
    let holds =
        |pid: &i32| inodes(*pid).is_some_and(|own| own.iter().any(|one| sockets.contains(one)));
    match tree::pids().find(holds) {
        Some(pid) => format!("process {pid} ({})", tree::name(pid)),
        None => "a process that cannot be seen from here".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::eventually;
    use std::net::TcpListener;

    #[test]
    fn who_listens_is_known_by_the_socket_that_it_holds() {
        let own = i32::try_from(std::process::id()).unwrap();
        for any in ["127.0.0.1:0", "0.0.0.0:0"] {
            let listener = TcpListener::bind(any).unwrap();
            let port = listener.local_addr().unwrap().port();
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            assert_eq!(listens(address, &[own]), Listens::Own, "{any}");
            let Listens::Other(who) = listens(address, &[]) else {
                panic!("{any}: nobody else")
            };
            assert!(who.contains(&format!("process {own}")), "{who}");
            drop(listener);
            // A process that another test starts just then has it too, until it begins its program.
            let is_unknown = || listens(address, &[own]) == Listens::Unknown;
            assert!(eventually(is_unknown), "{any}");
        }
    }

    #[test]
    fn addresses_of_both_families_are_read() {
        let line = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1";
        let loopback = SocketAddr::from((
            u32::from_ne_bytes(0x0100_007F_u32.to_ne_bytes()).to_ne_bytes(),
            8080,
        ));
        assert_eq!(listening(line), Some((loopback, 4711)));
        let connected = line.replace(" 0A ", " 01 ");
        assert_eq!(listening(&connected), None);
        assert_eq!(
            address(&"0".repeat(32)),
            Some(IpAddr::from(Ipv6Addr::UNSPECIFIED))
        );
    }
}
