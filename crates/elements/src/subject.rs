//! The texts that an element reads, on the loop and on their way to a helper thread and back.

use std::borrow::Cow;
use std::convert::Infallible;
use std::mem;
use std::sync::Arc;

use swell_api::{Body, Coding, Reading, SampleResult, Scope, yield_now};
use swell_expr::Value;

use swell_query::unescape_html4;

/// A part of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplePart {
    /// The body.
    Body,
    /// The body with its HTML entities replaced.
    UnescapedBody,
    /// The headers of the response, with the status line.
    ResponseHeaders,
    /// The headers of the request.
    RequestHeaders,
    /// What was sent.
    RequestData,
    /// The URL.
    Url,
    /// The response code.
    Code,
    /// The response message.
    Message,
}

/// The input of an element.
pub enum Subject {
    /// A part of the samples of a scope.
    Samples(Scope, SamplePart),
    /// The value of a variable, if there is one.
    Value(Option<Value>),
}

/// One text.
pub enum Piece<'a> {
    /// A body.
    Body {
        /// Its bytes.
        bytes: &'a [u8],
        /// Their charset.
        coding: Coding,
        /// Whether HTML entities are replaced.
        unescaped: bool,
        /// The body that these bytes are, where they are all of it.
        whole: Option<&'a Body>,
    },
    /// A text.
    Text(&'a str),
}

impl<'a> Piece<'a> {
    /// Its bytes.
    pub fn bytes(&self) -> &'a [u8] {
        match *self {
            Self::Body { bytes, .. } => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }

    /// About the first `length` of its bytes.
    pub(crate) fn beginning(&self, length: usize) -> Self {
        match *self {
            Self::Body { bytes, coding, unescaped, whole } => {
                let whole = whole.filter(|_| bytes.len() <= length);
                Self::Body { bytes: &bytes[..length.min(bytes.len())], coding, unescaped, whole }
            }
            Self::Text(text) => Self::Text(&text[..text.floor_char_boundary(length)]),
        }
    }

    /// Its characters.
    pub fn text(&self) -> Cow<'a, str> {
        match *self {
            Self::Body { bytes, coding, unescaped: false, .. } => coding.decode(bytes),
            Self::Body { bytes, coding, unescaped: true, .. } => {
                // A variable cannot hold half of a pair, and a sample is not lost because a number
                // is not a character.
                let Ok(text) = unescape_html4(coding.decode(bytes), |_| {
                    Ok::<_, Infallible>(Some(char::REPLACEMENT_CHARACTER))
                });
                text
            }
            Self::Text(text) => Cow::Borrowed(text),
        }
    }

    /// Whether its text is the body as it came: then what is made of the text is kept with the body.
    fn plain_body(&self, text: &str) -> Option<&'a Body> {
        match *self {
            Self::Body { bytes, whole, .. } if std::ptr::eq(bytes, text.as_bytes()) => whole,
            _ => None,
        }
    }

    /// What an earlier reader made of its text in the same way, or what `make` makes now.
    pub(crate) fn reading<R: Reading>(
        &self,
        text: &str,
        is_same: impl Fn(&R) -> bool,
        make: impl FnOnce() -> R,
    ) -> Arc<R> {
        match self.plain_body(text) {
            Some(body) => body.reading(is_same, make),
            None => Arc::new(make()),
        }
    }

    /// Whether a reader came before this one, which keeps nothing.
    pub(crate) fn note_reader(&self, text: &str) -> bool {
        self.plain_body(text).is_some_and(Body::note_reader)
    }
}

/// A text that is sent to a helper thread.
pub(crate) enum SubjectText {
    Body { bytes: Body, coding: Coding, unescaped: bool },
    Text(String),
}

impl SubjectText {
    pub(crate) fn piece(&self) -> Piece<'_> {
        match self {
            Self::Body { bytes, coding, unescaped } => {
                Piece::Body { bytes, coding: *coding, unescaped: *unescaped, whole: Some(bytes) }
            }
            Self::Text(text) => Piece::Text(text),
        }
    }
}

impl SamplePart {
    fn piece(self, sample: &SampleResult) -> Piece<'_> {
        Piece::Text(match self {
            Self::Body | Self::UnescapedBody => {
                let unescaped = self == Self::UnescapedBody;
                let coding = sample.coding();
                return Piece::Body { bytes: &sample.body, coding, unescaped, whole: Some(&sample.body) };
            }
            Self::ResponseHeaders => &sample.response_headers,
            Self::RequestHeaders => &sample.request_headers,
            Self::RequestData => sample.sampler_data.as_deref().unwrap_or_default(),
            Self::Url => sample.url.as_deref().unwrap_or_default(),
            Self::Code => &sample.code,
            Self::Message => &sample.message,
        })
    }

    fn take(self, sample: &mut SampleResult) -> SubjectText {
        match self.piece(sample) {
            Piece::Body { coding, unescaped, .. } => {
                SubjectText::Body { bytes: mem::take(&mut sample.body), coding, unescaped }
            }
            Piece::Text(text) => SubjectText::Text(text.to_owned()),
        }
    }
}

impl Subject {
    /// The body of a sample alone.
    pub const BODY: Self = Self::Samples(Scope::Parent, SamplePart::Body);

    /// How large its texts are together.
    pub fn bytes(&self, sample: &SampleResult) -> usize {
        match self {
            Self::Samples(Scope::Parent, part) => part.piece(sample).bytes().len(),
            Self::Samples(scope, part) => {
                scope.samples(sample).into_iter().map(|sample| part.piece(sample).bytes().len()).sum()
            }
            Self::Value(value) => value.as_ref().map_or(0, |value| value.len()),
        }
    }

    /// Whether an earlier reader has kept something of this kind of the body.
    pub(crate) fn has_reading<R: Reading>(&self, sample: &SampleResult) -> bool {
        matches!(self, Self::Samples(Scope::Parent, SamplePart::Body)) && sample.body.has_reading::<R>()
    }

    /// Shows its texts where they are.
    pub fn read<R>(&self, sample: &SampleResult, with: impl FnOnce(&[Piece<'_>]) -> R) -> R {
        match self {
            Self::Samples(Scope::Parent, part) => with(&[part.piece(sample)]),
            Self::Samples(scope, part) => {
                let samples = scope.samples(sample).into_iter();
                with(&samples.map(|sample| part.piece(sample)).collect::<Vec<_>>())
            }
            Self::Value(None) => with(&[]),
            Self::Value(Some(value)) => with(&[Piece::Text(value)]),
        }
    }

    /// Takes its texts away, so that another thread can look at them. Bodies are moved, not copied.
    pub(crate) async fn take(&self, sample: &mut SampleResult) -> Vec<SubjectText> {
        match self {
            Self::Samples(scope, part) => {
                let mut taken = Vec::new();
                scope.each(sample, &mut |sample| taken.push(part.take(sample)));
                taken
            }
            Self::Value(None) => Vec::new(),
            Self::Value(Some(value)) => vec![SubjectText::Text(copied(value).await)],
        }
    }

    /// Puts back what was taken.
    pub(crate) fn give_back(&self, sample: &mut SampleResult, taken: Vec<SubjectText>) {
        let Self::Samples(scope, _) = self else { return };
        let mut taken = taken.into_iter();
        scope.each(sample, &mut |sample| {
            if let Some(SubjectText::Body { bytes, .. }) = taken.next() {
                sample.body = bytes;
            }
        });
    }
}

/// A copy of a text that belongs to this thread, which may be long: others go first now and then.
async fn copied(text: &str) -> String {
    /// Bytes that are copied in one go: a fifth of a millisecond where the memory is new.
    const IN_ONE_GO: usize = 512 << 10;
    let mut copy = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(IN_ONE_GO));
        copy.push_str(piece);
        rest = after;
        if !rest.is_empty() {
            yield_now().await;
        }
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(body: &str, sub_results: Vec<SampleResult>) -> SampleResult {
        SampleResult { body: body.into(), sub_results, ..SampleResult::default() }
    }

    #[test]
    fn others_go_first_while_a_long_variable_is_copied() {
        let text: Value = "\u{e4}\u{20ac}x".repeat(500_000).into();
        let mut sample = sample("", vec![]);
        let subject = Subject::Value(Some(text.clone()));
        let mut taking = std::pin::pin!(subject.take(&mut sample));
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        let mut polls = 1;
        let taken = loop {
            match taking.as_mut().poll(&mut task) {
                std::task::Poll::Ready(taken) => break taken,
                std::task::Poll::Pending => polls += 1,
            }
        };
        assert_eq!((&*taken[0].piece().text(), polls), (&*text, 6));
    }

    #[test]
    fn what_is_taken_is_what_is_read_and_comes_back_to_its_place() {
        let make = || sample("m", vec![sample("a", vec![sample("a1", vec![])]), sample("b", vec![])]);
        for scope in [Scope::Parent, Scope::Children, Scope::All, Scope::Variable] {
            let subject = Subject::Samples(scope, SamplePart::Body);
            let mut main = make();
            let read = subject.read(&main, |pieces| {
                pieces.iter().map(|piece| piece.text().into_owned()).collect::<Vec<_>>()
            });
            let taken = crate::testing::wait(subject.take(&mut main));
            let texts: Vec<_> = taken.iter().map(|taken| taken.piece().text().into_owned()).collect();
            assert_eq!(texts, read, "{scope:?}");
            assert_eq!(main.body.is_empty(), scope.has_parent());
            subject.give_back(&mut main, taken);
            let bodies = |main: &SampleResult| {
                Scope::All.samples(main).iter().map(|sample| sample.body.clone()).collect::<Vec<_>>()
            };
            assert_eq!(bodies(&main), bodies(&make()), "{scope:?}");
        }
    }
}
