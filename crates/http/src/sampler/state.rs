//! The state that a user of HTTP samplers keeps between samples.

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::num::NonZeroI64;
use std::rc::Rc;

use swell_api::{ListEdit, RequestChange, RequestTexts, UserState};
use swell_connect::{KeptSessions, Pool, SentProxyCredentials, Target, TlsConfig, UserNames};
use swell_expr::Context;

use crate::auth::Store;
use crate::cache::Cache;
use crate::compile::{CacheManager, CookieManager, Settings};
use crate::cookies::Jar;
use crate::failure::Failure;
use crate::url::Url;

use super::download_slots::DownloadSlots;
use super::key_choice::KeyChoice;

/// Connections, cookies, caches. Small while the user is idle: no buffers, no empty maps.
#[derive(Default)]
pub(super) struct HttpState {
    pub(super) pool: Pool,
    /// Connections for HTTP/2, shared with parallel downloads of the user, and with other users
    /// where the run has them shared.
    pub(super) sessions: Option<KeptSessions>,
    /// Jars by Cookie Manager; shared with parallel downloads of the user.
    jars: OnceCell<Jars>,
    /// Caches by Cache Manager.
    caches: Vec<PerManager<Rc<RefCell<Cache>>>>,
    /// What was said to targets with an Authorization Manager.
    credentials: Vec<(Rc<Target>, Store)>,
    /// What DNS Cache Managers know.
    pub(super) names: Option<Box<UserNames>>,
    /// TLS with the sessions of this user.
    pub(super) tls: Option<TlsConfig>,
    /// The key that is shown to targets that ask.
    pub(super) key: Option<Box<KeyChoice>>,
    /// Connections of parallel downloads.
    pub(super) slots: Option<Rc<DownloadSlots>>,
    /// What was said to a proxy that had asked.
    pub(super) sent_proxy_credentials: Option<Rc<SentProxyCredentials>>,
    /// Bodies become their digests: this is a parallel download.
    pub(super) digests: bool,
    /// The running sample is interrupted then (`SampleTimeout`).
    pub(super) interrupt_at_ns: Option<NonZeroI64>,
    /// When the time limit of the running sample passes (`http.total_timeout`).
    pub(super) over_at_ns: Option<NonZeroI64>,
    /// How many embedded resources the running sample may still have (`http.max_resources`), with
    /// all pages in its pages.
    pub(super) resources_left: Option<Rc<Cell<u64>>>,
    /// What scripts have made of Header Managers.
    headers: Option<Box<HeaderManagers>>,
    /// A new user begins: connections go before the next sample.
    reset_due: bool,
    /// The server has refused the request of the running sample once, over HTTP/2.
    pub(super) was_not_processed: bool,
}

/// The part of the user's state that a sample uses.
pub(super) struct SampleUser<'a> {
    pub(super) cx: &'a mut Context,
    pub(super) state: &'a mut HttpState,
    pub(super) intended_ns: i64,
}

/// Jars, for the user and its parallel downloads.
type Jars = Rc<RefCell<Vec<PerManager<Jar>>>>;

#[derive(Clone)]
struct PerManager<T> {
    manager: u32,
    value: T,
    clear_each_iteration: bool,
    by_thread_group: bool,
}

impl<T> PerManager<T> {
    fn clears(&self, same_user: bool) -> bool {
        if self.by_thread_group { !same_user } else { self.clear_each_iteration }
    }
}

/// Header Managers by their elements, with what scripts have made of them.
#[derive(Default)]
struct HeaderManagers(Vec<(u32, Rc<ChangedHeaders>)>);

/// What scripts have made of a Header Manager, whose lines are evaluated for each sample.
struct ChangedHeaders(Vec<ListEdit<(String, String)>>);

impl RequestChange for ChangedHeaders {
    fn apply(&self, request: &mut RequestTexts, _cx: &mut Context) {
        ListEdit::apply(&self.0, &mut request.headers);
    }
}

impl HttpState {
    /// Changes what a Header Manager says to this user's samplers.
    pub(super) fn change_headers(&mut self, manager: u32, lines: Vec<ListEdit<(String, String)>>) {
        let HeaderManagers(known) = &mut **self.headers.get_or_insert_default();
        match known.iter_mut().find(|(of, _)| *of == manager) {
            Some((_, before)) => *before = Rc::new(ChangedHeaders(ListEdit::after(&before.0, lines))),
            None => known.push((manager, Rc::new(ChangedHeaders(lines)))),
        }
    }

    /// What was changed of it.
    pub(super) fn changed_headers(&self, manager: Option<u32>) -> Option<Rc<dyn RequestChange>> {
        let found = self.headers.as_ref()?.0.iter().find(|(of, _)| Some(*of) == manager);
        found.map(|(_, changed)| changed.clone() as Rc<dyn RequestChange>)
    }

    /// When the running sample ends, whatever it does then.
    pub(super) fn ends_at_ns(&self) -> Option<i64> {
        let at_ns = match (self.interrupt_at_ns, self.over_at_ns) {
            (Some(interrupt), Some(over)) => Some(interrupt.min(over)),
            (interrupt, over) => interrupt.or(over),
        };
        at_ns.map(NonZeroI64::get)
    }

    /// Whether the running sample was interrupted, or its time limit has passed.
    pub(super) fn is_interrupted(&self) -> bool {
        self.ends_at_ns().is_some_and(|at_ns| swell_net::now_ns() >= at_ns)
    }

    /// Whether the time limit of the running sample has passed.
    pub(super) fn is_over(&self) -> bool {
        self.over_at_ns.is_some_and(|at_ns| swell_net::now_ns() >= at_ns.get())
    }

    /// What the running sample fails with where it was interrupted.
    pub(super) fn why_it_ends(&self, settings: &Settings) -> Failure {
        match settings.total_timeout_ms {
            Some(limit_ms) if self.is_over() => Failure::total_timeout(limit_ms),
            _ => Failure::interrupted(),
        }
    }

    /// A time limit, cut where the running sample is interrupted.
    pub(super) fn until_interrupt(&self, limit_ns: Option<i64>) -> Option<i64> {
        let left_ns = self.ends_at_ns().map(|at_ns| (at_ns - swell_net::now_ns()).max(1));
        match (limit_ns, left_ns) {
            (Some(limit_ns), Some(left_ns)) => Some(limit_ns.min(left_ns)),
            (limit_ns, left_ns) => limit_ns.or(left_ns),
        }
    }

    /// Takes the resources of a page from those that the running sample may have; true: there are
    /// more, and those are gone from the list.
    pub(super) fn takes_too_many(&mut self, urls: &mut Vec<Rc<Url>>, most: u64) -> bool {
        let left = self.resources_left.get_or_insert_with(|| Rc::new(Cell::new(most)));
        let wanted = urls.len() as u64;
        urls.truncate(usize::try_from(left.get()).unwrap_or(usize::MAX));
        left.set(left.get() - urls.len() as u64);
        (urls.len() as u64) < wanted
    }

    fn jars(&self) -> &Jars {
        self.jars.get_or_init(Jars::default)
    }

    /// The jar of a Cookie Manager, with the plan's cookies in it at first.
    pub(super) fn jar(&mut self, manager: &CookieManager) -> RefMut<'_, Jar> {
        RefMut::map(self.jars().borrow_mut(), |jars| {
            let found = jars.iter().position(|kept| kept.manager == manager.id);
            let at = found.unwrap_or_else(|| {
                jars.push(PerManager {
                    manager: manager.id,
                    value: Jar::new(&manager.cookies),
                    clear_each_iteration: manager.clear_each_iteration,
                    by_thread_group: manager.by_thread_group,
                });
                jars.len() - 1
            });
            &mut jars[at].value
        })
    }

    /// The cache of a Cache Manager.
    pub(super) fn cache(&mut self, manager: &CacheManager) -> RefMut<'_, Cache> {
        let found = self.caches.iter().position(|kept| kept.manager == manager.id);
        let at = found.unwrap_or_else(|| {
            self.caches.push(PerManager {
                manager: manager.id,
                value: Rc::new(RefCell::new(Cache::new(manager.max_size))),
                clear_each_iteration: manager.clear_each_iteration,
                by_thread_group: manager.by_thread_group,
            });
            self.caches.len() - 1
        });
        self.caches[at].value.borrow_mut()
    }

    /// A state for a parallel download: caches and TLS sessions are this user's.
    pub(super) fn aside(&self, digests: bool) -> Self {
        let caches = self.caches.clone();
        let sessions = self.sessions.clone();
        let tls = self.tls.clone();
        let slots = self.slots.clone();
        let sent_proxy_credentials = self.sent_proxy_credentials.clone();
        let over_at_ns = self.over_at_ns;
        let resources_left = self.resources_left.clone();
        Self {
            sessions,
            caches,
            tls,
            slots,
            sent_proxy_credentials,
            digests,
            over_at_ns,
            resources_left,
            ..Self::default()
        }
    }

    /// Something was said to some target.
    pub(super) fn has_credentials(&self) -> bool {
        !self.credentials.is_empty()
    }

    /// What was said to a target.
    pub(super) fn credentials(&mut self, target: &Rc<Target>) -> &mut Store {
        let found = self.credentials.iter().position(|(known, _)| known == target);
        let at = found.unwrap_or_else(|| {
            self.credentials.push((target.clone(), Store::default()));
            self.credentials.len() - 1
        });
        &mut self.credentials[at].1
    }

    /// Forgets what was said to a target.
    pub(super) fn forget_credentials(&mut self, target: &Target) {
        self.credentials.retain(|(known, _)| **known != *target);
    }

    /// Closes connections and forgets TLS sessions where a new user has begun
    /// (`HTTPHC4Impl.resetStateIfNeeded`).
    pub(super) fn reset_if_due(&mut self, cx: &mut Context, settings: &Settings) {
        if std::mem::take(&mut self.reset_due) && settings.reset_on_iteration {
            self.pool.clear();
            // A shared connection stays open for its other users.
            self.sessions = None;
            self.tls = None;
            if let Some(token) = settings.user_token {
                cx.vars.remove_slot(token);
            }
        }
    }
}

impl UserState for HttpState {
    fn iteration_start(&mut self, same_user: bool) {
        self.reset_due = !same_user;
        if let Some(names) = &mut self.names {
            names.iteration_start();
        }
        // A jar is created again, with the plan's cookies, when it is next needed.
        if let Some(jars) = self.jars.get() {
            jars.borrow_mut().retain(|kept| !kept.clears(same_user));
        }
        self.caches.retain_mut(|kept| {
            if kept.clears(same_user) {
                kept.value.borrow_mut().clear();
            }
            true
        });
    }

    /// Cookies, caches and connections for HTTP/2 are the user's; others are new, and targets ask
    /// for credentials again.
    fn fork(&self) -> Option<Box<dyn UserState>> {
        Some(Box::new(Self {
            jars: self.jars().clone().into(),
            caches: self.caches.clone(),
            sessions: self.sessions.clone(),
            tls: self.tls.clone(),
            sent_proxy_credentials: self.sent_proxy_credentials.clone(),
            ..Self::default()
        }))
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_user_is_small() {
        let size = size_of::<HttpState>();
        assert!(size <= 176, "{size} bytes for each user before any jar or cache");
    }
}
