//! The exact bytes of elements.

use swell_api::{HttpDetails, Text};

use super::*;
use crate::testing::{context, format_with, sample as a_sample, variables};
use crate::xml_names::{ATTRIBUTES, xml_name};
use crate::xml_text::is_xml;

fn written(format: &RowFormat, samples: &[SampleResult]) -> String {
    let mut out = Vec::new();
    format.header(&mut out);
    for sample in samples {
        format.sample(sample, &context(), &mut out);
    }
    out.extend_from_slice(format.footer());
    String::from_utf8(out).expect("UTF-8")
}

fn lines(format: &RowFormat, sample: &SampleResult) -> String {
    let all = written(format, std::slice::from_ref(sample));
    let body =
        all.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n");
    body.and_then(|b| b.strip_suffix("\n</testResults>\n")).expect("framed").to_owned()
}

fn get() -> HttpDetails {
    HttpDetails { method: Text::from("GET"), ..HttpDetails::default() }
}

fn xml() -> RowFormat {
    format_with(&[(Save::Xml, true), (Save::Url, false)])
}

#[test]
fn an_empty_file() {
    assert_eq!(
        written(&xml(), &[]),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n\n</testResults>\n"
    );
    let pi = RowFormat { xml_pi: "<?xml-stylesheet href=\"a.xsl\"?>".into(), ..xml() };
    assert!(written(&pi, &[]).contains("\"?>\n<?xml-stylesheet href=\"a.xsl\"?>\n<testResults"));
}

#[test]
fn attributes_of_the_defaults() {
    assert_eq!(
        lines(&xml(), &a_sample()),
        "<sample t=\"42\" it=\"0\" lt=\"30\" ct=\"2\" ts=\"1700000000123\" s=\"true\" lb=\"Home\" rc=\"200\" rm=\"OK\" \
         tn=\"Thread Group 1-1\" dt=\"text\" by=\"1234\" sby=\"117\" ng=\"3\" na=\"5\"/>\n"
    );
}

#[test]
fn all_attributes_and_children_of_an_http_sample() {
    let on =
        [Save::Url, Save::Encoding, Save::Hostname, Save::SampleCount, Save::FileName, Save::ResponseHeaders]
            .into_iter()
            .chain([Save::RequestHeaders, Save::ResponseData, Save::SamplerData]);
    let switches: Vec<_> = on.map(|switch| (switch, true)).chain([(Save::Xml, true)]).collect();
    let format = RowFormat { variables: variables(), ..format_with(&switches) };
    let details = HttpDetails {
        method: Text::from("POST"),
        query: "a=1&b=2".into(),
        cookies: "c=3".into(),
        redirect_location: Some("/there".into()),
    };
    let sample = SampleResult {
        http: Some(Box::new(details)),
        encoding: Text::from("UTF-8"),
        body: b"<p>\n\tit's \"here\"\r\n</p>".into(),
        response_headers: "HTTP/1.1 200 OK\n".into(),
        request_headers: "Host: localhost\n".into(),
        file: "/tmp/a.html".into(),
        assertions: vec![AssertionResult {
            name: Text::from("RA"),
            failure: true,
            message: Some(Text::from("1 < 2")),
            ..AssertionResult::default()
        }],
        sub_results: vec![SampleResult {
            http: Some(Box::new(get())),
            label: Text::from("Home-0"),
            ..SampleResult::default()
        }],
        ..a_sample()
    };
    let sub_headers = "    <responseHeader class=\"java.lang.String\"></responseHeader>\n    <requestHeader class=\"java.lang.String\"></requestHeader>\n";
    assert_eq!(
        lines(&format, &sample),
        format!(
            "<httpSample t=\"42\" it=\"0\" lt=\"30\" ct=\"2\" ts=\"1700000000123\" s=\"true\" lb=\"Home\" rc=\"200\" rm=\"OK\" \
             tn=\"Thread Group 1-1\" dt=\"text\" de=\"UTF-8\" by=\"1234\" sby=\"117\" sc=\"1\" ec=\"0\" ng=\"3\" na=\"5\" hn=\"box\" \
             token=\"a,b\" unset=\"\">\n\
             \x20 <assertionResult>\n    <name>RA</name>\n    <failure>true</failure>\n    <error>false</error>\n    \
             <failureMessage>1 &lt; 2</failureMessage>\n  </assertionResult>\n\
             \x20 <httpSample t=\"0\" it=\"0\" lt=\"0\" ct=\"0\" ts=\"0\" s=\"false\" lb=\"Home-0\" rc=\"\" rm=\"\" tn=\"\" dt=\"\" \
             de=\"\" by=\"0\" sby=\"0\" sc=\"1\" ec=\"1\" ng=\"0\" na=\"0\" hn=\"box\" token=\"a,b\" unset=\"\">\n\
             {sub_headers}\
             \x20   <responseData class=\"java.lang.String\">Non-TEXT response data, cannot record: ()</responseData>\n\
             \x20   <responseFile class=\"java.lang.String\"></responseFile>\n\
             \x20   <cookies class=\"java.lang.String\"></cookies>\n    <method class=\"java.lang.String\">GET</method>\n\
             \x20   <queryString class=\"java.lang.String\"></queryString>\n    <null/>\n  </httpSample>\n\
             \x20 <responseHeader class=\"java.lang.String\">HTTP/1.1 200 OK\n</responseHeader>\n\
             \x20 <requestHeader class=\"java.lang.String\">Host: localhost\n</requestHeader>\n\
             \x20 <responseData class=\"java.lang.String\">&lt;p&gt;\n\tit&apos;s &quot;here&quot;&#xd;\n&lt;/p&gt;</responseData>\n\
             \x20 <responseFile class=\"java.lang.String\">/tmp/a.html</responseFile>\n\
             \x20 <cookies class=\"java.lang.String\">c=3</cookies>\n  <method class=\"java.lang.String\">POST</method>\n\
             \x20 <queryString class=\"java.lang.String\">a=1&amp;b=2</queryString>\n\
             \x20 <redirectLocation class=\"java.lang.String\">/there</redirectLocation>\n\
             \x20 <java.net.URL>http://localhost/a</java.net.URL>\n</httpSample>\n"
        )
    );
}

#[test]
fn response_and_sampler_data_on_error_only() {
    let format = format_with(&[(Save::Xml, true), (Save::ResponseDataOnError, true), (Save::Url, false)]);
    let good = SampleResult { body: b"yes".into(), sampler_data: Some("in".into()), ..a_sample() };
    assert!(lines(&format, &good).ends_with("/>\n"));
    let bad = SampleResult { success: false, ..good };
    assert!(lines(&format, &bad).ends_with(
        ">\n  <responseData class=\"java.lang.String\">yes</responseData>\n  \
         <samplerData class=\"java.lang.String\">in</samplerData>\n</sample>\n"
    ));
}

#[test]
fn functional_mode_shows_data_of_good_samples() {
    let format = RowFormat { functional: true, ..xml() };
    let sample = SampleResult { body: b"yes".into(), ..a_sample() };
    assert!(lines(&format, &sample).contains(">yes</responseData>"));
    assert!(format.needs().body && format.needs().details);
}

#[test]
fn escapes_in_attributes_and_texts() {
    let table = [
        ("a\tb\nc\rd", "a&#x9;b&#xa;c&#xd;d", "a\tb\nc&#xd;d"),
        ("<&>\"'", "&lt;&amp;&gt;&quot;&apos;", "&lt;&amp;&gt;&quot;&apos;"),
        (
            "\0\u{1}\u{7f}\u{85}\u{ffff}",
            "\u{fffd}\u{fffd}&#x7f;&#x85;\u{fffd}",
            "\u{fffd}\u{fffd}&#x7f;&#x85;\u{fffd}",
        ),
        ("Zürich 東京 🙂", "Zürich 東京 🙂", "Zürich 東京 🙂"),
    ];
    for (text, in_attribute, in_text) in table {
        for (expected, attribute) in [(in_attribute, true), (in_text, false)] {
            let mut out = Vec::new();
            escaped(&mut out, text, attribute);
            assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
        }
    }
}

#[test]
fn names_of_variables_become_xml_names() {
    for (name, expected) in
        [("SESSION_ID", "SESSION__ID"), ("a$b", "a_-b"), ("1a", "_.0031a"), ("a b", "a_.0020b"), ("é", "é")]
    {
        assert_eq!(xml_name(name), expected);
    }
}

/// Text of a server can have any byte, which is one of these characters then.
#[test]
fn the_file_is_well_formed_with_any_character_anywhere() {
    let any: String = (0..0x300).chain(0xfff0..0x1_0010).filter_map(char::from_u32).collect();
    let on =
        [Save::ResponseHeaders, Save::RequestHeaders, Save::ResponseData, Save::SamplerData, Save::FileName];
    let switches: Vec<_> = on.map(|switch| (switch, true)).into_iter().chain([(Save::Xml, true)]).collect();
    let format = format_with(&switches);
    let assertion = AssertionResult { message: Some(any.clone().into()), ..AssertionResult::default() };
    let sample = SampleResult {
        label: any.clone().into(),
        message: any.clone().into(),
        thread_name: any.clone().into(),
        body: any.clone().into(),
        response_headers: any.clone(),
        request_headers: any.clone(),
        file: any.clone(),
        sampler_data: Some(any),
        assertions: vec![assertion],
        ..a_sample()
    };
    let file = written(&format, &[sample]);
    assert!(file.chars().all(is_xml), "a character as such");
    for reference in file.split("&#x").skip(1) {
        let number = reference.split(';').next().and_then(|hex| u32::from_str_radix(hex, 16).ok());
        assert!(number.and_then(char::from_u32).is_some_and(is_xml), "{number:?}");
    }
    let mut reader = quick_xml::Reader::from_str(&file);
    while reader.read_event().expect("well-formed") != quick_xml::events::Event::Eof {}
}

#[test]
fn a_variable_named_like_an_attribute_does_not_make_the_file_unreadable() {
    let saves = [(Save::Xml, true), (Save::Url, false), (Save::IdleTime, false)];
    let names = ["lb", "var.lb", "token", "token", "it", "hn"];
    let slots = names.map(|name| (name.to_owned(), swell_expr::Slot(u32::from(name != "token"))));
    let mut format = format_with(&saves);
    format.variables = crate::SavedVariable::all(slots, &format.config);
    let line = lines(&format, &a_sample());
    assert!(
        line.ends_with(" na=\"5\" var.lb=\"\" var.var.lb=\"\" token=\"a,b\" it=\"\" hn=\"\"/>\n"),
        "names that are not saved are free: {line}"
    );
    let mut reader = quick_xml::Reader::from_str(&line);
    let quick_xml::events::Event::Empty(element) = reader.read_event().expect("well-formed") else {
        panic!("an element: {line}");
    };
    assert_eq!(element.attributes().filter(Result::is_err).count(), 0, "no two of one name");
}

#[test]
fn the_list_of_attributes_is_that_of_a_row_with_all_of_them() {
    let all: Vec<_> =
        ATTRIBUTES.iter().map(|(switch, _)| (*switch, true)).chain([(Save::Xml, true)]).collect();
    let format = RowFormat { variables: Vec::new(), ..format_with(&all) };
    let line = lines(&format, &a_sample());
    let head = line.split_once('>').expect("an element").0;
    let written: Vec<_> = head.split(' ').filter_map(|part| Some(part.split_once("=\"")?.0)).collect();
    assert_eq!(written, ATTRIBUTES.map(|(_, name)| name));
}

#[test]
fn a_large_body_is_not_made_text_of_before_it_is_written() {
    let format = format_with(&[(Save::Xml, true), (Save::ResponseData, true)]);
    let body = "<p>\u{e4}&\u{20ac}</p>\r".repeat(30_000);
    let sample = SampleResult { body: body.as_str().into(), ..a_sample() };
    let mut row = RowText::default();
    format.row(&sample, &context(), &mut row);
    assert!(row.has_bodies() && row.len() < 2_000, "{} bytes", row.len());
    let escaped = "&lt;p&gt;\u{e4}&amp;\u{20ac}&lt;/p&gt;&#xd;".repeat(30_000);
    let element = format!("<responseData class=\"java.lang.String\">{escaped}</responseData>");
    assert!(lines(&format, &sample).contains(&element));
}
