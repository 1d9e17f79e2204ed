//! The hosts of a fleet, from a file: one a line, `[NAME=]DESTINATION`, as ssh takes it (`node1`,
//! `me@node1`, `ssh://me@node1:2222`, a name of ~/.ssh/config); `#` begins a comment. Any other
//! line is a machine that failed.

use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    pub(super) name: String,
    pub(super) destination: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hosts {
    pub(super) hosts: Vec<Host>,
    pub(super) wrong: Vec<String>,
}

impl Hosts {
    pub(super) fn parse(text: &[u8]) -> Self {
        let mut all = Self::default();
        let mut names = BTreeSet::new();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let Ok(line) = str::from_utf8(line) else {
                let line = String::from_utf8_lossy(line);
                all.wrong.push(format!(
                    "line {number}: '{}' is no host: it has bytes that are not UTF-8",
                    cut(line.trim())
                ));
                continue;
            };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            match host(line) {
                Ok(host) if names.insert(host.name.clone()) => all.hosts.push(host),
                Ok(host) => all.wrong.push(format!(
                    "line {number}: {} is there already: it is run once; give another machine \
                     another name, NAME=DESTINATION",
                    host.name
                )),
                Err(why) => all
                    .wrong
                    .push(format!("line {number}: '{}' is no host: {why}", cut(line))),
            }
        }
        all
    }
}

fn cut(line: &str) -> String {
    const SHOWN: usize = 40;
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn host(line: &str) -> Result<Host, &'static str> {
    let (name, destination) = match line.split_once('=') {
        Some((name, destination)) => (name.trim(), destination.trim()),
        None => (own_name(line), line),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.@:/[]%+".contains(c);
    if destination.is_empty() || !destination.chars().all(is_plain) {
        return Err("a host has letters, digits and -_.@:/[]%+ alone");
    }
    if destination.starts_with('-') {
        return Err("ssh would take it for an option");
    }
    if port(destination).is_some_and(|port| !port.parse::<u16>().is_ok_and(|port| port > 0)) {
        return Err("its port is none of 1 to 65535");
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(is_of_name) {
        return Err("give it a name of letters, digits and -_. alone: NAME=DESTINATION");
    }
    Ok(Host {
        name: name.to_owned(),
        destination: destination.to_owned(),
    })
}

fn port(destination: &str) -> Option<&str> {
    let url = destination.strip_prefix("ssh://")?.trim_end_matches('/');
    let (_, host) = url.rsplit_once(['@', ']']).unwrap_or(("", url));
    Some(host.split_once(':')?.1)
}

fn own_name(destination: &str) -> &str {
    let url = destination.strip_prefix("ssh://");
    let rest = url.unwrap_or(destination);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    match url {
        Some(_) => rest.split([':', '/']).next().unwrap_or(rest),
        None => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_names_of_their_own() {
        let text = "node1\n# all\nme@node2 # fast\nssh://me@node3:2222\nfour=ssh://x:1\n\n";
        let found = Hosts::parse(text.as_bytes());
        let names: Vec<&str> = found.hosts.iter().map(|host| host.name.as_str()).collect();
        assert_eq!(names, ["node1", "node2", "node3", "four"]);
        assert_eq!(found.hosts[2].destination, "ssh://me@node3:2222");
        assert_eq!(found.wrong, [""; 0]);
    }

    #[test]
    fn a_byte_that_is_not_utf8_costs_its_line() {
        let found = Hosts::parse(b"a\nb\xff\nc # caf\xe9\r\nd\r\n");
        let names: Vec<&str> = found.hosts.iter().map(|host| host.name.as_str()).collect();
        assert_eq!(names, ["a", "d"]);
        let said = "line 2: 'b\u{fffd}' is no host: it has bytes that are not UTF-8";
        assert_eq!(found.wrong[0], said);
        assert!(found.wrong[1].starts_with("line 3: "), "{found:?}");
    }

    #[test]
    fn nonsense_and_duplicates_are_named_and_the_rest_stays() {
        let found = Hosts::parse(b"a\na\n-oProxyCommand=x\nb c\n$(reboot)\n../x=y\n=y\nb\n");
        let names: Vec<&str> = found.hosts.iter().map(|host| host.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let lines: Vec<&str> = found.wrong.iter().map(|line| &line[..6]).collect();
        assert_eq!(
            lines,
            ["line 2", "line 3", "line 4", "line 5", "line 6", "line 7"]
        );
        let long = Hosts::parse("é ".repeat(1_000).as_bytes());
        assert!(long.wrong[0].chars().count() < 150, "{long:?}");
    }

    /// ssh refused it, on each run.
    #[test]
    fn a_port_that_no_machine_has_is_refused() {
        for (line, is_host) in [
            ("ssh://me@a:65535/", true),
            ("ssh://a:99999", false),
            ("ssh://me@a:0", false),
            ("v6=ssh://[::1]", true),
            ("v6=ssh://me@[::1]:70000", false),
        ] {
            assert_eq!(host(line).is_ok(), is_host, "{line}");
        }
    }
}
