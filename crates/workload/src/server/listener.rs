//! The listening socket. Clients call from 127.0.0.1; a caller from [`GOODBYE`], also loopback,
//! ends the worker that accepts it, even one blocked in `accept`.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::time::Duration;

use nix::errno::Errno;
use socket2::{Domain, Protocol, Socket, Type};

const GOODBYE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// The kernel's own bound (`somaxconn`) is as high.
const BACKLOG: i32 = 4_096;
/// A worker without connections for so long checks that the load generator lives.
const PATIENCE: Duration = Duration::from_secs(1);

/// A load generator asks at once: a silent connection is another program's and holds a worker.
pub(super) const IDLE: Duration = Duration::from_secs(5);

pub(super) enum Caller {
    Client(TcpStream),
    Goodbye,
}

fn socket() -> io::Result<Socket> {
    Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))
}

fn on_loopback(host: Ipv4Addr, port: u16) -> socket2::SockAddr {
    SocketAddr::V4(SocketAddrV4::new(host, port)).into()
}

pub(super) fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = socket()?;
    // Lingering connections of the previous slot do not keep its port.
    socket.set_reuse_address(true)?;
    let bound = socket
        .bind(&on_loopback(Ipv4Addr::LOCALHOST, port))
        .and_then(|()| socket.listen(BACKLOG));
    bound.map_err(|error| refused(port, &error))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    Ok(socket.into())
}

fn refused(port: u16, error: &io::Error) -> io::Error {
    let way_out = match error.kind() {
        io::ErrorKind::AddrInUse => {
            "another program listens there; name another port, or 0 for one that is free"
        }
        io::ErrorKind::PermissionDenied => {
            "ports below 1024 are for the administrator; name a higher one, or 0 for one that is \
             free"
        }
        _ => "name another port, or 0 for one that is free",
    };
    let text = format!("cannot listen at 127.0.0.1 port {port}: {error}: {way_out}");
    io::Error::new(error.kind(), text)
}

/// Whether that port is free; the error says what to do.
pub fn try_port(port: u16) -> io::Result<()> {
    listen(port).map(drop)
}

/// `is_expected` is asked now and then whether a caller can still come.
pub(super) fn accept(listener: &TcpListener, is_expected: impl Fn() -> bool) -> io::Result<Caller> {
    loop {
        match listener.accept() {
            Ok((_, from)) if from.ip() == GOODBYE => return Ok(Caller::Goodbye),
            Ok((stream, _)) => {
                // The stream inherited the timeout of the listening socket.
                stream.set_read_timeout(Some(IDLE))?;
                stream.set_write_timeout(Some(IDLE))?;
                return Ok(Caller::Client(stream));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !is_expected() {
                    return Err(io::Error::other("the load generator has ended"));
                }
            }
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    let kind = error.kind();
    kind == io::ErrorKind::Interrupted
        || kind == io::ErrorKind::ConnectionAborted
        || error.raw_os_error() == Some(Errno::EPROTO as i32)
}

pub(super) fn say_goodbye(to: SocketAddr) -> io::Result<()> {
    let socket = socket()?;
    socket.bind(&on_loopback(GOODBYE, 0))?;
    socket.connect(&to.into())
}
