//! What a user recorded, as events.

use super::{RecentExchange, RecentStep, RecentSteps, RecentTimes, Span};
use crate::content::Content;
use crate::exchange::{Exchange, Request, Response};
use crate::step::{ElementRef, Outcome, Sample, Step, Timing};

impl RecentSteps {
    /// The steps of the iteration, the last one last, without user and numbers; and how many were
    /// forgotten before them.
    pub fn steps(&self) -> (Vec<Step>, usize) {
        let mut exchanges: Vec<Vec<Exchange>> = self.steps[..self.used].iter().map(|_| Vec::new()).collect();
        for (place, exchange) in self.exchanges.iter().enumerate() {
            // What no step has ended yet belongs to none.
            if let Some(own) = exchanges.get_mut(self.step_of(place) as usize) {
                own.push(self.exchange_of(exchange));
            }
        }
        let steps = self.steps.iter().zip(exchanges);
        (steps.map(|(step, exchanges)| self.event_of(step, exchanges)).collect(), self.left_out)
    }

    fn part(&self, span: Span) -> &[u8] {
        &self.bytes[span.from as usize..span.to as usize]
    }

    fn event_of(&self, step: &RecentStep, exchanges: Vec<Exchange>) -> Step {
        let label = step.label.to_string();
        let sample = Sample {
            label: label.clone(),
            code: step.code.to_string(),
            message: step.message.to_string(),
            success: step.success,
            url: exchanges.first().map(|exchange| exchange.url.clone()),
            timing: step.times.timing(),
            received_bytes: step.received_bytes,
            sent_bytes: step.sent_bytes,
            body: Content { bytes: self.part(step.body).to_vec(), size: step.body_size },
            exchanges,
            ..Sample::default()
        };
        let outcome = if step.success { Outcome::Passed } else { Outcome::Failed };
        let element = ElementRef { name: label.clone(), ..ElementRef::default() };
        Step { iteration: self.iteration, element, label, outcome, sample: Some(sample), ..Step::default() }
    }

    fn exchange_of(&self, exchange: &RecentExchange) -> Exchange {
        let sent = self.part(exchange.sent);
        let end = sent.windows(4).position(|four| four == b"\r\n\r\n").map_or(sent.len(), |at| at + 4);
        let (head, body) = sent.split_at(end);
        let body_size = u64::from(exchange.sent_size) - head.len() as u64;
        let first_line = String::from_utf8_lossy(head).lines().next().unwrap_or_default().to_owned();
        let mut words = first_line.split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let url = url_of(words.next().unwrap_or_default(), head, exchange.is_secure);
        let response = self.part(exchange.head);
        Exchange {
            method,
            url,
            sample_start_ns: exchange.start_ns,
            request: Some(Request {
                size: u64::from(exchange.sent_size),
                head: Content::new(head, head.len()),
                body: Content { bytes: body[..body.len().min(self.body_bytes)].to_vec(), size: body_size },
            }),
            response: (!response.is_empty()).then(|| Response {
                size: response.len() as u64,
                status: status_of(response),
                head: Content::new(response, response.len()),
                encoding: String::new(),
            }),
            ..Exchange::default()
        }
    }
}

impl RecentTimes {
    /// The same as milliseconds from the start.
    pub fn timing(&self) -> Timing {
        let ms = |ns: i64| (ns as f64 / 1_000.0).round() / 1_000.0;
        let since = |at_ns: i64| (at_ns != 0).then(|| ms(at_ns - self.start_ns));
        Timing {
            start_ms: ms(self.start_ns),
            queue_ms: if self.due_ns == 0 { 0.0 } else { ms((self.start_ns - self.due_ns).max(0)) },
            connect_ms: since(self.connected_ns),
            tls_ms: (self.handshake_ns != 0).then(|| ms(self.handshake_ns)),
            first_byte_ms: since(self.first_byte_ns),
            elapsed_ms: ms(self.elapsed_ns),
        }
    }
}

/// The URL of a request line: through a proxy it has a whole one, else a path.
fn url_of(target: &str, head: &[u8], is_secure: bool) -> String {
    if !target.starts_with('/') {
        return target.to_owned();
    }
    let head = String::from_utf8_lossy(head);
    let named = head.lines().filter_map(|line| line.split_once(':'));
    let mut hosts = named.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = hosts.next().map(|(_, value)| value.trim().to_owned()).unwrap_or_default();
    format!("{}://{host}{target}", if is_secure { "https" } else { "http" })
}

fn status_of(head: &[u8]) -> u16 {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    line.split(' ').nth(1).and_then(|code| code.trim().parse().ok()).unwrap_or(0)
}
