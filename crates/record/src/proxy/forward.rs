//! Requests of one connection, one after the other, each on to its server.

use swell_fetch::Proxy;
use swell_http1::server::Refusal;
use swell_http1::{BodyDecoder, ChunkRules, Framing};
use swell_net::now_ns;

use super::Shared;
use super::answer::{answer, close, refuse};
use super::draft::Draft;
use super::peer::{Peer, Received, Side, receive_either, relay};
use super::request::{RequestHead, absolute};
use super::response::{ResponseReader, Step};
use super::server::{Connected, Origin, WANTS_USER, connect};

/// How long a head that has begun may take.
const HEAD_NS: i64 = 60_000_000_000;

/// Which server the requests of a connection are for.
#[derive(Clone, Copy)]
pub(super) enum For<'o> {
    /// That of each target.
    Any,
    /// This one: the connection is the inside of a tunnel.
    Origin(&'o Origin),
}

/// What happens with a connection after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Request,
    Close,
}

/// What a connection begins with.
pub(super) enum FirstHead {
    /// A request for another way than this module's, `CONNECT`.
    Connect(RequestHead),
    Other,
}

/// Serves requests until one side ends, or up to a CONNECT. `server`: a connection that is open.
pub(super) async fn serve(
    shared: &Shared,
    client: &mut Peer,
    to: For<'_>,
    mut server: Option<Connected>,
) -> FirstHead {
    loop {
        let head = match next_head(client, &mut server, to).await {
            Ok(Some(head)) => head,
            Ok(None) => return FirstHead::Other,
            Err(refusal) => {
                shared
                    .not_recorded(&host_of(to), &format!("a request that is not valid: {}", refusal.message));
                refuse(client, refusal.status, &refusal.message).await;
                return FirstHead::Other;
            }
        };
        if head.method == "CONNECT" {
            return FirstHead::Connect(head);
        }
        let Some((origin, target)) = destination(&head, to) else {
            own_page(shared, client, &head).await;
            return FirstHead::Other;
        };
        if exchange(shared, client, &mut server, (&origin, &target), &head).await == Next::Close {
            close(client).await;
            return FirstHead::Other;
        }
    }
}

fn host_of(to: For<'_>) -> String {
    match to {
        For::Any => "this proxy".to_owned(),
        For::Origin(origin) => origin.host.clone(),
    }
}

/// The next head; none where the client has ended, or the server of a tunnel.
async fn next_head(
    client: &mut Peer,
    server: &mut Option<Connected>,
    to: For<'_>,
) -> Result<Option<RequestHead>, Refusal> {
    client.stream.set_deadline(None);
    loop {
        if let Some((length, head)) = RequestHead::parse(&client.input)? {
            client.input.drain(..length);
            client.stream.set_deadline(None);
            return Ok(Some(head));
        }
        if !client.input.is_empty() {
            client.stream.set_deadline(Some(now_ns() + HEAD_NS));
        }
        let received = match server {
            Some(connected) if connected.is_reused => {
                match receive_either(client, &mut connected.peer).await {
                    (Side::Client, received) => received,
                    // It ends a connection that is not used, or says something without being asked.
                    (Side::Server, _) => {
                        *server = None;
                        let is_tunnel = matches!(to, For::Origin(_));
                        if is_tunnel && client.input.is_empty() {
                            let _ = client.stream.finish().await;
                            return Ok(None);
                        }
                        continue;
                    }
                }
            }
            _ => client.receive().await,
        };
        if !matches!(received, Ok(Received::Bytes)) {
            return Ok(None);
        }
    }
}

/// The server of a request, and the target for it; none if it is the proxy itself.
fn destination(head: &RequestHead, to: For<'_>) -> Option<(Origin, String)> {
    match to {
        For::Origin(origin) => {
            let inside = absolute(&head.target).map(|(_, _, target)| target);
            Some((origin.clone(), inside.unwrap_or_else(|| head.target.clone())))
        }
        For::Any => {
            let (host, port, target) = absolute(&head.target)?;
            Some((Origin { is_secure: false, server_name: host.clone(), host, port }, target))
        }
    }
}

/// What the proxy serves itself: its certificate, for clients that are to trust it.
async fn own_page(shared: &Shared, client: &mut Peer, head: &RequestHead) {
    match &*head.target {
        "/ca.pem" => {
            let pem = shared.authority.certificate_pem();
            answer(client, 200, "application/x-x509-ca-cert", pem.as_bytes()).await;
        }
        "/" => {
            let text = "This is the proxy of `swell record`. Its certificate: /ca.pem\n";
            answer(client, 200, "text/plain; charset=utf-8", text.as_bytes()).await;
        }
        _ => refuse(client, 400, "this is a proxy; ask it for a whole URL such as http://host/path").await,
    }
}

async fn exchange(
    shared: &Shared,
    client: &mut Peer,
    server: &mut Option<Connected>,
    (origin, target): (&Origin, &str),
    head: &RequestHead,
) -> Next {
    if let Some(why) = shared.refusal(&origin.host, origin.port) {
        shared.not_recorded(&origin.host, why);
    }
    let mut draft = Draft::begin(shared, origin, target, head);
    loop {
        if server.as_ref().is_some_and(|server| server.origin != *origin) {
            *server = None;
        }
        let mut connected = match server.take() {
            Some(connected) => connected,
            None => match connect(shared, origin).await {
                Ok(connected) => connected,
                Err(error) => {
                    draft.fail(error.to_string());
                    refuse(client, 502, &format!("{}: {error}", origin.url())).await;
                    return Next::Close;
                }
            },
        };
        draft.connected(&connected);
        let was_reused = std::mem::replace(&mut connected.is_reused, true);
        let ended = transfer(client, &mut connected, (head, target), &mut draft).await;
        match ended {
            Ended::Complete { reusable } => {
                draft.finish();
                if reusable {
                    *server = Some(connected);
                }
                return if reusable && head.keep_alive { Next::Request } else { Next::Close };
            }
            Ended::Switched => {
                draft.finish();
                shared.not_recorded(&origin.host, "a connection that left HTTP, as WebSocket does");
                relay(client, &mut connected.peer).await;
                return Next::Close;
            }
            // A server may end a connection that is unused for a while.
            Ended::Silent if was_reused && head.framing == Framing::None => {}
            Ended::Silent => {
                draft.fail(SILENT);
                refuse(client, 502, SILENT).await;
                return Next::Close;
            }
            Ended::NotHttp(why) => {
                draft.fail(&*why);
                refuse(client, 502, &why).await;
                return Next::Close;
            }
            Ended::Broken(why) => {
                draft.fail(why);
                return Next::Close;
            }
        }
    }
}

const SILENT: &str = "the server closed the connection without a response";

/// How a transfer ended.
enum Ended {
    Complete {
        reusable: bool,
    },
    /// The connection speaks something else from now on.
    Switched,
    /// Not a byte came back.
    Silent,
    /// What came back is no response, and nothing was passed on.
    NotHttp(String),
    /// One end has gone, or what it sent is broken.
    Broken(String),
}

/// Sends a request and passes its response on.
async fn transfer(
    client: &mut Peer,
    connected: &mut Connected,
    (head, target): (&RequestHead, &str),
    draft: &mut Draft<'_>,
) -> Ended {
    let request = connected.request(head, target);
    let Connected { peer: server, proxy, .. } = connected;
    let mut body = BodyDecoder::new(head.framing);
    let mut reader = ResponseReader::new(head.method == "HEAD");
    let mut takes_body = server.stream.send_all(&request).await.is_ok();
    let mut is_silent = true;
    loop {
        if takes_body && !body.is_done() && !client.input.is_empty() {
            let fed = body.feed(&client.input, ChunkRules::Rfc9112, |piece| draft.request_body(piece));
            let Ok((used, _)) = fed else {
                return Ended::Broken("the request's chunks are broken".to_owned());
            };
            // A server that answers early may not read the rest.
            takes_body = server.stream.send_all(&client.input[..used]).await.is_ok();
            client.input.drain(..used);
        }
        if body.is_done() {
            draft.sent();
        }
        match pass_response(client, (server, proxy.as_ref()), &mut reader, draft).await {
            Ok(true) => return Ended::Switched,
            Ok(false) if reader.is_done() => {
                return Ended::Complete { reusable: reader.is_reusable() && body.is_done() };
            }
            Ok(false) => {}
            Err(why) if draft.has_response() => return Ended::Broken(why),
            Err(why) => return Ended::NotHttp(why),
        }
        match receive_either(client, server).await {
            (Side::Server, Ok(Received::Bytes)) => is_silent = false,
            (Side::Server, _) if is_silent => return Ended::Silent,
            (Side::Server, _) => {
                return match reader.end() {
                    Ok(()) => Ended::Complete { reusable: false },
                    Err(_) => Ended::Broken("the server closed the connection in the response".to_owned()),
                };
            }
            (Side::Client, Ok(Received::Bytes)) => {}
            (Side::Client, _) => return Ended::Broken("the client closed the connection".to_owned()),
        }
    }
}

/// Passes on what has come of a response. True: the protocol is another from now on.
async fn pass_response(
    client: &mut Peer,
    (server, proxy): (&mut Peer, Option<&Proxy>),
    reader: &mut ResponseReader,
    draft: &mut Draft<'_>,
) -> Result<bool, String> {
    while !server.input.is_empty() && !reader.is_done() {
        let step = reader.feed(&server.input, |piece| draft.response_body(piece));
        let (length, switches) = match step.map_err(|error| format!("not an HTTP response: {error:?}"))? {
            Step::Incomplete => return Ok(false),
            Step::Interim(length) | Step::Body(length) => (length, false),
            // It is not the client's to answer.
            Step::Head(_, response) if response.status == 407 && proxy.is_some() => {
                let place = proxy.map(Proxy::place).unwrap_or_default();
                return Err(format!("the upstream proxy {place}: {WANTS_USER}"));
            }
            Step::Head(length, response) => {
                draft.response(response);
                (length, false)
            }
            Step::Switch(length, response) => {
                draft.response(response);
                (length, true)
            }
        };
        let sent = client.stream.send_all(&server.input[..length]).await;
        server.input.drain(..length);
        sent.map_err(|_| "the client closed the connection".to_owned())?;
        if switches {
            return Ok(true);
        }
    }
    Ok(false)
}
