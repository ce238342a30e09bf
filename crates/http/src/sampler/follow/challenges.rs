//! Responses to challenges (`HttpAuthenticator`).

use std::rc::Rc;

use swell_connect::basic;

use crate::auth::{Challenge, DigestRequest, Store, digest};
use crate::compile::Spec;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::request::Request;
use crate::sampler::exchange::{InFlight, Sender};
use crate::sampler::limits::Limits;
use crate::sampler::prepare::{has_authorization, own_authorization};
use crate::sampler::state::HttpState;

/// More answers than this are given to no chain of challenges.
const MAX_ANSWERS: usize = 20;

/// Responds to challenges for a sampler.
pub(crate) struct Challenges<'s> {
    pub(crate) spec: &'s Spec,
    pub(crate) sender: &'s Sender,
}

impl Challenges<'_> {
    /// Answers challenges, of the proxy first, until the response is not a challenge or cannot be
    /// answered.
    pub(crate) async fn answer(
        self,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        if in_flight.status() == 407 {
            self.answer_proxy(state, in_flight, limits).await?;
        }
        let base = in_flight.request.clone();
        let mut last = own_authorization(&base).map(str::to_ascii_lowercase);
        for _ in 0..MAX_ANSWERS {
            if in_flight.status() != 401
                || self.spec.auth.is_none()
                || last.is_none() && has_authorization(&base)
            {
                break;
            }
            let challenges = in_flight.challenges();
            if is_refused(last.as_deref(), &challenges) {
                break;
            }
            let Some(value) = answer(state.credentials(&base.target), &challenges, &base)? else { break };
            last = Some(value.to_ascii_lowercase());
            self.retry(state, in_flight, limits, base.authorized(&value)).await?;
        }
        Ok(())
    }

    /// Answers the challenge of a proxy, and remembers a Basic answer: it is given unasked from
    /// then on.
    async fn answer_proxy(
        &self,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        let base = in_flight.request.clone();
        let Some(credentials) = base.target.proxy_credentials() else { return Ok(()) };
        let mut store = Store::default();
        store.set("".into(), credentials.clone());
        let Some(value) = answer(&store, &in_flight.challenges(), &base)? else { return Ok(()) };
        let last = base.headers.iter().find(|(name, _)| **name == *"Proxy-Authorization");
        if last.is_some_and(|(_, last)| **last == *value) {
            return Ok(());
        }
        self.retry(state, in_flight, limits, base.proxy_authorized(&value)).await?;
        if in_flight.status() != 407 && value.starts_with("Basic ") {
            state.sent_proxy_credentials.get_or_insert_default().remember(&base.target, &value);
        }
        Ok(())
    }

    async fn retry(
        &self,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
        request: Request,
    ) -> Result<(), Failure> {
        in_flight.request = Rc::new(request);
        in_flight.collected = in_flight.collected.anew();
        in_flight.done = Exchange::default();
        self.sender.send(self.spec, state, in_flight, limits).await
    }
}

/// The best answer to the challenges.
fn answer(store: &Store, challenges: &[Challenge], request: &Request) -> Result<Option<String>, Failure> {
    let of = |scheme: &str| {
        let challenge = challenges.iter().find(|challenge| challenge.scheme == scheme)?;
        Some((challenge, store.find(challenge.get("realm").unwrap_or_default())?))
    };
    if let Some((challenge, credentials)) = of("digest") {
        let target = request.line_target();
        let cnonce = format!("{:016x}", rand::random::<u64>());
        let bodiless = matches!(&*request.method, "GET" | "HEAD" | "OPTIONS" | "TRACE");
        let body = if bodiless { None } else { Some(request.whole_body()?) };
        let asked = DigestRequest { method: &request.method, target: &target, body: body.as_deref() };
        if let Some(value) = digest(challenge, credentials, &asked, &cnonce) {
            return Ok(Some(value));
        }
    }
    Ok(of("basic").map(|(_, credentials)| basic(credentials)))
}

/// The target rejects the credentials that it received.
fn is_refused(last: Option<&str>, challenges: &[Challenge]) -> bool {
    let scheme = last.and_then(|last| last.split(' ').next());
    let again = challenges.iter().find(|challenge| Some(&*challenge.scheme) == scheme);
    again.is_some_and(|challenge| {
        let stale = challenge.get("stale").is_some_and(|stale| stale.eq_ignore_ascii_case("true"));
        challenge.scheme == "basic" || !stale
    })
}
