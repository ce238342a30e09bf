//! Samples of the plug-in (`WebsocketSampler.sample` and what its six classes do in it).

use std::io;
use std::path::Path;
use std::sync::Arc;

use swell_api::{
    Bodies, CompileContext, DataType, Needs, SampleResult, Sampler, SamplerFuture, SamplerInput, User,
};
use swell_expr::{Context, Slot, Template, Value};
use swell_http::UpgradeScope;
use swell_net::now_ns;
use swell_websocket::{CloseReason, Opcode};

use super::binary;
use super::client::Client;
use super::connections::{EndPolicy, UserConnections};
use super::failure::Failure;
use super::filter::{FilterSettings, Filters, FrameFilter};
use super::frames::{Content, ReceivedFrame};
use super::handshake::in_order_of_map;
use super::settings::{Operation, PayloadType, ReadType, Settings, Values};
use super::upgrade::{OpenLimits, UpgradeRequest, upgrade};

/// The variable that says whether the last frame of a message was read.
const LAST_FRAME_FINAL: &str = "websocket.last_frame_final";

/// What the plug-in's close frames say.
const CLOSE_REASON: &str = "sampler requested close";

/// A sampler, shared by the users of a worker.
pub(super) struct WebSocketSampler {
    settings: Settings,
    scope: UpgradeScope,
    /// Filters in its scope with their names, in the order of the plug-in.
    filters: Vec<(FrameFilter, Template)>,
    filter_settings: FilterSettings,
    needs: Needs,
    bodies: Arc<Bodies>,
    at_end: EndPolicy,
    /// [`LAST_FRAME_FINAL`] and its values.
    last_frame_final: (Slot, [Value; 2]),
}

/// A sample on its way: the frame that answered, and what was found before.
struct Outcome {
    frame: Option<ReceivedFrame>,
    /// A connection was made: the lines of the answer.
    upgraded: Option<String>,
}

impl WebSocketSampler {
    pub(super) fn new(operation: Operation, input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let filters = super::filters(input, compile);
        Self {
            settings: Settings::new(operation, input, compile),
            scope: UpgradeScope::new(input, compile),
            filters,
            filter_settings: FilterSettings {
                renames: compile.renames_sub_samples(),
                counts_sizes: compile.props.flag("websocket.result.size_includes_filtered_frames", false),
            },
            needs: input.needs,
            bodies: compile.bodies(),
            at_end: EndPolicy::of(&compile.props),
            last_frame_final: (compile.expr.names.slot(LAST_FRAME_FINAL), ["false".into(), "true".into()]),
        }
    }

    async fn take(&self, user: &mut User) -> Box<SampleResult> {
        let mut sample = SampleResult::boxed();
        sample.timing.start_ns = now_ns();
        sample.timing.end_ns = sample.timing.start_ns;
        let values = match self.settings.values(&mut user.cx) {
            Ok(values) => values,
            Err(why) => {
                put_failure(&Failure::Thrown(why), &mut sample);
                return sample;
            }
        };
        let name = self.settings.connection(&mut user.cx);
        let mut client = user.state(UserConnections::default).take(&name);
        if values.destination.is_some() {
            client = None;
        } else if client.is_none() {
            self.put_missing(&mut sample);
            return sample;
        }
        let done = self.run(user, &values, &mut client, &mut sample).await;
        if sample.timing.end_ns <= sample.timing.start_ns && done.is_err() {
            sample.timing.end_ns = now_ns();
        }
        match done {
            Ok(outcome) => self.put_outcome(outcome, user, &mut sample),
            Err(failure) => self.put_failed(&failure, &mut sample),
        }
        let connections = user.state(UserConnections::default);
        connections.at_end = self.at_end;
        connections.put(name, client.filter(|client| client.is_connected()));
        sample
    }

    /// There is no connection to use.
    fn put_missing(&self, sample: &mut SampleResult) {
        let (code, message) = match self.settings.operation {
            Operation::Close => ("", "No connection; nothing to close."),
            Operation::Ping => {
                ("Sampler error", "Sampler must use existing connection, but there is no connection")
            }
            _ => (
                "Sampler error",
                "Sampler configured for using existing connection, but there is no connection",
            ),
        };
        if self.settings.operation == Operation::Close && self.needs.request {
            sample.sampler_data = Some("No request sent.".to_owned());
        }
        sample.code = code.into();
        sample.message = message.into();
    }

    async fn run(
        &self,
        user: &mut User,
        values: &Values,
        client: &mut Option<Box<Client>>,
        sample: &mut SampleResult,
    ) -> Result<Outcome, Failure> {
        let filters = Filters::new(&self.filters, self.filter_settings, &mut user.cx)?;
        let upgraded = if values.destination.is_some() {
            // Boxed: it is rare, and would make the future of every sample large.
            Some(Box::pin(self.open(user, values, client, sample)).await?)
        } else {
            let url = client.as_ref().map_or("", |client| &client.url);
            self.put_data(sample, || format!("Connect URL:\n{url}\n(using existing connection)\n"));
            None
        };
        let Some(client) = client else { return Ok(Outcome { frame: None, upgraded }) };
        let frame = self.operate(user, values, client, &filters, sample).await?;
        Ok(Outcome { frame, upgraded })
    }

    async fn open(
        &self,
        user: &mut User,
        values: &Values,
        client: &mut Option<Box<Client>>,
        sample: &mut SampleResult,
    ) -> Result<String, Failure> {
        let Some(to) = &values.destination else { return Ok(String::new()) };
        let mut lines = self.scope.header_lines(&mut user.cx);
        let cookie = self.scope.cookie(user, &to.http_url());
        if let Some(cookie) = cookie {
            lines.get_or_insert_default().push(("Cookie".into(), cookie.into()));
        }
        let lines = in_order_of_map(lines.unwrap_or_default());
        if self.needs.request {
            let shown: Vec<String> = lines.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            sample.request_headers = shown.join("\n");
        }
        sample.timing.start_ns = now_ns();
        self.put_data(sample, || format!("Connect URL:\n{}\n", to.url()));
        let limits = OpenLimits { connect_ms: values.connect_ms, read_ms: values.read.timeout_ms };
        let cookie = lines.iter().find(|(name, _)| name.eq_ignore_ascii_case("Cookie"));
        let cookie = cookie.map(|(_, value)| &**value);
        let trace = self.scope.trace(&user.cx, sample.timing.start_ns, ("GET", &to.url()), cookie);
        let host = format!("{}:{}", to.host, to.port);
        let keys = if to.secure { self.scope.client_keys(&mut user.cx) } else { None };
        let asked = UpgradeRequest { to, host: &host, lines: &lines, limits, keys, trace };
        let upgraded = upgrade(asked, &self.scope).await?;
        let timing = &mut sample.timing;
        timing.connected_ns = upgraded.times.at_ns;
        timing.handshake_ns = upgraded.handshake_ns;
        timing.first_byte_ns = upgraded.times.first_ns;
        timing.end_ns = upgraded.times.at_ns;
        timing.read_ns = upgraded.times.read_ns;
        sample.header_size = upgraded.response_bytes;
        sample.bytes = upgraded.response_bytes;
        sample.sent_bytes = upgraded.request_bytes;
        let text = upgraded.answer.text();
        let payload_bytes_max = usize::try_from(self.bodies.max()).unwrap_or(usize::MAX);
        let opened = client.insert(Box::new(Client::new(upgraded, to.url(), payload_bytes_max)));
        opened.answer_pings(values.read.answers_pings);
        Ok(text)
    }

    /// What the sampler does on an open connection; the frame that answered.
    async fn operate(
        &self,
        user: &mut User,
        values: &Values,
        client: &mut Client,
        filters: &Filters,
        sample: &mut SampleResult,
    ) -> Result<Option<ReceivedFrame>, Failure> {
        if values.destination.is_none() {
            sample.timing.start_ns = now_ns();
        }
        let cx = &mut user.cx;
        match self.settings.operation {
            Operation::Open => Ok(None),
            Operation::Write => {
                self.send_data(cx, client, sample).await?;
                sample.timing.end_ns = now_ns();
                sample.timing.read_ns = 0;
                Ok(None)
            }
            Operation::RequestResponse => {
                let expected = self.send_data(cx, client, sample).await?;
                let frame = filters.receive(client, values.read, sample).await?;
                let wanted = if expected == PayloadType::Binary { Content::Binary } else { Content::Text };
                arrived(frame, |frame| frame.content == wanted, sample).map(Some)
            }
            Operation::Read => {
                let expected = self.settings.read_type(cx).map_err(Failure::Thrown)?;
                let frame = match filters.receive(client, values.read, sample).await {
                    Err(Failure::Silence) if self.settings.is_optional(cx) => {
                        sample.timing.end_ns = now_ns();
                        sample.timing.read_ns = 0;
                        return Ok(None);
                    }
                    received => received?,
                };
                let fits = |frame: &ReceivedFrame| match expected {
                    ReadType::Text => frame.content == Content::Text,
                    ReadType::Binary => frame.content == Content::Binary,
                    ReadType::Any => frame.is_data(),
                };
                arrived(frame, fits, sample).map(Some)
            }
            Operation::Ping if self.settings.is_pong_only(cx) => {
                sample.sent_bytes = client.send(Opcode::Pong, b"").await?;
                sample.timing.end_ns = now_ns();
                Ok(None)
            }
            Operation::Ping => {
                sample.sent_bytes = client.send(Opcode::Ping, b"").await?;
                let frame = filters.receive(client, values.read, sample).await?;
                arrived(frame, |frame| frame.content == Content::Pong, sample).map(Some)
            }
            Operation::Close => {
                let status = self.settings.status(cx).map_err(Failure::Thrown)?;
                let data =
                    format!("Requested connection close with status {status} and reason '{CLOSE_REASON}'.");
                sample.sampler_data = self.needs.request.then_some(data);
                let payload = CloseReason::payload(status, CLOSE_REASON);
                sample.sent_bytes = client.send_close(&payload).await?;
                let frame = filters.receive(client, values.read, sample).await?;
                arrived(frame, |frame| frame.content == Content::Close, sample).map(Some)
            }
        }
    }

    async fn send_data(
        &self,
        cx: &mut Context,
        client: &mut Client,
        sample: &mut SampleResult,
    ) -> Result<PayloadType, Failure> {
        let payload_type = self.settings.payload_type(cx);
        let (payload, shown) = self.payload(payload_type, cx)?;
        if self.needs.request {
            let shown = shown.unwrap_or_else(|| String::from_utf8_lossy(&payload).into_owned());
            let data = sample.sampler_data.get_or_insert_default();
            data.extend(["\nRequest data:\n", &shown, "\n"]);
        }
        let opcode = if payload_type == PayloadType::Binary { Opcode::Binary } else { Opcode::Text };
        sample.sent_bytes = client.send(opcode, &payload).await?;
        Ok(payload_type)
    }

    /// The bytes to send, and their text in the sample where that is another.
    fn payload(
        &self,
        payload_type: PayloadType,
        cx: &mut Context,
    ) -> Result<(Vec<u8>, Option<String>), Failure> {
        let file = self.settings.data_file(cx);
        let content = file.map(|file| read(&file, cx)).transpose()?;
        if payload_type == PayloadType::Binary {
            if let Some(bytes) = content {
                let shown = binary::shown(&bytes, 100, "...");
                return Ok((bytes, Some(shown)));
            }
            let text = self.settings.request_data(cx);
            return match binary::parse(&text) {
                Ok(bytes) => Ok((bytes, Some(text))),
                Err(_) => Err(Failure::Data(format!("Request data is not binary: {text}"))),
            };
        }
        let text = match content {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => self.settings.request_data(cx),
        };
        let text = if payload_type == PayloadType::TextStomp { text.replace("^@", "\0") } else { text };
        Ok((text.into_bytes(), None))
    }

    fn put_data(&self, sample: &mut SampleResult, data: impl FnOnce() -> String) {
        if self.needs.request {
            sample.sampler_data = Some(data());
        }
    }

    fn put_outcome(&self, outcome: Outcome, user: &mut User, sample: &mut SampleResult) {
        let Outcome { frame, upgraded } = outcome;
        sample.success = true;
        sample.code = if upgraded.is_some() { "101".into() } else { "200".into() };
        sample.message = if upgraded.is_some() { "Switching Protocols".into() } else { "OK".into() };
        if self.needs.response_headers {
            sample.response_headers = upgraded.unwrap_or_default();
        }
        let operation = self.settings.operation;
        let Some(frame) = frame else {
            if operation == Operation::Read {
                sample.code = "No response".into();
                sample.message = "Read timeout, no response received.".into();
            }
            return;
        };
        let payload_size = frame.payload.len() as u64;
        sample.header_size += frame.size.saturating_sub(payload_size);
        sample.body_size += payload_size;
        sample.bytes += frame.size;
        match (operation, frame.content) {
            (Operation::Close, _) => put_close(&frame, sample, self.needs.body),
            (_, Content::Text | Content::Binary) => self.put_content(frame, user, sample),
            _ => {}
        }
    }

    fn put_content(&self, frame: ReceivedFrame, user: &mut User, sample: &mut SampleResult) {
        let (slot, values) = &self.last_frame_final;
        user.cx.vars.put_slot(*slot, values[usize::from(frame.is_final)].clone());
        let is_text = frame.content == Content::Text;
        sample.data_type = if is_text { DataType::Text } else { DataType::Binary };
        if is_text {
            sample.encoding = "UTF-8".into();
        }
        if self.needs.body {
            // What is not UTF-8 has become U+FFFD in the plug-in.
            let bytes = if is_text && std::str::from_utf8(&frame.payload).is_err() {
                frame.text().into_bytes()
            } else {
                frame.payload
            };
            sample.body = bytes.into();
        }
    }

    fn put_failed(&self, failure: &Failure, sample: &mut SampleResult) {
        if let (Operation::Close, Failure::Unexpected(frame)) = (self.settings.operation, failure) {
            sample.code = "WebSocket error: unsuccesful close.".into();
            let text = format!("WebSocket error: received not a close frame, but {}", frame.describe());
            sample.message = text.into();
            return;
        }
        put_failure(failure, sample);
    }
}

/// A frame ends the sample; one that had come before its start ends it at once.
fn arrived(
    frame: ReceivedFrame,
    fits: impl Fn(&ReceivedFrame) -> bool,
    sample: &mut SampleResult,
) -> Result<ReceivedFrame, Failure> {
    let timing = &mut sample.timing;
    let is_early = frame.times.at_ns <= timing.start_ns;
    timing.end_ns = frame.times.at_ns.max(timing.start_ns);
    sample.waited_ns = (timing.start_ns - frame.times.at_ns).max(0);
    timing.read_ns = if is_early { 0 } else { frame.times.read_ns };
    // On a new connection the first byte is that of the upgrade's answer.
    if timing.connected_ns == 0 {
        timing.first_byte_ns = frame.times.first_ns.max(timing.start_ns);
    }
    if fits(&frame) { Ok(frame) } else { Err(Failure::Unexpected(Box::new(frame))) }
}

fn put_failure(failure: &Failure, sample: &mut SampleResult) {
    let (code, message) = failure.code_and_message();
    sample.code = code.into();
    sample.message = message.into();
    // The end of a connection or of patience is no late read.
    if !matches!(failure, Failure::Unexpected(_)) {
        sample.timing.read_ns = 0;
    }
}

fn put_close(frame: &ReceivedFrame, sample: &mut SampleResult, keeps_body: bool) {
    let (status, reason) = frame.close();
    let status = status.map(|status| status.to_string()).unwrap_or_default();
    sample.message = match &reason {
        Some(reason) => format!("Connection closed; close reason: '{reason}'."),
        None => "Connection closed.".to_owned(),
    }
    .into();
    sample.data_type = DataType::Text;
    sample.encoding = "UTF-8".into();
    if keeps_body {
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        sample.body = format!("{status}{reason}").into_bytes().into();
    }
    sample.code = status.into();
}

/// The content of a file.
fn read(file: &str, cx: &Context) -> Result<Vec<u8>, Failure> {
    cx.host.read_file(Path::new(file)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            Failure::Data(format!("Request data cannot be loaded, file '{file}' not found"))
        }
        io::ErrorKind::PermissionDenied => {
            Failure::Data(format!("Request data cannot be loaded, file '{file}' not readable"))
        }
        _ => Failure::Io(crate::system_text(&error)),
    })
}

impl Sampler for WebSocketSampler {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move { Some(self.take(user).await) })
    }
}
