//! CPU instruction sets, detected at run time.
//!
//! A level such as [`Avx2`] is a value that only its `detect` function makes, so holding one proves
//! that the CPU has the instructions. Code compiled for a level takes the value as an argument.

use std::str::FromStr;

use crate::types::named_enum;

named_enum! {
    /// A CPU level. One binary has the hot code for each: kiwipete 6 takes 1.85 s at the first, 1.05 s
    /// at the second and 0.55 s at the third (Zen 4, one thread, `--hash 0`).
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Cpu {
        /// The compilation target's baseline.
        Portable = "portable",
        /// With POPCNT, BMI1, BMI2, LZCNT and AVX2.
        V3 = "v3",
        /// With AVX-512 (F, BW, CD, DQ, VL, VBMI2 and VPOPCNTDQ) too: Ice Lake, Zen 4 and later.
        Avx512 = "avx512",
    }
}

impl Cpu {
    /// The highest level of this machine.
    pub fn detect() -> Self {
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        {
            if Avx512::detect().is_some() {
                return Self::Avx512;
            }
            if Avx2::detect().is_some() {
                return Self::V3;
            }
        }
        Self::Portable
    }
}

/// Not the name of a level, or a level that this machine lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CpuError {
    /// No such level.
    #[error("unknown CPU level {0:?} (auto, portable, v3 or avx512)")]
    Unknown(String),
    /// The machine lacks the instructions.
    #[error("this CPU has no {asked} instructions: {best} is its highest level")]
    Lacking {
        /// The requested level.
        asked: Cpu,
        /// The highest level of the machine.
        best: Cpu,
    },
}

/// Parses a level that this machine has; `auto` is the highest.
///
/// ```
/// use perft_core::Cpu;
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
        let asked = Self::named(text).ok_or_else(|| CpuError::Unknown(text.to_owned()))?;
        if asked <= best { Ok(asked) } else { Err(CpuError::Lacking { asked, best }) }
    }
}

/// Code to be compiled for a CPU level: a function and its arguments. `run` must be marked
/// `#[inline(always)]`, because a function that is not inlined is compiled for the baseline:
/// `outlined!` does so. A closure cannot be marked, and is inlined only if it is small.
pub trait Code {
    /// The result.
    type Output;

    /// Runs the code.
    fn run(self) -> Self::Output;
}

impl<R, F: FnOnce() -> R> Code for F {
    type Output = R;

    #[inline(always)]
    fn run(self) -> R {
        self()
    }
}

/// A CPU level that this machine has.
pub trait Level: Copy {
    /// Runs code in a function of its own, compiled for the level. Code that is neither inlined nor
    /// run this way is compiled for the baseline.
    fn outlined<C: Code>(self, code: C) -> C::Output;
}

/// Declares a function with a copy for each CPU level: a call runs the copy for the level that is
/// its first argument. A profiler shows the copies as `compiled::<name<...>>` if they are built with
/// `RUSTFLAGS="-C symbol-mangling-version=v0"`.
///
/// The arguments travel in a struct with the name of the function, as one tuple: the type of a tuple
/// needs no names for lifetimes.
macro_rules! outlined {
    (
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident $(<$($generic:ident: $bound:path),* $(,)?>)? (
            $level:ident: $level_type:ty $(, $arg:ident: $type:ty)* $(,)?
        ) $(-> $output:ty)? $body:block
    ) => {
        #[allow(non_camel_case_types)]
        struct $name<$($($generic,)*)? Args> {
            args: Args,
            generics: std::marker::PhantomData<($($($generic,)*)?)>,
        }

        impl$(<$($generic: $bound),*>)? $crate::sys::cpu::Code
            for $name<$($($generic,)*)? ($level_type, $($type,)*)>
        {
            type Output = $crate::sys::cpu::outlined!(@output $($output)?);

            #[inline(always)]
            fn run(self) -> Self::Output {
                let ($level, $($arg,)*) = self.args;
                $body
            }
        }

        $(#[$meta])*
        #[inline(always)]
        $visibility fn $name $(<$($generic: $bound),*>)? (
            $level: $level_type, $($arg: $type),*
        ) $(-> $output)? {
            let args = ($level, $($arg,)*);
            let code = $name::<$($($generic,)*)? _> { args, generics: std::marker::PhantomData };
            $crate::sys::cpu::Level::outlined($level, code)
        }
    };
    (@output) => { () };
    (@output $output:ty) => { $output };
}
pub(crate) use outlined;

/// The compilation target's baseline.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl Level for Baseline {
    #[inline(always)]
    fn outlined<C: Code>(self, code: C) -> C::Output {
        #[inline(never)]
        fn compiled<C: Code>(code: C) -> C::Output {
            code.run()
        }
        compiled(code)
    }
}

/// Proof that the CPU has POPCNT, BMI1, BMI2, LZCNT and AVX2.
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
impl Avx2 {
    /// The proof, if the CPU has all five features.
    pub fn detect() -> Option<Self> {
        use std::arch::is_x86_feature_detected as has;
        let found = has!("popcnt") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("avx2");
        found.then_some(Self(()))
    }

    /// The bits of `source` under `mask`, packed together, by the PEXT instruction.
    #[inline(always)]
    pub fn pext(self, source: u64, mask: u64) -> u64 {
        // SAFETY: `self` exists only where `detect` found BMI2. Gain: 1.39 times fancy magics in a
        // stream of lookups (`perft sliders bench`).
        #[allow(unsafe_code)]
        unsafe {
            std::arch::x86_64::_pext_u64(source, mask)
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
impl Level for Avx2 {
    #[inline(always)]
    fn outlined<C: Code>(self, code: C) -> C::Output {
        #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2")]
        #[inline(never)]
        fn compiled<C: Code>(code: C) -> C::Output {
            code.run()
        }
        // SAFETY: `self` exists only where `detect` found the features. Gain: see `Cpu`.
        #[allow(unsafe_code)]
        unsafe {
            compiled(code)
        }
    }
}

/// Proof that the CPU has AVX-512 F, BW, CD, DQ, VL, VBMI2 and VPOPCNTDQ, and all of [`Avx2`].
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
#[derive(Clone, Copy, Debug)]
pub struct Avx512(Avx2);

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
impl Avx512 {
    /// The proof, if the CPU has all features.
    pub fn detect() -> Option<Self> {
        use std::arch::is_x86_feature_detected as has;
        let found = has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl")
            && has!("avx512vbmi2")
            && has!("avx512vpopcntdq");
        Avx2::detect().filter(|_| found).map(Self)
    }

    /// The lower level.
    #[inline(always)]
    pub fn avx2(self) -> Avx2 {
        self.0
    }

    /// [`Self::detect`] for a test, which fails without it if `PERFT_REQUIRE_AVX512` is 1.
    #[cfg(test)]
    pub(crate) fn for_test() -> Option<Self> {
        let level = Self::detect();
        let is_required = std::env::var("PERFT_REQUIRE_AVX512").is_ok_and(|value| value == "1");
        assert!(level.is_some() || !is_required, "PERFT_REQUIRE_AVX512 is 1, but the CPU has none");
        level
    }
}

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
impl Level for Avx512 {
    #[inline(always)]
    fn outlined<C: Code>(self, code: C) -> C::Output {
        #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2")]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
        #[target_feature(enable = "avx512vbmi2,avx512vpopcntdq")]
        #[inline(never)]
        fn compiled<C: Code>(code: C) -> C::Output {
            code.run()
        }
        // SAFETY: `self` exists only where `detect` found the features. Gain: see `Cpu`.
        #[allow(unsafe_code)]
        unsafe {
            compiled(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The others have code that no test here runs.
    #[test]
    fn cpu_levels_that_are_tested() {
        let levels = Cpu::ALL.into_iter().filter(|&level| level <= Cpu::detect());
        let levels: Vec<&str> = levels.map(Cpu::name).collect();
        println!("tested CPU levels: {}", levels.join(", "));
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        assert_eq!(Avx512::for_test().is_some(), levels.contains(&"avx512"));
    }

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
}
