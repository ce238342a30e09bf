//! Variables that are set and that nothing reads.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::context::{Context, finding};
use super::rules::NEVER_READ;
use crate::variables::stems;

pub(super) fn find(cx: &Context<'_>, all: &mut Vec<Finding>) {
    if !cx.is_whole || cx.uses.iter().any(|uses| uses.reads_any) {
        return;
    }
    // Which elements mention a text that may be the name; two are enough to know that another one
    // than the setter does.
    let mut mentioned: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    let mut read: BTreeSet<&str> = BTreeSet::new();
    for (at, uses) in cx.uses.iter().enumerate() {
        read.extend(uses.reads.iter().flat_map(|name| stems(name)));
        for text in uses.mentions.iter().chain(&uses.literals) {
            let place = mentioned.entry(text).or_insert((at, false));
            place.1 |= place.0 != at;
        }
    }
    let mut seen = BTreeSet::new();
    for (at, (entry, uses)) in
        cx.entries.iter().zip(&cx.uses).enumerate().filter(|(_, (entry, _))| entry.is_enabled)
    {
        let is_elsewhere =
            |name: &str| mentioned.get(name).is_some_and(|(place, is_several)| *is_several || *place != at);
        let unread = uses.sets.iter().filter(|name| !read.contains(name.as_str()) && !is_elsewhere(name));
        let unread: Vec<&str> = unread.map(String::as_str).filter(|name| seen.insert(*name)).collect();
        if unread.is_empty() {
            continue;
        }
        let names: Vec<String> = unread.iter().take(5).map(|name| format!("`{name}`")).collect();
        let more = if unread.len() > 5 { format!(" and {} more", unread.len() - 5) } else { String::new() };
        let message = format!("nothing reads {}{more}", names.join(", "));
        let remedy = "remove what sets it, or correct the name where it is read; the property sample_variables may also read it";
        all.push(finding(NEVER_READ, entry.element(), message, remedy));
    }
}
