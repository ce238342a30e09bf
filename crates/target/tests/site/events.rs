//! `/sse` and the stand-in for a language model.

use serde_json::Value;

use super::client::{Client, site};

#[test]
fn events_come_in_chunks_at_their_times() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("GET /sse?events=3&delay=20ms&every=30ms&bytes=2 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(client.head().contains("Content-Type: text/event-stream\r\n"));
    let chunks = client.chunks();
    let texts: Vec<_> = chunks.iter().map(|chunk| String::from_utf8_lossy(chunk)).collect();
    let mut times = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let data = text.strip_prefix(&format!("id: {number}\ndata: ")).expect("an event");
        let document: Value = serde_json::from_str(data.trim_end()).expect("JSON");
        assert_eq!((&document["event"], &document["text"]), (&Value::from(number), &Value::from("ab")));
        times.push(document["sent_ns"].as_i64().expect("a time"));
    }
    assert_eq!(times.len(), 3);
    assert!(times.is_sorted(), "{times:?}");
    let stats = target.stats();
    let of_route = stats.route("/sse").expect("used");
    // The last event is never early.
    assert!(of_route.residence.min_ns >= 79_900_000, "{of_route:?}");
    assert_eq!((of_route.residence.count, of_route.late.count), (1, 1));
    assert_eq!(client.get("/sse?events=0").body, b"");
}

#[test]
fn a_chat_is_a_stream_or_a_document() {
    let target = site();
    let mut client = Client::new(&target);
    let mut ask = |body: &str| {
        let path = "/v1/chat/completions?tokens=3&first=1ms&every=1ms";
        client
            .send(format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        client.answer()
    };
    let stream = ask("{\"stream\":true}");
    let text = stream.text();
    let contents = text.matches("\"content\":").count();
    assert!(contents == 3 && text.ends_with("data: [DONE]\n\n"), "{text}");
    let document: Value = serde_json::from_slice(&ask("{}").body).expect("JSON");
    assert_eq!(document["choices"][0]["message"]["content"], "one load test ");
    assert_eq!(document["usage"]["completion_tokens"], 3);
}
