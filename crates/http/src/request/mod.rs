//! Requests as HttpClient puts them on the wire.

mod arguments;
mod evaluate;
mod headers;
mod multipart;
pub(crate) mod set;
mod template;
mod upload;
mod wire;

pub(crate) use evaluate::{Parameter, RequestValues, Texts, evaluate, texts};
pub(crate) use headers::Line;
pub(crate) use template::{RequestTemplate, TemplatedRequest};
pub(crate) use wire::{Body, Request, Route, build, finish, unsent, unsent_cookies};

#[cfg(test)]
mod tests;
