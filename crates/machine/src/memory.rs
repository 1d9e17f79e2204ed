//! Memory and page sizes.

use measure::Measured;
use nix::unistd::{SysconfVar, sysconf};
use serde::{Deserialize, Serialize};

use crate::cgroup::{Cgroups, GroupLimit};
use crate::root::{Root, field};

const HUGE_PAGES: &str = "/sys/kernel/mm/hugepages";

/// The memory of the machine, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MainMemory {
    /// All that the kernel manages (`MemTotal`).
    pub total: Measured<u64>,
    /// What can be had without swapping (`MemAvailable`).
    pub available: Measured<u64>,
    /// Swap space; 0 is a machine without any.
    pub swap_total: Measured<u64>,
    /// Swap space not in use.
    pub swap_free: Measured<u64>,
    /// Limits of the control groups, from that of this process upwards.
    pub groups: Measured<Vec<GroupLimit>>,
    /// A page.
    pub page: Measured<u64>,
    /// The sizes of huge pages, ascending, with those reserved for `hugetlbfs`.
    pub huge_pages: Vec<HugePages>,
    /// When ordinary memory is given huge pages: `always`, `madvise` or `never`.
    pub transparent: Measured<String>,
}

/// One size of huge page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HugePages {
    /// Size in bytes.
    pub bytes: u64,
    /// How many are reserved; `None` when that is not known.
    pub reserved: Option<u64>,
}

impl MainMemory {
    pub(crate) fn read(root: &Root, groups: &Cgroups<'_>) -> Self {
        let meminfo = root.text("/proc/meminfo");
        let told = |key| meminfo.as_ref().and_then(|text| bytes_of(text, key));
        Self {
            total: told("MemTotal"),
            available: told("MemAvailable"),
            swap_total: told("SwapTotal"),
            swap_free: told("SwapFree"),
            groups: groups.memory(),
            page: page_size(),
            huge_pages: huge_pages(root),
            transparent: root
                .text("/sys/kernel/mm/transparent_hugepage/enabled")
                .and_then(|text| chosen(&text)),
        }
    }
}

fn bytes_of(meminfo: &str, key: &str) -> Measured<u64> {
    let kib = field(meminfo, ':', key).and_then(|text| text.trim_end_matches(" kB").parse().ok());
    match kib.and_then(|kib: u64| kib.checked_mul(1_024)) {
        Some(bytes) => Measured::Value(bytes),
        None => Measured::not_available(format!("/proc/meminfo does not tell {key}"), ""),
    }
}

fn page_size() -> Measured<u64> {
    match sysconf(SysconfVar::PAGE_SIZE) {
        Ok(Some(bytes)) => Measured::Value(bytes as u64),
        _ => Measured::not_available("the C library does not tell the page size", ""),
    }
}

fn huge_pages(root: &Root) -> Vec<HugePages> {
    let size = |name: &String| {
        let kib: u64 = name
            .strip_prefix("hugepages-")?
            .strip_suffix("kB")?
            .parse()
            .ok()?;
        let reserved = root
            .number(&format!("{HUGE_PAGES}/{name}/nr_hugepages"))
            .into_value();
        Some(HugePages {
            bytes: kib * 1_024,
            reserved,
        })
    };
    let mut sizes: Vec<_> = root.names(HUGE_PAGES).iter().filter_map(size).collect();
    sizes.sort_unstable_by_key(|size| size.bytes);
    sizes
}

fn chosen(text: &str) -> Measured<String> {
    match text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
    {
        Some((word, _)) => Measured::Value(word.to_owned()),
        None => crate::root::unexpected("/sys/kernel/mm/transparent_hugepage/enabled", text),
    }
}

pub(crate) fn binary(bytes: u64) -> String {
    let units = [
        (1u64 << 40, "TiB"),
        (1 << 30, "GiB"),
        (1 << 20, "MiB"),
        (1 << 10, "KiB"),
    ];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} B"),
    }
}
