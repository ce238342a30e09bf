//! Values in attributes of pages, and the selectors that lead to them.

/// A tag with its attributes, values decoded.
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Longer pages are not looked at.
const LONGEST: usize = 4 << 20;

fn tags(text: &str) -> Vec<Tag> {
    let mut all = Vec::new();
    let mut rest = if text.len() > LONGEST { "" } else { text };
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let mut tag = Tag { name: rest[..end].to_ascii_lowercase(), attributes: Vec::new() };
        rest = attributes(&rest[end..], &mut tag);
        all.push(tag);
    }
    all
}

/// Reads attributes up to the end of the tag; what follows is given back.
fn attributes<'a>(mut rest: &'a str, tag: &mut Tag) -> &'a str {
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        match rest.chars().next() {
            None => return rest,
            Some('>') => return &rest[1..],
            Some(_) => {}
        }
        let end = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c)).unwrap_or(rest.len());
        if end == 0 {
            // A character that begins no name.
            let length = rest.chars().next().map_or(0, char::len_utf8);
            rest = &rest[length..];
            continue;
        }
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
            if let Some(quote) = quote {
                let end = after[1..].find(quote).map_or(after.len(), |at| at + 1);
                value = &after[1..end];
                rest = after.get(end + 1..).unwrap_or_default();
            } else {
                let end = after.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(after.len());
                value = &after[..end];
                rest = &after[end..];
            }
        }
        tag.attributes.push((name, unescaped(value)));
    }
}

/// Entities that stand for characters of markup, and numbers.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').filter(|end| *end <= 10);
        let found = end.and_then(|end| entity(&rest[1..end]).map(|c| (c, end + 1)));
        let (c, length) = found.unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    let number = name.strip_prefix('#');
    match (number, name) {
        (Some(number), _) => {
            let hex = number.strip_prefix(['x', 'X']).map(|hex| u32::from_str_radix(hex, 16));
            char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?)
        }
        (_, "amp") => Some('&'),
        (_, "lt") => Some('<'),
        (_, "gt") => Some('>'),
        (_, "quot") => Some('"'),
        (_, "apos") => Some('\''),
        _ => None,
    }
}

/// A selector and an attribute.
pub(super) type Selected = (String, String);

/// Selectors that lead to a value: by `name`, `property` or `id`, of their first tag.
pub(super) fn selectors(text: &str, value: &str) -> Vec<Selected> {
    if !text.contains('<') {
        return Vec::new();
    }
    let tags = tags(text);
    let mut found = Vec::new();
    for tag in &tags {
        for (attribute, _) in tag.attributes.iter().filter(|(_, known)| known == value) {
            let by = ["name", "property", "id"].iter().find_map(|by| {
                let is_other = attribute != by;
                tag.attribute(by).filter(|text| is_other && is_plain(text)).map(|text| (*by, text))
            });
            let selector = match by {
                Some((by, text)) => format!("{}[{by}=\"{text}\"]", tag.name),
                None if attribute.starts_with("data-") => format!("{}[{attribute}]", tag.name),
                None => continue,
            };
            let selected = (selector, attribute.clone());
            if !found.contains(&selected) && first(&tags, &selected) == Some(value) {
                found.push(selected);
            }
        }
    }
    found
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.contains(['"', '\\', '\n'])
}

/// The attribute of the first tag that such a selector selects.
fn first<'a>(tags: &'a [Tag], (selector, attribute): &Selected) -> Option<&'a str> {
    let (name, condition) = selector.split_once('[')?;
    let condition = condition.strip_suffix(']')?;
    let (by, text) = match condition.split_once('=') {
        Some((by, text)) => (by, Some(text.trim_matches('"'))),
        None => (condition, None),
    };
    let fits = |tag: &&Tag| {
        tag.name == name && tag.attribute(by).is_some_and(|known| text.is_none_or(|text| known == text))
    };
    tags.iter().find(fits)?.attribute(attribute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_attributes_have_selectors() {
        let page = "<p a=1><form><input type=hidden name='csrf' value=\"a&amp;b\"><meta name=\"t\" content=x>\
                    <a id=next href=/n/7>n</a><div data-k='z'></div><input name=q value=1><input name=q value=2>";
        let shown = |value: &str| -> Vec<String> {
            selectors(page, value)
                .iter()
                .map(|(selector, attribute)| format!("{selector} {attribute}"))
                .collect()
        };
        assert_eq!(shown("a&b"), ["input[name=\"csrf\"] value"]);
        assert_eq!(shown("x"), ["meta[name=\"t\"] content"]);
        assert_eq!(shown("/n/7"), ["a[id=\"next\"] href"]);
        assert_eq!(shown("z"), ["div[data-k] data-k"]);
        assert_eq!(shown("2"), Vec::<String>::new());
        for odd in ["<", "<a", "<a b", "<a b=", "<a b='", "<a \"=é", "<é>", "<a =x>"] {
            assert_eq!(selectors(odd, "x"), Vec::new(), "{odd}");
        }
    }
}
