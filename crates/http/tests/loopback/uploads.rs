//! Multipart forms and files, byte for byte as JMeter 5.6.3 sent them to a recorder.

use std::path::Path;

use swell_api::{Needs, SampleResult};

use crate::site::{Answer, Site, Then, Visitor, answer, ok, on_loop, redirect, shown};
use swell_plan::Element;

fn field(name: &str, value: &str, kind: Option<&str>) -> Element {
    let field = Element::new("HTTPArgument", "", name)
        .with_text("Argument.name", name)
        .with_text("Argument.value", value)
        .with_text("Argument.metadata", "=");
    match kind {
        Some(kind) => field.with_text("HTTPArgument.content_type", kind),
        None => field,
    }
}

fn file(path: &Path, name: &str, mime: &str) -> Element {
    Element::new("HTTPFileArg", "", "")
        .with_text("File.path", &path.display().to_string())
        .with_text("File.paramname", name)
        .with_text("File.mimetype", mime)
}

/// A POST of fields and files.
fn post(element: Element, fields: Vec<Element>, files: Vec<Element>) -> Element {
    let arguments = Element::new("Arguments", "", "").with_elements("Arguments.arguments", fields);
    let files = Element::new("HTTPFileArgs", "", "").with_elements("HTTPFileArgs.files", files);
    element
        .with_text("HTTPSampler.method", "POST")
        .with_element("HTTPsampler.Arguments", arguments)
        .with_element("HTTPsampler.Files", files)
}

/// Samples on a site that says `ok`: what was sent, and the sample.
async fn sent(edit: impl FnOnce(Element) -> Element) -> (String, SampleResult) {
    let site = Site::start(|_, _| ok("ok"));
    let sample = Visitor::new(&site).get_with("/x", edit).await.expect("a sample");
    let port = site.port.to_string();
    (site.last().replace(&port, "PORT"), sample)
}

/// The request with `B` for its boundary, once its boundary and its length are checked.
fn unbound(request: &str) -> String {
    let start = request.find("boundary=").expect("a form of parts") + "boundary=".len();
    let boundary = request[start..].split(';').next().expect("it continues");
    assert!((30..=40).contains(&boundary.len()), "{boundary}");
    assert!(boundary.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "{boundary}");
    let (head, body) = request.split_once("\r\n\r\n").expect("a head");
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
    let length = format!("Content-Length: {}\r\n", body.len());
    request.replace(&length, "Content-Length: N\r\n").replace(boundary, "B")
}

const HEAD: &str = "POST /x HTTP/1.1\r\nConnection: keep-alive\r\nContent-Length: N\r\n\
    Content-Type: multipart/form-data; boundary=B; charset=UTF-8\r\nHost: 127.0.0.1:PORT\r\n\
    User-Agent: Apache-HttpClient/4.5.14 (Java/17.0.15)\r\n\r\n";

#[test]
fn a_form_of_parts() {
    on_loop(async {
        let dir = tempfile::tempdir().expect("a folder");
        let odd = dir.path().join("b \u{e9}\"q\\n.bin");
        std::fs::write(&odd, "line1\nline2\n").expect("it is ours");
        let fields = vec![
            field("a", "1 +\u{e9}\u{20ac}", None),
            field("b \u{e9}\"<\\x", "v", None),
            field("ct", "{}", Some("application/JSON")),
            field("ct2", "\u{e9}", Some("text/plain; a=b")),
            field("", "skipped", None),
        ];
        let files = vec![file(&odd, "f\"", "text/plain;charset=\"utf-8\"")];
        let multipart = |e: Element| post(e, fields, files).with_flag("HTTPSampler.DO_MULTIPART_POST", true);
        let (request, sample) = sent(multipart).await;
        let wanted = [
            HEAD,
            "--B\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain; charset=UTF-8\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n1 +\u{e9}\u{20ac}\r\n",
            "--B\r\nContent-Disposition: form-data; name=\"b \u{e9}\\\"<\\\\x\"\r\n\
             Content-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nv\r\n",
            "--B\r\nContent-Disposition: form-data; name=\"ct\"\r\n\
             Content-Type: application/json; charset=UTF-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{}\r\n",
            "--B\r\nContent-Disposition: form-data; name=\"ct2\"\r\nContent-Type: text/plain; a=b\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n?\r\n",
            "--B\r\nContent-Disposition: form-data; name=\"f\\\"\"; filename=\"b \u{e9}%22q\\\\n.bin\"\r\n\
             Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: binary\r\n\r\nline1\nline2\n\r\n",
            "--B--\r\n",
        ];
        assert_eq!(unbound(&request), wanted.concat());
        assert_eq!(sample.sent_bytes, request.len() as u64 - "PORT".len() as u64 + port_len(&sample));
        let shown = &sample.http.expect("details").query;
        assert!(shown.contains("binary\r\n\r\n<actual file content, not shown here>\r\n--"), "{shown}");
        let sent = sample.sampler_data.as_deref().unwrap_or_default();
        assert!(sent.contains("name=\"ct2\""), "{sent}");
    });
}

fn port_len(sample: &SampleResult) -> u64 {
    let url = sample.url.as_deref().expect("a URL");
    url.trim_start_matches("http://127.0.0.1:").split('/').next().expect("a port").len() as u64
}

#[test]
fn a_form_as_browsers_send_it() {
    on_loop(async {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a\u{20ac}.txt");
        std::fs::write(&path, "x").expect("it is ours");
        let fields = vec![field("a", "1", None)];
        let files = vec![file(&path, "f", "text/csv")];
        let browser = |e: Element| {
            post(e, fields, files)
                .with_flag("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", true)
                .with_text("HTTPSampler.contentEncoding", "iso-8859-1")
        };
        let (request, _) = sent(browser).await;
        let wanted = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n\
            --B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a&#8364.txt\"\r\n\
            Content-Type: text/csv\r\n\r\nx\r\n--B--\r\n";
        assert_eq!(unbound(&request), HEAD.replace("UTF-8", "ISO-8859-1") + wanted);
    });
}

#[test]
fn a_file_as_the_body() {
    let line = |request: &str, name: &str| {
        let line = request.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        line.unwrap_or_else(|| "none".to_owned())
    };
    on_loop(async {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.txt");
        std::fs::write(&path, "line1\nline2\n").expect("it is ours");
        for (mime, method) in [("text/csv", "POST"), ("", "PUT"), ("text/csv", "GET")] {
            let files = vec![file(&path, "", mime)];
            let edit = |e: Element| post(e, vec![], files).with_text("HTTPSampler.method", method);
            let (request, sample) = sent(edit).await;
            assert!(request.starts_with(&format!("{method} /x HTTP/1.1\r\n")), "{request}");
            assert!(request.ends_with("\r\n\r\nline1\nline2\n"), "{request}");
            assert_eq!(line(&request, "Content-Length: "), "12");
            assert_eq!(line(&request, "Content-Type: "), if mime.is_empty() { "none" } else { mime });
            assert_eq!(sample.http.expect("details").query, "<actual file content, not shown here>");
        }
    });
}

#[test]
fn a_file_beside_parameters_of_a_body_gives_only_its_type() {
    on_loop(async {
        let files = vec![file(Path::new("/none"), "", "text/csv")];
        let (request, _) = sent(|e| post(e, vec![field("", "b", None), field("", "c", None)], files)).await;
        assert!(
            request.contains("keep-alive\r\nContent-Type: text/csv\r\nContent-Length: 2\r\n"),
            "{request}"
        );
        assert!(request.ends_with("\r\n\r\nbc"), "{request}");
    });
}

#[test]
fn a_file_that_changes_is_sent_as_it_is_then() {
    on_loop(async {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.txt");
        let site = Site::start(|_, _| ok(""));
        let mut visitor = Visitor::new(&site);
        let sampler = visitor.sampler("/x", |e| post(e, vec![], vec![file(&path, "", "")]));
        for content in ["one", "three"] {
            std::fs::write(&path, content).expect("it is ours");
            sampler.sample(&mut visitor.user).await.expect("a sample");
            assert!(site.last().ends_with(&format!("\r\n\r\n{content}")), "{}", site.last());
        }
    });
}

#[test]
fn what_cannot_be_sent_is_an_error_sample() {
    on_loop(async {
        let none = Path::new("/nowhere/none");
        let missing = "/nowhere/none (No such file or directory)";
        let table = [
            ("", "", "java.io.FileNotFoundException", missing),
            ("f", "a/b", "java.io.FileNotFoundException", missing),
            ("f", "", "org.apache.http.ParseException", "Invalid content type: "),
        ];
        for (name, mime, class, message) in table {
            let (request, sample) = sent(|e| post(e, vec![], vec![file(none, name, mime)])).await;
            assert_eq!(shown(&sample), (class.to_owned(), message.to_owned()));
            assert_eq!((request.as_str(), sample.sent_bytes, sample.success), ("", 0, false));
            let query = sample.http.expect("details").query;
            assert_eq!(query.contains("not shown here"), message == missing, "{query}");
        }
        let two = vec![file(none, "", "a/b"), file(none, "f", "a/b")];
        let (_, sample) = sent(|e| post(e, vec![], two)).await;
        assert_eq!(shown(&sample), ("java.lang.IllegalStateException".into(), "Name is blank".into()));
    });
}

#[test]
fn a_large_file_arrives_whole_and_goes_along_with_a_redirect() {
    on_loop(async {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("large");
        let content: String = ('a'..='z').cycle().take(3 << 20).collect();
        std::fs::write(&path, &content).expect("it is ours");
        let site = Site::start(|target, _| -> Answer {
            if target == "/x" { redirect(307, "/y") } else { answer("HTTP/1.1 204 N\r\n\r\n", Then::Keep) }
        });
        let mut visitor = Visitor::with(&site, &[], vec![], Needs::ALL);
        let edit =
            |e| post(e, vec![], vec![file(&path, "", "a/b")]).with_flag("HTTPSampler.auto_redirects", true);
        let sample = visitor.get_with("/x", edit).await.expect("a sample");
        assert_eq!(&*sample.code, "204");
        for (_, request) in &*site.seen.borrow() {
            let (head, body) = request.split_once("\r\n\r\n").expect("a head");
            assert!(head.contains("\r\nContent-Type: a/b\r\nContent-Length: 3145728\r\n"), "{head}");
            assert!(body == content, "the body is the file");
        }
        assert_eq!(site.seen.borrow().len(), 2);
    });
}
