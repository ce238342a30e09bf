//! The part of DER that key stores need, and keys in the form that `ring` needs.

pub(super) const INTEGER: u8 = 0x02;
pub(super) const BITS: u8 = 0x03;
pub(super) const OCTETS: u8 = 0x04;
pub(super) const SEQUENCE: u8 = 0x30;

/// 1.2.840.10045.2.1, elliptic curves, with its tag and length.
const EC: [u8; 9] = [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01];

/// Content of a value of that tag, and what follows.
pub(super) fn take(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&found, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7F => (usize::from(first), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    (found == tag).then_some((content, rest))
}

fn put(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let digits = &length[length.iter().position(|digit| *digit != 0).unwrap_or(length.len() - 1)..];
    let mut out = vec![tag];
    if content.len() > 0x7F {
        out.push(0x80 | digits.len() as u8);
    }
    out.extend_from_slice(digits);
    out.extend_from_slice(content);
    out
}

/// A key (PKCS #8) of an elliptic curve with the public key of its certificate: `ring` insists on
/// that, Java leaves it out. Other keys stay as they are.
pub(super) fn with_public_key(key: Vec<u8>, certificate: &[u8]) -> Vec<u8> {
    completed(&key, certificate).unwrap_or(key)
}

fn completed(key: &[u8], certificate: &[u8]) -> Option<Vec<u8>> {
    let (inside, _) = take(SEQUENCE, key)?;
    let (version, rest) = take(INTEGER, inside)?;
    let (algorithm, rest) = take(SEQUENCE, rest)?;
    let (private, _) = take(OCTETS, rest)?;
    if !algorithm.starts_with(&EC) {
        return None;
    }
    let (inside, _) = take(SEQUENCE, private)?;
    let (one, rest) = take(INTEGER, inside)?;
    let (number, _) = take(OCTETS, rest)?;
    let public = put(0xA1, &put(BITS, public_key(certificate)?));
    let private = put(SEQUENCE, &[put(INTEGER, one), put(OCTETS, number), public].concat());
    let parts = [put(INTEGER, version), put(SEQUENCE, algorithm), put(OCTETS, &private)];
    Some(put(SEQUENCE, &parts.concat()))
}

/// The bits of the public key in a certificate (RFC 5280 §4.1).
fn public_key(certificate: &[u8]) -> Option<&[u8]> {
    let (certificate, _) = take(SEQUENCE, certificate)?;
    let (content, _) = take(SEQUENCE, certificate)?;
    let (_, rest) = take(0xA0, content).unwrap_or((&[], content));
    let (_, mut rest) = take(INTEGER, rest)?;
    for _signature_issuer_validity_subject in 0..4 {
        rest = take(SEQUENCE, rest)?.1;
    }
    let (info, _) = take(SEQUENCE, rest)?;
    let (_, rest) = take(SEQUENCE, info)?;
    Some(take(BITS, rest)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_all_sizes() {
        for length in [0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x1_0000] {
            let value = put(OCTETS, &vec![7; length]);
            assert_eq!(take(OCTETS, &value), Some((&vec![7; length][..], &[][..])), "{length}");
            assert_eq!(take(SEQUENCE, &value), None);
            assert_eq!(take(OCTETS, &value[..value.len() - 1]), None);
        }
    }
}
