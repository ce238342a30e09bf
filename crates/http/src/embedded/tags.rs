//! The start tags of a page that can name a resource, found by going over its bytes: a tokenizer
//! takes fourteen nanoseconds a byte, and most of a page is text and tags that name nothing.
//!
//! States are those of the HTML standard (13.2.5, tokenization). Where a tag needs more than its
//! bytes (references to characters, line ends to be replaced), and for scripts that contain
//! comments, the page is left to the tokenizer from there on.

use memchr::{memchr, memchr3, memmem};

/// A start tag: its name and attributes as they are written.
pub(super) struct ScannedTag<'t> {
    pub(super) name: &'t str,
    pub(super) attributes: Vec<(&'t str, &'t str)>,
}

/// What the scanner came to.
pub(super) enum Found<'t> {
    /// A tag that can name a resource.
    Tag(ScannedTag<'t>),
    /// Such a tag that only the tokenizer can read, as a part of the page.
    Written(&'t str),
    /// From there on only the tokenizer can read.
    Rest(&'t str),
}

/// Elements that name resources; all others only by the attributes of [`ANYWHERE`].
const NAMING: [&str; 11] =
    ["base", "img", "script", "frame", "iframe", "embed", "bgsound", "applet", "object", "input", "link"];

/// Attributes that name a resource in any element.
const ANYWHERE: [&str; 2] = ["background", "style"];

/// Elements whose content has no tags.
const RAW: [&str; 9] =
    ["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "textarea", "title"];

/// Goes over a page.
pub(super) struct Tags<'t> {
    text: &'t str,
    at: usize,
    /// The element whose content comes next, where that has no tags.
    raw: Option<&'static str>,
}

impl<'t> Tags<'t> {
    /// From the start of a page on.
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, raw: None }
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// After a byte that ends something, from a place on; none where it is not there.
    fn after(&self, from: usize, byte: u8) -> Option<usize> {
        Some(from + memchr(byte, self.bytes().get(from..)?)? + 1)
    }

    /// The next start tag from `<` on; none at the end of the page.
    fn start_tag(&mut self) -> Option<Found<'t>> {
        loop {
            if let Some(name) = self.raw.take() {
                self.at = self.after_raw(name)?;
            }
            let open = self.after(self.at, b'<')?;
            self.at = match self.bytes().get(open)? {
                b'!' => self.after_declaration(open + 1)?,
                b'?' => self.after(open, b'>')?,
                b'/' => match self.bytes().get(open + 1)? {
                    byte if byte.is_ascii_alphabetic() => self.tag(open + 1, |_, _| {})?.1,
                    _ => self.after(open + 1, b'>')?,
                },
                byte if byte.is_ascii_alphabetic() => {
                    if let Some(found) = self.whole_tag(open)? {
                        return Some(found);
                    }
                    self.at
                }
                _ => open,
            };
        }
    }

    /// A start tag from its name on, where it can name a resource. None: the page ends in it.
    #[expect(clippy::option_option, reason = "the outer one says whether the tag is whole")]
    fn whole_tag(&mut self, open: usize) -> Option<Option<Found<'t>>> {
        let mut attributes = Vec::new();
        let mut named = false;
        let (name, end) = self.tag(open, |name, value| {
            named |= is_one_of(&ANYWHERE, name);
            attributes.push((name, value));
        })?;
        self.at = end;
        self.raw = RAW.into_iter().find(|raw| raw.eq_ignore_ascii_case(name));
        let written = &self.text[open - 1..end];
        if self.raw == Some("script") && self.has_comment_in_script() {
            return Some(Some(Found::Rest(&self.text[open - 1..])));
        }
        if !named && !is_one_of(&NAMING, name) {
            return Some(None);
        }
        let needs_more = memchr3(b'&', b'\r', 0, written.as_bytes()).is_some();
        let tag = Found::Tag(ScannedTag { name, attributes });
        Some(Some(if needs_more { Found::Written(written) } else { tag }))
    }

    /// Whether what follows is a script with a comment, in which its end tag may mean nothing.
    fn has_comment_in_script(&self) -> bool {
        let end = self.raw_end("script").unwrap_or(self.text.len());
        memmem::find(&self.bytes()[self.at..end], b"<!--").is_some()
    }

    /// Where the end tag of an element without tags in it begins.
    fn raw_end(&self, name: &str) -> Option<usize> {
        let bytes = self.bytes();
        let mut at = self.at;
        loop {
            at += memmem::find(&bytes[at..], b"</")?;
            let behind = &bytes[at + 2..];
            let is_it = behind.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name.as_bytes()));
            if is_it && behind.get(name.len()).is_some_and(|byte| ends_name(*byte)) {
                return Some(at);
            }
            at += 2;
        }
    }

    /// After the end tag of an element without tags in it.
    fn after_raw(&self, name: &str) -> Option<usize> {
        let end = self.raw_end(name)?;
        Some(self.tag(end + 2, |_, _| {})?.1)
    }

    /// After a comment, a document type, or what is taken for a comment; from after `<!`.
    fn after_declaration(&self, from: usize) -> Option<usize> {
        let bytes = self.bytes();
        if !bytes[from..].starts_with(b"--") {
            return self.after(from, b'>');
        }
        let mut at = from + 2;
        if bytes[at..].starts_with(b">") {
            return Some(at + 1);
        }
        if bytes[at..].starts_with(b"->") {
            return Some(at + 2);
        }
        loop {
            at += memmem::find(&bytes[at..], b"--")?;
            match &bytes[at + 2..] {
                [b'>', ..] => return Some(at + 3),
                [b'!', b'>', ..] => return Some(at + 4),
                _ => at += 1,
            }
        }
    }

    /// A tag from its name on: the name, and the place after it. None: the page ends in it.
    fn tag(&self, from: usize, mut attribute: impl FnMut(&'t str, &'t str)) -> Option<(&'t str, usize)> {
        let bytes = self.bytes();
        let length = bytes[from..].iter().position(|byte| ends_name(*byte))?;
        let name = &self.text[from..from + length];
        let mut at = from + length;
        loop {
            at = skip(bytes, at, |byte| is_space(byte) || byte == b'/')?;
            if bytes[at] == b'>' {
                return Some((name, at + 1));
            }
            // An equals sign at its start belongs to a name.
            let start = at;
            at = skip(bytes, at + 1, |byte| !ends_name(byte) && byte != b'=')?;
            let name = &self.text[start..at];
            at = skip(bytes, at, is_space)?;
            if bytes[at] != b'=' {
                attribute(name, "");
                continue;
            }
            at = skip(bytes, at + 1, is_space)?;
            let value = match bytes[at] {
                quote @ (b'"' | b'\'') => {
                    let end = self.after(at + 1, quote)?;
                    let value = &self.text[at + 1..end - 1];
                    at = end;
                    value
                }
                b'>' => "",
                _ => {
                    let start = at;
                    at = skip(bytes, at, |byte| !is_space(byte) && byte != b'>')?;
                    &self.text[start..at]
                }
            };
            attribute(name, value);
        }
    }
}

impl<'t> Iterator for Tags<'t> {
    type Item = Found<'t>;

    fn next(&mut self) -> Option<Found<'t>> {
        let found = self.start_tag();
        if matches!(found, None | Some(Found::Rest(_))) {
            self.at = self.text.len();
            self.raw = None;
        }
        found
    }
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C')
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

/// The first place from one on whose byte is not to be skipped.
#[inline]
fn skip(bytes: &[u8], from: usize, is_skipped: impl Fn(u8) -> bool) -> Option<usize> {
    Some(from + bytes.get(from..)?.iter().position(|byte| !is_skipped(*byte))?)
}
