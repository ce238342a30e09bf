//! Redirects that HttpClient follows (`RedirectExec`, `LaxRedirectStrategy`): they have no
//! sub-samples, and only the last exchange is recorded.

use std::rc::Rc;

use swell_expr::Context;

use super::challenges::Challenges;
use crate::compile::Spec;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::request::{Body, Line, Request, Route, finish};
use crate::sampler::exchange::{InFlight, Sender};
use crate::sampler::limits::Limits;
use crate::sampler::prepare::Authorizer;
use crate::sampler::state::HttpState;
use crate::url::{Url, client_redirect};

/// Redirects of these methods are followed, whatever the code; of other methods only 303.
const METHODS: [&str; 4] = ["GET", "POST", "HEAD", "DELETE"];

/// Redirects within one sample.
pub(crate) struct SilentRedirects<'s> {
    pub(crate) spec: &'s Spec,
    pub(crate) sender: &'s Sender,
    pub(crate) authorizer: &'s Authorizer,
}

impl SilentRedirects<'_> {
    /// Follows redirects until a response is none.
    pub(crate) async fn follow(
        self,
        cx: &mut Context,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        let limit = if self.spec.settings.max_redirects > 0 { self.spec.settings.max_redirects } else { 50 };
        let mut seen: Vec<Rc<Url>> = Vec::new();
        loop {
            let status = in_flight.done.facts.map_or(0, |facts| facts.status);
            let location = in_flight.collected.locations().map(|both| both.0.clone());
            let followed = METHODS.contains(&&*in_flight.request.method);
            match status {
                302 if followed && location.is_some() => {}
                301 | 307 | 308 if followed => {}
                303 => {}
                _ => return Ok(()),
            }
            if seen.len() as u32 >= limit {
                return Err(Failure::redirect(&format!("Maximum redirects ({limit}) exceeded")));
            }
            let Some(location) = location else {
                return Err(Failure::redirect("Received redirect response but no location header"));
            };
            let url = client_redirect(&in_flight.request.url, &location)
                .map_err(|error| Failure::redirect(&error))?;
            if seen.iter().any(|known| **known == url) {
                return Err(Failure::redirect(&format!("Circular redirect to '{}'", url.as_str())));
            }
            let url = Rc::new(url);
            seen.push(url.clone());
            let request = self.redirected(&in_flight.request, &url, status)?;
            let authorizes = self.spec.auth.is_some() || request.target.proxy.is_some();
            in_flight.request = Rc::new(if authorizes {
                self.authorizer.authorize_again(self.spec, cx, state, &in_flight.request, request)?
            } else {
                request
            });
            in_flight.collected = in_flight.collected.anew();
            in_flight.done = Exchange::default();
            self.sender.send(self.spec, state, in_flight, limits).await?;
            if authorizes && in_flight.is_auth_challenge() {
                let challenges = Challenges { spec: self.spec, sender: self.sender };
                challenges.answer(state, in_flight, limits).await?;
            }
        }
    }

    /// The request to where a redirect leads.
    fn redirected(&self, request: &Request, url: &Rc<Url>, status: u16) -> Result<Request, Failure> {
        let settings = &self.spec.settings;
        let route = &Route { proxy: request.target.proxy.as_ref(), settings, last: None };
        // What JMeter set for the body goes along.
        let is = |i: usize, name: &str| request.headers[i].0.eq_ignore_ascii_case(name);
        let typed = request.headers.len() > request.own && is(request.own, "Content-Type");
        let own: Vec<Line> = request.headers[..request.own + usize::from(typed)].to_vec();
        let same = matches!(status, 307 | 308) || matches!(&*request.method, "GET" | "HEAD");
        let method: Rc<str> = if same { request.method.clone() } else { "GET".into() };
        if !same || matches!(&*request.method, "GET" | "HEAD") {
            return finish(url, &method, own, None, route);
        }
        // HttpClient builds the request again: a form of DELETE goes into the query.
        let header = |name: &str| request.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        let content_type = header("Content-Type").map(|(_, value)| value.to_string());
        let is_form =
            content_type.as_ref().is_some_and(|t| t.starts_with("application/x-www-form-urlencoded"));
        if &*method == "DELETE" && is_form {
            let with_form = url.with_query(&request.body_text);
            return finish(&Rc::new(with_form), &method, own, None, route);
        }
        if is_form && request.body().is_empty() {
            // The form is read for its fields, and not kept itself (`RequestBuilder.doCopy`).
            return finish(url, &method, own, None, route);
        }
        let bytes = request.body().to_vec();
        let files = request.files.clone();
        let body = Body { bytes, files, text: request.body_text.clone(), own_type: None, content_type };
        finish(url, &method, own, Some(body), route)
    }
}
