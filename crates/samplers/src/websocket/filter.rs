//! Frame filters: frames that a sampler does not see (`FrameFilter` and its three kinds).

use std::cell::Cell;

use swell_api::{CompileContext, SampleResult};
use swell_expr::{Context, Level, Template};
use swell_net::now_ns;
use swell_plan::{Element, Severity};
use swell_regex::{Dialect, Reach, Regex};
use swell_websocket::Opcode;

use super::binary;
use super::client::{Client, ReadMode};
use super::failure::Failure;
use super::frames::{Content, ReceivedFrame};
use crate::is_true;

/// Which frames a filter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterKind {
    Text,
    Binary,
    Ping,
}

/// A filter in the scope of a sampler.
pub(super) struct FrameFilter {
    kind: FilterKind,
    comparison: Template,
    value: Template,
    position: Template,
    ping_type: Template,
    replies: Template,
}

/// A filter with its values for one sample.
struct Rule {
    kind: FilterKind,
    /// `Not…`: without what it names.
    is_negated: bool,
    test: Test,
    replies: bool,
}

enum Test {
    Any,
    /// Nothing, since the value is invalid.
    Never,
    Pings,
    Pongs,
    Text(Comparison, String),
    Pattern(Box<Regex>),
    Bytes(Comparison, Vec<u8>),
    At(Vec<u8>, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equals,
    Contains,
    StartsWith,
    EndsWith,
}

impl FrameFilter {
    pub(super) fn new(kind: FilterKind, element: &Element, compile: &CompileContext) -> Self {
        let comparison = compile.template(element, "comparisonType", "IsPlain");
        if let Some(text) = comparison.constant()
            && kind != FilterKind::Ping
            && parts(text).is_none()
        {
            let message = format!("invalid comparison type `{text}`");
            let hint = "use IsPlain, Equals, Contains, StartsWith, EndsWith or one of them after Not";
            compile.note(Severity::Error, element, Some("comparisonType"), message, Some(hint));
        }
        Self {
            kind,
            comparison,
            value: compile.template(element, "matchValue", ""),
            position: compile.template(element, "matchPosition", ""),
            ping_type: compile.template(element, "filterType", "FilterAll"),
            replies: compile.template(element, "replyToPing", "false"),
        }
    }

    fn rule(&self, cx: &mut Context) -> Result<Rule, Failure> {
        let kind = self.kind;
        let replies = kind == FilterKind::Ping && is_true(&self.replies.eval(cx));
        if kind == FilterKind::Ping {
            let test = match &*self.ping_type.eval(cx) {
                "FilterPingOnly" => Test::Pings,
                "FilterPongOnly" => Test::Pongs,
                _ => Test::Any,
            };
            return Ok(Rule { kind, is_negated: false, test, replies });
        }
        let comparison = self.comparison.eval(cx).into_owned();
        let Some((is_negated, name, is_regex)) = parts(&comparison) else {
            let thrown = format!(
                "java.lang.IllegalArgumentException: No enum constant eu.luminis.jmeter.wssampler.ComparisonType.{comparison}"
            );
            return Err(Failure::Thrown(thrown));
        };
        let value = self.value.eval(cx).into_owned();
        let test = match (name, kind) {
            (None, _) => Test::Any,
            (Some(name), FilterKind::Text) if is_regex => {
                let reach = if name == Comparison::Equals { Reach::Whole } else { Reach::Anywhere };
                let regex = Regex::new(&value, Dialect::Java, reach).map_err(|error| {
                    Failure::Thrown(format!("java.util.regex.PatternSyntaxException: {}", error.message()))
                })?;
                Test::Pattern(Box::new(regex))
            }
            (Some(name), FilterKind::Text) => Test::Text(name, value),
            (Some(name), _) => self.bytes_test(name, &value, cx),
        };
        Ok(Rule { kind, is_negated, test, replies })
    }

    fn bytes_test(&self, name: Comparison, value: &str, cx: &mut Context) -> Test {
        let Ok(bytes) = binary::parse(value) else {
            let text =
                format!("a binary frame filter filters nothing: its match value `{value}` is not binary");
            cx.host.log(Level::Error, &text);
            return Test::Never;
        };
        match self.position.eval(cx).parse::<usize>() {
            Ok(position) if name == Comparison::Contains => Test::At(bytes, position),
            _ => Test::Bytes(name, bytes),
        }
    }
}

/// `Not…`, the comparison, `…Regex`; no comparison of `IsPlain`.
fn parts(text: &str) -> Option<(bool, Option<Comparison>, bool)> {
    if text == "IsPlain" {
        return Some((false, None, false));
    }
    let (is_negated, rest) = text.strip_prefix("Not").map_or((false, text), |rest| (true, rest));
    let (is_regex, name) = rest.strip_suffix("Regex").map_or((false, rest), |name| (true, name));
    let comparison = match name {
        "Equals" => Comparison::Equals,
        "Contains" => Comparison::Contains,
        "StartsWith" if !is_regex => Comparison::StartsWith,
        "EndsWith" if !is_regex => Comparison::EndsWith,
        _ => return None,
    };
    Some((is_negated, Some(comparison), is_regex))
}

impl Rule {
    /// Whether it discards a frame.
    fn discards(&self, frame: &ReceivedFrame) -> bool {
        match (self.kind, frame.content) {
            (FilterKind::Text, Content::Text) | (FilterKind::Binary, Content::Binary) => {
                self.fits(frame) != self.is_negated
            }
            (FilterKind::Ping, Content::Ping) => !matches!(self.test, Test::Pongs),
            (FilterKind::Ping, Content::Pong) => !matches!(self.test, Test::Pings),
            _ => false,
        }
    }

    fn fits(&self, frame: &ReceivedFrame) -> bool {
        let bytes = &frame.payload[..];
        match &self.test {
            Test::Any => true,
            Test::Never | Test::Pings | Test::Pongs => false,
            Test::Text(comparison, value) => {
                let text = frame.text();
                match comparison {
                    Comparison::Equals => text == *value,
                    Comparison::Contains => text.contains(&**value),
                    Comparison::StartsWith => text.starts_with(&**value),
                    Comparison::EndsWith => text.ends_with(&**value),
                }
            }
            // A pattern that takes too long fits nothing.
            Test::Pattern(regex) => regex.is_match(&frame.text()).unwrap_or(false),
            Test::Bytes(comparison, value) => match comparison {
                Comparison::Equals => bytes == &value[..],
                Comparison::Contains => binary::contains(bytes, value),
                Comparison::StartsWith => bytes.starts_with(value),
                Comparison::EndsWith => bytes.ends_with(value),
            },
            Test::At(value, position) => {
                !value.is_empty() && bytes.get(*position..).is_some_and(|rest| rest.starts_with(value))
            }
        }
    }
}

/// How sub-samples of discarded frames look.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilterSettings {
    /// They are called after their sample (`subresults.disable_renaming`).
    pub(super) renames: bool,
    /// `websocket.result.size_includes_filtered_frames`.
    pub(super) counts_sizes: bool,
}

/// The filters of a sample.
pub(super) struct Filters {
    rules: Vec<Rule>,
    names: Vec<String>,
    settings: FilterSettings,
    label: String,
    count: Cell<usize>,
}

impl Filters {
    /// `label`: the name of the sample.
    pub(super) fn new(
        filters: &[(FrameFilter, Template)],
        settings: FilterSettings,
        cx: &mut Context,
    ) -> Result<Self, Failure> {
        let rules = filters.iter().map(|(filter, _)| filter.rule(cx)).collect::<Result<_, _>>()?;
        let names = filters.iter().map(|(_, name)| name.eval(cx).into_owned()).collect();
        // Most samplers have no filter, and this is done for each sample.
        let label = if filters.is_empty() { String::new() } else { cx.sampler_name.to_string() };
        Ok(Self { rules, names, settings, label, count: Cell::new(0) })
    }

    /// Receives the next frame that no filter discards. The first filter is asked last, as each
    /// reads through the next.
    pub(super) async fn receive(
        &self,
        client: &mut Client,
        mode: ReadMode,
        sample: &mut SampleResult,
    ) -> Result<ReceivedFrame, Failure> {
        if self.rules.is_empty() {
            return client.receive(mode).await;
        }
        // Each filter has its own rest of the time, which starts again for each frame of the filter
        // before it.
        let mut left_ms = vec![mode.timeout_ms; self.rules.len()];
        'frame: loop {
            let asked_ns = now_ns();
            let innermost_ms = left_ms[left_ms.len() - 1];
            let frame = client.receive(ReadMode { timeout_ms: innermost_ms, ..mode }).await?;
            let spent_ms = (now_ns() - asked_ns) / 1_000_000;
            for at in (0..self.rules.len()).rev() {
                let is_discarded = self.rules[at].discards(&frame);
                if is_discarded {
                    self.discard(at, client, &frame, asked_ns, sample).await?;
                }
                if spent_ms >= left_ms[at] {
                    return Err(Failure::Silence);
                }
                left_ms[at] -= spent_ms;
                if is_discarded {
                    let rest = left_ms[at];
                    left_ms[at + 1..].fill(rest);
                    continue 'frame;
                }
            }
            return Ok(frame);
        }
    }

    /// Adds the sub-sample of a discarded frame.
    async fn discard(
        &self,
        at: usize,
        client: &mut Client,
        frame: &ReceivedFrame,
        asked_ns: i64,
        sample: &mut SampleResult,
    ) -> Result<(), Failure> {
        let mut sub = SampleResult { success: true, ..SampleResult::default() };
        sub.timing.start_ns = asked_ns;
        sub.timing.first_byte_ns = frame.times.first_ns.max(asked_ns);
        sub.timing.end_ns = frame.times.at_ns.max(asked_ns);
        if self.rules[at].replies && frame.content == Content::Ping {
            sub.sent_bytes = client.send(Opcode::Pong, &frame.payload).await?;
        }
        let payload_size = frame.payload.len() as u64;
        sub.header_size = frame.size.saturating_sub(payload_size);
        sub.body_size = payload_size;
        sub.bytes = frame.size;
        sub.message = format!("Received {}", frame.describe()).into();
        if self.settings.counts_sizes {
            sample.header_size += sub.header_size;
            sample.body_size += sub.body_size;
            sample.bytes += sub.bytes;
            sample.sent_bytes += sub.sent_bytes;
        }
        match frame.content {
            Content::Text => {
                sub.body = frame.text().into_bytes().into();
                sub.encoding = "UTF-8".into();
            }
            Content::Binary => sub.body = frame.payload.clone().into(),
            Content::Close | Content::Ping | Content::Pong => {}
        }
        let number = self.count.replace(self.count.get() + 1);
        sub.label = if self.settings.renames {
            format!("{}-{number}", self.label).into()
        } else {
            format!("Discarded {} frame (by filter '{}')", frame.type_name(), self.names[at]).into()
        };
        sample.sub_results.push(sub);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::frames::tests::frame;
    use super::*;

    fn text_rule(comparison: &str, value: &str) -> Rule {
        let (is_negated, name, is_regex) = parts(comparison).expect("known");
        let reach = if name == Some(Comparison::Equals) { Reach::Whole } else { Reach::Anywhere };
        let test = match name {
            None => Test::Any,
            Some(_) if is_regex => {
                Test::Pattern(Box::new(Regex::new(value, Dialect::Java, reach).expect("valid")))
            }
            Some(name) => Test::Text(name, value.to_owned()),
        };
        Rule { kind: FilterKind::Text, is_negated, test, replies: false }
    }

    #[test]
    fn texts_are_compared_by_every_type() {
        let text = frame(Content::Text, b"first of two");
        for (comparison, value, discards) in [
            ("IsPlain", "", true),
            ("Equals", "first of two", true),
            ("Equals", "first", false),
            ("Contains", "of", true),
            ("StartsWith", "first", true),
            ("EndsWith", "two", true),
            ("EqualsRegex", "first.*", true),
            ("EqualsRegex", "first", false),
            ("ContainsRegex", "o[f]", true),
            ("NotEquals", "first of two", false),
            ("NotContains", "three", true),
            ("NotStartsWith", "first", false),
            ("NotEndsWith", "first", true),
            ("NotEqualsRegex", "f", true),
            ("NotContainsRegex", "f", false),
        ] {
            assert_eq!(text_rule(comparison, value).discards(&text), discards, "{comparison} {value}");
        }
        assert!(!text_rule("IsPlain", "").discards(&frame(Content::Binary, b"")));
        assert!(parts("StartsWithRegex").is_none() && parts("plain").is_none());
    }

    #[test]
    fn bytes_are_compared_and_found_at_a_position() {
        let bytes = frame(Content::Binary, &[1, 2, 3]);
        let rule = |test, is_negated| Rule { kind: FilterKind::Binary, is_negated, test, replies: false };
        assert!(rule(Test::At(vec![2], 1), false).discards(&bytes));
        assert!(!rule(Test::At(vec![2], 0), false).discards(&bytes));
        assert!(rule(Test::At(vec![3], 9), true).discards(&bytes));
        assert!(rule(Test::Bytes(Comparison::EndsWith, vec![2, 3]), false).discards(&bytes));
        assert!(!rule(Test::Never, false).discards(&bytes));
    }

    #[test]
    fn ping_filters_choose_between_pings_and_pongs() {
        let ping = frame(Content::Ping, b"");
        let pong = frame(Content::Pong, b"");
        let rule = |test| Rule { kind: FilterKind::Ping, is_negated: false, test, replies: false };
        assert!(rule(Test::Any).discards(&ping) && rule(Test::Any).discards(&pong));
        assert!(rule(Test::Pings).discards(&ping) && !rule(Test::Pings).discards(&pong));
        assert!(!rule(Test::Pongs).discards(&ping) && rule(Test::Pongs).discards(&pong));
    }
}
