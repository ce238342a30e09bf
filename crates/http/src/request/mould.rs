//! Requests of one sampler that differ only in the values of variables: the bytes of all that stays the same, with holes.
//!
//! A mould is made by making a request as any other, with a mark in the place of each variable. What surrounds the marks in its bytes and
//! in its URL is the same for every request whose values pass through unchanged as the marks did: those of characters that are never
//! escaped, decoded or looked at. With any other value the request is made as a whole.

use std::ops::Range;
use std::rc::Rc;

use memchr::memmem;
use swell_api::Text;
use swell_connect::Target;
use swell_expr::{Charset, Context, Part, Template, Variable};
use swell_http1::client::write_header;
use swell_http1::latin1;

use crate::compile::Spec;
use crate::cookies::Origin;
use crate::text::form;
use crate::url::may_stand_in_segment;

use super::evaluate::{Texts, texts};
use super::headers::merge_with;
use super::wire::Request;

/// Holes of a mould at most.
const MOST: usize = 64;

/// Headers that a request is made by: their values are more than bytes.
const LOOKED_AT: [&str; 6] =
    ["Host", "Connection", "Content-Length", "Content-Type", "Transfer-Encoding", "Cookie"];

/// A request with holes for the values of variables.
pub(crate) struct Mould {
    pub(crate) method: Rc<str>,
    pub(crate) target: Rc<Target>,
    /// The request asks for the connection to be closed.
    pub(crate) closes: bool,
    /// The cookies that the plan's headers give, as JMeter shows them.
    pub(crate) own_cookies: String,
    /// What the request was made of, with the marks.
    texts: Texts,
    holes: Vec<Hole>,
    bytes: Cut<Vec<u8>>,
    /// Bytes of the body, the values of holes not counted.
    body_len: usize,
    /// The body as JMeter shows it.
    body_text: Cut<String>,
    url: Cut<String>,
    path: Cut<String>,
    host: String,
    is_secure: bool,
    /// Where in the bytes a `Cookie` line goes.
    cookie_at: Range<usize>,
    /// How many places of the bytes come before that.
    before_cookie: usize,
}

/// A text without the marks that were in it.
struct Cut<T> {
    text: T,
    /// Where a hole's value goes, in their order: places in `text`, and which holes. In bytes, one more than there are is the length of the
    /// body.
    places: Vec<(usize, usize)>,
}

/// A variable in a request.
struct Hole {
    variable: Variable,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The path of the sampler, in which a query may stand.
    Path,
    /// The value of a parameter, encoded or not.
    Parameter { encoded: bool },
    /// The value of a header.
    Header,
    /// The value of a parameter in the body: as it is, or as in a form.
    Body { in_form: bool },
}

impl Place {
    fn is_body(self) -> bool {
        matches!(self, Self::Body { .. })
    }

    fn is_url(self) -> bool {
        matches!(self, Self::Path | Self::Parameter { .. })
    }
}

impl Hole {
    /// Whether a value goes out as it is.
    fn takes(&self, value: &str) -> bool {
        match self.place {
            Place::Header => latin1::is_plain(value),
            // An empty one might leave two slashes side by side.
            Place::Path => !value.is_empty() && may_stand_in_segment(value),
            Place::Parameter { encoded: false } => may_stand_in_segment(value),
            Place::Body { in_form: false } => true,
            Place::Parameter { encoded: true } | Place::Body { in_form: true } => form::is_safe(value),
        }
    }
}

/// The mark of a hole: nothing escapes it, and no plan has such a text.
fn mark(hole: usize) -> String {
    format!("{MARK_START}{hole:02}{MARK_END}")
}

const MARK_START: &str = "swellhole";
const MARK_END: &str = "elohllews";

impl Mould {
    /// None where requests differ in more than values that go out as they are. `make`: makes a request of texts.
    pub(crate) fn new(
        spec: &Spec,
        cx: &mut Context,
        make: impl FnOnce(Texts) -> Option<Rc<Request>>,
    ) -> Option<Self> {
        let (texts, holes) = marked(spec, cx)?;
        let request = make(texts.clone())?;
        if !request.files.is_empty() || request.target.is_proxied() {
            return None;
        }
        let all: Vec<String> = (0..holes.len()).map(mark).collect();
        // A variable in the name of the host decides which connection is taken, which bytes alone cannot.
        if all.iter().any(|mark| request.url.authority().contains(mark)) {
            return None;
        }
        let body_text = cut_text(&request.body_text, &all, |hole| holes[hole].place.is_body())?;
        let body_marks = body_text.places.iter().map(|(_, hole)| all[*hole].len()).sum::<usize>();
        let bytes = if body_marks == 0 {
            cut(&request.bytes, &all, |_| true)?
        } else {
            let length = mark(holes.len());
            let bytes = with_length(&request, &length)?;
            cut(&bytes, &[&all[..], &[length]].concat(), |_| true)?
        };
        let url = cut_text(request.url.as_str(), &all, |hole| holes[hole].place.is_url())?;
        let path = request.url.path();
        let path = cut_text(path, &all, |hole| path.contains(&all[hole]))?;
        // Where the line goes, without the marks before it.
        let marks_before = |at: usize| {
            let mut found = all.iter().filter_map(|mark| memmem::find(&request.bytes, mark.as_bytes()));
            let before = found.by_ref().filter(|place| *place < at).count();
            (before, at - before * all[0].len())
        };
        let (before_cookie, start) = marks_before(request.cookie_at.start);
        let (_, end) = marks_before(request.cookie_at.end);
        Some(Self {
            method: request.method.clone(),
            target: request.target.clone(),
            closes: request.closes,
            own_cookies: request.own_cookies(),
            texts,
            holes,
            bytes,
            body_len: request.body().len() - body_marks,
            body_text,
            url,
            path,
            host: request.url.host().to_owned(),
            is_secure: request.url.is_secure(),
            cookie_at: start..end,
            before_cookie,
        })
    }

    /// Whether the variables have values that go out as they are.
    pub(crate) fn fits(&self, cx: &Context) -> bool {
        self.holes.iter().all(|hole| hole.takes(hole.variable.value(cx)))
    }

    /// Appends the bytes of the request, with a `Cookie` header if there is one.
    pub(crate) fn write(&self, cx: &Context, cookie: Option<&str>, out: &mut Vec<u8>) {
        let Cut { text, places } = &self.bytes;
        let (before, behind) = places.split_at(self.before_cookie);
        let mut from = 0;
        self.write_places(before, &mut from, cx, out);
        if let Some(cookie) = cookie {
            out.extend_from_slice(&text[from..self.cookie_at.start]);
            write_header("Cookie", cookie, out);
            from = self.cookie_at.end;
        }
        self.write_places(behind, &mut from, cx, out);
        out.extend_from_slice(&text[from..]);
    }

    /// Appends the bytes from a place on up to the last of these holes, and moves the place behind them.
    fn write_places(&self, places: &[(usize, usize)], from: &mut usize, cx: &Context, out: &mut Vec<u8>) {
        for (at, hole) in places {
            out.extend_from_slice(&self.bytes.text[*from..*at]);
            match self.holes.get(*hole) {
                Some(hole) => out.extend_from_slice(hole.variable.value(cx).as_bytes()),
                None => out.extend_from_slice(itoa::Buffer::new().format(self.body_len(cx)).as_bytes()),
            }
            *from = *at;
        }
    }

    /// Length of the body with the values.
    fn body_len(&self, cx: &Context) -> usize {
        let values = self.body_text.places.iter().map(|(_, hole)| self.value(*hole, cx).len());
        self.body_len + values.sum::<usize>()
    }

    /// The body as JMeter shows it.
    pub(crate) fn body_text(&self, cx: &Context) -> String {
        let mut text = String::with_capacity(self.body_len(cx));
        self.fill(&self.body_text, cx, &mut text);
        text
    }

    /// The URL of the request. `scratch`: a buffer to put it together in.
    pub(crate) fn url(&self, cx: &Context, scratch: &mut String) -> Text {
        scratch.clear();
        self.fill(&self.url, cx, scratch);
        Text::Shared(Rc::from(&**scratch))
    }

    /// Where its cookies belong.
    pub(crate) fn with_origin<R>(
        &self,
        cx: &mut Context,
        with: impl FnOnce(&Origin<'_>, &mut Context) -> R,
    ) -> R {
        let mut filled = String::new();
        let path = if self.path.places.is_empty() {
            &self.path.text
        } else {
            self.fill(&self.path, cx, &mut filled);
            &filled
        };
        with(&Origin::new(&self.host, path, self.is_secure), cx)
    }

    fn fill(&self, cut: &Cut<String>, cx: &Context, out: &mut String) {
        let mut from = 0;
        for (at, hole) in &cut.places {
            out.push_str(&cut.text[from..*at]);
            out.push_str(self.value(*hole, cx));
            from = *at;
        }
        out.push_str(&cut.text[from..]);
    }

    /// What the request is made of where it is made as a whole.
    pub(crate) fn texts(&self, cx: &Context) -> Texts {
        self.texts.with_each(|text| {
            // A value may look like a mark, so what was filled in is not looked at.
            let mut parts = text.split(MARK_START);
            let mut filled = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let hole =
                    part.split_once(MARK_END).and_then(|(hole, rest)| Some((hole.parse().ok()?, rest)));
                let (hole, rest) = hole.expect("a text of the plan has no mark");
                filled.push_str(self.value(hole, cx));
                filled.push_str(rest);
            }
            filled.into()
        })
    }

    fn value<'a>(&'a self, hole: usize, cx: &'a Context) -> &'a str {
        self.holes[hole].variable.value(cx)
    }
}

/// The bytes of a request with a mark in the place of its `Content-Length`. None if that is not there once.
fn with_length(request: &Request, mark: &str) -> Option<Vec<u8>> {
    let (head, body) = request.bytes.split_at(request.head_len(&request.bytes));
    let line = format!("\r\nContent-Length: {}\r\n", body.len());
    let at = memmem::find(head, line.as_bytes())?;
    if memmem::rfind(head, line.as_bytes()) != Some(at) {
        return None;
    }
    let (before, behind) = (&head[..at], &head[at + line.len()..]);
    Some([before, b"\r\nContent-Length: ", mark.as_bytes(), b"\r\n", behind, body].concat())
}

/// [`cut`] of characters.
fn cut_text(text: &str, marks: &[String], wanted: impl Fn(usize) -> bool) -> Option<Cut<String>> {
    let Cut { text, places } = cut(text.as_bytes(), marks, wanted)?;
    Some(Cut { text: String::from_utf8(text).ok()?, places })
}

/// Takes the marks out of a text; those of `wanted` holes have to stand in it once, and no others. None where they do not.
fn cut(text: &[u8], marks: &[String], wanted: impl Fn(usize) -> bool) -> Option<Cut<Vec<u8>>> {
    let mut found = Vec::with_capacity(marks.len());
    for (hole, mark) in marks.iter().enumerate() {
        let (first, last) = (memmem::find(text, mark.as_bytes()), memmem::rfind(text, mark.as_bytes()));
        if first != last || first.is_some() != wanted(hole) {
            return None;
        }
        found.extend(first.map(|at| (at, hole, mark.len())));
    }
    found.sort_unstable();
    let (mut cut, mut places, mut from) = (Vec::with_capacity(text.len()), Vec::new(), 0);
    for (at, hole, length) in found {
        cut.extend_from_slice(&text[from..at]);
        places.push((cut.len(), hole));
        from = at + length;
    }
    cut.extend_from_slice(&text[from..]);
    Some(Cut { text: cut, places })
}

/// The texts of a sampler with marks in the places of variables, and what belongs there. None where more than the path and the values of
/// parameters and headers may change while the properties stay the same, and where nothing does.
fn marked(spec: &Spec, cx: &mut Context) -> Option<(Texts, Vec<Hole>)> {
    if !spec.has_settled_frame() {
        return None;
    }
    let mut holes = Vec::new();
    let path = with_marks(&spec.path, Place::Path, &mut holes, cx)?;
    let mut values = Vec::with_capacity(spec.arguments.len());
    for argument in &spec.arguments {
        let encoded = argument.encode.get(cx);
        values.push(with_marks(&argument.value, Place::Parameter { encoded }, &mut holes, cx)?);
    }
    let mut all_may = true;
    let headers = merge_with(&spec.headers, cx, |name, value, cx| {
        let before = holes.len();
        let text = with_marks(value, Place::Header, &mut holes, cx);
        let looked_at = LOOKED_AT.iter().any(|known| known.eq_ignore_ascii_case(name));
        all_may &= text.is_some() && !(looked_at && holes.len() > before);
        text.unwrap_or_default().into()
    });
    if !all_may || holes.is_empty() || holes.len() > MOST {
        return None;
    }
    // It is known by now that no function is called more often for this.
    let mut marked = texts(spec, cx);
    marked.set_marked(&path, values, headers);
    if !marked.has_parameters_in_query() {
        let (is_raw, charset) = (marked.is_raw(), Charset::of(marked.encoding()));
        for hole in &mut holes {
            if let Place::Parameter { encoded } = hole.place {
                // In other charsets a value is other bytes.
                charset.filter(|charset| *charset == Charset::default())?;
                hole.place = Place::Body { in_form: encoded || !is_raw };
            }
        }
    }
    Some((marked, holes))
}

fn with_marks(template: &Template, place: Place, holes: &mut Vec<Hole>, cx: &mut Context) -> Option<String> {
    let mut text = String::new();
    for part in template.parts(cx)? {
        match part {
            Part::Text(part) => text.push_str(&part),
            Part::Variable(variable) => {
                text.push_str(&mark(holes.len()));
                holes.push(Hole { variable: variable.clone(), place });
            }
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests;
