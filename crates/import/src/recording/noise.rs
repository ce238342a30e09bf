//! What a recording has besides the user's requests: other hosts, static files, preflights, targets
//! of redirects, headers of the browser's cache.

use url::Url;

use crate::model::{Check, CheckOf, Comparison, Exchange, Flow, Text};
use crate::notes::Notes;
use crate::options::{Options, StaticFiles};
use crate::write::url::target;

/// The recording without noise, each part with a note.
pub(super) fn without(mut recording: Flow, options: &Options, notes: &mut Notes) -> Flow {
    let exchanges = recording.take_exchanges();
    let main = main_host(&exchanges);
    let mut kept: Vec<Exchange> = Vec::new();
    // Where the last kept request was redirected to.
    let mut redirect: Option<(usize, String)> = None;
    for mut exchange in exchanges {
        let url = exchange.url.as_literal().unwrap_or_default().to_owned();
        let what = format!("{} {}", exchange.method, short(&url));
        if let Some((index, goal)) = &redirect
            && *goal == url
            && exchange.method != "POST"
        {
            let index = *index;
            redirect = next_redirect(&exchange, index);
            notes.dropped(&exchange.place, what, "the request before it is redirected here and follows");
            let first = &mut kept[index];
            first.response = merged(first.response.take(), exchange.response.take());
            continue;
        }
        if let Some(reason) = noise(&exchange, &url, main.as_deref(), options) {
            notes.dropped(&exchange.place, what, reason);
            if reason == STATIC && options.static_files == StaticFiles::Embed {
                kept.iter_mut()
                    .rev()
                    .find(|known| is_page(known))
                    .into_iter()
                    .for_each(|page| page.embeds = true);
            }
            continue;
        }
        redirect = next_redirect(&exchange, kept.len());
        exchange.follows_redirects = true;
        without_cache_headers(&mut exchange, notes);
        kept.push(exchange);
    }
    let sets_cookies = kept.iter().any(|exchange| {
        exchange.response.as_ref().is_some_and(|response| response.header("Set-Cookie").is_some())
    });
    if sets_cookies {
        without_set_cookies(&mut kept);
    }
    for exchange in &mut kept {
        exchange.checks.extend(status_check(exchange));
    }
    let flow = Flow::of(&recording.name, kept);
    Flow { items: flow.items, has_cookie_jar: recording.has_cookie_jar || sets_cookies, ..recording }
}

fn short(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    url[..end].chars().take(100).collect()
}

/// A response after a redirect: the last status and body, all headers.
fn merged(
    first: Option<crate::model::Response>,
    next: Option<crate::model::Response>,
) -> Option<crate::model::Response> {
    match (first, next) {
        (Some(first), Some(mut next)) => {
            next.redirect_headers = first.headers.len();
            next.headers.splice(0..0, first.headers);
            Some(next)
        }
        (first, next) => next.or(first),
    }
}

/// Where a recorded response redirects to, as a whole URL.
fn next_redirect(exchange: &Exchange, index: usize) -> Option<(usize, String)> {
    let response = exchange.response.as_ref()?;
    if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let base = Url::parse(exchange.url.as_literal()?).ok()?;
    // The last one, since headers of earlier redirects come first.
    let location = response.headers.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
    Some((index, base.join(&location.1).ok()?.to_string()))
}

/// The host of the first page; without pages, the one with most requests.
fn main_host(exchanges: &[Exchange]) -> Option<String> {
    let host = |exchange: &Exchange| Some(target(&exchange.url).ok()?.origin?.host);
    let page = exchanges.iter().find(|exchange| is_page(exchange)).and_then(host);
    page.or_else(|| {
        let hosts: Vec<String> = exchanges.iter().filter_map(host).collect();
        let count = |host: &String| hosts.iter().filter(|other| *other == host).count();
        hosts.iter().rev().max_by_key(|host| count(host)).cloned()
    })
}

fn is_page(exchange: &Exchange) -> bool {
    let navigates = exchange.header("Sec-Fetch-Mode").and_then(Text::as_literal) == Some("navigate");
    navigates || exchange.response.as_ref().is_some_and(|response| response.mime.starts_with("text/html"))
}

const STATIC: &str = "it is a static file; --static keep or embed takes it";

fn noise(exchange: &Exchange, url: &str, main: Option<&str>, options: &Options) -> Option<&'static str> {
    let Ok(Some(origin)) = target(&exchange.url).map(|target| target.origin) else { return None };
    let is_wanted = if options.hosts.is_empty() {
        main.is_none_or(|main| is_same_site(&origin.host, main))
    } else {
        options.hosts.iter().any(|pattern| is_like(&origin.host, pattern))
    };
    if !is_wanted {
        return Some("it goes to another host; --host takes it");
    }
    let is_preflight =
        exchange.method == "OPTIONS" && exchange.header("Access-Control-Request-Method").is_some();
    if is_preflight {
        return Some("it is a preflight that the browser sends by itself");
    }
    if url.split(['?', '#']).next().is_some_and(|path| path.ends_with("/favicon.ico")) {
        return Some("browsers ask for this icon by themselves");
    }
    (options.static_files != StaticFiles::Keep && is_static(exchange, url)).then_some(STATIC)
}

/// The same host, or one below or next to it: `api.shop.test` for `www.shop.test`.
fn is_same_site(host: &str, main: &str) -> bool {
    let is_address =
        |text: &str| text.starts_with('[') || text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let site = |host: &str| {
        let labels: Vec<&str> = host.split('.').collect();
        // Two letters before a country are mostly a registry, as in co.uk.
        let short =
            labels.len() > 2 && labels[labels.len() - 1].len() == 2 && labels[labels.len() - 2].len() <= 3;
        labels[labels.len().saturating_sub(if short { 3 } else { 2 })..].join(".")
    };
    host == main || (!is_address(host) && !is_address(main) && site(host) == site(main))
}

/// Whether a text is like a pattern, in which `*` is any text.
fn is_like(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text.eq_ignore_ascii_case(pattern),
        Some((before, rest)) => {
            let Some(after) = text.get(..before.len()).filter(|start| start.eq_ignore_ascii_case(before))
            else {
                return false;
            };
            let tail = &text[after.len()..];
            tail.char_indices().map(|(at, _)| at).chain([tail.len()]).any(|at| is_like(&tail[at..], rest))
        }
    }
}

fn is_static(exchange: &Exchange, url: &str) -> bool {
    const TYPES: [&str; 9] = [
        "image/",
        "font/",
        "video/",
        "audio/",
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/x-javascript",
        "application/font",
    ];
    const ENDINGS: [&str; 18] = [
        ".css", ".js", ".mjs", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".avif",
        ".woff", ".woff2", ".ttf", ".eot", ".mp4", ".webm",
    ];
    if exchange.method != "GET" {
        return false;
    }
    let mime =
        exchange.response.as_ref().map(|response| response.mime.to_ascii_lowercase()).unwrap_or_default();
    if mime.is_empty() {
        let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        return ENDINGS.iter().any(|ending| path.ends_with(ending));
    }
    TYPES.iter().any(|start| mime.starts_with(start))
}

/// A new virtual user has no cache: a request that was answered with 304 is sent without
/// conditions.
fn without_cache_headers(exchange: &mut Exchange, notes: &mut Notes) {
    if exchange.response.as_ref().is_none_or(|response| response.status != 304) {
        return;
    }
    let before = exchange.headers.len();
    exchange.headers.retain(|header| {
        !["if-none-match", "if-modified-since"].iter().any(|name| header.name.eq_ignore_ascii_case(name))
    });
    if exchange.headers.len() < before {
        let what = format!("{} {}", exchange.method, short(exchange.url.leading()));
        notes.changed(&exchange.place, what, "a new user has no cache, so it is sent without conditions");
    }
}

/// Leaves to the Cookie Manager what earlier responses set; cookies from before the recording stay.
fn without_set_cookies(exchanges: &mut [Exchange]) {
    let mut set: Vec<String> = Vec::new();
    for exchange in exchanges {
        for header in exchange.headers.iter_mut().filter(|header| header.name.eq_ignore_ascii_case("cookie"))
        {
            let value = header.value.as_literal().unwrap_or_default();
            let is_before = |pair: &&str| {
                let name = pair.split('=').next().unwrap_or_default().trim();
                !set.iter().any(|known| known == name)
            };
            let before: Vec<&str> = value.split(';').filter(is_before).map(str::trim).collect();
            header.value = Text::literal(before.join("; "));
        }
        exchange
            .headers
            .retain(|header| !(header.name.eq_ignore_ascii_case("cookie") && header.value.is_empty()));
        let headers = exchange.response.iter().flat_map(|response| &response.headers);
        for (_, value) in headers.filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie")) {
            // Some tools join several with a line end.
            let names = value.split('\n').filter_map(|line| line.split(['=', ';']).next());
            set.extend(names.map(|name| name.trim().to_owned()));
        }
    }
}

/// The recorded status, after redirects.
fn status_check(exchange: &Exchange) -> Option<Check> {
    let status = exchange.response.as_ref()?.status;
    match status {
        0 => None,
        304 => Some(Check::new(CheckOf::Status(Comparison::IsMatch(Text::literal("200|304"))))),
        status => Some(Check::status(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_one_site_belong_together() {
        for (host, main, wanted) in [
            ("shop.test", "shop.test", true),
            ("api.shop.test", "www.shop.test", true),
            ("ads.test", "shop.test", false),
            ("a.co.uk", "b.co.uk", false),
            ("www.a.co.uk", "api.a.co.uk", true),
            ("10.0.0.1", "10.0.0.2", false),
            ("localhost", "localhost", true),
        ] {
            assert_eq!(is_same_site(host, main), wanted, "{host} {main}");
        }
        for (text, pattern, wanted) in [
            ("a.test", "A.test", true),
            ("api.a.test", "*.a.test", true),
            ("a.test", "*.a.test", false),
            ("x", "*", true),
            ("abc", "a*c", true),
            ("abcd", "a*c", false),
        ] {
            assert_eq!(is_like(text, pattern), wanted, "{text} {pattern}");
        }
    }
}
