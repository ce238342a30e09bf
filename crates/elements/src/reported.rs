//! What extractors and assertions report in a run that is traced.

use swell_api::{SampleResult, Scope};
use swell_expr::Context;
use swell_trace::{Check, Extraction};

use crate::subject::{SamplePart, Subject};

/// Bytes of a searched text that are kept to look for similar parts.
const SEARCHED: usize = 256 << 10;
/// Values of a search that are kept.
const VALUES: usize = 10;
/// Bytes of a compared text that are kept.
const COMPARED: usize = 64 << 10;

/// What an extractor looked for, and what it found. Made only if [`Context::trace`] is there.
pub(crate) struct Report<'r> {
    pub(crate) language: &'static str,
    pub(crate) expression: String,
    pub(crate) subject: &'r Subject,
    pub(crate) variable: &'r str,
    pub(crate) wanted: i64,
    /// How many matches are known of.
    pub(crate) matches: usize,
    /// The wanted one is among them.
    pub(crate) found: bool,
    pub(crate) values: Vec<String>,
    /// The variable gets a default value if there is no match.
    pub(crate) has_default: bool,
    pub(crate) error: Option<String>,
}

/// Whether reports are wanted.
pub(crate) fn is_wanted(cx: &Context) -> bool {
    cx.trace.is_some()
}

/// Reports a search, after its variables are set.
pub(crate) fn report(cx: &mut Context, sample: &SampleResult, report: Report<'_>) {
    let value = cx.vars.get(report.variable).map(ToString::to_string);
    let taken = match report.found {
        true if report.wanted < 0 => Some(format!("{} values", report.matches)),
        true => value.clone().or(Some(String::new())),
        false => None,
    };
    let default = value.filter(|_| !report.found && report.has_default);
    let searched = if report.found { String::new() } else { searched(report.subject, sample) };
    let variable = report.variable.to_owned();
    let extraction = Extraction {
        language: report.language,
        expression: report.expression,
        subject: subject_text(report.subject),
        searched,
        variable,
        match_number: report.wanted,
        matches: report.matches as u64,
        values: report.values.into_iter().take(VALUES).collect(),
        taken,
        default,
        error: report.error,
        nearby: Vec::new(),
    };
    if let Some(trace) = &mut cx.trace {
        trace.extraction(extraction);
    }
}

fn searched(subject: &Subject, sample: &SampleResult) -> String {
    subject.read(sample, |pieces| {
        let mut all = String::new();
        for piece in pieces {
            let text = piece.text();
            let left = SEARCHED.saturating_sub(all.len()).min(text.len());
            all.push_str(&text[..text.floor_char_boundary(left)]);
        }
        all
    })
}

/// What is looked at, in words.
fn subject_text(subject: &Subject) -> String {
    let (scope, part) = match subject {
        Subject::Value(_) => return "variable".to_owned(),
        Subject::Samples(scope, part) => (scope, part),
    };
    let part = part_text(*part);
    match scope {
        Scope::Children => format!("{part} of sub-samples"),
        Scope::All => format!("{part} of the sample and its sub-samples"),
        _ => part.to_owned(),
    }
}

fn part_text(part: SamplePart) -> &'static str {
    match part {
        SamplePart::Body => "response body",
        SamplePart::UnescapedBody => "response body without HTML escapes",
        SamplePart::ResponseHeaders => "response headers",
        SamplePart::RequestHeaders => "request headers",
        SamplePart::RequestData => "request data",
        SamplePart::Url => "URL",
        SamplePart::Code => "response code",
        SamplePart::Message => "response message",
    }
}

/// Reports a comparison of an assertion with texts.
pub(crate) fn compared(
    cx: &mut Context,
    sample: &SampleResult,
    subject: &Subject,
    (relation, wanted): (&str, &str),
    passed: bool,
) {
    let got = subject.read(sample, |pieces| {
        let text = pieces.first().map(|piece| piece.text().into_owned()).unwrap_or_default();
        text[..text.floor_char_boundary(COMPARED)].to_owned()
    });
    measured(cx, &subject_text(subject), relation, wanted.to_owned(), got, passed);
}

/// Reports a comparison with a value.
pub(crate) fn measured(
    cx: &mut Context,
    field: &str,
    relation: &str,
    wanted: String,
    got: String,
    passed: bool,
) {
    let check = Check {
        passed,
        field: Some(field.to_owned()),
        relation: Some(relation.to_owned()),
        wanted: Some(wanted),
        got: Some(got),
        ..Check::default()
    };
    if let Some(trace) = &mut cx.trace {
        trace.check(check);
    }
}
