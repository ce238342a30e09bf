//! The Huffman code of RFC 7541, appendix B: decoded by a state machine of four bits per step.

/// Length of each byte's code in bits. The code is canonical: lengths say everything.
#[rustfmt::skip]
const LENGTHS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];

/// The longest code of a byte. The end symbol has the same length and all ones.
const LONGEST: u8 = 30;

static CODES: [u32; 256] = codes();

const fn codes() -> [u32; 256] {
    let mut codes = [0; 256];
    let mut code = 0_u32;
    let mut length = 5;
    while length <= LONGEST {
        let mut byte = 0;
        while byte < 256 {
            if LENGTHS[byte] == length {
                codes[byte] = code;
                code += 1;
            }
            byte += 1;
        }
        code <<= 1;
        length += 1;
    }
    codes
}

/// What four bits do in a state.
#[derive(Clone, Copy)]
#[repr(align(4))]
struct Step {
    next: u8,
    byte: u8,
    flags: u8,
}

/// A byte is complete.
const EMIT: u8 = 1;
/// The end symbol, which is not allowed in a string.
const FAIL: u8 = 2;
/// The string may end here: fewer than eight bits, all ones, are left over.
const ACCEPT: u8 = 4;

static STEPS: [[Step; 16]; 256] = steps();

/// Marks a leaf in the tree of codes; the end symbol is the leaf after the bytes.
const LEAF: u16 = 0x8000;
const END: u16 = LEAF | 256;

/// The inner nodes of the tree of codes, of which there are 256.
const fn tree() -> [[u16; 2]; 256] {
    let codes = codes();
    let mut nodes = [[0; 2]; 256];
    let mut count = 1;
    let mut symbol = 0;
    while symbol <= 256 {
        let (code, length) =
            if symbol == 256 { ((1 << LONGEST) - 1, LONGEST) } else { (codes[symbol], LENGTHS[symbol]) };
        let mut at = 0;
        let mut bit = length;
        while bit > 0 {
            bit -= 1;
            let side = (code >> bit & 1) as usize;
            if bit == 0 {
                nodes[at][side] = LEAF | symbol as u16;
            } else {
                if nodes[at][side] == 0 {
                    nodes[at][side] = count;
                    count += 1;
                }
                at = nodes[at][side] as usize;
            }
        }
        symbol += 1;
    }
    assert!(count == 256, "a complete code of 257 symbols has 256 inner nodes");
    nodes
}

/// States in which a string may end: the root, and up to seven ones after it.
const fn accepting(nodes: &[[u16; 2]; 256]) -> [bool; 256] {
    let mut accepting = [false; 256];
    let mut at = 0;
    let mut ones = 0;
    while ones < 8 {
        accepting[at] = true;
        at = nodes[at][1] as usize;
        ones += 1;
    }
    accepting
}

const fn steps() -> [[Step; 16]; 256] {
    let nodes = tree();
    let accepting = accepting(&nodes);
    let mut steps = [[Step { next: 0, byte: 0, flags: 0 }; 16]; 256];
    let mut state = 0;
    while state < 256 {
        let mut four = 0;
        while four < 16 {
            steps[state][four] = step(&nodes, &accepting, state, four);
            four += 1;
        }
        state += 1;
    }
    steps
}

const fn step(nodes: &[[u16; 2]; 256], accepting: &[bool; 256], state: usize, four: usize) -> Step {
    let mut at = state;
    let mut step = Step { next: 0, byte: 0, flags: 0 };
    let mut bit = 4;
    while bit > 0 {
        bit -= 1;
        let to = nodes[at][four >> bit & 1];
        if to == END {
            return Step { next: 0, byte: 0, flags: FAIL };
        }
        if to & LEAF == 0 {
            at = to as usize;
        } else {
            // The shortest code has five bits, so a step completes one byte at most.
            step.byte = (to & 0xff) as u8;
            step.flags |= EMIT;
            at = 0;
        }
    }
    step.next = at as u8;
    if accepting[at] {
        step.flags |= ACCEPT;
    }
    step
}

/// Appends the decoded string. False: it holds the end symbol, or its padding is too long or not
/// all ones.
pub(crate) fn decode(coded: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    // The shortest code has five bits; each step writes a byte, which may not count.
    out.resize(start + coded.len() * 8 / 5 + 1, 0);
    let room = &mut out[start..];
    let mut decoded = 0;
    let mut state = 0;
    let mut all = 0;
    let mut last = ACCEPT;
    // Without branches: which symbol comes next cannot be predicted.
    for byte in coded {
        for four in [byte >> 4, byte & 15] {
            let step = STEPS[usize::from(state)][usize::from(four)];
            room[decoded] = step.byte;
            decoded += usize::from(step.flags & EMIT);
            all |= step.flags;
            last = step.flags;
            state = step.next;
        }
    }
    out.truncate(start + decoded);
    all & FAIL == 0 && last & ACCEPT != 0
}

/// Bytes that the string takes when it is coded.
pub(crate) fn coded_bytes(plain: &[u8]) -> usize {
    let bits: usize = plain.iter().map(|byte| usize::from(LENGTHS[usize::from(*byte)])).sum();
    bits.div_ceil(8)
}

/// Appends the coded string.
pub(crate) fn encode(plain: &[u8], out: &mut Vec<u8>) {
    let mut bits = 0_u64;
    let mut count = 0;
    for byte in plain {
        let length = u32::from(LENGTHS[usize::from(*byte)]);
        bits = bits << length | u64::from(CODES[usize::from(*byte)]);
        count += length;
        while count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    if count > 0 {
        out.push((bits << (8 - count)) as u8 | 0xff >> count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_rfc() {
        for (plain, wanted) in [
            (&b""[..], &b""[..]),
            (b"www.example.com", b"\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff"),
            (b"no-cache", b"\xa8\xeb\x10\x64\x9c\xbf"),
            (b"custom-key", b"\x25\xa8\x49\xe9\x5b\xa9\x7d\x7f"),
            (b"private", b"\xae\xc3\x77\x1a\x4b"),
            (b"302", b"\x64\x02"),
        ] {
            let mut coded = Vec::new();
            encode(plain, &mut coded);
            assert_eq!(coded, wanted, "{}", plain.escape_ascii());
            assert_eq!(coded_bytes(plain), wanted.len());
            let mut back = Vec::new();
            assert!(decode(&coded, &mut back));
            assert_eq!(back, plain);
        }
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        for start in 0..256 {
            let mut coded = Vec::new();
            encode(&all[start..], &mut coded);
            let mut back = Vec::new();
            assert!(decode(&coded, &mut back));
            assert_eq!(back, &all[start..]);
        }
    }

    #[test]
    fn padding_is_short_and_all_ones() {
        for (coded, wanted) in [
            (&[0x1f][..], true),                // `a` in five bits, then three ones
            (&[0x18], false),                   // then zeros
            (&[0x1e], false),                   // one zero
            (&[0x1f, 0xff], false),             // eleven ones
            (&[0xff], false),                   // eight ones
            (&[0xff, 0xff, 0xff, 0xff], false), // the end symbol
            (&[], true),
        ] {
            assert_eq!(decode(coded, &mut Vec::new()), wanted, "{coded:x?}");
        }
    }
}
