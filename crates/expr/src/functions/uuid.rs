//! `__UUID` (JMeter's `Uuid`): a random UUID of version 4, from the user's random generator.

use rand::Rng as _;
use uuid::Builder;
use uuid::fmt::Hyphenated;

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::scope::Scope;

struct Uuid;

pub(crate) fn make(_: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(Uuid)
}

impl Function for Uuid {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let id = Builder::from_random_bytes(cx.random.random()).into_uuid();
        out.push_str(id.hyphenated().encode_lower(&mut [0; Hyphenated::LENGTH]));
        Ok(())
    }
}
