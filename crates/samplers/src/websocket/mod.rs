//! WebSocket: the samplers, frame filters and the assertion of "WebSocket Samplers by Peter
//! Doornbosch" (`eu.luminis.jmeter`), and the older sampler by Maciej Zaleski ([`message_sampler`]).
//!
//! A user has one connection, whichever sampler made it. A sampler reads one frame, not a message,
//! and answers no ping: plans rely on both. Properties of Swell ask for several connections, whole
//! messages and answers to pings.

mod assertion;
mod binary;
mod client;
mod connections;
mod failure;
mod filter;
mod frames;
mod handshake;
mod incoming;
mod message_sampler;
mod sampler;
mod settings;
mod upgrade;

use std::rc::Rc;

use swell_api::{
    CompileContext, ElementKind, FileProperty, FileUse, Make, Role, SamplerInput, is_as_planned,
};
use swell_expr::Template;

use filter::{FilterKind, FrameFilter};
use sampler::WebSocketSampler;
use settings::Operation;

const TEXT_FILTER: &str = "eu.luminis.jmeter.wssampler.TextFrameFilter";
const BINARY_FILTER: &str = "eu.luminis.jmeter.wssampler.BinaryFrameFilter";
const PING_FILTER: &str = "eu.luminis.jmeter.wssampler.PingFrameFilter";

const FILES: &[FileProperty] = &[("dataFile", FileUse::Read)];

/// This folder's part of the table of elements.
pub(crate) fn kinds() -> Vec<ElementKind> {
    let sampler = |class, name, operation| {
        let make = Make::sampler(move |input: &SamplerInput<'_>, compile: &CompileContext| {
            Rc::new(WebSocketSampler::new(operation, input, compile))
        });
        ElementKind::native(Role::Sampler, class, name, make).only(is_as_planned).files(FILES)
    };
    let filter = |class, name| ElementKind::native(Role::Config, class, name, Make::Config);
    let assertion = Make::assertion(|node, compile| assertion::make(&node.element, compile));
    vec![
        sampler(
            "eu.luminis.jmeter.wssampler.OpenWebSocketSampler",
            "WebSocket Open Connection",
            Operation::Open,
        ),
        sampler(
            "eu.luminis.jmeter.wssampler.RequestResponseWebSocketSampler",
            "WebSocket request-response Sampler",
            Operation::RequestResponse,
        ),
        sampler(
            "eu.luminis.jmeter.wssampler.SingleWriteWebSocketSampler",
            "WebSocket Single Write Sampler",
            Operation::Write,
        ),
        sampler(
            "eu.luminis.jmeter.wssampler.SingleReadWebSocketSampler",
            "WebSocket Single Read Sampler",
            Operation::Read,
        ),
        sampler("eu.luminis.jmeter.wssampler.PingPongSampler", "WebSocket Ping/Pong", Operation::Ping),
        sampler("eu.luminis.jmeter.wssampler.CloseWebSocketSampler", "WebSocket Close", Operation::Close),
        filter(TEXT_FILTER, "WebSocket Text Frame Filter"),
        filter(BINARY_FILTER, "WebSocket Binary Frame Filter"),
        filter(PING_FILTER, "WebSocket Ping/Pong Frame Filter"),
        ElementKind::native(
            Role::Assertion,
            "eu.luminis.jmeter.assertions.BinaryContentAssertion",
            "Binary Response Assertion",
            assertion,
        ),
        message_sampler::kind(),
    ]
}

/// The frame filters in the scope of a sampler, with their names.
fn filters(input: &SamplerInput<'_>, compile: &CompileContext) -> Vec<(FrameFilter, Template)> {
    let filters = input.configs.iter().filter_map(|node| {
        let element = &node.element;
        let kind = match &*element.class {
            TEXT_FILTER => FilterKind::Text,
            BINARY_FILTER => FilterKind::Binary,
            PING_FILTER => FilterKind::Ping,
            _ => return None,
        };
        let name = compile.text(element, "TestElement.name", element.name());
        Some((FrameFilter::new(kind, element, compile), name))
    });
    filters.collect()
}
