//! Prepared requests of one sampler that differ only in the values of variables and functions: the
//! constant bytes, with holes.
//!
//! A template is made by making a normal request with a mark instead of each variable and call. The
//! bytes around the marks, also in the URL, are the same for every request whose values, like the
//! marks, pass through unchanged: values whose characters are never escaped, decoded or inspected.
//! Values of parameters that the plan encodes are escaped first. With any other value, the request
//! is made from scratch.

mod hole;
mod marks;
mod values;

use std::ops::Range;
use std::rc::Rc;

use memchr::memmem;
use swell_connect::Target;
use swell_expr::Context;

use crate::compile::Spec;

use super::evaluate::Texts;
use super::wire::Request;
use hole::{Hole, Place, Source};
use marks::{Cut, cut, cut_text, mark, marked, with_length};
pub(crate) use values::TemplatedRequest;

/// A request with holes for the values of variables and functions.
pub(crate) struct RequestTemplate {
    pub(crate) method: Rc<str>,
    pub(crate) target: Rc<Target>,
    /// The request asks for the connection to be closed.
    pub(crate) closes: bool,
    /// The cookies that the plan's headers give, as JMeter shows them.
    pub(crate) own_cookies: String,
    /// In the order in which they are evaluated: parameters, path, headers.
    holes: Vec<Hole>,
    /// Where the holes of the path begin, and those of headers.
    order: (usize, usize),
    /// A function is called.
    has_calls: bool,
    /// [`swell_expr::Properties::version`] that it was made with.
    version: u64,
    /// The holes whose values are escaped.
    escaped: Vec<usize>,
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

impl RequestTemplate {
    /// None where requests differ in more than values that go out as they are. `make`: makes a
    /// request of texts.
    pub(crate) fn new(
        spec: &Spec,
        cx: &mut Context,
        make: impl FnOnce(Texts) -> Option<Rc<Request>>,
    ) -> Option<Self> {
        let version = cx.props.version();
        let (texts, holes) = marked(spec, cx)?;
        let request = make(texts)?;
        if !request.files.is_empty() || request.expects_continue || request.target.is_proxied() {
            return None;
        }
        let all: Vec<String> = (0..holes.len()).map(mark).collect();
        // A value in the name of the host decides which connection is taken, which bytes alone
        // cannot.
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
            order: (
                holes.partition_point(|hole| hole.place.is_of_parameter()),
                holes.partition_point(|hole| hole.place != Place::Header),
            ),
            version,
            escaped: (0..holes.len()).filter(|hole| holes[*hole].is_escaped).collect(),
            has_calls: holes.iter().any(|hole| matches!(hole.source, Source::Call(_))),
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
}

#[cfg(test)]
mod tests;
