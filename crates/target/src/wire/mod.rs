//! What routes need of HTTP besides the messages themselves: bodies that are kept, answers,
//! queries, content codings.

mod body;
mod encoding;
mod query;
mod response;

pub(crate) use body::{Body, BodyReader};
pub(crate) use encoding::{Coding, encode};
pub(crate) use query::{decode, pairs, value};
pub(crate) use response::{DATE_AT, Response};
