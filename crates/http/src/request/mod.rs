//! Requests as HttpClient puts them on the wire.

mod arguments;
mod evaluate;
mod headers;
mod mould;
mod multipart;
pub(crate) mod set;
mod upload;
mod wire;

pub(crate) use evaluate::{Evaluated, Parameter, Texts, evaluate, texts};
pub(crate) use headers::Line;
pub(crate) use mould::{Mould, Moulded};
pub(crate) use wire::{Body, Request, Route, build, finish, unsent, unsent_cookies};

#[cfg(test)]
mod tests;
