//! Parameters in the query and the body.

use swell_expr::Charset;

use crate::failure::Failure;
use crate::text::form;

use super::parameter::Parameter;

/// Appends the query string (`HTTPSamplerBase.getQueryString`): names encoded in UTF-8, values in
/// the content encoding; parameters without a name are left out, and values where Java has no such
/// charset.
pub(super) fn query_into(parameters: &[Parameter], encoding: &str, out: &mut String) {
    let charset = Charset::of(if encoding.trim().is_empty() { "UTF-8" } else { encoding });
    let mut first = true;
    for parameter in parameters.iter().filter(|p| !p.name.is_empty()) {
        if !first {
            out.push('&');
        }
        first = false;
        if !parameter.encode {
            for part in [&parameter.name, &parameter.separator, &parameter.value] {
                out.push_str(part);
            }
            continue;
        }
        form::encode_into(&parameter.name, Charset::default(), out);
        out.push_str(&parameter.separator);
        if let Some(charset) = charset {
            form::encode_into(&parameter.value, charset, out);
        }
    }
}

/// Left out of a form: a blank name, or a variable that is not defined (`Argument.isSkippable`).
pub(super) fn is_skippable(name: &str) -> bool {
    name.trim().is_empty() || name.trim().starts_with("${") && name.ends_with('}')
}

/// The body of a form (`HTTPHC4Impl.createUrlEncodedFormEntity`): what the plan says is encoded is
/// decoded first, and all is encoded again.
///
/// # Errors
/// An escape that is none.
pub(super) fn form_body(parameters: &[Parameter], charset: Charset) -> Result<String, Failure> {
    let mut out = String::new();
    for parameter in parameters.iter().filter(|p| !is_skippable(&p.name)) {
        if !out.is_empty() {
            out.push('&');
        }
        if parameter.encode {
            form::encode_into(&parameter.name, charset, &mut out);
            out.push('=');
            form::encode_into(&parameter.value, charset, &mut out);
        } else {
            let decoded = |text: &str| form::decode(text, charset).map_err(Failure::decode);
            form::encode_into(&decoded(&parameter.name)?, charset, &mut out);
            out.push('=');
            form::encode_into(&decoded(&parameter.value)?, charset, &mut out);
        }
    }
    Ok(out)
}

/// The values one after the other.
pub(super) fn raw_body(parameters: &[Parameter], charset: Charset) -> String {
    let mut out = String::with_capacity(parameters.iter().map(|p| p.value.len()).sum());
    for parameter in parameters {
        if parameter.encode {
            form::encode_into(&parameter.value, charset, &mut out);
        } else {
            out.push_str(&parameter.value);
        }
    }
    out
}
