//! TCP Sampler (`org.apache.jmeter.protocol.tcp.sampler.TCPSampler`): sends a text and reads a
//! response.

mod client;
mod connect;
mod exchange;
mod spec;
mod status;

use std::any::Any;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use connect::Connection;
use exchange::{Answer, ExchangeFailure};
use spec::{Call, Spec};
use status::Statuses;
use swell_api::{
    Bodies, CompileContext, DataType, Needs, SampleResult, Sampler, SamplerFuture, SamplerInput, User,
    UserState,
};
use swell_connect::NameCache;
use swell_plan::Element;

/// A sampler, shared by the users of a worker.
struct Tcp {
    spec: Spec,
    statuses: Statuses,
    needs: Needs,
    bodies: Arc<Bodies>,
    names: Arc<NameCache>,
}

/// A user's connections by server, port, user and password.
#[derive(Default)]
struct Connections {
    open: HashMap<String, Connection>,
}

impl UserState for Connections {
    /// They stay open until the user ends.
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Whether a sampler names a client that there is here, or none, or one that only the run knows,
/// and no script sets it. All others need the JVM.
pub(crate) fn is_native(element: &Element) -> bool {
    let class = element.text("TCPSampler.classname").unwrap_or_default().trim();
    let is_ours = class.is_empty() || class.contains("${") || spec::CLIENTS.contains(&spec::short(class));
    is_ours && swell_api::is_as_planned(element)
}

pub(crate) fn make(input: &SamplerInput<'_>, compile: &CompileContext) -> Rc<dyn Sampler> {
    let spec = Spec::new(input, compile);
    Rc::new(Tcp {
        spec,
        statuses: Statuses::new(compile),
        needs: input.needs,
        bodies: compile.bodies(),
        names: compile.expr.shared.get("host addresses", || {
            NameCache::with_ttl(compile.props.get("sun.net.inetaddr.ttl").as_deref())
        }),
    })
}

impl Sampler for Tcp {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move { Some(Box::new(self.take(user).await)) })
    }
}

impl Tcp {
    async fn take(&self, user: &mut User) -> SampleResult {
        let call = self.spec.call(&mut user.cx, user.interrupt_at_ns);
        let known = user.state(Connections::default).open.remove(&call.key);
        let mut sample = SampleResult::default();
        sample.timing.start_ns = swell_net::now_ns();
        // Whatever was open is closed where it is not to be used again.
        let connection = if let Some(open) = known.filter(|_| call.reuse) {
            Ok(open)
        } else {
            let made = Connection::open(&call, &self.names).await;
            sample.timing.connected_ns = swell_net::now_ns();
            made
        };
        let kept = match connection.and_then(|connection| connection.set_up(&call)) {
            Ok(mut connection) => {
                self.exchange(&call, &mut connection, &mut sample).await.then_some(connection)
            }
            Err(failure) => {
                sample.timing.end_ns = swell_net::now_ns();
                if failure.in_exchange {
                    self.fail(&call, String::new(), failure.message, &mut sample);
                } else {
                    sample.code = "500".into();
                    sample.message = failure.message.into();
                }
                None
            }
        };
        if self.needs.request && sample.sampler_data.as_deref().unwrap_or_default().is_empty() {
            sample.sampler_data = Some(call.about());
        }
        if let Some(connection) = kept.filter(|_| call.reuse && !call.close) {
            user.state(Connections::default).open.insert(call.key, connection);
        }
        sample
    }

    /// Asks and reads; whether the connection can be used again.
    async fn exchange(&self, call: &Call, connection: &mut Connection, sample: &mut SampleResult) -> bool {
        let Some(client) = &call.client else {
            sample.timing.end_ns = swell_net::now_ns();
            sample.code = "500".into();
            sample.message = "Protocol handler not found".into();
            return true;
        };
        if self.needs.request {
            sample.sampler_data = Some(call.request.clone());
        }
        let keep = self.needs.body || self.statuses.are_read();
        let bodies = keep.then(|| self.bodies.clone());
        let Answer { mut body, trouble, timing } = exchange::exchange(call, client, connection, bodies).await;
        sample.timing.end_ns = timing.end_ns;
        sample.timing.first_byte_ns = timing.first_byte_ns;
        sample.timing.read_ns = timing.read_ns;
        body.before_texts();
        let text = client.text(&body.kept);
        let reusable = match trouble {
            None => match self.set_up(call, text, true, sample) {
                Ok(()) => true,
                Err(thrown) => self.fail(call, String::new(), thrown, sample),
            },
            Some(ExchangeFailure { message }) => self.fail(call, text, message, sample),
        };
        if !keep || body.is_cut() {
            sample.bytes = client.text_length(body.count);
            sample.body_size = sample.bytes;
        }
        sample.room = body.into_room().filter(|room| room.bytes() > 0).map(Arc::new);
        reusable
    }

    /// Always false: the connection is not used again.
    fn fail(&self, call: &Call, text: String, message: String, sample: &mut SampleResult) -> bool {
        // A text that was cut has its status all the same; nothing is thrown for a failure.
        let fallback = self.set_up(call, text, false, sample);
        debug_assert!(fallback.is_ok());
        if sample.code.is_empty() {
            sample.code = "500".into();
            sample.message = message.into();
        }
        false
    }

    /// `setupSampleResult`. Leaves code and message of a failure to the caller.
    fn set_up(
        &self,
        call: &Call,
        text: String,
        success: bool,
        sample: &mut SampleResult,
    ) -> Result<(), String> {
        let status = self.statuses.of(&text, success)?;
        sample.data_type = DataType::Text;
        sample.success = success;
        if success {
            sample.code = "200".into();
            sample.message = "OK".into();
        }
        if let Some(status) = status {
            sample.success = status.success;
            sample.code = status.code.into();
            sample.message = status.message.into();
        }
        let (body, encoding) = call.encode(text);
        sample.bytes = body.len() as u64;
        sample.body_size = sample.bytes;
        sample.encoding = encoding;
        sample.body = body.into();
        Ok(())
    }
}
