//! HTML Assertion: how much JTidy finds wrong in a page (`org.apache.jmeter.assertions.HTMLAssertion`).

use crate::jtidy::{Findings, Format, Settings, TidyError, validate};
use swell_api::{Assertion, AssertionResult, Compile, Needs, Placement, SampleResult, StepRun};
use swell_expr::{Context, FileName, Level, Template};
use swell_java::format::grouped;
use swell_plan::Element;

use swell_elements::field::{IntField, TextField};
use swell_elements::heavy::{Cost, Shared, Task};
use swell_elements::subject::{Piece, Subject};

struct HtmlAssertion {
    name: TextField,
    errors_only: Template,
    error_threshold: IntField,
    warning_threshold: IntField,
    format: IntField,
    file: Template,
}

pub(crate) fn build(element: &Element, compile: &Compile) -> Box<dyn Assertion> {
    let number = |property: &str| IntField::of(element, compile, &format!("html_assertion_{property}"), "0");
    Box::new(HtmlAssertion {
        name: TextField::name_of(element, compile),
        errors_only: compile.template(element, "html_assertion_errorsonly", "false"),
        error_threshold: number("error_threshold"),
        warning_threshold: number("warning_threshold"),
        format: number("format"),
        file: compile.template(element, "html_assertion_filename", ""),
    })
}

impl Assertion for HtmlAssertion {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn is_small(&self, sample: &SampleResult) -> bool {
        sample.body.is_empty()
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepRun<'a, AssertionResult> {
        Placement::Anywhere.run(self.judge_page(cx, sample))
    }
}

fn findings(settings: Settings, pieces: &[Piece<'_>]) -> Result<Findings, TidyError> {
    validate(pieces.first().map_or(&[][..], Piece::bytes), settings)
}

impl HtmlAssertion {
    async fn judge_page(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        if sample.body.is_empty() {
            return AssertionResult::failed_for_null(name);
        }
        let file = self.file.file_name(cx);
        let wants_report = !file.text().trim().is_empty();
        let settings = Settings { format: format(self.format.get(cx)), wants_report };
        let task = Task {
            name: &self.name,
            cost: Cost::Tidy,
            placement: Placement::Anywhere,
            subject: &Subject::BODY,
        };
        let nothing = Shared::nothing();
        let found = task.ask(cx, sample, &nothing, move |(), pieces, _| findings(settings, pieces));
        match found.await {
            Ok(findings) => {
                if wants_report {
                    write_report(cx, &file, &findings.report);
                }
                match self.judge(cx, &findings) {
                    None => AssertionResult::passed(name),
                    Some(message) => AssertionResult::failed(name, message.into()),
                }
            }
            Err(why) => AssertionResult::failed(name, words_for(why).into()),
        }
    }

    /// What is said where more is wrong than is allowed.
    fn judge(&self, cx: &mut Context, findings: &Findings) -> Option<String> {
        let (errors, allowed_errors) = (i64::from(findings.errors), self.error_threshold.get(cx));
        let (warnings, allowed_warnings) = (i64::from(findings.warnings), self.warning_threshold.get(cx));
        let errors_only = self.errors_only.text(cx).eq_ignore_ascii_case("true");
        let fails = errors > allowed_errors || (!errors_only && warnings > allowed_warnings);
        fails.then(|| {
            let [errors, allowed_errors, warnings, allowed_warnings] =
                [errors, allowed_errors, warnings, allowed_warnings].map(grouped);
            format!(
                "Tidy Parser errors: {errors} (allowed {allowed_errors}) \
                 Tidy Parser warnings: {warnings} (allowed {allowed_warnings})"
            )
        })
    }
}

fn format(number: i64) -> Format {
    match number {
        1 => Format::Xhtml,
        2 => Format::Xml,
        _ => Format::Html,
    }
}

fn words_for(why: TidyError) -> String {
    match why {
        TidyError::Broken(Some(message)) => message,
        TidyError::Broken(None) => "JTidy cannot read this page".to_owned(),
        TidyError::TooLarge => "the page is too large or too deep to be judged".to_owned(),
    }
}

fn write_report(cx: &Context, file: &FileName, report: &str) {
    // What goes wrong is logged, and the assertion's result is the same.
    let _ = cx.write_file(file, report.as_bytes().to_vec(), false, |name, reason| {
        (Level::Warn, format!("HTML Assertion: the report cannot be written to {name}: {reason}"))
    });
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use swell_expr::Host;

    use super::*;
    use swell_elements::testing::{Bench, element};

    const GOOD: &str = "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"><html><head><title>x</title></head>\
                        <body><p>y</p></body></html>";
    const BAD: &str = "<foo><p>x<b>y";

    fn run(bench: &Bench, body: &str, properties: &[(&str, &str)]) -> AssertionResult {
        let properties: Vec<_> =
            properties.iter().map(|(name, value)| (format!("html_assertion_{name}"), *value)).collect();
        let properties: Vec<_> = properties.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let assertion = build(&element("HTMLAssertion", &properties), bench);
        let mut sample = SampleResult { body: body.into(), ..SampleResult::default() };
        assertion.check(&mut bench.user(), &mut sample).finish()
    }

    fn message(body: &str, properties: &[(&str, &str)]) -> Option<String> {
        let result = run(&Bench::new(), body, properties);
        assert!(!result.error);
        assert_eq!(result.failure, result.message.is_some());
        result.message.map(|message| message.to_string())
    }

    #[test]
    fn counts_are_compared_with_what_is_allowed() {
        let counts = |errors: &str, warnings: &str| {
            Some(format!(
                "Tidy Parser errors: 1 (allowed {errors}) Tidy Parser warnings: 4 (allowed {warnings})"
            ))
        };
        assert_eq!(message(GOOD, &[]), None);
        assert_eq!(message(BAD, &[]), counts("0", "0"));
        assert_eq!(message(BAD, &[("error_threshold", "1")]), counts("1", "0"));
        assert_eq!(message(BAD, &[("error_threshold", "1"), ("errorsonly", "true")]), None);
        assert_eq!(message(BAD, &[("error_threshold", "1"), ("warning_threshold", "3")]), counts("1", "3"));
        assert_eq!(message(BAD, &[("error_threshold", "1"), ("warning_threshold", "4")]), None);
        assert_eq!(message(BAD, &[("warning_threshold", "12345")]), counts("0", "12,345"));
        assert_eq!(message("", &[]).as_deref(), Some("Response was null"));
    }

    #[test]
    fn a_page_is_read_as_it_is_told() {
        let xml = "<a><b>x</b><c/></a>";
        assert_eq!(message(xml, &[("format", "2")]), None);
        assert!(message(xml, &[("format", "0")]).is_some_and(|message| message.contains("errors: 1")));
        let namespace = GOOD.replace("<html>", "<html xmlns='x'>");
        assert_eq!(message(&namespace, &[]), None);
        assert!(
            message(&namespace, &[("format", "1")]).is_some_and(|message| message.contains("warnings: 1"))
        );
    }

    #[test]
    fn the_report_goes_into_a_file() {
        let bench = Bench::new();
        run(&bench, BAD, &[("filename", "tidy.txt")]);
        let written = bench.host.read_file(Path::new("tidy.txt")).expect("it was written");
        let written = String::from_utf8(written).expect("it is text");
        assert!(written.starts_with("line 1 column 1 - "), "{written}");
        assert!(written.ends_with("4 warnings, 1 error were found!\n"), "{written}");
    }
}
