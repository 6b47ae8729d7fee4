//! Magics whose tables lie in each other's gaps, and a layout of all tables in one array: magic,
//! index bits and offset (wrapping) for each square from a1 to h8. The keys are black ones.
//!
//! Made from `docs/magics.state`, which has several magics of each square, by
//! [rounds](super::finder::pack): `perft sliders find --method squeeze --key black --pack --tries 0
//! --rounds 12920 --state FILE --format rust` with a copy of that file prints these constants.
//! `docs/sliders.md` tells where its magics are from. A test lays the tables out as shipped.

/// The length of the array.
pub(super) const LEN: usize = 84065;

#[rustfmt::skip]
pub(super) const ROOK: [(u64, u32, u32); 64] = [
    (0x0060010930000665, 12, 0x98f), (0x00300918000c0030, 11, 0x5d60),
    (0xf5fff65cedfffe80, 11, 0xab80), (0x66000600c8c000d4, 11, 0x8a92),
    (0x0060060003006001, 11, 0x6aad), (0x0060032001800060, 11, 0x70cd),
    (0x1c000128aa280010, 11, 0x9290), (0x0018003060d00018, 12, 0xfffffc8b),
    (0x920030009e001800, 11, 0x785d), (0x3f4030008c001800, 10, 0x1042f),
    (0xe5bdffecdc49fffd, 10, 0x13366), (0x8931fff5fd95c001, 10, 0xc488),
    (0x7702000886006001, 10, 0xc089), (0x0480600300600180, 10, 0xfff1),
    (0x56ffa0017f400060, 10, 0x144a0), (0x1400300060c20030, 11, 0x7d88),
    (0x150080700038001d, 11, 0x4179), (0x0c2102001c3a000a, 11, 0xab71),
    (0x853f5dffeb29fffb, 10, 0x12b67), (0x5505ffa00bffa004, 10, 0xeab6),
    (0x0a008600030e0001, 11, 0xc927), (0x2961806003005fff, 10, 0x110d1),
    (0x08fe3bfffef7ff10, 10, 0x1072f), (0x0fa400d002e00022, 11, 0x6527),
    (0x6400188b8000c003, 11, 0x50ce), (0xd880105210040800, 10, 0xf67c),
    (0x45eb91fe00183ff8, 10, 0xee33), (0x0a22b001001cfffc, 10, 0xf280),
    (0x20e5ffd9fffd2001, 11, 0xd117), (0x03d9ffe9fffc5001, 10, 0xe6a5),
    (0x0ad5ae0400382090, 10, 0xda01), (0x06c58a81ffe3f031, 11, 0x3975),
    (0x3c0011d000600062, 11, 0x57bb), (0x41fff454500fffbd, 10, 0x11f9d),
    (0x2bbffb38faffe000, 10, 0x12765), (0x2ea001fd75ffe850, 10, 0x11bb3),
    (0x2e7000fd8efff800, 10, 0x12373), (0x099fff0089000400, 10, 0xde4f),
    (0xaa94007eabffdce6, 10, 0xe24c), (0xf986002fadfffec4, 11, 0x48d1),
    (0x2a00090f28005001, 11, 0x83f8), (0x130018008c003000, 10, 0xfd27),
    (0xbe9a0004baca0020, 10, 0x117ba), (0x045ffe0199a1fff0, 10, 0x12f5e),
    (0x110000c00680c00c, 10, 0x11401), (0x4b0a0000839dfff9, 11, 0xa369),
    (0x25bbffc7df4c0010, 11, 0xc08b), (0x93c7fff18a260004, 12, 0x1924),
    (0x8300050704b10090, 11, 0xb254), (0xc37ffc3c2c1c7e00, 11, 0x313f),
    (0x74bff43f9d3effa0, 10, 0xfa24), (0x06dfff0589ff1200, 11, 0x9b39),
    (0x219fff0dff0b8600, 10, 0x13769), (0x544200008f432200, 11, 0x1335b),
    (0x1ab8000fdf784400, 11, 0x13b67), (0x0180001024044a00, 12, 0x8a9f),
    (0x2e0002fb23e8387e, 12, 0x2952), (0xf580022242021682, 11, 0xc916),
    (0x690001b90a012112, 11, 0xb889), (0xc3020000c9c0c70e, 11, 0xd117),
    (0x01a00076008482d6, 11, 0x9b21), (0x679200003bd7dca2, 11, 0xa357),
    (0xc4b7fff3f412df3c, 11, 0x13b59), (0x75880003fe2895b2, 12, 0x196c),
];

#[rustfmt::skip]
pub(super) const BISHOP: [(u64, u32, u32); 64] = [
    (0x59fd42a19e06fc01, 6, 0xfbe5), (0x4b7d461150c80427, 5, 0xa319),
    (0x0030142813400000, 6, 0xc8a), (0x41c5985c0bbf5b76, 5, 0xd98d),
    (0x5c9ec57ee97cb25b, 5, 0xee1a), (0xd48ee4bd80eb56c2, 5, 0x2f52),
    (0x3d47a302867f82d6, 5, 0xa325), (0x2f47e98181827fb5, 6, 0x758e),
    (0x74aafa0c43215007, 5, 0xab55), (0x6d9cfd22a308c3fe, 5, 0x3962),
    (0x3bf724212047f83f, 5, 0x30cb), (0x3c8805e7affbdec0, 5, 0xc896),
    (0x7bd7813a80985126, 5, 0x3948), (0x838d311b427f2ef5, 5, 0x2c4f),
    (0x84a07fa1a5c5805a, 5, 0x310f), (0x6bfbe42f2e9a3fac, 5, 0x2ac1),
    (0x6b1fee04fafcd00b, 5, 0x2d49), (0x0e10127d02918808, 5, 0x2f02),
    (0x708504f6102823fe, 7, 0x103b4), (0xf313ff2804105013, 7, 0x9a97),
    (0xc640bea0630096c7, 7, 0x605), (0x32f0b7ffa0570069, 7, 0xd98b),
    (0xafae008f9182bfd9, 5, 0x2d8e), (0xa55effcbd0a1a00e, 5, 0x304d),
    (0x6354140b7abb4066, 5, 0x2a4e), (0x572a0a053d7dbfc1, 5, 0x2b4c),
    (0xaf8a05fefd0027f9, 7, 0xd90c), (0x7e33fbff83401080, 9, 0x10d2d),
    (0xb716840076801ff6, 9, 0x10f2c), (0xbe05ffa010330042, 7, 0xc8b6),
    (0xb0fb093d10512068, 5, 0x2f92), (0x3332849eabd8b039, 5, 0x2dcb),
    (0x50a04289a514544c, 5, 0x2fd0), (0x3cefc2428f5424de, 5, 0x2e8d),
    (0xbd17f8e05f0300c0, 7, 0x11422), (0xd52fedff7fe80380, 9, 0x10b2d),
    (0x46affdffb06e00fc, 9, 0x14362), (0x297fdfb0b7517f3f, 7, 0xe635),
    (0x82a030a88d85827f, 5, 0x2a8c), (0xccafd057a76ac13e, 5, 0x2d12),
    (0x9baffd7985479ffc, 5, 0x2bcf), (0x55d7f1433d24b00b, 5, 0x2a03),
    (0x44c000f4040b0200, 7, 0xddf1), (0xa8d89c02ebf997ff, 7, 0xeaa3),
    (0x0080ffc4216062c0, 7, 0x4155), (0x4c7fc0a08f687140, 7, 0xf20f),
    (0x5b8082b197a5e201, 5, 0x2c0c), (0xc9a02168c7dadb00, 5, 0x2e12),
    (0xaabffd1cba85f0f1, 5, 0x3089), (0x0db000c1463cebd6, 5, 0x2ec0),
    (0x591dd80890a4293d, 5, 0x2b0f), (0x02c9792180c2fe15, 5, 0xa337),
    (0xb026d7817ac1481c, 5, 0x2ccf), (0x825280771ee11edb, 5, 0x2b8e),
    (0x70fff5fb41086448, 5, 0xab5a), (0x6abfbaed98544949, 5, 0x9b08),
    (0x7ed8018181827d3e, 6, 0xfc18), (0x1b709000c302bd81, 5, 0x2c82),
    (0x32837d13f851244c, 5, 0x29ca), (0xc4f27826fa7f3d01, 5, 0xc880),
    (0x5e566177ff053ebc, 5, 0x2e4b), (0x78623601029b5121, 5, 0x298e),
    (0x3cac008662f2bfaf, 5, 0x3006), (0x7e8041c11118acab, 6, 0xd96d),
];
