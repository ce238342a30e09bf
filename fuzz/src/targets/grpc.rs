//! gRPC: bodies as messages, and messages as JSON.

use std::sync::LazyLock;

use swell_grpc::{Descriptors, FramingError, MessageReader, Method, Status, write_gzip, write_message};

use super::{pieces, random_of};

/// Longest message of the target.
const LIMIT: usize = 64 << 10;

/// All messages of a body, and how it ends.
fn read<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> (Vec<Vec<u8>>, Result<bool, FramingError>) {
    let mut reader = MessageReader::new(LIMIT);
    reader.set_encoding("gzip");
    let mut found = Vec::new();
    for mut piece in pieces {
        loop {
            match reader.next(&mut piece) {
                Ok(Some(message)) => {
                    assert!(message.len() <= LIMIT, "a message has a limit");
                    found.push(message.to_vec());
                }
                Ok(None) => break,
                Err(error) => return (found, Err(error)),
            }
        }
    }
    (found, Ok(reader.is_inside_message()))
}

/// A body of a server, cut at any places; also any content written and read; also a status.
pub(super) fn messages(input: &[u8]) {
    let random = &mut random_of(input);
    let whole = read([input]);
    assert_eq!(read(pieces(input, random)), whole, "cuts change nothing");
    let content = &input[..input.len().min(LIMIT)];
    for write in [write_message, write_gzip] {
        let mut bytes = Vec::new();
        write(content, &mut bytes);
        assert_eq!(read(pieces(&bytes, random)), (vec![content.to_vec()], Ok(false)), "as it was written");
    }
    if let Some(status) = Status::of_lines(input) {
        assert_eq!(Status::of_lines(&status.lines()), Some(status), "as it was written");
    }
}

const PROTO: &str = "syntax = 'proto3'; package t; import 'google/protobuf/any.proto'; \
    import 'google/protobuf/struct.proto'; import 'google/protobuf/timestamp.proto'; \
    enum E { A = 0; B = 1; } \
    message M { int32 i = 1; uint64 u = 2; double d = 3; float f = 4; bool b = 5; string s = 6; bytes y = 7; E e = 8; \
    M m = 9; repeated M r = 10; map<string, M> p = 11; oneof o { int32 x = 12; string z = 13; } \
    google.protobuf.Any any = 14; google.protobuf.Value v = 15; google.protobuf.Timestamp t = 16; } \
    service S { rpc Call(M) returns (M); }";

static METHOD: LazyLock<Method> = LazyLock::new(|| {
    let known = Descriptors::of_source("t.proto", PROTO).expect("the target's own file is valid");
    known.method("t.S/Call").expect("it has the method")
});

/// A message in JSON or in bytes: what is read and printed reads the same.
pub(super) fn json(input: &[u8]) {
    let again = |message: &[u8]| {
        let Ok(printed) = METHOD.response_text(message) else { return };
        let read = METHOD.requests(&printed, false);
        // A time that is out of range is printed, and refused.
        if let Ok(read) = read {
            let second = METHOD.response_text(&read[0]).expect("a message that was written");
            assert_eq!(second, printed, "printed and read again");
        }
    };
    again(input);
    for is_strict in [true, false] {
        if let Ok(messages) = METHOD.requests(&String::from_utf8_lossy(input), is_strict) {
            assert_eq!(messages.len(), 1, "the method takes one");
            again(&messages[0]);
        }
    }
}
