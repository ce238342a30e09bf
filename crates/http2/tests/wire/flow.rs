//! Windows, both ways (RFC 9113 §5.2).

use swell_http2::Settings;

use crate::frames::frames;
use crate::record::{
    ACK, Client, DATA, END_HEADERS, END_STREAM, HEADERS, PADDED, SETTINGS, WINDOW_UPDATE, frame, settings,
};

#[test]
fn a_body_is_sent_as_far_as_both_windows_allow() {
    let mut client = Client::new();
    let stream = client.request("POST", false);
    client.forget();
    let body = vec![b'x'; 100_000];
    let sent = client.session.send_data(stream, &body, true, &mut client.out);
    assert_eq!(sent, 65_535);
    let lengths: Vec<usize> = frames(&client.out).iter().map(|frame| frame.2).collect();
    assert_eq!(lengths, [16_384, 16_384, 16_384, 16_383]);
    // The window of the stream alone does not help.
    client.feed(&frame(WINDOW_UPDATE, 0, 1, &100_000_u32.to_be_bytes())).unwrap();
    assert!(client.log.take().is_empty());
    client.feed(&frame(WINDOW_UPDATE, 0, 0, &40_000_u32.to_be_bytes())).unwrap();
    assert_eq!(client.log.take(), ["1 window"]);
    client.out.clear();
    assert_eq!(client.session.send_data(stream, &body[sent..], true, &mut client.out), 34_465);
    let ends: Vec<u8> = frames(&client.out).iter().map(|frame| frame.1).collect();
    assert_eq!(ends, [0, 0, END_STREAM]);
    assert_eq!(client.session.send_data(stream, b"more", true, &mut client.out), 0, "it has ended");
}

#[test]
fn an_empty_end_needs_no_window() {
    let mut client = Client::with(&Settings::default());
    client.feed(&settings(&[(4, 0)])).unwrap();
    let stream = client.request("POST", false);
    client.forget();
    assert_eq!(client.session.send_data(stream, b"x", true, &mut client.out), 0);
    assert!(client.out.is_empty());
    assert_eq!(client.session.send_data(stream, b"", true, &mut client.out), 0);
    assert_eq!(client.out, frame(DATA, END_STREAM, 1, b""));
}

#[test]
fn a_smaller_initial_window_makes_windows_negative() {
    let mut client = Client::new();
    let stream = client.request("POST", false);
    assert_eq!(client.session.send_data(stream, &[0; 1_000], false, &mut client.out), 1_000);
    client.feed(&settings(&[(4, 100)])).unwrap();
    client.forget();
    assert_eq!(client.session.send_data(stream, b"x", false, &mut client.out), 0);
    client.feed(&frame(WINDOW_UPDATE, 0, 1, &900_u32.to_be_bytes())).unwrap();
    assert!(client.log.take().is_empty(), "it is 0 now");
    client.feed(&settings(&[(4, 103)])).unwrap();
    assert_eq!(client.log.take(), ["settings 4294967295 103", "1 window"]);
    assert_eq!(client.session.send_data(stream, b"xxxxx", false, &mut client.out), 3);
}

#[test]
fn windows_are_given_back_at_half() {
    let settings = Settings { stream_window: 100_000, connection_window: 150_000, ..Settings::default() };
    let mut client = Client::with(&settings);
    client.feed(&frame(SETTINGS, 0, 0, &[])).unwrap();
    client.feed(&frame(SETTINGS, ACK, 0, &[])).unwrap();
    client.get();
    client.get();
    client.feed(&frame(HEADERS, END_HEADERS, 1, &[0x88])).unwrap();
    client.feed(&frame(HEADERS, END_HEADERS, 3, &[0x88])).unwrap();
    client.forget();
    let data = vec![0; 16_000];
    let mut sent = Vec::new();
    for round in 0..4 {
        for stream in [1, 3] {
            // Padding counts, too.
            client.feed(&frame(DATA, PADDED, stream, &data)).unwrap();
            sent.push((round, stream, std::mem::take(&mut client.out)));
        }
    }
    sent.retain(|(_, _, out)| !out.is_empty());
    let update = |stream: u32, more: u32| frame(WINDOW_UPDATE, 0, stream, &more.to_be_bytes());
    assert_eq!(sent, [(2, 1, update(0, 80_000)), (3, 1, update(1, 64_000)), (3, 3, update(3, 64_000)),]);
    client.feed(&frame(DATA, END_STREAM, 1, &data)).unwrap();
    client.feed(&frame(DATA, END_STREAM, 3, &data)).unwrap();
    assert_eq!(frames(&client.out), [(WINDOW_UPDATE, 0, 4, 0)], "a stream that ended needs none");
}

#[test]
fn a_body_of_any_length_passes() {
    let mut client = Client::new();
    client.get();
    client.feed(&frame(HEADERS, END_HEADERS, 1, &[0x88])).unwrap();
    client.forget();
    let full = [16_i64 << 20, 1 << 20];
    let mut windows = full;
    for _ in 0..4_000 {
        client.feed(&frame(DATA, 0, 1, &[0; 16_384])).unwrap();
        windows = windows.map(|window| window - 16_384);
        for (_, _, _, stream) in frames(&client.out) {
            let which = usize::from(stream != 0);
            windows[which] = full[which];
        }
        client.forget();
        assert!(windows.iter().all(|window| *window >= 8_192), "{windows:?}");
    }
}
