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
