//! Further requests that a response causes: authentication, redirects, the resources of a page.

mod challenges;
mod embedded;
mod parallel;
mod redirects;
mod requests;
mod silent_redirects;

pub(crate) use challenges::Challenges;
pub(crate) use embedded::{Pages, resources_of};
pub(crate) use redirects::Redirects;
pub(crate) use requests::{Requests, Resource};
pub(crate) use silent_redirects::SilentRedirects;
