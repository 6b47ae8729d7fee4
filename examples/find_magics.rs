//! Prints `src/sliders/magics.rs` from the finder's seed:
//! `cargo run --release --example find_magics > src/sliders/magics.rs`.

use perft::Square;
use perft::sliders::{Slider, finder};

fn main() {
    println!("//! Magics of the mask's width, one for each square from a1 to h8.");
    println!("//!");
    println!(
        "//! Found by [`finder::find`](super::finder::find) with seed {}; made with",
        finder::SHIPPED_SEED
    );
    println!("//! `cargo run --release --example find_magics`. A test finds them again.");
    for (name, slider) in [("ROOK", Slider::Rook), ("BISHOP", Slider::Bishop)] {
        println!("\n#[rustfmt::skip]\npub(super) const {name}: [u64; 64] = [");
        let found: Vec<u64> = Square::all()
            .map(|square| finder::find(slider, square, finder::SHIPPED_SEED).magic)
            .collect();
        for row in found.chunks(4) {
            let row: Vec<String> = row.iter().map(|magic| format!("{magic:#018x}")).collect();
            println!("    {},", row.join(", "));
        }
        println!("];");
    }
}
