//! Content codings that a body comes in: gzip, deflate, br (`HTTPHC4Impl.RESPONSE_CONTENT_ENCODING`).

use std::io::{self, Read};

use crate::failure::Failure;

/// Headers that decoding takes out of a head and JMeter puts back at its end.
pub(crate) const MOVED: [&str; 3] = ["content-length", "content-encoding", "content-md5"];

/// The codings of a `Content-Encoding` that JMeter decodes, in the order written.
pub(crate) fn known(header: &str) -> Vec<&'static str> {
    let name = |part: &str| part.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let find = |name: String| ["gzip", "x-gzip", "deflate", "br"].into_iter().find(|k| *k == name);
    header.split(',').map(name).filter_map(find).collect()
}

/// Codings whose bodies may end too early: what came of them counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relaxed {
    pub(crate) gzip: bool,
    pub(crate) deflate: bool,
}

impl Relaxed {
    fn allows(self, coding: &str, error: &io::Error) -> bool {
        let relaxed = match coding {
            "gzip" | "x-gzip" => self.gzip,
            "deflate" => self.deflate,
            _ => false,
        };
        relaxed && error.kind() == io::ErrorKind::UnexpectedEof
    }
}

/// Decodes a body, at most `limit` bytes of it (0: all).
///
/// # Errors
/// It is not in that coding.
pub(crate) fn decode(
    body: Vec<u8>,
    codings: &[&str],
    limit: usize,
    relaxed: Relaxed,
) -> Result<Vec<u8>, Failure> {
    let mut body = body;
    for coding in codings {
        let mut out = Vec::new();
        match decode_into(&body, coding, limit, &mut out) {
            Err(error) if !relaxed.allows(coding, &error) => return Err(Failure::coding(&error, coding)),
            Ok(()) | Err(_) => body = out,
        }
    }
    Ok(body)
}

fn decode_into(body: &[u8], coding: &str, limit: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let limit = if limit == 0 { u64::MAX } else { limit as u64 };
    match coding {
        "deflate" if is_zlib(body) => flate2::bufread::ZlibDecoder::new(body).take(limit).read_to_end(out),
        "deflate" => flate2::bufread::DeflateDecoder::new(body).take(limit).read_to_end(out),
        "br" => brotli::Decompressor::new(body, 4096).take(limit).read_to_end(out),
        _ => {
            if body.len() >= 2 && !body.starts_with(&[0x1f, 0x8b]) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let read = flate2::bufread::MultiGzDecoder::new(body).take(limit).read_to_end(out);
            read.map_err(|error| if ends_in_trailer(body, &error) { no_trailer() } else { error })
        }
    }
    .map(drop)
}

/// All of the text is there, and of what follows it (RFC 1952 §2.3: sum and size) something is missing.
fn ends_in_trailer(body: &[u8], error: &io::Error) -> bool {
    let mut sink = Vec::with_capacity(8 << 10);
    let mut packed = after_gzip_head(body).filter(|_| error.kind() == io::ErrorKind::UnexpectedEof);
    let mut inflate = flate2::Decompress::new(false);
    while let Some(rest) = packed {
        sink.clear();
        let before = inflate.total_in();
        match inflate.decompress_vec(rest, &mut sink, flate2::FlushDecompress::None) {
            Ok(flate2::Status::StreamEnd) => return true,
            Ok(_) if inflate.total_in() > before || !sink.is_empty() => {
                packed = rest.get((inflate.total_in() - before) as usize..);
            }
            Ok(_) | Err(_) => return false,
        }
    }
    false
}

/// What follows the head of a gzip member (RFC 1952 §2.3.1).
fn after_gzip_head(body: &[u8]) -> Option<&[u8]> {
    let (flags, mut rest) = (*body.get(3)?, body.get(10..)?);
    if flags & 4 != 0 {
        let (length, more) = rest.split_first_chunk::<2>()?;
        rest = more.get(usize::from(u16::from_le_bytes(*length))..)?;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            rest = &rest[rest.iter().position(|byte| *byte == 0)? + 1..];
        }
    }
    if flags & 2 != 0 { rest.get(2..) } else { Some(rest) }
}

/// What is missing of a gzip body whose text is there. Java has no words for it.
pub(crate) const NO_TRAILER: &str = "sum and size are missing";

fn no_trailer() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, NO_TRAILER)
}

/// RFC 1950 §2.2: method 8, and a check over the first two bytes.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [a, b, ..] if a & 15 == 8 && (u32::from(*a) << 8 | u32::from(*b)).is_multiple_of(31))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn codings_are_decoded() {
        let text = b"hello hello hello".repeat(20);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
        raw.write_all(&text).unwrap();
        let mut br = Vec::new();
        brotli::CompressorWriter::new(&mut br, 4096, 5, 22).write_all(&text).unwrap();
        let table = [
            ("gzip", gzip(&text)),
            ("GZIP", gzip(&text)),
            ("x-gzip", gzip(&text)),
            ("deflate", zlib.finish().unwrap()),
            ("deflate", raw.finish().unwrap()),
            ("br", br),
            ("gzip, gzip", gzip(&gzip(&text))),
            ("identity", text.clone()),
            ("foo", text.clone()),
        ];
        for (header, body) in table {
            assert_eq!(
                decode(body.clone(), &known(header), 0, Relaxed::default()).as_ref(),
                Ok(&text),
                "{header}"
            );
            let codings = known(header);
            if codings.len() == 1 {
                assert_eq!(
                    decode(body, &codings, 5, Relaxed::default()).as_deref(),
                    Ok(&b"hello"[..]),
                    "{header}"
                );
            }
        }
    }

    #[test]
    fn broken_bodies_say_what_java_says() {
        let failure = |body: &[u8], coding: &'static str| {
            let failure = decode(body.to_vec(), &[coding], 0, Relaxed::default()).unwrap_err();
            (failure.class, failure.message.unwrap_or_default())
        };
        let cut = gzip(&b"hello".repeat(20));
        assert_eq!(
            failure(b"hello", "gzip"),
            ("java.util.zip.ZipException", "Not in GZIP format".to_owned())
        );
        assert_eq!(
            failure(&cut[..cut.len() - 10], "gzip"),
            ("java.io.EOFException", "Unexpected end of ZLIB input stream".to_owned())
        );
        assert_eq!(failure(&cut[..cut.len() - 4], "gzip"), ("java.io.EOFException", String::new()));
        assert_eq!(failure(b"\xff\xff\xff\xff", "br").0, "java.io.IOException");
    }

    #[test]
    fn heads_of_gzip_are_passed() {
        let head = |flags: u8, more: &[u8]| [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3], more].concat();
        let table: [(u8, &[u8]); 5] = [
            (0, b"text"),
            (4, b"\x03\0abctext"),
            (8, b"name\0text"),
            (2, b"..text"),
            (4 | 8 | 16 | 2, b"\x01\0aname\0comment\0..text"),
        ];
        for (flags, more) in table {
            assert_eq!(after_gzip_head(&head(flags, more)), Some(&b"text"[..]), "{flags}");
        }
        assert_eq!(after_gzip_head(&head(8, b"name")), None);
    }

    #[test]
    fn relaxed_bodies_may_end_too_early() {
        let text = b"hello".repeat(20);
        let whole = gzip(&text);
        let cut = whole[..whole.len() - 4].to_vec();
        let relaxed = Relaxed { gzip: true, deflate: false };
        assert_eq!(decode(cut.clone(), &["gzip"], 0, relaxed), Ok(text));
        assert!(decode(cut.clone(), &["gzip"], 0, Relaxed { gzip: false, deflate: true }).is_err());
        assert!(decode(b"hello".to_vec(), &["gzip"], 0, relaxed).is_err(), "no end is missing");
        assert!(decode(cut, &["deflate"], 0, relaxed).is_err());
    }
}
