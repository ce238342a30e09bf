//! Samples of the plug-in (`WebSocketSampler.sample`).

use std::any::Any;
use std::sync::Arc;

use swell_api::{
    Bodies, CompileContext, Needs, SampleResult, Sampler, SamplerFuture, SamplerInput, User, UserState,
};
use swell_expr::Charset;
use swell_http::UpgradeScope;
use swell_net::now_ns;

use super::patterns::Patterns;
use super::settings::{Settings, Values};
use super::socket::{MessageSocket, Wait, opening_log};
use super::uri::host_of;
use crate::websocket::handshake::in_order_of_map;
use crate::websocket::upgrade::{Destination, OpenLimits, UpgradeRequest, upgrade};

const MS: i64 = 1_000_000;

/// Time for the close frames of a user that ends.
const FAREWELL_NS: i64 = 100 * MS;

/// A sampler, shared by the users of a worker.
pub(super) struct MessageSampler {
    settings: Settings,
    scope: UpgradeScope,
    needs: Needs,
    bodies: Arc<Bodies>,
}

/// The open connections of a user, by their ids.
#[derive(Default)]
struct UserSockets(Vec<(String, MessageSocket)>);

impl UserSockets {
    fn take(&mut self, id: &str) -> Option<MessageSocket> {
        let at = self.0.iter().position(|(known, _)| known == id)?;
        Some(self.0.swap_remove(at).1)
    }
}

impl UserState for UserSockets {
    /// They stay open until the user ends.
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Drop for UserSockets {
    /// As `testEnded` closes them.
    fn drop(&mut self) {
        for (_, mut socket) in self.0.drain(..).filter(|(_, socket)| socket.is_open()) {
            swell_net::spawn_detached(async move { socket.close(now_ns() + FAREWELL_NS).await });
        }
    }
}

impl MessageSampler {
    pub(super) fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        Self {
            settings: Settings::new(input, compile),
            scope: UpgradeScope::new(input, compile),
            needs: input.needs,
            bodies: compile.bodies(),
        }
    }

    async fn take(&self, user: &mut User) -> SampleResult {
        let values = self.settings.values(&mut user.cx);
        let mut sample = SampleResult { encoding: values.encoding.clone().into(), ..SampleResult::default() };
        sample.sampler_data = self.needs.request.then(|| values.payload.clone());
        sample.timing.start_ns = now_ns();
        let to = match &values.to {
            Ok(to) => to,
            Err(why) => {
                put_failed(&mut sample, "", &format!(" - Invalid URI syntax: {why}\n"));
                return sample;
            }
        };
        let mut wait = Wait::new(sample.timing.start_ns, values.backlog);
        let kept = values.kept_as.as_deref().and_then(|id| user.state(UserSockets::default).take(id));
        let socket = match kept {
            Some(mut socket) => {
                socket.reuse();
                socket.take_arrived(&mut wait).await;
                Some(socket)
            }
            None => self.open(user, &values, to, &mut wait, &mut sample).await,
        };
        let Some(mut socket) = socket else { return sample };
        exchange(&values, &mut socket, &mut wait, &mut sample).await;
        sample.received = Some(sample.received.unwrap_or(0) + wait.received_bytes);
        if let Some(id) = values.kept_as {
            user.state(UserSockets::default).0.push((id, socket));
        }
        sample
    }

    /// Opens a connection; none where that failed, which the sample says.
    async fn open(
        &self,
        user: &mut User,
        values: &Values,
        to: &Destination,
        wait: &mut Wait,
        sample: &mut SampleResult,
    ) -> Option<MessageSocket> {
        let lines = in_order_of_map(self.scope.header_lines(&mut user.cx).unwrap_or_default());
        let patterns = Patterns::new(values.response_pattern.clone(), values.close_pattern.clone());
        let log = opening_log(&patterns, values.connect_ms);
        let connect_ms = values.connect_ms.max(1);
        let limits = OpenLimits { connect_ms, read_ms: connect_ms };
        let trace = self.scope.trace(&user.cx, sample.timing.start_ns, ("GET", &to.url()), None);
        let keys = if to.secure { self.scope.client_keys(&mut user.cx) } else { None };
        let asked = UpgradeRequest { to, host: &host_of(to), lines: &lines, limits, keys, trace };
        let upgraded = match upgrade(asked, &self.scope).await {
            Ok(upgraded) => upgraded,
            Err(failure) => {
                let why = format!(" - Connection couldn't be opened: {}\n", failure.text());
                put_failed(sample, &format!("{log} - Cannot connect to the remote server\n"), &why);
                sample.code = "500".into();
                return None;
            }
        };
        sample.timing.connected_ns = upgraded.times.at_ns;
        sample.timing.handshake_ns = upgraded.handshake_ns;
        sample.sent_bytes = upgraded.request_bytes;
        sample.received = Some(upgraded.response_bytes);
        if self.needs.response_headers {
            sample.response_headers = upgraded.answer.text();
        }
        // Messages that come with the answer are of this sample.
        wait.start_ns = wait.start_ns.min(upgraded.times.at_ns - 1);
        let most = usize::try_from(self.bodies.max()).unwrap_or(usize::MAX);
        Some(MessageSocket::new(upgraded, (patterns, log), wait, most))
    }
}

/// Sends the payload and waits for what answers.
async fn exchange(values: &Values, socket: &mut MessageSocket, wait: &mut Wait, sample: &mut SampleResult) {
    let mut until_ns = now_ns() + values.response_ms.max(0) * MS;
    if !values.payload.is_empty() {
        let why = if socket.is_open() {
            let sent = socket.send(&values.payload, until_ns).await;
            sent.map(|bytes| sample.sent_bytes += bytes).err().map(|error| format!("IO Exception: {error}"))
        } else {
            let state = "current state [CLOSED], expecting [OPEN or CONNECTED]";
            Some(format!("Unexpected error: RemoteEndpoint unavailable, {state}"))
        };
        if let Some(why) = why {
            let log = socket.record().whole_log();
            put_failed(sample, &log, &format!(" - {why}\n"));
            return;
        }
        until_ns = now_ns() + values.response_ms.max(0) * MS;
    }
    let line = format!(" - Waiting for messages for {} MILLISECONDS\n", values.response_ms);
    socket.record().log.push_str(&line);
    socket.wait(wait, until_ns).await;
    put_times(wait, sample);
    if values.kept_as.is_some() {
        socket.record().log.push_str(" - Leaving streaming connection open\n");
    } else {
        socket.close(now_ns() + FAREWELL_NS).await;
    }
    put_outcome(values, socket, sample);
}

fn put_times(wait: &Wait, sample: &mut SampleResult) {
    let timing = &mut sample.timing;
    timing.first_byte_ns = wait.first_ns;
    match wait.ended {
        Some(times) => {
            timing.end_ns = times.at_ns.max(timing.start_ns);
            timing.read_ns = times.read_ns;
        }
        None => timing.end_ns = now_ns(),
    }
}

/// A wait in vain is a success.
fn put_outcome(values: &Values, socket: &mut MessageSocket, sample: &mut SampleResult) {
    let record = socket.record();
    sample.success = record.error == 0;
    sample.code = if record.error == 0 { "200".into() } else { record.error.to_string().into() };
    sample.message = format!("{}\n\n[Problems]\n", record.whole_log()).into();
    let charset = Charset::of(values.encoding.trim()).unwrap_or_default();
    let body = charset.encode(&record.response());
    sample.body_size = body.len() as u64;
    sample.bytes = body.len() as u64;
    sample.body = body.into();
}

fn put_failed(sample: &mut SampleResult, log: &str, problem: &str) {
    sample.success = false;
    sample.message = format!("{log}\n\n[Problems]\n{problem}").into();
    sample.timing.end_ns = now_ns();
}

impl Sampler for MessageSampler {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move { Some(Box::new(self.take(user).await)) })
    }
}
