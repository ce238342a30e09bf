//! Properties of the run that change the sampler's behaviour.

use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::{Arc, OnceLock};

use swell_api::{Compat, CompileContext};
use swell_connect::IdleLimits;
use swell_expr::{Charset, Properties, Slot};
use swell_plan::Element;

use crate::classes::BZM_HTTP;
use crate::coding::TruncationTolerance;
use crate::cookies::Limits;
use crate::failure::Failure;

use super::network::RunProxy;

/// How a resource that the cache still has is reported (`cache_manager.cached_resource_mode`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CachedMode {
    /// No sample.
    NoSample,
    /// A sample with that code and message.
    Sample(String, String),
}

/// How a page is searched for resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// HTML, and the XML of pages.
    Html,
    /// A style sheet.
    Css,
}

/// Run properties for embedded resources.
#[derive(Clone, Debug)]
pub(crate) struct PageSettings {
    /// Content types of pages (`HTTPResponse.parsers`).
    kinds: Vec<(String, PageKind)>,
    /// `httpsampler.ignore_failed_embedded_resources`.
    pub(crate) ignore_failed: bool,
    /// `httpsampler.embedded_resources_use_md5`; only for what is fetched in parallel.
    pub(crate) digests: bool,
    /// `httpsampler.max_frame_depth`.
    pub(crate) max_depth: u32,
    /// `http.max_resources`: embedded resources of a sample, with those of pages in its page; none:
    /// no limit.
    pub(crate) max_resources: Option<u64>,
    /// `httpsampler.separate.container`: the page itself is the first sub-sample.
    pub(crate) container: bool,
    /// The charset of pages that name none.
    pub(crate) charset: Charset,
}

/// A style sheet that imports itself a hundred times has 10,000,000,000 resources at the depth that
/// JMeter allows.
const MAX_RESOURCES: u64 = 10_000;

impl PageSettings {
    fn new(props: &Properties) -> Self {
        let listed = props.get("HTTPResponse.parsers").unwrap_or("htmlParser wmlParser cssParser".to_owned());
        let mut kinds = Vec::new();
        for parser in listed.split(' ').filter(|name| !name.is_empty()) {
            let default = match parser {
                "htmlParser" => "text/html application/xhtml+xml application/xml text/xml",
                "wmlParser" => "text/vnd.wap.wml",
                "cssParser" => "text/css",
                _ => "",
            };
            let class = props.get(&format!("{parser}.className")).unwrap_or(parser.to_owned());
            let kind =
                if class.to_ascii_lowercase().contains("css") { PageKind::Css } else { PageKind::Html };
            let types = props.get(&format!("{parser}.types")).unwrap_or(default.to_owned());
            kinds.extend(types.split(' ').filter(|t| !t.is_empty()).map(|t| (t.to_owned(), kind)));
        }
        Self {
            kinds,
            ignore_failed: props.flag("httpsampler.ignore_failed_embedded_resources", false),
            digests: props.flag("httpsampler.embedded_resources_use_md5", false),
            max_depth: u32::try_from(props.number("httpsampler.max_frame_depth", 5)).unwrap_or(0),
            max_resources: Some(MAX_RESOURCES),
            container: props.flag("httpsampler.separate.container", true),
            // A name that Java does not know is refused before a run.
            charset: swell_api::fallback_charset(props).unwrap_or_default(),
        }
    }

    /// How a page of a content type is searched; none if it is not.
    pub(crate) fn kind_of(&self, content_type: &str) -> Option<PageKind> {
        let media = content_type.trim_start_matches([' ', ';']).split([' ', ';']).next().unwrap_or_default();
        let found = self.kinds.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(media));
        found.map(|(_, kind)| *kind)
    }
}

/// When HttpClient retries a request (`StandardHttpRequestRetryHandler`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Retries {
    /// `httpclient4.retrycount`: how often.
    pub(crate) count: i64,
    /// `httpclient4.request_sent_retry_enabled`: also what was sent and may have had an effect.
    pub(crate) also_sent: bool,
}

impl Retries {
    /// What is repeated on a new connection: idempotent methods, and what had not gone whole (RFC
    /// 9110, section 9.2.2).
    pub(crate) const ON_NEW_CONNECTION: Self = Self { count: 1, also_sent: false };

    /// Whether a request goes out again. `sent`: the whole of it had gone.
    pub(crate) fn allow(self, failure: &Failure, method: &str, sent: bool) -> bool {
        let idempotent = matches!(method, "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE");
        failure.can_be_retried() && (idempotent || !sent || self.also_sent)
    }
}

/// The properties, read once per run.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate property of JMeter")]
pub(crate) struct Settings {
    /// `User-Agent` where the plan gives none; none if `httpclient4.default_user_agent_disabled`.
    pub(crate) user_agent: Option<&'static str>,
    /// `http.post_add_content_type_if_missing`.
    pub(crate) add_content_type: bool,
    /// `httpclient.reset_state_on_thread_group_iteration`.
    pub(crate) reset_on_iteration: bool,
    /// `httpclient4.time_to_live`, `.validate_after_inactivity`, `.idletimeout`.
    pub(crate) idle: IdleLimits,
    /// `httpsampler.max_redirects`.
    pub(crate) max_redirects: u32,
    /// Set once the log has named a coding of bodies that is not decoded.
    pub(crate) named_coding: Arc<OnceLock<()>>,
    /// The run follows JMeter 6.0 ([`Compat`]).
    pub(crate) is_6: bool,
    /// `httpsampler.redirect.removeslashdotdot`.
    pub(crate) remove_slash_dot_dot: bool,
    /// `httpsampler.max_bytes_to_store_per_request`; 0: all.
    pub(crate) max_stored_bytes: usize,
    /// The same for local files, of which 10 MiB are kept where nothing is said.
    pub(crate) max_local_bytes: usize,
    /// `http.total_timeout`: how long a sample may take in all, redirects and embedded resources
    /// included.
    pub(crate) total_timeout_ms: Option<i64>,
    /// Where users keep `HTTPHC4Impl`'s token; none where nothing in the plan can read it.
    pub(crate) user_token: Option<Slot>,
    /// `cache_manager.cached_resource_mode`.
    pub(crate) cached_mode: CachedMode,
    /// `cacheable_methods`.
    pub(crate) cacheable_methods: Vec<String>,
    /// `cookies.max_bytes`, `cookies.max_per_domain`, `cookies.max_count`.
    pub(crate) cookie_limits: Limits,
    /// `CookieManager.delete_null_cookies`.
    pub(crate) delete_empty_cookies: bool,
    /// `CookieManager.check.cookies`.
    pub(crate) check_cookies: bool,
    /// Prefix of variables that hold cookies (`CookieManager.save.cookies`,
    /// `CookieManager.name.prefix`).
    pub(crate) save_cookies: Option<String>,
    /// Sub-samples are called `name-n`.
    pub(crate) rename_sub_samples: bool,
    /// `httpclient4.auth.preemptive`: Basic credentials go out before a target asks.
    pub(crate) preemptive: bool,
    /// What is tried again.
    pub(crate) retries: Retries,
    /// A request on a kept connection that ended without a byte of a response goes out once more
    /// ([`IDLE_CONNECTIONS`]).
    pub(crate) repeats_on_new_connection: bool,
    /// The value of a `Host` header and empty segments of a path go out as they are given
    /// ([`REQUESTS`]).
    pub(crate) as_given: bool,
    /// A response that came before the server closed the connection counts, where the request was
    /// not sent whole ([`EARLY_RESPONSES`]).
    pub(crate) reads_early_responses: bool,
    /// Bodies that nothing reads are not decoded ([`UNREAD_BODIES`]).
    pub(crate) leaves_unread_coded: bool,
    /// Redirects are followed as RFC 9110 has them ([`REDIRECTS`]).
    pub(crate) rfc_redirects: bool,
    /// Content codings whose bodies may end too early (`httpclient4.gzip_relax_mode`,
    /// `.deflate_relax_mode`).
    pub(crate) relaxed: TruncationTolerance,
    /// `CookieManager.allow_variable_cookies`: cookies of the plan may hold expressions.
    pub(crate) variable_cookies: bool,
    /// `https.sessioncontext.shared`: users resume each other's TLS sessions.
    pub(crate) shared_sessions: bool,
    /// `https.socket.protocols` and `https.cipherSuites`, as they are written.
    pub(crate) tls_limits: [String; 2],
    /// `swell.http2.share`: how many users share a connection for HTTP/2.
    pub(crate) http2_share: usize,
    /// Embedded resources.
    pub(crate) pages: PageSettings,
    /// The proxy where a sampler names none.
    pub(crate) proxy: Option<RunProxy>,
    /// `httpclient.localaddress`: where requests go out from where a sampler says nothing, and as
    /// JMeter shows it.
    pub(crate) local_address: Option<(IpAddr, String)>,
}

/// Property: `checked` has kept connections that the server has closed not used, and what went out
/// on one repeated; otherwise JMeter's properties decide.
const IDLE_CONNECTIONS: &str = "swell.http.idle_connections";

/// Property: `as_given` has a `Host` header without a port sent so, and `//` in paths; JMeter adds
/// the port, and makes one slash of two.
const REQUESTS: &str = "swell.http.requests";

/// Property: `read` has a response count that came before the connection broke while the body was
/// sent; in JMeter the sample fails.
const EARLY_RESPONSES: &str = "swell.http.early_responses";

/// Property: `rfc9110` has 307 and 308 followed with method and body, and keeps credentials from
/// other origins.
const REDIRECTS: &str = "swell.http.redirects";

/// Property: `coded` has compressed bodies not decoded where nothing reads them; in JMeter they are,
/// and one that is not in its coding fails the sample.
const UNREAD_BODIES: &str = "swell.http.unread_bodies";

/// What HttpClient 4.5.14 on the Java that the oracle runs says.
const USER_AGENT: &str = "Apache-HttpClient/4.5.14 (Java/17.0.15)";

impl Settings {
    /// Redirects with 307 and 308 keep method and body (JMeter 6.0,
    /// `HTTPSamplerBase.computeMethodForRedirect`).
    pub(crate) fn keeps_method(&self) -> bool {
        self.rfc_redirects || self.is_6
    }

    pub(crate) fn new(sampler: &Element, compile: &CompileContext) -> Self {
        let props = &*compile.props;
        let text = |name: &str, default: &str| props.get(name).unwrap_or_else(|| default.to_owned());
        let cached_mode = match text("cache_manager.cached_resource_mode", "RETURN_NO_SAMPLE").as_str() {
            "RETURN_200_CACHE" => {
                CachedMode::Sample("200".into(), text("RETURN_200_CACHE.message", "(ex cache)"))
            }
            "RETURN_CUSTOM_STATUS" => CachedMode::Sample(
                text("RETURN_CUSTOM_STATUS.code", ""),
                text("RETURN_CUSTOM_STATUS.message", ""),
            ),
            _ => CachedMode::NoSample,
        };
        let methods = text("cacheable_methods", "GET");
        // bzm's client sends none (`HTTP2JettyClient.configureHttpClient`).
        let no_agent =
            sampler.class == BZM_HTTP || props.flag("httpclient4.default_user_agent_disabled", false);
        let save = props.flag("CookieManager.save.cookies", false);
        let checks_connections = text(IDLE_CONNECTIONS, "") == "checked";
        Self {
            user_agent: (!no_agent).then_some(USER_AGENT),
            add_content_type: props.flag("http.post_add_content_type_if_missing", false),
            reset_on_iteration: props.flag("httpclient.reset_state_on_thread_group_iteration", true),
            idle: IdleLimits {
                time_to_live_ms: props.number("httpclient4.time_to_live", 60_000),
                validate_after_ms: props.number("httpclient4.validate_after_inactivity", 4900),
                always_validated: checks_connections,
                idle_timeout_ms: props.number("httpclient4.idletimeout", 0),
            },
            max_redirects: u32::try_from(props.number("httpsampler.max_redirects", 20)).unwrap_or(0),
            named_coding: compile.expr.shared.get("http coding that is not decoded", OnceLock::default),
            is_6: Compat::is_6(props),
            remove_slash_dot_dot: props.flag("httpsampler.redirect.removeslashdotdot", true),
            max_stored_bytes: props.number("httpsampler.max_bytes_to_store_per_request", 0).max(0) as usize,
            max_local_bytes: props.number("httpsampler.max_bytes_to_store_per_request", 10 << 20).max(0)
                as usize,
            total_timeout_ms: total_timeout_ms(compile),
            user_token: compile.expr.names.find("__jmeter.U_T__"),
            cached_mode,
            cacheable_methods: methods.split([' ', ',']).map(str::to_owned).collect(),
            cookie_limits: Limits::of(compile),
            delete_empty_cookies: props.flag("CookieManager.delete_null_cookies", true),
            check_cookies: props.flag("CookieManager.check.cookies", true),
            save_cookies: save.then(|| text("CookieManager.name.prefix", "COOKIE_").trim().to_owned()),
            rename_sub_samples: compile.renames_sub_samples(),
            preemptive: props.flag("httpclient4.auth.preemptive", true),
            retries: Retries {
                count: props.number("httpclient4.retrycount", 0),
                also_sent: props.flag("httpclient4.request_sent_retry_enabled", false),
            },
            repeats_on_new_connection: checks_connections,
            reads_early_responses: text(EARLY_RESPONSES, "") == "read",
            as_given: text(REQUESTS, "") == "as_given",
            leaves_unread_coded: text(UNREAD_BODIES, "") == "coded",
            rfc_redirects: text(REDIRECTS, "") == "rfc9110",
            relaxed: TruncationTolerance {
                gzip: props.flag("httpclient4.gzip_relax_mode", false),
                deflate: props.flag("httpclient4.deflate_relax_mode", false),
            },
            variable_cookies: props.flag("CookieManager.allow_variable_cookies", true),
            shared_sessions: props.flag("https.sessioncontext.shared", false),
            tls_limits: [
                text("https.socket.protocols", ""),
                text("https.cipherSuites", &text("https.socket.ciphers", "")),
            ],
            http2_share: super::version::share(compile),
            pages: PageSettings { max_resources: max_resources(compile), ..PageSettings::new(props) },
            proxy: RunProxy::new(props),
            local_address: props.get("httpclient.localaddress").and_then(|name| local_address(&name)),
        }
    }
}

fn max_resources(compile: &CompileContext) -> Option<u64> {
    let most = compile.whole_number("http.max_resources").unwrap_or(MAX_RESOURCES);
    (most > 0).then_some(most)
}

fn total_timeout_ms(compile: &CompileContext) -> Option<i64> {
    let ms = compile.whole_number("http.total_timeout").filter(|ms| *ms > 0)?;
    Some(i64::try_from(ms).unwrap_or(i64::MAX))
}

/// The address of a name, with the name before it where it is not the address itself
/// (`InetAddress.toString`).
fn local_address(name: &str) -> Option<(IpAddr, String)> {
    if let Ok(ip) = name.parse::<IpAddr>() {
        return Some((ip, format!("/{ip}")));
    }
    // One that is unknown is a line in JMeter's log.
    let found = (name, 0).to_socket_addrs().ok()?.map(|address| address.ip());
    let ip = found.min_by_key(IpAddr::is_ipv6)?;
    Some((ip, format!("{name}/{ip}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_addresses_as_java_shows_them() {
        let ip = IpAddr::from([127, 0, 0, 1]);
        assert_eq!(local_address("127.0.0.1"), Some((ip, "/127.0.0.1".to_owned())));
        assert_eq!(local_address("localhost"), Some((ip, "localhost/127.0.0.1".to_owned())));
        assert_eq!(local_address(""), None);
    }

    #[test]
    fn what_may_be_tried_again() {
        let refused = Failure::new("org.apache.http.conn.HttpHostConnectException", "");
        let reset = Failure::new("java.net.SocketException", "Connection reset");
        let shy = Retries { count: 1, also_sent: false };
        let bold = Retries { count: 1, also_sent: true };
        assert!(shy.allow(&reset, "GET", true) && shy.allow(&reset, "DELETE", true));
        assert!(!shy.allow(&reset, "POST", true) && shy.allow(&reset, "POST", false));
        assert!(bold.allow(&reset, "POST", true));
        assert!(!bold.allow(&refused, "GET", false));
    }

    #[test]
    fn content_types_of_pages() {
        let props = Properties::default();
        let kind = |props: &Properties, content_type: &str| PageSettings::new(props).kind_of(content_type);
        assert_eq!(kind(&props, "Text/HTML; charset=x"), Some(PageKind::Html));
        assert_eq!(kind(&props, "application/xml"), Some(PageKind::Html));
        assert_eq!(kind(&props, "text/css"), Some(PageKind::Css));
        assert_eq!(kind(&props, "text/plain"), None);
        props.set("cssParser.types", "text/plain");
        assert_eq!((kind(&props, "text/css"), kind(&props, "text/plain")), (None, Some(PageKind::Css)));
        props.set("HTTPResponse.parsers", "cssParser");
        assert_eq!(kind(&props, "text/html"), None);
    }
}
