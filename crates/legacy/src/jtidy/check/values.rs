//! Values of attributes (`org.w3c.tidy.AttrCheckImpl`).

use super::super::attributes::Values;
use super::super::chars::{is_letter, is_name};
use super::super::models::IMG;
use super::super::node::{Attribute, Id};
use super::super::page::Page;
use super::super::tags::Tag;
use super::super::versions::{HTML40_STRICT, PROPRIETARY, XHTML11};
use super::super::words::AttributeFinding as Finding;

/// Sixteen colours by name; in numbers they count as known, too.
const COLORS: [&str; 16] = [
    "black", "green", "silver", "lime", "gray", "olive", "white", "yellow", "maroon", "navy", "red", "blue",
    "purple", "teal", "fuchsia", "aqua",
];

impl Page {
    pub(super) fn check_value(&mut self, node: Id, attribute: &mut Attribute, values: Values) {
        if values == Values::Target {
            self.constrain(!HTML40_STRICT);
        }
        if values == Values::Lang && attribute.is_named("lang") {
            self.constrain(!XHTML11);
        }
        let Some(value) = attribute.value.clone() else {
            if !matches!(values, Values::Script | Values::Flag) {
                self.attribute(Finding::MissingValue, Some(node), Some(attribute));
                if values == Values::Clear {
                    attribute.value = Some("none".to_owned());
                }
            }
            return;
        };
        match values {
            Values::Any | Values::Script | Values::Lang => {}
            Values::Flag => self.lower(node, attribute),
            Values::Url => self.url(node, attribute, &value),
            Values::Align if self.tree[node].has(IMG) => self.vertical_align(node, attribute),
            Values::Align => self.one_of(node, attribute, &["left", "center", "right", "justify"]),
            Values::VerticalAlign => self.vertical_align(node, attribute),
            Values::Length => self.length(node, attribute, &value),
            Values::Number => self.number(node, attribute, &value),
            Values::Target => self.target(node, attribute, &value),
            Values::Method => self.one_of(node, attribute, &["get", "post"]),
            Values::Clear => self.one_of(node, attribute, &["none", "left", "right", "all"]),
            Values::Shape => self.one_of(node, attribute, &["rect", "default", "circle", "poly"]),
            Values::Scope => self.one_of(node, attribute, &["row", "rowgroup", "col", "colgroup"]),
            Values::ValueType => self.one_of(node, attribute, &["data", "object", "ref"]),
            Values::Scrolling => self.one_of(node, attribute, &["no", "yes", "auto"]),
            Values::Direction => self.one_of(node, attribute, &["rtl", "ltr"]),
            Values::Id => self.id(node, attribute, &value),
            Values::Name => self.anchor_name(node, attribute, &value),
            Values::Color => self.color(node, attribute, &value),
        }
    }

    fn bad(&mut self, node: Id, attribute: &Attribute) {
        self.attribute(Finding::BadValue, Some(node), Some(attribute));
    }

    /// Words are written small, which XHTML insists on.
    fn lower(&mut self, node: Id, attribute: &mut Attribute) {
        let Some(value) = &attribute.value else { return };
        let lower = value.to_lowercase();
        if *value != lower {
            if self.is_voyager {
                self.attribute(Finding::NotLowerCase, Some(node), Some(attribute));
            }
            attribute.value = Some(lower);
        }
    }

    fn one_of(&mut self, node: Id, attribute: &mut Attribute, words: &[&str]) {
        self.lower(node, attribute);
        if !is_one_of(attribute.value.as_deref(), words) {
            self.bad(node, attribute);
        }
    }

    fn vertical_align(&mut self, node: Id, attribute: &mut Attribute) {
        self.lower(node, attribute);
        let value = attribute.value.as_deref();
        if is_one_of(value, &["top", "middle", "bottom", "baseline"]) {
            return;
        }
        if is_one_of(value, &["left", "right"]) {
            if !self.tree[node].has(IMG) {
                self.bad(node, attribute);
            }
        } else if is_one_of(value, &["texttop", "absmiddle", "absbottom", "textbottom"]) {
            self.constrain(PROPRIETARY);
            self.attribute(Finding::ProprietaryValue, Some(node), Some(attribute));
        } else {
            self.bad(node, attribute);
        }
    }

    fn url(&mut self, node: Id, attribute: &mut Attribute, value: &str) {
        let needs_escape = |unit: u16| unit > 0x7E || unit <= 0x20 || unit == 0x3C || unit == 0x3E;
        let mut fixed = value.replace('\\', "/");
        let (has_backslash, is_bad) = (fixed != value, fixed.encode_utf16().any(needs_escape));
        if is_bad {
            let units = fixed.encode_utf16().map(|unit| match char::from_u32(u32::from(unit)) {
                Some(c) if !needs_escape(unit) => c.to_string(),
                _ => format!("%{unit:X}"),
            });
            fixed = units.collect();
        }
        attribute.value = Some(fixed);
        if has_backslash {
            self.attribute(Finding::FixedBackslash, Some(node), Some(attribute));
        }
        if is_bad {
            self.attribute(Finding::EscapedUrl, Some(node), Some(attribute));
        }
    }

    fn length(&mut self, node: Id, attribute: &Attribute, value: &str) {
        let tag = self.tree[node].tag;
        if attribute.is_named("width") && matches!(tag, Some(Tag::Col | Tag::Colgroup)) {
            return;
        }
        let is_cell = matches!(tag, Some(Tag::Td | Tag::Th));
        let mut chars = value.chars();
        let starts = chars.next().is_some_and(|c| is_digit(c) || c == '%');
        if !starts || !chars.all(|c| is_digit(c) || (c == '%' && !is_cell)) {
            self.bad(node, attribute);
        }
    }

    fn number(&mut self, node: Id, attribute: &Attribute, value: &str) {
        let of_frames = attribute.is_named("cols") || attribute.is_named("rows");
        if of_frames && self.is_tag(node, Tag::Frameset) {
            return;
        }
        let is_font = self.is_tag(node, Tag::Font);
        let digits = value.strip_prefix(['+', '-']).filter(|_| is_font).unwrap_or(value);
        if !digits.chars().all(is_digit) {
            self.bad(node, attribute);
        }
    }

    fn target(&mut self, node: Id, attribute: &Attribute, value: &str) {
        match value.chars().next() {
            None => self.attribute(Finding::MissingValue, Some(node), Some(attribute)),
            Some(first) if first.is_alphabetic() => {}
            Some(_) if is_one_of(Some(value), &["_blank", "_self", "_parent", "_top"]) => {}
            Some(_) => self.bad(node, attribute),
        }
    }

    fn id(&mut self, node: Id, attribute: &Attribute, value: &str) {
        let mut chars = value.chars();
        let Some(first) = chars.next() else {
            return self.attribute(Finding::MissingValue, Some(node), Some(attribute));
        };
        let is_xml = if first.is_alphabetic() {
            chars.find(|&c| !is_name(code(c))).map(|c| swell_query::chars::is_name(c) || c == ':')
        } else {
            Some(swell_query::chars::is_name_start(first) || first == ':')
        };
        if let Some(is_xml) = is_xml {
            let finding = if self.is_voyager && is_xml { Finding::XmlIdSyntax } else { Finding::BadValue };
            self.attribute(finding, Some(node), Some(attribute));
        }
        self.anchor(node, attribute, value);
    }

    fn anchor_name(&mut self, node: Id, attribute: &Attribute, value: &str) {
        use Tag::{A, Applet, Form, Frame, Iframe, Img, Map};
        if matches!(self.tree[node].tag, Some(A | Applet | Form | Frame | Iframe | Img | Map)) {
            self.constrain(!XHTML11);
            self.anchor(node, attribute, value);
        }
    }

    /// No two elements have the same name.
    fn anchor(&mut self, node: Id, attribute: &Attribute, value: &str) {
        let known = *self.anchors.entry(value.to_lowercase()).or_insert(node);
        if known != node {
            self.attribute(Finding::AnchorNotUnique, Some(node), Some(attribute));
        }
    }

    fn color(&mut self, node: Id, attribute: &mut Attribute, value: &str) {
        let Some(first) = value.chars().next() else {
            return self.attribute(Finding::MissingValue, Some(node), Some(attribute));
        };
        let is_good = if let Some(digits) = value.strip_prefix('#') {
            let is_good = digits.encode_utf16().count() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit());
            if is_good && !COLORS.iter().any(|color| number_of(color).eq_ignore_ascii_case(value)) {
                attribute.value = Some(value.to_uppercase());
            }
            is_good
        } else {
            is_letter(code(first)) && is_one_of(Some(value), &COLORS)
        };
        if !is_good {
            self.bad(node, attribute);
        }
    }
}

/// A colour in numbers.
fn number_of(color: &str) -> &'static str {
    match color {
        "black" => "#000000",
        "green" => "#008000",
        "silver" => "#C0C0C0",
        "lime" => "#00FF00",
        "gray" => "#808080",
        "olive" => "#808000",
        "white" => "#FFFFFF",
        "yellow" => "#FFFF00",
        "maroon" => "#800000",
        "navy" => "#000080",
        "red" => "#FF0000",
        "blue" => "#0000FF",
        "purple" => "#800080",
        "teal" => "#008080",
        "fuchsia" => "#FF00FF",
        _ => "#00FFFF",
    }
}

fn is_one_of(value: Option<&str>, words: &[&str]) -> bool {
    value.is_some_and(|value| words.iter().any(|word| word.eq_ignore_ascii_case(value)))
}

/// A digit as Java's `Character.isDigit` sees it, as far as pages use them.
fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
        || matches!(c, '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' | '\u{966}'..='\u{96F}' | '\u{FF10}'..='\u{FF19}')
}

fn code(c: char) -> i32 {
    u32::from(c) as i32
}
