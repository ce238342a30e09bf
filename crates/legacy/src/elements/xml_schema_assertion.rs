//! XML Schema Assertion: the response is valid by a schema (`org.apache.jmeter.assertions.XMLSchemaAssertion`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::xsd::{Schema, Severity as ErrorSeverity, ValidationError};
use swell_api::{Assertion, AssertionResult, Compile, Needs, Placement, SampleResult, StepRun};
use swell_expr::{Context, Host, Level};
use swell_plan::{Element, Severity};

use swell_elements::field::TextField;
use swell_elements::heavy::{Cost, Shared, Task};
use swell_elements::subject::{Piece, Subject};

/// Schemas that an element with changing file names keeps.
const MOST: usize = 64;

const FILE: &str = "xmlschema_assertion_filename";

struct XmlSchemaAssertion {
    name: TextField,
    file: TextField,
    /// By their files.
    schemas: RefCell<HashMap<String, Arc<Schema>>>,
}

pub(crate) fn build(element: &Element, compile: &Compile) -> Box<dyn Assertion> {
    let file = compile.template(element, FILE, "");
    if file.constant().is_some_and(|name| name.starts_with("http:") || name.starts_with("https:")) {
        let message = "schemas are not fetched: no document will be valid".to_owned();
        compile.note(Severity::Warning, element, Some(FILE), message, Some("name a file beside the plan"));
    }
    let name = TextField::name_of(element, compile);
    Box::new(XmlSchemaAssertion { name, file: TextField::new(file), schemas: RefCell::default() })
}

impl Assertion for XmlSchemaAssertion {
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
        Placement::Anywhere.run(self.judge(cx, sample))
    }
}

fn judge(schema: &Schema, pieces: &[Piece<'_>]) -> Result<(), ValidationError> {
    pieces.iter().try_for_each(|piece| schema.validate(&piece.text()))
}

impl XmlSchemaAssertion {
    async fn judge(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        if sample.body.is_empty() {
            return AssertionResult::failed_for_null(name);
        }
        let file = self.file.get(cx);
        if file.is_empty() {
            return AssertionResult::failed(name, "FileName is required".into());
        }
        let schema = Shared::Owned(self.schema(&file, &*cx.host));
        let task = Task {
            name: &self.name,
            cost: Cost::Tidy,
            placement: Placement::Anywhere,
            subject: &Subject::BODY,
        };
        match task.ask(cx, sample, &schema, |schema, pieces, _| judge(schema, pieces)).await {
            Ok(()) => AssertionResult::passed(name),
            Err(fault) => AssertionResult {
                name,
                error: true,
                message: Some(shown(&fault).into()),
                ..AssertionResult::default()
            },
        }
    }

    /// Reads a schema at its first use.
    fn schema(&self, file: &str, host: &dyn Host) -> Arc<Schema> {
        let mut schemas = self.schemas.borrow_mut();
        if let Some(known) = schemas.get(file) {
            return known.clone();
        }
        if schemas.len() >= MOST {
            schemas.clear();
        }
        let read = |path: &str| {
            let read = host.read_file(Path::new(path.strip_prefix("file://").unwrap_or(path)));
            if let Err(reason) = &read {
                host.log(Level::Warn, &format!("XML Schema Assertion: cannot read `{path}`: {reason}"));
            }
            read
        };
        let schema = Arc::new(Schema::read(file, &read));
        schemas.insert(file.to_owned(), schema.clone());
        schema
    }
}

/// `XMLSchemaAssertion.errorDetails`.
fn shown(fault: &ValidationError) -> String {
    let severity = match fault.severity {
        ErrorSeverity::Error => "error",
        ErrorSeverity::Fatal => "fatal",
    };
    let place = fault.place.map_or(String::new(), |(line, column)| format!("line={line} col={column} "));
    format!("{severity}: {place}{}", fault.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_elements::testing::Bench;

    const SCHEMA: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
        <xs:include schemaLocation="more.xsd"/><xs:element name="a" type="A"/></xs:schema>"#;
    const MORE: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
        <xs:simpleType name="A"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>"#;

    fn judged(file: &str, body: &str) -> AssertionResult {
        let bench = Bench::new();
        bench.host.add_file("s/a.xsd", SCHEMA);
        bench.host.add_file("s/more.xsd", MORE);
        let element = Element::new("XMLSchemaAssertion", "", "valid").with_text(FILE, file);
        let mut sample = SampleResult { body: body.into(), ..SampleResult::default() };
        build(&element, &bench).check(&mut bench.user(), &mut sample).finish()
    }

    #[test]
    fn documents_are_valid_or_not() {
        assert_eq!(judged("s/a.xsd", "<a>1</a>"), AssertionResult::passed("valid".into()));
        let table = [
            (
                "s/a.xsd",
                "<a>x</a>",
                "error: line=1 col=9 cvc-datatype-valid.1.2.1: 'x' is not a valid value for 'integer'.",
            ),
            ("s/a.xsd", "", "Response was null"),
            ("s/a.xsd", "x", "fatal: line=1 col=1 Content is not allowed in prolog."),
            ("", "<a/>", "FileName is required"),
        ];
        for (file, body, message) in table {
            let result = judged(file, body);
            let failed = body.is_empty() || file.is_empty();
            assert_eq!((result.failure, result.error), (failed, !failed), "{body}");
            assert_eq!(result.message.as_deref(), Some(message));
        }
        let missing = judged("gone.xsd", "<a/>");
        assert!(
            missing.message.is_some_and(|text| text.starts_with("error: line=1 col=5 schema_reference.4: "))
        );
    }
}
