//! The exact bytes of rows.

use swell_api::{AssertionResult, Text};

use super::*;
use crate::testing::{context, format, format_with, sample as a_sample, variables};

fn written(format: &RowFormat, sample: &SampleResult) -> String {
    let mut out = Vec::new();
    format.sample(sample, &context(), &mut out);
    String::from_utf8(out).expect("UTF-8")
}

fn header_of(format: &RowFormat) -> String {
    let mut out = Vec::new();
    format.header(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn the_default_file_of_minus_l() {
    assert_eq!(
        header_of(&format()),
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,\
         sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"
    );
    assert_eq!(
        written(&format(), &a_sample()),
        "1700000000123,42,Home,200,OK,Thread Group 1-1,text,true,,1234,117,3,5,http://localhost/a,30,0,2\n"
    );
}

#[test]
fn the_time_line_stands_behind_jmeters_columns() {
    let format = format_with(&[(Save::TimeLine, true)]);
    assert!(header_of(&format).ends_with(
        ",IdleTime,Connect,intendedNs,readyNs,startNs,connectedNs,sentNs,firstByteNs,endNs,readNs\n"
    ));
    let start_ns = 1_700_000_000_123_900_000_i64;
    let wanted = [-3_000_000, -1_000_000, 0, 2_000_000, 2_020_000, 30_000_000, 42_000_000, 42_005_000]
        .map(|after_ns| (start_ns + after_ns).to_string())
        .join(",");
    assert!(written(&format, &a_sample()).ends_with(&format!(",30,0,2,{wanted}\n")));
}

#[test]
fn all_columns_with_variables() {
    let switches = [Save::FileName, Save::Encoding, Save::SampleCount, Save::Hostname].map(|s| (s, true));
    let format = RowFormat { variables: variables(), ..format_with(&switches) };
    assert_eq!(
        header_of(&format),
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,\
         sentBytes,grpThreads,allThreads,URL,Filename,Latency,Encoding,SampleCount,ErrorCount,Hostname,IdleTime,\
         Connect,\"token\",\"unset\"\n"
    );
    let failed =
        AssertionResult { failure: true, message: Some(Text::from("not, so")), ..AssertionResult::default() };
    let sample = SampleResult {
        success: false,
        url: None,
        file: "/tmp/a 1.bin".into(),
        data_type: swell_api::DataType::Binary,
        assertions: vec![AssertionResult::default(), failed],
        ..a_sample()
    };
    assert_eq!(
        written(&format, &sample),
        "1700000000123,42,Home,200,OK,Thread Group 1-1,bin,false,\"not, so\",1234,117,3,5,null,/tmp/a 1.bin,30,UTF-8,\
         1,1,box,0,2,\"a,b\",null\n"
    );
}

#[test]
fn quoting() {
    let table = [
        ("plain", "plain"),
        ("", ""),
        ("semi;colon", "\"semi;colon\""),
        ("comma,", "comma,"),
        ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("two\nlines", "\"two\nlines\""),
        ("cr\r", "\"cr\r\""),
        ("tab\t", "tab\t"),
        ("Zürich 東京", "Zürich 東京"),
    ];
    let mut format = format();
    format.config.delimiter = b';';
    let off: Vec<_> = COLUMNS
        .iter()
        .map(|&(switch, _)| switch)
        .filter(|s| ![Save::Label, Save::Code].contains(s))
        .collect();
    for switch in off {
        format.config.set(switch, false);
    }
    for (label, expected) in table {
        let sample = SampleResult { label: Text::from(label), ..a_sample() };
        assert_eq!(written(&format, &sample), format!("{expected};200\n"), "{label}");
    }
}

#[test]
fn a_row_whose_first_column_is_empty_keeps_its_delimiter() {
    let format = format_with(&[(Save::Timestamp, false), (Save::Time, false)]);
    let sample = SampleResult { label: Text::EMPTY, ..a_sample() };
    assert!(written(&format, &sample).starts_with(",200,OK,"));
}

#[test]
fn a_file_without_columns_has_empty_lines() {
    let mut format = format();
    for (switch, _) in COLUMNS {
        format.config.set(switch, false);
    }
    assert_eq!((header_of(&format).as_str(), written(&format, &a_sample()).as_str()), ("\n", "\n"));
}

#[test]
fn sub_samples_have_rows_of_their_own_down_to_a_depth() {
    let mut deep = SampleResult { label: Text::from("leaf"), ..SampleResult::default() };
    for _ in 0..20 {
        deep =
            SampleResult { label: Text::from("inner"), sub_results: vec![deep], ..SampleResult::default() };
    }
    let top = SampleResult { sub_results: vec![a_sample(), deep], ..a_sample() };
    assert_eq!(written(&format(), &top).lines().count(), 2 + 11);
    assert_eq!(written(&format_with(&[(Save::Subresults, false)]), &top).lines().count(), 1);
}

#[test]
fn time_stamps_by_a_pattern_are_dates_in_the_zone_of_the_machine_and_quoted_like_any_text() {
    let stamp = |pattern: &str, zone: &str| {
        let stamp = crate::stamp::StampPattern::new(pattern, zone).expect("valid");
        let row = written(&RowFormat { stamp: Some(stamp), ..format() }, &a_sample());
        row.split(",42,Home").next().map(str::to_owned)
    };
    assert_eq!(stamp("yyyy/MM/dd HH:mm:ss.SSS", "UTC").as_deref(), Some("2023/11/14 22:13:20.123"));
    assert_eq!(stamp("dd.MM.yy, HH:mm", "Europe/Berlin").as_deref(), Some("\"14.11.23, 23:13\""));
}

#[test]
fn no_header_where_field_names_are_off() {
    assert_eq!(header_of(&format_with(&[(Save::FieldNames, false)])), "");
}

#[test]
fn what_needs_quotes_is_found_wherever_it_stands() {
    let format = format();
    let row_of = |label: &str| {
        let label = Text::from(label.to_owned());
        written(&format, &SampleResult { label, ..a_sample() })
    };
    for length in 0..40 {
        let plain = "a~ \x7f\u{e9}\x0b\x0e!#+-\0".repeat(4).chars().take(length).collect::<String>();
        assert!(row_of(&plain).contains(&format!(",42,{plain},200,")), "{length}");
        for (at, special) in (0..length).flat_map(|at| [',', '"', '\r', '\n'].map(|special| (at, special))) {
            let label = format!("{}{special}{}", "a".repeat(at), "b".repeat(length - at - 1));
            let quoted = label.replace('"', "\"\"");
            assert!(row_of(&label).contains(&format!(",42,\"{quoted}\",200,")), "{at} of {length}");
        }
    }
}

#[test]
fn numbers_of_all_lengths() {
    for number in
        [0, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 65_535, 65_536, -1, -10_000, i64::MAX, i64::MIN]
    {
        let mut out = Vec::new();
        Row::<false> { out: &mut out, delimiter: b';', columns: 0 }.int(number);
        assert_eq!(String::from_utf8(out).expect("UTF-8"), format!("{number};"));
    }
}

#[test]
fn rows_hold_quotes_where_a_text_needs_them() {
    for (label, delimiter, shown) in [
        ("Home", b',', "Home"),
        ("a,b", b',', "\"a,b\""),
        ("a,b", b'\t', "a,b"),
        ("a\tb", b'\t', "\"a\tb\""),
        ("a\"b", b',', "\"a\"\"b\""),
        ("a\nb", b',', "\"a\nb\""),
        ("a\rb", b',', "\"a\rb\""),
        // The delimiter is in numbers too, which have no quotes.
        ("Home", b'0', "Home"),
    ] {
        let mut format = format();
        format.config.delimiter = delimiter;
        let sample = SampleResult { label: Text::from(label), ..a_sample() };
        let delimiter = char::from(delimiter);
        let row = written(&format, &sample);
        assert!(row.contains(&format!("{delimiter}42{delimiter}{shown}{delimiter}")), "{row}");
    }
}
