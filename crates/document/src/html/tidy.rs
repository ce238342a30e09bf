//! A page as JTidy hands it on (`org.w3c.tidy.Tidy.parseDOM` with `makeClean`), in all that is common: a head with a generator and a
//! title, unknown elements left out, white space gathered and trimmed, empty elements left out, implied ends and starts.
//! Not done: moving blocks out of inline elements, inline elements that go on behind the block they began in, fonts.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::tidy_tree::{Tree, is_block, is_known, is_void};
use super::{DEEPEST, TooLarge};
use crate::tree::{Builder, Document, Kind, LARGEST, NodeId};
use crate::words::is_space;
use crate::xml::{XmlError, XmlOptions, parse};

/// Elements of the head.
const HEAD: &[&str] = &["title", "base", "link", "meta", "script", "style", "isindex", "object"];
/// Elements that may be tangled.
const TANGLED: &[&str] =
    &["b", "i", "u", "em", "strong", "tt", "font", "big", "small", "s", "strike", "code"];
/// A start tag ends the open elements of the second list, up to one of the third.
const ENDED_BY: &[(&[&str], &[&str], &[&str])] = &[
    (&["li"], &["li"], &["ul", "ol", "menu", "dir"]),
    (&["dt", "dd"], &["dt", "dd"], &["dl"]),
    (&["tr"], &["tr", "td", "th"], &["table"]),
    (&["td", "th"], &["td", "th"], &["tr", "table"]),
    (&["thead", "tbody", "tfoot"], &["thead", "tbody", "tfoot", "tr"], &["table"]),
    (&["option", "optgroup"], &["option"], &["select"]),
    (&["a"], &["a"], &["table"]),
    (&["h1", "h2", "h3", "h4", "h5", "h6"], &["h1", "h2", "h3", "h4", "h5", "h6"], &["table", "div"]),
];

/// A page with how many of its elements nobody knows.
pub fn tidy(text: &str) -> Result<(Document, usize), TooLarge> {
    if text.len() > LARGEST {
        return Err(TooLarge);
    }
    let sink = Sink(RefCell::new(Page::new()));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let page = tokenizer.sink.0.into_inner();
    if page.too_large { Err(TooLarge) } else { Ok(page.finish()) }
}

struct Sink(RefCell<Page>);

/// The page as far as it is read.
struct Page {
    tree: Tree,
    in_body: bool,
    unknown: usize,
    too_large: bool,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut page = self.0.borrow_mut();
        if page.too_large {
            return TokenSinkResult::Continue;
        }
        match token {
            Token::CharacterTokens(text) => page.text(&text),
            Token::CommentToken(text) => page.tree.comment(&text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return page.start(&tag),
            Token::TagToken(tag) => page.end(&tag.name),
            Token::NullCharacterToken | Token::DoctypeToken(_) | Token::ParseError(_) | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

impl Page {
    fn new() -> Self {
        Self { tree: Tree::new(), in_body: false, unknown: 0, too_large: false }
    }

    fn finish(mut self) -> (Document, usize) {
        self.enter_body();
        (self.tree.finish(), self.unknown)
    }

    fn enter_body(&mut self) {
        if !self.in_body {
            self.in_body = true;
            self.tree.enter_body();
        }
    }

    fn text(&mut self, text: &str) {
        if !self.in_body && !self.tree.is_open(HEAD) {
            if text.chars().all(is_space) {
                return;
            }
            self.enter_body();
        }
        self.tree.text(text);
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        let mut attributes = attributes(tag);
        match name {
            "html" => self.tree.merge_html(attributes),
            "head" => {}
            "body" => {
                self.enter_body();
                self.tree.merge_body(attributes);
            }
            _ if !is_known(name) => self.unknown += 1,
            _ => {
                if !self.in_body && !HEAD.contains(&name) {
                    self.enter_body();
                }
                if matches!(name, "script" | "style") && !attributes.iter().any(|(known, _)| known == "type")
                {
                    let kind = if name == "script" { "text/javascript" } else { "text/css" };
                    attributes.push(("type".to_owned(), kind.to_owned()));
                }
                self.open(name, attributes);
                return raw_text(name);
            }
        }
        TokenSinkResult::Continue
    }

    fn open(&mut self, name: &str, attributes: Vec<(String, String)>) {
        for (starts, ended, up_to) in ENDED_BY {
            if starts.contains(&name) {
                self.tree.end_open(ended, up_to);
            }
        }
        if is_block(name) {
            self.tree.end_open(&["p"], &["td", "th", "li", "div", "table"]);
        }
        match name {
            "li" if !self.tree.is_open(&["ul", "ol", "menu", "dir"]) => {
                self.tree.open("ul", vec![("class".to_owned(), "noindent".to_owned())]);
            }
            "td" | "th" if !self.tree.is_open(&["tr"]) => {
                self.open_table();
                self.tree.open("tr", Vec::new());
            }
            "tr" | "thead" | "tbody" | "tfoot" => self.open_table(),
            "input" if self.tree.is_in_body() => self.tree.open("form", Vec::new()),
            _ => {}
        }
        self.tree.open(name, attributes);
        self.too_large = self.tree.depth() > DEEPEST as usize;
        if is_void(name) {
            self.tree.close();
        }
    }

    fn open_table(&mut self) {
        if !self.tree.is_open(&["table"]) {
            self.tree.open("table", Vec::new());
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "br" => self.open("br", Vec::new()),
            "html" | "head" | "body" => {}
            "p" if self.in_body && !self.tree.is_open(&["p"]) => {
                self.open("br", Vec::new());
                self.open("br", Vec::new());
            }
            // Tangled elements end in the order in which they can.
            _ if TANGLED.contains(&name) && self.tree.is_tangled(name, TANGLED) => self.tree.close(),
            _ => self.tree.end_open(&[name], if is_block(name) { &[] } else { &["td", "th"] }),
        }
    }
}

/// XML as JTidy hands it on: white space is gathered, left out between elements, and trimmed where an element begins and ends.
/// XML with faults is not mended.
pub fn tidy_xml(text: &str) -> Result<Document, XmlError> {
    let options = XmlOptions { sorted_attributes: false, ..XmlOptions::dom(false) };
    let document = parse(text, options)?;
    let mut builder = Builder::new(false);
    let mut open: Vec<NodeId> = Vec::new();
    for node in document.all().skip(1) {
        while open.last().is_some_and(|&last| !document.is_in(node, last)) {
            open.pop();
            builder.close();
        }
        let value = document.value(node);
        match document.kind(node) {
            Kind::Element => {
                builder.open(document.name(node), "");
                open.push(node);
            }
            Kind::Attribute => builder.attribute(document.name(node), "", value),
            Kind::Namespace => builder.declaration(document.name(node), value),
            Kind::Text => {
                let words: Vec<_> = value.split(is_space).filter(|word| !word.is_empty()).collect();
                let first = open.last() == Some(&document.parent(node))
                    && document.children(document.parent(node)).next() == Some(node);
                let last = document.end(document.parent(node)) == node + 1;
                let before = if value.starts_with(is_space) && !first { " " } else { "" };
                let behind = if value.ends_with(is_space) && !last { " " } else { "" };
                if !words.is_empty() {
                    builder.text(&format!("{before}{}{behind}", words.join(" ")));
                }
            }
            Kind::Cdata => builder.cdata(value),
            Kind::Comment => builder.comment(value),
            Kind::Instruction => builder.instruction(document.name(node), value),
            Kind::Root => {}
        }
    }
    Ok(builder.finish())
}

/// Attributes as a DOM of JTidy has them: the last first; those without a value are their own.
fn attributes(tag: &Tag) -> Vec<(String, String)> {
    let value = |name: &str, value: &str| match value {
        "" if matches!(
            name,
            "checked" | "selected" | "disabled" | "readonly" | "multiple" | "nowrap" | "noshade"
        ) =>
        {
            name.to_owned()
        }
        value if name == "class" => value.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
        value => value.to_owned(),
    };
    let pairs = tag.attrs.iter().rev().map(|attribute| (&*attribute.name.local, &*attribute.value));
    pairs.map(|(name, text)| (name.to_owned(), value(name, text))).collect()
}

fn raw_text(name: &str) -> TokenSinkResult<()> {
    match name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" => TokenSinkResult::RawData(RawKind::Rawtext),
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        _ => TokenSinkResult::Continue,
    }
}
