//! Changes of a request before it is sent.

use std::rc::Rc;

use swell_expr::Context;

use crate::UserState;

/// A parameter of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestArgument {
    /// Name; empty where the value alone is sent.
    pub name: String,
    /// Value.
    pub value: String,
    /// The text between name and value: `=` or nothing.
    pub separator: String,
    /// Name and value are encoded when they are sent; else they count as encoded.
    pub encode: bool,
    /// Content type of its part of a form of parts.
    pub content_type: String,
}

/// A file that a request sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFile {
    /// Path.
    pub path: String,
    /// Name of the parameter; empty where the file alone is the body.
    pub name: String,
    /// Content type.
    pub content_type: String,
}

/// A cookie of the sampler's Cookie Manager.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestCookie {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// Domain.
    pub domain: String,
    /// Path.
    pub path: String,
    /// It is sent by HTTPS alone.
    pub secure: bool,
    /// Its domain was said, and is not that of the request.
    pub domain_given: bool,
    /// Its path was said.
    pub path_given: bool,
}

/// A request as its sampler would send it, as texts that pre-processors read and change.
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
    /// Path, or a whole URL. Where the method sends parameters in the query, a query that a change
    /// writes here becomes parameters, as with JMeter's `setPath`.
    pub path: String,
    /// Charset of the content; empty: UTF-8.
    pub encoding: String,
    /// Parameters in their order.
    pub arguments: Vec<RequestArgument>,
    /// The values of the parameters, one after the other, are the body.
    pub is_raw_body: bool,
    /// Header lines as the plan says them, in their order.
    pub headers: Vec<(String, String)>,
    /// How many Header Managers say them.
    pub header_managers: usize,
    /// Files in their order.
    pub files: Vec<RequestFile>,
    /// What was set of its other settings before it runs, by JMeter's names of their properties,
    /// each once. The sampler follows those that it knows; an empty value is that of a setting
    /// which the plan does not have.
    pub settings: Vec<(String, String)>,
    /// All cookies of its Cookie Manager; none if it has no manager.
    pub cookies: Option<Vec<RequestCookie>>,
    /// Other plain properties of the element, as far as they are constant, as the plan has them.
    pub others: Vec<(Rc<str>, Rc<str>)>,
}

/// A change of the next request, made by a pre-processor and applied by the following sampler.
pub trait RequestChange {
    /// Makes it.
    fn apply(&self, request: &mut RequestTexts, cx: &mut Context);
}

/// A changed entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListEdit<T> {
    /// The entry that was at this place, with what it says when the sampler runs.
    Kept(usize),
    /// Another one.
    New(T),
}

impl<T: Clone + PartialEq> ListEdit<T> {
    /// What makes one list of another; none if they are equal.
    pub fn between(before: &[T], after: Vec<T>) -> Option<Vec<Self>> {
        if before == after {
            return None;
        }
        let mut next = 0;
        let edited = after.into_iter().map(|entry| {
            match before.iter().enumerate().skip(next).find(|(_, was)| **was == entry) {
                Some((place, _)) => {
                    next = place + 1;
                    Self::Kept(place)
                }
                None => Self::New(entry),
            }
        });
        Some(edited.collect())
    }

    /// What makes the same of a list as `before` and then `then`.
    pub fn after(before: &[Self], then: Vec<Self>) -> Vec<Self> {
        let entry = |then: Self| match then {
            Self::Kept(place) => before.get(place).cloned(),
            then @ Self::New(_) => Some(then),
        };
        then.into_iter().filter_map(entry).collect()
    }

    /// Makes the changes.
    pub fn apply(edited: &[Self], list: &mut Vec<T>) {
        let entry = |edited: &Self| match edited {
            Self::Kept(place) => list.get(*place).cloned(),
            Self::New(entry) => Some(entry.clone()),
        };
        *list = edited.iter().filter_map(entry).collect();
    }
}

/// A change as values, which may come from another thread: values that are present replace those of
/// the sampler.
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
    pub arguments: Option<Vec<ListEdit<RequestArgument>>>,
    /// Whether the values of the parameters are the body.
    pub is_raw_body: Option<bool>,
    /// All header lines.
    pub headers: Option<Vec<ListEdit<(String, String)>>>,
    /// All files.
    pub files: Option<Vec<ListEdit<RequestFile>>>,
    /// Other settings ([`RequestTexts::settings`]).
    pub settings: Vec<(String, String)>,
}

impl RequestChange for RequestEdit {
    fn apply(&self, request: &mut RequestTexts, _cx: &mut Context) {
        let Self { protocol, host, port, method, path, encoding, .. } = self;
        let Self { arguments, is_raw_body, headers, files, settings, .. } = self;
        set(&mut request.protocol, protocol.as_ref());
        set(&mut request.host, host.as_ref());
        set(&mut request.port, port.as_ref());
        set(&mut request.method, method.as_ref());
        set(&mut request.path, path.as_ref());
        set(&mut request.encoding, encoding.as_ref());
        if let Some(edited) = arguments {
            ListEdit::apply(edited, &mut request.arguments);
        }
        set(&mut request.is_raw_body, is_raw_body.as_ref());
        if let Some(edited) = headers {
            ListEdit::apply(edited, &mut request.headers);
        }
        if let Some(edited) = files {
            ListEdit::apply(edited, &mut request.files);
        }
        for (name, value) in settings {
            put_last(&mut request.settings, name.clone(), value.clone());
        }
    }
}

/// Gives a name a value, at the end and once.
pub(crate) fn put_last<N: PartialEq>(list: &mut Vec<(N, String)>, name: N, value: String) {
    list.retain(|(known, _)| *known != name);
    list.push((name, value));
}

fn set<T: Clone>(place: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        place.clone_from(value);
    }
}

/// A sampler that sends no HTTP requests, as steps of its package read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SamplerTexts {
    /// Its class, as the plan has it.
    pub class: Rc<str>,
    /// Its plain properties by JMeter's names, as texts.
    pub properties: Vec<(Rc<str>, String)>,
    /// Those of them that it follows where they are set before it runs.
    pub followed: &'static [&'static str],
}

/// A sampler with the properties that are known without evaluating functions, for scripts that are
/// not steps of its package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SamplerSnapshot {
    /// The package that it is of ([`crate::User::package`]).
    pub package: u64,
    /// Its name.
    pub name: Rc<str>,
    /// Its class and plain properties.
    pub texts: SamplerTexts,
}

/// Samplers that are stored for a user ([`crate::User::kept_samplers`]).
#[derive(Clone, Debug, Default)]
pub struct StoredSamplers {
    /// That of the package, if a function of the plan may read it.
    pub now: Option<Box<SamplerSnapshot>>,
    /// The previous package's at its end, if a script of the plan may read it.
    pub before: Option<Box<SamplerSnapshot>>,
}

impl UserState for StoredSamplers {
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn std::any::Any {
        self
    }
}

/// A sampler as steps of its package read it ([`crate::Step::reads_request`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SamplerView {
    /// Not at all.
    #[default]
    No,
    /// By its request.
    Request(Box<RequestTexts>),
    /// By its properties.
    Properties(SamplerTexts),
}

/// Changes that a step made to the managers in the scope of its sampler. They apply to all samplers
/// in their scope until the user ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManagerChanges {
    /// The cookies of the Cookie Manager.
    pub cookies: Option<Vec<ListEdit<RequestCookie>>>,
    /// The lines of the only Header Manager. Several are merged for each sample: a change of what
    /// they say is one of the request.
    pub headers: Option<Vec<ListEdit<(String, String)>>>,
}

/// State passed from pre-processors to their sampler ([`crate::User::request`]). It is small when
/// empty.
#[derive(Default)]
pub struct PendingRequest(Option<Box<Inner>>);

#[derive(Default)]
struct Inner {
    /// The package that all this is for.
    package: u64,
    shown: SamplerView,
    changes: Vec<Rc<dyn RequestChange>>,
    of_managers: Option<ManagerChanges>,
    set: Vec<(Rc<str>, String)>,
    is_renamed: bool,
}

impl PendingRequest {
    /// Adds a change for the sampler of a package ([`crate::User::package`]); those of other
    /// packages are forgotten.
    pub fn change(&mut self, package: u64, change: Rc<dyn RequestChange>) {
        self.of(package).changes.push(change);
    }

    /// The changes for the sampler of a package, in their order. They stay until the next package
    /// has some: steps after the sampler see what it sent.
    #[inline]
    #[must_use]
    pub fn changes(&self, package: u64) -> Vec<Rc<dyn RequestChange>> {
        self.of_package(package).map(|inner| inner.changes.clone()).unwrap_or_default()
    }

    /// Whether there are any.
    #[inline]
    pub fn has_changes(&self, package: u64) -> bool {
        self.of_package(package).is_some_and(|inner| !inner.changes.is_empty())
    }

    /// Keeps what a sampler is now, for a step of its package that reads it
    /// ([`crate::Step::reads_request`]).
    pub fn show(&mut self, package: u64, shown: SamplerView) {
        self.of(package).shown = shown;
    }

    /// What was shown last.
    pub fn shown(&self) -> &SamplerView {
        self.0.as_ref().map_or(&SamplerView::No, |inner| &inner.shown)
    }

    /// What the sampler would send; none where it sends no requests.
    pub fn texts(&self) -> Option<&RequestTexts> {
        match self.shown() {
            SamplerView::Request(texts) => Some(texts),
            SamplerView::No | SamplerView::Properties(_) => None,
        }
    }

    /// Keeps changes of managers for the sampler of a package, which makes them at once.
    pub fn change_managers(&mut self, package: u64, changes: ManagerChanges) {
        self.of(package).of_managers = Some(changes);
    }

    /// Takes those changes.
    pub fn take_manager_changes(&mut self) -> Option<ManagerChanges> {
        self.0.as_mut()?.of_managers.take()
    }

    /// A pre-processor has set a property of the sampler of a package.
    pub fn set_property(&mut self, package: u64, name: &str, value: &str) {
        put_last(&mut self.of(package).set, name.into(), value.to_owned());
    }

    /// The properties that were set, each once.
    pub fn properties_set(&self, package: u64) -> &[(Rc<str>, String)] {
        self.of_package(package).map_or(&[], |inner| &inner.set)
    }

    /// A pre-processor has given the sampler of a package another name.
    pub fn rename(&mut self, package: u64) {
        self.of(package).is_renamed = true;
    }

    /// Whether one has.
    #[inline]
    #[must_use]
    pub fn is_renamed(&self, package: u64) -> bool {
        self.of_package(package).is_some_and(|inner| inner.is_renamed)
    }

    fn of_package(&self, package: u64) -> Option<&Inner> {
        self.0.as_deref().filter(|inner| inner.package == package)
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
    fn entries_that_stayed_say_what_they_say_when_the_sampler_runs() {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let edited = ListEdit::between(&list(&["a", "b", "c"]), list(&["a", "new", "c", "c"]));
        let edited = edited.expect("they differ");
        let mut later = list(&["A", "B", "C"]);
        ListEdit::apply(&edited, &mut later);
        assert_eq!(later, ["A", "new", "C", "c"]);
        assert_eq!(ListEdit::between(&later, later.clone()), None);
        let then = ListEdit::between(&later, list(&["new", "c", "d"])).expect("they differ");
        let mut once = list(&["1", "2", "3"]);
        ListEdit::apply(&ListEdit::after(&edited, then), &mut once);
        assert_eq!(once, ["new", "c", "d"]);
    }

    #[test]
    fn changes_wait_for_the_sampler_of_their_package_alone() {
        let mut pending = PendingRequest::default();
        let edit = |path: &str| RequestEdit { path: Some(path.to_owned()), ..RequestEdit::default() };
        pending.change(1, Rc::new(edit("/lost")));
        pending.change(2, Rc::new(edit("/a")));
        let texts = RequestTexts { host: "h".into(), ..RequestTexts::default() };
        pending.show(2, SamplerView::Request(Box::new(texts)));
        pending.change(2, Rc::new(edit("/b")));
        pending.rename(2);
        pending.set_property(2, "a", "1");
        pending.set_property(2, "a", "2");
        assert_eq!(
            (pending.properties_set(2), pending.properties_set(1)),
            (&[("a".into(), "2".into())][..], &[][..])
        );
        assert_eq!(pending.texts().map(|texts| &*texts.host), Some("h"));
        assert_eq!((pending.changes(2).len(), pending.is_renamed(2)), (2, true));
        pending.change(3, Rc::new(edit("/c")));
        assert_eq!((pending.changes(3).len(), pending.is_renamed(3)), (1, false));
        assert_eq!(pending.changes(4).len(), 0);
    }
}
