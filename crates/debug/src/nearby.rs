//! What a text has that is similar to what an extractor looked for.

use serde_json::Value;
use swell_trace::Step;

/// Suggestions for one extractor.
const MOST: usize = 4;
/// Candidates of one text that are compared.
const CANDIDATES: usize = 2_000;
/// Characters around a place of a text that are shown.
const AROUND: usize = 30;
/// Longest text that is searched.
const LONGEST: usize = 1 << 20;

/// Adds suggestions to the extractors of a step that found nothing.
pub(crate) fn note(step: &mut Step) {
    let found = step.actions.iter_mut().flat_map(|action| &mut action.extractions);
    for found in found.filter(|found| found.taken.is_none()) {
        if found.searched.is_empty() && found.error.is_none() {
            found.error = Some(format!("the {} is empty", found.subject));
            continue;
        }
        if found.matches > 0 && found.match_number > 0 {
            found.error.get_or_insert_with(|| {
                format!("match {} is wanted, but there are {}", found.match_number, found.matches)
            });
            continue;
        }
        found.nearby = nearby(found.language, &found.expression, &found.searched);
    }
}

/// What a text has that is similar to what an expression looks for, most similar first.
pub fn nearby(language: &str, expression: &str, text: &str) -> Vec<String> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    match language {
        "json" => similar(expression, json_paths(text)),
        "regex" => literal_places(&literals(expression), text),
        "boundary" => boundaries(expression, text),
        "css" => similar(expression, selectors(text)),
        "xpath" => similar(expression, xpaths(text)),
        _ => Vec::new(),
    }
}

/// Candidates in order of their similarity; those that have nothing in common are left out.
fn similar(wanted: &str, candidates: Vec<String>) -> Vec<String> {
    let last = |text: &str| {
        let end = text.trim_end_matches([']', '\'', '"', ')', ' ']);
        let name = end.rsplit(['.', '/', '#', '@', '=', '\'', '"', '[', ' ']).next().unwrap_or_default();
        name.to_lowercase()
    };
    let name = last(wanted);
    let score = |candidate: &str| {
        let whole = strsim::normalized_damerau_levenshtein(wanted, candidate);
        // Mostly one name is wrong, and mostly the last.
        let end = strsim::normalized_damerau_levenshtein(&name, &last(candidate));
        whole.mul_add(0.6, end * 0.4)
    };
    let mut scored: Vec<_> = candidates.into_iter().map(|candidate| (score(&candidate), candidate)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    let good = scored.into_iter().filter(|(score, _)| *score > 0.3);
    good.take(MOST).map(|(_, candidate)| candidate).collect()
}

/// All paths of a JSON text; empty for other texts.
fn json_paths(text: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut paths = Vec::new();
    collect_json(&value, "$", &mut paths);
    paths
}

fn collect_json(value: &Value, path: &str, paths: &mut Vec<String>) {
    if paths.len() >= CANDIDATES {
        return;
    }
    paths.push(path.to_owned());
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                let below = if is_plain { format!("{path}.{name}") } else { format!("{path}['{name}']") };
                collect_json(member, &below, paths);
            }
        }
        // Items of a list are mostly alike.
        Value::Array(items) => {
            for (at, item) in items.iter().take(3).enumerate() {
                collect_json(item, &format!("{path}[{at}]"), paths);
            }
        }
        _ => {}
    }
}

/// The parts of a regular expression that stand for themselves, longest first.
fn literals(pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut part = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let literal = match c {
            '\\' => chars.next().filter(|next| !next.is_alphanumeric()),
            '[' => {
                chars.by_ref().take_while(|c| *c != ']').for_each(drop);
                None
            }
            '(' | ')' | '.' | '*' | '+' | '?' | '{' | '}' | '^' | '$' | '|' => None,
            c => Some(c),
        };
        match literal {
            Some(c) => part.push(c),
            None => found.push(std::mem::take(&mut part)),
        }
    }
    found.push(part);
    found.retain(|part| part.trim().chars().count() >= 2);
    found.sort_by_key(|part| std::cmp::Reverse(part.len()));
    found
}

/// Places of a text that have a literal, or the longest part of one.
fn literal_places(literals: &[String], text: &str) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for literal in literals {
        let place = place_of(literal, text).filter(|place| !places.contains(place));
        places.extend(place);
        if places.len() == 2 {
            break;
        }
    }
    places
}

/// The text around a literal, or around the longest part of it that is there.
fn place_of(literal: &str, text: &str) -> Option<String> {
    if let Some(at) = text.find(literal) {
        return Some(around(text, at, literal.len()));
    }
    let lower = text.to_ascii_lowercase();
    if let Some(at) = lower.find(&literal.to_ascii_lowercase()) {
        return Some(around(text, at, literal.len()));
    }
    let words = literal.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= 3);
    let mut words: Vec<_> = words.collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    if let Some((at, word)) = words.iter().find_map(|word| Some((text.find(word)?, word))) {
        return Some(around(text, at, word.len()));
    }
    // A word that is misspelt has a similar one.
    let wanted = words.first()?;
    let in_text = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() >= 3);
    let score = |word: &&str| strsim::normalized_damerau_levenshtein(wanted, word);
    let best = in_text.take(CANDIDATES).max_by(|a, b| score(a).total_cmp(&score(b)))?;
    let at = best.as_ptr().addr() - text.as_ptr().addr();
    (score(&best) > 0.6).then(|| around(text, at, best.len()))
}

/// A part of a text and what is before and after it, as one line.
fn around(text: &str, at: usize, length: usize) -> String {
    let from = text.floor_char_boundary(at.saturating_sub(AROUND));
    let to = text.ceil_char_boundary((at + length + AROUND).min(text.len()));
    let line = text[from..to].split_whitespace().collect::<Vec<_>>().join(" ");
    let before = if from > 0 { "…" } else { "" };
    let after = if to < text.len() { "…" } else { "" };
    format!("{before}{line}{after}")
}

/// `left … right`: which of the two is there.
fn boundaries(expression: &str, text: &str) -> Vec<String> {
    let Some((left, right)) = expression.split_once(" … ") else { return Vec::new() };
    match text.find(left) {
        // The left one is there, so the right one is not after it.
        Some(at) if !left.is_empty() => vec![around(text, at, left.len())],
        _ => place_of(left, text).or_else(|| place_of(right, text)).into_iter().collect(),
    }
}

/// Start tags of a page with their attributes, up to the limit.
fn tags(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found = Vec::new();
    for part in text.split('<').skip(1).take(CANDIDATES) {
        let part = part.split('>').next().unwrap_or_default();
        let name: String = part.chars().take_while(|c| c.is_alphanumeric() || "-:_".contains(*c)).collect();
        if name.is_empty() {
            continue;
        }
        found.push((name.clone(), attributes(&part[name.len()..])));
    }
    found
}

fn attributes(mut rest: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    while let Some((name, value)) = rest.split_once('=') {
        let name = name.trim().rsplit(char::is_whitespace).next().unwrap_or_default().to_owned();
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => value.split_once(char::is_whitespace).unwrap_or((value, "")),
        };
        found.push((name, value.to_owned()));
        rest = after;
    }
    found
}

fn selectors(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (tag, attributes) in tags(text) {
        found.push(tag.clone());
        for (name, value) in attributes {
            found.push(match &*name {
                "id" => format!("{tag}#{value}"),
                "class" => format!("{tag}.{}", value.split_whitespace().collect::<Vec<_>>().join(".")),
                name => format!("{tag}[{name}={value}]"),
            });
        }
    }
    found
}

fn xpaths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (tag, attributes) in tags(text) {
        found.push(format!("//{tag}"));
        for (name, value) in attributes {
            found.push(format!("//{tag}[@{name}='{value}']"));
            found.push(format!("//{tag}/@{name}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_paths_of_json_come_first() {
        let body = r#"{"order":{"id":7,"qty":2},"items":[{"sku":"a"}],"a b":1}"#;
        assert_eq!(nearby("json", "$.order.idd", body)[0], "$.order.id");
        assert_eq!(nearby("json", "$.items[0].skuu", body)[0], "$.items[0].sku");
        assert_eq!(nearby("json", "$.x", "<html>"), Vec::<String>::new());
    }

    #[test]
    fn places_of_a_pattern_are_shown() {
        let page = r#"<form><input name="csrf_token" value="abc"></form>"#;
        let found = nearby("regex", r#"name="csrf_tokn" value="([^"]+)""#, page);
        assert!(found[0].contains("csrf_token"), "{found:?}");
        let found = nearby("boundary", "csrf_token value=\" … \"", page);
        assert!(found[0].contains("csrf_token"), "{found:?}");
        assert_eq!(nearby("css", "input[name=csrf_tokn]", page)[0], "input[name=csrf_token]");
        assert_eq!(nearby("xpath", "//input[@name='csrf_tokn']", page)[0], "//input[@name='csrf_token']");
        assert!(nearby("regex", "zzzz(.)", page).is_empty());
    }

    #[test]
    fn literals_are_what_stands_for_itself() {
        assert_eq!(literals(r#"id="(\d+)"\.x[ab]yz"#), ["id=\"", "\".x", "yz"]);
    }
}
