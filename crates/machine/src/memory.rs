//! Memory and page sizes.

use measure::Measured;
use measure::memory::kib;
use nix::unistd::{SysconfVar, sysconf};
use serde::{Deserialize, Serialize};

use crate::cgroup::{Cgroups, GroupLimit};
use crate::root::{Root, unexpected};

const HUGE_PAGES: &str = "/sys/kernel/mm/hugepages";
const TRANSPARENT: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

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
        let told = |key: &str| {
            meminfo.as_ref().and_then(|text| {
                let lacks = format!("/proc/meminfo does not tell {key}");
                Measured::of(kib(text, &format!("{key}:")), lacks, "")
            })
        };
        Self {
            total: told("MemTotal"),
            available: told("MemAvailable"),
            swap_total: told("SwapTotal"),
            swap_free: told("SwapFree"),
            groups: groups.memory(),
            page: page_size(),
            huge_pages: huge_pages(root),
            transparent: root.text(TRANSPARENT).and_then(|text| chosen(&text)),
        }
    }
}

fn page_size() -> Measured<u64> {
    let bytes = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
    let bytes = bytes.map(|bytes| bytes as u64);
    Measured::of(bytes, "the C library does not tell the page size", "")
}

fn huge_pages(root: &Root) -> Vec<HugePages> {
    let size = |name: &String| {
        let kib = name.strip_prefix("hugepages-")?.strip_suffix("kB")?;
        Some(HugePages {
            bytes: kib.parse::<u64>().ok()? * 1_024,
            reserved: root.count(format!("{HUGE_PAGES}/{name}/nr_hugepages")),
        })
    };
    let mut sizes: Vec<_> = root.names(HUGE_PAGES).iter().filter_map(size).collect();
    sizes.sort_unstable_by_key(|size| size.bytes);
    sizes
}

fn chosen(text: &str) -> Measured<String> {
    let rest = text.split_once('[').map(|(_, rest)| rest);
    match rest.and_then(|rest| rest.split_once(']')) {
        Some((word, _)) => Measured::Value(word.to_owned()),
        None => unexpected(TRANSPARENT, text),
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
