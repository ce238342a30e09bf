use super::*;
use crate::steps::{Imported, import};

fn imported(text: &str) -> Imported {
    let source = Source { name: "a.har", bytes: text.as_bytes() };
    import(&[source], "a", &Options::default()).expect("a HAR file")
}

fn har(entries: &str) -> String {
    format!(r#"{{"log":{{"version":"1.2","creator":{{}},"entries":[{entries}]}}}}"#)
}

#[test]
fn an_entry_becomes_a_request() {
    let text = har(
        r#"{"startedDateTime":"2024-05-01T10:00:00Z","time":5,"request":{"method":"POST","url":"https://a.test/x?y={1}",
        "headers":[{"name":":path","value":"/x"},{"name":"POST /x?y=https","value":"//a HTTP/1.1"},{"name":"cookie","value":"a=1"},{"name":"cookie","value":"b=2"},{"name":"Content-Type","value":"text/plain"},{"name":"Host","value":"a.test"}],
        "postData":{"mimeType":"text/plain","text":"a\r\n${b}"}},"response":{"status":201,"headers":[]}}"#,
    );
    let imported = imported(&text);
    assert!(!imported.notes.is_lossy(), "{:?}", imported.notes);
    for part in [
        r#"<stringProp name="HTTPSampler.path">/x?y=%7B1%7D</stringProp>"#,
        "a&#xd;\n${__char(36)}{b}</stringProp>",
        r#"<stringProp name="Header.value">a=1; b=2</stringProp>"#,
        r#"<stringProp name="HTTPSampler.domain">${__P(host,a.test)}</stringProp>"#,
        r#"<stringProp name="0">201</stringProp>"#,
    ] {
        assert!(imported.text.contains(part), "{part}\n{}", imported.text);
    }
    for part in [":path", "y=https", ">Host<"] {
        assert!(!imported.text.contains(part), "{part}\n{}", imported.text);
    }
}

#[test]
fn what_is_no_request_is_left_out_with_its_place() {
    let text = har(
        "\n{\"request\":{\"method\":\"GET\",\"url\":\"wss://a.test/\"}},\n{\"request\":{\"method\":\"GET\",\"url\":\"data:x\"}},\n{},\n{\"request\":{\"method\":\"\",\"url\":\"http://a/\"}}",
    );
    let imported = imported(&text);
    let shown: Vec<_> = imported
        .notes
        .all()
        .iter()
        .map(|note| format!("{} {} {}", note.place, note.what, note.is_wanted))
        .collect();
    assert_eq!(
        shown,
        [
            "a.har:2:1 GET wss://a.test/ false",
            "a.har:3:1 GET data:x true",
            "a.har:4:1 an entry false",
            "a.har:5:1 http://a/ false",
        ]
    );
    assert!(imported.notes.is_lossy());
}

#[test]
fn lists_that_are_null_or_objects_are_empty() {
    let text = har(r#"{"request":{"method":"POST","url":"http://a/","headers":null,"cookies":{},
        "postData":{"params":{"x":[1]},"text":"a"}},"response":{"status":"200"}}"#);
    assert!(imported(&text).text.contains(">a</stringProp>"));
}

#[test]
fn a_broken_file_is_refused_with_its_place() {
    let error = |text: &str| {
        let source = Source { name: "a.har", bytes: text.as_bytes() };
        import(&[source], "a", &Options::default()).expect_err("refused").place.to_string()
    };
    assert_eq!(error("{\"log\":{\"entries\":[\n{\"request\":"), "a.har:2:11");
    assert_eq!(error("{\"entries\":1,\"x\":{\"log\":1}}"), "a.har:1:1");
    assert_eq!(error("hello"), "a.har");
}
