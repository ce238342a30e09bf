//! XML Assertion: the response must be well-formed (`org.apache.jmeter.assertions.XMLAssertion`).

use swell_api::{Assertion, AssertionResult, CompileContext, Needs, Placement, SampleResult, StepProgress};
use swell_expr::Context;
use swell_plan::Element;
use swell_query::xml::{XmlOptions, parse};

use crate::field::TextField;
use crate::heavy::{Cost, Shared, Task};
use crate::subject::{Piece, Subject};

struct XmlAssertion {
    name: TextField,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    Box::new(XmlAssertion { name: TextField::name_of(element, compile) })
}

impl Assertion for XmlAssertion {
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
    ) -> StepProgress<'a, AssertionResult> {
        Placement::Anywhere.run(self.judge(cx, sample))
    }
}

impl XmlAssertion {
    async fn judge(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        if sample.body.is_empty() {
            return AssertionResult::failed_for_null(name);
        }
        let task = Task {
            name: &self.name,
            cost: Cost::Xml,
            placement: Placement::Anywhere,
            subject: &Subject::BODY,
        };
        match task.ask(cx, sample, &Shared::nothing(), |(), pieces, _| read(pieces)).await {
            Ok(()) => AssertionResult::passed(name),
            Err(message) => AssertionResult { error: true, ..AssertionResult::failed(name, message.into()) },
        }
    }
}

fn read(pieces: &[Piece<'_>]) -> Result<(), String> {
    let read = |piece: &Piece<'_>| parse(&piece.text(), XmlOptions::PLAIN).map(|_| ());
    pieces.iter().try_for_each(read).map_err(|error| error.message)
}
