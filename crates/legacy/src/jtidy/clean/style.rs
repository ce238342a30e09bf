//! Styles of elements as text.

use super::super::node::{Attribute, Id};
use super::super::page::Page;
use super::super::tags::Tag;

impl Page {
    /// The place of an attribute; JTidy fails on scripts of the server here.
    fn place_of(&mut self, node: Id, name: &str) -> Option<usize> {
        let attributes = &self.tree[node].attributes;
        let place = attributes.iter().position(|attribute| attribute.is_named(name));
        let looked_at = &attributes[..place.unwrap_or(attributes.len())];
        if looked_at.iter().any(|attribute| attribute.name.is_none()) {
            self.fail();
        }
        place
    }

    /// Adds a property to an element's style.
    pub(super) fn add_style(&mut self, node: Id, property: &str) {
        match self.place_of(node, "style") {
            None => self.tree[node].attributes.insert(0, Attribute::new("style", Some(property))),
            Some(place) => match self.tree[node].attributes[place].value.clone() {
                None => self.fail(),
                Some(style) => self.tree[node].attributes[place].value = Some(joined(&style, property)),
            },
        }
    }

    /// Takes the classes and styles of a child over.
    pub(super) fn merge_styles(&mut self, node: Id, child: Id) {
        self.merge(node, child, "class", |one, other| format!("{one} {other}"));
        self.place_of(child, "style");
        self.place_of(node, "style");
        self.merge(node, child, "style", joined);
    }

    fn merge(&mut self, node: Id, child: Id, name: &str, join: impl Fn(&str, &str) -> String) {
        let Some(other) = self.tree[child].attribute(name).and_then(|attribute| attribute.value.clone())
        else {
            return;
        };
        let own = self.tree[node].attributes.iter_mut().find(|attribute| attribute.is_named(name));
        match own {
            Some(Attribute { value: Some(value), .. }) => *value = join(value, &other),
            _ => self.tree[node].attributes.insert(0, Attribute::new(name, Some(&other))),
        }
    }

    /// Face, size and colour of a font as styles of an element.
    pub(super) fn add_font_styles(&mut self, node: Id, font: Id) {
        for attribute in self.tree[font].attributes.clone() {
            let value = attribute.value.as_deref();
            match attribute.name.as_deref() {
                None => self.fail(),
                Some("face") => self.add_style(node, &format!("font-family: {}", value.unwrap_or("null"))),
                Some("size") => self.add_font_size(node, value),
                Some("color") => self.add_style(node, &format!("color: {}", value.unwrap_or("null"))),
                Some(_) => {}
            }
        }
    }

    fn add_font_size(&mut self, node: Id, size: Option<&str>) {
        let Some(size) = size else { return };
        let heading = match size {
            "6" => Some(Tag::H1),
            "5" => Some(Tag::H2),
            "4" => Some(Tag::H3),
            _ => None,
        };
        match heading.filter(|_| self.is_tag(node, Tag::P)) {
            Some(heading) => self.rename(node, heading),
            None => {
                if let Some(name) = font_size(size) {
                    self.add_style(node, &format!("font-size: {name}"));
                }
            }
        }
    }

    /// `align` becomes a style.
    pub(super) fn text_align(&mut self, node: Id) {
        let Some(place) = self.place_of(node, "align") else { return };
        if let Some(align) = self.tree[node].attributes.remove(place).value {
            self.add_style(node, &format!("text-align: {}", align.to_lowercase()));
        }
    }
}

/// The size of a font in CSS; none for the size that text has anyway.
fn font_size(size: &str) -> Option<String> {
    let small_digit =
        |byte: Option<&u8>| byte.filter(|byte| (b'0'..=b'6').contains(byte)).map(|&byte| byte - b'0');
    let bytes = size.as_bytes();
    if let Some(digit) = small_digit(bytes.first()) {
        let names = ["60%", "70%", "80%", "", "120%", "150%", "200%"];
        return Some(names[usize::from(digit)].to_owned()).filter(|name| !name.is_empty());
    }
    let is_smaller = bytes.first() == Some(&b'-');
    let (factor, word) = if is_smaller { (0.8, "smaller") } else { (1.2, "larger") };
    let Some(steps) = small_digit(bytes.get(1)) else { return Some(word.to_owned()) };
    let mut part: f64 = 1.0;
    for _ in 0..steps {
        part *= factor;
    }
    Some(format!("{}%", (part * 100.0) as i32))
}

/// Two styles as one, sorted by property; of one that both have, the first stays.
fn joined(one: &str, other: &str) -> String {
    let mut properties: Vec<(&str, &str)> = Vec::new();
    for (name, value) in properties_of(one).chain(properties_of(other)) {
        let place = properties.iter().position(|(known, _)| *known >= name).unwrap_or(properties.len());
        if properties.get(place).is_none_or(|(known, _)| *known != name) {
            properties.insert(place, (name, value));
        }
    }
    let texts: Vec<_> = properties.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    texts.join("; ")
}

/// The properties of a style up to the first that has no value.
fn properties_of(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = Some(style);
    std::iter::from_fn(move || {
        let (name, behind) = rest?.trim_start_matches(' ').split_once(':')?;
        let behind = behind.trim_start_matches(' ');
        let (value, more) = match behind.split_once(';') {
            Some((value, more)) => (value, Some(more)),
            None => (behind, None),
        };
        rest = more;
        Some((name, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_joined_by_name() {
        for (one, other, wanted) in [
            ("color: red", "color: blue", "color: red"),
            ("b: 1; a: 2;", "c:3", "a: 2; b: 1; c: 3"),
            ("a", "b: 1", "b: 1"),
            ("a: 1; b; c: 3", "d: 4", "a: 1; b; c: 3; d: 4"),
            ("", "", ""),
        ] {
            assert_eq!(joined(one, other), wanted, "{one} | {other}");
        }
    }

    #[test]
    fn sizes_of_fonts_have_names() {
        for (size, wanted) in [
            ("0", Some("60%")),
            ("3", None),
            ("6", Some("200%")),
            ("-1", Some("80%")),
            ("-2", Some("64%")),
            ("+2", Some("144%")),
            ("7", Some("larger")),
            ("-", Some("smaller")),
            ("", Some("larger")),
            ("72", Some("144%")),
        ] {
            assert_eq!(font_size(size).as_deref(), wanted, "{size}");
        }
    }
}
