//! A page as it is written (`jodd.lagarto.dom.LagartoDOMBuilder`): nothing is added, an element ends with its end tag or with
//! what cannot be in it.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::html::{DEEPEST, TooLarge};
use crate::tree::{Builder, Document, LARGEST};

/// Elements without content.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "meta", "param", "source",
    "track", "wbr",
];
/// A start tag ends the open elements of the first list, up to one of the second.
const ENDED_BY: &[(&[&str], &[&str], &[&str])] = &[
    (&["li"], &["li"], &["ul", "ol", "menu"]),
    (&["dt", "dd"], &["dt", "dd"], &["dl"]),
    (&["tr"], &["tr", "td", "th"], &["table", "thead", "tbody", "tfoot"]),
    (&["td", "th"], &["td", "th"], &["tr", "table"]),
    (&["thead", "tbody", "tfoot"], &["thead", "tbody", "tfoot", "tr", "td", "th"], &["table"]),
    (
        &[
            "address",
            "article",
            "aside",
            "blockquote",
            "div",
            "dl",
            "fieldset",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hgroup",
            "hr",
            "main",
            "nav",
            "ol",
            "p",
            "pre",
            "section",
            "table",
            "ul",
        ],
        &["p"],
        &[],
    ),
];

pub(super) fn parse(text: &str) -> Result<Document, TooLarge> {
    if text.len() > LARGEST {
        return Err(TooLarge);
    }
    let sink =
        Written(RefCell::new(State { builder: Builder::new(false), open: Vec::new(), too_large: false }));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let state = tokenizer.sink.0.into_inner();
    if state.too_large { Err(TooLarge) } else { Ok(state.builder.finish()) }
}

struct Written(RefCell<State>);

struct State {
    builder: Builder,
    open: Vec<String>,
    too_large: bool,
}

impl TokenSink for Written {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        if state.too_large {
            return TokenSinkResult::Continue;
        }
        match token {
            Token::CharacterTokens(text) => state.builder.text(&text),
            Token::CommentToken(text) => state.builder.comment(&text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.start(&tag),
            Token::TagToken(tag) => state.end(&tag.name),
            Token::NullCharacterToken | Token::DoctypeToken(_) | Token::ParseError(_) | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

impl State {
    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        for (starts, ended, up_to) in ENDED_BY {
            if starts.contains(&name) {
                self.end_open(ended, up_to);
            }
        }
        self.builder.open(name, "");
        for attribute in &tag.attrs {
            self.builder.attribute(&attribute.name.local, "", &attribute.value);
        }
        if tag.self_closing || VOID.contains(&name) {
            self.builder.close();
            return TokenSinkResult::Continue;
        }
        self.open.push(name.to_owned());
        self.too_large = self.open.len() > DEEPEST as usize;
        match name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }

    /// Ends the outermost of these elements that is open below one of the others.
    fn end_open(&mut self, ended: &[&str], up_to: &[&str]) {
        let known = |names: &[&str], name: &String| names.contains(&name.as_str());
        let scope = self.open.iter().rposition(|name| known(up_to, name)).map_or(0, |at| at + 1);
        if let Some(at) = self.open[scope..].iter().position(|name| known(ended, name)) {
            self.close_to(scope + at);
        }
    }

    fn end(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|open| open == name) {
            self.close_to(at);
        }
    }

    fn close_to(&mut self, depth: usize) {
        for _ in depth..self.open.len() {
            self.builder.close();
        }
        self.open.truncate(depth);
    }
}
