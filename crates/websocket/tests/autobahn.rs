//! The cases that the Autobahn test suite has for clients, as tables: what the server sends, and
//! what a client that echoes messages answers. The numbers are those of the suite.

mod echo;

use echo::Answer::{Binary, Close, Pong, Text};
use echo::{Answer, check, check_pieces, frame};
use std::slice::from_ref;

const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;
const FINAL: u8 = 0x80;

fn text(payload: &str) -> Vec<u8> {
    frame(FINAL | TEXT, payload.as_bytes())
}

fn close(status: u16) -> Vec<u8> {
    frame(FINAL | CLOSE, &status.to_be_bytes())
}

fn join(frames: &[Vec<u8>]) -> Vec<u8> {
    frames.concat()
}

#[test]
fn messages_of_every_length_are_echoed() {
    // 1.1.1 to 1.1.8 and 1.2.1 to 1.2.8; the eighth arrives in pieces of 997 bytes.
    for (number, length) in [0, 125, 126, 127, 128, 65535, 65536, 65536].into_iter().enumerate() {
        let payload = vec![b'*'; length];
        for (opcode, wanted) in [
            (TEXT, Text(String::from_utf8(payload.clone()).expect("asterisks"))),
            (BINARY, Binary(payload.clone())),
        ] {
            let bytes = join(&[frame(FINAL | opcode, &payload), close(1000)]);
            let piece = if number == 7 { 997 } else { bytes.len() };
            check_pieces(
                &format!("1.{opcode}.{}", number + 1),
                bytes.chunks(piece),
                &[wanted, Close(Some(1000))],
            );
        }
    }
}

#[test]
fn pings_are_answered_and_pongs_are_not() {
    let ping = |payload: &[u8]| frame(FINAL | PING, payload);
    let pong = |payload: &[u8]| frame(FINAL | PONG, payload);
    check("2.1", &ping(b""), &[Pong(vec![])]);
    check("2.2", &ping(b"Hello, world!"), &[Pong(b"Hello, world!".to_vec())]);
    check("2.3", &ping(b"\x00\xff\xfe\xfd"), &[Pong(b"\x00\xff\xfe\xfd".to_vec())]);
    check("2.4", &ping(&[0xfe; 125]), &[Pong(vec![0xfe; 125])]);
    check("2.5", &ping(&[0xfe; 126]), &[Close(Some(1002))]);
    check_pieces("2.6", ping(&[0xfe; 125]).chunks(1), &[Pong(vec![0xfe; 125])]);
    check("2.7", &pong(b""), &[]);
    check("2.8", &pong(b"unsolicited pong payload"), &[]);
    check("2.9", &join(&[pong(b"unsolicited"), ping(b"ping")]), &[Pong(b"ping".to_vec())]);
    let ten: Vec<_> = (0..10).map(|n| format!("payload-{n}").into_bytes()).collect();
    let all: Vec<u8> = ten.iter().flat_map(|payload| ping(payload)).collect();
    let wanted: Vec<Answer> = ten.iter().cloned().map(Pong).collect();
    check("2.10", &all, &wanted);
    check_pieces("2.11", all.chunks(1), &wanted);
}

#[test]
fn reserved_bits_end_the_connection() {
    let hello = text("Hello, world!");
    let echoed = Text("Hello, world!".to_owned());
    for (number, bits) in (1..=7).map(|bits| (bits, bits << 4)) {
        let first = if number <= 4 { TEXT } else { [BINARY, PING, CLOSE][usize::from(number) - 5] };
        let bytes = join(&[hello.clone(), frame(FINAL | bits | first, b"Hello"), text("late")]);
        let wanted = [echoed.clone(), Close(Some(1002))];
        check(&format!("3.{number}"), &bytes, &wanted);
        check_pieces(&format!("3.{number} in pieces"), bytes.chunks(1), &wanted);
    }
}

#[test]
fn reserved_opcodes_end_the_connection() {
    for (family, opcodes) in [(1, 3..=7_u8), (2, 11..=15)] {
        for (number, opcode) in opcodes.enumerate() {
            let bytes = join(&[text("Hello"), frame(FINAL | opcode, b"any"), frame(FINAL | PING, b"")]);
            let wanted = [Text("Hello".to_owned()), Close(Some(1002))];
            check(&format!("4.{family}.{}", number + 1), &bytes, &wanted);
        }
    }
}

#[test]
fn fragments_make_one_message() {
    let part = |first: u8, payload: &str| frame(first, payload.as_bytes());
    let whole = || Text("fragment1fragment2".to_owned());
    let broken = [Close(Some(1002))];
    let two = [part(TEXT, "fragment1"), part(FINAL | CONTINUATION, "fragment2")];
    let pinged = [two[0].clone(), part(FINAL | PING, "ping"), two[1].clone()];
    let after_ping = [Pong(b"ping".to_vec()), whole()];
    check("5.1", &join(&[part(PING, "fragment1"), part(FINAL | CONTINUATION, "fragment2")]), &broken);
    check("5.2", &join(&[part(PONG, "fragment1"), part(FINAL | CONTINUATION, "fragment2")]), &broken);
    check("5.3", &join(&two), &[whole()]);
    check_pieces("5.4", two.iter().map(Vec::as_slice), &[whole()]);
    check_pieces("5.5", join(&two).chunks(1), &[whole()]);
    check("5.6", &join(&pinged), &after_ping);
    check_pieces("5.7", pinged.iter().map(Vec::as_slice), &after_ping);
    check_pieces("5.8", join(&pinged).chunks(1), &after_ping);
    let lone = [part(FINAL | CONTINUATION, "non-continuation payload"), text("Hello, world!")];
    check("5.9", &join(&lone), &broken);
    check_pieces("5.10", lone.iter().map(Vec::as_slice), &broken);
    check_pieces("5.11", join(&lone).chunks(1), &broken);
    let lone = [part(CONTINUATION, "non-continuation payload"), text("Hello, world!")];
    check("5.12", &join(&lone), &broken);
    check_pieces("5.13", lone.iter().map(Vec::as_slice), &broken);
    check_pieces("5.14", join(&lone).chunks(1), &broken);
    let late = [two[0].clone(), two[1].clone(), part(CONTINUATION, "fragment3"), text("fragment4")];
    check("5.15", &join(&late), &[whole(), Close(Some(1002))]);
    for (number, first) in [("5.16", CONTINUATION), ("5.17", FINAL | CONTINUATION)] {
        let round =
            [part(first, "fragment1"), part(TEXT, "fragment2"), part(FINAL | CONTINUATION, "fragment3")];
        check(number, &join(&[&round[..], &round[..]].concat()), &broken);
    }
    check("5.18", &join(&[part(TEXT, "fragment1"), part(FINAL | TEXT, "fragment2")]), &broken);
    let five = [
        part(TEXT, "fragment1"),
        part(CONTINUATION, "fragment2"),
        part(FINAL | PING, "pongme 1!"),
        part(CONTINUATION, "fragment3"),
        part(CONTINUATION, "fragment4"),
        part(FINAL | PING, "pongme 2!"),
        part(FINAL | CONTINUATION, "fragment5"),
    ];
    let wanted = [
        Pong(b"pongme 1!".to_vec()),
        Pong(b"pongme 2!".to_vec()),
        Text("fragment1fragment2fragment3fragment4fragment5".to_owned()),
    ];
    check("5.19", &join(&five), &wanted);
    check_pieces("5.20", join(&five).chunks(1), &wanted);
}

/// Sequences that are UTF-8, and such that are not, of 6.5 to 6.23.
const VALID: &[&[u8]] = &[
    b"Hello-\xc2\xb5@\xc3\x9f\xc3\xb6\xc3\xa4\xc3\xbc\xc3\xa0\xc3\xa1-UTF-8!!",
    b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5",
    b"\x00",
    b"\xc2\x80",
    b"\xe0\xa0\x80",
    b"\xf0\x90\x80\x80",
    b"\x7f",
    b"\xdf\xbf",
    b"\xef\xbf\xbf",
    b"\xf4\x8f\xbf\xbf",
    b"\xed\x9f\xbf",
    b"\xee\x80\x80",
    b"\xef\xbf\xbd",
    b"\xef\xbf\xbe",
    b"\xf0\x9f\xbf\xbe",
];
const INVALID: &[&[u8]] = &[
    b"\xf8\x88\x80\x80\x80",
    b"\xfc\x84\x80\x80\x80\x80",
    b"\xf7\xbf\xbf\xbf",
    b"\xfb\xbf\xbf\xbf\xbf",
    b"\xf4\x90\x80\x80",
    b"\x80",
    b"\xbf",
    b"\x80\xbf\x80",
    b"\xc0\x20\xc1\x20",
    b"\xe0\x20\xe1\x20",
    b"\xf0\x20\xf1\x20",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x90\x80",
    b"\xfe",
    b"\xff",
    b"\xfe\xfe\xff\xff",
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xf0\x80\x80\xaf",
    b"\xc1\xbf",
    b"\xe0\x9f\xbf",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xed\xa0\x80\xed\xb0\x80",
    b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80\x65\x64\x69\x74\x65\x64",
];

#[test]
fn texts_are_utf_8_in_one_frame_or_many() {
    check("6.1.1", &text(""), &[Text(String::new())]);
    let empty = [frame(TEXT, b""), frame(CONTINUATION, b""), frame(FINAL | CONTINUATION, b"")];
    check("6.1.2", &join(&empty), &[Text(String::new())]);
    let middle = [frame(TEXT, b""), frame(CONTINUATION, b"middle"), frame(FINAL | CONTINUATION, b"")];
    check("6.1.3", &join(&middle), &[Text("middle".to_owned())]);
    let fragments = |bytes: &[u8]| {
        let mut out = frame(TEXT, b"");
        for byte in bytes {
            out.extend(frame(CONTINUATION, &[*byte]));
        }
        out.extend(frame(FINAL | CONTINUATION, b""));
        out
    };
    for bytes in VALID {
        let wanted = [Text(String::from_utf8(bytes.to_vec()).expect("valid"))];
        check("6.2", &frame(FINAL | TEXT, bytes), &wanted);
        check("6.2 in fragments", &fragments(bytes), &wanted);
        check_pieces("6.2 in pieces", frame(FINAL | TEXT, bytes).chunks(1), &wanted);
    }
    for bytes in INVALID {
        let wanted = [Close(Some(1007))];
        check("6.3", &frame(FINAL | TEXT, bytes), &wanted);
        check("6.3 in fragments", &fragments(bytes), &wanted);
        check_pieces("6.3 in pieces", frame(FINAL | TEXT, bytes).chunks(1), &wanted);
    }
}

#[test]
fn an_invalid_text_ends_before_its_last_byte() {
    // 6.4.1, 6.4.2: the third fragment never comes; 6.4.3, 6.4.4: the frame never ends.
    let begin = b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5";
    for bad in [&b"\xf4\x90\x80\x80"[..], b"\xf4\x90"] {
        check("6.4.1", &join(&[frame(TEXT, begin), frame(CONTINUATION, bad)]), &[Close(Some(1007))]);
        let mut unfinished = vec![FINAL | TEXT, 100];
        unfinished.extend_from_slice(begin);
        unfinished.extend_from_slice(bad);
        check("6.4.3", &unfinished, &[Close(Some(1007))]);
        check_pieces("6.4.4", unfinished.chunks(1), &[Close(Some(1007))]);
    }
}

#[test]
fn the_closing_handshake_ends_a_connection_once() {
    let closed = Close(Some(1000));
    let hello = || Text("Hello World!".to_owned());
    check("7.1.1", &join(&[text("Hello World!"), close(1000)]), &[hello(), closed.clone()]);
    check("7.1.2", &join(&[close(1000), close(1000)]), from_ref(&closed));
    check("7.1.3", &join(&[close(1000), frame(FINAL | PING, b"")]), from_ref(&closed));
    check("7.1.4", &join(&[close(1000), text("late")]), from_ref(&closed));
    let open = [frame(TEXT, b"fragment1"), close(1000), frame(FINAL | CONTINUATION, b"fragment2")];
    check("7.1.5", &join(&open), from_ref(&closed));
    let large = "BAsd7&jh23".repeat(26_000);
    let bytes = join(&[text(&large), close(1000), frame(FINAL | PING, b"")]);
    check("7.1.6", &bytes, &[Text(large), closed.clone()]);
    check("7.3.1", &frame(FINAL | CLOSE, b""), &[Close(None)]);
    check("7.3.2", &frame(FINAL | CLOSE, b"a"), &[Close(Some(1002))]);
    check("7.3.3", &close(1000), from_ref(&closed));
    let with = |text: &[u8]| frame(FINAL | CLOSE, &[&[3, 0xe8], text].concat());
    check("7.3.4", &with(b"Hello World!"), from_ref(&closed));
    check("7.3.5", &with(&[b'*'; 123]), &[closed]);
    check("7.3.6", &with(&[b'*'; 124]), &[Close(Some(1002))]);
    check("7.5.1", &with(b"\xce\xba\xe1\xbd\xb9\xed\xa0\x80edited"), &[Close(Some(1007))]);
    for status in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999] {
        check(&format!("7.7 {status}"), &close(status), &[Close(Some(status))]);
    }
    for status in [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65535] {
        check(&format!("7.9 {status}"), &close(status), &[Close(Some(1002))]);
    }
}

#[test]
fn large_messages_arrive_whole_and_in_fragments() {
    // 9.1 to 9.8, up to 16 MiB; 1 MiB in fragments from 64 bytes on and in pieces of the wire.
    for length in [64 << 10, 256 << 10, 1 << 20, 16 << 20] {
        let payload = vec![b'*'; length];
        let wanted = [Binary(payload.clone())];
        check("9.2", &frame(FINAL | BINARY, &payload), &wanted);
        check("9.1", &frame(FINAL | TEXT, &payload), &[Text("*".repeat(length))]);
    }
    let payload = vec![b'*'; 1 << 20];
    let wanted = [Binary(payload.clone())];
    for fragment in [64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20] {
        let mut bytes = Vec::new();
        let mut opcode = BINARY;
        for part in payload.chunks(fragment) {
            bytes.extend(frame(opcode, part));
            opcode = CONTINUATION;
        }
        bytes.extend(frame(FINAL | CONTINUATION, b""));
        check("9.4", &bytes, &wanted);
    }
    let bytes = frame(FINAL | BINARY, &payload[..256 << 10]);
    for piece in [64, 128, 256, 512, 1024, 2048] {
        check_pieces("9.6", bytes.chunks(piece), &[Binary(payload[..256 << 10].to_vec())]);
    }
}

#[test]
fn what_is_sent_can_be_cut_into_fragments() {
    // 10.1.1: a message of 65,536 bytes in fragments of 1,300.
    echo::check_fragments(65_536, 1_300);
}

#[test]
fn compressed_messages_are_echoed() {
    for (number, answer) in [
        ("12.1", "permessage-deflate"),
        ("12.2", "permessage-deflate; client_max_window_bits=9"),
        ("13.1", "permessage-deflate; client_no_context_takeover"),
        ("13.2", "permessage-deflate; server_no_context_takeover"),
        ("13.3", "permessage-deflate; server_max_window_bits=9"),
        ("13.4", "permessage-deflate; server_max_window_bits=15; client_max_window_bits=15"),
        ("13.5", "permessage-deflate; server_max_window_bits=9; server_no_context_takeover"),
        ("13.6", "permessage-deflate; server_no_context_takeover; client_no_context_takeover"),
        ("13.7", "permessage-deflate; client_max_window_bits=8"),
    ] {
        for length in [0, 16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131_072] {
            echo::check_compressed(number, answer, length, usize::MAX);
            echo::check_compressed(number, answer, length, 256);
        }
    }
}
