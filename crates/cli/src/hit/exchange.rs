//! `swell hit --debug`: one exchange as it went over the wire, for people.

use std::fmt::Write;
use std::rc::Rc;

use swell_api::{ElementKind, Listener, Make, Needs, Role, SampleEvent, SampleResult};
use swell_plan::Element;
use swell_report::plain_lines;

use crate::print;

/// The class of the element, which no plan of others has.
const CLASS: &str = "SwellExchange";

/// Characters of a body that are shown.
const MOST: usize = 10_000;

/// The listener in a plan.
pub(super) fn element() -> Element {
    Element::new(CLASS, "", "exchange")
}

/// Its kind.
pub(super) fn kind() -> ElementKind {
    let make = Make::listener(|_, _| Some(Rc::new(Exchange) as Rc<dyn Listener>));
    ElementKind::native(Role::Listener, CLASS, "exchange", make)
}

struct Exchange;

impl Listener for Exchange {
    fn needs(&self) -> Needs {
        Needs::ALL
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        if let Err(failure) = print::print_stdout(&all(event.sample)) {
            print::print_stderr(&failure.to_string());
        }
    }
}

/// Redirects on the way, and where they led.
fn all(sample: &SampleResult) -> String {
    let steps =
        if sample.sub_results.is_empty() { std::slice::from_ref(sample) } else { &sample.sub_results[..] };
    steps.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn one(sample: &SampleResult) -> String {
    let mut out = String::new();
    let mut put = |sign: &str, text: &str| {
        for line in plain_lines(text).lines() {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{sign}{line}");
        }
    };
    let url = sample.url.as_deref().unwrap_or_default();
    put("* ", url);
    if let Some(http) = sample.http.as_deref().filter(|_| sample.sent_bytes > 0) {
        put("> ", &format!("{} {} HTTP/1.1", http.method, request_target(url)));
        put("> ", &sample.request_headers);
        if !http.query.is_empty() {
            put("> ", &format!("\n{}", cut(&http.query)));
        }
    }
    put("< ", &sample.response_headers);
    if sample.response_headers.is_empty() {
        put("* ", &format!("{}: {}", sample.code, sample.message));
    }
    put("", &body(sample));
    let ms = |ns: i64| ns as f64 / 1e6;
    let all = sample.timing.elapsed_ns();
    let connect = sample.timing.connected_ns - sample.timing.start_ns;
    let connect = if sample.timing.connected_ns > 0 {
        format!(", {:.2} ms of it to connect", ms(connect))
    } else {
        String::new()
    };
    put("* ", &format!("{} bytes in {:.2} ms{connect}", sample.bytes, ms(all)));
    out
}

fn request_target(url: &str) -> String {
    let parsed = url::Url::parse(url).ok();
    let query = |url: &url::Url| url.query().map(|query| format!("?{query}")).unwrap_or_default();
    parsed.map_or_else(|| url.to_owned(), |url| format!("{}{}", url.path(), query(&url)))
}

fn body(sample: &SampleResult) -> String {
    if sample.response_headers.is_empty() {
        return String::new();
    }
    if std::str::from_utf8(&sample.body).is_err() && sample.body.contains(&0) {
        return format!("({} bytes that are no text)", sample.body.len());
    }
    cut(&sample.body_text())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n({} more bytes)", &text[..at], text.len() - at),
    }
}
