//! `__RandomString(length, characters, variable)` (JMeter's `RandomString`). Without characters,
//! Java chooses from every assigned code point; Swell chooses from every letter and digit of
//! Unicode.

use rand::Rng as _;
use rand::rngs::SmallRng;

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;

/// Most characters of a text: more than any request needs, and small compared with a machine's
/// memory.
const MOST: usize = 16 << 20;

struct RandomString {
    length: Template,
    characters: Option<Template>,
    target: Target,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    Box::new(RandomString {
        length: args.required(),
        characters: args.optional(),
        target: args.target(scope),
    })
}

impl Function for RandomString {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let length = self.length.text(cx);
        let length: i32 = length.parse().map_err(|_| CallFailure::no_number(&length))?;
        let length = usize::try_from(length).map_err(|_| {
            CallFailure::illegal(format!("Requested random string length {length} is less than 0."))
        })?;
        if length > MOST {
            return Err(CallFailure::illegal(format!(
                "Requested random string length {length} is more than {MOST}."
            )));
        }
        let characters = self.characters.as_ref().map(|given| given.text(cx));
        let start = out.len();
        match characters.as_deref().map(trim) {
            None | Some("") => draw_from_all(&mut cx.random, length, out),
            Some(set) if set.is_ascii() => {
                out.extend(
                    (0..length).map(|_| char::from(set.as_bytes()[cx.random.random_range(..set.len())])),
                );
            }
            Some(set) => {
                let set: Vec<char> = set.chars().collect();
                out.extend((0..length).map(|_| set[cx.random.random_range(..set.len())]));
            }
        }
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

/// Lengths count in UTF-16 units, as Java's.
fn draw_from_all(random: &mut SmallRng, length: usize, out: &mut String) {
    let mut left = length;
    while left > 0 {
        let drawn: char = random.random();
        if drawn.is_alphanumeric() && drawn.len_utf16() <= left {
            left -= drawn.len_utf16();
            out.push(drawn);
        }
    }
}
