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

/// Decodes a body, at most `limit` bytes of it (0: all).
///
/// # Errors
/// It is not in that coding.
pub(crate) fn decode(body: Vec<u8>, codings: &[&str], limit: usize) -> Result<Vec<u8>, Failure> {
    let mut body = body;
    for coding in codings {
        body = decode_one(&body, coding, limit).map_err(|error| Failure::coding(&error, coding))?;
    }
    Ok(body)
}

fn decode_one(body: &[u8], coding: &str, limit: usize) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let limit = if limit == 0 { u64::MAX } else { limit as u64 };
    match coding {
        "deflate" if is_zlib(body) => {
            flate2::bufread::ZlibDecoder::new(body).take(limit).read_to_end(&mut out)
        }
        "deflate" => flate2::bufread::DeflateDecoder::new(body).take(limit).read_to_end(&mut out),
        "br" => brotli::Decompressor::new(body, 4096).take(limit).read_to_end(&mut out),
        _ => {
            if body.len() >= 2 && !body.starts_with(&[0x1f, 0x8b]) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            flate2::bufread::MultiGzDecoder::new(body).take(limit).read_to_end(&mut out)
        }
    }?;
    Ok(out)
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
            assert_eq!(decode(body.clone(), &known(header), 0).as_ref(), Ok(&text), "{header}");
            let codings = known(header);
            if codings.len() == 1 {
                assert_eq!(decode(body, &codings, 5).as_deref(), Ok(&b"hello"[..]), "{header}");
            }
        }
    }

    #[test]
    fn broken_bodies_say_what_java_says() {
        let failure = |body: &[u8], coding: &'static str| {
            let failure = decode(body.to_vec(), &[coding], 0).unwrap_err();
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
        assert_eq!(failure(b"\xff\xff\xff\xff", "br").0, "java.io.IOException");
    }
}
