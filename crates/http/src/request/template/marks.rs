//! Marks for the holes: they are put into the texts of a sampler, and removed from the request that
//! is made from these.

use memchr::memmem;
use swell_expr::{Charset, Context, Part, Template};

use crate::compile::Spec;
use crate::request::Request;
use crate::request::evaluate::{Differing, Texts, texts_with};

use super::hole::{Hole, MOST, Place, Source};

/// Headers that a request is made by: their values are more than bytes.
const LOOKED_AT: [&str; 6] =
    ["Host", "Connection", "Content-Length", "Content-Type", "Transfer-Encoding", "Cookie"];

/// The mark of a hole: nothing escapes it, and no plan has such a text.
pub(super) fn mark(hole: usize) -> String {
    format!("{MARK_START}{hole:02}elohllews")
}

const MARK_START: &str = "swellhole";

/// A text after its marks were removed.
pub(super) struct Cut<T> {
    pub(super) text: T,
    /// Where a hole's value goes, in their order: places in `text`, and which holes. In bytes, one
    /// more than there are is the length of the body.
    pub(super) places: Vec<(usize, usize)>,
}

/// The texts of a sampler with marks in the places of variables and calls, and what belongs there,
/// in the order in which it is evaluated. None where more than the path and the values of
/// parameters and headers may change while the properties stay the same, and where nothing does.
pub(super) fn marked(spec: &Spec, cx: &mut Context) -> Option<(Texts, Vec<Hole>)> {
    if !spec.has_settled_frame() {
        return None;
    }
    let mut holes = Vec::new();
    let mut all_may = true;
    let marked = texts_with(spec, cx, |which, template, cx| {
        let place = match which {
            Differing::Path => Place::Path,
            Differing::Parameter(argument) => Place::Parameter { encoded: argument.encode.get(cx) },
            Differing::Header(_) => Place::Header,
        };
        let before = holes.len();
        let text = with_marks(template, place, &mut holes, cx);
        if let Differing::Header(name) = which {
            let looked_at = LOOKED_AT.iter().any(|known| known.eq_ignore_ascii_case(name));
            all_may &= !looked_at || holes.len() == before;
        }
        text.into()
    });
    if !all_may || holes.is_empty() || holes.len() > MOST || may_become_whole(marked.path()) {
        return None;
    }
    let is_raw = marked.is_raw();
    let in_query = marked.has_parameters_in_query();
    let is_utf8 = Charset::of(marked.encoding()) == Some(Charset::default());
    for hole in &mut holes {
        let Place::Parameter { encoded } = hole.place else { continue };
        hole.is_escaped = encoded && is_utf8;
        if !in_query {
            if !is_utf8 {
                // In other charsets a value is other bytes.
                return None;
            }
            hole.place = Place::Body { in_form: encoded || !is_raw };
        }
    }
    Some((marked, holes))
}

/// Whether a path may be a whole URL for some values and not for others, as
/// `${protocol}://${host}/`: no value that fits has a slash.
fn may_become_whole(path: &str) -> bool {
    let slashes = path.split_once('/');
    slashes.is_some_and(|(before, behind)| before.contains(MARK_START) && behind.starts_with('/'))
}

fn with_marks(template: &Template, place: Place, holes: &mut Vec<Hole>, cx: &mut Context) -> String {
    let mut text = String::new();
    for part in template.parts(cx) {
        let source = match part {
            Part::Text(part) => {
                text.push_str(&part);
                continue;
            }
            Part::Variable(variable) => Source::Variable(variable.clone()),
            Part::Call(call) => Source::Call(call),
        };
        text.push_str(&mark(holes.len()));
        holes.push(Hole { source, place, is_escaped: false });
    }
    text
}

/// The bytes of a request with a mark instead of its `Content-Length`. None if that is not there
/// once.
pub(super) fn with_length(request: &Request, mark: &str) -> Option<Vec<u8>> {
    let (head, body) = request.bytes.split_at(request.head_len(&request.bytes));
    let line = format!("\r\nContent-Length: {}\r\n", body.len());
    let at = memmem::find(head, line.as_bytes())?;
    if memmem::rfind(head, line.as_bytes()) != Some(at) {
        return None;
    }
    let before = &head[..at];
    let behind = &head[at + line.len()..];
    Some([before, b"\r\nContent-Length: ", mark.as_bytes(), b"\r\n", behind, body].concat())
}

/// [`cut`] of characters.
pub(super) fn cut_text(text: &str, marks: &[String], wanted: impl Fn(usize) -> bool) -> Option<Cut<String>> {
    let Cut { text, places } = cut(text.as_bytes(), marks, wanted)?;
    Some(Cut { text: String::from_utf8(text).ok()?, places })
}

/// Takes the marks out of a text; it must contain those of `wanted` holes once, and no others.
/// `None` if it does not.
pub(super) fn cut(text: &[u8], marks: &[String], wanted: impl Fn(usize) -> bool) -> Option<Cut<Vec<u8>>> {
    let mut found = Vec::with_capacity(marks.len());
    for (hole, mark) in marks.iter().enumerate() {
        let first = memmem::find(text, mark.as_bytes());
        let last = memmem::rfind(text, mark.as_bytes());
        if first != last || first.is_some() != wanted(hole) {
            return None;
        }
        found.extend(first.map(|at| (at, hole, mark.len())));
    }
    found.sort_unstable();
    let mut cut = Vec::with_capacity(text.len());
    let mut places = Vec::new();
    let mut from = 0;
    for (at, hole, length) in found {
        cut.extend_from_slice(&text[from..at]);
        places.push((cut.len(), hole));
        from = at + length;
    }
    cut.extend_from_slice(&text[from..]);
    Some(Cut { text: cut, places })
}
