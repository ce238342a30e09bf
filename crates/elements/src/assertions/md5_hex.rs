//! MD5Hex Assertion: compares the digest of the body
//! (`org.apache.jmeter.assertions.MD5HexAssertion`).

use data_encoding::HEXLOWER;
use md5::{Digest, Md5};
use swell_api::{Assertion, AssertionResult, CompileContext, Needs, Placement, SampleResult, StepProgress};
use swell_expr::{Context, Template};
use swell_plan::Element;

use crate::field::TextField;
use crate::heavy::{Cost, Shared, Task};
use crate::subject::{Piece, Subject};

struct Md5HexAssertion {
    name: TextField,
    digest: Template,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    let digest = compile.template(element, "MD5HexAssertion.size", "");
    Box::new(Md5HexAssertion { name: TextField::name_of(element, compile), digest })
}

impl Assertion for Md5HexAssertion {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn is_small(&self, sample: &SampleResult) -> bool {
        Cost::Bytes.is_tiny(sample.body.len())
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepProgress<'a, AssertionResult> {
        let place = Placement::of(self.is_small(sample));
        place.run(self.judge(place, cx, sample))
    }
}

impl Md5HexAssertion {
    async fn judge(
        &self,
        placement: Placement,
        cx: &mut Context,
        sample: &mut SampleResult,
    ) -> AssertionResult {
        let name = self.name.get(cx);
        if sample.body.is_empty() {
            return AssertionResult::failed_for_null(name);
        }
        let wanted = self.digest.text(cx).to_string();
        if wanted.is_empty() {
            return AssertionResult::failed(name, "MD5Hex to test against is empty".into());
        }
        let task = Task { name: &self.name, cost: Cost::Bytes, placement, subject: &Subject::BODY };
        let found = task.ask(cx, sample, &Shared::nothing(), |(), pieces, _| digest(pieces)).await;
        if found.eq_ignore_ascii_case(&wanted) {
            return AssertionResult::passed(name);
        }
        let message = format!("Error asserting MD5 sum : got {found} but should have been {wanted}");
        AssertionResult::failed(name, message.into())
    }
}

fn digest(pieces: &[Piece<'_>]) -> String {
    HEXLOWER.encode(&Md5::digest(pieces.first().map_or(&[][..], Piece::bytes)))
}
