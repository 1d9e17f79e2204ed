use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) reader: OwnedFd,
    pub(crate) writer: OwnedFd,
}

impl Pipe {
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            reader: reader.into(),
            writer: writer.into(),
        })
    }

    pub(crate) fn of(sockets: bool) -> io::Result<Self> {
        if !sockets {
            return Self::new();
        }
        let (reader, writer) = UnixStream::pair()?;
        Ok(Self {
            reader: reader.into(),
            writer: writer.into(),
        })
    }
}
