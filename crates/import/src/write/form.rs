//! Bodies of forms.

use percent_encoding::percent_decode_str;

use crate::model::{Field, Text};

/// The type of such bodies.
pub(super) const TYPE: &str = "application/x-www-form-urlencoded";

/// A form as the text that a client sends.
pub(super) fn text(fields: &[Field]) -> Text {
    let mut out = Text::default();
    for (number, field) in fields.iter().enumerate() {
        let encode = |text: &Text| {
            text.map_literals(&mut |data| if field.is_plain { encoded(data) } else { data.to_owned() })
        };
        out.push_literal(if number > 0 { "&" } else { "" });
        out.push(encode(&field.name));
        out.push_literal("=");
        out.push(encode(&field.value));
    }
    out
}

/// As Java's `URLEncoder` does.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(&text.replace('+', " ")).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The fields of a body, decoded, if JMeter makes the same bytes of them again. It decodes and
/// encodes also what is marked as encoded, so there is no other way to send a field.
pub(super) fn fields(text: &Text) -> Option<Vec<Field>> {
    text.split('&').into_iter().map(|pair| field(&pair)).collect()
}

fn field(pair: &Text) -> Option<Field> {
    let (name, value) = pair.split_once('=')?;
    let is_same = |text: &Text| {
        let mut is_same = true;
        let _ = text.map_literals(&mut |data| {
            is_same &= decoded(data).is_some_and(|plain| encoded(&plain) == data);
            String::new()
        });
        is_same
    };
    let plain = |text: &Text| text.map_literals(&mut |data| decoded(data).unwrap_or_default());
    let field = Field { name: plain(&name), value: plain(&value), is_plain: true };
    (is_same(&name) && is_same(&value) && can_be_a_field(&field)).then_some(field)
}

/// Whether JMeter sends it as a field of a form: it leaves out fields without a name, and takes one
/// that starts with `${` and has no value for a variable that is not set.
pub(super) fn can_be_a_field(field: &Field) -> bool {
    let name = field.name.as_literal().unwrap_or_default().trim();
    field.is_plain && !name.is_empty() && !name.starts_with("${")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_give_the_same_bytes_again() {
        for (body, wanted) in [
            ("a=b+c%26&d=", Some("true:a=b c&|true:d=")),
            ("a=%24%7Bx%7D", Some("true:a=${__char(36)}{x}")),
            ("a=b%20c&d=e", None),
            ("a[]=1", None),
            ("a", None),
            ("=a", None),
            ("%24%7Bx%7D=", None),
            ("a=1&&b=2", None),
        ] {
            let found = fields(&Text::literal(body));
            let shown = found.as_ref().map(|fields| {
                let shown = |field: &Field| {
                    format!("{}:{}={}", field.is_plain, field.name.to_plan(), field.value.to_plan())
                };
                fields.iter().map(shown).collect::<Vec<_>>().join("|")
            });
            assert_eq!(shown.as_deref(), wanted, "{body}");
            if let Some(fields) = found {
                assert_eq!(text(&fields), Text::literal(body));
            }
        }
        let with_variable = Text::literal("t=x%2BTOK&u=1").replaced("TOK", &Text::variable("t"));
        assert_eq!(fields(&with_variable).map(|fields| fields[0].value.to_plan()), Some("x+${t}".to_owned()));
    }
}
