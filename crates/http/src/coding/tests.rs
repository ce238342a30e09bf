use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::*;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn raw(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn br(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    ::brotli::CompressorWriter::new(&mut out, 4096, 5, 22).write_all(text).unwrap();
    out
}

/// What came of a body, and whether it was cut; fed in pieces of that size.
fn decoded(
    body: &[u8],
    header: &str,
    relaxed: TruncationTolerance,
    piece: usize,
) -> Result<(Vec<u8>, bool), Fault> {
    let mut decoder = Decoder::new(&known(header), 1 << 20, relaxed);
    let mut out = Vec::new();
    for part in body.chunks(piece) {
        decoder.feed(part, |bytes| out.extend_from_slice(bytes));
        while decoder.is_busy() {
            decoder.next_turn(|bytes| out.extend_from_slice(bytes));
        }
    }
    decoder.end_input(|bytes| out.extend_from_slice(bytes));
    while decoder.is_busy() {
        decoder.next_turn(|bytes| out.extend_from_slice(bytes));
    }
    decoder.end().map(|()| (out, decoder.is_cut()))
}

fn strictly(body: &[u8], header: &str) -> Result<(Vec<u8>, bool), Fault> {
    let whole = decoded(body, header, TruncationTolerance::default(), usize::MAX);
    assert_eq!(decoded(body, header, TruncationTolerance::default(), 1), whole, "{header} byte by byte");
    whole
}

#[test]
fn codings_are_decoded_however_they_are_cut() {
    let text = b"hello hello hello".repeat(20);
    let table = [
        ("gzip", gzip(&text)),
        ("GZIP", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", raw(&text)),
        ("br", br(&text)),
        ("gzip, gzip", gzip(&gzip(&text))),
        ("br, deflate;q=1, gzip", br(&zlib(&gzip(&text)))),
    ];
    for (header, body) in table {
        assert_eq!(strictly(&body, header), Ok((text.clone(), false)), "{header}");
    }
    assert!(known("identity, foo").is_empty());
}

#[test]
fn members_of_gzip_follow_each_other_and_what_is_none_is_left() {
    let two = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(strictly(&two, "gzip"), Ok((b"one two".to_vec(), false)));
    let padded = [gzip(b"one"), vec![0; 30]].concat();
    assert_eq!(strictly(&padded, "gzip"), Ok((b"one".to_vec(), false)));
    assert_eq!(strictly(&two[..two.len() - 12], "gzip"), Err(Fault::CutOff));
}

#[test]
fn heads_of_gzip_are_passed() {
    let plain = gzip(b"text");
    let head = |flags: u8, more: &[u8]| {
        let fixed = [0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3];
        [&fixed[..], more, &plain[10..]].concat()
    };
    let sum = |head: &[u8]| {
        let mut sum = flate2::Crc::new();
        sum.update(head);
        (sum.sum() as u16).to_le_bytes()
    };
    let summed = sum(&[0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 3]);
    let table: [(u8, &[u8]); 6] = [
        (0, b""),
        (4, b"\x03\0abc"),
        (4, b"\0\0"),
        (8, b"name\0"),
        (2, &summed),
        (4 | 8 | 16, b"\x01\0aname\0comment\0"),
    ];
    for (flags, more) in table {
        assert_eq!(strictly(&head(flags, more), "gzip"), Ok((b"text".to_vec(), false)), "{flags}");
    }
    assert_eq!(strictly(&head(2, b".."), "gzip"), Err(Fault::Head("Corrupt GZIP header")));
}

#[test]
fn broken_bodies_say_what_java_says() {
    let whole = gzip(&b"hello".repeat(20));
    let cut = |missing: usize| &whole[..whole.len() - missing];
    let mut flipped = whole.clone();
    flipped[whole.len() - 6] ^= 1;
    let garbage = [&whole[..10], &[0xff; 20]].concat();
    let method = [0x1f, 0x8b, 7];
    let table: [(&[u8], &str, &str, Option<&str>); 11] = [
        (b"hello", "gzip", "java.util.zip.ZipException", Some("Not in GZIP format")),
        (&method, "gzip", "java.util.zip.ZipException", Some("Unsupported compression method")),
        (cut(10), "gzip", "java.io.EOFException", Some("Unexpected end of ZLIB input stream")),
        (cut(4), "gzip", "java.io.EOFException", None),
        (&whole[..5], "gzip", "java.io.EOFException", None),
        (b"", "gzip", "java.io.EOFException", None),
        (&flipped, "gzip", "java.util.zip.ZipException", Some("Corrupt GZIP trailer")),
        (&garbage, "gzip", "java.util.zip.ZipException", Some("invalid block type")),
        (b"\x78", "deflate", "java.util.zip.ZipException", Some("Unexpected end of stream")),
        (
            &zlib(b"hello")[..6],
            "deflate",
            "java.io.EOFException",
            Some("Unexpected end of ZLIB input stream"),
        ),
        (b"\xff\xff\xff\xff", "br", "java.io.IOException", Some("Brotli stream decoding failed")),
    ];
    for (body, coding, class, message) in table {
        let fault = strictly(body, coding).unwrap_err();
        assert_eq!(fault.exception(), (class, message.map(str::to_owned)), "{body:x?}");
    }
}

#[test]
fn relaxed_bodies_may_end_too_early() {
    let text = b"hello".repeat(20);
    let whole = gzip(&text);
    let cut = &whole[..whole.len() - 4];
    let relaxed = TruncationTolerance { gzip: true, deflate: false };
    assert_eq!(decoded(cut, "gzip", relaxed, 7), Ok((text, false)));
    assert!(decoded(cut, "gzip", TruncationTolerance { gzip: false, deflate: true }, 7).is_err());
    assert!(decoded(b"hello", "gzip", relaxed, 7).is_err(), "no end is missing");
    assert!(decoded(&whole[..5], "gzip", relaxed, 7).is_err(), "Java does not forgive a head");
    assert!(decoded(cut, "deflate", relaxed, 7).is_err());
}

#[test]
fn bombs_are_decoded_up_to_the_limit_and_never_much_at_a_time() {
    let zeros = vec![0; 2 << 20];
    let limit = 1 << 20;
    let bombs = [
        ("gzip", gzip(&zeros)),
        ("deflate", raw(&zeros)),
        ("br", br(&zeros)),
        ("gzip, gzip", gzip(&gzip(&zeros))),
        // The first layer alone is too large, so no text is decoded.
        ("gzip, br", gzip(&zeros)),
    ];
    for (header, bomb) in bombs {
        let mut decoder = Decoder::new(&known(header), limit, TruncationTolerance::default());
        let mut total = 0;
        let mut turns = 0;
        let mut turn = 0;
        decoder.feed(&bomb, |bytes| turn += bytes.len());
        decoder.end_input(|bytes| turn += bytes.len());
        while decoder.is_busy() {
            assert!(turn <= TURN, "{header}: {turn} bytes in a turn");
            total += std::mem::take(&mut turn);
            decoder.next_turn(|bytes| turn += bytes.len());
            turns += 1;
        }
        total += turn;
        assert!(decoder.is_cut() || decoder.is_broken(), "{header}");
        assert!(turns >= 3 || decoder.is_broken(), "{header}: {turns}");
        assert!(
            total <= limit as usize && (decoder.is_broken() || total == limit as usize),
            "{header}: {total}"
        );
        decoder.feed(&bomb, |_| panic!("nothing is decoded any more"));
        assert!(!decoder.is_busy());
    }
}

#[test]
fn a_body_as_long_as_the_limit_is_whole() {
    let text = vec![b'x'; 1 << 20];
    assert_eq!(decoded(&gzip(&text), "gzip", TruncationTolerance::default(), 4096), Ok((text, false)));
    let more = vec![b'x'; (1 << 20) + 1];
    assert_eq!(
        decoded(&gzip(&more), "gzip", TruncationTolerance::default(), 4096).map(|(_, cut)| cut),
        Ok(true)
    );
}

/// Noise, which does not compress.
fn noise(length: u64) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn a_body_in_one_go_is_what_it_is_step_by_step() {
    let texts = [Vec::new(), b"x".to_vec(), b"hello ".repeat(20_000), noise(100_000), vec![0; 1 << 20]];
    for text in &texts {
        let body = gzip(text);
        let mut out = Vec::new();
        assert!(whole::decode(&body, 1 << 20, |bytes| out.extend_from_slice(bytes)));
        assert!(out == *text, "{} bytes", text.len());
        assert_eq!(strictly_by(&body, 1_000), Ok((text.clone(), false)));
        if !text.is_empty() {
            let less = text.len() as u64 - 1;
            assert!(!whole::decode(&body, less, |_| panic!("it is longer than the limit")));
        }
    }
    let long = noise(600_000);
    assert_eq!(strictly_by(&gzip(&long), 70_000), Ok((long, false)), "longer than what is gathered");
}

fn strictly_by(body: &[u8], piece: usize) -> Result<(Vec<u8>, bool), Fault> {
    decoded(body, "gzip", TruncationTolerance::default(), piece)
}

#[test]
fn what_is_not_one_plain_member_is_decoded_step_by_step() {
    let one = gzip(b"one");
    let summed = [&[0x1f, 0x8b, 8, 2], &one[4..]].concat();
    let mut flipped = one.clone();
    flipped[12] ^= 4;
    let bodies = [
        one.repeat(2),
        [&one[..], &[0; 7]].concat(),
        one[..one.len() - 1].to_vec(),
        summed,
        flipped,
        gzip(&vec![0; (1 << 20) + 1]),
        b"hello, this is not gzip".to_vec(),
        Vec::new(),
    ];
    for body in bodies {
        assert!(!whole::decode(&body, 1 << 30, |_| panic!("nothing is given")), "{body:x?}");
    }
}

#[test]
fn a_body_is_gathered_as_long_as_there_is_room() {
    let text = noise(50_000);
    let body = gzip(&text);
    let mut decoder = Decoder::new(&known("gzip"), 1 << 20, TruncationTolerance::default());
    let mut out = Vec::new();
    decoder.feed(&body[..30_000], |_| panic!("it is gathered"));
    assert_eq!((decoder.gathered(), decoder.is_busy()), (30_000, false));
    decoder.stop_gathering(|bytes| out.extend_from_slice(bytes));
    assert_eq!((decoder.gathered(), out.is_empty()), (0, false));
    decoder.feed(&body[30_000..], |bytes| out.extend_from_slice(bytes));
    decoder.end_input(|_| panic!("nothing is gathered"));
    assert_eq!((decoder.end(), out == text), (Ok(()), true));
}

#[test]
fn codings_without_end_are_refused() {
    let header = "gzip,".repeat(MOST_CODINGS + 1);
    let fault = decoded(b"x", &header, TruncationTolerance::default(), 1).unwrap_err();
    assert_eq!(fault, Fault::TooMany(MOST_CODINGS));
}

#[test]
fn bytes_after_a_brotli_stream_fail_where_javas_decoder_sees_them() {
    let text = b"hello hello".repeat(20);
    let stream = br(&text);
    let with = |more: usize| [stream.clone(), vec![0; more]].concat();
    // Each length was given to org.brotli.dec 0.1.2: it fails up to the first 4,096 bytes, the end
    // of which it reads.
    let last = 4_095 - stream.len();
    for (more, fails) in [(0, false), (1, true), (last, true), (last + 1, false), (9_000, false)] {
        let wanted = if fails { Err(Fault::Brotli) } else { Ok((text.clone(), false)) };
        assert_eq!(strictly(&with(more), "br"), wanted, "{more}");
    }
}

#[test]
fn what_a_brotli_decoder_holds_is_known_and_can_be_refused() {
    let mut body = Vec::new();
    let random: Vec<u8> =
        (0..5_000_000_u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect();
    ::brotli::CompressorWriter::new(&mut body, 4096, 1, 24).write_all(&random).unwrap();
    let mut decoder = Decoder::new(&known("br"), 64 << 20, TruncationTolerance::default());
    assert_eq!(Decoder::new(&known("gzip"), 1, TruncationTolerance::default()).held(), 0);
    decoder.feed(&body[..body.len() / 2], |_| {});
    while decoder.is_busy() {
        decoder.next_turn(|_| {});
    }
    assert!(decoder.held() > 1 << 20, "{}", decoder.held());
    decoder.cut();
    decoder.feed(&body[body.len() / 2..], |_| panic!("nothing is decoded any more"));
    assert_eq!((decoder.held(), decoder.is_cut(), decoder.end()), (0, true, Ok(())));
}

#[test]
fn codings_that_are_not_decoded_are_named() {
    assert_eq!(unknown("zstd").as_deref(), Some("zstd"));
    assert_eq!(unknown("gzip, dcb\u{7};q=1").as_deref(), Some("dcb"));
    assert!(
        ["", "identity", "gzip, br", "x-gzip", "DEFLATE"].into_iter().all(|header| unknown(header).is_none())
    );
}
