//! What the CPU can do, found out when the program runs.

/// A level of CPU features. One binary holds the hot code for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cpu {
    /// Nothing beyond what the target always has.
    Portable,
    /// With POPCNT, BMI1, BMI2 and LZCNT: x86-64-v3 as far as whole numbers go.
    V3,
}

impl Cpu {
    /// The best level that this machine has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("lzcnt")
        {
            return Self::V3;
        }
        Self::Portable
    }

    /// What reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::V3 => "v3",
        }
    }
}
