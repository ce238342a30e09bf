//! What samplers of other protocols over HTTP take from their scope: header lines, cookies, the way
//! to the server.

use std::cell::{Cell, OnceCell, RefCell};
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, SamplerInput, User};
use swell_connect::{
    ClientKeys, ConnectError, ConnectParams, NameCache, OpenConnection, Proxy, Session, Stream, Target,
    TlsConfig, WireBytes, machine_roots, open,
};
use swell_expr::Context;
use swell_trace::{Connection, CookieNotes, Exchange};

use crate::compile::Spec;
use crate::request::merge;
use crate::url::Url;

use super::exchange::{add_bytes, tls_of, traced_connection};
use super::prepare::cookie;
use super::state::HttpState;

/// HTTP's managers and settings in the scope of a sampler of another protocol.
pub struct UpgradeScope {
    spec: Spec,
    names: Arc<NameCache>,
    tls: TlsConfig,
    /// The same with the roots of this machine, once it was used; none: it has no roots.
    verified: OnceCell<Option<TlsConfig>>,
}

impl UpgradeScope {
    /// Compiles what is in the scope of a sampler.
    pub fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let spec = Spec::new(input, compile);
        let names = compile.expr.shared.get("host addresses", || {
            NameCache::with_ttl(compile.props.get("sun.net.inetaddr.ttl").as_deref())
        });
        let tls = tls_of(&spec.settings.tls_limits, &spec.roots);
        Self { spec, names, tls, verified: OnceCell::new() }
    }

    /// The lines of its Header Managers; none without one.
    pub fn header_lines(&self, cx: &mut Context) -> Option<Vec<(Rc<str>, Rc<str>)>> {
        let managers = &self.spec.headers;
        (!managers.is_empty()).then(|| merge(managers, cx, |_, value, cx| value.eval_value(cx)))
    }

    /// Whether there is a Cookie Manager.
    pub fn has_cookies(&self) -> bool {
        self.spec.cookies.is_some()
    }

    /// The `Cookie` of its Cookie Manager for a URL.
    pub fn cookie(&self, user: &mut User, url: &str) -> Option<String> {
        // Without one, users need no room for what HTTP keeps of them.
        self.spec.cookies.as_ref()?;
        let url = Url::parse(url).ok()?;
        let (cx, state) = user.parts(HttpState::default);
        cookie(&self.spec, cx, state, &url)
    }

    /// The trace of a request in a sample which started at `start_ns`; none where the user is not
    /// traced. `cookie`: what is sent.
    pub fn trace(
        &self,
        cx: &Context,
        start_ns: i64,
        (method, url): (&str, &str),
        cookie: Option<&str>,
    ) -> Option<UpgradeTrace> {
        let trace = cx.trace.as_deref()?;
        let cookies = CookieNotes {
            managed: self.has_cookies(),
            sent: cookie.map(str::to_owned),
            ..CookieNotes::default()
        };
        let exchange = Exchange {
            method: method.to_owned(),
            url: url.to_owned(),
            sample_start_ns: start_ns,
            cookies,
            ..Exchange::default()
        };
        Some(UpgradeTrace { reported: trace.exchanges(), connections: trace.connections(), exchange })
    }

    /// The proxy of the run for a host.
    pub fn proxy(&self, host: &str) -> Option<Rc<Proxy>> {
        self.spec.settings.proxy.as_ref()?.for_host(host).cloned()
    }

    /// The client keys of a new connection; none where the run has no key store.
    pub fn client_keys(&self, cx: &mut Context) -> Option<ClientKeys> {
        let entries = self.spec.keys.as_ref()?;
        let alias = entries.alias(cx);
        Some(entries.keys(cx, alias.as_ref()))
    }

    /// Opens a connection, through a tunnel where there is a proxy. `timeout_ns`: for each address,
    /// and for each read of the proxy's answer and of a TLS handshake. `is_verified`: the server has
    /// to show a certificate that this machine trusts, unless the run says whom it trusts. `keys`:
    /// those of [`UpgradeScope::client_keys`].
    ///
    /// # Errors
    /// As [`open`].
    pub async fn open(
        &self,
        target: &Rc<Target>,
        timeout_ns: Option<i64>,
        is_verified: bool,
        keys: Option<ClientKeys>,
    ) -> Result<OpenConnection, ConnectError> {
        let tls = if is_verified && target.secure { self.verifying()? } else { &self.tls };
        let with_keys = keys.map(|keys| tls.with_new_sessions().with_client_keys(keys));
        let params = ConnectParams {
            target,
            host: &target.host,
            source: None,
            timeout_ns,
            tls: target.secure.then_some(with_keys.as_ref().unwrap_or(tls)),
            agent: None,
            sent: None,
            segments: true,
            tunnels: true,
            routes: self.spec.routes.as_ref(),
        };
        open(&params, &self.names, None).await
    }

    /// Opens a connection for HTTP/2, which a TLS server has to agree to. `timeout_ns`: as for
    /// [`UpgradeScope::open`]. `verifies`: a certificate has to be signed for its host by an
    /// authority of this machine, where the run names none.
    ///
    /// # Errors
    /// As [`open`].
    pub async fn open_http2(
        &self,
        cx: &mut Context,
        target: &Rc<Target>,
        timeout_ns: Option<i64>,
        verifies: bool,
    ) -> Result<OpenConnection, ConnectError> {
        let tls = if target.secure { Some(self.http2_tls(cx, verifies)?) } else { None };
        let params = ConnectParams {
            target,
            host: &target.host,
            source: None,
            timeout_ns,
            tls: tls.as_ref(),
            agent: None,
            sent: None,
            segments: true,
            tunnels: true,
            routes: self.spec.routes.as_ref(),
        };
        open(&params, &self.names, None).await
    }

    fn http2_tls(&self, cx: &mut Context, verifies: bool) -> Result<TlsConfig, ConnectError> {
        let base = if verifies { self.verifying()? } else { &self.tls };
        let mut tls = base.with_new_sessions();
        if let Some(keys) = self.client_keys(cx) {
            tls = tls.with_client_keys(keys);
        }
        Ok(tls.with_protocols(&[b"h2"]))
    }

    /// How many users share a connection for HTTP/2 (`swell.http2.share`).
    pub fn http2_share(&self) -> usize {
        self.spec.settings.http2_share
    }
}

impl UpgradeScope {
    /// What verifies certificates: by the roots of the run, else by those of this machine.
    fn verifying(&self) -> Result<&TlsConfig, ConnectError> {
        if self.spec.roots.is_some() {
            return Ok(&self.tls);
        }
        let made = self.verified.get_or_init(|| self.tls.with_roots(&machine_roots()).ok());
        let no_roots = || io::Error::other("this machine trusts no certificate authority");
        made.as_ref().ok_or_else(|| ConnectError::Handshake(no_roots()))
    }
}

/// A request and its response, for the trace of their user.
pub struct UpgradeTrace {
    reported: Rc<RefCell<Vec<Exchange>>>,
    connections: Rc<Cell<u32>>,
    exchange: Exchange,
}

impl UpgradeTrace {
    /// What went over a new connection to the target. `received`: empty where no response came.
    pub fn exchanged(mut self, stream: &Stream, target: &Target, (sent, received): (&[u8], &[u8])) {
        let number = self.connections.get() + 1;
        self.connections.set(number);
        self.exchange.connection = Some(Connection { number, ..traced_connection(stream, target) });
        let bytes = WireBytes {
            sent: sent.to_vec(),
            sent_size: sent.len() as u64,
            received: received.to_vec(),
            received_size: received.len() as u64,
        };
        add_bytes(&mut self.exchange, &bytes);
        self.reported.borrow_mut().push(self.exchange);
    }

    /// The request goes over a session. `number`: that of its connection; 0: it is new. Returns the
    /// number.
    pub fn over_session(&mut self, session: &Session, target: &Target, number: u32) -> u32 {
        let reused = number != 0;
        let number = if reused { number } else { self.connections.get() + 1 };
        if !reused {
            self.connections.set(number);
        }
        let connection = session.with_stream(|stream| traced_connection(stream, target));
        self.exchange.connection = Some(Connection { number, reused, ..connection });
        number
    }

    /// What went over HTTP/2, as it would be written in HTTP/1. `error`: why it failed.
    pub fn end_http2(mut self, bytes: &WireBytes, error: Option<String>) {
        add_bytes(&mut self.exchange, bytes);
        self.exchange.error = error;
        self.reported.borrow_mut().push(self.exchange);
    }
}
