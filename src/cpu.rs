//! What the CPU can do, found out when the program runs.

use std::fmt;
use std::str::FromStr;

/// A level of CPU features, after the levels of x86-64 as far as counting needs them. One
/// binary holds the hot code for each: kiwipete 5 takes 797 million instructions with the first,
/// 675 million with the second and 500 million with the third (callgrind).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cpu {
    /// Nothing beyond what the target always has.
    Portable,
    /// With POPCNT.
    V2,
    /// With POPCNT, BMI1, BMI2, LZCNT and AVX2.
    V3,
}

impl Cpu {
    /// All levels, the plainest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::V2, Self::V3];

    /// The best level that this machine has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("popcnt") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("avx2") {
                return Self::V3;
            }
            if has!("popcnt") {
                return Self::V2;
            }
        }
        Self::Portable
    }

    /// What users and reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::V2 => "v2",
            Self::V3 => "v3",
        }
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text does not name a level, or one that this machine lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CpuError {
    /// There is no such level.
    #[error("no level {0:?}: auto, portable, v2 and v3 are the levels")]
    Unknown(String),
    /// The machine lacks the instructions.
    #[error("this CPU has no {asked} instructions: {best} is the most it can do")]
    Lacking {
        /// What was asked for.
        asked: Cpu,
        /// What the machine has.
        best: Cpu,
    },
}

/// Reads a level that this machine has; `auto` is the best.
///
/// ```
/// use perft::Cpu;
///
/// assert_eq!("auto".parse(), Ok(Cpu::detect()));
/// assert_eq!("portable".parse(), Ok(Cpu::Portable));
/// ```
impl FromStr for Cpu {
    type Err = CpuError;

    fn from_str(text: &str) -> Result<Self, CpuError> {
        let best = Self::detect();
        if text == "auto" {
            return Ok(best);
        }
        let asked = Self::ALL.into_iter().find(|level| level.name() == text);
        let asked = asked.ok_or_else(|| CpuError::Unknown(text.to_owned()))?;
        if asked <= best { Ok(asked) } else { Err(CpuError::Lacking { asked, best }) }
    }
}

/// Whether the CPU has the PEXT instruction and does it in a few cycles. AMD's before Zen 3
/// (family 0x19) take up to hundreds.
pub(crate) fn has_fast_pext() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        if !std::arch::is_x86_feature_detected!("bmi2") {
            return false;
        }
        let vendor = __cpuid(0);
        let version = __cpuid(1).eax;
        pext_is_fast([vendor.ebx, vendor.edx, vendor.ecx], version)
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The same for the vendor's name, as CPUID spells it, and the version word.
#[cfg(target_arch = "x86_64")]
fn pext_is_fast(vendor: [u32; 3], version: u32) -> bool {
    let name: Vec<u8> = vendor.iter().flat_map(|word| word.to_le_bytes()).collect();
    // A family of 15 says that the extended family is to be added.
    let family = match version >> 8 & 0xF {
        0xF => 0xF + (version >> 20 & 0xFF),
        family => family,
    };
    let by_microcode = name == b"AuthenticAMD" || name == b"HygonGenuine";
    !(by_microcode && family < 0x19)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_read_or_refused_by_name() {
        let best = Cpu::detect();
        for level in Cpu::ALL {
            let expected = if level <= best {
                Ok(level)
            } else {
                Err(CpuError::Lacking { asked: level, best })
            };
            assert_eq!(level.name().parse::<Cpu>(), expected);
        }
        assert_eq!("v9".parse::<Cpu>(), Err(CpuError::Unknown("v9".to_owned())));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn pext_is_slow_on_amd_before_zen_3() {
        let words = |name: &[u8; 12]| {
            [0, 4, 8].map(|at| u32::from_le_bytes(name[at..at + 4].try_into().unwrap()))
        };
        let (amd, intel) = (words(b"AuthenticAMD"), words(b"GenuineIntel"));
        // Zen 2 (family 0x17), Zen 3 (0x19), Excavator (0x15) and Ice Lake, as they report.
        assert!(!pext_is_fast(amd, 0x0087_0F10));
        assert!(pext_is_fast(amd, 0x00A2_0F10));
        assert!(!pext_is_fast(amd, 0x0066_0F01));
        assert!(pext_is_fast(intel, 0x0006_06A6));
    }
}
