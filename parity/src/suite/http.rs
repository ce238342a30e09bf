//! The HTTP Request: what goes out, what comes back, what goes wrong.

use swell_plan::{Element, Node, Property, PropertyValue};

use super::draft::Draft;
use super::parts::{
    Edit, defaults, get, group, headers, loops, parameter, raw, request, users, with_parameters,
};

pub(super) fn drafts() -> Vec<Draft> {
    [requests(), bodies(), responses(), redirects(), failures()].concat()
}

/// An `HTTPArgument` that goes out as it is.
pub(crate) fn plain_parameter(name: &str, value: &str) -> Element {
    Element::new("HTTPArgument", "", "")
        .with_flag("HTTPArgument.always_encode", false)
        .with_text("Argument.name", name)
        .with_text("Argument.value", value)
        .with_text("Argument.metadata", "=")
        .with_flag("HTTPArgument.use_equals", true)
}

fn requests() -> Vec<Draft> {
    let pairs = [("a", "1 2"), ("b&c", "x=y&z"), ("é", "ü/ß"), ("", "no name"), ("none", "")];
    let unencoded = || [("a", "1+2"), ("b", "x%20y"), ("c", "p&q=r")].map(|(n, v)| plain_parameter(n, v));
    let no_equals = |value: &str| {
        let argument = parameter("flag", value);
        super::parts::replaced(argument, "HTTPArgument.use_equals", PropertyValue::Bool("false".to_owned()))
    };
    let methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "REPORT"];
    vec![
        Draft::new(
            "http_methods",
            "Each method with parameters.",
            [users(methods.map(|method| request(method, method, "/method", &[("p", "v")])))],
        ),
        Draft::new(
            "http_parameters",
            "Encoded, not encoded, without a name, without an equals sign.",
            [users([
                request("query", "GET", "/q", &pairs),
                request("query behind a query", "GET", "/q?x=1", &pairs[..2]),
                request("form", "POST", "/f", &pairs),
                with_parameters(get("as it is", "/q"), unencoded()),
                with_parameters(request("form as it is", "POST", "/f", &[]), unencoded()),
                with_parameters(get("no equals", "/q"), [no_equals(""), no_equals("v"), parameter("x", "y")]),
                request("latin form", "POST", "/f", &[("é", "ü")])
                    .text("HTTPSampler.contentEncoding", "ISO-8859-1"),
                request("latin query", "GET", "/f", &[("é", "ü")])
                    .text("HTTPSampler.contentEncoding", "ISO-8859-1"),
            ])],
        ),
        Draft::new(
            "http_paths",
            "Paths of all kinds.",
            [users([
                get("no slash", "no/slash"),
                get("empty", ""),
                get("query", "/a?b=c&d=e%20f"),
                get("fragment", "/a#part"),
                get("dots", "/a/../b/./c"),
                get("slashes", "//a//b"),
                get("encoded", "/%C3%A9/%2F"),
                get("semicolon", "/a;b=c/d"),
                get("whole", "http://127.0.0.1:${__P(parity.port)}/whole?x=1"),
                get("whole in capitals", "HTTP://127.0.0.1:${__P(parity.port)}/whole"),
                get("variable", "/${__P(nothing,v)}/x"),
                get("odd but legal", "/!$'()*,:@-._~"),
            ])],
        ),
        Draft::new(
            "http_headers",
            "Headers that a plan may set and those it may not.",
            [users([
                get("own user agent", "/h")
                    .of([headers("h", &[("User-Agent", "mine/1.0"), ("Accept", "*/*")])]),
                get("own host", "/h").of([headers("h", &[("Host", "example.test")])]),
                get("own connection", "/h").of([headers("h", &[("Connection", "close")])]),
                raw("own length", "POST", "/h", "body")
                    .of([headers("h", &[("Content-Length", "99"), ("X", "y")])]),
                raw("own type", "POST", "/h", "{}")
                    .of([headers("h", &[("Content-Type", "application/json")])]),
                request("form with type", "POST", "/h", &[("a", "b")])
                    .of([headers("h", &[("Content-Type", "text/x")])]),
                get("empty and odd", "/h")
                    .of([headers("h", &[("Empty", ""), ("", "no name"), ("Sp ace", "a  b "), ("é", "ü")])]),
                get("same name twice", "/h").of([headers("h", &[("A", "1"), ("a", "2")])]),
                get("from variables", "/h").of([headers("h", &[("${__P(nothing,V)}", "${__threadNum}")])]),
                get("encodings", "/h").of([headers("h", &[("Accept-Encoding", "gzip, deflate")])]),
            ])],
        ),
        Draft::new(
            "http_keepalive",
            "Connections that are kept, and that are not.",
            [loops(
                users([
                    get("kept", "/k"),
                    get("closed by the client", "/k").flag("HTTPSampler.use_keepalive", false),
                    get("new", "/k"),
                    get("closed by the server", "/close"),
                    get("new again", "/k"),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "http_defaults",
            "All that defaults can fill.",
            [users([
                with_parameters(
                    defaults(&[
                        ("domain", "127.0.0.1"),
                        ("port", "${__P(parity.port)}"),
                        ("protocol", "http"),
                        ("path", "/default"),
                    ]),
                    [parameter("d", "1")],
                ),
                get("own", "/own").text("HTTPSampler.domain", "").text("HTTPSampler.port", ""),
                get("all", "")
                    .text("HTTPSampler.domain", "")
                    .text("HTTPSampler.port", "")
                    .text("HTTPSampler.protocol", ""),
                request("with parameters", "POST", "", &[("own", "2")]).text("HTTPSampler.port", ""),
                raw("raw", "POST", "", "body").text("HTTPSampler.port", ""),
            ])],
        ),
    ]
}

/// A file that is sent with a request.
pub(super) fn with_file(node: Node, path: &str, name: &str, mime: &str) -> Node {
    let file = Element::new("HTTPFileArg", "", "")
        .with_text("File.path", path)
        .with_text("File.paramname", name)
        .with_text("File.mimetype", mime);
    let members = PropertyValue::Collection(vec![Property::of_element(path, file)]);
    let files = Element::new("HTTPFileArgs", "", "").with("HTTPFileArgs.files", members);
    let mut node = node;
    node.element = node.element.with_element("HTTPsampler.Files", files);
    node
}

fn bodies() -> Vec<Draft> {
    let nameless = |name: &str, method: &str, values: &[&str]| {
        with_parameters(
            request(name, method, "/b", &[]),
            values.iter().map(|value| plain_parameter("", value)),
        )
    };
    vec![
        Draft::new(
            "http_file_missing",
            "A file to send that is not there.",
            [users([with_file(
                request("missing", "POST", "/f", &[]),
                "data/no-such-file.txt",
                "",
                "text/plain",
            )])],
        ),
        Draft::new(
            "http_raw_body",
            "A body as it is.",
            [users([
                raw("json", "POST", "/b", "{\"a\": \"é\",\n \"n\": ${__threadNum}}"),
                raw("put", "PUT", "/b?x=1", "text"),
                raw("patch", "PATCH", "/b", "text"),
                raw("delete", "DELETE", "/b", "text"),
                raw("get", "GET", "/b", "text"),
                raw("empty", "POST", "/b", ""),
                raw("latin", "POST", "/b", "é").text("HTTPSampler.contentEncoding", "ISO-8859-1"),
                raw("line ends", "POST", "/b", "a\nb\nc"),
                nameless("pieces", "POST", &["one", "two", "%20"]),
                nameless("pieces of a put", "PUT", &["one", "two"]),
                nameless("pieces of a get", "GET", &["one", "two"]),
                request("nothing", "POST", "/b", &[]),
                request("nothing to put", "PUT", "/b", &[]),
                request("form to put", "PUT", "/b", &[("a", "b c")]),
                request("form to patch", "PATCH", "/b", &[("a", "b c")]),
            ])],
        ),
        Draft::new(
            "http_files",
            "A file as a body, and in parts.",
            [users([
                with_file(request("body", "POST", "/f", &[]), "data/upload.txt", "", "text/plain"),
                with_file(
                    request("body to put", "PUT", "/f", &[]),
                    "data/upload.txt",
                    "",
                    "application/x-own",
                ),
                with_file(
                    request("part", "POST", "/f", &[("a", "b c"), ("é", "ü")]),
                    "data/upload.txt",
                    "file",
                    "text/plain",
                )
                .flag("HTTPSampler.DO_MULTIPART_POST", true),
                with_file(request("part by its name", "POST", "/f", &[]), "data/upload.txt", "file", ""),
                request("parts without a file", "POST", "/f", &[("a", "b")])
                    .flag("HTTPSampler.DO_MULTIPART_POST", true),
                request("as browsers do", "POST", "/f", &[("a", "b")])
                    .flag("HTTPSampler.DO_MULTIPART_POST", true)
                    .flag("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", true),
            ])],
        )
        .rule("mask sentBytes"),
    ]
}

fn responses() -> Vec<Draft> {
    let statuses = ["200", "201", "204", "304", "400", "401", "403", "404", "500", "503", "399", "600"];
    vec![
        Draft::new(
            "http_status",
            "Codes and what counts as a success.",
            [users(statuses.map(|code| get(code, &format!("/status/{code}"))))],
        ),
        Draft::new(
            "http_responses",
            "Ways in which a body comes.",
            [users([
                get("chunked", "/chunked"),
                get("gzip", "/gzip"),
                get("deflate", "/deflate"),
                get("until the end", "/nolength"),
                get("latin", "/latin1"),
                get("binary", "/image.png"),
                get("large", "/bytes/100000"),
                get("json", "/json"),
                get("html", "/html"),
                get("cut off", "/truncated"),
                request("head", "HEAD", "/json", &[]),
                get("digest of the body", "/json").flag("HTTPSampler.md5", true),
                get("headers", "/headers?X-A=b&X-A=c&x-b=%20d"),
                get("after all", "/after"),
            ])],
        )
        .rule("property jmeter.save.saveservice.encoding=true"),
    ]
}

fn redirects() -> Vec<Draft> {
    let automatic = |node: Node| {
        node.flag("HTTPSampler.follow_redirects", false).flag("HTTPSampler.auto_redirects", true)
    };
    let codes = ["301", "302", "303", "307", "308", "300", "304", "305"];
    let by_code = |method: &str| {
        codes.map(|code| {
            request(&format!("{method} {code}"), method, &format!("/redirect/1?code={code}"), &[("p", "v")])
        })
    };
    let to = |name: &str, url: &str| get(name, &format!("/redirect-to?url={url}"));
    vec![
        Draft::new(
            "redirects",
            "Followed by JMeter: each step is a sub-sample.",
            [users([
                get("two", "/redirect/2"),
                get("not followed", "/redirect/1").flag("HTTPSampler.follow_redirects", false),
                to("dots", "/a/../b/./c"),
                to("relative", "sub/page%3Fx=1"),
                to("query", "?only=query"),
                to("blank", "/a%20b"),
                to("whole", "http%3A%2F%2F127.0.0.1%3A${__P(parity.port)}%2Fwhole"),
                to("without scheme", "%2F%2F127.0.0.1%3A${__P(parity.port)}%2Fbare"),
                to("fragment", "/a%23part"),
                to("error", "/status/404"),
                get("with a header", "/redirect/1").of([headers("h", &[("A", "b")])]),
            ])],
        ),
        Draft::new("redirects_nowhere", "A location without text.", [users([to("nowhere", "")])])
            .rule("property httpsampler.max_redirects=1"),
        Draft::new(
            "redirects_by_code",
            "Each code, for GET, POST and HEAD.",
            [users([by_code("GET"), by_code("POST"), by_code("HEAD")].concat())],
        ),
        Draft::new(
            "redirects_automatic",
            "Followed by HttpClient: one sample.",
            [users([
                automatic(get("two", "/redirect/2")),
                automatic(request("post 302", "POST", "/redirect/1", &[("p", "v")])),
                automatic(request("post 307", "POST", "/redirect/1?code=307", &[("p", "v")])),
                automatic(to("dots", "/a/../b")),
                automatic(to("error", "/status/500")),
            ])],
        ),
        Draft::new(
            "redirects_too_many",
            "There is a limit.",
            [users([get("25", "/redirect/25"), automatic(get("60", "/redirect/60"))])],
        )
        .rule("property httpsampler.max_redirects=3"),
    ]
}

fn failures() -> Vec<Draft> {
    let at = |name: &str, domain: &str, port: &str| {
        get(name, "/x").text("HTTPSampler.domain", domain).text("HTTPSampler.port", port)
    };
    let form = |name: &str, domain: &str| {
        request(name, "POST", "/x", &[("a", "1 2"), ("b", "\u{e9}")]).text("HTTPSampler.domain", domain)
    };
    vec![
        Draft::new(
            "http_failures",
            "Requests that get no response.",
            [users([
                at("refused", "127.0.0.1", "1"),
                at("unknown host", "no-such-host.invalid", "80"),
                get("no answer in time", "/delay/2000").text("HTTPSampler.response_timeout", "100"),
                get("dropped", "/drop"),
                get("fine", "/fine").text("HTTPSampler.connect_timeout", "2000"),
            ])],
        ),
        Draft::new(
            "http_bad_urls",
            "URLs that cannot be.",
            [users([
                get("blank", "/a b"),
                get("brackets", "/a[b]"),
                get("bar", "/a|b"),
                get("percent", "/a%zz"),
                get("braces", "/${unknown}"),
                get("query", "/a?b=c d"),
                at("port", "127.0.0.1", "99999999"),
                at("no number", "127.0.0.1", "http"),
                at("no host", "", "80"),
                at("odd host", "a b", "80"),
                get("whole", "http://"),
            ])],
        ),
        Draft::new(
            "http_bad_bodies",
            "Bodies of requests that cannot be sent: they are shown where JMeter made them before it found out.",
            [users([
                form("no host", "").text("HTTPSampler.port", "80"),
                form("port", "127.0.0.1").text("HTTPSampler.port", "99999"),
                form("path", "127.0.0.1").text("HTTPSampler.path", "/a{b}"),
                form("method", "127.0.0.1").text("HTTPSampler.method", "P\u{e9}"),
                form("length", "127.0.0.1").of([headers("h", &[("Transfer-Encoding", "chunked")])]),
                form("refused", "127.0.0.1").text("HTTPSampler.port", "1"),
                form("no body", "").text("HTTPSampler.method", "GET"),
            ])],
        ),
        Draft::new(
            "http_bad_protocol",
            "A protocol that there is not: JMeter's sample has no name.",
            [users([get("protocol", "/x").text("HTTPSampler.protocol", "gopher")])],
        ),
        Draft::new(
            "http_failing_group",
            "A failure does not end the connection of others.",
            [loops(
                group(
                    "ThreadGroup",
                    "ThreadGroupGui",
                    "Users",
                    [get("dropped", "/drop"), get("fine", "/fine")],
                ),
                "2",
            )],
        ),
    ]
}
