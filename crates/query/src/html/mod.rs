//! Parses HTML to a tree, as browsers and jsoup do.

mod jsoup;
mod sink;
mod text;

pub use jsoup::parse;
pub(crate) use text::{jsoup_own_text, jsoup_text};

/// Elements in elements that are followed. Browsers stop at 512.
pub(crate) const DEEPEST: u32 = 1024;
/// Nodes that a document may have.
const MOST_NODES: usize = 4_000_000;

/// Why a page cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the page is nested more than {DEEPEST} elements deep, or has more than {MOST_NODES} nodes")
    }
}
