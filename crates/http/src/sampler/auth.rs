//! Authorization: Basic before it is asked for, and answers to challenges (`PreemptiveAuthRequestInterceptor`,
//! `HttpAuthenticator`).

use std::rc::Rc;

use swell_connect::{Credentials, basic};
use swell_expr::Context;

use crate::auth::{Asked, Challenge, Store, digest};
use crate::compile::{AuthEntry, AuthManager};
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::request::Request;
use crate::url::Url;

use super::hop::{Flight, Limits};
use super::{HttpSampler, HttpState};

/// More answers than this are given to no chain of challenges.
const MAX_ANSWERS: usize = 20;

/// A request, what was said with it, and the request with that.
pub(super) type Said = (Rc<Request>, String, Rc<Request>);

impl HttpSampler {
    /// The request with what the Authorization Manager says to its URL, and with what was said to its proxy before.
    ///
    /// # Errors
    /// The mechanism is none.
    pub(super) fn authorize(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        request: Rc<Request>,
    ) -> Result<Rc<Request>, Failure> {
        let request = self.authorize_site(cx, state, request)?;
        let said = request
            .target
            .proxy_credentials()
            .and_then(|_| state.sent_proxy_credentials.as_ref()?.to(&request.target));
        Ok(said.map_or_else(|| request.clone(), |said| Rc::new(request.proxy_authorized(&said))))
    }

    fn authorize_site(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        request: Rc<Request>,
    ) -> Result<Rc<Request>, Failure> {
        let manager = self.spec.auth.as_ref();
        if let (Some(manager), false) = (manager, self.spec.settings.preemptive) {
            // Nothing is said before a site asks (`ManagedCredentialsProvider`).
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
        let (domain, user) = (entry.domain.eval_value(cx), entry.user.eval_value(cx));
        let credentials = Credentials::new(&domain, &user, entry.password.eval_value(cx));
        let store = state.credentials(&request.target);
        store.set(entry.realm.eval_value(cx), credentials);
        if &*mechanism == "DIGEST" || has_authorization(&request) {
            return Ok(request);
        }
        let value = store.find("").map(basic).expect("one was stored");
        Ok(self.with_authorization(&request, &value))
    }

    /// The request with the header. The last one is kept: most samples make the same.
    fn with_authorization(&self, request: &Rc<Request>, value: &str) -> Rc<Request> {
        if let Some((base, known, made)) = &*self.authorized.borrow()
            && Rc::ptr_eq(base, request)
            && known == value
        {
            return made.clone();
        }
        let made = Rc::new(request.authorized(value));
        *self.authorized.borrow_mut() = Some((request.clone(), value.to_owned(), made.clone()));
        made
    }

    /// Answers challenges, of the proxy first, until the response is none, or there is no answer.
    pub(super) async fn answer_challenges(
        &self,
        state: &mut HttpState,
        flight: &mut Flight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        if flight.status() == 407 {
            self.answer_proxy(state, flight, limits).await?;
        }
        let base = flight.request.clone();
        let mut last = own_authorization(&base).map(str::to_ascii_lowercase);
        for _ in 0..MAX_ANSWERS {
            if flight.status() != 401
                || self.spec.auth.is_none()
                || last.is_none() && has_authorization(&base)
            {
                break;
            }
            let challenges = flight.challenges();
            if is_refused(last.as_deref(), &challenges) {
                break;
            }
            let Some(value) = answer(state.credentials(&base.target), &challenges, &base)? else { break };
            last = Some(value.to_ascii_lowercase());
            self.fly_again(state, flight, limits, base.authorized(&value)).await?;
        }
        Ok(())
    }

    /// Answers the challenge of a proxy, and remembers a Basic answer: it is given unasked from then on.
    async fn answer_proxy(
        &self,
        state: &mut HttpState,
        flight: &mut Flight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        let base = flight.request.clone();
        let Some(credentials) = base.target.proxy_credentials() else { return Ok(()) };
        let mut store = Store::default();
        store.set("".into(), credentials.clone());
        let Some(value) = answer(&store, &flight.challenges(), &base)? else { return Ok(()) };
        let last = base.headers.iter().find(|(name, _)| name.as_ref() == "Proxy-Authorization");
        if last.is_some_and(|(_, last)| **last == *value) {
            return Ok(());
        }
        self.fly_again(state, flight, limits, base.proxy_authorized(&value)).await?;
        if flight.status() != 407 && value.starts_with("Basic ") {
            state.sent_proxy_credentials.get_or_insert_default().remember(&base.target, &value);
        }
        Ok(())
    }

    async fn fly_again(
        &self,
        state: &mut HttpState,
        flight: &mut Flight<'_>,
        limits: Limits,
        request: Request,
    ) -> Result<(), Failure> {
        flight.request = Rc::new(request);
        flight.collected = flight.collected.anew();
        flight.done = Exchange::default();
        self.fly(state, flight, limits).await
    }

    /// A request to where a redirect of HttpClient's leads: what was said to the same site is said again.
    pub(super) fn authorize_again(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        before: &Request,
        request: Request,
    ) -> Result<Request, Failure> {
        let said = own_authorization(before).filter(|_| before.target == request.target);
        match said.filter(|value| value.starts_with("Basic ")) {
            Some(value) => Ok(request.authorized(value)),
            None => self.authorize(cx, state, Rc::new(request)).map(Rc::unwrap_or_clone),
        }
    }
}

/// What a site may be told where it names the realm of an entry; the paths of entries do not count.
fn credentials_of(manager: &AuthManager, request: &Request, cx: &mut Context) -> Store {
    let (target, mut store) = (&request.target, Store::default());
    for entry in &manager.entries {
        let (url, realm) = (entry.url.eval_value(cx), entry.realm.eval_value(cx));
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

/// The best answer to the challenges.
fn answer(store: &Store, challenges: &[Challenge], request: &Request) -> Result<Option<String>, Failure> {
    let of = |scheme: &str| {
        let challenge = challenges.iter().find(|challenge| challenge.scheme == scheme)?;
        Some((challenge, store.find(challenge.get("realm").unwrap_or_default())?))
    };
    if let Some((challenge, credentials)) = of("digest") {
        let (target, cnonce) = (request.line_target(), format!("{:016x}", rand::random::<u64>()));
        let bodiless = matches!(&*request.method, "GET" | "HEAD" | "OPTIONS" | "TRACE");
        let body = if bodiless { None } else { Some(request.whole_body()?) };
        let asked = Asked { method: &request.method, target: &target, body: body.as_deref() };
        if let Some(value) = digest(challenge, credentials, &asked, &cnonce) {
            return Ok(Some(value));
        }
    }
    Ok(of("basic").map(|(_, credentials)| basic(credentials)))
}

fn has_authorization(request: &Request) -> bool {
    request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Authorization"))
}

/// The header that was added to those of the plan.
fn own_authorization(request: &Request) -> Option<&str> {
    let added = request.headers[request.own..].iter();
    added.rev().find(|(name, _)| name.as_ref() == "Authorization").map(|(_, value)| &**value)
}

/// The site asks again for what it was told.
fn is_refused(last: Option<&str>, challenges: &[Challenge]) -> bool {
    let scheme = last.and_then(|last| last.split(' ').next());
    let again = challenges.iter().find(|challenge| Some(&*challenge.scheme) == scheme);
    again.is_some_and(|challenge| {
        let stale = challenge.get("stale").is_some_and(|stale| stale.eq_ignore_ascii_case("true"));
        challenge.scheme == "basic" || !stale
    })
}

impl Flight<'_> {
    fn status(&self) -> u16 {
        self.done.facts.map_or(0, |facts| facts.status)
    }

    fn challenges(&self) -> Vec<Challenge> {
        self.collected.challenges().iter().map(|header| Challenge::parse(header)).collect()
    }
}

/// The first entry that a URL starts with (`AuthManager.getAuthForURL`).
fn matching<'m>(manager: &'m AuthManager, url: &Url, cx: &mut Context) -> Option<&'m AuthEntry> {
    let (path, site) = (url.decoded_path(), format!("{}://{}", url.protocol(), url.host()));
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
