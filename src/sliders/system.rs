//! All systems by name, and the one place where a name becomes a type.

use std::fmt;
use std::str::FromStr;

use super::{Slider, Sliders, pext, rays};
use crate::cpu::{self, Cpu};
use crate::random::Rng;
use crate::types::{Bitboard, Square};

/// A slider system, chosen at run time.
///
/// ```
/// use perft::sliders::System;
/// use perft::{Bitboard, Square};
///
/// let black: System = "black".parse()?;
/// assert_eq!(black.rook(Square::A1, Bitboard::EMPTY).len(), 14);
/// # Ok::<(), perft::sliders::UnknownSystem>(())
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

/// Runs an expression with a type name bound to the type of a [`System`]; with `soft` before
/// the system, PEXT is done without the CPU's instruction.
///
/// Where it chooses [`HardPext`](super::pext::HardPext) it asks the CPU first.
macro_rules! with_sliders {
    (soft $system:expr, $S:ident => $run:expr) => {{
        use $crate::sliders::{self, System};
        match $system {
            System::Rays => $crate::sliders::with_sliders!(@ sliders::Rays, $S => $run),
            System::Plain => $crate::sliders::with_sliders!(@ sliders::Plain, $S => $run),
            System::Fancy => $crate::sliders::with_sliders!(@ sliders::Fancy, $S => $run),
            System::Shared => $crate::sliders::with_sliders!(@ sliders::Shared, $S => $run),
            System::Packed => $crate::sliders::with_sliders!(@ sliders::Packed, $S => $run),
            System::Black => $crate::sliders::with_sliders!(@ sliders::Black, $S => $run),
            System::Fold32 => $crate::sliders::with_sliders!(@ sliders::Fold32, $S => $run),
            System::Lines => $crate::sliders::with_sliders!(@ sliders::Lines, $S => $run),
            System::Hyperbola => $crate::sliders::with_sliders!(@ sliders::Hyperbola, $S => $run),
            System::Pext => $crate::sliders::with_sliders!(@ sliders::SoftPext, $S => $run),
        }
    }};
    ($system:expr, $S:ident => $run:expr) => {
        match $system {
            #[cfg(target_arch = "x86_64")]
            $crate::sliders::System::Pext if $crate::sliders::System::pext_is_in_hardware() => {
                $crate::sliders::with_sliders!(@ $crate::sliders::HardPext, $S => $run)
            }
            system => $crate::sliders::with_sliders!(soft system, $S => $run),
        }
    };
    (@ $type:ty, $S:ident => $run:expr) => {{
        type $S = $type;
        $run
    }};
}
pub(crate) use with_sliders;

impl System {
    /// All systems, the truth first.
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

    /// The fastest on this machine: PEXT where the CPU does it in a few cycles, magics
    /// elsewhere.
    pub fn fastest() -> Self {
        let has_code = Cpu::detect() == Cpu::V3;
        if has_code && cpu::has_fast_pext() { Self::Pext } else { Self::Fancy }
    }

    /// The name by which a user chooses it.
    pub fn name(self) -> &'static str {
        with_sliders!(self, S => S::NAME)
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        with_sliders!(self, S => S::ABOUT)
    }

    /// The size of its tables.
    pub fn table_bytes(self) -> usize {
        with_sliders!(self, S => S::TABLE_BYTES)
    }

    /// What a rook on `square` attacks.
    pub fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
        with_sliders!(self, S => S::rook(square, occupied))
    }

    /// What a bishop on `square` attacks.
    pub fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
        with_sliders!(self, S => S::bishop(square, occupied))
    }

    /// Whether [`System::Pext`] uses the CPU's instruction.
    pub fn pext_is_in_hardware() -> bool {
        pext::has_instruction()
    }

    /// Compares with the slow walk: every square with every subset of its relevant squares,
    /// alone and with all that must not matter occupied, then random occupancies. Returns
    /// the number of look-ups.
    ///
    /// # Errors
    /// The first look-up that is wrong.
    pub fn verify(self, random: usize, seed: u64) -> Result<u64, Mismatch> {
        with_sliders!(self, S => verify::<S>(random, seed))
    }
}

fn verify<S: Sliders>(random: usize, seed: u64) -> Result<u64, Mismatch> {
    let mut looked_up = 0;
    let mut check = |slider, square, occupied, expected: Bitboard| {
        let got = match slider {
            Slider::Rook => S::rook(square, occupied),
            Slider::Bishop => S::bishop(square, occupied),
        };
        looked_up += 1;
        if got == expected {
            Ok(())
        } else {
            Err(Mismatch { slider, square, occupied, got, expected })
        }
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
        check(Slider::Rook, square, occupied, rays::rook(square, occupied))?;
        check(Slider::Bishop, square, occupied, rays::bishop(square, occupied))?;
    }
    Ok(looked_up)
}

/// A look-up that differs from the slow walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{slider:?} on {square} with {occupied:?}: {got:?}, but the rays give {expected:?}")]
pub struct Mismatch {
    /// Which piece.
    pub slider: Slider,
    /// Where it stands.
    pub square: Square,
    /// The occupied squares.
    pub occupied: Bitboard,
    /// What the system says.
    pub got: Bitboard,
    /// What the slow walk says.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sliders::SoftPext;

    #[test]
    fn every_system_agrees_with_the_rays_everywhere() {
        for system in System::ALL {
            let looked_up = system.verify(100_000, 5).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(looked_up, 2 * 107_648 + 200_000, "{}", system.name());
        }
        verify::<SoftPext>(100_000, 6).unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn a_wrong_look_up_is_noticed() {
        #[derive(Clone, Copy, Default)]
        struct Wrong;
        impl Sliders for Wrong {
            const NAME: &'static str = "wrong";
            const ABOUT: &'static str = "";
            const TABLE_BYTES: usize = 0;
            fn rook(square: Square, occupied: Bitboard) -> Bitboard {
                rays::rook(square, occupied)
            }
            fn bishop(square: Square, _: Bitboard) -> Bitboard {
                rays::bishop(square, Bitboard::EMPTY)
            }
        }
        assert_eq!(verify::<Wrong>(0, 1).unwrap_err().slider, Slider::Bishop);
    }

    #[test]
    fn names_are_read_back() {
        for system in System::ALL {
            assert_eq!(system.name().parse(), Ok(system));
        }
        assert!("magic".parse::<System>().is_err());
    }
}
