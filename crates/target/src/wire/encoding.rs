//! Content codings: which a client takes, and the coding itself (RFC 9110 §8.4, §12.5.3).

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// A content coding this server can apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    /// In the zlib format, as RFC 9110 says and not all servers do.
    Deflate,
    Brotli,
}

impl Coding {
    /// Its token in `Content-Encoding`.
    pub(crate) fn token(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
        }
    }
}

/// Whether a value of `Accept-Encoding` names gzip with a weight above zero.
pub(crate) fn accepts_gzip(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    text.split(',').any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = parts.next().is_some_and(|token| token.eq_ignore_ascii_case("gzip"));
        named && !parts.any(is_zero_weight)
    })
}

fn is_zero_weight(part: &str) -> bool {
    part.split_once('=')
        .is_some_and(|(name, weight)| name.eq_ignore_ascii_case("q") && weight.parse() == Ok(0.0))
}

/// The bytes in a content coding.
pub(crate) fn encode(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    const MEMORY: &str = "writing to memory does not fail";
    match coding {
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).expect(MEMORY);
            encoder.finish().expect(MEMORY)
        }
        Coding::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).expect(MEMORY);
            encoder.finish().expect(MEMORY)
        }
        Coding::Brotli => {
            let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
            encoder.write_all(bytes).expect(MEMORY);
            encoder.into_inner()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn gzip_is_taken_by_name_and_weight() {
        let table: [(&[u8], bool); 8] = [
            (b"gzip", true),
            (b"gzip,deflate,sdch", true),
            (b"br;q=1.0, GZIP;q=0.5", true),
            (b"gzip;q=0", false),
            (b"gzip; q=0.000", false),
            (b"deflate, br", false),
            (b"x-gzip", false),
            (b"\xff\xfe", false),
        ];
        for (value, wanted) in table {
            assert_eq!(accepts_gzip(value), wanted, "{}", value.escape_ascii());
        }
    }

    #[test]
    fn codings_decode_to_what_went_in() {
        let plain = b"Little Blind Text".repeat(1_024);
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(&encode(Coding::Gzip, &plain)[..]).read_to_end(&mut back).unwrap();
        assert_eq!(back, plain);
        back.clear();
        flate2::read::ZlibDecoder::new(&encode(Coding::Deflate, &plain)[..]).read_to_end(&mut back).unwrap();
        assert_eq!(back, plain);
        back.clear();
        brotli::Decompressor::new(&encode(Coding::Brotli, &plain)[..], 4096).read_to_end(&mut back).unwrap();
        assert_eq!(back, plain);
    }
}
