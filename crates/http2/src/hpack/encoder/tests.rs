use super::super::Decoder;
use super::*;

type List = Vec<(Vec<u8>, Vec<u8>)>;

fn list(pairs: &[(&str, &str)]) -> List {
    pairs.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
}

fn encode(encoder: &mut Encoder, list: &List) -> Vec<u8> {
    let mut out = Vec::new();
    encoder.encode_list(list.iter().map(|(name, value)| (&name[..], &value[..])), &mut out);
    out
}

fn lines(text: &str) -> Fields {
    Fields::from_lines(text.as_bytes()).unwrap()
}

#[test]
fn examples_of_rfc_7541_c_4() {
    let mut encoder = Encoder::default();
    let first =
        list(&[(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com")]);
    let wanted = b"\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff";
    assert_eq!(encode(&mut encoder, &first), wanted);
    let second = [first, list(&[("cache-control", "no-cache")])].concat();
    assert_eq!(encode(&mut encoder, &second), b"\x82\x86\x84\xbe\x58\x86\xa8\xeb\x10\x64\x9c\xbf");
    let third = list(&[
        (":method", "GET"),
        (":scheme", "https"),
        (":path", "/index.html"),
        (":authority", "www.example.com"),
        ("custom-key", "custom-value"),
    ]);
    let wanted =
        b"\x82\x87\x85\xbf\x40\x88\x25\xa8\x49\xe9\x5b\xa9\x7d\x7f\x89\x25\xa8\x49\xe9\x5b\xb8\xe8\xb4\xbf";
    assert_eq!(encode(&mut encoder, &third), wanted);
}

#[test]
fn credentials_are_never_inserted() {
    let mut encoder = Encoder::default();
    for _ in 0..2 {
        let block = encode(&mut encoder, &list(&[("authorization", "x"), ("cookie", "a=b")]));
        assert_eq!(block, b"\x1f\x08\x01x\x1f\x11\x03a=b");
    }
}

#[test]
fn shared_fields_become_a_block_of_indices() {
    let mut encoder = Encoder::default();
    let mut decoder = Decoder::new(TABLE_DEFAULT);
    let fields = lines("User-Agent: swell\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate\r\n");
    let other = lines("Accept: text/html\r\n");
    let mut sizes = Vec::new();
    for round in 0..4 {
        let mut out = Vec::new();
        encoder.constant(&fields, &mut out);
        // Another head's insertion moves the indices.
        if round == 2 {
            encoder.constant(&other, &mut Vec::new());
            encoder.constant(&other, &mut Vec::new());
        }
        sizes.push(out.len());
        let wanted =
            list(&[("user-agent", "swell"), ("accept", "*/*"), ("accept-encoding", "gzip, deflate")]);
        if round < 3 {
            assert_eq!(decoder.decode_list(&out, 1_000).unwrap(), wanted, "round {round}");
        } else {
            assert_eq!(out, [0x80 | 64, 0xbf, 0x80 | 16]);
        }
    }
    assert_eq!(sizes[1..], [3, 3, 3]);
    assert_eq!(encoder.blocks.len(), 2);
}

#[test]
fn a_full_table_keeps_its_entries() {
    let mut encoder = Encoder::default();
    let mut decoder = Decoder::new(TABLE_DEFAULT);
    for round in 0..500 {
        let fields = list(&[("first", "1"), ("path", &format!("/page/{round}/{}", "x".repeat(round)))]);
        let block = encode(&mut encoder, &fields);
        assert_eq!(decoder.decode_list(&block, 10_000).unwrap(), fields);
        assert!(round == 0 || block[0] & 0x80 != 0, "`first` is still an index in round {round}");
    }
}

#[test]
fn smaller_tables_are_announced() {
    let mut encoder = Encoder::default();
    let mut decoder = Decoder::new(TABLE_DEFAULT);
    let fields = list(&[("a", "1"), ("b", "2")]);
    let mut check = |encoder: &mut Encoder, first: &[u8]| {
        let block = encode(encoder, &fields);
        assert!(block.starts_with(first), "{block:x?}");
        assert_eq!(decoder.decode_list(&block, 1_000).unwrap(), fields);
    };
    check(&mut encoder, &[0x40]);
    encoder.peer_table(0);
    check(&mut encoder, &[0x20, 0x00, 0x01, b'a']);
    encoder.peer_table(40);
    encoder.peer_table(20);
    encoder.peer_table(100_000);
    check(&mut encoder, &[0x34, 0x3f, 0xe1, 0x1f, 0x40]);
    encoder.peer_table(5_000);
    check(&mut encoder, &[0xbf, 0xbe]);
}

#[test]
fn blocks_that_are_remembered_have_a_limit() {
    let mut encoder = Encoder::default();
    encoder.peer_table(0);
    encoder.begin(&mut Vec::new());
    let mut decoder = Decoder::new(TABLE_DEFAULT);
    for round in 0..100 {
        let text = format!("n: {}\r\n", round % 40);
        let mut out = Vec::new();
        encoder.constant(&lines(&text), &mut out);
        let value = (round % 40).to_string();
        assert_eq!(decoder.decode_list(&out, 100).unwrap(), list(&[("n", &value)]));
    }
    assert_eq!(encoder.blocks.len(), BLOCKS_MAX);
}
