//! Plan files that are none.

use crate::support::Folder;

/// Runs a file of that content, by both spellings and `check`, and wants these texts each time.
#[track_caller]
fn is_refused(content: &[u8], texts: &[&str]) {
    let folder = Folder::new();
    folder.write("plan.jmx", content);
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).refused(texts);
    folder.swell(&["-n", "-t", "plan.jmx", "-l", "out.jtl"]).refused(texts);
    folder.swell(&["check", "plan.jmx"]).exits(104).prints(texts).prints(&["cannot run as it is"]);
    assert!(!folder.has("out.jtl"), "a results file was made for nothing");
}

#[test]
fn malformed_xml_is_told_with_file_line_and_column() {
    let plan = b"<?xml version=\"1.0\"?>\n<jmeterTestPlan>\n  <hashTree>\n    <TestPlan>\n  </hashTree>\n";
    is_refused(plan, &["plan.jmx:5: error: column 3: not well-formed XML", "TestPlan", "hint: "]);
}

#[test]
fn a_plan_that_is_cut_off_is_told() {
    let plan = b"<?xml version=\"1.0\"?>\n<jmeterTestPlan><hashTree><TestPlan testname=\"x\">";
    is_refused(plan, &["plan.jmx:2: error: column 50", "not well-formed XML"]);
}

#[test]
fn files_of_other_kinds_are_told_from_plans() {
    is_refused(b"", &["plan.jmx: error: the file is empty", "hint: "]);
    is_refused(b" \n\t\n", &["the file contains only white space", "hint: "]);
    is_refused(b"{\"a\": 1}", &["plan.jmx:1: error: column 1", "this is JSON"]);
    is_refused(b"<!doctype html><html><p>x</html>", &["this is a web page"]);
    is_refused(b"version https://git-lfs.github.com/spec/v1\noid x\n", &["git lfs pull"]);
    is_refused(
        b"import http from 'k6/http';\nexport default function () {}\n",
        &["a k6 script", "swell hit URL"],
    );
    is_refused(b"execution:\n- concurrency: 10\n", &["a Taurus file", "modules.jmeter.path"]);
    is_refused(b"hello\n", &["this is not XML", "`.jmx` file"]);
    is_refused(
        b"<testResults version=\"1.2\"/>",
        &["`testResults` is not a JMeter test plan", "results file"],
    );
    is_refused(b"<project><a/></project>", &["`project` is not a JMeter test plan", "<jmeterTestPlan"]);
    is_refused(b"<jmeterTestPlan/>", &["nothing to run"]);
    is_refused(&[0xff, 0xfe, 0x00, 0xd8, 0x01, 0x02, 0x00], &["plan.jmx"]);
}

#[test]
fn a_file_that_is_not_there_is_told_with_a_hint() {
    let folder = Folder::new();
    folder
        .swell(&["run", "none.jmx"])
        .refused(&["error: cannot read the plan `none.jmx`: No such file", "hint: "]);
    folder.swell(&["check", "none.jmx"]).refused(&["cannot read the plan `none.jmx`"]);
    folder.swell(&["run", "."]).refused(&["cannot read the plan `.`: Is a directory"]);
}

#[test]
fn a_folder_without_plans_is_told() {
    let folder = Folder::new();
    folder.swell(&["check", "."]).refused(&["no .jmx file in these folders"]);
}
