use super::*;

fn shown(decoder: &mut Decoder, block: &[u8]) -> Result<String, DecodeError> {
    let list = decoder.decode_list(block, 16_384)?;
    let line =
        |(name, value): &(Vec<u8>, Vec<u8>)| format!("{}={};", name.escape_ascii(), value.escape_ascii());
    Ok(list.iter().map(line).collect())
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.bytes().filter_map(|byte| char::from(byte).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn single_fields_of_rfc_7541_c_2() {
    for (block, wanted, table) in [
        ("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", "custom-key=custom-header;", 55),
        ("040c 2f73 616d 706c 652f 7061 7468", ":path=/sample/path;", 0),
        ("1008 7061 7373 776f 7264 0673 6563 7265 74", "password=secret;", 0),
        ("82", ":method=GET;", 0),
    ] {
        let mut decoder = Decoder::new(TABLE_DEFAULT);
        assert_eq!(shown(&mut decoder, &hex(block)).as_deref(), Ok(wanted));
        assert_eq!(decoder.table.size(), table);
    }
}

const REQUESTS: [&str; 3] = [
    ":method=GET;:scheme=http;:path=/;:authority=www.example.com;",
    ":method=GET;:scheme=http;:path=/;:authority=www.example.com;cache-control=no-cache;",
    ":method=GET;:scheme=https;:path=/index.html;:authority=www.example.com;custom-key=custom-value;",
];

#[test]
fn requests_of_rfc_7541_c_3_and_c_4() {
    let plain = [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    let coded = [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    for blocks in [plain, coded] {
        let mut decoder = Decoder::new(TABLE_DEFAULT);
        for ((block, wanted), size) in blocks.iter().zip(REQUESTS).zip([57, 110, 164]) {
            assert_eq!(shown(&mut decoder, &hex(block)).as_deref(), Ok(wanted));
            assert_eq!(decoder.table.size(), size);
        }
    }
}

/// With a table of 256 bytes, from which entries leave.
#[test]
fn responses_of_rfc_7541_c_5_and_c_6() {
    let date = "date=Mon, 21 Oct 2013 20:13:21 GMT;";
    let rest = "location=https://www.example.com;";
    let cookie = "set-cookie=foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1;";
    let wanted = [
        format!(":status=302;cache-control=private;{date}{rest}"),
        format!(":status=307;cache-control=private;{date}{rest}"),
        format!(
            ":status=200;cache-control=private;{}{rest}content-encoding=gzip;{cookie}",
            date.replace("21 GMT", "22 GMT")
        ),
    ];
    let plain = [
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 \
         3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 \
         7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 \
         6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
    ];
    let coded = [
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad \
         1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 \
         e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    for blocks in [plain, coded] {
        let mut decoder = Decoder::new(TABLE_DEFAULT);
        // The examples begin with a small table.
        decoder.table.resize(256);
        for ((block, wanted), size) in blocks.iter().zip(&wanted).zip([222, 222, 215]) {
            assert_eq!(shown(&mut decoder, &hex(block)).as_ref(), Ok(wanted));
            assert_eq!(decoder.table.size(), size);
        }
    }
}

#[test]
fn invalid_blocks_are_refused() {
    let larger = [0x3f, 0xe2, 0x1f];
    for (block, wanted) in [
        (&[0x80][..], "index 0"),
        (&[0xbe], "an index beyond the table"),
        (&[0x40 | 63, 0x01, b'x'], "an index beyond the table"),
        (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], "an integer that is cut off or too large"),
        (&[0xff], "an integer that is cut off or too large"),
        (&[0x40, 0x05, b'a'], "a string that is cut off"),
        (&[0x40], "an integer that is cut off or too large"),
        (&[0x41, 0x81, 0xff], "an invalid Huffman code"),
        (&[0x82, 0x20], "a change of the table size within a head"),
        (&larger, "a table larger than was announced"),
    ] {
        let mut decoder = Decoder::new(TABLE_DEFAULT);
        assert_eq!(shown(&mut decoder, block), Err(DecodeError(wanted)), "{block:x?}");
    }
}

#[test]
fn table_sizes_change_at_the_start_of_a_head() {
    let mut decoder = Decoder::new(TABLE_DEFAULT);
    let block = [&[0x20, 0x3f, 0xe1, 0x1f][..], &hex("400161 0162")].concat();
    assert_eq!(shown(&mut decoder, &block).as_deref(), Ok("a=b;"));
    assert_eq!(shown(&mut decoder, &[0x20, 0x82]).as_deref(), Ok(":method=GET;"));
    assert_eq!(decoder.table.size(), 0);
}

#[test]
fn a_smaller_table_holds_once_it_is_acknowledged() {
    let mut decoder = Decoder::new(0);
    assert!(shown(&mut decoder, &[0x3f, 0xe1, 0x1f]).is_ok());
    decoder.acknowledged(0);
    assert!(shown(&mut decoder, &[0x3f, 0xe1, 0x1f]).is_err());
    assert!(shown(&mut decoder, &[0x20]).is_ok());
}

/// One byte refers to an entry of 4,000 bytes: the list ends at its limit, not the memory.
#[test]
fn a_bomb_ends_at_the_limit() {
    let value = [b'x'; 4_000];
    let mut block = vec![0x40, 0x01, b'n'];
    integer::write(0, 7, value.len(), &mut block);
    block.extend_from_slice(&value);
    block.extend([0xbe; 12_000]);
    let mut decoder = Decoder::new(TABLE_DEFAULT);
    assert_eq!(shown(&mut decoder, &block), Err(DecodeError("the list of fields is too long")));
}
