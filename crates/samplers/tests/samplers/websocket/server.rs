//! Scripted servers, and the elements that talk to them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::rc::Rc;

use swell_api::{Needs, SampleResult, Sampler};
use swell_plan::Element;
use swell_websocket::handshake::accept;

use crate::bench::{Bench, server};

/// Reads a head, and no byte more.
pub(super) fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

/// The answer to an upgrade, with further lines.
pub(super) fn switching(head: &str, lines: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n{lines}\r\n",
        accept(key)
    )
}

/// A server that agrees to each upgrade and hands the connection to a thread with `serve`.
pub(super) fn websocket_server(
    lines: &'static str,
    serve: impl Fn(TcpStream, String) + Clone + Send + 'static,
) -> u16 {
    server(move |_, mut stream| {
        let serve = serve.clone();
        std::thread::spawn(move || {
            let Some(head) = read_head(&mut stream) else { return };
            if stream.write_all(switching(&head, lines).as_bytes()).is_ok() {
                serve(stream, head);
            }
        });
    })
}

/// Reads a frame of a client with at most 125 bytes: its first byte and its payload.
pub(super) fn read_frame(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 6];
    stream.read_exact(&mut head).ok()?;
    let mut payload = vec![0; usize::from(head[1] & 0x7f)];
    stream.read_exact(&mut payload).ok()?;
    for (at, byte) in payload.iter_mut().enumerate() {
        *byte ^= head[2 + at % 4];
    }
    Some((head[0], payload))
}

const PACKAGE: &str = "eu.luminis.jmeter.wssampler.";

/// A sampler of the plug-in with these texts.
pub(super) fn element(class: &str, texts: &[(&str, &str)]) -> Element {
    let element = Element::new(&format!("{PACKAGE}{class}"), "", class).with_text("readTimeout", "5000");
    texts.iter().fold(element, |element, (name, value)| element.with_text(name, value))
}

/// Opens a WebSocket at that port.
pub(super) fn open(port: u16) -> Element {
    element("OpenWebSocketSampler", &[("server", "127.0.0.1"), ("port", &port.to_string()), ("path", "/ws")])
}

/// Sends `hi` and reads the answer.
pub(super) fn exchange(texts: &[(&str, &str)]) -> Element {
    let own = [("createNewConnection", "false"), ("requestData", "hi")];
    element("RequestResponseWebSocketSampler", &[&own[..], texts].concat())
}

/// Reads a frame of any kind of data.
pub(super) fn read(texts: &[(&str, &str)]) -> Element {
    element("SingleReadWebSocketSampler", &[&[("dataType", "Any")][..], texts].concat())
}

/// Takes a sample of each element in turn.
pub(super) async fn samples(bench: &mut Bench, elements: Vec<Element>) -> Vec<SampleResult> {
    let samplers: Vec<Rc<dyn Sampler>> =
        elements.into_iter().map(|element| bench.sampler(element, Vec::new(), Needs::ALL)).collect();
    let mut all = Vec::new();
    for sampler in &samplers {
        all.push(bench.take(sampler).await);
    }
    all
}

/// Code and message.
pub(super) fn said(sample: &SampleResult) -> (String, String) {
    (sample.code.to_string(), sample.message.to_string())
}
