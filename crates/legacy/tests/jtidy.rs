//! What JTidy of JMeter 5.6.3 finds wrong in pages.

#[path = "../../query/tests/tables/mod.rs"]
mod tables;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use swell_legacy::jtidy::{Findings, Format, Settings, TidyError, clean, validate};
use tables::{differences, escaped, unescaped};

const FORMATS: [Format; 3] = [Format::Html, Format::Xhtml, Format::Xml];

fn found(page: &str, format: Format) -> Result<Findings, TidyError> {
    validate(page.as_bytes(), Settings { format, wants_report: true })
}

/// A page of the table: behind an `@`, what is in the body of one that is right.
fn page(column: &str) -> String {
    let text = unescaped(column);
    let Some(body) = text.strip_prefix('@') else { return text };
    let doctype = "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">";
    format!("{doctype}<html><head><title>t</title></head><body>{body}</body></html>")
}

#[test]
fn errors_and_warnings_are_counted_as_jtidy_counts_them() {
    differences(include_str!("tables/jtidy.tsv"), |row| {
        let [column] = row else { panic!("one column: {row:?}") };
        let counts = FORMATS.map(|format| match found(&page(column), format) {
            Ok(found) => format!("{} {}", found.errors, found.warnings),
            Err(TidyError::Broken(_)) => "broken".to_owned(),
            Err(TidyError::TooLarge) => "too large".to_owned(),
        });
        counts.join(", ")
    });
}

#[test]
fn findings_are_told_in_jtidys_words() {
    differences(include_str!("tables/jtidy_reports.tsv"), |row| {
        let [format, page] = row else { panic!("two columns: {row:?}") };
        let format = match *format {
            "html" => Format::Html,
            "xhtml" => Format::Xhtml,
            "xml" => Format::Xml,
            other => panic!("{other} is no format"),
        };
        escaped(&found(&unescaped(page), format).expect("JTidy can read it").report)
    });
}

#[test]
fn lines_are_only_made_where_they_are_wanted() {
    let quiet = validate(b"<p>x<b>y", Settings::default()).expect("it can be read");
    assert_eq!(quiet.report, "");
    assert_eq!(quiet.warnings, found("<p>x<b>y", Format::Html).expect("it can be read").warnings);
}

#[test]
fn counts_are_of_sixteen_bits() {
    let page = "</x>".repeat(40_000);
    let counted = validate(page.as_bytes(), Settings::default()).expect("it can be read");
    // 40,000 end tags and what the page lacks, less 2^16.
    assert_eq!((counted.errors, counted.warnings), (0, -25_535));
}

#[test]
fn jtidys_exceptions_have_their_words_where_they_are_known() {
    let page = format!("<style>{}</a", "x".repeat(8186));
    let wanted = "offset 8188, count 5, length 8192".to_owned();
    assert_eq!(found(&format!("{page}>"), Format::Html), Err(TidyError::Broken(Some(wanted))));
}

#[test]
fn no_page_takes_long() {
    let many = 3_000;
    let pages = [
        "<b>".repeat(many),
        "<div>".repeat(1000) + &"</p>".repeat(many),
        "<i>".repeat(1000) + &"<p>x".repeat(many),
        "<font>".repeat(100) + &"<p>x".repeat(many),
        format!("<p {}>", "a ".repeat(many)),
        format!("<p {}>", "style=x ".repeat(1000)).repeat(4),
        "<table><td>".repeat(many),
        "<table>x".repeat(many),
        "<!---->".repeat(many) + "<body>" + &"<meta>".repeat(many),
        "<frameset></frameset>".repeat(many),
        "<a id=x>".repeat(many),
        "<".repeat(many),
        "&".repeat(many),
        "<script><".repeat(many),
        "<dl><center>".repeat(many),
        "<h1>x<div>".repeat(many),
        "<ul><b>".repeat(many),
        "<ul><li>".repeat(1500),
        "<ul><li>".repeat(300) + &"</ul>".repeat(300) + &"<ul><li><ul><li>x</ul></ul>".repeat(many),
        "<div><font color=x>".repeat(500),
        "<ul>x".repeat(1500),
        format!("<a href=\"{}\">", "\n".repeat(many)),
        "<!DOCTYPE".repeat(many),
        "<?xml a=".repeat(many),
        "\u{0}".repeat(many),
    ];
    for page in &pages {
        let began = Instant::now();
        for format in FORMATS {
            let _ = validate(page.as_bytes(), Settings { format, wants_report: false });
        }
        for is_xml in [false, true] {
            let _ = clean(page.as_bytes(), is_xml);
        }
        let page: String = page.chars().take(40).collect();
        assert!(began.elapsed() < Duration::from_secs(20), "{page} takes {:?}", began.elapsed());
    }
}

#[test]
fn a_doctype_with_many_form_feeds_is_refused_instead_of_a_panic() {
    let page =
        format!("<!DOCTYPE html {}PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\"><html/>", "\u{c}".repeat(90));
    for is_xml in [false, true] {
        // HTML keeps them, and reads on.
        assert_eq!(clean(page.as_bytes(), is_xml).is_err(), is_xml, "{is_xml}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn any_page_is_judged_or_refused(
        page in "(</?(a|b|p|q|table|td|tr|li|ul|dl|dt|form|font|h1|pre|select|option|center|frameset|noframes|body|html|head|title\
                 |script|object|meta|foo)( (id|name|href|style|align|xmlns|xml:space)(=[x\"' <>&\n/]*)?)*[ />]{0,2}\
                 |&[a-z#0-9]{0,4};?|<[!?%#/a]|--|CDATA|\\[|\\]|[<>&=\"'x \n\t\r\u{0}\u{c}\u{e9}\u{ffff}]){0,30}",
    ) {
        for format in FORMATS {
            let quiet = validate(page.as_bytes(), Settings { format, wants_report: false });
            match (found(&page, format), quiet) {
                (Ok(found), Ok(quiet)) => {
                    prop_assert_eq!((found.errors, found.warnings), (quiet.errors, quiet.warnings));
                }
                (found, quiet) => prop_assert_eq!(found.err(), quiet.err()),
            }
        }
        for is_xml in [false, true] {
            if let Ok(tidied) = clean(page.as_bytes(), is_xml) {
                let root = tidied.document.document_element();
                prop_assert!(is_xml || root.is_some(), "a page has a root");
            }
        }
    }

    #[test]
    fn any_bytes_are_judged_or_refused(page in proptest::collection::vec(any::<u8>(), 0..200)) {
        for format in FORMATS {
            let _ = validate(&page, Settings { format, wants_report: true });
        }
        let _ = clean(&page, false);
    }
}
