//! Access to internal parsers for the fuzz targets in `fuzz/`: text in, text out, no checks here.

use std::rc::Rc;

use swell_http1::date;

use crate::auth::Challenge;
use crate::cache::{self, Cache};
use crate::coding::{self, TruncationTolerance};
use crate::compile::PageKind;
use crate::cookies::{self, Jar, Origin, Policy};
use crate::embedded;
use crate::text::mime;
use crate::url::{Url, client_redirect, redirect_url, relative_url};

/// The rules that resolve a reference against a URL.
#[derive(Clone, Copy, Debug)]
pub enum RedirectRules {
    /// JMeter's "Follow Redirects".
    Follow,
    /// HttpClient's own redirects.
    Automatic,
    /// A reference in a page.
    Page,
}

/// A URL and its parts in a request. Requests use only URLs that are URIs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The whole URL.
    pub url: String,
    /// Path and query as they are sent.
    pub target: String,
    /// The same to a proxy.
    pub absolute: String,
    /// The header `Host`.
    pub host: String,
}

/// Where a reference leads; none if it is refused before a request is made.
pub fn lead(base: &str, reference: &str, way: RedirectRules) -> Option<Sent> {
    let base = Url::parse(base).ok()?;
    let url = match way {
        RedirectRules::Follow => redirect_url(&base, reference).ok()?,
        RedirectRules::Automatic => client_redirect(&base, reference).ok()?,
        RedirectRules::Page => relative_url(&base, reference).ok()?.escaped().normalized(),
    };
    let url = Rc::new(url).as_sent();
    url.check().ok()?;
    let host = url.target_host().map(|_| url.host_header().to_owned())?;
    Some(Sent { url: url.as_str().to_owned(), target: url.target(), absolute: url.absolute_target(), host })
}

/// What a URL is after reading; none if it is none, or one without an authority: Java leaves out
/// the slashes before that, and what is left reads otherwise.
pub fn url(text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|url| !url.authority().is_empty())?;
    Some(url.as_str().to_owned())
}

/// The `Cookie` headers that a jar of a policy sends to these hosts, after it took in these
/// `Set-Cookie` headers of `host`; and how many cookies it holds.
pub fn cookies(
    policy: &str,
    set: &[&str],
    host: &str,
    path: &str,
    asked: &[&str],
) -> (Vec<Option<String>>, usize) {
    let policy = Policy::for_name(policy).unwrap_or(Policy::Lax);
    let mut jar = Jar::default();
    let now_ms = 1_500_000_000_000;
    let mut count = 0;
    for header in set {
        for cookie in cookies::parse(header, &Origin::new(host, path, false), policy, now_ms) {
            count += usize::from(jar.add(cookie, &[], true, now_ms, &cookies::Limits::default()).stored);
        }
    }
    let mut cx = swell_expr::testing::context();
    let headers = asked.iter().map(|host| jar.header(&Origin::new(host, path, true), &[], policy, &mut cx));
    (headers.collect(), count)
}

/// Response headers that the cache reads: `Last-Modified`, `ETag`, `Expires`, `Cache-Control`,
/// `Date`, `Vary`.
pub type CacheFields<'a> = [Option<&'a str>; 6];

/// A cache of `max` entries after it saw this response at some URLs: how many entries it has, and
/// whether the first is fresh.
pub fn cached(fields: CacheFields<'_>, urls: &[&str], headers: &[(&str, &str)], max: usize) -> (usize, bool) {
    let [last_modified, etag, expires, cache_control, date, vary] =
        fields.map(|text| text.map(str::to_owned));
    let response = cache::Response { last_modified, etag, expires, cache_control, date, vary };
    let mut cache = Cache::new(max);
    let now_ms = 1_500_000_000_000;
    for url in urls {
        // A bad age fails the sample; the cache stays as it is.
        let _ = cache.save(url, headers, &response, true, now_ms);
        cache.validators(url, headers);
    }
    let fresh = urls.last().is_some_and(|url| cache.is_fresh(url, headers, now_ms));
    (cache.len(), fresh)
}

/// A body that comes in pieces without its content codings, at most `limit` bytes of it, and
/// whether there was more; none if it is in another coding.
pub fn decoded(header: &str, pieces: &[&[u8]], limit: u64) -> Option<(Vec<u8>, bool)> {
    let codings = coding::known(header);
    if codings.is_empty() {
        return Some((pieces.concat(), false));
    }
    let mut decoder = coding::Decoder::new(&codings, limit, TruncationTolerance::default());
    let mut out = Vec::new();
    for piece in pieces {
        decoder.feed(piece, |bytes| out.extend_from_slice(bytes));
        while decoder.is_busy() {
            decoder.next_turn(|bytes| out.extend_from_slice(bytes));
        }
    }
    decoder.end_input(|bytes| out.extend_from_slice(bytes));
    while decoder.is_busy() {
        decoder.next_turn(|bytes| out.extend_from_slice(bytes));
    }
    decoder.end().ok().map(|()| (out, decoder.is_cut()))
}

/// A content type as it is sent.
pub fn content_type(value: &str) -> Option<String> {
    mime::ContentType::parse(value).ok().map(|kind| kind.text)
}

/// The scheme of a challenge, and its parameters of these names.
pub fn challenge<'n>(
    header: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> (String, Vec<Option<String>>) {
    let challenge = Challenge::parse(header);
    let values = names.into_iter().map(|name| challenge.get(name).map(str::to_owned)).collect();
    (challenge.scheme, values)
}

/// Milliseconds since the epoch of a date in a header, and of one in a cookie.
pub fn dates(text: &str) -> (Option<i64>, Option<i64>) {
    (date::parse_http(text), cookies::expiry(text))
}

/// What a page at a URL makes a browser fetch; none if the page or its URL is refused.
pub fn resources(is_css: bool, page: &str, base: &str, agent: &str) -> Option<Vec<String>> {
    let base = Rc::new(Url::parse(base).ok()?);
    let kind = if is_css { PageKind::Css } else { PageKind::Html };
    let found = embedded::resources(kind, page, &base, agent, &swell_api::Budget::unlimited()).ok()?;
    Some(found.iter().map(|url| url.as_str().to_owned()).collect())
}

/// The names of a key store's keys.
pub fn key_store(bytes: &[u8], password: &str) -> Option<Vec<String>> {
    let entries = swell_connect::keystore::read(bytes, password).ok()?;
    Some(entries.into_iter().map(|entry| entry.alias).collect())
}
