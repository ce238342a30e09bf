//! The same bytes, cut at random places, give the same events and the same output.

use proptest::prelude::*;

use crate::record::{Client, DATA, END_HEADERS, GOAWAY, HEADERS, PADDED, PING, RST_STREAM, block, frame};

/// What a server could send after a client's requests: good and broken frames.
fn conversation() -> impl Strategy<Value = Vec<u8>> {
    let frame = prop_oneof![
        (1_u32..10, any::<bool>()).prop_map(|(stream, end)| {
            let flags = END_HEADERS | u8::from(end);
            frame(HEADERS, flags, stream * 2 - 1, &[&[0x88][..], &block(&[("a", "b")])].concat())
        }),
        (1_u32..10, 0_usize..300, 0_u8..20, any::<bool>()).prop_map(|(stream, size, padding, end)| {
            let payload = [&[padding][..], &vec![b'x'; size], &vec![0; padding.into()]].concat();
            frame(DATA, PADDED | u8::from(end), stream * 2 - 1, &payload)
        }),
        (1_u32..10, prop::collection::vec(any::<u8>(), 0..40)).prop_map(|(stream, bytes)| frame(
            HEADERS,
            END_HEADERS,
            stream * 2 - 1,
            &bytes
        )),
        (0_u8..12, any::<u8>(), 0_u32..12, prop::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(kind, flags, stream, payload)| frame(kind, flags, stream, &payload)),
        Just(frame(PING, 0, 0, b"12345678")),
        (0_u32..4).prop_map(|last| frame(GOAWAY, 0, 0, &[0, 0, 0, last as u8, 0, 0, 0, 0])),
        (1_u32..9).prop_map(|stream| frame(RST_STREAM, 0, stream, &[0, 0, 0, 8])),
    ];
    prop::collection::vec(frame, 1..20).prop_map(|frames| frames.concat())
}

/// Events with the pieces of a frame's content joined, output, and the error.
fn run(bytes: &[u8], cuts: &[usize]) -> (Vec<String>, Vec<u8>, Option<String>) {
    let mut client = Client::new();
    for _ in 0..6 {
        client.get();
    }
    client.forget();
    let mut error = None;
    let mut rest = bytes;
    let mut cuts = cuts.iter().cycle();
    while !rest.is_empty() && error.is_none() {
        let size = cuts.next().map_or(rest.len(), |cut| (*cut).min(rest.len()));
        let (piece, tail) = rest.split_at(size);
        rest = tail;
        error = client.feed(piece).err().map(|error| error.to_string());
    }
    (joined(client.log.take()), client.out, error)
}

/// Consecutive pieces of data of a stream become one: how much, whether the end, where, how many
/// bytes of frames.
fn joined(log: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut open: Option<(String, usize, u64)> = None;
    for line in log {
        let words: Vec<&str> = line.split(' ').collect();
        if words.get(1) != Some(&"data") {
            joined.extend(open.take().map(|open| format!("{open:?}")));
            joined.push(line);
            continue;
        }
        let size = match words[3] {
            "bytes" => words[2].parse().expect("a number"),
            _ => words[2].len(),
        };
        let wire: u64 = words[words.len() - 1].parse().expect("a number");
        let entry = open.take().filter(|(stream, ..)| stream == words[0]);
        let (_, size_before, wire_before) = entry.unwrap_or_else(|| (String::new(), 0, 0));
        open = Some((words[0].to_owned(), size_before + size, wire_before + wire));
        if words.contains(&"end") {
            joined.push(format!("end of {}", words[0]));
        }
    }
    joined.extend(open.map(|open| format!("{open:?}")));
    joined
}

proptest! {
    #[test]
    fn cuts_do_not_matter(bytes in conversation(), cuts in prop::collection::vec(1_usize..60, 1..8)) {
        let whole = run(&bytes, &[]);
        prop_assert_eq!(&run(&bytes, &cuts).2, &whole.2);
        prop_assert_eq!(&run(&bytes, &cuts).1, &whole.1);
    }

    #[test]
    fn single_bytes_give_the_same_events(bytes in conversation()) {
        let whole = run(&bytes, &[]);
        let single = run(&bytes, &[1]);
        // Padding that comes after the content is counted only where an event follows.
        let without_sizes = |log: &[String]| -> Vec<String> {
            log.iter().map(|line| line.rsplit_once(", ").map_or(line.as_str(), |(start, _)| start).to_owned()).collect()
        };
        prop_assert_eq!(without_sizes(&single.0), without_sizes(&whole.0));
        prop_assert_eq!(single.1, whole.1);
        prop_assert_eq!(single.2, whole.2);
    }
}
