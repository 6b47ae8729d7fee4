//! Positions and their multiplicities as bytes: each as its difference from the one before.
//!
//! A run is a series of blocks. A block has the number of its bytes, the number of its records, a
//! checksum, and the records. The last block has no records, but the [`Tally`] of all others.

use std::io::{self, Read};

use crate::board::PackedBoard;
use crate::count::distinct::Record;
use crate::random::checksum;

/// A position and the number of lines that lead to it.
type Line = Record<u128>;

/// A number of distinct positions, and the sum of their multiplicities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The positions.
    pub positions: u64,
    /// The lines that lead to them.
    pub multiplicity: u128,
}

impl Tally {
    /// The sum of both; `None` if it does not fit.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            positions: self.positions.checked_add(other.positions)?,
            multiplicity: self.multiplicity.checked_add(other.multiplicity)?,
        })
    }
}

/// A block is full with so many bytes.
const BLOCK_BYTES: usize = 1 << 16;

/// The most that a record takes: a mask, the words and a multiplicity, seven bits to a byte.
const MAX_RECORD_BYTES: usize = 4 + 32 + 19;

const HEAD_BYTES: usize = 16;

/// The bytes of the last block.
pub(super) const END_BYTES: usize = HEAD_BYTES + size_of::<u64>() + size_of::<u128>();

/// The reason why a run cannot be read.
#[derive(Debug)]
pub(super) enum RunError {
    Io(io::Error),
    /// The bytes are not those that were written.
    Corrupted,
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Corrupted,
            _ => Self::Io(error),
        }
    }
}

/// The checksum of bytes and of their number.
pub(super) fn checksum_of_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|&word| u64::from_le_bytes(word));
    checksum(words.chain([bytes.len() as u64]))
}

/// A block with its head.
fn block(records: u32, payload: &[u8], out: &mut Vec<u8>) {
    out.clear();
    // A block is never longer than 32 bits can say.
    out.extend((payload.len() as u32).to_le_bytes());
    out.extend(records.to_le_bytes());
    out.extend(checksum_of_bytes(payload).to_le_bytes());
    out.extend(payload);
}

/// The last block of a run.
pub(super) fn end_block(tally: Tally) -> Vec<u8> {
    let mut payload = tally.positions.to_le_bytes().to_vec();
    payload.extend(tally.multiplicity.to_le_bytes());
    let mut out = Vec::new();
    block(0, &payload, &mut out);
    out
}

/// The tally of a last block; `None` if it is not one.
pub(super) fn read_end_block(bytes: &[u8]) -> Option<Tally> {
    let (_, payload) = bytes.split_at_checked(HEAD_BYTES)?;
    let (positions, multiplicity) = payload.split_at_checked(8)?;
    let tally = Tally {
        positions: u64::from_le_bytes(positions.try_into().ok()?),
        multiplicity: u128::from_le_bytes(multiplicity.try_into().ok()?),
    };
    (end_block(tally) == bytes).then_some(tally)
}

/// Makes blocks of records.
#[derive(Default)]
pub(super) struct Encoder {
    payload: Vec<u8>,
    records: u32,
    last: [u64; 4],
}

impl Encoder {
    /// Adds a record. If that fills a block, it is put into `out`, and the result is true.
    #[inline]
    pub fn push(&mut self, &(position, multiplicity): &Line, out: &mut Vec<u8>) -> bool {
        let words = position.to_words();
        // One bit for each byte that differs from the last position.
        let (mut mask, mut bytes, mut len) = (0_u32, [0; 32], 0);
        for (place, (word, last)) in words.into_iter().zip(self.last).enumerate() {
            for (byte, changed) in (word ^ last).to_le_bytes().into_iter().enumerate() {
                bytes[len] = changed;
                len += usize::from(changed != 0);
                mask |= u32::from(changed != 0) << (8 * place + byte);
            }
        }
        self.last = words;
        self.payload.extend(mask.to_le_bytes());
        self.payload.extend(&bytes[..len]);
        let mut rest = multiplicity;
        while rest >= 1 << 7 {
            self.payload.push(rest as u8 | 1 << 7);
            rest >>= 7;
        }
        self.payload.push(rest as u8);
        self.records += 1;
        let is_full = self.payload.len() >= BLOCK_BYTES;
        if is_full {
            self.finish(out);
        }
        is_full
    }

    /// Puts the records of a block that is not full into `out`.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.clear();
        if self.records > 0 {
            block(self.records, &self.payload, out);
        }
        self.payload.clear();
        (self.records, self.last) = (0, [0; 4]);
    }
}

/// Reads the blocks of a run.
pub(super) struct BlockReader<R> {
    input: R,
    payload: Vec<u8>,
    positions: u64,
}

impl<R: Read> BlockReader<R> {
    pub fn new(input: R) -> Self {
        Self { input, payload: Vec::new(), positions: 0 }
    }

    /// Reads a block of records in place of those before; none after the last.
    pub fn read(&mut self, records: &mut Vec<Line>) -> Result<(), RunError> {
        records.clear();
        let mut head = [0; HEAD_BYTES];
        self.input.read_exact(&mut head)?;
        let [len, count] = [0, 4].map(|at| {
            u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize
        });
        if len > BLOCK_BYTES + MAX_RECORD_BYTES {
            return Err(RunError::Corrupted);
        }
        self.payload.resize(len, 0);
        self.input.read_exact(&mut self.payload)?;
        if head[8..] != checksum_of_bytes(&self.payload).to_le_bytes() {
            return Err(RunError::Corrupted);
        }
        if count == 0 {
            let end: Vec<u8> = head.into_iter().chain(self.payload.iter().copied()).collect();
            let tally = read_end_block(&end).ok_or(RunError::Corrupted)?;
            let is_whole = tally.positions == self.positions;
            return if is_whole { Ok(()) } else { Err(RunError::Corrupted) };
        }
        let (mut rest, mut words) = (&self.payload[..], [0; 4]);
        while !rest.is_empty() {
            let record = decode(&mut rest, &mut words).ok_or(RunError::Corrupted)?;
            records.push(record);
        }
        self.positions += records.len() as u64;
        if records.len() == count { Ok(()) } else { Err(RunError::Corrupted) }
    }
}

/// Takes a record from the bytes. `words` are those of the position before it.
#[inline]
fn decode(rest: &mut &[u8], words: &mut [u64; 4]) -> Option<Line> {
    let (mask, mut bytes) = rest.split_first_chunk()?;
    let mut mask = u32::from_le_bytes(*mask);
    while mask != 0 {
        let place = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        let (&byte, after) = bytes.split_first()?;
        words[place / 8] ^= u64::from(byte) << (8 * (place % 8));
        bytes = after;
    }
    let (mut multiplicity, mut shift) = (0_u128, 0);
    loop {
        let (&byte, after) = bytes.split_first()?;
        bytes = after;
        multiplicity |= u128::from(byte & 0x7F).checked_shl(shift)?;
        shift += 7;
        if byte >> 7 == 0 {
            break;
        }
    }
    *rest = bytes;
    Some((PackedBoard::from_words(*words), multiplicity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    fn encoded(records: &[Line]) -> Vec<u8> {
        let (mut encoder, mut block, mut bytes) = (Encoder::default(), Vec::new(), Vec::new());
        for record in records {
            if encoder.push(record, &mut block) {
                bytes.extend(&block);
            }
        }
        encoder.finish(&mut block);
        bytes.extend(&block);
        let multiplicity = records.iter().fold(0_u128, |sum, record| sum.wrapping_add(record.1));
        bytes.extend(end_block(Tally { positions: records.len() as u64, multiplicity }));
        bytes
    }

    fn decoded(bytes: &[u8]) -> Result<Vec<Line>, RunError> {
        let (mut reader, mut block, mut records) =
            (BlockReader::new(bytes), Vec::new(), Vec::new());
        loop {
            reader.read(&mut block)?;
            if block.is_empty() {
                return Ok(records);
            }
            records.append(&mut block);
        }
    }

    fn records(number: usize) -> Vec<Line> {
        let mut rng = Rng::new(5);
        let mut next = |_| {
            let [a, b, c, d] = [0; 4].map(|_: u8| rng.next_u64() & rng.next_u64());
            let multiplicity = u128::from(rng.next_u64()) << (rng.next_u64() % 65);
            (PackedBoard::from_words([a & 0xFF, b, c & 0xFF_0000, d]), multiplicity)
        };
        (0..number).map(&mut next).chain([(PackedBoard::from_words([0; 4]), u128::MAX)]).collect()
    }

    #[test]
    fn records_come_back() {
        for number in [0, 1, 10_000] {
            let records = records(number);
            assert_eq!(decoded(&encoded(&records)).unwrap(), records);
        }
        assert_eq!(decoded(&encoded(&[])).unwrap(), []);
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_noticed() {
        let bytes = encoded(&records(20));
        for place in 0..bytes.len() {
            assert!(decoded(&bytes[..place]).is_err(), "cut at {place}");
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                assert!(decoded(&changed).is_err(), "byte {place} bit {bit}");
            }
        }
    }

    /// A whole block that is missing, too.
    #[test]
    fn a_missing_block_is_noticed() {
        let bytes = encoded(&records(10_000));
        let first = HEAD_BYTES + u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert!(decoded(&bytes[first..]).is_err());
    }
}
