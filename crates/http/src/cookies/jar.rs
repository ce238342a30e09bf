//! The cookies of one user and one Cookie Manager, in the order in which they were set.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{Account, ListEdit, RequestCookie, Room};
use swell_expr::{Context, Template};

use super::cookie::Cookie;
use super::format::format;
use super::limits::Limits;
use super::matching::Origin;
use super::policy::Policy;
use super::set_cookie::SetCookie;

/// A cookie from the plan. Its texts are evaluated for each request; texts without variables are
/// constant.
pub(crate) struct PlanCookie {
    pub(crate) name: Template,
    pub(crate) value: Template,
    pub(crate) domain: Template,
    pub(crate) path: Template,
    pub(crate) secure: bool,
    pub(crate) domain_given: bool,
    pub(crate) path_given: bool,
    /// Name, domain and path as written, by which a cookie from a response replaces it.
    pub(crate) key: [Box<str>; 3],
}

#[derive(Clone)]
enum Entry {
    /// By its place in the Cookie Manager.
    Plan(u16),
    /// Copies of a jar share it.
    Got(Rc<Cookie>),
}

impl Entry {
    fn key<'a>(&'a self, plan: &'a [PlanCookie]) -> [&'a str; 3] {
        match self {
            Self::Plan(at) => plan[usize::from(*at)].key.each_ref().map(|k| &**k),
            Self::Got(cookie) => [&cookie.name, &cookie.domain, &cookie.path],
        }
    }

    /// Bytes that it takes; 0 of one of the plan.
    fn bytes(&self) -> usize {
        match self {
            Self::Plan(_) => 0,
            Self::Got(cookie) => {
                size_of::<Self>()
                    + cookie.name.len()
                    + cookie.value.len()
                    + cookie.domain.len()
                    + cookie.path.len()
            }
        }
    }
}

/// A cookie jar. An empty one takes four machine words.
#[derive(Clone, Default)]
pub(crate) struct Jar {
    entries: Vec<Entry>,
    /// What the cookies of responses take of the memory for all users; none of few.
    room: Option<Rc<RefCell<Room>>>,
}

/// The result of adding a cookie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AddResult {
    /// It is in the jar.
    pub(crate) stored: bool,
    /// Cookies that a limit keeps out: this one, or older ones that had to go for it.
    pub(crate) left_out: u64,
}

impl Jar {
    /// A jar that holds the plan's cookies.
    pub(crate) fn new(plan: &[PlanCookie]) -> Self {
        Self { entries: (0..plan.len() as u16).map(Entry::Plan).collect(), room: None }
    }

    /// Whether no cookie is there.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Number of cookies.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Puts a cookie of a response in, instead of none: one of the same name, domain and path goes.
    /// `delete_empty`: a cookie without value only deletes (`CookieManager.delete_null_cookies`).
    /// Where a limit is reached, the oldest cookie goes, as in browsers.
    pub(crate) fn add(
        &mut self,
        cookie: SetCookie,
        plan: &[PlanCookie],
        delete_empty: bool,
        now_ms: i64,
        limits: &Limits,
    ) -> AddResult {
        let key = [cookie.name.as_str(), &cookie.domain, &cookie.path];
        self.entries.retain(|entry| entry.key(plan) != key);
        if cookie.why_not_stored(delete_empty, now_ms).is_some() {
            return AddResult::default();
        }
        if cookie.name.len() + cookie.value.len() + cookie.domain.len() + cookie.path.len() > limits.bytes {
            return AddResult { stored: false, left_out: 1 };
        }
        let left_out = self.make_place(&cookie.domain, limits);
        self.entries.push(Entry::Got(Rc::new(Cookie {
            name: cookie.name.into(),
            value: cookie.value.into(),
            domain: cookie.domain.into(),
            path: cookie.path.into(),
            secure: cookie.secure,
            domain_given: cookie.domain_given,
            path_given: cookie.path_given,
            version: cookie.version,
        })));
        AddResult { stored: true, left_out }
    }

    /// Lets the oldest cookies go where there are too many for one more of a domain; how many.
    fn make_place(&mut self, domain: &str, limits: &Limits) -> u64 {
        let before = self.entries.len();
        if before >= limits.per_domain {
            self.keep_newest(limits.per_domain - 1, |cookie| *cookie.domain == *domain);
        }
        if before >= limits.count {
            self.keep_newest(limits.count - 1, |_| true);
        }
        (before - self.entries.len()) as u64
    }

    /// Keeps this number of the selected cookies of responses.
    fn keep_newest(&mut self, most: usize, meant: impl Fn(&Cookie) -> bool) {
        let is_meant = |entry: &Entry| matches!(entry, Entry::Got(cookie) if meant(cookie));
        let mut too_many = self.entries.iter().filter(|entry| is_meant(entry)).count().saturating_sub(most);
        self.entries.retain(|entry| {
            let goes = too_many > 0 && is_meant(entry);
            too_many -= usize::from(goes);
            !goes
        });
    }

    /// Takes the room that the cookies need beyond what is free. Where there is none, the oldest
    /// go; how many.
    pub(crate) fn settle(&mut self, account: &Arc<Account>) -> u64 {
        /// Bytes of cookies that every user may have.
        const FREE: usize = 16 << 10;
        let bytes: usize = self.entries.iter().map(Entry::bytes).sum();
        if bytes <= FREE && self.room.is_none() {
            return 0;
        }
        // Copies of the jar are for a short time; the room is that of the largest.
        let room = self.room.get_or_insert_with(|| Rc::new(RefCell::new(Room::new(account.clone()))));
        if room.borrow_mut().grow_to(bytes.saturating_sub(FREE) as u64) {
            room.borrow_mut().set(bytes.saturating_sub(FREE) as u64);
            return 0;
        }
        let before = self.entries.len();
        let allowed = FREE + room.borrow().bytes() as usize;
        let mut too_much = bytes.saturating_sub(allowed);
        self.entries.retain(|entry| {
            let goes = too_much > 0 && entry.bytes() > 0;
            too_much = too_much.saturating_sub(if goes { entry.bytes() } else { 0 });
            !goes
        });
        (before - self.entries.len()) as u64
    }

    /// Puts all cookies of another jar in, each instead of one of the same name, domain and path.
    pub(crate) fn take_in(&mut self, other: Self, plan: &[PlanCookie], delete_empty: bool) {
        self.room = self.room.take().or(other.room);
        for entry in other.entries {
            let key = entry.key(plan);
            self.entries.retain(|known| known.key(plan) != key);
            let is_empty = matches!(&entry, Entry::Got(cookie) if cookie.value.is_empty());
            if !(is_empty && delete_empty) {
                self.entries.push(entry);
            }
        }
    }

    /// All cookies, as scripts see them.
    pub(crate) fn shown(&self, plan: &[PlanCookie], cx: &mut Context) -> Vec<RequestCookie> {
        let shown = |entry: &Entry| match entry {
            Entry::Got(cookie) => Some(RequestCookie::from(&**cookie)),
            Entry::Plan(_) => evaluate(entry, plan, cx).as_ref().map(RequestCookie::from),
        };
        self.entries.iter().filter_map(shown).collect()
    }

    /// Makes the changes of a script in it. They count as those of a plan.
    pub(crate) fn edit(&mut self, edited: &[ListEdit<RequestCookie>]) {
        let entry = |edited: &ListEdit<RequestCookie>| match edited {
            ListEdit::Kept(place) => self.entries.get(*place).cloned(),
            ListEdit::New(cookie) => Some(Entry::Got(Rc::new(cookie.into()))),
        };
        self.entries = edited.iter().filter_map(entry).collect();
    }

    /// Cookies of responses that do not belong to a request, with the reason, for traces.
    pub(crate) fn not_sent(&self, origin: &Origin<'_>, policy: Policy) -> Vec<(String, String)> {
        let got = self.entries.iter().filter_map(|entry| match entry {
            Entry::Got(cookie) => Some(cookie),
            Entry::Plan(_) => None,
        });
        let kept_back = got.filter(|cookie| policy == Policy::Ignore || !belongs(cookie, origin, policy));
        kept_back.map(|cookie| (cookie.name.to_string(), why_not(cookie, origin))).collect()
    }

    /// The `Cookie` header for a request; none if no cookie belongs to it.
    pub(crate) fn header(
        &self,
        origin: &Origin<'_>,
        plan: &[PlanCookie],
        policy: Policy,
        cx: &mut Context,
    ) -> Option<String> {
        if policy == Policy::Ignore || self.entries.is_empty() {
            return None;
        }
        let evaluated: Vec<Option<Cookie>> = self.entries.iter().map(|e| evaluate(e, plan, cx)).collect();
        let cookies = self.entries.iter().zip(&evaluated).filter_map(|(entry, text)| match (entry, text) {
            (Entry::Got(cookie), _) => Some(&**cookie),
            (Entry::Plan(_), Some(cookie)) => Some(cookie),
            (Entry::Plan(_), None) => None,
        });
        let sent: Vec<&Cookie> = cookies.filter(|cookie| belongs(cookie, origin, policy)).collect();
        if sent.is_empty() { None } else { Some(format(sent, policy)) }
    }
}

/// Why a cookie is not sent to an origin.
fn why_not(cookie: &Cookie, origin: &Origin<'_>) -> String {
    let secure = Origin { secure: true, ..origin.clone() };
    if cookie.secure && !origin.secure && secure.gets(&cookie.domain, true, &cookie.path, true) {
        return "it is marked Secure, and the request is http".to_owned();
    }
    if secure.gets(&cookie.domain, cookie.domain_given, "/", cookie.secure) {
        return format!("it is for path {}", cookie.path);
    }
    format!("it is for domain {}", cookie.domain)
}

fn belongs(cookie: &Cookie, origin: &Origin<'_>, policy: Policy) -> bool {
    let domain = &cookie.domain;
    let path = &cookie.path;
    let secure = cookie.secure;
    match policy {
        Policy::Netscape => origin.gets_by(|host| host.ends_with(&**domain), path, secure),
        Policy::Rfc2109 | Policy::Default if policy == Policy::Rfc2109 || cookie.version > 0 => {
            let matches =
                |host: &str| host == &**domain || domain.starts_with('.') && host.ends_with(&**domain);
            origin.gets_by(matches, path, secure)
        }
        _ => origin.gets(domain, cookie.domain_given, path, secure),
    }
}

fn evaluate(entry: &Entry, plan: &[PlanCookie], cx: &mut Context) -> Option<Cookie> {
    let Entry::Plan(at) = entry else { return None };
    let cookie = plan.get(usize::from(*at))?;
    let mut text = |template: &Template| template.eval(cx).into();
    Some(Cookie {
        name: text(&cookie.name),
        value: text(&cookie.value),
        domain: text(&cookie.domain),
        path: text(&cookie.path),
        secure: cookie.secure,
        domain_given: cookie.domain_given,
        path_given: cookie.path_given,
        version: 1,
    })
}
