//! `{a,b}` and `[1-3]` in URLs, which curl expands.

use crate::model::{Text, TextPart};

/// A URL with more is left out.
const MOST: usize = 100;

/// All URLs that one means.
///
/// # Errors
/// A range or list that cannot be read, or too many URLs.
pub(super) fn expand(url: &Text) -> Result<Vec<Text>, String> {
    let mut all = vec![Text::default()];
    for part in url.parts() {
        let TextPart::Literal(text) = part else {
            for one in &mut all {
                one.push(Text::from(part));
            }
            continue;
        };
        for choices in pieces(text)? {
            if all.len() * choices.len() > MOST {
                return Err(format!("its URL means more than {MOST} requests"));
            }
            let with = |one: &Text| {
                let one = one.clone();
                choices
                    .iter()
                    .map(move |choice| {
                        let mut longer = one.clone();
                        longer.push_literal(choice);
                        longer
                    })
                    .collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
    }
    Ok(all)
}

/// The text in pieces, each with its choices.
fn pieces(text: &str) -> Result<Vec<Vec<String>>, String> {
    let mut out = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let close = match c {
            '{' => '}',
            '[' => ']',
            '\\' => {
                let next: String = rest.chars().skip(1).take(1).collect();
                if matches!(&*next, "{" | "}" | "[" | "]") {
                    rest = &rest[1..];
                }
                let first = rest.chars().next().unwrap_or('\\');
                plain.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            c => {
                plain.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        let Some(end) = rest.find(close) else {
            return Err(format!("its URL has a `{c}` that is never closed; curl takes it with -g"));
        };
        let inside = &rest[1..end];
        let choices =
            if c == '{' { Some(inside.split(',').map(str::to_owned).collect()) } else { range(inside) };
        // An IPv6 address is not a range.
        match choices {
            None if c == '[' && inside.contains(':') && plain.ends_with("//") => {
                plain.push_str(&rest[..=end]);
            }
            None => {
                return Err(format!("its URL has `[{inside}]`, which is not a range; curl takes it with -g"));
            }
            Some(choices) => {
                out.push(vec![std::mem::take(&mut plain)]);
                out.push(choices);
            }
        }
        rest = &rest[end + 1..];
    }
    out.push(vec![plain]);
    Ok(out)
}

/// `1-3`, `001-100`, `a-z`, each with a step after a colon.
fn range(text: &str) -> Option<Vec<String>> {
    let (bounds, step) = text.split_once(':').unwrap_or((text, "1"));
    let step: usize = step.parse().ok().filter(|step| *step > 0)?;
    let (first, last) = bounds.split_once('-')?;
    if let (Ok(low), Ok(high)) = (first.parse::<u64>(), last.parse::<u64>()) {
        let width = if first.starts_with('0') { first.len() } else { 0 };
        let numbers = (low <= high).then(|| (low..=high).step_by(step))?;
        return Some(numbers.take(MOST + 1).map(|number| format!("{number:0width$}")).collect());
    }
    let mut letters = first.chars().zip(last.chars());
    let (low, high) = letters.next().filter(|_| first.len() == 1 && last.len() == 1)?;
    (low <= high && low.is_ascii_alphabetic() && high.is_ascii_alphabetic())
        .then(|| (low..=high).step_by(step).map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_expanded_as_curl_does() {
        for (url, wanted) in [
            ("http://a/x", Some("http://a/x")),
            ("http://{a,b}/[1-2]", Some("http://a/1 http://a/2 http://b/1 http://b/2")),
            ("http://a/[08-10:2]", Some("http://a/08 http://a/10")),
            ("http://a/[a-c:2]", Some("http://a/a http://a/c")),
            ("http://[::1]/", Some("http://[::1]/")),
            ("http://a/\\{x\\}", Some("http://a/{x}")),
            ("http://a/[x]", None),
            ("http://a/{x", None),
            ("http://a/[1-1000]", None),
        ] {
            let found = expand(&Text::literal(url)).ok();
            let shown = found.map(|all| all.iter().map(Text::to_plan).collect::<Vec<_>>().join(" "));
            assert_eq!(shown.as_deref(), wanted, "{url}");
        }
    }
}
