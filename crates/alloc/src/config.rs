//! What can be set, and where from.

use crate::os;

/// Size of the regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegionSize {
    /// The large page of x86-64 and of Arm with 4 KiB pages.
    #[default]
    TwoMiB,
    /// The large page of the published study's machine.
    FourMiB,
}

impl RegionSize {
    /// Bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::TwoMiB => 2 << 20,
            Self::FourMiB => 4 << 20,
        }
    }
}

/// Settings of an allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Size of the regions.
    pub region: RegionSize,
    /// Whether the kernel is asked for huge pages.
    pub huge: bool,
    /// Whether blocks are checked for double frees and overflows.
    pub guarded: bool,
    /// How many cores the machine is said to have; 0 for those that it has. Then a thread is on the
    /// core that it says ([`crate::on_core`]): an emulator has no CPUs of its own.
    pub cores: u16,
    /// Whether the preloaded library prints what its heaps hold when the program ends.
    pub stats: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            region: RegionSize::TwoMiB,
            huge: true,
            guarded: false,
            cores: 0,
            stats: false,
        }
    }
}

/// The environment variable with settings: words with commas between them.
pub const VARIABLE: &str = "FLOWGAUGE_MALLOC";

/// Bytes of the environment that are looked at.
const MOST: usize = 64 << 10;

impl Config {
    /// The settings in [`VARIABLE`] of this process, as it was started. It is read from the
    /// kernel: an allocator is asked for memory before the C library knows its environment.
    #[must_use]
    pub fn from_environment() -> Self {
        let Some(buffer) = os::map(MOST, os::PAGE) else {
            return Self::default();
        };
        // SAFETY: the mapping is fresh, zero and `MOST` bytes long.
        let bytes = unsafe { std::slice::from_raw_parts_mut(buffer.as_ptr(), MOST) };
        let environment = os::read_file(c"/proc/self/environ", bytes).unwrap_or_default();
        let config = Self::in_environment(environment);
        // SAFETY: nothing of the mapping is left in `config`.
        unsafe { os::unmap(buffer, MOST) };
        config
    }

    fn in_environment(environment: &[u8]) -> Self {
        let mut entries = environment.split(|&byte| byte == 0);
        let own = entries.find_map(|entry| {
            let rest = entry.strip_prefix(VARIABLE.as_bytes())?;
            rest.strip_prefix(b"=")
        });
        Self::parse(own.unwrap_or_default())
    }

    /// Settings from words: `2m`, `4m`, `nohuge`, `guarded`, `stats`, `cores=N`. Unknown words change nothing:
    /// there is no way to refuse them before a program's first block.
    #[must_use]
    pub fn parse(words: &[u8]) -> Self {
        let mut config = Self::default();
        for word in words.split(|&byte| byte == b',') {
            match word {
                b"2m" => config.region = RegionSize::TwoMiB,
                b"4m" => config.region = RegionSize::FourMiB,
                b"nohuge" => config.huge = false,
                b"guarded" => config.guarded = true,
                b"stats" => config.stats = true,
                _ => {
                    if let Some(cores) = word.strip_prefix(b"cores=") {
                        let cores = std::str::from_utf8(cores).ok().and_then(|n| n.parse().ok());
                        config.cores = cores.unwrap_or(0);
                    }
                }
            }
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_variable_are_settings() {
        let environment = b"PATH=/bin\0FLOWGAUGE_MALLOC=4m,guarded\0HOME=/\0";
        let config = Config::in_environment(environment);
        assert_eq!(config.region, RegionSize::FourMiB);
        assert!(config.guarded && config.huge);
        assert_eq!(
            Config::in_environment(b"FLOWGAUGE_MALLOCS=4m\0"),
            Config::default()
        );
        assert!(!Config::parse(b"stats,nohuge").huge);
        assert_eq!(Config::parse(b"4m,cores=8").cores, 8);
        assert_eq!(Config::parse(b"cores=many").cores, 0);
    }
}
