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
    /// Whether it is for all memory as it is mapped, and not for what is in use alone.
    pub huge_at_once: bool,
    /// Whether blocks are checked for double frees and overflows.
    pub guarded: bool,
    /// Cores that the machine is said to have, and threads say ([`crate::on_core`]); 0: its own.
    pub cores: u16,
    /// Whether the preloaded library prints what its heaps hold when the program ends.
    pub stats: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            region: RegionSize::TwoMiB,
            huge: true,
            huge_at_once: false,
            guarded: false,
            cores: 0,
            stats: false,
        }
    }
}

/// The environment variable with settings: words with commas between them.
pub const VARIABLE: &str = "FLOWGAUGE_MALLOC";

const MOST: usize = 64 << 10;

impl Config {
    /// The settings in [`VARIABLE`] of this process, from the kernel: the C library does not know
    /// its environment yet. A word that is no setting ends the process with exit code 2.
    #[must_use]
    pub fn from_environment() -> Self {
        let Some(buffer) = os::map(MOST, os::PAGE) else {
            return Self::default();
        };
        // SAFETY: the mapping is fresh, zero and `MOST` bytes long.
        let bytes = unsafe { std::slice::from_raw_parts_mut(buffer.as_ptr(), MOST) };
        let environment = os::read_file(c"/proc/self/environ", bytes).unwrap_or_default();
        let config = Self::in_environment(environment).unwrap_or_else(|word| refuse(word));
        // SAFETY: nothing of the mapping is left in `config`.
        unsafe { os::unmap(buffer, MOST) };
        config
    }

    fn in_environment(environment: &[u8]) -> Result<Self, &[u8]> {
        let mut entries = environment.split(|&byte| byte == 0);
        let own = entries.find_map(|entry| {
            let rest = entry.strip_prefix(VARIABLE.as_bytes())?;
            rest.strip_prefix(b"=")
        });
        Self::parse(own.unwrap_or_default())
    }

    /// Settings from words (`2m`, `huge`, `cores=N`, …); else the first word that is none.
    pub fn parse(words: &[u8]) -> Result<Self, &[u8]> {
        let mut config = Self::default();
        for word in words.split(|&byte| byte == b',') {
            match word {
                b"" => {}
                b"2m" => config.region = RegionSize::TwoMiB,
                b"4m" => config.region = RegionSize::FourMiB,
                b"huge" => config.huge_at_once = true,
                b"nohuge" => config.huge = false,
                b"guarded" => config.guarded = true,
                b"stats" => config.stats = true,
                _ => config.cores = cores(word).ok_or(word)?,
            }
        }
        Ok(config)
    }
}

fn cores(word: &[u8]) -> Option<u16> {
    let number = word.strip_prefix(b"cores=")?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// Ends the process, whose first block is asked for: its heap cannot be as its settings say.
fn refuse(word: &[u8]) -> ! {
    for part in [
        b"flowgauge malloc: FLOWGAUGE_MALLOC: unknown word '",
        word,
        b"'; words are 2m, 4m, nohuge, guarded, stats and cores=N, with commas between them\n",
    ] {
        os::write(libc::STDERR_FILENO, part);
    }
    // SAFETY: ends the process, and runs nothing of it.
    unsafe { libc::_exit(2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_variable_are_settings() {
        let environment = b"PATH=/bin\0FLOWGAUGE_MALLOC=4m,guarded\0HOME=/\0";
        let config = Config::in_environment(environment).expect("all are settings");
        assert_eq!(config.region, RegionSize::FourMiB);
        assert!(config.guarded && config.huge);
        let none = Config::in_environment(b"FLOWGAUGE_MALLOCS=4m\0");
        assert_eq!(none, Ok(Config::default()));
        assert!(Config::parse(b"stats,nohuge").is_ok_and(|config| !config.huge));
        assert!(Config::parse(b"huge").is_ok_and(|config| config.huge && config.huge_at_once));
        assert!(Config::parse(b"4m,cores=8").is_ok_and(|config| config.cores == 8));
    }

    #[test]
    fn a_word_that_is_no_setting_is_refused() {
        for word in [&b"cores=many"[..], b"cores=70000", b"3m", b"gaurded"] {
            assert_eq!(Config::parse(word), Err(word));
            let line = [b"2m,", word].concat();
            assert_eq!(Config::parse(&line), Err(word));
        }
    }
}
