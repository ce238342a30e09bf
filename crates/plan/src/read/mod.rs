//! Reads JMX bytes to a plan.

mod element;
mod findings;
mod form_decode;
mod http_sampler;
mod property;
mod tree;

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Severity};
use crate::names::{alias_of, class_of};
use crate::plan::Plan;
use crate::xml::{Decoded, Document, Index, XmlError, decode, parse};
use findings::Findings;
use tree::Converter;
pub(crate) use tree::is_hash_tree;

/// The result of reading a file.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The plan; `None` if the bytes are not well-formed XML or not a JMeter plan. Then there is at
    /// least one error among the diagnostics.
    pub plan: Option<Plan>,
    /// Diagnostics of the file, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a plan as JMeter 5.6.3 would load it. `file` is for messages and is kept in the plan;
/// nothing is opened.
///
/// Well-formed XML with a `jmeterTestPlan` around at least one element always gives a plan: unknown
/// elements and properties are kept, and what JMeter would refuse is a warning. Elements nested
/// deeper than 500 are an error.
pub fn read(bytes: &[u8], file: Option<&Path>) -> Reading {
    let mut findings = Findings::new(file.map(|path| Arc::new(path.to_owned())));
    let decoded = decode(bytes);
    report_encoding(&decoded, &mut findings);
    let plan = match parse(&decoded.text) {
        Ok(document) => plan(&document, &mut findings),
        Err(error) => {
            report_xml(&error, bytes, &decoded.text, &mut findings);
            None
        }
    };
    Reading { plan, diagnostics: findings.into_list() }
}

fn plan(document: &Document<'_>, findings: &mut Findings) -> Option<Plan> {
    if let Some(line) = document.doctype_line {
        findings.add(Severity::Warning, line, "a document type declaration is ignored").hint =
            Some("remove it; entities cannot be declared".to_owned());
    }
    if let Some(line) = document.trailing_line {
        let message = "data after the end of the plan is ignored, as in JMeter; the file may be damaged";
        findings.add(Severity::Warning, line, message);
    }
    let root = document.root();
    if alias_of(class_of(document.tag(root))) != "jmeterTestPlan" {
        report_foreign(document, root, findings);
        return None;
    }
    let mut trees = document.children(root).filter(|child| is_hash_tree(document, *child));
    let Some(top) = trees.next() else {
        findings.add(
            Severity::Error,
            document.line(root),
            "`jmeterTestPlan` contains no `hashTree`, so there is nothing to run",
        );
        return None;
    };
    if let Some(second) = trees.next() {
        findings.add(
            Severity::Warning,
            document.line(second),
            "a second `hashTree` in `jmeterTestPlan` is ignored, as in JMeter",
        );
    }
    let attributes =
        document.attributes(root).iter().map(|(key, value)| ((*key).to_owned(), value.to_string()));
    Converter::new(document, findings).plan(attributes.collect(), top)
}

fn report_encoding(decoded: &Decoded<'_>, findings: &mut Findings) {
    if let Some(label) = &decoded.unknown {
        findings.add(Severity::Warning, 1, format!("unknown encoding `{label}`; the file is read as UTF-8"));
    }
    if let Some((line, encoding)) = decoded.broken {
        let message = format!("bytes that are not valid {encoding} were replaced by U+FFFD");
        findings.add(Severity::Warning, line, message).hint =
            Some("save the plan in UTF-8, the only encoding that JMeter reads".to_owned());
    }
}

fn report_xml(error: &XmlError, bytes: &[u8], text: &str, findings: &mut Findings) {
    let before = text.get(..error.offset).unwrap_or(text);
    let line = 1 + before.bytes().filter(|b| *b == b'\n').count() as u32;
    let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
    if text.trim().is_empty() {
        let message =
            if bytes.is_empty() { "the file is empty" } else { "the file contains only white space" };
        findings.add(Severity::Error, 0, message).hint =
            Some("save the plan in JMeter with File > Save".to_owned());
        return;
    }
    let message = format!("column {column}: not well-formed XML: {}", error.message);
    let hint = foreign_text(text).map(str::to_owned).or_else(|| error.hint.clone());
    let usual = "fix it there, or save the plan again in JMeter; if the file is truncated, download it again";
    findings.add(Severity::Error, line, message).hint = Some(hint.unwrap_or_else(|| usual.to_owned()));
}

/// What a text is that is clearly no XML.
fn foreign_text(text: &str) -> Option<&'static str> {
    let start = text.trim_start();
    let head: String = start.chars().take(15).collect::<String>().to_ascii_lowercase();
    if head.starts_with("<!doctype html") || head.starts_with("<html") {
        Some("this is a web page, not the plan it shows: download the raw file")
    } else if start.starts_with(['{', '[']) {
        Some("this is JSON, not a plan saved by JMeter")
    } else if start.starts_with("version https://git-lfs") {
        Some("this is a Git LFS pointer; fetch the file with `git lfs pull`")
    } else if start.starts_with('<') || text.contains("<jmeterTestPlan") {
        None
    } else {
        Some(foreign_script(start))
    }
}

/// What a text without XML is: most come from other tools.
fn foreign_script(text: &str) -> &'static str {
    const TOOLS: [(&[&str], &str); 6] = [
        (
            &["k6/http", "from 'k6", "from \"k6"],
            "this is a k6 script; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
        (
            &["import locust", "from locust"],
            "this is a Locust file; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
        (
            &["io.gatling"],
            "this is a Gatling simulation; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
        (
            &["execution:", "modules:"],
            "this is a Taurus file; `bzt` runs it, with `modules.jmeter.path` set to this program",
        ),
        (
            &["phases:", "flow:"],
            "this is an Artillery script; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
        (
            &["wrk.method", "wrk.body", "request = function"],
            "this is a wrk script; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
    ];
    let of = TOOLS.iter().find(|(signs, _)| signs.iter().any(|sign| text.contains(sign)));
    of.map_or("this is not XML; a plan is a `.jmx` file that JMeter saves with File > Save", |(_, hint)| hint)
}

fn report_foreign(document: &Document<'_>, root: Index, findings: &mut Findings) {
    let tag = document.tag(root);
    let hint = match tag {
        _ if tag.eq_ignore_ascii_case("html") => "this is a web page; download the raw file",
        "testResults" => "this is a results file; `swell report` reads it",
        "node" | "testelement" | "testplan" => {
            "this was saved by JMeter 2.1 or older; open it in JMeter 3.1 and save it again"
        }
        _ => "a plan starts with `<jmeterTestPlan`",
    };
    let message = format!("`{tag}` is not a JMeter test plan");
    findings.add(Severity::Error, document.line(root), message).hint = Some(hint.to_owned());
}
