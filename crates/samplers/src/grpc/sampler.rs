//! Samples of the plug-in.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{Bodies, CompileContext, SampleResult, Sampler, SamplerFuture, SamplerInput, User};
use swell_connect::{KeptSessions, SessionError, WireBytes};
use swell_grpc::{Code, Status};
use swell_http::{UpgradeScope, UpgradeTrace};
use swell_net::now_ns;
use swell_plan::Severity;

use super::call::{CallError, CallInput, Keeps, Received, call};
use super::channel::{Channel, Channels, Link, SamplerId};
use super::failure::{NoCall, of_session};
use super::methods::{CallMethod, Methods};
use super::outcome::{Wanted, put_end_here, put_messages, put_no_call, put_received, put_status};
use super::reflect::{Server, reflect};
use super::request::{Head, LastRequest, Messages};
use super::settings::{Config, Settings, Source};

/// Most messages of a stream that become sub-samples, where the property says nothing.
const SUB_SAMPLES_MAX: u64 = 100;

/// Property: most messages of a stream that become sub-samples.
const SUB_SAMPLES: &str = "swell.grpc.sub_samples";

/// Most messages of a stream that its response shows.
const SHOWN_MESSAGES_MAX: usize = 10_000;

/// Longest time for the reflection of a server.
const REFLECTION_NS: i64 = 10_000_000_000;

/// A sampler, shared by the users of a worker.
pub(super) struct GrpcSampler {
    id: SamplerId,
    settings: Settings,
    scope: UpgradeScope,
    methods: Methods,
    last: LastRequest,
    /// Connections that several users share.
    groups: RefCell<Vec<KeptSessions>>,
    wanted: Wanted,
    bodies: Arc<Bodies>,
}

/// A call that is ready to be made.
struct Prepared {
    channel: Rc<Channel>,
    messages: Rc<Messages>,
    head: Rc<Head>,
    /// `i64::MAX`: never.
    timeout_ns: Option<i64>,
}

impl Prepared {
    /// The call as it would be written in HTTP/1, its messages as JSON.
    fn as_http1(&self, received: &Received) -> WireBytes {
        let Self { channel, messages, head, .. } = self;
        if received.sent == 0 {
            return WireBytes::default();
        }
        let head = head.as_http1(&channel.method.path, &channel.link.authority);
        let sent = [&head[..], messages.json.as_bytes()].concat();
        let mut response = Vec::new();
        if received.http_status != 0 {
            response = format!("HTTP/2.0 {}\r\n", received.http_status).into_bytes();
            response.extend([&received.head[..], &received.trailers, b"\r\n"].concat());
        }
        WireBytes {
            sent_size: sent.len() as u64,
            sent,
            received: response,
            received_size: received.frame_bytes,
        }
    }
}

impl GrpcSampler {
    pub(super) fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let settings = Settings::new(input, compile);
        let methods = Methods::new(compile);
        check_files(&settings, &methods, input, compile);
        let sub_samples_max = compile.whole_number(SUB_SAMPLES).unwrap_or(SUB_SAMPLES_MAX);
        let wanted = Wanted {
            needs: input.needs,
            sub_samples_max: usize::try_from(sub_samples_max).unwrap_or(usize::MAX),
            renames: compile.renames_sub_samples(),
        };
        Self {
            id: SamplerId::default(),
            settings,
            scope: UpgradeScope::new(input, compile),
            methods,
            last: LastRequest::default(),
            groups: RefCell::default(),
            wanted,
            bodies: compile.bodies(),
        }
    }

    async fn take(&self, user: &mut User) -> SampleResult {
        let mut sample = SampleResult::default();
        sample.timing.start_ns = now_ns();
        let prepared = match self.prepare_call(user).await {
            Ok(prepared) => prepared,
            Err(why) => {
                put_no_call(&why, &mut sample);
                return sample;
            }
        };
        self.put_request(&prepared, &mut sample);
        sample.timing.start_ns = now_ns();
        sample.timing.end_ns = sample.timing.start_ns;
        self.run(user, &prepared, &mut sample).await;
        sample
    }

    /// All that comes before the start of a sample: descriptors, JSON, metadata.
    async fn prepare_call(&self, user: &mut User) -> Result<Prepared, NoCall> {
        let channel = self.channel(user).await?;
        let cx = &mut user.cx;
        let timeout_ns = self.settings.deadline_ns(cx)?;
        let varies = self.settings.metadata.constant().is_none();
        let metadata = self.settings.metadata.eval(cx);
        let head = self.last.head((&metadata, varies), timeout_ns, channel.config.is_packed)?;
        let json = self.settings.json.eval(cx);
        let messages = self.last.messages(&json, &channel)?;
        Ok(Prepared { channel, messages, head, timeout_ns })
    }

    /// The channel of the user, which the first sample makes.
    async fn channel(&self, user: &mut User) -> Result<Rc<Channel>, NoCall> {
        if let Some(channel) = user.state(Channels::default).get(&self.id) {
            return Ok(channel);
        }
        let config = self.settings.config(&mut user.cx)?;
        let link = Link::new(&config, &self.scope);
        let method = match &config.source {
            Source::Files { path, includes } => {
                self.methods.of_files(path, includes, &config.method, &user.cx.host)?
            }
            Source::Reflection => self.reflected(user, &config, &link).await?,
        };
        let sessions = KeptSessions::of_group(&self.groups, self.scope.http2_share());
        let channel = Rc::new(Channel::new(config, method, link, sessions));
        user.state(Channels::default).put(self.id.clone(), channel.clone());
        Ok(channel)
    }

    /// The method by the reflection of the server, over a connection that is closed afterwards.
    async fn reflected(&self, user: &mut User, config: &Config, link: &Link) -> Result<CallMethod, NoCall> {
        let metadata = self.settings.metadata.eval(&mut user.cx).into_owned();
        let head = self.last.head((&metadata, true), None, false)?;
        let lines = [&b"content-type: application/grpc\r\nte: trailers\r\n"[..], &head.own].concat();
        let fields = swell_http2::Fields::from_lines(&lines).map_err(|error| NoCall(error.to_string()))?;
        let ends_at_ns = now_ns().saturating_add(REFLECTION_NS).min(user.interrupt_at_ns);
        let cx = &mut user.cx;
        let asked = async {
            let connected = link.connect(config, &self.scope, cx, ends_at_ns).await;
            let connected = connected.map_err(|status| NoCall(format!("server reflection: {status}")))?;
            let authority = link.authority.as_bytes();
            let server = Server { scheme: link.scheme(), authority, fields: &fields, ends_at_ns };
            reflect(&connected.session, &server, &config.method).await
        };
        let found = self.methods.by_reflection(&link.authority, &config.method, asked).await;
        // The user waited for the server, not for the tool.
        user.ready_ns = user.ready_ns.max(now_ns());
        found
    }

    fn put_request(&self, prepared: &Prepared, sample: &mut SampleResult) {
        if self.wanted.needs.request {
            let shown = prepared.channel.method.method.request_text(&prepared.messages.first);
            sample.sampler_data = shown.ok();
            sample.request_headers = prepared.head.metadata.text();
        }
    }

    async fn run(&self, user: &mut User, prepared: &Prepared, sample: &mut SampleResult) {
        let start_ns = sample.timing.start_ns;
        let until = |timeout_ns: i64| start_ns.saturating_add(timeout_ns);
        let ends_at_ns = prepared.timeout_ns.map_or(i64::MAX, until).min(user.interrupt_at_ns);
        let mut received = Received::default();
        let mut trace = self.trace(user, &prepared.channel, start_ns);
        let attempt = (&mut received, &mut trace);
        let done = self.call(user, prepared, ends_at_ns, attempt, sample).await;
        let is_cut = done.is_err();
        put_received(&received, sample);
        let status = match done {
            Ok(status) => status,
            Err(failed) => {
                put_end_here(sample);
                match failed {
                    CallError::Invalid(status) => status,
                    CallError::Session(error) => of_session(&error),
                    CallError::Passed if now_ns() >= user.interrupt_at_ns => {
                        Status::new(Code::Cancelled, "interrupted by a Sample Timeout")
                    }
                    CallError::Passed => {
                        Status::new(Code::DeadlineExceeded, deadline_text(prepared.timeout_ns))
                    }
                }
            }
        };
        if self.wanted.needs.response_headers {
            let lines = [&received.head[..], &received.trailers].concat();
            sample.response_headers = String::from_utf8_lossy(&lines).replace("\r\n", "\n");
        }
        if let Some(trace) = trace {
            trace.end_http2(&prepared.as_http1(&received), is_cut.then(|| status.to_string()));
        }
        sample.events = received.events.take();
        let is_described = prepared.channel.config.is_described;
        put_status(&status, is_described, sample);
        if status.code == Code::Ok {
            let name = user.cx.sampler_name.clone();
            let put = put_messages(&mut received, &prepared.channel, self.wanted, &name, sample);
            if let Err(status) = put {
                put_status(&status, is_described, sample);
            }
        }
    }

    fn trace(&self, user: &User, channel: &Channel, start_ns: i64) -> Option<UpgradeTrace> {
        user.cx.trace.as_ref()?;
        self.scope.trace(&user.cx, start_ns, ("POST", &channel.url()), None)
    }

    /// Makes the call; once more over a new connection if the server has not begun with it.
    async fn call(
        &self,
        user: &mut User,
        prepared: &Prepared,
        ends_at_ns: i64,
        (received, trace): (&mut Received, &mut Option<UpgradeTrace>),
        sample: &mut SampleResult,
    ) -> Result<Status, CallError> {
        let channel = &prepared.channel;
        let input = self.input(prepared, ends_at_ns);
        let mut is_second = false;
        loop {
            let connected = channel.session(&self.scope, &mut user.cx, ends_at_ns).await;
            let connected = match connected {
                Ok(connected) => connected,
                Err(_) if now_ns() >= ends_at_ns => return Err(CallError::Passed),
                Err(status) => return Err(CallError::Invalid(status)),
            };
            if connected.made_ns != 0 {
                sample.timing.connected_ns = connected.made_ns;
                sample.timing.handshake_ns = connected.handshake_ns;
            }
            if let Some(trace) = trace {
                channel.note(trace, &connected);
            }
            let result = call(&connected.session, &input, received).await;
            let is_free =
                matches!(result, Err(CallError::Session(SessionError::NotProcessed | SessionError::Closing)));
            if !is_free || is_second {
                return result;
            }
            is_second = true;
            *received = Received::default();
        }
    }

    fn input<'p>(&self, prepared: &'p Prepared, ends_at_ns: i64) -> CallInput<'p> {
        let Prepared { channel, messages, head, .. } = prepared;
        let is_streaming = channel.method.method.is_server_streaming();
        CallInput {
            head: head.of_call(&channel.link, &channel.method.path),
            body: &messages.body,
            is_streaming,
            messages_max: if is_streaming { channel.config.messages_max } else { 0 },
            message_bytes_max: channel.config.message_bytes_max,
            keeps: self.keeps(is_streaming),
            ends_at_ns,
        }
    }

    fn keeps(&self, is_streaming: bool) -> Keeps {
        let messages = match (self.wanted.needs.body, is_streaming) {
            (true, true) => SHOWN_MESSAGES_MAX,
            (true, false) => 1,
            (false, true) if self.wanted.has_sub_samples() => self.wanted.sub_samples_max,
            (false, _) => 0,
        };
        Keeps { messages, bytes: usize::try_from(self.bodies.max()).unwrap_or(usize::MAX) }
    }
}

/// The text of grpc-java, without its internal details.
fn deadline_text(timeout_ns: Option<i64>) -> String {
    format!("deadline exceeded after {}s", timeout_ns.unwrap_or_default() as f64 / 1e9)
}

/// What can be read before the run is read now, and what is wrong with it is said.
fn check_files(settings: &Settings, methods: &Methods, input: &SamplerInput<'_>, compile: &CompileContext) {
    let Some(Source::Files { path, includes }) = settings.constant_source() else { return };
    let name = settings.constant_method();
    let found = methods.of_files(&path, &includes, name.unwrap_or("any.Service/Method"), &compile.host);
    let Err(error) = found else { return };
    use swell_grpc::DescriptorError::{Method, Name, Service};
    let is_about_method = matches!(error, Method { .. } | Name(_) | Service { .. });
    if is_about_method && name.is_none() {
        return;
    }
    let property = if is_about_method { "GRPCSampler.fullMethod" } else { "GRPCSampler.protoFolder" };
    let hint = "each sample fails with code ` 400`; GRPCSampler.reflection=true asks the server instead";
    let element = &input.sampler.element;
    compile.note(Severity::Warning, element, Some(property), error.to_string(), Some(hint));
}

impl Sampler for GrpcSampler {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move { Some(Box::new(self.take(user).await)) })
    }
}
