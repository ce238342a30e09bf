//! The WebSocket Sampler of the first plug-in, by Maciej Zaleski
//! (`JMeter.plugins.functional.samplers.websocket`), version 1.0.2.
//!
//! It sends a text and waits for a message that a pattern matches. The connection is closed then, or
//! stays open for the samples of the same user with the same connection id.

mod patterns;
mod sampler;
mod settings;
mod socket;
mod uri;

use std::rc::Rc;

use swell_api::{CompileContext, ElementKind, Make, Role, SamplerInput, is_as_planned};

use sampler::MessageSampler;

/// This folder's part of the table of elements.
pub(super) fn kind() -> ElementKind {
    let make = Make::sampler(|input: &SamplerInput<'_>, compile: &CompileContext| {
        Rc::new(MessageSampler::new(input, compile))
    });
    let class = "JMeter.plugins.functional.samplers.websocket.WebSocketSampler";
    ElementKind::native(Role::Sampler, class, "WebSocket Sampler", make).only(is_as_planned)
}
