//! `__urlencode(text)` and `__urldecode(text)` (JMeter's `UrlEncode` and `UrlDecode`): form
//! encoding as in Java's `URLEncoder` and `URLDecoder`, in UTF-8.

use std::fmt::Write as _;

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;

struct Encode(Template);
struct Decode(Template);

/// `__urlencode(text)`.
pub(crate) fn encode(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(Encode(args.required()))
}

/// `__urldecode(text)`.
pub(crate) fn decode(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(Decode(args.required()))
}

impl Function for Encode {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        for byte in self.0.text(cx).bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(byte.into()),
                b' ' => out.push('+'),
                _ => write!(out, "%{byte:02X}").expect("writing to a String cannot fail"),
            }
        }
        Ok(())
    }
}

impl Function for Decode {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let text = self.0.text(cx);
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let [first, after @ ..] = rest {
            rest = after;
            match first {
                b'+' => bytes.push(b' '),
                b'%' => {
                    let (pair, after) = after.split_at_checked(2).ok_or_else(incomplete)?;
                    bytes.push(hex(pair)?);
                    rest = after;
                }
                byte => bytes.push(*byte),
            }
        }
        out.push_str(&String::from_utf8_lossy(&bytes));
        Ok(())
    }
}

/// Two digits. Java counts the characters from the first.
fn hex(pair: &[u8]) -> Result<u8, CallFailure> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match (digit(pair[0]), digit(pair[1])) {
        (Some(high), Some(low)) => Ok((high * 16 + low) as u8),
        (first, _) => {
            let at = usize::from(first.is_some());
            let shown = String::from_utf8_lossy(pair);
            Err(CallFailure::illegal(format!(
                "URLDecoder: Illegal hex characters in escape (%) pattern - Error at index {at} in: \"{shown}\""
            )))
        }
    }
}

fn incomplete() -> CallFailure {
    CallFailure::illegal("URLDecoder: Incomplete trailing escape (%) pattern")
}
