//! A laboratory of slider lookups: ten systems, the search for their magics, and a bench.
//!
//! The attacks of a rook or bishop depend on its square and the occupied squares. Counts use
//! [magics](perft_core::attacks::magic); here are all the ways to look attacks up, as a [`System`]
//! each, to compare them. Each is verified against the first.
//!
//! # The walk
//! *rays* steps along each ray up to the first blocker. It is the reference, and slow: up to
//! fourteen steps for a rook, each with a test.
//!
//! # Relevant squares
//! A blocker makes a difference only where the ray goes on behind it, so the last square of a ray
//! is irrelevant. That leaves 10 to 12 relevant squares for a rook and 5 to 9 for a bishop, and a
//! table with a slot for each way to occupy them, once those scattered bits are an index.
//!
//! ```
//! use perft_core::Square;
//! use perft_core::attacks::rays::Slider;
//!
//! let all = |slider: Slider| -> u32 {
//!     Square::all().map(|square| 1 << slider.relevant(square).len()).sum()
//! };
//! assert_eq!((all(Slider::Rook), all(Slider::Bishop)), (102_400, 5_248));
//! ```
//!
//! # Magics
//! A multiplication adds shifted copies of the blockers. With the right factor one copy of each
//! relevant bit lands in the top bits undisturbed, and the top bits are the index. [`finder`]
//! searches for such factors. Sets of blockers that leave the same attacks may share an index,
//! which makes magics common enough to be found.
//!
//! - *plain* gives every square a table of the largest size.
//! - *fancy* gives each square the size that it needs.
//! - *shared* puts both pieces into one array.
//! - *fold32* uses two 32-bit products in place of one of 64 bits.
//!
//! ```
//! use perft_core::attacks::rays::Slider;
//! use perft_lab::{System, Trace};
//! use perft_core::{Bitboard, Square};
//!
//! let occupied = Square::E3.bitboard();
//! let Trace::Hashed(steps) = System::Fancy.trace(Slider::Bishop, Square::C1, occupied) else {
//!     panic!("fancy is a magic system");
//! };
//! assert_eq!(steps.blockers, occupied);
//! assert_eq!(steps.product >> (64 - steps.index_bits), u64::from(steps.index));
//! assert_eq!(steps.attacks.len(), 4);
//! ```
//!
//! # Shorter tables
//! An index is a sum of the shares of the blockers, rounded down to whole slots. The start of the
//! sum decides where it is rounded. White keys start from 0. *black* keys, with every irrelevant
//! square taken as occupied, start from elsewhere, and there magics exist whose shares are three
//! quarters of powers of two: the two squares of the finest ray then need three slots in place of
//! four, and the whole table is a quarter shorter. *packed* adds the start as a bias instead.
//!
//! Both lay their tables over each other, so that one square uses what another leaves empty. For
//! that a table need not be short: if it uses, say, nine neighbors of every sixteen slots, a table
//! with six of every sixteen fits into its gaps. See [`finder::pack`].
//!
//! # Without magics
//! - *pext* packs the bits of the blockers together by an instruction.
//! - *lines* looks up each line alone; six bits need next to no table.
//! - *hyperbola* subtracts: the borrow runs along the line up to a blocker.

pub mod bench;
pub mod finder;
mod fold32_magics;
mod hyperbola;
mod lines;
mod magic_table;
mod pext;
mod squeezed_magics;
mod system;
mod trace;

pub use system::{System, UnknownSystem, WrongLookup};
pub use trace::{Collision, HashTrace, LineTrace, SlotUse, Term, Trace, collision};
