//! Steps before a request is sent: its contents, its time limits, and the cache lookup.

mod authorize;
mod cached;
mod source;
mod steps;

pub(crate) use authorize::{Authorizer, has_authorization, own_authorization};
pub(crate) use cached::{CachedRequest, RequestMaker};
pub(crate) use steps::{
    add_headers, cookie, cookie_of_failure, cookie_of_template, cookies_not_sent, is_fresh, limits,
    names_and_values, origin_of, prepare,
};
