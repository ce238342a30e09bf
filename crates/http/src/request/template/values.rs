//! A template with the values of one request.

use std::rc::Rc;

use swell_api::Text;
use swell_expr::{Charset, Context, Part};
use swell_http1::client::write_header;

use crate::compile::Spec;
use crate::cookies::Origin;
use crate::request::evaluate::{Texts, is_in_query, texts_with};
use crate::text::form;

use super::RequestTemplate;
use super::hole::{Hole, Source};
use super::marks::Cut;

/// A request made from a template.
pub(crate) struct TemplatedRequest {
    pub(crate) template: Rc<RequestTemplate>,
    /// None where all holes are variables whose values go out as they are: those of a user stay the
    /// same while its request is under way.
    values: Option<Box<Values>>,
}

struct Values {
    /// None where all holes are variables.
    evaluated: Option<RequestValues>,
    /// The values that are escaped, by the number of the hole.
    escaped: Vec<(usize, String)>,
}

/// The values of holes, each evaluated once.
struct RequestValues {
    /// Concatenated.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
    /// A function threw in what makes the URL.
    url_threw: bool,
}

impl RequestValues {
    /// Evaluates in the order of [`texts_with`], and what throws keeps the same from being
    /// evaluated.
    fn new(template: &RequestTemplate, cx: &mut Context) -> Self {
        let (path, headers) = template.order;
        let mut evaluated =
            Self { text: String::new(), ends: Vec::with_capacity(template.holes.len()), url_threw: false };
        evaluated.add(&template.holes[..path], cx);
        let threw = cx.thrown.take();
        evaluated.add(&template.holes[path..headers], cx);
        evaluated.url_threw = cx.thrown.is_some() || (is_in_query(&template.method) && threw.is_some());
        cx.thrown = cx.thrown.take().or(threw);
        evaluated.add(&template.holes[headers..], cx);
        evaluated
    }

    fn add(&mut self, holes: &[Hole], cx: &mut Context) {
        for hole in holes {
            match &hole.source {
                Source::Variable(variable) => self.text.push_str(variable.value(cx)),
                Source::Call(call) => call.eval_into(cx, &mut self.text),
            }
            self.ends.push(self.text.len());
        }
    }

    fn value(&self, hole: usize) -> &str {
        let start = hole.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[hole]]
    }
}

impl TemplatedRequest {
    /// Evaluates what is to be evaluated, and escapes what is to be escaped.
    pub(crate) fn new(template: Rc<RequestTemplate>, cx: &mut Context) -> Self {
        let evaluated = template.has_calls.then(|| RequestValues::new(&template, cx));
        let mut escaped = Vec::new();
        for &hole in &template.escaped {
            let value = value_of(&template, hole, evaluated.as_ref(), cx);
            if !form::is_safe(value) {
                let mut text = String::with_capacity(value.len() + 8);
                form::encode_into(value, Charset::default(), &mut text);
                escaped.push((hole, text));
            }
        }
        let are_simple = evaluated.is_none() && escaped.is_empty();
        let values = (!are_simple).then(|| Box::new(Values { evaluated, escaped }));
        Self { template, values }
    }

    /// Whether functions were called, which are not to be called again for this request.
    pub(crate) fn has_calls(&self) -> bool {
        self.template.has_calls
    }

    /// Whether the template takes all values.
    pub(crate) fn fits(&self, cx: &Context) -> bool {
        // A function may have set a property that another part of the text has.
        let is_valid =
            !self.template.has_calls || cx.thrown.is_none() && cx.props.version() == self.template.version;
        let mut holes = self.template.holes.iter().enumerate();
        is_valid && holes.all(|(number, hole)| hole.takes(self.value(number, cx)))
    }

    /// Appends the bytes of the request, with a `Cookie` header if there is one.
    pub(crate) fn write(&self, cx: &Context, cookie: Option<&str>, out: &mut Vec<u8>) {
        let RequestTemplate { bytes: Cut { text, places }, before_cookie, cookie_at, .. } = &*self.template;
        let (before, behind) = places.split_at(*before_cookie);
        let mut from = 0;
        self.write_places(before, &mut from, cx, out);
        if let Some(cookie) = cookie {
            out.extend_from_slice(&text[from..cookie_at.start]);
            write_header("Cookie", cookie, out);
            from = cookie_at.end;
        }
        self.write_places(behind, &mut from, cx, out);
        out.extend_from_slice(&text[from..]);
    }

    /// Appends the bytes from a position up to the last of these holes, and moves the position past
    /// them.
    fn write_places(&self, places: &[(usize, usize)], from: &mut usize, cx: &Context, out: &mut Vec<u8>) {
        for (at, hole) in places {
            out.extend_from_slice(&self.template.bytes.text[*from..*at]);
            if *hole < self.template.holes.len() {
                out.extend_from_slice(self.sent(*hole, cx).as_bytes());
            } else {
                out.extend_from_slice(itoa::Buffer::new().format(self.body_len(cx)).as_bytes());
            }
            *from = *at;
        }
    }

    /// Length of the body with the values.
    pub(crate) fn body_len(&self, cx: &Context) -> usize {
        let values = self.template.body_text.places.iter().map(|(_, hole)| self.sent(*hole, cx).len());
        self.template.body_len + values.sum::<usize>()
    }

    /// The body as JMeter shows it.
    pub(crate) fn body_text(&self, cx: &Context) -> String {
        let mut text = String::with_capacity(self.body_len(cx));
        self.fill(&self.template.body_text, cx, &mut text);
        text
    }

    /// The URL of the request. `scratch`: a buffer to put it together in.
    pub(crate) fn url(&self, cx: &Context, scratch: &mut String) -> Text {
        scratch.clear();
        self.fill(&self.template.url, cx, scratch);
        Text::Shared(Rc::from(&**scratch))
    }

    /// Where its cookies belong.
    pub(crate) fn with_origin<R>(
        &self,
        cx: &mut Context,
        with: impl FnOnce(&Origin<'_>, &mut Context) -> R,
    ) -> R {
        let RequestTemplate { path, host, is_secure, .. } = &*self.template;
        let mut filled = String::new();
        let path = if path.places.is_empty() {
            &path.text
        } else {
            self.fill(path, cx, &mut filled);
            &filled
        };
        with(&Origin::new(host, path, *is_secure), cx)
    }

    fn fill(&self, cut: &Cut<String>, cx: &Context, out: &mut String) {
        let mut from = 0;
        for (at, hole) in &cut.places {
            out.push_str(&cut.text[from..*at]);
            out.push_str(self.sent(*hole, cx));
            from = *at;
        }
        out.push_str(&cut.text[from..]);
    }

    /// What the request is made of where it is made as a whole.
    pub(crate) fn texts(&self, spec: &Spec, cx: &mut Context) -> Texts {
        // What was thrown would keep functions that always give the same from being called.
        let thrown = cx.thrown.take();
        let mut holes = 0..self.template.holes.len();
        let mut texts = texts_with(spec, cx, |_, template, cx| {
            let mut text = String::new();
            for part in template.parts(cx) {
                match part {
                    Part::Text(part) => text.push_str(&part),
                    Part::Variable(_) | Part::Call(_) => {
                        let hole = holes.next().expect("the template was built from the same parts");
                        text.push_str(self.value(hole, cx));
                    }
                }
            }
            text.into()
        });
        cx.thrown = thrown;
        texts.url_threw = self.evaluated().is_some_and(|evaluated| evaluated.url_threw);
        texts
    }

    fn evaluated(&self) -> Option<&RequestValues> {
        self.values.as_ref()?.evaluated.as_ref()
    }

    #[inline]
    fn value<'a>(&'a self, hole: usize, cx: &'a Context) -> &'a str {
        value_of(&self.template, hole, self.evaluated(), cx)
    }

    /// The value as it is sent.
    #[inline]
    fn sent<'a>(&'a self, hole: usize, cx: &'a Context) -> &'a str {
        match &self.values {
            None => value_of(&self.template, hole, None, cx),
            Some(values) => values.sent(&self.template, hole, cx),
        }
    }
}

impl Values {
    fn sent<'a>(&'a self, template: &'a RequestTemplate, hole: usize, cx: &'a Context) -> &'a str {
        let escaped = self.escaped.iter().find(|(of, _)| *of == hole);
        escaped.map_or_else(|| value_of(template, hole, self.evaluated.as_ref(), cx), |(_, escaped)| escaped)
    }
}

/// The value of a hole by its number.
#[inline]
fn value_of<'a>(
    template: &'a RequestTemplate,
    hole: usize,
    evaluated: Option<&'a RequestValues>,
    cx: &'a Context,
) -> &'a str {
    match (evaluated, &template.holes[hole].source) {
        (Some(evaluated), _) => evaluated.value(hole),
        (None, Source::Variable(variable)) => variable.value(cx),
        (None, Source::Call(_)) => unreachable!("values are evaluated where functions are called"),
    }
}
