//! The checks of the fuzz targets, run over the seeds and over variations of them.

#[path = "checks/mod.rs"]
mod checks;

use std::path::Path;

use perft_core::random::Rng;

/// The seeds of a target, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checks/seeds").join(target);
    let files = std::fs::read_dir(&dir).unwrap_or_else(|error| panic!("{dir:?}: {error}"));
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("the file is read")).collect()
}

/// A seed with some bytes changed, removed, repeated, or copied from another seed.
fn varied(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[rng.below(seeds.len())].clone();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(5) {
            0 => bytes.insert(at, rng.next_u64() as u8),
            1 if at < bytes.len() => bytes[at] = rng.next_u64() as u8,
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => {
                let end = (at + rng.below(20)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let other = &seeds[rng.below(seeds.len())];
                let from = rng.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
        }
    }
    bytes
}

#[test]
fn checks_hold_on_seeds_and_their_variations() {
    for (target, check) in checks::ALL {
        let seeds = seeds(target);
        assert!(!seeds.is_empty(), "{target} has no seeds");
        let mut rng = Rng::new(1);
        let rounds = if target == "walk" { 300 } else { 3_000 };
        for round in 0..seeds.len() + rounds {
            let bytes = seeds.get(round).cloned().unwrap_or_else(|| varied(&mut rng, &seeds));
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let held = std::panic::catch_unwind(|| check(&bytes));
            assert!(held.is_ok(), "{target} fails on {bytes:?} {text:?}");
        }
    }
}
