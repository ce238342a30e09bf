//! Findings as SARIF 2.1.0, which code hosts show in reviews.

use serde_json::{Value, json};

use super::Finding;
use super::rules::{Level, RULES};

/// Findings of several files as one SARIF log. `version`: of this program.
pub fn sarif(files: &[(String, Vec<Finding>)], version: &str) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            json!({
                "id": rule.name,
                "shortDescription": { "text": sentence(rule.finds) },
                "help": { "text": sentence(rule.why) },
                "defaultConfiguration": { "level": level(rule.level) },
            })
        })
        .collect();
    let results: Vec<Value> =
        files.iter().flat_map(|(file, findings)| findings.iter().map(|found| result(file, found))).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "swell lint", "version": version, "rules": rules } },
            "results": results,
        }],
    })
}

fn result(file: &str, found: &Finding) -> Value {
    let index = RULES.iter().position(|rule| rule.name == found.rule);
    json!({
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": level(found.level),
        "message": { "text": format!("{}: {}. {}", sentence(&found.message), found.why, sentence(&found.remedy)) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(file) },
                "region": { "startLine": found.line.max(1) },
            },
            "logicalLocations": [{ "fullyQualifiedName": found.element }],
        }],
    })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Note => "note",
        Level::Warning => "warning",
    }
}

/// A text with an upper-case start and a final stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// The path as a relative URI reference.
fn uri(path: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::new();
    for byte in path.replace('\\', "/").trim_start_matches("./").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.extend(HEX.get(usize::from(byte >> 4)).map(|digit| char::from(*digit)));
            out.extend(HEX.get(usize::from(byte & 15)).map(|digit| char::from(*digit)));
        }
    }
    out
}
