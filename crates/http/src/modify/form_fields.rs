//! Reads links, frames and the fields of forms out of the tokens of a page. JMeter makes a tree of the page, but looks at it
//! in the order of the text; a form goes on to the next one.

use std::cell::RefCell;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};

use crate::text::tokens::tokenized;

/// A form with its fields.
#[derive(Debug, Default)]
pub(super) struct Form {
    pub(super) action: String,
    pub(super) fields: Vec<(String, String)>,
}

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// `href` of the first `base`.
    pub(super) base: Option<String>,
    pub(super) anchors: Vec<String>,
    pub(super) frames: Vec<String>,
    pub(super) forms: Vec<Form>,
    in_form: bool,
    /// Name of the list that options belong to.
    select: String,
    /// A text field that is open.
    textarea: Option<(String, String)>,
}

/// Reads a page.
pub(super) fn read(text: &str) -> Page {
    tokenized(text, Reader::default()).0.into_inner()
}

#[derive(Default)]
struct Reader(RefCell<Page>);

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut page = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                page.start(&tag);
                match &*tag.name {
                    "script" => TokenSinkResult::RawData(RawKind::ScriptData),
                    "style" => TokenSinkResult::RawData(RawKind::Rawtext),
                    "textarea" | "title" => TokenSinkResult::RawData(RawKind::Rcdata),
                    _ => TokenSinkResult::Continue,
                }
            }
            Token::TagToken(tag) => {
                page.end(&tag.name);
                TokenSinkResult::Continue
            }
            Token::CharacterTokens(text) => {
                if let Some((_, value)) = &mut page.textarea {
                    value.push_str(&text);
                }
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }
}

impl Page {
    fn start(&mut self, tag: &Tag) {
        let given = |name: &str| {
            tag.attrs.iter().find(|a| &*a.name.local == name).map(|attribute| attribute.value.to_string())
        };
        match &*tag.name {
            "base" if self.base.is_none() => self.base = given("href"),
            "a" => self.anchors.extend(given("href")),
            "frame" => self.frames.extend(given("src")),
            "form" => match given("action") {
                Some(action) => {
                    self.forms.push(Form { action, fields: Vec::new() });
                    self.in_form = true;
                }
                None => self.in_form = false,
            },
            "input" => self.field(given("name").unwrap_or_default(), given("value").unwrap_or_default()),
            "textarea" => self.textarea = Some((given("name").unwrap_or_default(), String::new())),
            "select" => self.select = given("name").unwrap_or_default(),
            "option" => self.field(self.select.clone(), given("value").unwrap_or_default()),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "textarea" => {
                if let Some((name, value)) = self.textarea.take() {
                    self.field(name, value);
                }
            }
            "select" => self.select.clear(),
            _ => {}
        }
    }

    fn field(&mut self, name: String, value: String) {
        if let Some(form) = self.forms.last_mut().filter(|_| self.in_form) {
            form.fields.push((name, value));
        }
    }
}
