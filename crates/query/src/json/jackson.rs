//! Values as Jackson 2.16 writes them (`ObjectMapper.writeValueAsString`), and its equality.

use std::fmt::Write;

use super::Json;
use super::decimal::double_text;

impl Json<'_> {
    /// JSON without blanks.
    pub fn jackson_text(&self) -> String {
        let mut out = String::new();
        self.write_jackson(&mut out);
        out
    }

    fn write_jackson(&self, out: &mut String) {
        match self {
            Self::Null | Self::NotANumber | Self::Keys(_) => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(number) => write!(out, "{number}").expect("a String takes everything"),
            Self::BigInt(text) | Self::BigDecimal(text) => out.push_str(text),
            Self::Double(number) if number.is_finite() => out.push_str(&double_text(*number)),
            Self::Double(number) => write_text(out, &double_text(*number)),
            Self::Text(text) => write_text(out, text),
            Self::Array(members) => {
                out.push('[');
                for (at, member) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    member.write_jackson(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    write_text(out, key);
                    out.push(':');
                    value.write_jackson(out);
                }
                out.push('}');
            }
        }
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => write!(out, "\\u{:04X}", u32::from(c)).expect("a String takes everything"),
            c => out.push(c),
        }
    }
    out.push('"');
}
