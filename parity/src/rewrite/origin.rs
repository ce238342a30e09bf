//! Replaces every host with the recorder.

use swell_plan::{Element, Plan};

use super::texts;
use crate::recorder::{End, Recorder};

/// Host of all requests.
const HOST: &str = "127.0.0.1";

/// Points an element at the recorder: hosts, ports and protocols of HTTP elements, and URLs in all texts.
pub(super) fn redirect(element: &mut Element, port: u16) {
    let has = |element: &Element, name: &str| !element.text_or_empty(name).is_empty();
    // Samplers of all versions, and elements with their defaults.
    if element.properties.iter().any(|property| property.name.starts_with("HTTPSampler.")) {
        if has(element, "HTTPSampler.domain") {
            element.set_text("HTTPSampler.domain", HOST);
            element.set_text("HTTPSampler.port", &port.to_string());
        } else if has(element, "HTTPSampler.port") {
            element.set_text("HTTPSampler.port", &port.to_string());
        }
        if has(element, "HTTPSampler.protocol") {
            element.set_text("HTTPSampler.protocol", "http");
        }
        for name in ["HTTPSampler.implementation", "HTTPSampler.proxyHost", "HTTPSampler.ipSource"] {
            if has(element, name) {
                element.set_text(name, "");
            }
        }
    }
    texts(element, &mut |_, text| *text = redirected(text, port));
}

/// Points TCP Samplers, and elements with their defaults, at ports whose responses end as the
/// sampler expects.
///
/// # Errors
/// The socket cannot be opened.
pub(super) fn redirect_raw(
    element: &mut Element,
    recorder: &Recorder,
    default: Option<&str>,
) -> std::io::Result<()> {
    let server = "TCPSampler.server";
    let port = "TCPSampler.port";
    let given = |name: &str| element.text(name).filter(|text| !text.is_empty());
    if given(server).is_none() && given(port).is_none() {
        return Ok(());
    }
    let end = match (given("TCPSampler.classname").unwrap_or_default(), given(END_BYTE).or(default)) {
        (name, _) if name.contains("LengthPrefixed") => End::Echo,
        (_, Some(byte)) => {
            byte.trim().parse::<i8>().map_or(End::Close, |byte| End::Byte(byte.cast_unsigned()))
        }
        (_, None) => End::Close,
    };
    element.set_text(server, HOST);
    element.set_text(port, &recorder.raw(end)?.to_string());
    Ok(())
}

const END_BYTE: &str = "TCPSampler.EolByte";

/// Returns the end-of-line byte that a plan sets as the default of its TCP Samplers.
pub(super) fn default_end(plan: &Plan) -> Option<String> {
    let mut found = None;
    plan.root.walk(&mut |node| {
        let byte = node.element.text_or_empty(END_BYTE);
        if node.element.class == "ConfigTestElement" && node.element.enabled() && !byte.is_empty() {
            found = Some(byte.to_owned());
        }
    });
    found
}

/// Replaces a value that is only a host name with a local host, because a URL may be built from it.
pub(super) fn redirect_value(text: &mut String) {
    const ENDS: [&str; 9] = [".com", ".org", ".net", ".io", ".cn", ".de", ".test", ".example", ".invalid"];
    let is_host = text.contains('.')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-')
        && (ENDS.iter().any(|end| text.ends_with(end)) || text.parse::<std::net::Ipv4Addr>().is_ok());
    if is_host {
        HOST.clone_into(text);
    }
}

/// Returns a text with the origins of its URLs replaced.
fn redirected(text: &str, port: u16) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = next_scheme(rest) {
        let start = at + rest[at..].find("://").expect("a scheme ends so") + 3;
        let end = rest[start..].find(|c: char| "/?#\"'<>\\ \t\r\n,;)".contains(c));
        let end = end.map_or(rest.len(), |end| start + end);
        out.push_str(&rest[..at]);
        // A reference may stand for host and port, or for the rest: its value is replaced
        // elsewhere.
        if end > start && !rest[start..end].contains('$') {
            out.extend(["http://", HOST, ":", &port.to_string()]);
        } else if end > start {
            out.push_str("http://");
            out.push_str(&rest[start..end]);
        } else {
            out.push_str(&rest[at..end]);
        }
        rest = &rest[end..];
    }
    out + rest
}

fn next_scheme(text: &str) -> Option<usize> {
    ["http://", "https://"].iter().filter_map(|scheme| text.find(scheme)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_in_texts() {
        let cases = [
            ("https://example.com:8443/a?b", "http://127.0.0.1:7/a?b"),
            ("see http://a and https://b.c, too", "see http://127.0.0.1:7 and http://127.0.0.1:7, too"),
            ("{\"u\":\"https://x.y/\"}", "{\"u\":\"http://127.0.0.1:7/\"}"),
            ("https://${host}/a", "http://${host}/a"),
            ("http://", "http://"),
            ("no url", "no url"),
        ];
        for (text, expected) in cases {
            assert_eq!(redirected(text, 7), expected);
        }
    }

    #[test]
    fn hosts_of_elements() {
        let element = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "S")
            .with_text("HTTPSampler.domain", "${host}")
            .with_text("HTTPSampler.protocol", "https")
            .with_text("HTTPSampler.path", "https://a/b");
        let mut element = element;
        redirect(&mut element, 7);
        let texts = ["domain", "port", "protocol", "path"]
            .map(|n| element.text_or_empty(&format!("HTTPSampler.{n}")));
        assert_eq!(texts, ["127.0.0.1", "7", "http", "http://127.0.0.1:7/b"]);
    }

    #[test]
    fn values_that_are_hosts() {
        let cases = [
            ("api.shop.com", HOST),
            ("10.1.2.3", HOST),
            ("users.csv", "users.csv"),
            ("1.5", "1.5"),
            ("", ""),
        ];
        for (text, expected) in cases {
            let mut value = text.to_owned();
            redirect_value(&mut value);
            assert_eq!(value, expected);
        }
    }

    #[test]
    fn tcp_samplers_get_the_port_of_their_end() {
        let recorder = Recorder::start().unwrap();
        let port = |texts: &[(&str, &str)], default: Option<&str>| {
            let element = Element::new("TCPSampler", "TCPSamplerGui", "S");
            let mut element = texts
                .iter()
                .fold(element, |e, (name, value)| e.with_text(&format!("TCPSampler.{name}"), value));
            redirect_raw(&mut element, &recorder, default).unwrap();
            element.text_or_empty("TCPSampler.port").to_owned()
        };
        let line = recorder.raw(End::Byte(10)).unwrap().to_string();
        let close = recorder.raw(End::Close).unwrap().to_string();
        assert_eq!(port(&[("server", "a"), ("EolByte", "10")], None), line);
        assert_eq!(port(&[("port", "${p}")], Some("10")), line);
        assert_eq!(port(&[("server", "a"), ("EolByte", "1000")], None), close);
        assert_eq!(port(&[("server", "a")], None), close);
        assert_eq!(port(&[("server", "")], None), "");
        assert_ne!(port(&[("server", "a"), ("classname", "LengthPrefixedBinaryTCPClientImpl")], None), close);
    }

    #[test]
    fn a_sampler_that_leaves_its_host_to_the_defaults_is_left_so() {
        let mut element =
            Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "S").with_text("HTTPSampler.port", "");
        redirect(&mut element, 7);
        assert_eq!(element.text("HTTPSampler.domain"), None);
        assert_eq!(element.text("HTTPSampler.port"), Some(""));
    }
}
