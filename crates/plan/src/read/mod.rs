//! JMX bytes to a plan.

mod element;
mod findings;
mod form_decode;
mod http_files;
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

/// What reading a file gave.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The plan; none if the bytes are no well-formed XML or no JMeter plan. Then there is at least one error among
    /// the diagnostics.
    pub plan: Option<Plan>,
    /// What is to be said about the file, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a plan as JMeter 5.6.3 would load it. `file` is for messages and is kept in the plan; nothing is opened.
///
/// Well-formed XML with a `jmeterTestPlan` around at least one element always gives a plan: unknown elements and
/// properties are kept, and what JMeter would refuse is a warning. Elements nested deeper than 500 are an error.
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
        let message =
            "what follows the end of the plan is ignored, as JMeter does; the file seems to be damaged";
        findings.add(Severity::Warning, line, message);
    }
    let root = document.root();
    if alias_of(class_of(document.tag(root))) != "jmeterTestPlan" {
        report_foreign(document, root, findings);
        return None;
    }
    let mut trees = document.children(root).filter(|child| tree::is_hash_tree(document, *child));
    let Some(top) = trees.next() else {
        findings.add(
            Severity::Error,
            document.line(root),
            "`jmeterTestPlan` holds no `hashTree`, so there is nothing to run",
        );
        return None;
    };
    if let Some(second) = trees.next() {
        findings.add(
            Severity::Warning,
            document.line(second),
            "a second `hashTree` in `jmeterTestPlan` is ignored, as JMeter does",
        );
    }
    let attributes =
        document.attributes(root).iter().map(|(key, value)| ((*key).to_owned(), value.to_string()));
    Converter::new(document, findings).plan(attributes.collect(), top)
}

fn report_encoding(decoded: &Decoded<'_>, findings: &mut Findings) {
    if let Some(label) = &decoded.unknown {
        findings.add(Severity::Warning, 1, format!("the encoding `{label}` is not known; read as UTF-8"));
    }
    if let Some((line, encoding)) = decoded.broken {
        let message = format!("there are bytes that are no {encoding}; they became U+FFFD");
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
            if bytes.is_empty() { "the file is empty" } else { "the file holds nothing but blanks" };
        findings.add(Severity::Error, 0, message).hint =
            Some("a plan is saved by JMeter with File > Save".to_owned());
        return;
    }
    let message = format!("column {column}: not well-formed XML: {}", error.message);
    let hint = foreign_text(text).map(str::to_owned).or_else(|| error.hint.clone());
    let usual = "mend it there, or open the plan with JMeter and save it anew; a file that was cut off must be fetched again";
    findings.add(Severity::Error, line, message).hint = Some(hint.unwrap_or_else(|| usual.to_owned()));
}

/// What a text is that is clearly no XML.
fn foreign_text(text: &str) -> Option<&'static str> {
    let start = text.trim_start();
    let head: String = start.chars().take(15).collect::<String>().to_ascii_lowercase();
    if head.starts_with("<!doctype html") || head.starts_with("<html") {
        Some("this is a web page; a download link gave the page around the file, take the raw file")
    } else if start.starts_with(['{', '[']) {
        Some("this is JSON, no plan saved by JMeter")
    } else if start.starts_with("version https://git-lfs") {
        Some("this is a pointer of Git LFS; fetch the file with `git lfs pull`")
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
            "this is a script of k6; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
        (
            &["import locust", "from locust"],
            "this is a Locust file; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
        (
            &["io.gatling"],
            "this is a simulation of Gatling; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
        (
            &["execution:", "modules:"],
            "this is a file of Taurus; `bzt` runs it, with `modules.jmeter.path` set to this program",
        ),
        (
            &["phases:", "flow:"],
            "this is a script of Artillery; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
        (
            &["wrk.method", "wrk.body", "request = function"],
            "this is a script of wrk; make the same requests in a JMeter plan, or try `swell hit URL`",
        ),
    ];
    let of = TOOLS.iter().find(|(signs, _)| signs.iter().any(|sign| text.contains(sign)));
    of.map_or("this is no XML; a plan is what JMeter saves with File > Save, a `.jmx` file", |(_, hint)| hint)
}

fn report_foreign(document: &Document<'_>, root: Index, findings: &mut Findings) {
    let tag = document.tag(root);
    let hint = match tag {
        _ if tag.eq_ignore_ascii_case("html") => "this is a web page; take the raw file",
        "testResults" => "this is a results file; `swell report` reads it",
        "node" | "testelement" | "testplan" => {
            "this was saved by JMeter 2.1 or older; JMeter 3.1 can read it and save it anew"
        }
        _ => "a plan starts with `<jmeterTestPlan`",
    };
    let message = format!("`{tag}` is no JMeter test plan");
    findings.add(Severity::Error, document.line(root), message).hint = Some(hint.to_owned());
}
