//! `{{$name}}`: values that Postman makes for each request.

use crate::formats::values::made_by_clients;
use crate::model::Text;
use crate::notes::Notes;
use crate::source::Place;

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// A function of JMeter that gives such values; a random word, with a note, instead of names and
/// texts of Postman's word lists.
pub(super) fn value(name: &str, place: &Place, notes: &mut Notes) -> Option<Text> {
    if let Some(made) = made_by_clients(name) {
        return Some(made);
    }
    if let Some(call) = equivalent(name) {
        return Some(Text::function(call));
    }
    let what = format!("value `{{{{${name}}}}}`");
    let made = random(name);
    match &made {
        Some(_) => notes.changed(place, what, RANDOM),
        None => notes.left_out(place, what, "Postman has no such value, so it is sent as it is"),
    }
    made
}

/// How a value of [`random`] differs.
pub(super) const RANDOM: &str = "a random text takes its place: JMeter has no lists of names and words";

/// A random value of the same form as one of Postman's word lists.
pub(super) fn random(name: &str) -> Option<Text> {
    if !name.starts_with("random") {
        return None;
    }
    let word = format!("${{__RandomString(10,{LETTERS})}}");
    Some(Text::function(match name {
        "randomEmail" | "randomExampleEmail" => format!("{word}@example.com"),
        _ if name.contains("Url") || name.contains("Image") => format!("http://example.com/{word}"),
        "randomPrice" | "randomBankAccount" | "randomCreditCardMask" => "${__Random(0,1000)}".to_owned(),
        "randomBoolean" => "true".to_owned(),
        _ if name.contains("Date") => "${__time(yyyy-MM-dd'T'HH:mm:ss.SSSXXX,)}".to_owned(),
        _ => word,
    }))
}

/// Values that JMeter can make in the same way.
pub(super) fn equivalent(name: &str) -> Option<String> {
    const ALPHANUMERIC: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let text = |length: u32, letters: &str| format!("${{__RandomString({length},{letters})}}");
    let byte = || "${__Random(0,255)}".to_owned();
    let hex = |length| text(length, "0123456789abcdef");
    Some(match name {
        "randomAlphaNumeric" => text(1, &ALPHANUMERIC.replace(|c: char| c.is_ascii_uppercase(), "")),
        "randomPassword" => text(15, ALPHANUMERIC),
        "randomHexColor" => format!("#{}", hex(6)),
        "randomIP" => vec![byte(); 4].join("."),
        "randomIPV6" => vec![hex(4); 8].join(":"),
        "randomMACAddress" => vec![hex(2); 6].join(":"),
        "randomPhoneNumber" => format!("{}-{}-{}", digits(3), digits(3), digits(4)),
        _ => return None,
    })
}

fn digits(length: u32) -> String {
    format!("${{__RandomString({length},0123456789)}}")
}
