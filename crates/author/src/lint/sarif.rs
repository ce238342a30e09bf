//! Findings as SARIF 2.1.0, which code hosts show in reviews.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::Finding;
use super::rules::RULES;

/// Findings of several files as one SARIF log. `version`: of this program.
pub fn sarif<'f>(files: impl IntoIterator<Item = (String, &'f [Finding])>, version: &str) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            json!({
                "id": rule.name,
                "shortDescription": { "text": sentence(rule.finds) },
                "help": { "text": sentence(rule.why) },
                "defaultConfiguration": { "level": rule.level.name() },
            })
        })
        .collect();
    let of_file = |(file, findings): (String, &[Finding])| {
        findings.iter().map(|found| result(&file, found)).collect::<Vec<_>>()
    };
    let results: Vec<Value> = files.into_iter().flat_map(of_file).collect();
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
        "level": found.level.name(),
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

/// A text with an upper-case start and a final stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// The path as a relative URI reference.
fn uri(path: &str) -> String {
    const ESCAPED: AsciiSet =
        NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
    let path = path.replace('\\', "/");
    utf8_percent_encode(path.trim_start_matches("./"), &ESCAPED).to_string()
}
