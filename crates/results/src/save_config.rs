//! The fields of a results file (`org.apache.jmeter.samplers.SampleSaveConfiguration`).

use swell_expr::Properties;

/// A switch of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Save {
    /// Column `elapsed`, attribute `t`.
    Time,
    /// Column `Latency`, attribute `lt`.
    Latency,
    /// Column `Connect`, attribute `ct`.
    ConnectTime,
    /// Column `timeStamp`, attribute `ts`.
    Timestamp,
    /// Column `success`, attribute `s`.
    Success,
    /// Column `label`, attribute `lb`.
    Label,
    /// Column `responseCode`, attribute `rc`.
    Code,
    /// Column `responseMessage`, attribute `rm`.
    Message,
    /// Column `threadName`, attribute `tn`.
    ThreadName,
    /// Column `dataType`, attribute `dt`.
    DataType,
    /// Column `Encoding`, attribute `de`.
    Encoding,
    /// XML: elements `assertionResult`.
    Assertions,
    /// Rows or elements of sub-samples.
    Subresults,
    /// XML: element `responseData`.
    ResponseData,
    /// XML: element `samplerData`, or the details of an HTTP request.
    SamplerData,
    /// The file is XML, not CSV.
    Xml,
    /// CSV: a first line with the names of the columns.
    FieldNames,
    /// XML: element `responseHeader`.
    ResponseHeaders,
    /// XML: element `requestHeader`.
    RequestHeaders,
    /// XML: `responseData` and `samplerData` of failed samples.
    ResponseDataOnError,
    /// Column `failureMessage`.
    FailureMessage,
    /// Column `URL`, element `java.net.URL`.
    Url,
    /// Column `bytes`, attribute `by`.
    Bytes,
    /// Column `sentBytes`, attribute `sby`.
    SentBytes,
    /// Column `Filename`, element `responseFile`.
    FileName,
    /// Column `Hostname`, attribute `hn`.
    Hostname,
    /// Columns `grpThreads` and `allThreads`, attributes `ng` and `na`.
    ThreadCounts,
    /// Columns `SampleCount` and `ErrorCount`, attributes `sc` and `ec`.
    SampleCount,
    /// Column `IdleTime`, attribute `it`.
    IdleTime,
    /// Not JMeter's: columns `intendedNs`, `readyNs`, `startNs`, `connectedNs`, `sentNs`,
    /// `firstByteNs`, `endNs`, `readNs`, the whole time line in nanoseconds since the epoch, 0 for
    /// what did not happen. CSV only.
    TimeLine,
}

/// Switch, end of its property `jmeter.save.saveservice.…`, its member in a plan's `saveConfig`,
/// default. The switches without their own property follow from `timestamp_format` and
/// `output_format`.
const SWITCHES: [(Save, &str, &str, bool); 30] = [
    (Save::Time, "time", "time", true),
    (Save::Latency, "latency", "latency", true),
    (Save::ConnectTime, "connect_time", "connectTime", true),
    (Save::Timestamp, "", "timestamp", true),
    (Save::Success, "successful", "success", true),
    (Save::Label, "label", "label", true),
    (Save::Code, "response_code", "code", true),
    (Save::Message, "response_message", "message", true),
    (Save::ThreadName, "thread_name", "threadName", true),
    (Save::DataType, "data_type", "dataType", true),
    (Save::Encoding, "encoding", "encoding", false),
    (Save::Assertions, "assertions", "assertions", true),
    (Save::Subresults, "subresults", "subresults", true),
    (Save::ResponseData, "response_data", "responseData", false),
    (Save::SamplerData, "samplerData", "samplerData", false),
    (Save::Xml, "", "xml", false),
    (Save::FieldNames, "print_field_names", "fieldNames", true),
    (Save::ResponseHeaders, "responseHeaders", "responseHeaders", false),
    (Save::RequestHeaders, "requestHeaders", "requestHeaders", false),
    (Save::ResponseDataOnError, "response_data.on_error", "responseDataOnError", false),
    (Save::FailureMessage, "assertion_results_failure_message", "saveAssertionResultsFailureMessage", true),
    (Save::Url, "url", "url", true),
    (Save::Bytes, "bytes", "bytes", true),
    (Save::SentBytes, "sent_bytes", "sentBytes", true),
    (Save::FileName, "filename", "fileName", false),
    (Save::Hostname, "hostname", "hostname", false),
    (Save::ThreadCounts, "thread_counts", "threadCounts", true),
    (Save::SampleCount, "sample_count", "sampleCount", false),
    (Save::IdleTime, "idle_time", "idleTime", true),
    (Save::TimeLine, "time_line", "timeLine", false),
];

const PREFIX: &str = "jmeter.save.saveservice.";

/// How a timestamp is written in CSV. XML always has milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// Milliseconds since the epoch.
    Ms,
    /// A pattern of Java's `SimpleDateFormat`.
    Pattern(String),
}

/// The fields of a results file and their formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveConfig {
    switches: u32,
    /// Form of time stamps.
    pub stamp: Stamp,
    /// CSV: what stands between columns; an ASCII character.
    pub delimiter: u8,
}

impl SaveConfig {
    /// What the properties of the run say, with JMeter's defaults. Only `true` in any case is true,
    /// as in JMeter.
    ///
    /// # Errors
    /// A text that names the property and its right values.
    pub fn from_properties(props: &Properties) -> Result<Self, String> {
        let get = |name: &str| props.get(&format!("{PREFIX}{name}"));
        let mut config = Self { switches: 0, stamp: Stamp::Ms, delimiter: b',' };
        for (switch, property, _, default) in SWITCHES {
            let said = get(property).map(|text| text.eq_ignore_ascii_case("true"));
            config.set(switch, said.unwrap_or(default));
        }
        config.set(Save::Xml, get("output_format").as_deref() == Some("xml"));
        match get("timestamp_format") {
            None => {}
            Some(format) if format.eq_ignore_ascii_case("ms") => {}
            Some(format) if format.eq_ignore_ascii_case("none") => config.set(Save::Timestamp, false),
            Some(format) => config.stamp = Stamp::Pattern(format),
        }
        if let Some(text) = get("default_delimiter") {
            config.delimiter = delimiter(&text)?;
        }
        Ok(config)
    }

    /// What a listener's `saveConfig` says; a member that is missing is false, what is no member
    /// there (delimiter, form of time stamps) comes from the properties
    /// (`SampleSaveConfigurationConverter.unmarshal`).
    ///
    /// # Errors
    /// A text that names the member.
    pub fn from_xml(xml: &str, from_properties: &Self) -> Result<Self, String> {
        let mut config = Self { switches: 0, ..from_properties.clone() };
        for (member, value) in members(xml) {
            if let Some((switch, ..)) = SWITCHES.iter().find(|(_, _, name, _)| *name == member) {
                config.set(*switch, value.eq_ignore_ascii_case("true"));
            } else if member == "delimiter" {
                config.delimiter = delimiter(value)?;
            }
        }
        Ok(config)
    }

    /// Whether something is saved.
    pub fn saves(&self, switch: Save) -> bool {
        self.switches & 1 << switch as u32 != 0
    }

    /// Sets a switch.
    pub fn set(&mut self, switch: Save, on: bool) {
        let bit = 1 << switch as u32;
        self.switches = if on { self.switches | bit } else { self.switches & !bit };
    }
}

/// `JMeterUtils.getDelimiter` and the checks of `SampleSaveConfiguration`.
fn delimiter(text: &str) -> Result<u8, String> {
    let text = if text == "\\t" { "\t" } else { text };
    match text.as_bytes() {
        [b'\t'] => Ok(b'\t'),
        [byte] if !byte.is_ascii_alphanumeric() && *byte != b'"' && (b' '..=b'~').contains(byte) => Ok(*byte),
        _ => Err(format!(
            "{PREFIX}default_delimiter is `{text}`; it must be one printable ASCII character that is no letter, digit or quote, or `\\t`"
        )),
    }
}

/// Leaf elements of a piece of XML: name and text. The members of a `saveConfig` are plain words,
/// so nothing more is needed of XML.
fn members(xml: &str) -> impl Iterator<Item = (&str, &str)> {
    xml.split('<').filter_map(|piece| {
        let (tag, text) = piece.split_once('>')?;
        let name = tag.split_ascii_whitespace().next()?;
        (!name.starts_with(['/', '?', '!']) && !tag.ends_with('/')).then_some((name, text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(set: &[(&str, &str)]) -> Properties {
        let props = Properties::default();
        for (name, value) in set {
            props.set(&format!("{PREFIX}{name}"), value);
        }
        props
    }

    fn config(set: &[(&str, &str)]) -> SaveConfig {
        SaveConfig::from_properties(&properties(set)).expect("valid")
    }

    #[test]
    fn each_switch_has_its_own_place_in_the_table() {
        for (place, (switch, ..)) in SWITCHES.iter().enumerate() {
            assert_eq!(*switch as usize, place);
        }
    }

    #[test]
    fn only_the_word_true_switches_on() {
        for (text, on) in
            [("true", true), ("TRUE", true), ("yes", false), ("1", false), ("false", false), ("", false)]
        {
            assert_eq!(config(&[("hostname", text)]).saves(Save::Hostname), on, "{text}");
        }
        assert!(config(&[]).saves(Save::Url) && !config(&[("url", "false")]).saves(Save::Url));
    }

    #[test]
    fn the_form_of_time_stamps_decides_whether_there_are_any() {
        assert_eq!(config(&[("timestamp_format", "MS")]).stamp, Stamp::Ms);
        assert!(!config(&[("timestamp_format", "none")]).saves(Save::Timestamp));
        let pattern = config(&[("timestamp_format", "yyyy/MM/dd HH:mm:ss.SSS")]);
        assert!(pattern.saves(Save::Timestamp));
        assert_eq!(pattern.stamp, Stamp::Pattern("yyyy/MM/dd HH:mm:ss.SSS".into()));
    }

    #[test]
    fn delimiters() {
        for (text, byte) in [(";", Some(b';')), ("\\t", Some(b'\t')), ("\t", Some(b'\t')), (" ", Some(b' '))]
        {
            assert_eq!(delimiter(text).ok(), byte, "{text}");
        }
        for text in ["", ",,", "a", "7", "\"", "\u{7f}", "§"] {
            let message = delimiter(text).expect_err("not a delimiter");
            assert!(message.contains("default_delimiter") && message.contains(text), "{message}");
        }
    }

    #[test]
    fn a_saveconfig_starts_from_nothing_but_delimiter_and_stamps() {
        let from_properties = config(&[("default_delimiter", ";"), ("timestamp_format", "HH:mm")]);
        let xml = "<objProp>\n<name>saveConfig</name>\n<value class=\"SampleSaveConfiguration\">\n  <time>true</time>\n\
                   <xml>TRUE</xml> <url>false</url> <formatter class=\"java.text.SimpleDateFormat\"/>\
                   <assertionsResultsToSave>0</assertionsResultsToSave></value></objProp>";
        let config = SaveConfig::from_xml(xml, &from_properties).expect("valid");
        let on: Vec<_> = SWITCHES.iter().filter(|(s, ..)| config.saves(*s)).map(|(s, ..)| *s).collect();
        assert_eq!(on, [Save::Time, Save::Xml]);
        assert_eq!((config.delimiter, config.stamp), (b';', Stamp::Pattern("HH:mm".into())));
    }
}
