//! The elements that talk to scripted servers.

use std::rc::Rc;

use swell_api::{Needs, SampleResult, Sampler};
use swell_plan::Element;

pub(super) use super::scripted::{read_frame, read_head, switching, websocket_server};
use crate::bench::Bench;

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
