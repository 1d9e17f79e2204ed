use std::fmt;

use serde::{Deserialize, Serialize};

/// A computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", try_from = "String")]
pub enum Kernel {
    /// A complex Fourier transform and its inverse.
    Fft,
    /// The factors of a dense matrix, with partial pivoting.
    Lu,
    /// Successive over-relaxation of a grid.
    Sor,
    /// A sparse matrix times a vector.
    Sparse,
    /// Pi by random points.
    MonteCarlo,
    /// Text deflated and inflated again.
    Compress,
    /// Bytes encrypted, hashed and decrypted.
    Crypto,
    /// A document parsed, summed up and written anew.
    Json,
}

/// Amount of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// Fits a core's cache.
    #[default]
    Small,
    /// Does not fit.
    Large,
}

impl Kernel {
    /// All kernels.
    pub const ALL: [Self; 8] = [
        Self::Fft,
        Self::Lu,
        Self::Sor,
        Self::Sparse,
        Self::MonteCarlo,
        Self::Compress,
        Self::Crypto,
        Self::Json,
    ];

    /// Whether it is one of SciMark's kernels: those do not allocate.
    #[must_use]
    pub fn is_of_scimark(self) -> bool {
        use Kernel::{Fft, Lu, MonteCarlo, Sor, Sparse};
        matches!(self, Fft | Lu | Sor | Sparse | MonteCarlo)
    }

    /// The name, as studies write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fft => "fft",
            Self::Lu => "lu",
            Self::Sor => "sor",
            Self::Sparse => "sparse",
            Self::MonteCarlo => "monte-carlo",
            Self::Compress => "compress",
            Self::Crypto => "crypto",
            Self::Json => "json",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An unknown name of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no kernel{meant}: use {all}",
    meant = names::meant(_0, Kernel::ALL.map(Kernel::name)),
    all = Kernel::ALL.map(Kernel::name).join(", "))]
pub struct UnknownKernel(String);

impl TryFrom<String> for Kernel {
    type Error = UnknownKernel;

    fn try_from(name: String) -> Result<Self, UnknownKernel> {
        let named = Self::ALL.into_iter().find(|kernel| kernel.name() == name);
        named.ok_or(UnknownKernel(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_a_slip_of_the_keys_is_recognised() {
        for kernel in Kernel::ALL {
            assert_eq!(kernel.to_string().try_into(), Ok(kernel));
            let text = serde_json::to_string(&kernel).unwrap();
            assert_eq!(text, format!("\"{kernel}\""));
        }
        let error = Kernel::try_from("montecarlo".to_owned())
            .unwrap_err()
            .to_string();
        assert!(error.contains("did you mean 'monte-carlo'?"), "{error}");
        assert!(error.contains("fft, lu, sor"), "{error}");
    }
}
