//! JMeter's result files: read, written again, and compared byte for byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use swell_api::{AssertionResult, DataType, HttpDetails, SampleResult, Text};
use swell_expr::testing::context_for;
use swell_expr::{Compiler, Context, Slot};

use crate::testing::format;
use crate::{RowFormat, Save, SaveConfig, SavedVariable};

/// Expected files, if they are on this machine.
fn suite() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/jmeter-suite/bin/testfiles");
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

/// File names and configurations of all Result Collectors in the suite's plans.
fn collectors(folder: &Path) -> Vec<(String, SaveConfig)> {
    let from_properties = format().config;
    let plans = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let plans = plans.filter(|path| path.extension().is_some_and(|end| end == "jmx"));
    let mut found = Vec::new();
    for plan in plans {
        let text = String::from_utf8_lossy(&fs::read(plan).expect("readable")).into_owned();
        for piece in text.split("<ResultCollector ").skip(1) {
            let piece = piece.split("</ResultCollector>").next().unwrap_or_default();
            let name = piece.split("\"filename\">").nth(1).and_then(|rest| rest.split('<').next());
            let config = SaveConfig::from_xml(piece, &from_properties).expect("valid");
            found.extend(
                name.map(|name| (name.replace("${__P(jmeter.httpsampler,)}", "HttpClient4"), config)),
            );
        }
    }
    found
}

fn ends(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == extension)
}

#[test]
fn headers_of_the_expected_csv_files() {
    let Some(folder) = suite() else { return };
    let mut compared = 0;
    for (name, config) in collectors(&folder) {
        if config.saves(Save::Xml) || !config.saves(Save::FieldNames) || !ends(&name, "csv") {
            continue;
        }
        let Ok(expected) = fs::read_to_string(folder.join(&name)) else { continue };
        let mut header = Vec::new();
        // `sample_variables` is set for this plan on the command line.
        let names = if name == "Bug54685.csv" { &["REFERENCE", "JSESSIONID"][..] } else { &[] };
        let variables =
            SavedVariable::all(names.iter().map(|&name| (name.into(), Slot(0))), &format().config);
        RowFormat { config, variables, ..format() }.header(&mut header);
        assert_eq!(expected.lines().next(), Some(String::from_utf8_lossy(&header).trim_end()), "{name}");
        compared += 1;
    }
    assert!(compared >= 5, "only {compared} files compared");
}

#[test]
fn expected_xml_files_read_and_written_again_are_the_same_bytes() {
    let Some(folder) = suite() else { return };
    let collectors = collectors(&folder);
    let mut compared = 0;
    let mut samples = 0;
    let mut names: Vec<_> =
        collectors.iter().map(|(name, _)| name).filter(|name| ends(name, "xml")).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let Ok(expected) = fs::read_to_string(folder.join(name)) else { continue };
        if expected.contains(" sc=\"0\"") {
            // JMS samples count messages: Swell has no samples of another count than one.
            continue;
        }
        let results = read(&expected);
        samples += results.len();
        // Listeners of one file may differ in what they save (BatchTestLocal): a sample tells what
        // was saved of it.
        let mut out = Vec::new();
        format_of(&expected, &SampleResult::default()).header(&mut out);
        let parts = top_level(&expected);
        assert_eq!(parts.len(), results.len(), "{name}");
        for (text, sample) in parts.iter().zip(&results) {
            format_of(text, sample).sample(sample, &context(), &mut out);
        }
        out.extend_from_slice(crate::xml::FOOTER);
        let written = String::from_utf8(out).expect("UTF-8");
        for (number, (ours, theirs)) in written.lines().zip(expected.lines()).enumerate() {
            assert_eq!(ours, theirs, "{name}:{}", number + 1);
        }
        assert_eq!(written.len(), expected.replace('\r', "").len(), "{name}: other length");
        compared += 1;
    }
    assert!(compared >= 20 && samples >= 300, "only {samples} samples in {compared} files compared");
}

/// `sample_variables` is set for one plan on the command line; its files name them.
fn variables(text: &str) -> Vec<SavedVariable> {
    let names = ["REFERENCE", "JSESSIONID"].into_iter().zip(0..);
    let there = names
        .filter(|(name, _)| text.contains(&format!("\"{name}\"")) || text.contains(&format!(" {name}=\"")));
    SavedVariable::all(there.map(|(name, slot)| (name.into(), Slot(slot))), &format().config)
}

/// A user with those variables.
fn context() -> Context {
    let compiler = Compiler::new(Arc::default());
    let slots = ["REFERENCE", "JSESSIONID"].map(|name| compiler.names.slot(name));
    let mut cx = context_for(&compiler);
    cx.vars.put_slot(slots[0], "reference");
    cx.vars.put_slot(slots[1], "jsessionId");
    cx
}

/// The texts of the samples of a file.
fn top_level(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("<sample ") || line.starts_with("<httpSample ") {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

/// What was saved, seen from a sample's text.
fn format_of(text: &str, sample: &SampleResult) -> RowFormat {
    let signs = [
        (Save::Time, " t=\""),
        (Save::Latency, " lt=\""),
        (Save::Timestamp, " ts=\""),
        (Save::Success, " s=\""),
        (Save::Label, " lb=\""),
        (Save::Code, " rc=\""),
        (Save::Message, " rm=\""),
        (Save::ThreadName, " tn=\""),
        (Save::DataType, " dt=\""),
        (Save::Encoding, " de=\""),
        (Save::Bytes, " by=\""),
        (Save::SampleCount, " sc=\""),
        (Save::ThreadCounts, " ng=\""),
        (Save::ResponseHeaders, "<responseHeader"),
        (Save::RequestHeaders, "<requestHeader"),
        (Save::FileName, "<responseFile"),
        (Save::Url, "<java.net.URL"),
    ];
    let mut format = RowFormat { variables: variables(text), ..format() };
    format.config = SaveConfig::from_xml("", &format.config).expect("empty");
    for (switch, sign) in signs {
        format.config.set(switch, text.contains(sign));
    }
    let count = |sign: &str| text.matches(sign).count();
    let samples = count("<sample ") + count("<httpSample ");
    let responses = count("<responseData ");
    format.config.set(Save::ResponseData, responses == samples);
    format.config.set(Save::ResponseDataOnError, responses > 0 && responses < samples);
    let data = text.contains("<cookies") || sample.sampler_data.is_some();
    for (switch, on) in
        [(Save::Xml, true), (Save::Assertions, true), (Save::Subresults, true), (Save::SamplerData, data)]
    {
        format.config.set(switch, on);
    }
    format
}

fn read(text: &str) -> Vec<SampleResult> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open: Vec<SampleResult> = vec![SampleResult::default()];
    let mut content = String::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return open.remove(0).sub_results,
            Event::Start(tag) => {
                content.clear();
                match tag.name().as_ref() {
                    b"sample" | b"httpSample" => open.push(started(&tag)),
                    b"assertionResult" => last(&mut open).assertions.push(AssertionResult::default()),
                    _ => {}
                }
            }
            Event::Text(text) => content.push_str(&text.decode().expect("UTF-8")),
            Event::GeneralRef(reference) => {
                let name = reference.decode().expect("UTF-8");
                let raw = format!("&{name};");
                content.push_str(&quick_xml::escape::unescape(&raw).expect("known"));
            }
            Event::End(tag) => match tag.name().as_ref() {
                b"sample" | b"httpSample" => {
                    let done = open.pop().expect("was opened");
                    last(&mut open).sub_results.push(done);
                }
                name => ended(last(&mut open), name, std::mem::take(&mut content)),
            },
            _ => {}
        }
    }
}

fn last(open: &mut [SampleResult]) -> &mut SampleResult {
    open.last_mut().expect("the root stays")
}

fn started(tag: &BytesStart<'_>) -> SampleResult {
    let mut sample = SampleResult::default();
    for attribute in tag.attributes() {
        let attribute = attribute.expect("well-formed");
        let value = attribute.unescape_value().expect("known escapes").into_owned();
        let number = || value.parse().expect("a number");
        match attribute.key.as_ref() {
            b"s" => sample.success = value == "true",
            b"lb" => sample.label = Text::from(value),
            b"rc" => sample.code = Text::from(value),
            b"rm" => sample.message = Text::from(value),
            b"tn" => sample.thread_name = Text::from(value),
            b"de" => sample.encoding = Text::from(value),
            b"by" => sample.bytes = number(),
            b"ng" => sample.group_threads = number() as u32,
            b"na" => sample.all_threads = number() as u32,
            b"dt" if value == "text" => sample.data_type = DataType::Text,
            b"dt" if value == "bin" => sample.data_type = DataType::Binary,
            _ => {}
        }
    }
    sample.http = (tag.name().as_ref() == b"httpSample").then(Box::<HttpDetails>::default);
    sample
}

fn ended(sample: &mut SampleResult, name: &[u8], content: String) {
    let assertion = sample.assertions.last_mut();
    match (name, assertion) {
        (b"name", Some(result)) => result.name = Text::from(content),
        (b"failure", Some(result)) => result.failure = content == "true",
        (b"error", Some(result)) => result.error = content == "true",
        (b"failureMessage", Some(result)) => result.message = Some(Text::from(content)),
        (b"responseHeader", _) => sample.response_headers = content,
        (b"requestHeader", _) => sample.request_headers = content,
        (b"responseData", _) => sample.body = content.into(),
        (b"responseFile", _) => sample.file = content,
        (b"samplerData", _) => sample.sampler_data = Some(content),
        (b"java.net.URL", _) => sample.url = Some(Text::from(content)),
        (b"cookies" | b"method" | b"queryString" | b"redirectLocation", _) => {
            let http = sample.http.as_mut().expect("only HTTP samples have it");
            match name {
                b"cookies" => http.cookies = content,
                b"method" => http.method = Text::from(content),
                b"queryString" => http.query = content,
                _ => http.redirect_location = Some(content),
            }
        }
        _ => {}
    }
}
