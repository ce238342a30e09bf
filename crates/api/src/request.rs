//! Changes of a request before it is sent.

use std::rc::Rc;

use swell_expr::Context;

/// A parameter of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestArgument {
    /// Name; empty where the value alone is sent.
    pub name: String,
    /// Value.
    pub value: String,
    /// What stands between name and value: `=` or nothing.
    pub separator: String,
    /// Name and value are encoded when they are sent; else they count as encoded.
    pub encode: bool,
}

/// A request as its sampler would send it, as texts: what pre-processors read and change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestTexts {
    /// Protocol; empty: the default one.
    pub protocol: String,
    /// Host name or address.
    pub host: String,
    /// Port; empty or no number: the default one.
    pub port: String,
    /// Method.
    pub method: String,
    /// Path, or a whole URL. Where the method sends parameters in the query, a query that a change writes here becomes parameters, as
    /// with JMeter's `setPath`.
    pub path: String,
    /// Charset of the content; empty: UTF-8.
    pub encoding: String,
    /// Parameters in their order.
    pub arguments: Vec<RequestArgument>,
    /// The values of the parameters, one after the other, are the body.
    pub is_raw_body: bool,
    /// Header lines as the plan says them, in their order.
    pub headers: Vec<(String, String)>,
}

/// A change of the coming request, made by a pre-processor and applied by the sampler after it.
pub trait RequestChange {
    /// Makes it.
    fn apply(&self, request: &mut RequestTexts, cx: &mut Context);
}

/// A change as values, which may come from another thread: what is there takes the place of what the sampler says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestEdit {
    /// Protocol.
    pub protocol: Option<String>,
    /// Host name or address.
    pub host: Option<String>,
    /// Port.
    pub port: Option<String>,
    /// Method.
    pub method: Option<String>,
    /// Path, or a whole URL.
    pub path: Option<String>,
    /// Charset of the content.
    pub encoding: Option<String>,
    /// All parameters.
    pub arguments: Option<Vec<RequestArgument>>,
    /// Whether the values of the parameters are the body.
    pub is_raw_body: Option<bool>,
    /// All header lines.
    pub headers: Option<Vec<(String, String)>>,
}

impl RequestChange for RequestEdit {
    fn apply(&self, request: &mut RequestTexts, _cx: &mut Context) {
        let Self { protocol, host, port, method, path, encoding, arguments, is_raw_body, headers } = self;
        set(&mut request.protocol, protocol.as_ref());
        set(&mut request.host, host.as_ref());
        set(&mut request.port, port.as_ref());
        set(&mut request.method, method.as_ref());
        set(&mut request.path, path.as_ref());
        set(&mut request.encoding, encoding.as_ref());
        set(&mut request.arguments, arguments.as_ref());
        set(&mut request.is_raw_body, is_raw_body.as_ref());
        set(&mut request.headers, headers.as_ref());
    }
}

fn set<T: Clone>(place: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        place.clone_from(value);
    }
}

/// What stands between pre-processors and their sampler ([`crate::User::request`]). Small while there is nothing.
#[derive(Default)]
pub struct PendingRequest(Option<Box<Inner>>);

#[derive(Default)]
struct Inner {
    /// The package that all this is for.
    package: u64,
    texts: Option<RequestTexts>,
    changes: Vec<Rc<dyn RequestChange>>,
}

impl PendingRequest {
    /// Adds a change for the sampler of a package ([`crate::User::package`]); those of other packages are forgotten.
    pub fn change(&mut self, package: u64, change: Rc<dyn RequestChange>) {
        self.of(package).changes.push(change);
    }

    /// Takes the changes for the sampler of a package, in their order.
    #[inline]
    pub fn take_changes(&mut self, package: u64) -> Vec<Rc<dyn RequestChange>> {
        match self.0.take() {
            Some(inner) if inner.package == package => inner.changes,
            _ => Vec::new(),
        }
    }

    /// The same changes, for a sampler that may have to begin once more.
    #[must_use]
    pub fn changes(&self, package: u64) -> Vec<Rc<dyn RequestChange>> {
        let inner = self.0.as_ref().filter(|inner| inner.package == package);
        inner.map(|inner| inner.changes.clone()).unwrap_or_default()
    }

    /// Keeps what the sampler of a package would send, for a step that reads it ([`crate::Step::reads_request`]).
    pub fn show(&mut self, package: u64, texts: Option<RequestTexts>) {
        self.of(package).texts = texts;
    }

    /// What the sampler would send; none where it sends no requests.
    pub fn texts(&self) -> Option<&RequestTexts> {
        self.0.as_ref()?.texts.as_ref()
    }

    fn of(&mut self, package: u64) -> &mut Inner {
        let inner = self.0.get_or_insert_default();
        if inner.package != package {
            **inner = Inner { package, ..Inner::default() };
        }
        inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_wait_for_the_sampler_of_their_package_alone() {
        let mut pending = PendingRequest::default();
        let edit = |path: &str| RequestEdit { path: Some(path.to_owned()), ..RequestEdit::default() };
        pending.change(1, Rc::new(edit("/lost")));
        pending.change(2, Rc::new(edit("/a")));
        pending.show(2, Some(RequestTexts { host: "h".into(), ..RequestTexts::default() }));
        pending.change(2, Rc::new(edit("/b")));
        assert_eq!(pending.texts().map(|texts| &*texts.host), Some("h"));
        assert_eq!(pending.take_changes(2).len(), 2);
        assert_eq!(pending.take_changes(2).len(), 0);
        pending.change(3, Rc::new(edit("/c")));
        assert_eq!(pending.take_changes(4).len(), 0);
    }
}
