//! The checks of the fuzz targets, over the inputs that are kept and over variations of them.

#[path = "../tests/checks/mod.rs"]
mod checks;

/// As the fuzz targets call it.
use crate as perft;

use std::path::Path;

use crate::random::Rng;

/// The kept inputs of a target, in the order of their names.
fn kept(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checks/seeds").join(target);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("the file is read")).collect()
}

/// Some bytes changed, taken out, repeated, or taken from another input.
fn varied(rng: &mut Rng, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = inputs[rng.below(inputs.len())].clone();
    for _ in 0..1 + rng.below(4) {
        let place = rng.below(bytes.len() + 1);
        match rng.below(5) {
            0 => bytes.insert(place, rng.next_u64() as u8),
            1 if place < bytes.len() => bytes[place] = rng.next_u64() as u8,
            2 if place < bytes.len() => drop(bytes.remove(place)),
            3 => {
                let end = (place + rng.below(20)).min(bytes.len());
                let part = bytes[place..end].to_vec();
                bytes.splice(place..place, part);
            }
            _ => {
                let other = &inputs[rng.below(inputs.len())];
                let from = rng.below(other.len() + 1);
                bytes.truncate(place);
                bytes.extend(&other[from..]);
            }
        }
    }
    bytes
}

#[test]
fn whatever_comes_in_holds() {
    for (target, check) in checks::ALL {
        let inputs = kept(target);
        assert!(!inputs.is_empty(), "{target} has no inputs");
        let mut rng = Rng::new(1);
        let rounds = if target == "walk" { 300 } else { 3_000 };
        for round in 0..inputs.len() + rounds {
            let bytes = inputs.get(round).cloned().unwrap_or_else(|| varied(&mut rng, &inputs));
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let held = std::panic::catch_unwind(|| check(&bytes));
            assert!(held.is_ok(), "{target} fails on {bytes:?} {text:?}");
        }
    }
}
