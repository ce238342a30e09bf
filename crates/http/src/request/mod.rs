//! Requests as HttpClient sends them.

mod arguments;
mod body;
mod evaluate;
mod headers;
mod http2_form;
mod multipart;
mod parameter;
mod template;
mod upload;
mod wire;

pub(crate) use body::Body;
pub(crate) use evaluate::{RequestValues, Texts, evaluate, texts};
pub(crate) use headers::{Line, merge};
pub(crate) use http2_form::{HeadOnce, Http2Head};
pub(crate) use parameter::Parameter;
pub(crate) use template::{RequestTemplate, TemplatedRequest};
pub(crate) use wire::{Request, Route, build, finish, unsent, unsent_cookies};

#[cfg(test)]
mod tests;
