//! URLs as Java and HttpClient see them. Sampler URLs are never normalised, and what Java refuses
//! is a failing sample with Java's messages, so the WHATWG rules of the `url` crate do not fit
//! here.

mod java;
mod join;
mod syntax;
mod target;

pub(crate) use java::{MalformedUrl, Url};
pub(crate) use join::{client_redirect, redirect_url, relative_url, remove_slash_dot_dot};
pub(crate) use syntax::{Syntax, may_stand_in_segment};
