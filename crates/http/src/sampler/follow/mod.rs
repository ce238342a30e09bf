//! What a response leads to: answers to challenges, redirects, the resources of a page.

mod challenges;
mod embedded;
mod parallel;
mod redirects;
mod silent_redirects;

pub(crate) use parallel::DownloadSlots;
