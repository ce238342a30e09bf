//! The channel of a user: one for each sampler, as the plug-in has it.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use swell_api::UserState;
use swell_connect::{Claim, Connecting, KeptSessions, Session, Target};
use swell_expr::Context;
use swell_grpc::Status;
use swell_http::{UpgradeScope, UpgradeTrace};
use swell_http2::Settings;
use swell_http2::client::Scheme;
use swell_net::{note_session_opened, now_ns};

use super::failure::{no_http2, of_connect};
use super::methods::CallMethod;
use super::settings::Config;

/// The channels of a user, by the samplers they belong to.
#[derive(Default)]
pub(super) struct Channels(Vec<(SamplerId, Rc<Channel>)>);

/// Tells a sampler from all others.
#[derive(Clone, Default)]
pub(super) struct SamplerId(Rc<SamplerMark>);

/// Takes memory, so that each has its place.
#[derive(Default)]
struct SamplerMark(#[expect(dead_code, reason = "only its place counts")] u8);

impl PartialEq for SamplerId {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Channels {
    pub(super) fn get(&self, sampler: &SamplerId) -> Option<Rc<Channel>> {
        self.0.iter().find(|(known, _)| known == sampler).map(|(_, channel)| channel.clone())
    }

    pub(super) fn put(&mut self, sampler: SamplerId, channel: Rc<Channel>) {
        self.0.push((sampler, channel));
    }
}

impl UserState for Channels {
    /// They stay until the user ends.
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// A method of a server, and the connections to it.
pub(super) struct Channel {
    pub(super) config: Config,
    pub(super) method: CallMethod,
    pub(super) link: Link,
    sessions: KeptSessions,
    /// The number of its connection in a trace; 0: it has none.
    number: Cell<u32>,
}

/// Where a channel goes.
pub(super) struct Link {
    target: Rc<Target>,
    /// Host and port, as grpc-java's `:authority`.
    pub(super) authority: String,
}

/// A connection for a call.
pub(super) struct Connected {
    pub(super) session: Session,
    /// When it was made, if it is new.
    pub(super) made_ns: i64,
    pub(super) handshake_ns: i64,
}

impl Link {
    pub(super) fn new(config: &Config, scope: &UpgradeScope) -> Self {
        let proxy = scope.proxy(&config.host);
        let target = Target {
            secure: config.is_secure,
            host: config.host.to_lowercase().into(),
            port: config.port,
            user: None,
            proxy,
        };
        let is_bare = config.host.contains(':') && !config.host.starts_with('[');
        let authority = if is_bare {
            format!("[{}]:{}", config.host, config.port)
        } else {
            format!("{}:{}", config.host, config.port)
        };
        Self { target: Rc::new(target), authority }
    }

    pub(super) fn scheme(&self) -> Scheme {
        if self.target.secure { Scheme::Https } else { Scheme::Http }
    }

    /// Makes a connection.
    ///
    /// # Errors
    /// There is none, as a status.
    pub(super) async fn connect(
        &self,
        config: &Config,
        scope: &UpgradeScope,
        cx: &mut Context,
        ends_at_ns: i64,
    ) -> Result<Connected, Status> {
        let timeout_ns = (ends_at_ns != i64::MAX).then(|| (ends_at_ns - now_ns()).max(1));
        let opened = scope.open_http2(cx, &self.target, timeout_ns, config.verifies).await;
        let opened = opened.map_err(|error| of_connect(&error))?;
        let chosen = opened.stream.protocol();
        if config.is_secure && chosen != Some(b"h2") {
            return Err(no_http2(chosen));
        }
        let settings =
            Settings { header_list_max: config.metadata_bytes_max.max(1024), ..Settings::default() };
        let session = Session::new(opened.stream, &settings);
        Ok(Connected { session, made_ns: now_ns(), handshake_ns: opened.handshake_ns })
    }
}

impl Channel {
    pub(super) fn new(config: Config, method: CallMethod, link: Link, sessions: KeptSessions) -> Self {
        Self { config, method, link, sessions, number: Cell::new(0) }
    }

    /// The URL of its calls, for people.
    pub(super) fn url(&self) -> String {
        let scheme = if self.config.is_secure { "grpcs" } else { "grpc" };
        format!("{scheme}://{}{}", self.link.authority, self.method.path)
    }

    /// Adds the connection of a call to its trace.
    pub(super) fn note(&self, trace: &mut UpgradeTrace, connected: &Connected) {
        let known = if connected.made_ns == 0 { self.number.get() } else { 0 };
        self.number.set(trace.over_session(&connected.session, &self.link.target, known));
    }

    /// The open connection, or a new one.
    ///
    /// # Errors
    /// There is none, as a status.
    pub(super) async fn session(
        &self,
        scope: &UpgradeScope,
        cx: &mut Context,
        ends_at_ns: i64,
    ) -> Result<Connected, Status> {
        let claim: Connecting = match self.sessions.claim(&self.link.target, 0).await {
            Claim::Session(session) => return Ok(Connected { session, made_ns: 0, handshake_ns: 0 }),
            Claim::Connect(claim) => claim,
            Claim::Http1 => return Err(no_http2(None)),
        };
        let connected = self.link.connect(&self.config, scope, cx, ends_at_ns).await?;
        note_session_opened();
        claim.open(connected.session.clone());
        Ok(connected)
    }
}
