//! JSON to bytes and back.

use prost::Message as _;

use crate::{Descriptors, JsonError, Method, ProtoFiles};

const PROTO: &str = r#"
syntax = "proto3";
package t;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
enum Colour { RED = 0; BLUE = 5; }
message Inner { string text = 1; Inner inner = 2; }
message All {
  int32 i32 = 1; int64 i64 = 2; uint32 u32 = 3; uint64 u64 = 4; sint32 s32 = 5; fixed64 f64 = 6;
  float float = 7; double double = 8; bool flag = 9; string text = 10; bytes bytes = 11;
  Colour colour = 12; Inner inner = 13; repeated int32 numbers = 14; repeated Inner inners = 15;
  map<string, int32> by_name = 16; map<int32, Inner> by_number = 17;
  oneof choice { string first = 18; int32 second_choice = 19; }
  optional int32 maybe = 20;
}
message Known {
  google.protobuf.Any any = 1; google.protobuf.Duration duration = 2; google.protobuf.FieldMask mask = 3;
  google.protobuf.Struct struct = 4; google.protobuf.Value value = 5; google.protobuf.ListValue list = 6;
  google.protobuf.Timestamp time = 7; google.protobuf.Int64Value whole = 8; google.protobuf.StringValue text = 9;
  google.protobuf.NullValue none = 10;
}
service S {
  rpc One(All) returns (All);
  rpc Special(Known) returns (Known);
  rpc Nested(Inner) returns (Inner);
  rpc Many(stream Inner) returns (stream Inner);
}
"#;

fn descriptors() -> Descriptors {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("t.proto"), PROTO).expect("written");
    let files = ProtoFiles::find(folder.path(), &[], |path| std::fs::read(path)).expect("there");
    files.compile().expect("valid")
}

fn method(name: &str) -> Method {
    descriptors().method(&format!("t.S/{name}")).expect("there")
}

/// The one message of a text, read and printed again without blanks.
fn again(method: &Method, text: &str) -> String {
    let messages = method.requests(text, true).unwrap_or_else(|error| panic!("{text}: {error}"));
    let printed = method.response_text(&messages[0]).expect("a message");
    printed.lines().map(str::trim).collect::<Vec<_>>().join("")
}

#[test]
fn a_message_is_printed_as_the_plug_in_does() {
    let nested = method("Nested");
    let messages = nested.requests(r#"{"text": "<a=\"ü\">\n", "inner": {}}"#, true).expect("valid");
    let printed = nested.response_text(&messages[0]).expect("a message");
    let wanted =
        "{\n  \"text\": \"\\u003ca\\u003d\\\"ü\\\"\\u003e\\n\",\n  \"inner\": {\n    \"text\": \"\"\n  }\n}";
    assert_eq!(printed, wanted);
    let all = method("One");
    let printed = all.response_text(b"").expect("an empty message");
    let wanted = "{\n  \"i32\": 0,\n  \"i64\": \"0\",\n  \"u32\": 0,\n  \"u64\": \"0\",\n  \"s32\": 0,\n  \"f64\": \"0\",\n  \
        \"float\": 0.0,\n  \"double\": 0.0,\n  \"flag\": false,\n  \"text\": \"\",\n  \"bytes\": \"\",\n  \
        \"colour\": \"RED\",\n  \"numbers\": [],\n  \"inners\": [],\n  \"by_name\": {\n  },\n  \"by_number\": {\n  }\n}";
    assert_eq!(printed, wanted);
    assert!(all.request_text(b"").expect("an empty message").contains("\"byName\": {"));
}

#[test]
fn values_survive_the_way_to_bytes_and_back() {
    let all = method("One");
    for (text, wanted) in [
        (r#"{"i32": -5, "i64": "-9223372036854775808"}"#, r#""i32": -5,"i64": "-9223372036854775808","#),
        (r#"{"i32": 1e3, "u32": "4294967295"}"#, r#""i32": 1000,"i64": "0","u32": 4294967295,"#),
        (r#"{"u64": 18446744073709551615}"#, r#""u64": "18446744073709551615","#),
        (r#"{"float": 0.1, "double": 1.50}"#, r#""float": 0.1,"double": 1.5,"#),
        (r#"{"float": "NaN", "double": "-Infinity"}"#, r#""float": "NaN","double": "-Infinity","#),
        (r#"{"double": 1e30}"#, r#""double": 1.0E30,"#),
        (r#"{"bytes": "AP8", "colour": "BLUE"}"#, r#""bytes": "AP8=","colour": "BLUE","#),
        (r#"{"bytes": "_-8=", "colour": 7}"#, r#""bytes": "/+8=","colour": 7,"#),
        (
            r#"{"numbers": [1, 2], "inners": [{}, {"text": "x"}]}"#,
            r#""numbers": [1, 2],"inners": [{"text": ""}, {"text": "x"}],"#,
        ),
        (r#"{"byName": {"b": 2, "a": 1}}"#, r#""by_name": {"a": 1,"b": 2},"#),
        (r#"{"by_number": {"10": {}, "9": {}}}"#, r#""by_number": {"9": {"text": ""},"10": {"text": ""}}"#),
        (r#"{"secondChoice": 0, "first": null}"#, r#""second_choice": 0"#),
        (r#"{"maybe": 0}"#, r#""maybe": 0"#),
    ] {
        let printed = again(&all, text);
        assert!(printed.contains(wanted), "{text}: {printed}");
    }
}

#[test]
fn well_known_messages_have_their_own_json() {
    let special = method("Special");
    for (text, wanted) in [
        (r#"{"any": {"@type": "x/t.Inner", "text": "a"}}"#, r#""any": {"@type": "x/t.Inner","text": "a"}"#),
        (
            r#"{"any": {"@type": "x/google.protobuf.Duration", "value": "1.5s"}}"#,
            r#""any": {"@type": "x/google.protobuf.Duration","value": "1.500s"}"#,
        ),
        (r#"{"duration": "-3s"}"#, r#""duration": "-3s""#),
        (r#"{"mask": "a,fooBar.c"}"#, r#""mask": "a,fooBar.c""#),
        (r#"{"struct": {"a": [1, null, {"b": true}]}}"#, r#""struct": {"a": [1.0, null, {"b": true}]}"#),
        (r#"{"value": null}"#, r#""value": null"#),
        (r#"{"list": ["x"]}"#, r#""list": ["x"]"#),
        (r#"{"time": "2026-01-31T12:00:00.250Z"}"#, r#""time": "2026-01-31T12:00:00.250Z""#),
        (r#"{"whole": "5", "text": "y"}"#, r#""whole": "5","text": "y""#),
        (r#"{"none": null}"#, r#""none": null"#),
    ] {
        let printed = again(&special, text);
        assert!(printed.contains(wanted), "{text}: {printed}");
    }
}

#[test]
fn what_does_not_fit_names_field_wanted_and_got() {
    let (all, special) = (method("One"), method("Special"));
    for (method, text, wanted) in [
        (&all, r#"{"i32": "x"}"#, "field `i32`: expected int32, got text \"x\""),
        (&all, r#"{"i32": 2147483648}"#, "field `i32`: expected int32, got number 2147483648"),
        (&all, r#"{"i32": 1.5}"#, "field `i32`: expected int32, got number 1.5"),
        (&all, r#"{"u32": -1}"#, "field `u32`: expected uint32, got number -1"),
        (&all, r#"{"float": 1e39}"#, "field `float`: expected float, got number 1e+39"),
        (&all, r#"{"flag": 1}"#, "field `flag`: expected bool (true or false), got number 1"),
        (&all, r#"{"text": 1}"#, "field `text`: expected string, got number 1"),
        (&all, r#"{"bytes": "*"}"#, "field `bytes`: expected bytes (text in base64), got text \"*\""),
        (
            &all,
            r#"{"colour": "GREEN"}"#,
            "field `colour`: expected enum t.Colour (RED, BLUE), got text \"GREEN\"",
        ),
        (&all, r#"{"numbers": 1}"#, "field `numbers`: expected an array, got number 1"),
        (
            &all,
            r#"{"inners": [{}, {"text": []}]}"#,
            "field `inners[1].text`: expected string, got an array of 0 values",
        ),
        (&all, r#"{"byNumber": {"a": {}}}"#, "field `byNumber`: expected int32 as a key, got text \"a\""),
        (&all, r#"{"byName": {"a": "b"}}"#, "field `byName[\"a\"]`: expected int32, got text \"b\""),
        (
            &all,
            r#"{"first": "a", "secondChoice": 1}"#,
            "field `secondChoice`: expected one of the fields of `choice`: `first` is set, got number 1",
        ),
        (
            &all,
            r#"{"inner": {"txt": ""}}"#,
            "field `inner.txt`: expected a field of message t.Inner (text, inner), got an unknown name",
        ),
        (&all, "[]", "expected an object for message t.All, got an array of 0 values"),
        (&all, "{} {}", "several messages for `/t.S/One`, which takes one"),
        (
            &special,
            r#"{"time": "noon"}"#,
            "field `time`: expected a time such as \"2026-01-31T12:00:00Z\", got text \"noon\"",
        ),
        (
            &special,
            r#"{"any": {"@type": "x/t.No"}}"#,
            "field `any.@type`: expected the URL of a known message, got text \"x/t.No\"",
        ),
    ] {
        let error = method.requests(text, true).expect_err(text);
        assert_eq!(error.to_string(), wanted, "{text}");
    }
    let error = all.requests("{", true).expect_err("not JSON");
    assert!(matches!(error, JsonError::Syntax(_)), "{error}");
}

#[test]
fn the_plug_in_is_lenient() {
    let all = method("One");
    let text = r#"{"unknown": 1, "text": 5, "flag": "true", "colour": "GREEN"}"#;
    let messages = all.requests(text, false).expect("valid for the plug-in");
    let printed = all.response_text(&messages[0]).expect("a message");
    for wanted in ["\"text\": \"5\"", "\"flag\": true", "\"colour\": \"RED\""] {
        assert!(printed.contains(wanted), "{printed}");
    }
}

#[test]
fn a_stream_takes_an_array_or_one_document_after_the_other() {
    let many = method("Many");
    assert!(many.is_client_streaming() && many.is_server_streaming());
    for text in [r#"[{"text": "a"}, {"text": "b"}]"#, "{\"text\": \"a\"}\n{\"text\": \"b\"}\n"] {
        assert_eq!(
            many.requests(text, true),
            Ok(vec![b"\x0a\x01a".to_vec(), b"\x0a\x01b".to_vec()]),
            "{text}"
        );
    }
    assert_eq!(many.requests(" ", true), Ok(vec![Vec::new()]));
    assert_eq!(many.requests("[]", true), Ok(Vec::new()));
    let error = many.requests(r#"[{}, {"text": 1}]"#, true).expect_err("a number");
    assert_eq!(error.to_string(), "field `[1].text`: expected string, got number 1");
}

#[test]
fn messages_in_each_other_have_a_limit() {
    let nested = method("Nested");
    let mut bytes = Vec::new();
    for _ in 0..150 {
        let mut outer = Vec::new();
        prost::encoding::bytes::encode(2, &bytes, &mut outer);
        bytes = outer;
    }
    assert!(nested.response_text(&bytes).is_err_and(|why| why.contains("recursion limit")), "protobuf");
    let text = format!("{}{}", "{\"inner\":".repeat(200), "}".repeat(200));
    assert!(matches!(nested.requests(&text, true), Err(JsonError::Syntax(_))), "JSON");
    // Each Any is decoded by itself, so protobuf's limit does not see them.
    let special = method("Special");
    let mut known = Vec::new();
    for _ in 0..120 {
        let any = prost_reflect::prost_types::Any { type_url: "x/t.Known".to_owned(), value: known };
        known = Vec::new();
        prost::encoding::message::encode(1, &any, &mut known);
    }
    assert!(special.response_text(&known).is_err_and(|why| why.contains("more than 100 messages")));
    let broken = prost_reflect::prost_types::Any { type_url: "x/t.Known".to_owned(), value: vec![255] };
    let mut known = Vec::new();
    prost::encoding::message::encode(1, &broken, &mut known);
    assert!(special.response_text(&known).is_err() && broken.encoded_len() > 0);
}
