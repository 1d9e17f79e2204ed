use std::fmt;

use measure::Measured;
use measure::memory::kib;
use memmap2::{Advice, MmapMut};
use serde::{Deserialize, Serialize};

const HUGE: usize = 2 << 20;

/// How memory is mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// Pages of 4 KiB.
    Small,
    /// Transparent huge pages of 2 MiB.
    Huge,
}

impl fmt::Display for PageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Small => "4 KiB pages",
            Self::Huge => "2 MiB pages",
        })
    }
}

#[derive(Debug)]
pub(super) struct Block {
    map: MmapMut,
    from: usize,
    bytes: usize,
}

impl Block {
    pub(super) fn new(bytes: usize, kind: PageKind) -> Measured<Self> {
        let bytes = bytes.next_multiple_of(HUGE);
        let before = huge_bytes();
        let mut block = match Self::map(bytes, kind) {
            Ok(block) => block,
            Err(error) => {
                return Measured::not_available(
                    format!("cannot map {} MiB: {error}", bytes >> 20),
                    "free some memory",
                );
            }
        };
        block.touch();
        let huge = huge_bytes()
            .zip(before)
            .map(|(now, before)| now.saturating_sub(before));
        match (kind, huge) {
            (PageKind::Huge, Some(huge)) if huge * 10 < bytes as u64 * 9 => {
                Measured::not_available(
                    format!(
                        "the kernel gave {} MiB of huge pages for {} MiB",
                        huge >> 20,
                        bytes >> 20
                    ),
                    "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                )
            }
            (PageKind::Huge, None) => Measured::not_available(
                "whether huge pages were given cannot be read from /proc/self/smaps_rollup",
                "",
            ),
            _ => Measured::Value(block),
        }
    }

    fn map(bytes: usize, kind: PageKind) -> std::io::Result<Self> {
        let map = MmapMut::map_anon(bytes + HUGE)?;
        // A kernel without huge pages knows neither advice.
        let advised = map.advise(match kind {
            PageKind::Small => Advice::NoHugePage,
            PageKind::Huge => Advice::HugePage,
        });
        if kind == PageKind::Huge {
            advised?;
        }
        let from = map.as_ptr().addr().wrapping_neg() % HUGE;
        Ok(Self { map, from, bytes })
    }

    fn touch(&mut self) {
        let pages = self.words().iter_mut().step_by(512);
        pages.for_each(|word| *word = 1);
    }

    pub(super) fn words(&mut self) -> &mut [u64] {
        bytemuck::cast_slice_mut(&mut self.map[self.from..self.from + self.bytes])
    }
}

fn huge_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    kib(&text, "AnonHugePages:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_as_large_as_asked_and_begins_at_a_huge_page() {
        let mut block = Block::new(5 << 20, PageKind::Small)
            .into_value()
            .expect("memory");
        assert_eq!(block.words().len(), (6 << 20) / 8);
        assert_eq!(block.words().as_ptr().addr() % HUGE, 0);
    }
}
