use super::State;

/// Its second field, the name in brackets, may hold brackets too: fields count from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) state: State,
    pub(super) group: i32,
    /// User and system, in ticks.
    pub(super) own_ticks: u64,
    /// The same of reaped children.
    pub(super) children_ticks: u64,
    pub(super) threads: u32,
    pub(super) rss_pages: u64,
    pub(super) cpu: u32,
}

impl Stat {
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let name_ends = bytes.iter().rposition(|&byte| byte == b')')?;
        let text = std::str::from_utf8(bytes.get(name_ends + 2..)?).ok()?;
        // proc(5) numbers fields from 1; the state is the third.
        let mut fields = (3..).zip(text.split_ascii_whitespace());
        let mut field = |number: u32| Some(fields.find(|(at, _)| *at == number)?.1);
        let number = |text: &str| text.parse::<u64>().ok();
        Some(Self {
            state: State(field(3)?.chars().next()?),
            group: field(5)?.parse().ok()?,
            own_ticks: number(field(14)?)? + number(field(15)?)?,
            children_ticks: number(field(16)?)? + number(field(17)?)?,
            threads: field(20)?.parse().ok()?,
            rss_pages: number(field(24)?)?,
            cpu: field(39)?.parse().ok()?,
        })
    }
}

/// First field of `schedstat`, in ns.
pub(super) fn on_cpu_ns(bytes: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

pub(super) fn write_bytes(bytes: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix("write_bytes:"))?;
    value.trim().parse().ok()
}

pub(super) fn child_pids(bytes: &[u8]) -> Option<Vec<i32>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let pids = text.split_ascii_whitespace().map(|pid| pid.parse().ok());
    pids.collect()
}
