//! Functions that turn one text into another: the escapes of JMeter (`EscapeHtml`, `EscapeXml`,
//! `UnEscape`, `UnEscapeHtml`, `EscapeOroRegexpChars`) and the small string functions of the
//! plug-in jpgc-functions.

use super::{digest, escape};
use crate::arguments::{Args, NameRule, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;

type Change = fn(&str) -> Result<String, CallFailure>;

struct OneText {
    text: Template,
    change: Change,
    target: Target,
}

impl Function for OneText {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let changed = (self.change)(&self.text.text(cx))?;
        out.push_str(&changed);
        self.target.put(cx, &changed);
        Ok(())
    }
}

fn one_text(args: &mut Args, scope: &Scope<'_>, change: Change) -> Box<dyn Function> {
    named(args, scope, NameRule::Trimmed, change)
}

fn named(args: &mut Args, scope: &Scope<'_>, naming: NameRule, change: Change) -> Box<dyn Function> {
    let text = args.required();
    let target = args.target_named(naming, scope);
    Box::new(OneText { text, change, target })
}

/// `__escapeHtml(text)`.
pub(crate) fn escape_html(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    one_text(args, scope, |text| Ok(escape::html(text)))
}

/// `__escapeXml(text)`.
pub(crate) fn escape_xml(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    one_text(args, scope, |text| Ok(escape::xml(text)))
}

/// `__unescape(text)`.
pub(crate) fn unescape(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    one_text(args, scope, |text| escape::unescape_java(text).map_err(CallFailure::illegal))
}

/// `__unescapeHtml(text)`.
pub(crate) fn unescape_html(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    one_text(args, scope, |text| escape::unescape_html(text).map_err(CallFailure::illegal))
}

/// `__escapeOroRegexpChars(text, variable)`: a backslash before all but letters, digits and `_`
/// (`Perl5Compiler.quotemeta`).
pub(crate) fn escape_regex(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    one_text(args, scope, |text| {
        let mut quoted = String::with_capacity(text.len() * 2);
        for c in text.chars() {
            if c.len_utf16() == 2 {
                // ORO puts a backslash before each half, and Java writes half a character as `?`.
                quoted.push_str("\\?\\?");
                continue;
            }
            if !(c.is_alphanumeric() || c == '_') {
                quoted.push('\\');
            }
            quoted.push(c);
        }
        Ok(quoted)
    })
}

/// `__uppercase(text, variable)`.
pub(crate) fn uppercase(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    named(args, scope, NameRule::EvenEmpty, |text| Ok(text.to_uppercase()))
}

/// `__lowercase(text, variable)`.
pub(crate) fn lowercase(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    named(args, scope, NameRule::EvenEmpty, |text| Ok(text.to_lowercase()))
}

/// `__strLen(text, variable)`: in UTF-16 units, as Java counts.
pub(crate) fn length(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    named(args, scope, NameRule::EvenEmpty, |text| Ok(text.encode_utf16().count().to_string()))
}

/// `__MD5(text, variable)`.
pub(crate) fn md5(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    named(args, scope, NameRule::EvenEmpty, |text| {
        digest::hex_digest("MD5", &[text.as_bytes()]).ok_or_else(|| CallFailure::empty("MD5 is not known"))
    })
}

/// `__base64Encode(text, variable)`.
pub(crate) fn base64_encode(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    named(args, scope, NameRule::Exact, |text| Ok(super::base64::encode(text)))
}

/// `__base64Decode(text, variable)`.
pub(crate) fn base64_decode(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    named(args, scope, NameRule::Exact, |text| Ok(super::base64::decode(text)))
}
