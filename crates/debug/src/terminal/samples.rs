//! Requests and responses of a sample.

use swell_report::{Role as Colour, plain_lines};
use swell_trace::{Content, Exchange, Sample};

use super::page::Page;

/// Lines of a body that are shown of a failed step.
const BODY_LINES: usize = 20;

/// Request and response of a sample, and of its parts.
pub(super) fn of_sample(page: &mut Page, sample: &Sample, indent: usize) {
    for exchange in &sample.exchanges {
        of_exchange(page, exchange, indent);
    }
    if let Some(sent) = sample.sent.as_deref().filter(|_| sample.exchanges.is_empty()) {
        lines(page, indent, "> ", sent);
    }
    let answered = sample.exchanges.iter().any(|exchange| exchange.response.is_some());
    if !answered && !sample.success {
        page.coloured(indent, Colour::Bad, &format!("{}: {}", sample.code, sample.message));
    }
    if sample.children.is_empty() {
        body(page, indent, "", &sample.body, &sample.content_type);
    }
    for child in &sample.children {
        page.line(indent, &format!("- {}  {} {:.1} ms", child.label, child.code, child.timing.elapsed_ms));
        of_sample(page, child, indent + 2);
    }
}

fn of_exchange(page: &mut Page, exchange: &Exchange, indent: usize) {
    if let Some(connection) = &exchange.connection {
        let how = if connection.reused { "open connection" } else { "new connection" };
        let tls = connection.tls.as_ref().map(|version| format!(", {version}")).unwrap_or_default();
        let proxy = connection.proxy.as_ref().map(|proxy| format!(", proxy {proxy}")).unwrap_or_default();
        page.line(indent, &format!("* {how} {} to {}{tls}{proxy}", connection.number, connection.address));
    }
    if let Some(request) = &exchange.request {
        lines(page, indent, "> ", request.head.text().unwrap_or("(bytes that are not text)").trim_end());
        body(page, indent, "> ", &request.body, "");
    }
    if let Some(response) = &exchange.response {
        lines(page, indent, "< ", response.head.text().unwrap_or("(bytes that are not text)").trim_end());
    }
    if let Some(error) = &exchange.error {
        page.coloured(indent, Colour::Bad, &format!("* {error}"));
    }
    for cookie in exchange.cookies.refused.iter().chain(&exchange.cookies.not_sent) {
        page.line(indent, &format!("* cookie {}: {}", cookie.name, cookie.reason));
    }
}

fn lines(page: &mut Page, indent: usize, sign: &str, text: &str) {
    let text = plain_lines(text);
    let mut all = text.lines();
    for line in all.by_ref().take(BODY_LINES) {
        page.line(indent, &format!("{sign}{line}"));
    }
    let left = all.count();
    if left > 0 {
        page.line(indent, &format!("{sign}({left} more lines)"));
    }
}

fn body(page: &mut Page, indent: usize, sign: &str, content: &Content, content_type: &str) {
    if content.is_empty() {
        return;
    }
    if let Some(text) = content.text() {
        lines(page, indent, sign, text);
    } else {
        let of = if content_type.is_empty() { String::new() } else { format!(" of {content_type}") };
        page.line(indent, &format!("{sign}({} bytes{of} that are not text)", content.size));
    }
    if content.is_cut() {
        let kept = content.bytes.len();
        page.line(indent, &format!("{sign}(cut: the first {kept} of {} bytes)", content.size));
    }
}
