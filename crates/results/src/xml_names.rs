//! Names of the attributes of samples in an XML results file.

use crate::{Save, SaveConfig};

/// Names of attributes with variables: an element must not have two attributes with one name.
pub(crate) struct VariableNames {
    /// Attributes that are there already.
    taken: Vec<String>,
    variables: Vec<String>,
}

impl VariableNames {
    /// Treats the attributes that every row of this form has as taken.
    pub(crate) fn after_attributes_of(config: &SaveConfig) -> Self {
        let saved = ATTRIBUTES.iter().filter(|(switch, _)| config.saves(*switch));
        Self { taken: saved.map(|(_, name)| (*name).to_owned()).collect(), variables: Vec::new() }
    }

    /// The attribute of the next variable; none if it is there already. JMeter writes a second
    /// attribute of the same name, and no parser reads the file.
    pub(crate) fn of(&mut self, variable: &str) -> Option<String> {
        if self.variables.iter().any(|known| known == variable) {
            return None;
        }
        self.variables.push(variable.to_owned());
        let mut name = xml_name(variable);
        while self.taken.contains(&name) {
            name.insert_str(0, "var.");
        }
        self.taken.push(name.clone());
        Some(name)
    }
}

/// What is saved, and the attribute that shows it.
pub(crate) const ATTRIBUTES: [(Save, &str); 19] = [
    (Save::Time, "t"),
    (Save::IdleTime, "it"),
    (Save::Latency, "lt"),
    (Save::ConnectTime, "ct"),
    (Save::Timestamp, "ts"),
    (Save::Success, "s"),
    (Save::Label, "lb"),
    (Save::Code, "rc"),
    (Save::Message, "rm"),
    (Save::ThreadName, "tn"),
    (Save::DataType, "dt"),
    (Save::Encoding, "de"),
    (Save::Bytes, "by"),
    (Save::SentBytes, "sby"),
    (Save::SampleCount, "sc"),
    (Save::SampleCount, "ec"),
    (Save::ThreadCounts, "ng"),
    (Save::ThreadCounts, "na"),
    (Save::Hostname, "hn"),
];

/// A name as XStream's `XmlFriendlyNameCoder` writes it.
pub(crate) fn xml_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (at, unit) in name.encode_utf16().enumerate() {
        match unit {
            0x24 => out.push_str("_-"),
            0x5f => out.push_str("__"),
            _ => match char::from_u32(unit.into()) {
                Some(character) if is_name_character(character, at == 0) => out.push(character),
                _ => out.extend(["_.", &format!("{unit:04x}")]),
            },
        }
    }
    out
}

/// Productions 4 and 4a of XML 1.0, fifth edition, as `XmlFriendlyNameCoder` has them.
fn is_name_character(character: char, first: bool) -> bool {
    let start = matches!(character, ':' | '_' | 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{2ff}' | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}'
        | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}'
        | '\u{fdf0}'..='\u{fffd}');
    let inside = matches!(character, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}');
    start || (inside && !first)
}
