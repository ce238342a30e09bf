//! HTML (`LagartoBasedHtmlParser`). The parser reads tokens without building a tree, so nothing is
//! nested and the page bounds the memory. Scripts, styles, frames and content for browsers without
//! scripts contain no tags.

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use swell_api::Budget;

use super::condition::{holds, revealed};
use super::links::Links;
use super::tags::{Found, ScannedTag, Tags};
use crate::failure::Failure;
use crate::text::tokens::tokenized;
use crate::url::{Url, relative_url};

/// The resources of a page, each once. `explorer`: the version of an Internet Explorer that reads
/// conditional comments.
pub(super) fn resources(
    text: &str,
    base: &Url,
    explorer: Option<f32>,
    budget: &Budget,
) -> Result<Vec<Url>, Failure> {
    let links = Links::distinct(budget);
    let page = Page { base: base.clone(), links, enabled: vec![true], explorer, failed: None };
    let page = match explorer {
        None => scan(text, page),
        Some(version) => read(&revealed(text, version), page),
    };
    match page.failed {
        None => Ok(page.links.into_urls()),
        Some(href) => Err(Failure::new(
            "org.apache.jmeter.protocol.http.parser.HTMLParseException",
            format!("java.lang.IllegalArgumentException: Error creating relative url from {href}"),
        )),
    }
}

/// Reads a page whose comments mean nothing.
fn scan<'b>(text: &str, mut page: Page<'b>) -> Page<'b> {
    for found in Tags::new(text) {
        match found {
            Found::Tag(tag) => page.tag(&tag),
            Found::Written(part) | Found::Rest(part) => page = read(part, page),
        }
    }
    page
}

fn read<'b>(text: &str, page: Page<'b>) -> Page<'b> {
    tokenized(text, Reader(RefCell::new(page))).0.into_inner()
}

/// Takes the tokens.
struct Reader<'b>(RefCell<Page<'b>>);

/// What was found so far.
struct Page<'b> {
    base: Url,
    links: Links<'b>,
    /// Whether the conditions around hold, innermost last.
    enabled: Vec<bool>,
    explorer: Option<f32>,
    /// A `base` that leads nowhere.
    failed: Option<String>,
}

impl TokenSink for Reader<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut page = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                if page.enabled.last().is_none_or(|enabled| *enabled) {
                    page.tag(&tag);
                }
                raw_kind(&tag.name).map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
            }
            Token::CommentToken(text) => {
                page.comment(&text);
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }
}

/// How the text after a start tag is read.
fn raw_kind(name: &str) -> Option<RawKind> {
    Some(match name {
        "script" => RawKind::ScriptData,
        "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => RawKind::Rawtext,
        "textarea" | "title" => RawKind::Rcdata,
        _ => return None,
    })
}

/// A start tag, however it was read.
trait StartTag {
    /// Its name in lower case.
    fn name(&self) -> Cow<'_, str>;
    /// The first attribute of a name.
    fn attribute(&self, name: &str) -> Option<&str>;
}

impl StartTag for Tag {
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
    }
}

impl StartTag for ScannedTag<'_> {
    fn name(&self) -> Cow<'_, str> {
        if self.name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(self.name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(self.name)
        }
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

fn attribute<'t>(tag: &'t impl StartTag, name: &str) -> Option<&'t str> {
    tag.attribute(name)
}

impl Page<'_> {
    fn tag(&mut self, tag: &impl StartTag) {
        match &*tag.name() {
            "base" => self.set_base(attribute(tag, "href")),
            "img" | "script" | "frame" | "iframe" | "embed" | "bgsound" => self.add(attribute(tag, "src")),
            "applet" => self.applet(tag),
            "object" => {
                self.add(attribute(tag, "codebase"));
                self.add(attribute(tag, "data"));
            }
            "input" if attribute(tag, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("image")) => {
                self.add(attribute(tag, "src"));
            }
            "input" => {}
            "link" => {
                let rels = ["stylesheet", "icon", "shortcut icon", "preload"];
                if attribute(tag, "rel").is_some_and(|rel| rels.iter().any(|r| rel.eq_ignore_ascii_case(r))) {
                    self.add(attribute(tag, "href"));
                }
            }
            _ => self.add(attribute(tag, "background")),
        }
        if let Some(url) = attribute(tag, "style").and_then(style_url) {
            self.links.add(url, &self.base);
        }
    }

    /// A reference as browsers read it: without blanks around it and line ends in it.
    fn add(&mut self, reference: Option<&str>) {
        let trimmed = reference.unwrap_or_default().trim_matches(|c| c <= ' ');
        let clean: String = trimmed.chars().filter(|c| !matches!(c, '\n' | '\r' | '\x08' | '\x0C')).collect();
        self.links.add(&clean, &self.base);
    }

    fn set_base(&mut self, href: Option<&str>) {
        let Some(href) = href.filter(|href| !href.is_empty()) else { return };
        match relative_url(&self.base, href) {
            Ok(url) => self.base = url,
            Err(_) => {
                self.failed.get_or_insert_with(|| href.to_owned());
            }
        }
    }

    fn applet(&mut self, tag: &impl StartTag) {
        let given = |name: &str| attribute(tag, name).filter(|value| !value.trim().is_empty());
        match given("codebase") {
            Some(codebase) => {
                let file = given("archive").or(attribute(tag, "code")).unwrap_or("null");
                self.add(Some(&format!("{codebase}/{file}")));
            }
            None => self.add(attribute(tag, "code")),
        }
    }

    /// A comment, which may be where a condition starts or ends.
    fn comment(&mut self, text: &str) {
        let Some(version) = self.explorer else { return };
        let plain = text.trim();
        if plain.ends_with("[endif]") {
            self.enabled.truncate(self.enabled.len().saturating_sub(1).max(1));
        } else if let Some((condition, _)) = plain.strip_prefix("[if").and_then(|rest| rest.split_once(']')) {
            self.enabled.push(holds(&format!("if{condition}"), version));
        }
    }
}

/// The URL of a `style` attribute: all between the first `url("` and the last `")`, as JMeter's
/// expression finds it.
fn style_url(style: &str) -> Option<&str> {
    let lower = style.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower[from..].find("url(") {
        from += at + 4;
        let rest = style[from..].trim_start_matches(is_space);
        let Some(inside) = rest.strip_prefix(['\'', '"']) else { continue };
        let mut end = inside.len();
        while let Some(close) = inside[..end].rfind(')') {
            let before = inside[..close].trim_end_matches(is_space);
            if let Some(url) = before.strip_suffix(['\'', '"']) {
                return Some(url);
            }
            end = close;
        }
        return None;
    }
    None
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C')
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
