//! Integers with a prefix (RFC 7541 §5.1).

/// Reads an integer whose first byte holds `bits` bits of it, and moves `input` after it. `None`:
/// it is cut off, or larger than any use for it.
#[inline]
pub(crate) fn read(input: &mut &[u8], bits: u32) -> Option<usize> {
    let (first, mut rest) = input.split_first()?;
    let most = (1_usize << bits) - 1;
    let mut value = usize::from(*first) & most;
    if value == most {
        let mut shift = 0;
        loop {
            let (byte, tail) = rest.split_first()?;
            rest = tail;
            // Four bytes reach 2^28, more than any table, list or string has.
            if shift > 21 {
                return None;
            }
            value += usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
    }
    *input = rest;
    Some(value)
}

/// Appends an integer after the high bits of its first byte.
#[inline]
pub(crate) fn write(high: u8, bits: u32, value: usize, out: &mut Vec<u8>) {
    let most = (1_usize << bits) - 1;
    if value < most {
        out.push(high | value as u8);
        return;
    }
    out.push(high | most as u8);
    let mut left = value - most;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_rfc_7541_c_1() {
        for (bits, value, wanted) in
            [(5, 10, &[0b01010][..]), (5, 1337, &[0b11111, 0b1001_1010, 0b1010]), (8, 42, &[42])]
        {
            let mut out = Vec::new();
            write(0, bits, value, &mut out);
            assert_eq!(out, wanted);
            let mut input = &out[..];
            assert_eq!((read(&mut input, bits), input.len()), (Some(value), 0));
        }
    }

    #[test]
    fn integers_come_back_and_cut_ones_do_not() {
        for bits in 4..=7 {
            for value in [0, 1, 14, 15, 16, 30, 31, 126, 127, 128, 254, 255, 16_383, 16_384, 1 << 20] {
                let mut out = Vec::new();
                write(0, bits, value, &mut out);
                assert_eq!(read(&mut &out[..], bits), Some(value));
                for cut in 0..out.len() {
                    assert_eq!(read(&mut &out[..cut], bits), None, "{value} cut at {cut}");
                }
            }
        }
    }

    #[test]
    fn endless_integers_end() {
        assert_eq!(read(&mut &[0xff; 100][..], 7), None);
        assert_eq!(read(&mut &[0x7f, 0x80, 0x80, 0x80, 0x80, 0x00][..], 7), None, "padded with zeros");
    }
}
