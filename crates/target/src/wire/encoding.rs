//! Content codings (RFC 9110 §8.4).

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
        Coding::Brotli => stored_brotli(bytes),
    }
}

/// A Brotli stream of uncompressed meta-blocks (RFC 7932 §9.2): the tables of a compressor would be
/// a fortieth of the program, and a client decodes the same bytes.
fn stored_brotli(bytes: &[u8]) -> Vec<u8> {
    /// Length of a meta-block whose length is written with 16 bits.
    const BLOCK: usize = 1 << 16;
    /// ISLAST and ISLASTEMPTY.
    const END: u8 = 0b11;
    let mut out = Vec::with_capacity(bytes.len() + 3 * bytes.len().div_ceil(BLOCK) + 1);
    for (number, block) in bytes.chunks(BLOCK).enumerate() {
        // Bits from the lowest: ISLAST 0, MNIBBLES 00 (four), MLEN - 1, ISUNCOMPRESSED 1. Before
        // the first block WBITS 0: a window of 64 KiB.
        let length = u32::try_from(block.len() - 1).expect("a block has at most 65,536 bytes");
        let head = length << 3 | 1 << 19;
        let head = if number == 0 { head << 1 } else { head };
        out.extend_from_slice(&head.to_le_bytes()[..3]);
        out.extend_from_slice(block);
    }
    // Without a block WBITS comes before the end.
    out.push(if bytes.is_empty() { END << 1 } else { END });
    out
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn codings_decode_to_what_went_in() {
        let plain = b"Little Blind Text".repeat(1_024);
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(&encode(Coding::Gzip, &plain)[..]).read_to_end(&mut back).unwrap();
        assert_eq!(back, plain);
        back.clear();
        flate2::read::ZlibDecoder::new(&encode(Coding::Deflate, &plain)[..]).read_to_end(&mut back).unwrap();
        assert_eq!(back, plain);
    }

    #[test]
    fn brotli_streams_of_all_lengths_decode_to_what_went_in() {
        let plain: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[n as usize % 3]).collect();
        for length in [0, 1, 255, 65_535, 65_536, 65_537, 131_072, 200_000] {
            let mut back = Vec::new();
            let coded = encode(Coding::Brotli, &plain[..length]);
            brotli::Decompressor::new(&coded[..], 4096).read_to_end(&mut back).unwrap();
            assert_eq!(back, &plain[..length], "{length} bytes");
        }
    }
}
