//! Failures that agents of a run on many machines kept: packed for messages, and kept by the
//! controller with the name of the agent.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{FailureLink, KeptFailures, State, packed};
use crate::json_lines::json_line;
use swell_trace::{Event, Line, LogLine};

/// Bytes of a packed failure that are sent, at most: brokers take messages up to 1 MiB.
const SENT_BYTES: usize = 512 << 10;
/// Bytes of a failure that are unpacked, at most.
const UNPACKED_BYTES: u64 = 32 << 20;

/// Failures that are too large to be sent and that are shown one by one; all are counted.
const SHOWN_TOO_LARGE: usize = 20;
/// Characters of a label in such a line.
const LABEL: usize = 200;

/// What is sent of a failure.
enum Sent {
    Failure(SentFailure),
    /// A failure that is too large to be sent.
    TooLarge(LeftOut),
}

/// What is known of a failure that is not sent.
#[derive(Deserialize, Serialize)]
struct LeftOut {
    label: String,
    code: String,
}

/// A failure as its events.
struct SentFailure {
    events: Vec<Value>,
    label: String,
    code: String,
    /// All steps of the iteration are there.
    is_whole: bool,
}

impl KeptFailures {
    /// The failures from that number on, packed for a message each. If one is too large for
    /// that, only the step that failed is left, or its label and code if that is too large, too.
    pub fn packed_from(&self, number: usize) -> Vec<Vec<u8>> {
        let state = self.state.lock();
        let begins = state.begins.get(number..).unwrap_or_default();
        let ends = begins.iter().skip(1).copied().chain([state.lines.len()]);
        let failures = begins.iter().zip(ends).map(|(begin, end)| &state.lines[*begin..end]);
        let links = state.links.get(number..).unwrap_or_default();
        let packed = failures.zip(links).map(|(lines, link)| small_enough(lines).or_else(|| left_out(link)));
        packed.map(Option::unwrap_or_default).collect()
    }

    /// How many failures of agents were too large to be sent, so that they are not kept.
    pub fn too_large(&self) -> usize {
        self.state.lock().too_large
    }

    /// Keeps a failure that an agent of that name kept, if one of its cause is wanted.
    ///
    /// # Errors
    /// It is not the packed events of a failure.
    pub fn keep_of_agent(&self, agent: &str, packed: &[u8]) -> Result<(), String> {
        let sent = match read(packed)? {
            Sent::Failure(sent) => sent,
            Sent::TooLarge(what) => {
                self.state.lock().say_too_large(agent, &what);
                return Ok(());
            }
        };
        let SentFailure { events, label, code, is_whole } = sent;
        let mut state = self.state.lock();
        if state.is_full || !state.admit((label.clone(), code.clone()), is_whole, self.most) {
            return Ok(());
        }
        state.begin_failure();
        for event in events {
            state.write_of_agent(agent, event);
        }
        let step = state.next_step;
        state.links.push(FailureLink { label, code, step });
        self.close_if_full(&mut state);
        Ok(())
    }
}

impl State {
    /// Counts a failure that is not here, and says so where the others are listed.
    fn say_too_large(&mut self, agent: &str, what: &LeftOut) {
        self.too_large += 1;
        if self.too_large > SHOWN_TOO_LARGE {
            return;
        }
        self.write_start();
        let LeftOut { label, code } = what;
        let text = format!(
            "A failure of `{label}` ({code}) on agent {agent} is too large to be sent, so it is not here."
        );
        self.write(&Event::Log(LogLine { level: "warn", text }));
    }

    fn write_of_agent(&mut self, agent: &str, mut event: Value) {
        event["seq"] = (self.lines.len() + 1).into();
        if let Some(user) = event["user"].as_str() {
            event["user"] = format!("{agent}: {user}").into();
        }
        if event["event"] == "step" {
            self.next_step += 1;
            event["number"] = self.next_step.into();
        }
        let line = format!("{event}\n");
        self.bytes += line.len();
        self.lines.push(line);
    }
}

fn small_enough(lines: &[String]) -> Option<Vec<u8>> {
    let fits = |lines: &[&str]| {
        let bytes = packed(lines.iter().copied()).ok()?;
        (bytes.len() <= SENT_BYTES).then_some(bytes)
    };
    let all: Vec<&str> = lines.iter().map(String::as_str).collect();
    fits(&all).or_else(|| {
        let text = "The steps before this failure are too large to be sent.".to_owned();
        let note = Event::Log(LogLine { level: "info", text });
        let note = json_line(&Line { seq: 0, at_ms: 0, event: &note }, false).ok()?;
        fits(&[all.first()?, &note, all.last()?])
    })
}

/// What is sent of a failure that is too large.
fn left_out(link: &FailureLink) -> Option<Vec<u8>> {
    let cut = |text: &str| text.chars().take(LABEL).collect();
    let what = LeftOut { label: cut(&link.label), code: cut(&link.code) };
    packed([serde_json::to_string(&what).ok()?.as_str()]).ok()
}

fn read(packed: &[u8]) -> Result<Sent, String> {
    let mut text = String::new();
    let mut unpacked = GzDecoder::new(packed).take(UNPACKED_BYTES);
    unpacked.read_to_string(&mut text).map_err(|error| error.to_string())?;
    if let Ok(what) = serde_json::from_str(&text) {
        return Ok(Sent::TooLarge(what));
    }
    let events: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    let events = events.map_err(|error| error.to_string())?;
    let is = |event: &Value, kind: &str| event["event"] == kind;
    let [first, others @ .., last] = &events[..] else { return Err("it has no step".to_owned()) };
    let is_step =
        |event: &Value| is(event, "step") && event["actions"].is_array() && event["element"].is_object();
    let has_steps = others.iter().all(|event| is_step(event) || is(event, "log"));
    if !(is(first, "iteration") && has_steps && is_step(last) && last["outcome"] == "failed") {
        return Err("its events are not those of a failure".to_owned());
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let label = text(&last["label"]);
    let code = text(&last["sample"]["code"]);
    // A note says what is missing.
    let is_whole = !others.iter().any(|event| is(event, "log"));
    Ok(Sent::Failure(SentFailure { events, label, code, is_whole }))
}

#[cfg(test)]
mod tests {
    use super::super::links_of;
    use super::super::tests::{failure, step};
    use super::*;
    use crate::kept_failures::Failure;

    #[test]
    fn failures_of_agents_are_kept_with_their_names_and_bounded_together() {
        let agents = [KeptFailures::new(2, false), KeptFailures::new(2, false)];
        for agent in &agents {
            agent.keep(failure("500", true));
            agent.keep(failure("500", true));
            agent.keep(failure("404", true));
        }
        let all = KeptFailures::new(3, false);
        for (agent, name) in agents.iter().zip(["east", "west"]) {
            let sent = agent.packed_from(0);
            assert_eq!((sent.len(), agent.packed_from(2).len(), agent.packed_from(9).len()), (3, 1, 0));
            for packed in sent {
                all.keep_of_agent(name, &packed).unwrap_or_else(|why| panic!("{why}"));
            }
        }
        let links = all.links();
        let codes: Vec<_> = links.iter().map(|link| (link.code.as_str(), link.step)).collect();
        assert_eq!(codes, [("500", 2), ("500", 4), ("404", 6), ("500", 8), ("404", 10)]);
        let lines = all.lines_from(0);
        assert_eq!(links_of(&lines.concat()), links);
        let events: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(events[0]["event"], "start");
        let users: Vec<_> = events.iter().filter_map(|event| event["user"].as_str()).collect();
        assert_eq!((users.first(), users.last()), (Some(&"east: u 1-1"), Some(&"west: u 1-1")));
        let numbers: Vec<_> = (1..).zip(&events).filter(|(number, event)| event["seq"] != *number).collect();
        assert!(numbers.is_empty(), "{numbers:?}");
    }

    #[test]
    fn what_is_no_failure_is_refused() {
        let all = KeptFailures::new(1, false);
        let pack = |text: &str| packed([text]).expect("packed");
        let iteration = "{\"event\":\"iteration\"}\n";
        for bytes in [b"no gzip".to_vec(), pack(""), pack("{"), pack(iteration), pack(&iteration.repeat(2))] {
            assert!(all.keep_of_agent("a", &bytes).is_err());
        }
        assert!(all.is_empty());
    }

    #[test]
    fn a_failure_that_is_too_large_for_a_message_is_sent_without_the_steps_before_it() {
        let agent = KeptFailures::new(1, true);
        // Text that packs badly.
        let noise = |seed: u64| -> String {
            let mut state = seed;
            (0..SENT_BYTES)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    char::from(b'!' + (state >> 58) as u8)
                })
                .collect()
        };
        let mut large = failure("500", true);
        let first = large.steps[0].sample.as_mut().expect("a sample");
        first.response_headers = noise(1) + &noise(2);
        agent.keep(large);
        let mut larger = Failure { steps: vec![step("order", "404", false)], ..failure("404", true) };
        larger.steps[0].sample.as_mut().expect("a sample").response_headers = noise(3) + &noise(4);
        agent.keep(larger);
        let sent = agent.packed_from(0);
        assert_eq!(sent.len(), 2);
        let all = KeptFailures::new(1, false);
        all.keep_of_agent("a", &sent[0]).unwrap_or_else(|why| panic!("{why}"));
        let lines = all.lines_from(0).concat();
        assert!(lines.contains("too large to be sent") && !lines.contains("login"), "{lines}");
        assert_eq!((all.links().len(), all.too_large()), (1, 0));
        // Only the cause of the other one is known, which the list of failures says.
        all.keep_of_agent("east", &sent[1]).unwrap_or_else(|why| panic!("{why}"));
        let lines = all.lines_from(0).concat();
        assert!(
            lines.contains("A failure of `order` (404) on agent east is too large to be sent"),
            "{lines}"
        );
        assert_eq!((all.links().len(), all.too_large()), (1, 1));
        assert_eq!(links_of(&lines), all.links());
        // It may come first; and most are counted only.
        let first = KeptFailures::new(1, false);
        for _ in 0..2 * SHOWN_TOO_LARGE {
            first.keep_of_agent("east", &sent[1]).unwrap_or_else(|why| panic!("{why}"));
        }
        assert!(first.lines_from(0)[0].contains(r#""event":"start""#));
        assert_eq!((first.len(), first.too_large()), (1 + SHOWN_TOO_LARGE, 2 * SHOWN_TOO_LARGE));
    }
}
