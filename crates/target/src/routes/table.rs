//! The table of routes and the way into it.

use swell_http1::server::{Refusal, RequestHead};

use super::{Outcome, PageId, RouteRequest, RouteState, Work};
use super::{
    bodies, cookies, delays, echo, events, flood, login, mirror, misbehave, redirects, stats, websocket,
};

/// One route.
pub(crate) struct Route {
    /// First part of the path, with its slash.
    name: &'static str,
    tail: Tail,
    answer: fn(&RouteRequest<'_>) -> Outcome,
    /// An address to try, and what it does; the index page shows them.
    pub(crate) example: &'static str,
    pub(crate) help: &'static str,
}

/// What may follow the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    Nothing,
    Path,
}

use Tail::{Nothing, Path};

const fn at(
    name: &'static str,
    tail: Tail,
    answer: fn(&RouteRequest<'_>) -> Outcome,
    example: &'static str,
    help: &'static str,
) -> Route {
    Route { name, tail, answer, example, help }
}

/// The place of the index page, which answers every path that no route knows.
const INDEX: usize = 0;

/// The path of the gRPC service.
const ECHO: &str = "/swell.Echo";

/// The routes, most used first: the table is searched from its start.
#[rustfmt::skip]
pub(crate) const ROUTES: &[Route] = &[
    at("/", Nothing, index, "/", "this page; so does every unknown path"),
    at("/delay", Path, delays::delay, "/delay/50ms?bytes=1000", "after a delay; or \
        ?dist=bimodal:5ms,200ms,0.9&seed=7"),
    at("/bytes", Path, bodies::bytes, "/bytes/1000", "a body of that size"),
    at("/plain_text.html", Nothing, flood::plain_text, "/plain_text.html", "10,184 bytes that can be cached"),
    at("/slow", Nothing, flood::slow, "/slow", "after 3.5 s, closing the connection"),
    at("/non_cacheable", Nothing, flood::non_cacheable, "/non_cacheable", "after 2 s, closing the connection"),
    at("/slow_post", Nothing, flood::slow_post, "/slow_post", "after 4 s, closing the connection"),
    at("/overloaded", Nothing, flood::overloaded, "/overloaded", "503"),
    at("/request", Nothing, flood::request, "/request", "after 3 s, the request's head 1,024 times"),
    at("/repeat", Nothing, flood::repeat, "/repeat?a&b", "after 2.123 s, the parts of the query"),
    at("/status", Path, bodies::status, "/status/503", "that status; without one, connections as nginx counts them"),
    at("/pool", Nothing, delays::pool, "/pool?workers=4&service=20ms", "a server with that number \
        of workers and a queue"),
    at("/admit", Nothing, delays::admit, "/admit?rate=500", "503 for requests above that rate per second"),
    at("/fail", Nothing, misbehave::fail, "/fail?every=200", "503 for each 200th request; or misbehaves: &how=reset, &how=close"),
    at("/page", Path, bodies::page, "/page", "a page with style sheet, script and images"),
    at("/login", Nothing, login::login, "/login", "a form; POST user and password for a token and a cookie"),
    at("/api", Path, login::api, "/api/items", "a list for logged-in users"),
    at("/cookies", Path, cookies::cookies, "/cookies/set?colour=blue", "shows, sets and deletes cookies"),
    at("/redirect", Path, redirects::redirect, "/redirect/3", "that many redirects"),
    at("/redirect-to", Nothing, redirects::redirect_to, "/redirect-to?url=/page&status=307", "one redirect"),
    at("/headers", Nothing, echo::headers, "/headers", "the request's headers"),
    at("/anything", Path, echo::anything, "/anything?a=b", "the whole request as JSON"),
    at("/chunked", Path, bodies::chunked, "/chunked/1000?parts=10", "a chunked body"),
    at("/gzip", Nothing, bodies::gzip, "/gzip?bytes=5000", "a gzip body"),
    at("/deflate", Nothing, bodies::deflate, "/deflate?bytes=5000", "a deflate body"),
    at("/brotli", Nothing, bodies::brotli, "/brotli?bytes=5000", "a brotli body, stored"),
    at("/ws", Nothing, websocket::websocket, "/ws?delay=5ms", "a WebSocket that echoes; also &messages=3&every=10ms&fragment=100&deflate"),
    at("/sse", Nothing, events::events, "/sse?events=3&every=20ms", "server-sent events; also &delay=50ms&bytes=100"),
    at("/v1", Path, events::completions, "/v1/chat/completions?tokens=3&first=10ms&every=5ms", "a stand-in for \
        a language model; streams if the JSON of the request has \"stream\": true"),
    at(ECHO, Path, no_grpc, "/swell.Echo/Unary", "a gRPC service with reflection; `swell target --proto` prints it"),
    at("/mirror", Path, mirror::mirror, "/mirror?status=404%20Gone", "the request as received, like \
        JMeter's mirror server"),
    at("/stats", Path, stats::stats, "/stats", "true times; also /stats/reset and /stats/log"),
    at("/reset", Nothing, misbehave::reset, "/reset", "misbehaves: resets the connection"),
    at("/close", Nothing, misbehave::close, "/close", "misbehaves: closes without a response"),
    at("/hang", Nothing, misbehave::hang, "/hang", "misbehaves: never responds"),
    at("/garbage", Nothing, misbehave::garbage, "/garbage", "misbehaves: responds with something \
        that is not HTTP"),
    at("/short-body", Nothing, misbehave::short_body, "/short-body", "misbehaves: half of the promised body"),
    at("/no-length", Nothing, misbehave::no_length, "/no-length", "misbehaves: only the end of the \
        connection ends the body"),
    at("/slow-body", Nothing, misbehave::slow_body, "/slow-body?chunk=10&interval=100ms", "misbehaves: \
        a body that arrives in small pieces"),
    at("/1xx", Nothing, misbehave::interim, "/1xx", "misbehaves: interim responses before the response"),
    at("/big-header", Path, misbehave::big_header, "/big-header/10000", "misbehaves: a header field of that size"),
];

/// The name of the route at a place in the table, such as `/delay`.
pub(crate) fn name(place: usize) -> &'static str {
    ROUTES[place].name
}

/// An address to try for each route.
#[cfg(test)]
pub(crate) fn examples() -> impl Iterator<Item = &'static str> {
    ROUTES.iter().map(|route| route.example)
}

/// Names of the routes and whether they count in the total, by place in the table.
pub(crate) fn shown() -> Vec<(&'static str, bool)> {
    ROUTES.iter().map(|route| (route.name, route.name != "/stats")).collect()
}

/// Finds the route of a request and asks it. Returns its place in the table, too.
pub(crate) fn route(head: &RequestHead<'_>, state: &RouteState) -> (usize, Outcome) {
    let (place, rest) = match find(head.path) {
        (place, _) if state.options.mirror && name(place) != "/stats" => find("/mirror"),
        found => found,
    };
    (place, (ROUTES[place].answer)(&RouteRequest { head, rest, state }))
}

fn find(path: &str) -> (usize, &str) {
    let end = path.get(1..).and_then(|path| path.find('/')).map_or(path.len(), |at| at + 1);
    let (name, rest) = path.split_at(end);
    let fits = |route: &Route| route.name == name && (rest.is_empty() || route.tail == Path);
    match ROUTES.iter().position(fits) {
        Some(place) => (place, rest.strip_prefix('/').unwrap_or(rest)),
        None => (INDEX, ""),
    }
}

/// The place of the gRPC service in the table.
pub(crate) fn grpc_route() -> usize {
    find(ECHO).0
}

/// A request that is no call of gRPC.
fn no_grpc(_: &RouteRequest<'_>) -> Outcome {
    let why = "this path is gRPC: use HTTP/2, POST and `content-type: application/grpc`";
    Err(Refusal::new(415, why))
}

fn index(ask: &RouteRequest<'_>) -> Outcome {
    Ok(Work::page(PageId::Index, ask.head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_their_route() {
        for (path, name, rest) in [
            ("/", "/", ""),
            ("", "/", ""),
            ("*", "/", ""),
            ("/delay/50ms", "/delay", "50ms"),
            ("/delay", "/delay", ""),
            ("/delay/", "/delay", ""),
            ("/delays", "/", ""),
            ("/slow", "/slow", ""),
            ("/slow/er", "/", ""),
            ("/slow_post", "/slow_post", ""),
            ("/api/items/7", "/api", "items/7"),
            ("//", "/", ""),
            ("/ü/x", "/", ""),
            ("ü", "/", ""),
        ] {
            let (place, seen) = find(path);
            assert_eq!((ROUTES[place].name, seen), (name, rest), "{path}");
        }
    }

    #[test]
    fn names_are_unique_and_examples_lead_to_them() {
        for (place, route) in ROUTES.iter().enumerate() {
            let path = route.example.split('?').next().unwrap();
            assert_eq!(find(path).0, place, "{}", route.example);
        }
    }
}
