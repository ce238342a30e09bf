//! Options of curl 8, and what each means for a request.

/// What an option does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// The method.
    Method,
    Header,
    /// `-d`: text, or a file after `@` without its line ends.
    Data,
    /// `--data-binary`: text, or a file after `@`.
    DataBinary,
    /// `--data-raw`: text.
    DataRaw,
    DataUrlencode,
    Json,
    Form,
    FormString,
    User,
    Cookie,
    UserAgent,
    Referer,
    Url,
    UrlQuery,
    Range,
    Bearer,
    Proxy,
    Upload,
    MaxTime,
    ConnectTimeout,
    Get,
    Head,
    Follow,
    NoFollow,
    Compressed,
    Digest,
    /// Cookies are kept and sent back.
    CookieJar,
    /// Braces and brackets are data.
    NoGlobs,
    PathAsIs,
    Next,
    /// It changes nothing that a request has.
    Ignored,
    /// It changes the request, and JMeter has nothing like it; the reason.
    Lost(&'static str),
    /// A request with it cannot be made; the reason.
    Refused(&'static str),
}

/// An option: its long name, its letter, whether it takes a value, what it does.
pub(super) struct CurlOption {
    pub(super) long: &'static str,
    letter: Option<char>,
    pub(super) takes_value: bool,
    pub(super) does: Does,
}

const fn flag(long: &'static str, letter: Option<char>, does: Does) -> CurlOption {
    CurlOption { long, letter, takes_value: false, does }
}

const fn value(long: &'static str, letter: Option<char>, does: Does) -> CurlOption {
    CurlOption { long, letter, takes_value: true, does }
}

const CERTIFICATE: Does = Does::Lost("client certificates are set by properties of Java's key store");
const NAMES: Does = Does::Lost("names are looked up as the system does; a DNS Cache Manager can change that");
const HTTP_VERSION: Does = Does::Lost("the request is sent with HTTP/1.1");

/// Options that change a request.
const OPTIONS: &[CurlOption] = &[
    value("request", Some('X'), Does::Method),
    value("header", Some('H'), Does::Header),
    value("data", Some('d'), Does::Data),
    value("data-ascii", None, Does::Data),
    value("data-binary", None, Does::DataBinary),
    value("data-raw", None, Does::DataRaw),
    value("data-urlencode", None, Does::DataUrlencode),
    value("json", None, Does::Json),
    value("form", Some('F'), Does::Form),
    value("form-string", None, Does::FormString),
    value("user", Some('u'), Does::User),
    value("cookie", Some('b'), Does::Cookie),
    value("cookie-jar", Some('c'), Does::CookieJar),
    value("user-agent", Some('A'), Does::UserAgent),
    value("referer", Some('e'), Does::Referer),
    value("url", None, Does::Url),
    value("url-query", None, Does::UrlQuery),
    value("range", Some('r'), Does::Range),
    value("oauth2-bearer", None, Does::Bearer),
    value("proxy", Some('x'), Does::Proxy),
    value("upload-file", Some('T'), Does::Upload),
    value("max-time", Some('m'), Does::MaxTime),
    value("connect-timeout", None, Does::ConnectTimeout),
    flag("get", Some('G'), Does::Get),
    flag("head", Some('I'), Does::Head),
    flag("location", Some('L'), Does::Follow),
    flag("location-trusted", None, Does::Follow),
    flag("compressed", None, Does::Compressed),
    flag("digest", None, Does::Digest),
    flag("globoff", Some('g'), Does::NoGlobs),
    flag("path-as-is", None, Does::PathAsIs),
    flag("next", Some(':'), Does::Next),
    flag("http1.0", Some('0'), HTTP_VERSION),
    flag("http2", None, HTTP_VERSION),
    flag("http2-prior-knowledge", None, HTTP_VERSION),
    flag("http3", None, HTTP_VERSION),
    flag("http3-only", None, HTTP_VERSION),
    flag("ntlm", None, Does::Refused("NTLM is not supported")),
    flag("negotiate", None, Does::Refused("Negotiate is not supported")),
    flag("anyauth", None, Does::Lost("credentials are sent with basic authentication")),
    flag("netrc", Some('n'), Does::Lost("credentials of .netrc are not read")),
    flag("netrc-optional", None, Does::Lost("credentials of .netrc are not read")),
    value("netrc-file", None, Does::Lost("credentials of .netrc are not read")),
    value("aws-sigv4", None, Does::Refused("requests signed for AWS are not supported")),
    value("config", Some('K'), Does::Refused("configuration files are not read")),
    value("unix-socket", None, Does::Refused("Unix sockets are not supported")),
    value("abstract-unix-socket", None, Does::Refused("Unix sockets are not supported")),
    value("request-target", None, Does::Refused("a target that is not the URL's is not supported")),
    value("proxy-user", Some('U'), Does::Lost("credentials of the proxy are not taken over")),
    value("preproxy", None, Does::Lost("SOCKS proxies are not supported")),
    value("socks4", None, Does::Lost("SOCKS proxies are not supported")),
    value("socks4a", None, Does::Lost("SOCKS proxies are not supported")),
    value("socks5", None, Does::Lost("SOCKS proxies are not supported")),
    value("socks5-hostname", None, Does::Lost("SOCKS proxies are not supported")),
    value("cert", Some('E'), CERTIFICATE),
    value("key", None, CERTIFICATE),
    value("resolve", None, NAMES),
    value("connect-to", None, NAMES),
    value("doh-url", None, NAMES),
    value("dns-servers", None, NAMES),
    value("interface", None, Does::Lost("the local address is an option of `swell run`: --source")),
    value("time-cond", Some('z'), Does::Lost("the time of a condition is not taken over")),
    value("continue-at", Some('C'), Does::Lost("resuming a download is not taken over")),
    value("quote", Some('Q'), Does::Lost("it is for FTP")),
    flag("tr-encoding", None, Does::Lost("transfer encodings are not asked for")),
    flag("proxy-digest", None, Does::Lost("credentials of the proxy are not taken over")),
    flag("proxy-ntlm", None, Does::Lost("credentials of the proxy are not taken over")),
    flag("haproxy-protocol", None, Does::Lost("the PROXY protocol is not supported")),
    value("proxy-header", None, Does::Lost("headers for the proxy are not taken over")),
];

/// Options with a value that change nothing that a request has, with their letters.
const IGNORED_VALUES: &str = "output:o write-out:w dump-header:D stderr trace trace-ascii trace-config retry retry-delay \
    retry-max-time limit-rate speed-limit:Y speed-time:y keepalive-time keepalive-cnt max-filesize output-dir ciphers \
    tls-max tls13-ciphers capath cacert ca-native create-file-mode parallel-max happy-eyeballs-timeout-ms local-port \
    key-type cert-type pass pinnedpubkey crlfile hsts alt-svc etag-save etag-compare expect100-timeout noproxy rate \
    delegation curves engine egd-file random-file libcurl max-redirs proto proto-redir proto-default service-name \
    proxy-service-name ip-tos vlan-priority proxy-cacert proxy-capath proxy-cert proxy-key proxy-pass proxy-ciphers \
    proxy-tls13-ciphers proxy-pinnedpubkey proxy-crlfile dns-interface dns-ipv4-addr dns-ipv6-addr telnet-option:t \
    ftp-account ftp-method ftp-port:P ftp-alternative-to-user mail-from mail-rcpt mail-auth tftp-blksize hostpubmd5 \
    hostpubsha256 pubkey login-options sasl-authzid krb";

/// Flags of that kind.
const IGNORED_FLAGS: &str = "silent:s show-error:S verbose:v include:i fail:f fail-with-body fail-early buffer no-buffer:N \
    remote-name:O remote-name-all remote-header-name:J progress-bar:# no-progress-meter insecure:k proxy-insecure \
    ipv4:4 ipv6:6 http1.1 http0.9 basic proxy-basic raw keepalive disable:q remote-time:R parallel:Z \
    parallel-immediate tcp-nodelay tcp-fastopen tlsv1:1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 sslv2:2 sslv3:3 ssl ssl-reqd \
    create-dirs styled-output post301 post302 post303 cert-status ssl-no-revoke ssl-allow-beast \
    xattr crlf suppress-connect-headers ignore-content-length junk-session-cookies:j append:a list-only:l \
    use-ascii:B proxytunnel:p alpn npn sessionid retry-all-errors retry-connrefused \
    remove-on-error clobber form-escape trace-time trace-ids disable-eprt disable-epsv ftp-pasv ftp-create-dirs \
    mptcp false-start doh-insecure doh-cert-status skip-existing";

fn in_list(list: &'static str, long: Option<&str>, letter: Option<char>) -> Option<&'static str> {
    list.split_whitespace().find_map(|entry| {
        let (name, short) = entry.split_once(':').unwrap_or((entry, ""));
        let fits = long == Some(name) || letter.is_some_and(|letter| short.chars().eq([letter]));
        fits.then_some(name)
    })
}

fn ignored(long: Option<&str>, letter: Option<char>) -> Option<CurlOption> {
    let make = |list, takes_value| {
        let long = in_list(list, long, letter)?;
        Some(CurlOption { long, letter: None, takes_value, does: Does::Ignored })
    };
    make(IGNORED_VALUES, true).or_else(|| make(IGNORED_FLAGS, false))
}

fn copied(option: &CurlOption) -> CurlOption {
    CurlOption {
        long: option.long,
        letter: option.letter,
        takes_value: option.takes_value,
        does: option.does,
    }
}

/// The option of a long name; curl takes a beginning of it that fits one only, and `no-` before a
/// flag.
pub(super) fn long(name: &str) -> Option<CurlOption> {
    let found = exactly(name).or_else(|| beginning(name));
    found.or_else(|| {
        let option = exactly(name.strip_prefix("no-")?).filter(|option| !option.takes_value)?;
        let does = if option.does == Does::Follow { Does::NoFollow } else { Does::Ignored };
        Some(CurlOption { does, ..option })
    })
}

fn exactly(name: &str) -> Option<CurlOption> {
    let found = OPTIONS.iter().find(|option| option.long == name).map(copied);
    found.or_else(|| ignored(Some(name), None))
}

fn beginning(name: &str) -> Option<CurlOption> {
    let listed = [IGNORED_VALUES, IGNORED_FLAGS].into_iter().flat_map(str::split_whitespace);
    let listed = listed.map(|entry| entry.split(':').next().unwrap_or(entry));
    let mut fitting =
        OPTIONS.iter().map(|option| option.long).chain(listed).filter(|long| long.starts_with(name));
    let found = fitting.next()?;
    if fitting.next().is_some() { None } else { exactly(found) }
}

/// The option of a letter.
pub(super) fn short(letter: char) -> Option<CurlOption> {
    let found = OPTIONS.iter().find(|option| option.letter == Some(letter)).map(copied);
    found.or_else(|| ignored(None, Some(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_by_name_beginning_and_letter() {
        for (name, wanted) in [
            ("header", Some((true, Does::Header))),
            ("silent", Some((false, Does::Ignored))),
            ("output", Some((true, Does::Ignored))),
            ("upload", Some((true, Does::Upload))),
            ("sil", Some((false, Does::Ignored))),
            ("no-location", Some((false, Does::NoFollow))),
            ("no-basic", Some((false, Does::Ignored))),
            ("no-header", None),
            ("dat", None),
            ("no-such", None),
        ] {
            let found = long(name).map(|option| (option.takes_value, option.does));
            assert_eq!(found, wanted, "{name}");
        }
        let letters: Vec<_> = "XskoL#4".chars().map(|c| short(c).map(|option| option.long)).collect();
        let wanted = ["request", "silent", "insecure", "output", "location", "progress-bar", "ipv4"];
        assert_eq!(letters, wanted.map(Some));
        assert!(short('\u{e9}').is_none());
    }
}
