//! The ways to merge equal positions.

use crate::types::named_enum;

named_enum! {
    /// The way in which positions that several lines lead to are counted once. Counts do not depend
    /// on it.
    #[derive(Default)]
    pub enum Merge("way to merge") {
        /// The way that should be the fastest for the count.
        #[default]
        Auto = "auto",
        /// Ply by ply, as sets of distinct positions, which are compared whole.
        Layers = "layers",
        /// A table of known counts, found by their keys.
        Table = "table",
        /// Not at all, but for the first plies of counts on several threads.
        None = "none",
    }
}

/// The way and the memory of a count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// The way; never [`Merge::Auto`].
    pub merge: Merge,
    /// The bytes of the table, or those that were used for layers.
    pub bytes: usize,
    /// The counts that were found in the table.
    pub hits: u64,
    /// The share of the entries of the table in use, from a sample.
    pub fill: f64,
}
