//! Samplers other than HTTP: TCP, WebSocket, gRPC, system processes, dummies; and queues between
//! users.
//!
//! Each sampler is a folder or a file with its settings, its work and its sample. [`kinds`] is
//! their part of the table of elements.

mod dummy;
#[cfg(feature = "grpc")]
mod grpc;
mod process;
mod queue;
mod tcp;
mod websocket;

use swell_api::{
    CONFIG_TEST_ELEMENT, ElementKind, FileProperty, FileUse, Make, Role, VariableUse, is_as_planned,
};

/// Arguments of a program often name files: `sh run.sh`. The program itself is not sent anywhere:
/// it is installed where it runs.
const PROCESS_FILES: &[FileProperty] = &[
    ("Argument.value", FileUse::Read),
    ("SystemSampler.stdin", FileUse::Read),
    ("SystemSampler.stdout", FileUse::Write),
    ("SystemSampler.stderr", FileUse::Write),
];

/// This crate's part of the table of elements.
pub fn kinds() -> Vec<ElementKind> {
    let documentation = include_str!("../elements.toml");
    let sampler = |class, name, make| ElementKind::native(Role::Sampler, class, name, make);
    let kinds = [
        sampler("TCPSampler", "TCP Sampler", Make::sampler(tcp::make)).only(tcp::is_native),
        sampler("SystemSampler", "OS Process Sampler", Make::sampler(process::make))
            .only(is_as_planned)
            .files(PROCESS_FILES)
            .starts_processes(),
        sampler("kg.apc.jmeter.samplers.DummySampler", "jp@gc - Dummy Sampler", Make::sampler(dummy::make))
            .only(is_as_planned),
        ElementKind::native(Role::Config, CONFIG_TEST_ELEMENT, "TCP Sampler Config", Make::Config)
            .guis(&["TCPConfigGui"]),
        ElementKind::native(
            Role::PreProcessor,
            "kg.apc.jmeter.modifiers.FifoPopPreProcessor",
            "jp@gc - Inter-Thread Communication PreProcessor",
            Make::step(queue::pop),
        )
        .variables(&[("Variable", VariableUse::Sets)]),
        ElementKind::native(
            Role::PostProcessor,
            "kg.apc.jmeter.modifiers.FifoPutPostProcessor",
            "jp@gc - Inter-Thread Communication PostProcessor",
            Make::step(queue::put),
        ),
    ];
    let kinds = kinds.into_iter().chain(websocket::kinds());
    #[cfg(feature = "grpc")]
    let kinds = kinds.chain(grpc::kinds());
    kinds.map(|kind| ElementKind { documentation, ..kind }).collect()
}

/// `getPropertyAsInt`: an invalid number is 0.
fn whole(text: &str) -> i32 {
    text.parse().unwrap_or_default()
}

/// `Boolean.parseBoolean`.
fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// What the system says of an error, without its number.
fn system_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
