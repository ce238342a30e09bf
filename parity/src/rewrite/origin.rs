//! Every host becomes the recorder.

use swell_plan::Element;

use super::texts;

/// Where requests go.
const HOST: &str = "127.0.0.1";

/// Points an element at the recorder: hosts, ports and protocols of HTTP elements, and URLs in all texts.
pub(super) fn redirect(element: &mut Element, port: u16) {
    let is_http = element.class == "HTTPSamplerProxy" || element.gui_class == "HttpDefaultsGui";
    let has = |element: &Element, name: &str| !element.text_or_empty(name).is_empty();
    if is_http {
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

/// A text with the origins of its URLs replaced.
fn redirected(text: &str, port: u16) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = next_scheme(rest) {
        let start = at + rest[at..].find("://").expect("a scheme ends so") + 3;
        let end = rest[start..].find(|c: char| "/?#\"'<>\\ \t\r\n,;)".contains(c));
        let end = end.map_or(rest.len(), |end| start + end);
        out.push_str(&rest[..at]);
        // A reference may stand for host and port, or for all that follows: its value is a text that is redirected itself.
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
    fn a_sampler_that_leaves_its_host_to_the_defaults_is_left_so() {
        let mut element =
            Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "S").with_text("HTTPSampler.port", "");
        redirect(&mut element, 7);
        assert_eq!(element.text("HTTPSampler.domain"), None);
        assert_eq!(element.text("HTTPSampler.port"), Some(""));
    }
}
