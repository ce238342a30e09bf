//! Parses a page by the HTML standard, as jsoup does.

use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::{ParseOpts, parse_document};

use super::TooLarge;
use super::sink::Sink;
use crate::tree::{Document, LARGEST};

/// Bytes that are read between looks at the size of the tree. What a few bytes can add to it is
/// bounded by its depth.
const PORTION: usize = 4096;

/// Reads a page. Every text is one.
pub fn parse(text: &str) -> Result<Document, TooLarge> {
    if text.len() > LARGEST {
        return Err(TooLarge);
    }
    let mut options = ParseOpts::default();
    options.tree_builder.scripting_enabled = false;
    let mut parser = parse_document(Sink::default(), options);
    let mut rest = text;
    while !rest.is_empty() {
        let (portion, behind) = rest.split_at(rest.floor_char_boundary(PORTION));
        parser.process(StrTendril::from_slice(portion));
        if parser.tokenizer.sink.sink.is_too_large() {
            return Err(TooLarge);
        }
        rest = behind;
    }
    parser.finish()
}
