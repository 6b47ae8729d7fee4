//! All systems by name.

use std::fmt;
use std::str::FromStr;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use std::sync::LazyLock;

use super::bench::{Measure, Queries, Sample};
use super::hyperbola::Hyperbola;
use super::lines::Lines;
use super::magic_table::{BLACK, FOLD32, PACKED, PLAIN, SHARED};
use super::pext::{self, SoftwarePext};
use perft_core::SliderChoice;
use perft_core::attacks::Sliders;
use perft_core::attacks::magic::Magic;
use perft_core::attacks::rays::{Rays, Slider};
use perft_core::random::Rng;
use perft_core::types::{Bitboard, Square};

/// A slider system, chosen at run time.
///
/// ```
/// use perft_core::attacks::Sliders;
/// use perft_lab::System;
/// use perft_core::{Bitboard, Square};
///
/// let black: System = "black".parse()?;
/// assert_eq!(black.sliders().rook(Square::A1, Bitboard::EMPTY).len(), 14);
/// # Ok::<(), perft_lab::UnknownSystem>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum System {
    Rays,
    Plain,
    #[default]
    Fancy,
    Shared,
    Packed,
    Black,
    Fold32,
    Lines,
    Pext,
    Hyperbola,
}

impl System {
    /// All systems, the reference first.
    pub const ALL: [Self; 10] = [
        Self::Rays,
        Self::Plain,
        Self::Fancy,
        Self::Shared,
        Self::Packed,
        Self::Black,
        Self::Fold32,
        Self::Lines,
        Self::Pext,
        Self::Hyperbola,
    ];

    /// The name by which a user chooses it.
    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    /// A description in a few words.
    pub const fn about(self) -> &'static str {
        self.texts().1
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Rays => ("rays", "the slow walk along each ray: the reference for all others"),
            Self::Plain => ("plain", "magics, a table of fixed size for each square"),
            Self::Fancy => ("fancy", "magics, each square's table as wide as it needs"),
            Self::Shared => ("shared", "fancy magics of both pieces in a single array"),
            Self::Packed => ("packed", "biased magics whose tables fill each other's gaps"),
            Self::Black => ("black", "black magics, from each table's lowest index, packed"),
            Self::Fold32 => ("fold32", "two 32-bit multiplications, with their own magics"),
            Self::Lines => ("lines", "each line hashed alone into tiny tables"),
            Self::Pext => ("pext", "the blockers closed up by the CPU's PEXT instruction"),
            Self::Hyperbola => ("hyperbola", "subtraction on each line and on its mirror image"),
        }
    }

    /// The size of its tables.
    pub fn table_bytes(self) -> usize {
        self.tables().0
    }

    /// The lookups. PEXT is done in software on a CPU without the instruction.
    pub fn sliders(self) -> &'static (dyn Sliders + Sync) {
        self.tables().1
    }

    fn tables(self) -> (usize, &'static dyn Measure) {
        match self {
            Self::Rays => (0, &Rays),
            Self::Plain => (PLAIN.bytes(), &*PLAIN),
            Self::Fancy => (Magic::TABLE_BYTES, &Magic),
            Self::Shared => (SHARED.bytes(), &*SHARED),
            Self::Packed => (PACKED.bytes(), &*PACKED),
            Self::Black => (BLACK.bytes(), &*BLACK),
            Self::Fold32 => (FOLD32.bytes(), &*FOLD32),
            Self::Lines => (Lines::TABLE_BYTES, &Lines),
            Self::Pext => (pext::TABLE_BYTES, hardware_pext().unwrap_or(&SoftwarePext)),
            Self::Hyperbola => (Hyperbola::TABLE_BYTES, &Hyperbola),
        }
    }

    /// Compares every square and every subset of its mask with the reference, alone and with
    /// everything irrelevant occupied, then `random` occupancies. Returns the number of lookups.
    ///
    /// # Errors
    /// The first lookup that is wrong.
    pub fn verify(self, random: usize, seed: u64) -> Result<u64, WrongLookup> {
        verify(self.sliders(), random, seed)
    }

    /// Measures `look_ups` of each kind, once.
    pub fn measure(self, queries: &Queries, look_ups: usize) -> Sample {
        self.tables().1.measure(queries, look_ups)
    }
}

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
fn hardware_pext() -> Option<&'static dyn Measure> {
    static PEXT: LazyLock<Option<pext::Pext>> = LazyLock::new(pext::Pext::detect);
    PEXT.as_ref().map(|pext| pext as &dyn Measure)
}

#[cfg(not(all(target_arch = "x86_64", not(perft_portable))))]
fn hardware_pext() -> Option<&'static dyn Measure> {
    None
}

fn verify(sliders: &dyn Sliders, random: usize, seed: u64) -> Result<u64, WrongLookup> {
    let mut look_ups = 0;
    let mut check = |slider: Slider, square, occupied, expected| {
        look_ups += 1;
        let got = sliders.attacks(slider, square, occupied);
        let wrong = WrongLookup { slider, square, occupied, got, expected };
        if got == expected { Ok(()) } else { Err(wrong) }
    };
    for slider in Slider::ALL {
        for square in Square::all() {
            let mask = slider.relevant(square);
            for blockers in mask.subsets() {
                let expected = slider.attacks(square, blockers);
                check(slider, square, blockers, expected)?;
                check(slider, square, blockers | !mask, expected)?;
            }
        }
    }
    let mut rng = Rng::new(seed);
    for _ in 0..random {
        // From nearly empty to nearly full boards.
        let (a, b) = (rng.next_u64(), rng.next_u64());
        let occupied = Bitboard([a, a & b, a | b][rng.below(3)]);
        let square = Square::from_index(rng.below(64));
        for slider in Slider::ALL {
            check(slider, square, occupied, slider.attacks(square, occupied))?;
        }
    }
    Ok(look_ups)
}

/// A lookup that differs from the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{slider:?} on {square} with {occupied:?}: {got:?}, but the rays give {expected:?}")]
pub struct WrongLookup {
    /// The piece.
    pub slider: Slider,
    /// Its square.
    pub square: Square,
    /// The occupied squares.
    pub occupied: Bitboard,
    /// The attacks by the system.
    pub got: Bitboard,
    /// The attacks by the reference.
    pub expected: Bitboard,
}

/// A name that no system has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a slider system")]
pub struct UnknownSystem(pub String);

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for System {
    type Err = UnknownSystem;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let mut systems = Self::ALL.into_iter();
        systems.find(|system| system.name() == name).ok_or_else(|| UnknownSystem(name.to_owned()))
    }
}

/// Fancy magics are compiled into the kernels, the others are called through a trait object.
impl From<System> for SliderChoice {
    fn from(system: System) -> Self {
        match system {
            System::Fancy => Self::Magic,
            other => Self::Other(other.name(), other.sliders()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_agrees_with_the_rays_everywhere() {
        for system in System::ALL {
            let look_ups = system.verify(100_000, 5).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(look_ups, 2 * 107_648 + 200_000, "{system}");
        }
        verify(&SoftwarePext, 100_000, 6).unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn a_wrong_lookup_is_detected() {
        struct Wrong;
        impl Sliders for Wrong {
            fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
                let is_rook = slider == Slider::Rook;
                slider.attacks(square, if is_rook { occupied } else { Bitboard::EMPTY })
            }
        }
        assert_eq!(verify(&Wrong, 0, 1).unwrap_err().slider, Slider::Bishop);
    }
}
