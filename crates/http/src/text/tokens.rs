//! The tokens of a page.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, TokenSink, Tokenizer, TokenizerOpts};

/// Hands the tokens of a page to `sink` and gives it back. No script runs, so nothing stops the
/// reading on its way.
pub(crate) fn tokenized<S: TokenSink>(text: &str, sink: S) -> S {
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    while !input.is_empty() {
        // No script runs that it could wait for.
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink
}
