use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use measure::clock::now_ns;

use super::ServerRunner;
use crate::judge;
use crate::listener::{CONNECTS, Listens, listens};
use crate::load;
use crate::served::{Load, Ready};
use crate::supervisor::{Running, Wait, flood};

const POLL: Duration = Duration::from_millis(2);

impl ServerRunner<'_> {
    pub(super) fn wait_ready(&mut self, server: &mut Running) -> io::Result<u64> {
        let began = Instant::now();
        let patience = Duration::from_secs_f64(self.served.ready_s.clamp(0.0, 3_600.0));
        let until = (began + patience).min(self.base.deadline);
        let address = self.address()?;
        loop {
            let (supervisor, step) = (&mut self.base.supervisor, Instant::now() + POLL);
            let waited = supervisor.wait(&mut [server], step, None)?;
            if waited == Wait::Ended {
                return Err(io::Error::other(format!(
                    "the server ended before it was ready: {}",
                    judge::how(server)
                )));
            }
            if self.is_ready(server, address) {
                let ready_ns = now_ns();
                self.is_its_own(address)?;
                return Ok(ready_ns);
            }
            if waited == Wait::Flood {
                self.base.supervisor.kill(&mut [server], &[])?;
                return Err(flood());
            }
            if Instant::now() >= until {
                let said = judge::after(&judge::said(std::slice::from_ref(server)));
                self.stop(server)?;
                return Err(io::Error::other(format!(
                    "the server was not ready after {:.1} s (--ready says how to know, --timeout how long to wait){said}",
                    began.elapsed().as_secs_f64()
                )));
            }
        }
    }

    fn is_ready(&self, server: &Running, address: Option<SocketAddr>) -> bool {
        let connects = |address: SocketAddr| TcpStream::connect_timeout(&address, CONNECTS).is_ok();
        match &self.served.ready {
            Ready::Tcp => address.is_none_or(connects),
            Ready::Url(url) => {
                load::target(&self.base.fill.apply(url)).is_ok_and(|target| load::answers(&target))
            }
            Ready::Line(line) => [Some(&server.err), server.out.as_ref()]
                .into_iter()
                .flatten()
                .any(|pipe| String::from_utf8_lossy(&pipe.kept).contains(line.as_str())),
        }
    }

    fn is_its_own(&mut self, address: Option<SocketAddr>) -> io::Result<()> {
        let Some(address) = address else {
            return Ok(());
        };
        let own = self.base.supervisor.tree();
        self.listener = listens(address, &own);
        match &self.listener {
            Listens::Other(who) => Err(io::Error::other(format!(
                "{address} is served by {who}, not by this server; use {{port}} for a free port"
            ))),
            Listens::Own | Listens::Unknown => Ok(()),
        }
    }

    pub(super) fn address(&self) -> io::Result<Option<SocketAddr>> {
        let port = self.base.fill.port;
        Ok(match &self.served.load {
            Load::Http(http) => self.targets(http)?.first().map(|target| target.address),
            Load::Command(_) => port.map(|port| SocketAddr::from(([127, 0, 0, 1], port))),
        })
    }
}
