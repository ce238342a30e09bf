//! Results files. Servers influence what Swell writes, and the files that it reads can be anyone's.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Cursor, Read};

use swell_api::{SampleResult, Text};
use swell_engine::fuzz::{Split, rows};
use swell_expr::{Properties, testing};
use swell_query::xml::{XmlOptions, parse_bytes};
use swell_results::jtl::{JtlSample, read_samples};
use swell_results::{RowFormat, Save, SaveConfig};

use super::parts;

/// A label, a code, a message, a thread, and other fields of a sample from a server or a plan.
pub(super) fn jtl(input: &[u8]) {
    let [label, code, message, thread, url, headers, body] = parts::<7>(input);
    let sample = SampleResult {
        label: Text::from(label.to_string()),
        code: Text::from(code.to_string()),
        message: Text::from(message.to_string()),
        thread_name: Text::from(thread.to_string()),
        url: Some(Text::from(url.to_string())),
        response_headers: headers.as_ref().into(),
        body: body.as_bytes().into(),
        ..SampleResult::default()
    };
    csv(&sample, [&label, &code, &message, &thread]);
    xml(&sample);
}

/// Any file gives the same samples and the same bad rows, however its bytes are cut.
pub(super) fn jtl_read(input: &[u8]) {
    let whole = told(input);
    for most in [1, 7, 4096] {
        assert_eq!(told(Pieces { left: input, most }), whole, "in pieces of {most}");
    }
}

/// Returns what a reader finds in a file: a checksum of its samples, then counts or the error.
fn told(file: impl Read) -> (u64, String) {
    let mut hasher = DefaultHasher::new();
    let end = read_samples(file, |sample: &JtlSample<'_>| format!("{sample:?}").hash(&mut hasher));
    (hasher.finish(), end.map_or_else(|error| error.to_string(), |counts| format!("{counts:?}")))
}

/// A source that returns a few bytes at a time.
struct Pieces<'a> {
    left: &'a [u8],
    most: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let length = self.left.len().min(self.most).min(to.len());
        let (piece, left) = self.left.split_at(length);
        to[..length].copy_from_slice(piece);
        self.left = left;
        Ok(length)
    }
}

fn format() -> RowFormat {
    RowFormat {
        config: SaveConfig::from_properties(&Properties::default()).expect("defaults are valid"),
        stamp: None,
        variables: Vec::new(),
        host_name: "box".into(),
        default_encoding: "UTF-8".into(),
        functional: false,
        xml_pi: String::new(),
    }
}

/// Checks that a row, read by JMeter's rules, has the values that it was written from.
fn csv(sample: &SampleResult, wanted: [&str; 4]) {
    let format = format();
    let mut out = Vec::new();
    format.header(&mut out);
    format.sample(sample, &testing::context(), &mut out);
    let read = rows(Box::new(Cursor::new(out)), "UTF-8", Split::Quoted(',')).expect("the file is CSV");
    let [names, row] = read.as_slice() else { panic!("a head and a row, not {} lines", read.len()) };
    assert_eq!(row.len(), names.len(), "a value for each column");
    let value =
        |name: &str| &row[names.iter().position(|known| known == name).expect("a column of the defaults")];
    let found = ["label", "responseCode", "responseMessage", "threadName"].map(value);
    assert_eq!(found, wanted.map(str::to_owned).each_ref(), "values read back");
}

/// Checks that a file is well-formed XML, whatever it contains.
fn xml(sample: &SampleResult) {
    let mut format = format();
    for switch in [Save::Xml, Save::ResponseData, Save::ResponseHeaders, Save::Url, Save::SamplerData] {
        format.config.set(switch, true);
    }
    let mut out = Vec::new();
    format.header(&mut out);
    format.sample(sample, &testing::context(), &mut out);
    out.extend_from_slice(format.footer());
    let read = parse_bytes(&out, XmlOptions::dom(true));
    assert!(read.is_ok(), "{:?} in {}", read.err(), String::from_utf8_lossy(&out));
}

/// The save configuration of a listener.
pub(super) fn save_config(input: &[u8]) {
    let [text] = parts::<1>(input);
    let defaults = SaveConfig::from_properties(&Properties::default()).expect("defaults are valid");
    std::hint::black_box(SaveConfig::from_xml(&text, &defaults)).ok();
}
