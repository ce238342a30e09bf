//! `{{ $name }}` and times.

use crate::formats::values::made_by_clients;
use crate::model::Text;
use crate::notes::Notes;
use crate::source::Place;

/// A function of JMeter that gives such values.
pub(super) fn made(call: &str, place: &Place, notes: &mut Notes) -> Option<Text> {
    let (name, arguments) = call.split_once('(').unwrap_or((call, ""));
    let arguments: Vec<&str> =
        arguments.trim_end_matches(')').split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let whole = |text: &str| text.parse::<i64>().ok();
    let property =
        ["environment.", "processEnvironment.", "env."].iter().find_map(|start| name.strip_prefix(start));
    if let Some(name) =
        property.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
    {
        let how = format!("it is a property: set -J{name}=…");
        notes.changed(place, format!("environment variable {name}"), how);
        return Some(Text::property(name, ""));
    }
    let function = match (name, &arguments[..]) {
        ("randomNumber", [from, to]) => {
            whole(from).zip(whole(to)).map(|(from, to)| format!("${{__Random({from},{to})}}"))
        }
        ("randomString", length) => {
            let length = length
                .first()
                .map_or(Some(10), |length| whole(length))
                .filter(|length| (1..=10_000).contains(length));
            const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
            length.map(|length| format!("${{__RandomString({length},{LETTERS})}}"))
        }
        ("timestamp", []) => Some("${__time(,)}".to_owned()),
        (name, []) => return made_by_clients(name).or_else(|| unknown(call, place, notes)),
        _ => None,
    };
    function.map(Text::function).or_else(|| unknown(call, place, notes))
}

fn unknown(call: &str, place: &Place, notes: &mut Notes) -> Option<Text> {
    notes.left_out(place, format!("value `{{{{ ${call} }}}}`"), "no function of JMeter gives it");
    None
}

/// `5`, in seconds, or with a unit as `500ms` or `2 minutes`.
pub(super) fn duration_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let factor = match text[end..].trim() {
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
        "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 6e4,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3.6e6,
        "d" | "day" | "days" => 8.64e7,
        _ => return None,
    };
    Some((number * factor).round().min(1e15) as u64)
}
