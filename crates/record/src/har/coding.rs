//! Content codings.

use std::borrow::Cow;
use std::io::{self, Read};

/// Codings that are understood here: the proxy asks servers for no others.
pub(crate) const CODINGS: &[&str] = &["gzip", "x-gzip", "deflate", "br", "identity"];

/// A body without its content codings, up to a limit; none if it is broken or has an unknown one. A
/// body that was cut off gives what there is.
pub(crate) fn decoded<'a>(body: &'a [u8], codings: &str, limit: usize) -> Option<Cow<'a, [u8]>> {
    let mut out = Cow::Borrowed(body);
    for coding in codings.rsplit(',').map(str::trim).filter(|coding| !coding.is_empty()) {
        if !coding.eq_ignore_ascii_case("identity") && !out.is_empty() {
            out = Cow::Owned(decoded_once(&out, &coding.to_ascii_lowercase(), limit)?);
        }
    }
    Some(out)
}

fn decoded_once(body: &[u8], coding: &str, limit: usize) -> Option<Vec<u8>> {
    match coding {
        "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(body), limit),
        "br" => read(brotli_decompressor::Decompressor::new(body, 4096), limit),
        // With the header of zlib as RFC 9110 has it, or without, as some servers do.
        "deflate" => read(flate2::read::ZlibDecoder::new(body), limit)
            .or_else(|| read(flate2::read::DeflateDecoder::new(body), limit)),
        _ => None,
    }
}

fn read(decoder: impl Read, limit: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    match decoder.take(limit).read_to_end(&mut out) {
        Ok(_) => Some(out),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !out.is_empty() => Some(out),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;

    use super::*;

    #[test]
    fn codings_are_taken_off() {
        let text = b"hello hello hello".as_slice();
        let gzip = |bytes: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
        raw.write_all(text).unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(text).unwrap();
        let mut brotli_text = Vec::new();
        let mut encoder = brotli::CompressorWriter::new(&mut brotli_text, 4096, 5, 20);
        encoder.write_all(text).unwrap();
        drop(encoder);
        let twice = gzip(&brotli_text);
        for (body, codings) in [
            (gzip(text), "GZIP"),
            (raw.finish().unwrap(), "deflate"),
            (zlib.finish().unwrap(), "deflate"),
            (brotli_text, "br"),
            (twice, "br, gzip"),
            (text.to_vec(), ""),
            (text.to_vec(), "identity"),
        ] {
            assert_eq!(decoded(&body, codings, 1000).as_deref(), Some(text), "{codings}");
        }
        assert_eq!(decoded(&gzip(text), "gzip", 5).as_deref(), Some(&b"hello"[..]));
        assert_eq!(decoded(b"", "gzip", 5).as_deref(), Some(&b""[..]));
        assert_eq!(decoded(b"no gzip", "gzip", 5), None);
        assert_eq!(decoded(text, "zstd", 5), None);
    }
}
