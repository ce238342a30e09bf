//! `__char(number, …)` (JMeter's `CharFunction`): characters by their numbers, written as Java's
//! `Long.decode` reads them.

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;

struct Char(Vec<Template>);

pub(crate) fn make(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(Char(args.rest()))
}

impl Function for Char {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let mut units = Vec::with_capacity(self.0.len());
        for number in &self.0 {
            let text = number.text(cx);
            match decode(trim(&text)) {
                // Java's cast to `char` keeps the lower 16 bits.
                Some(value) => units.push(value as u16),
                None => cx.host.log(Level::Warn, &format!("__char: could not parse `{}`", trim(&text))),
            }
        }
        out.push_str(&String::from_utf16_lossy(&units));
        Ok(())
    }
}

/// Decimal, `0x`, `#` or octal with a leading zero, after an optional sign.
fn decode(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let hex = ["0x", "0X", "#"].iter().find_map(|prefix| digits.strip_prefix(prefix));
    let (digits, radix) = match (hex, digits.strip_prefix('0')) {
        (Some(hex), _) => (hex, 16),
        (None, Some(octal)) if !octal.is_empty() => (octal, 8),
        _ => (digits, 10),
    };
    let unsigned = digits.bytes().all(|b| b.is_ascii_alphanumeric());
    if unsigned { i64::from_str_radix(&format!("{sign}{digits}"), radix).ok() } else { None }
}
