//! Collects the URLs of a page (`URLCollection`).

use std::borrow::Cow;
use std::collections::HashSet;

use swell_api::Budget;

use crate::url::{Url, relative_url};

/// URLs in the order in which they were found.
pub(super) struct Links<'b> {
    budget: &'b Budget,
    /// A URL is taken once only.
    once: bool,
    known: HashSet<String>,
    urls: Vec<Url>,
}

/// The bytes that a URL needs in addition to its text.
const PLACE: usize = 160;

impl<'b> Links<'b> {
    /// URLs as often as they come, as many as the budget allows.
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self { budget, once: false, known: HashSet::new(), urls: Vec::new() }
    }

    /// Each URL once.
    pub(super) fn distinct(budget: &'b Budget) -> Self {
        Self { once: true, ..Self::new(budget) }
    }

    /// Adds a reference as written in the page; invalid URLs are skipped.
    pub(super) fn add(&mut self, reference: &str, base: &Url) {
        if reference.is_empty() || self.budget.exceeded().is_some() {
            return;
        }
        let Ok(url) = relative_url(base, &unescape_xml(reference)) else { return };
        if self.once && self.known.contains(url.as_str())
            || self.budget.keep(2 * url.as_str().len() + PLACE).is_err()
        {
            return;
        }
        if self.once {
            self.known.insert(url.as_str().to_owned());
        }
        self.urls.push(url);
    }

    pub(super) fn into_urls(self) -> Vec<Url> {
        self.urls
    }
}

/// Puts characters instead of XML's five entities and of numbers (`StringEscapeUtils.unescapeXml`).
fn unescape_xml(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';');
        let found = end.and_then(|end| Some((character(&rest[1..end])?, end + 1)));
        let (c, length) = found.unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_of_xml_are_characters() {
        let table = [
            ("a&amp;b", "a&b"),
            ("&lt;&gt;&quot;&apos;", "<>\"'"),
            ("&#97;&#x62;&#X63;", "abc"),
            ("a&b=c;d", "a&b=c;d"),
            ("&copy;&#xZ;&", "&copy;&#xZ;&"),
            ("&amp;amp;", "&amp;"),
        ];
        for (text, wanted) in table {
            assert_eq!(unescape_xml(text), wanted);
        }
    }
}
