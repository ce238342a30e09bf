//! URLs as Java and HttpClient handle them. A sampler's URL is never normalized, and a URL that
//! Java refuses is a failed sample with Java's message. So the WHATWG rules of the `url` crate do
//! not fit.

mod java;
mod join;
mod syntax;
mod target;

pub(crate) use java::{MalformedUrl, Url};
pub(crate) use join::{client_redirect, redirect_url, relative_url, remove_slash_dot_dot};
pub(crate) use syntax::{Syntax, may_stand_in_segment};
