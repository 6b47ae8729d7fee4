//! Magics with short tables, and a layout of all tables in one array: magic, index bits and
//! offset (wrapping) for each square from a1 to h8. The keys are black ones.
//!
//! Found by [`squeeze`](super::finder::squeeze::squeeze) with 150,000,000 tries a square: from
//! seed 1, but for the rooks on b3, g4, h4, c5, f5, g6, h6, b8, d8 and g8, where seed 2 gave the
//! shorter table. Laid out by [`pack`](super::finder::pack::pack), the best of 3,000 orders. Each
//! is found again, in some half a minute, with `perft sliders find --method squeeze --key black
//! --tries 150000000 --seed N --piece P --square S`. To make a new file like this one, leave out
//! piece and square and add `--seeds 2 --pack --orders 3000 --format rust`: it tries seed 2 for
//! more squares than was done here, so it may come out shorter. A test lays these out again.

/// The length of the array.
pub(super) const LEN: usize = 91959;

/// Which of the orders it was.
#[cfg(test)]
pub(super) const ORDER: u64 = 879;

#[rustfmt::skip]
pub(super) const ROOK: [(u64, u32, u32); 64] = [
    (0x0060010930000665, 12, 0x98f), (0x00300918000c0030, 11, 0x6aea),
    (0xb6002182020e4005, 11, 0x5659), (0x00600600600c0002, 11, 0x7cff),
    (0x0060060003006001, 11, 0x70ec), (0x0060032001800060, 11, 0x892a),
    (0x006000c001800060, 11, 0x475d), (0x0018003060d00018, 12, 0xfffffc8b),
    (0x920030009e001800, 11, 0x787c), (0x3f4030008c001800, 10, 0x1456c),
    (0x0500c01800c00754, 10, 0x1078f), (0x3f80600c00600600, 10, 0x1206e),
    (0x1100600600600300, 10, 0x114b9), (0x0480600300600180, 10, 0x12282),
    (0x56ffa0017f400060, 10, 0x10ab9), (0x1400300060c20030, 11, 0x83a7),
    (0x150080700038001d, 11, 0x4f02), (0x268c003000980011, 10, 0xf7a4),
    (0xeeab8e001a17c008, 10, 0x11c71), (0x5505ffa00bffa004, 10, 0x104a0),
    (0x07d3006005ffa002, 10, 0xfa11), (0x2961806003005fff, 10, 0x1392b),
    (0x098e3c0051500077, 10, 0x12d8f), (0x0fa400d002e00022, 11, 0x98de),
    (0x8a3a811180003ffb, 11, 0x395b), (0x4bc001050045801b, 10, 0xe00b),
    (0xaeb09ffe7fcffe7d, 10, 0xfe0a), (0xc41b001d001000d8, 10, 0xe80a),
    (0xfa8dfc007fe80081, 10, 0xe40a), (0x63610091000c0028, 10, 0xf009),
    (0x383665fbffc79f30, 10, 0xec09), (0x4a98140dfff06fc9, 11, 0x415a),
    (0x3e0011d000600062, 11, 0x6555), (0xba20000fea3ffabe, 10, 0x1266f),
    (0x82fff83b89ffe1e0, 10, 0x1318b), (0x8e0de0040dffe830, 10, 0x1117a),
    (0xad0d7002feffe800, 10, 0x11874), (0xd30001c31a001200, 10, 0x13588),
    (0x9b8000a86c000f4a, 10, 0xf407), (0x79c08005ef800900, 11, 0x5e58),
    (0x2a00090f28005001, 11, 0xcf37), (0x36800c0098003003, 10, 0x10e57),
    (0x6b40c0076800c030, 10, 0x14b11), (0x7ec002411400c018, 10, 0x157d6),
    (0x110000c00680c00c, 10, 0x129d3), (0x330000c00300bffa, 10, 0x101d3),
    (0x2915a0001001a006, 10, 0x13f76), (0xe22dfff09c4dfffc, 11, 0xa05f),
    (0x8300050704b10090, 11, 0xd9af), (0x45800194002a0050, 10, 0x14282),
    (0x74bff43f9d3effa0, 10, 0x15ad2), (0x2fa00100a00a00a0, 10, 0x150c9),
    (0x1780600300060060, 10, 0x13be4), (0x6fc0006002fe8060, 10, 0x14e6c),
    (0x6883400060018060, 10, 0x14851), (0x8247b00002280028, 12, 0xd08b),
    (0x2e0002fb23e8387e, 12, 0x196a), (0x31e3bfe180048476, 11, 0x911f),
    (0x3e807fff500aaf66, 11, 0xb83a), (0xc5bfffa5fffb150a, 11, 0xc835),
    (0x7e9dffff3d7b9376, 11, 0xb050), (0xe5b200002144020a, 11, 0xa85e),
    (0x88cf84f00032d35c, 11, 0xc039), (0x5f5a0007d77cf7be, 12, 0x2960),
];

#[rustfmt::skip]
pub(super) const BISHOP: [(u64, u32, u32); 64] = [
    (0x59fd42a19e06fc01, 6, 0x15c93), (0x4b7d461150c80427, 5, 0x22e0),
    (0x41a410c88bf99b3b, 5, 0x1d64), (0x41c5985c0bbf5b76, 5, 0x16709),
    (0x5c9ec57ee97cb25b, 5, 0x15cc9), (0xd48ee4bd80eb56c2, 5, 0x20aa),
    (0x3d47a302867f82d6, 5, 0x215e), (0x2f47e98181827fb5, 6, 0x8deb),
    (0x74aafa0c43215007, 5, 0x2125), (0x6d9cfd22a308c3fe, 5, 0x2224),
    (0x3bf724212047f83f, 5, 0x1ba3), (0x3c8805e7affbdec0, 5, 0x166ea),
    (0x7bd7813a80985126, 5, 0x16717), (0x838d311b427f2ef5, 5, 0x1a67),
    (0x84a07fa1a5c5805a, 5, 0x20e7), (0x6bfbe42f2e9a3fac, 5, 0x2199),
    (0x6b1fee04fafcd00b, 5, 0x21e1), (0x0e10127d02918808, 5, 0x1bda),
    (0x708504f6102823fe, 7, 0x16647), (0xf313ff2804105013, 7, 0x16289),
    (0xc640bea0630096c7, 7, 0x163c4), (0x32f0b7ffa0570069, 7, 0x162ef),
    (0xafae008f9182bfd9, 5, 0x1ca6), (0xa55effcbd0a1a00e, 5, 0x1fa5),
    (0x6354140b7abb4066, 5, 0x1b66), (0x572a0a053d7dbfc1, 5, 0x1ce4),
    (0xaf8a05fefd0027f9, 7, 0x16432), (0x7e33fbff83401080, 9, 0x1560a),
    (0xb716840076801ff6, 9, 0x1540a), (0xbe05ffa010330042, 7, 0x16365),
    (0xb0fb093d10512068, 5, 0x1c6a), (0x3332849eabd8b039, 5, 0x1b23),
    (0x50a04289a514544c, 5, 0x1ae8), (0x3cefc2428f5424de, 5, 0x1da5),
    (0xbd17f8e05f0300c0, 7, 0x600), (0xd52fedff7fe80380, 9, 0x16089),
    (0x46affdffb06e00fc, 9, 0x15e89), (0x297fdfb0b7517f3f, 7, 0x16488),
    (0x82a030a88d85827f, 5, 0x1d24), (0xccafd057a76ac13e, 5, 0x19aa),
    (0x9baffd7985479ffc, 5, 0x1fe7), (0x55d7f1433d24b00b, 5, 0x1edb),
    (0x44c000f4040b0200, 7, 0x16614), (0xa8d89c02ebf997ff, 7, 0x16558),
    (0x0080ffc4216062c0, 7, 0x164d8), (0x4c7fc0a08f687140, 7, 0x165b1),
    (0x5b8082b197a5e201, 5, 0x1e64), (0xc9a02168c7dadb00, 5, 0x1eaa),
    (0xaabffd1cba85f0f1, 5, 0x2021), (0x0db000c1463cebd6, 5, 0x2298),
    (0x591dd80890a4293d, 5, 0x1e27), (0x02c9792180c2fe15, 5, 0x166b9),
    (0xb026d7817ac1481c, 5, 0x19e7), (0x825280771ee11edb, 5, 0x1de6),
    (0x70fff5fb41086448, 5, 0x225c), (0x6abfbaed98544949, 5, 0x1f5b),
    (0x7ed8018181827d3e, 6, 0x166d1), (0x1b709000c302bd81, 5, 0x1f1a),
    (0x32837d13f851244c, 5, 0x1c22), (0xc4f27826fa7f3d01, 5, 0x15cdd),
    (0x5e566177ff053ebc, 5, 0x1aa3), (0x78623601029b5121, 5, 0x1a26),
    (0x3cac008662f2bfaf, 5, 0x205e), (0x7e8041c11118acab, 6, 0x12be8),
];
