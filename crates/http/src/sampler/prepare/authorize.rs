//! Preemptive authorization (`PreemptiveAuthRequestInterceptor`).

use std::cell::RefCell;
use std::rc::Rc;

use swell_connect::{Credentials, basic};
use swell_expr::Context;

use crate::auth::Store;
use crate::compile::{AuthEntry, AuthManager, Spec};
use crate::failure::Failure;
use crate::request::Request;
use crate::sampler::state::HttpState;
use crate::url::Url;

/// A request, what was said with it, and the request with that.
type SentCredentials = (Rc<Request>, String, Rc<Request>);

/// Adds the credentials from the sampler's Authorization Manager.
#[derive(Default)]
pub(crate) struct Authorizer {
    last: RefCell<Option<SentCredentials>>,
}

impl Authorizer {
    /// The request with what the Authorization Manager says to its URL, and with what was said to
    /// its proxy before.
    ///
    /// # Errors
    /// The mechanism is none.
    pub(crate) fn authorize(
        &self,
        spec: &Spec,
        cx: &mut Context,
        state: &mut HttpState,
        request: Rc<Request>,
    ) -> Result<Rc<Request>, Failure> {
        let request = self.authorize_target(spec, cx, state, request)?;
        let said = request
            .target
            .proxy_credentials()
            .and_then(|_| state.sent_proxy_credentials.as_ref()?.to(&request.target));
        Ok(said.map_or_else(|| request.clone(), |said| Rc::new(request.proxy_authorized(&said))))
    }

    fn authorize_target(
        &self,
        spec: &Spec,
        cx: &mut Context,
        state: &mut HttpState,
        request: Rc<Request>,
    ) -> Result<Rc<Request>, Failure> {
        let manager = spec.auth.as_ref();
        if let (Some(manager), false) = (manager, spec.settings.preemptive) {
            // Nothing is said before a target asks (`ManagedCredentialsProvider`).
            *state.credentials(&request.target) = credentials_of(manager, &request, cx);
            return Ok(request);
        }
        let Some(entry) = manager.and_then(|manager| matching(manager, &request.url, cx)) else {
            state.forget_credentials(&request.target);
            return Ok(request);
        };
        let mechanism = entry.mechanism.eval_value(cx);
        if !matches!(&*mechanism, "BASIC" | "BASIC_DIGEST" | "DIGEST" | "KERBEROS") {
            return Err(Failure::illegal(&format!(
                "No enum constant org.apache.jmeter.protocol.http.control.AuthManager.Mechanism.{mechanism}"
            )));
        }
        if &*mechanism == "KERBEROS" {
            return Ok(request);
        }
        let domain = entry.domain.eval_value(cx);
        let user = entry.user.eval_value(cx);
        let credentials = Credentials::new(&domain, &user, entry.password.eval_value(cx));
        let store = state.credentials(&request.target);
        store.set(entry.realm.eval_value(cx), credentials);
        if &*mechanism == "DIGEST" || has_authorization(&request) {
            return Ok(request);
        }
        let value = store.find("").map(basic).expect("stored above");
        Ok(self.with_authorization(&request, &value))
    }

    /// The request with the header. The last one is kept: most samples make the same.
    fn with_authorization(&self, request: &Rc<Request>, value: &str) -> Rc<Request> {
        if let Some((base, known, made)) = &*self.last.borrow()
            && Rc::ptr_eq(base, request)
            && known == value
        {
            return made.clone();
        }
        let made = Rc::new(request.authorized(value));
        *self.last.borrow_mut() = Some((request.clone(), value.to_owned(), made.clone()));
        made
    }

    /// A request to where a redirect of HttpClient's leads: what was said to the same target is
    /// said again.
    pub(crate) fn authorize_again(
        &self,
        spec: &Spec,
        cx: &mut Context,
        state: &mut HttpState,
        before: &Request,
        request: Request,
    ) -> Result<Request, Failure> {
        let said = own_authorization(before).filter(|_| before.target == request.target);
        match said.filter(|value| value.starts_with("Basic ")) {
            Some(value) => Ok(request.authorized(value)),
            None => self.authorize(spec, cx, state, Rc::new(request)).map(Rc::unwrap_or_clone),
        }
    }
}

/// The credentials for a target that names the realm of an entry; the paths of entries are ignored.
fn credentials_of(manager: &AuthManager, request: &Request, cx: &mut Context) -> Store {
    let target = &request.target;
    let mut store = Store::default();
    for entry in &manager.entries {
        let url = entry.url.eval_value(cx);
        let realm = entry.realm.eval_value(cx);
        let here = Url::parse(&url)
            .is_ok_and(|url| url.host() == &*target.host && url.port_or_default() == u32::from(target.port));
        // The first counts, and one without a realm is for none.
        if here && !realm.is_empty() && !store.has(&realm) {
            let user = entry.user.eval_value(cx);
            store.set(realm, Credentials::new("", &user, entry.password.eval_value(cx)));
        }
    }
    store
}

pub(crate) fn has_authorization(request: &Request) -> bool {
    request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Authorization"))
}

/// The header that was added to those of the plan.
pub(crate) fn own_authorization(request: &Request) -> Option<&str> {
    let added = request.headers[request.own..].iter();
    added.rev().find(|(name, _)| **name == *"Authorization").map(|(_, value)| &**value)
}

/// The first entry that a URL starts with (`AuthManager.getAuthForURL`).
fn matching<'m>(manager: &'m AuthManager, url: &Url, cx: &mut Context) -> Option<&'m AuthEntry> {
    let path = url.decoded_path();
    let site = format!("{}://{}", url.protocol(), url.host());
    let with = |port: Option<u32>| match port {
        Some(port) => format!("{site}:{port}{path}"),
        None => format!("{site}{path}"),
    };
    let default = url.default_port();
    let other = match url.port() {
        None => Some(with(Some(default))),
        Some(port) => (port == default).then(|| with(None)),
    };
    let own = with(url.port());
    manager.entries.iter().find(|entry| {
        let start = entry.url.eval_value(cx);
        own.starts_with(&*start) || other.as_ref().is_some_and(|other| other.starts_with(&*start))
    })
}
