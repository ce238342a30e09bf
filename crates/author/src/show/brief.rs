//! The settings of an element that its line shows.

use swell_plan::Element;

use crate::facts::{Fact, facts};
use crate::outline::Entry;
use crate::property::{Documents, EntryName, is_hidden, short};

/// Texts of settings longer than this are cut.
const LONGEST: usize = 60;

/// Settings of an element that are not the default, the important first, each `name=value`.
pub(super) fn brief(entry: &Entry<'_>, documents: &Documents<'_>) -> Vec<String> {
    let element = entry.element();
    let all = facts(element);
    let documented = entry.kind.as_ref().and_then(|kind| documents.of_kind(kind));
    let mut shown: Vec<String> = request(element).into_iter().collect();
    let is_request = !shown.is_empty();
    let is_default = |fact: &Fact| {
        let known =
            documented.as_ref().and_then(|known| known.properties.iter().find(|one| one.name == fact.name));
        match known {
            Some(known) => known.default == fact.value,
            None => matches!(fact.value.as_str(), "true" | "false"),
        }
    };
    let is_shown = |fact: &&Fact| {
        let of_request = [
            "HTTPSampler.method",
            "HTTPSampler.domain",
            "HTTPSampler.port",
            "HTTPSampler.path",
            "HTTPSampler.protocol",
        ];
        !fact.value.trim().is_empty()
            && fact.name != "TestPlan.comments"
            && !fact.name.starts_with("saveConfig.")
            && !is_default(fact)
            && (!is_request || !of_request.contains(&fact.name.as_str()))
    };
    shown.extend(all.iter().filter(is_shown).filter_map(setting));
    shown
}

/// The method and the address of an HTTP request.
fn request(element: &Element) -> Option<String> {
    let method = element.text("HTTPSampler.method")?;
    let path = element.text_or_empty("HTTPSampler.path");
    let domain = element.text_or_empty("HTTPSampler.domain");
    let port = element.text_or_empty("HTTPSampler.port");
    let protocol = element.text_or_empty("HTTPSampler.protocol");
    let mut address = String::new();
    if !domain.is_empty() {
        if !protocol.is_empty() {
            address.extend([protocol, "://"]);
        }
        address.push_str(domain);
        if !port.is_empty() {
            address.extend([":", port]);
        }
        if !path.starts_with('/') {
            address.push('/');
        }
    }
    address.push_str(path);
    Some(format!("{method} {}", cut(&address)))
}

/// A property as `name=value`. An entry of a list is shown by its own name; what else is in the
/// entry is left out.
fn setting(fact: &Fact) -> Option<String> {
    let is_hidden = is_hidden(&fact.name, &fact.value);
    let value = if is_hidden { "***".to_owned() } else { cut(&fact.value) };
    if fact.list.is_none() {
        return Some(format!("{}={value}", short(&fact.name)));
    }
    let EntryName { list, key, part } = EntryName::of(&fact.name)?;
    match part {
        "" => Some(format!("{}={value}", short(list))),
        "value" if key.parse::<u32>().is_ok() => Some(value),
        "value" => Some(format!("{key}={value}")),
        _ => None,
    }
}

/// A text in one line, cut.
pub(super) fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
