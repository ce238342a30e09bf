//! Makes a sample from an exchange.

use std::rc::Rc;

use data_encoding::HEXLOWER;
use md5::Digest as _;
use swell_api::{HttpDetails, SampleResult, Text};
use swell_expr::{Context, Level};
use swell_http1::client::Sink as _;
use swell_net::now_ns;

use crate::compile::{Settings, Spec};
use crate::cookies::{self, Jar, PlanCookie, SetCookie};
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::request::TemplatedRequest;
use crate::sampler::collect::CollectedResponse;
use crate::sampler::exchange::InFlight;
use crate::sampler::limits::MS;
use crate::sampler::outcome::SampleOutcome;
use crate::sampler::prepare::{names_and_values, origin_of};
use crate::sampler::state::{HttpState, SampleUser};

use super::fields::{describe, fail, sampler_data, set_type};
use super::maker::{SampleMaker, label_of};
use crate::sampler::known_texts::code_text;

impl SampleMaker {
    /// Makes a sample of what came.
    pub(crate) fn sample_from(
        &self,
        spec: &Spec,
        cx: &mut Context,
        state: &mut HttpState,
        mut in_flight: InFlight<'_>,
        result: Result<(), Failure>,
        method: Rc<str>,
    ) -> SampleOutcome {
        // HttpClient's own redirects change the URL that JMeter shows, unless they fail; never
        // method and body. They build it again from the request, which holds no fragment and no
        // empty path segments.
        let url = match result.is_ok() {
            true if in_flight.auto => in_flight.request.url.as_sent(),
            true => in_flight.request.url.clone(),
            false => in_flight.first.url.clone(),
        };
        if let Some(token) = spec.settings.user_token {
            // `extractClientContextAfterSample`: HttpClient has handed over a response, whatever
            // happens to its body.
            let handed_over =
                in_flight.done.facts.is_some() && !matches!(&result, Err(failure) if failure.is_protocol());
            if handed_over && cx.vars.get_slot(token).is_none() {
                cx.vars.put_slot(token, cx.user.thread_name.clone());
            }
        }
        let label = label_of(spec, cx, &in_flight.first.url);
        let mut sample = measured(label, &in_flight.done, in_flight.start_ns);
        sample.timing.connected_ns = in_flight.connected_ns;
        sample.timing.handshake_ns = in_flight.handshake_ns;
        sample.events = in_flight.events.take().and_then(|events| events.finish()).map(Box::new);
        describe(&mut sample, &in_flight.first, in_flight.cookie.as_deref(), self.needs);
        sample.url = sample.url.map(|_| url.as_str().to_owned().into());
        if self.needs.request {
            sample.request_headers = in_flight.request.headers_text();
            if let Some((_, shown)) = spec.settings.local_address.as_ref().filter(|_| result.is_ok()) {
                sample.request_headers.extend(["X-LocalAddress: ", shown, "\n"]);
            }
            sample.sampler_data = Some(sampler_data(&sample));
        }
        let landed =
            result.and_then(|()| self.take_in(spec, cx, state, &mut sample, &mut in_flight, &method));
        if let Err(failure) = &landed {
            undo(&mut sample);
            if *failure == Failure::no_name() {
                // No exception of input or output, so JMeter leaves the sample as it is.
                sample.request_headers.clear();
            }
            // The head may have come before the error; JMeter sees none that HttpClient answers
            // itself.
            let seen = in_flight.collected.content_type.take().filter(|_| !failure.is_protocol());
            set_type(&mut sample, seen);
        }
        let saved = landed.and_then(|redirect| {
            save_cache(spec, state, &sample, &mut in_flight, &method)?;
            Ok(redirect)
        });
        let redirect = saved.unwrap_or_else(|failure| {
            fail(&mut sample, &failure, self.needs);
            None
        });
        if let (Some(http), Some(location)) = (&mut sample.http, &redirect) {
            http.redirect_location = Some(location.clone());
        }
        SampleOutcome { sample, url, method, redirect }
    }

    /// The sample of a request that was made by a template, of a response that is plain
    /// ([`CollectedResponse::is_plain`]): the same as [`Self::sample_from`] makes.
    pub(crate) fn sample_of_template(
        &self,
        spec: &Spec,
        user: &mut SampleUser<'_>,
        templated: &TemplatedRequest,
        (done, collected, cookie): (Exchange, &mut CollectedResponse<'_>, Option<String>),
        start_ns: i64,
    ) -> Box<SampleResult> {
        let mut sample = measured(user.cx.sampler_name.clone().into(), &done, start_ns);
        if self.needs.details {
            let mut scratch = self.text_scratch.take();
            sample.url = Some(templated.url(user.cx, &mut scratch));
            self.text_scratch.set(scratch);
            sample.http = Some(Box::new(HttpDetails {
                method: templated.template.method.clone().into(),
                query: templated.body_text(user.cx),
                cookies: cookie.unwrap_or_else(|| templated.template.own_cookies.clone()),
                redirect_location: None,
            }));
        }
        let status = done.facts.map_or(0, |facts| facts.status);
        self.fill_in(spec, user.cx, user.state, &mut sample, collected, status);
        sample
    }

    /// Fills in what came.
    fn fill_in(
        &self,
        spec: &Spec,
        cx: &mut Context,
        state: &HttpState,
        sample: &mut SampleResult,
        collected: &mut CollectedResponse<'_>,
        status: u16,
    ) {
        if self.needs.body || spec.embedded.is_some() {
            take_body(spec, cx, state, sample, collected);
        }
        sample.response_headers = std::mem::take(&mut collected.head_text);
        sample.room = collected.take_room();
        set_type(sample, collected.content_type.take());
        sample.code = code_text(status);
        sample.message = collected.message.clone();
        sample.success = (200..=399).contains(&status);
    }

    /// Fills in the response; the location if it is a redirect.
    fn take_in(
        &self,
        spec: &Spec,
        cx: &mut Context,
        state: &mut HttpState,
        sample: &mut SampleResult,
        in_flight: &mut InFlight<'_>,
        method: &str,
    ) -> Result<Option<String>, Failure> {
        let status = in_flight.done.facts.expect("the exchange succeeded").status;
        let collected = &mut in_flight.collected;
        if collected.is_decoding() {
            collected.end_decoded()?;
        }
        self.fill_in(spec, cx, state, sample, collected, status);
        if let Some(coding) = collected.undecoded() {
            name_coding(spec, cx, coding);
        }
        let redirect = match status {
            301 | 302 | 303 | 308 => true,
            307 => matches!(method, "GET" | "HEAD") || spec.settings.keeps_method(),
            _ => false,
        };
        let location = collected.locations().map(|both| both.1.clone());
        if redirect && location.is_none() {
            return Err(Failure::no_location(method, &in_flight.request.url));
        }
        self.save_cookies(spec, cx, state, in_flight);
        Ok(location.filter(|_| redirect))
    }

    fn save_cookies(
        &self,
        spec: &Spec,
        cx: &mut Context,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
    ) {
        let has_cookies = !in_flight.collected.set_cookies().is_empty();
        let Some(manager) = spec.cookies.as_ref().filter(|_| has_cookies) else { return };
        let mut wire = in_flight.wire.take();
        let settings = &spec.settings;
        let origin = origin_of(&in_flight.request.url);
        let now_ms = now_ns() / MS;
        let headers = in_flight.collected.set_cookies();
        let skipped = headers.len().saturating_sub(cookies::Limits::IN_A_RESPONSE);
        let mut left_out = skipped as u64;
        for header in &headers[skipped..] {
            let mut parsed = cookies::parse(header, &origin, manager.policy, now_ms);
            if let Some(wire) = &mut wire {
                wire.set_cookies(header, &parsed, |cookie| {
                    if settings.check_cookies && !cookie.is_allowed(&origin, manager.policy) {
                        return Some(format!("{} may not set it for domain {}", origin.host, cookie.domain));
                    }
                    cookie.why_not_stored(settings.delete_empty_cookies, now_ms).map(str::to_owned)
                });
            }
            parsed.retain(|cookie| !settings.check_cookies || cookie.is_allowed(&origin, manager.policy));
            for cookie in parsed {
                left_out +=
                    save_cookie(settings, cx, &mut state.jar(manager), &manager.cookies, cookie, now_ms);
            }
        }
        let bodies = &self.response_needs().bodies;
        left_out += state.jar(manager).settle(bodies.account());
        bodies.count_left_out_cookies(left_out);
        in_flight.wire = wire;
    }
}

/// Puts a cookie into the user's jar, and into a variable if the settings say so; how many cookies
/// the jar leaves out for it.
fn save_cookie(
    settings: &Settings,
    cx: &mut Context,
    jar: &mut Jar,
    plan: &[PlanCookie],
    cookie: SetCookie,
    now_ms: i64,
) -> u64 {
    let variable = settings
        .save_cookies
        .as_ref()
        .map(|prefix| (format!("{prefix}{}", cookie.name), cookie.value.clone()));
    let added = jar.add(cookie, plan, settings.delete_empty_cookies, now_ms, &settings.cookie_limits);
    if let Some((name, value)) = variable.filter(|_| added.stored) {
        cx.vars.put(&name, value);
    }
    added.left_out
}

/// Says once a run that bodies came in a coding that nothing decodes.
#[cold]
fn name_coding(spec: &Spec, cx: &Context, coding: &str) {
    if spec.settings.named_coding.set(()).is_ok() {
        let message = format!(
            "{}: Content-Encoding {coding} is not decoded, as in JMeter, so no extractor can read such bodies; \
             remove it from Accept-Encoding",
            cx.sampler_name
        );
        cx.host.log(Level::Warn, &message);
    }
}

fn take_body(
    spec: &Spec,
    cx: &mut Context,
    state: &HttpState,
    sample: &mut SampleResult,
    collected: &mut CollectedResponse<'_>,
) {
    let digests = state.digests || collected.digests().unwrap_or_else(|| spec.md5.get(cx));
    // Without data there is no digest (`HTTPSamplerBase.readResponse`).
    if digests && !collected.body.is_empty() {
        sample.body = HEXLOWER.encode(&collected.digest().finalize()).into_bytes().into();
        return;
    }
    let limit = spec.settings.max_stored_bytes;
    if limit > 0 {
        collected.body.truncate(limit);
    }
    sample.body = collected.take_body();
}

fn save_cache(
    spec: &Spec,
    state: &mut HttpState,
    sample: &SampleResult,
    in_flight: &mut InFlight<'_>,
    method: &str,
) -> Result<(), Failure> {
    let (Some(manager), Some(response)) = (&spec.cache, in_flight.collected.take_cache()) else {
        return Ok(());
    };
    let code: &str = &sample.code;
    let methods = &spec.settings.cacheable_methods;
    let cacheable = methods.iter().any(|m| m.eq_ignore_ascii_case(method))
        && (("200"..="299").contains(&code) || code == "304");
    if !cacheable {
        return Ok(());
    }
    let request = &in_flight.request;
    let headers = names_and_values(&request.headers, None);
    let headers: Vec<_> =
        headers.into_iter().filter(|(name, _)| !name.eq_ignore_ascii_case("Cookie")).collect();
    state
        .cache(manager)
        .save(request.url.as_str(), &headers, &response, manager.use_expires, now_ns() / MS)
        .map_err(Failure::number)
}

/// Times and sizes of a sample.
fn measured(label: Text, done: &Exchange, start_ns: i64) -> Box<SampleResult> {
    // The end of a connection may have come before the request.
    let now = if done.end_ns == 0 { now_ns() } else { done.end_ns.max(start_ns) };
    let header_size = done.facts.map_or(0, |facts| facts.header_size);
    let mut sample = SampleResult::boxed();
    sample.label = label;
    sample.timing.start_ns = start_ns;
    sample.timing.end_ns = now;
    sample.timing.arrived_ns = if done.arrived_ns == 0 { now } else { done.arrived_ns };
    sample.timing.sent_ns = done.sent_ns;
    sample.timing.read_ns = if done.read_ns == 0 { 0 } else { done.read_ns.max(now) };
    sample.timing.first_byte_ns = if done.facts.is_some() { done.first_byte_ns } else { 0 };
    sample.bytes = done.received;
    sample.received = done.framed.filter(|framed| *framed != done.received);
    sample.sent_bytes = done.sent;
    sample.header_size = header_size;
    sample.body_size = done.received.saturating_sub(header_size);
    sample
}

/// A sample that failed has the size of its error text, and sent nothing. The type that a head said
/// stays.
fn undo(sample: &mut SampleResult) {
    sample.received = Some(sample.received.unwrap_or(sample.bytes));
    (sample.bytes, sample.sent_bytes, sample.header_size, sample.body_size) = (0, 0, 0, 0);
}
