//! The magic bitscan: the smallest case of a magic.
//!
//! A single bit times a constant is that constant shifted, so the top bits of the product are a
//! window of the constant. If all windows are different, the window identifies the bit. The
//! constant is found like any magic, and with 8 bits the search can be followed by hand.

/// One guess of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The bit of the constant, counted from the lowest.
    pub bit: u32,
    /// Its guessed value.
    pub value: bool,
    /// The window that ends with it.
    pub window: u32,
    /// An earlier bit with the same window, if there is one: the guess is wrong then.
    pub collides_with: Option<u32>,
}

/// A constant whose windows are all different, and the search for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitscan {
    /// The constant.
    pub magic: u64,
    /// The guesses, wrong ones included.
    pub steps: Vec<Step>,
}

/// Finds the constant for words of `1 << log2_width` bits: bit by bit from the lowest, zero before
/// one, back to the last zero if both collide.
///
/// ```
/// use perft_lab::finder::bitscan;
///
/// assert_eq!(bitscan::find(3).magic, 0x3A);
/// let magic = bitscan::find(6).magic;
/// let mut windows: Vec<u64> = (0..64).map(|bit| (magic << bit) >> 58).collect();
/// windows.sort();
/// assert!(windows.iter().copied().eq(0..64));
/// ```
///
/// # Panics
/// If `log2_width` is not 2 to 6.
pub fn find(log2_width: u32) -> Bitscan {
    assert!((2..=6).contains(&log2_width), "words of 4 to 64 bits");
    let width = 1_u32 << log2_width;
    let mut magic = 0_u64;
    let mut owners = vec![None; width as usize];
    let mut steps = Vec::new();
    let mut bit = 0;
    let mut value = false;
    while bit < width {
        let guess = if value { magic | 1 << bit } else { magic };
        let window = window(guess, bit, log2_width);
        let collides_with = owners[window as usize];
        steps.push(Step { bit, value, window, collides_with });
        if collides_with.is_none() {
            magic = guess;
            owners[window as usize] = Some(bit);
            bit += 1;
            value = false;
            continue;
        }
        // One after zero; after one, back to the last zero.
        while value {
            assert!(bit > 0, "a constant exists for every width");
            bit -= 1;
            owners[self::window(magic, bit, log2_width) as usize] = None;
            value = magic >> bit & 1 != 0;
            magic &= !(1 << bit);
        }
        value = true;
    }
    Bitscan { magic, steps }
}

/// The window whose highest bit is `bit`; below the lowest bit there are zeros.
fn window(magic: u64, bit: u32, log2_width: u32) -> u32 {
    let aligned = magic << (63 - bit);
    (aligned >> (64 - log2_width)) as u32
}
