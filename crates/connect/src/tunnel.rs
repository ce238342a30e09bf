//! Tunnels through proxies (`CONNECT`, RFC 9110 §9.3.6).

use std::cell::RefCell;
use std::rc::Rc;

use swell_http1::client::{DiscardSink, Response, write_header, write_request_line};
use swell_net::now_ns;

use crate::{ConnectError, ConnectParams, Stream, Target};

/// Credentials sent to proxies at their request, by target, as HttpClient stores them.
#[derive(Clone, Debug, Default)]
pub struct SentProxyCredentials(RefCell<Vec<(Rc<Target>, Rc<str>)>>);

impl SentProxyCredentials {
    /// The credentials sent to the proxy of a target.
    pub fn to(&self, target: &Target) -> Option<Rc<str>> {
        let sent = self.0.borrow();
        sent.iter().find(|(known, _)| **known == *target).map(|(_, sent)| sent.clone())
    }

    /// Stores the credentials sent.
    pub fn remember(&self, target: &Rc<Target>, sent: &str) {
        let mut all = self.0.borrow_mut();
        all.retain(|(known, _)| known != target);
        all.push((target.clone(), sent.into()));
    }
}

/// Asks the proxy for a tunnel to the target; the status that it answers.
pub(crate) async fn tunnel(
    params: &ConnectParams<'_>,
    stream: &mut Stream,
    authorization: Option<&str>,
) -> Result<u16, ConnectError> {
    let request = request(params, authorization);
    let deadline = || params.timeout_ns.map(|limit_ns| now_ns() + limit_ns);
    stream.set_deadline(deadline());
    stream.send_all(&request).await.map_err(ConnectError::ProxyLost)?;
    // Only the proxy's status is read: as in the answer to a HEAD, the body is left.
    let mut response = Response::new(true);
    loop {
        let received = stream.recv(|bytes, _| {
            if bytes.is_empty() {
                return response.end(&mut DiscardSink).map(|()| true);
            }
            response.feed(bytes, &mut DiscardSink)
        });
        let fed = received.await.map_err(ConnectError::ProxyLost)?;
        let is_complete = fed.map_err(|error| {
            ConnectError::ProxyAnswer(error, format!("{}:{}", params.target.host, params.target.port))
        })?;
        if is_complete {
            return Ok(response.facts().map_or(0, |facts| facts.status));
        }
        stream.set_deadline(deadline());
    }
}

fn request(params: &ConnectParams<'_>, authorization: Option<&str>) -> Vec<u8> {
    let Target { host, port, .. } = &**params.target;
    let mut out = Vec::new();
    write_request_line("CONNECT", &format!("{host}:{port}"), &mut out);
    let shown = if *port == 443 { host.to_string() } else { format!("{host}:{port}") };
    write_header("Host", &shown, &mut out);
    for (name, value) in [("User-Agent", params.agent), ("Proxy-Authorization", authorization)] {
        if let Some(value) = value {
            write_header(name, value, &mut out);
        }
    }
    out.extend_from_slice(b"\r\n");
    out
}
