//! `swell hit --debug`: exchanges as they went over the wire, for people.

use std::fmt::Write;
use std::sync::Arc;

use swell_debug::{Collector, CollectorSettings, Output};
use swell_report::plain_lines;
use swell_trace::{Content, Event, Exchange, Line, Sample, TraceSink};

use crate::print;

/// Characters of a body that are shown.
const MOST: usize = 10_000;

/// What shows the exchanges of a run.
pub(super) fn sink() -> Arc<dyn TraceSink> {
    let settings = CollectorSettings { keeps_timers: true, ..CollectorSettings::default() };
    Arc::new(Collector::new(settings, vec![Box::new(Exchanges)]))
}

struct Exchanges;

impl Output for Exchanges {
    fn line(&mut self, line: &Line<'_>) {
        let Event::Step(step) = line.event else { return };
        let Some(sample) = &step.sample else { return };
        if let Err(failure) = print::print_stdout(&all(sample)) {
            print::print_stderr(&failure.to_string());
        }
    }
}

/// Redirects on the way, and where they led.
fn all(sample: &Sample) -> String {
    let steps = if sample.children.is_empty() { std::slice::from_ref(sample) } else { &sample.children[..] };
    steps.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn one(sample: &Sample) -> String {
    let mut out = String::new();
    let mut put = |sign: &str, text: &str| {
        for line in plain_lines(&text.replace('\r', "")).lines() {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{sign}{line}");
        }
    };
    put("* ", sample.url.as_deref().unwrap_or_default());
    for exchange in &sample.exchanges {
        of_exchange(exchange, &mut put);
    }
    if sample.response_headers.is_empty() {
        put("* ", &format!("{}: {}", sample.code, sample.message));
    } else {
        put("", &body(&sample.body));
    }
    let connect = sample.timing.connect_ms;
    let connect = connect.map(|ms| format!(", {ms:.2} ms of it to connect")).unwrap_or_default();
    put("* ", &format!("{} bytes in {:.2} ms{connect}", sample.received_bytes, sample.timing.elapsed_ms));
    out
}

fn of_exchange(exchange: &Exchange, put: &mut impl FnMut(&str, &str)) {
    if let Some(request) = &exchange.request {
        put("> ", head(&request.head));
        if !request.body.is_empty() {
            put("> ", &format!("\n{}", body(&request.body)));
        }
    }
    if let Some(response) = &exchange.response {
        put("< ", head(&response.head));
    }
}

fn head(content: &Content) -> &str {
    content.text().unwrap_or("(bytes that are not text)").trim_end()
}

fn body(content: &Content) -> String {
    match content.text() {
        Some(text) => cut(text, content.size),
        None => format!("({} bytes that are not text)", content.size),
    }
}

fn cut(text: &str, size: u64) -> String {
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n({} more bytes)", &text[..at], size - at as u64),
    }
}
