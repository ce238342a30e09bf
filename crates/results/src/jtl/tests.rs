//! Valid and invalid results files.

use std::fmt::Write as _;

use super::*;

type Seen = (i64, u64, String, bool);

fn read(bytes: &[u8]) -> (Vec<Seen>, Result<JtlCounts, JtlError>) {
    let mut seen = Vec::new();
    let counts = read_samples(bytes, |sample| {
        seen.push((sample.start_ms, sample.elapsed_ms, sample.label.to_owned(), sample.success));
    });
    (seen, counts)
}

fn seen(start_ms: i64, elapsed_ms: u64, label: &str, success: bool) -> Seen {
    (start_ms, elapsed_ms, label.to_owned(), success)
}

#[test]
fn columns_may_stand_in_any_order_and_number() {
    for text in [
        "timeStamp,elapsed,label,success\n5,7,home,true\n6,8,\"a, \"\"b\"\"\",false\n",
        "label;success;elapsed;timeStamp\r\nhome;true;7;5\r\n\"a, \"\"b\"\"\";false;8;6\r\n",
        "success\tURL\ttimeStamp\telapsed\tlabel\ntrue\tnull\t5\t7\thome\nfalse\tnull\t6\t8\ta, \"b\"\n",
        "\u{feff}elapsed|timeStamp|label|success\n7|5|home|true\n8|6|a, \"b\"|false",
    ] {
        let (rows, counts) = read(text.as_bytes());
        assert_eq!(rows, [seen(5, 7, "home", true), seen(6, 8, "a, \"b\"", false)], "{text}");
        assert_eq!(counts.expect("read"), JtlCounts { samples: 2, ..JtlCounts::default() });
    }
}

#[test]
fn without_a_header_the_columns_are_jmeters() {
    let row = "1700000000000,12,home,200,OK,Users 1-1,text,true,,5000,300,3,4,http://h/,11,0,2";
    let mut found = JtlSample::default();
    let text = format!("{row}\n{row}\n");
    let counts = read_samples(text.as_bytes(), |sample| {
        found = JtlSample { label: "", code: "", message: "", failure: "", thread: "", ..*sample };
    });
    assert_eq!(counts.expect("read"), JtlCounts { samples: 2, has_users: true, ..JtlCounts::default() });
    let wanted = JtlSample {
        start_ms: 1_700_000_000_000,
        elapsed_ms: 12,
        success: true,
        bytes: 5000,
        sent_bytes: 300,
        users: Some(4),
        latency_ms: 11,
        connect_ms: 2,
        ..found
    };
    assert_eq!(found, wanted);
    let quoted = "1,2,\"a,b\",200,OK,u,text,false,,1,1,1,1,null,0,0,0";
    assert_eq!(read(quoted.as_bytes()).0, [seen(1, 2, "a,b", false)]);
}

#[test]
fn rows_at_fault_are_counted_and_named_by_their_line_and_the_rest_is_read() {
    let text = "timeStamp,elapsed,label,success\n1,1,a,true\n2,x,a,true\n3,1,a\n4,1,a,maybe\n5,1,\"a\nb\",true\n6,1,a,b,true\nnow,1,a,true\n7,1,c,true\n8,1,\"cut";
    let (rows, counts) = read(text.as_bytes());
    let counts = counts.expect("read");
    assert_eq!(rows, [seen(1, 1, "a", true), seen(5, 1, "a\nb", true), seen(7, 1, "c", true)]);
    assert_eq!((counts.samples, counts.bad), (3, 6));
    let named: Vec<_> = counts.first_bad.iter().map(|bad| (bad.line, bad.why.as_str())).collect();
    assert_eq!(
        named,
        [
            (3, "invalid elapsed `x`: expected a number of milliseconds"),
            (4, "3 fields, and the header has 4"),
            (5, "invalid success `maybe`: expected true or false"),
            (8, "5 fields, and the header has 4"),
            (9, "invalid timeStamp `now`: expected a time"),
        ]
    );
}

#[test]
fn joined_files_have_headers_in_their_middle() {
    let text = "timeStamp,elapsed,label,success\n1,1,a,true\nlabel,elapsed,timeStamp,success\nb,3,2,false\n";
    let (rows, counts) = read(text.as_bytes());
    assert_eq!(rows, [seen(1, 1, "a", true), seen(2, 3, "b", false)]);
    assert_eq!(counts.expect("read").bad, 0);
}

#[test]
fn every_cut_of_a_file_gives_the_rows_before_it() {
    let text = "timeStamp,elapsed,label,success\n1,1,a,true\n2,22,\"b\nb\",false\n3,3,c,true\n";
    let whole = read(text.as_bytes()).0;
    for end in 0..text.len() {
        let (rows, _) = read(&text.as_bytes()[..end]);
        let known = rows.len().min(whole.len());
        // The last row may be shorter than it was.
        let sure = known.saturating_sub(1);
        assert_eq!(rows[..sure], whole[..sure], "{end}");
        assert!(rows.len() <= whole.len(), "{end}");
    }
}

#[test]
fn what_is_no_results_file_is_told_and_an_empty_one_is_none() {
    for text in ["", "\n\n", "timeStamp,elapsed,label\n"] {
        assert_eq!(read(text.as_bytes()).1.expect("nothing wrong").samples, 0, "{text:?}");
    }
    for bytes in [
        &b"PK\x03\x04\0\0\n\0\0\n"[..],
        b"hello\nworld\n",
        b"a,b,c\n1,2,3\n",
        b"\xff\xfe\0\n\0\0",
        b"<html></html",
    ] {
        let (rows, counts) = read(bytes);
        assert!(rows.is_empty(), "{bytes:?}");
        if let Ok(counts) = counts {
            assert_eq!((counts.samples, counts.bad), (0, 0), "{bytes:?}");
        }
    }
    assert!(matches!(read(b"hello\nworld\n").1, Err(JtlError::NotJtl(why)) if why.contains("line 1")));
}

#[test]
fn characters_that_xml_does_not_allow_are_read_by_their_number() {
    let text = "<testResults version=\"1.2\">\n<sample t=\"7\" ts=\"5\" s=\"true\" lb=\"a&#x0;&amp;b; &#xffff;&#xd;&no;\"/>\n</testResults>";
    let (rows, counts) = read(text.as_bytes());
    assert_eq!(rows, [seen(5, 7, "a\0&b; \u{ffff}\r&no;", true)]);
    assert_eq!(counts.expect("read").samples, 1);
}

#[test]
fn only_the_outermost_samples_of_xml_are_rows() {
    let text = "<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n<httpSample t=\"12\" lt=\"9\" ct=\"1\" ts=\"5\" s=\"true\" lb=\"a &amp; &lt;b&gt;\" rc=\"200\" rm=\"OK\" by=\"7\" sby=\"8\" na=\"3\">\n\
        <httpSample t=\"1\" ts=\"5\" s=\"false\" lb=\"part\"/>\n<java.net.URL>http://h/</java.net.URL></httpSample>\n<sample t=\"2\" ts=\"6\" s=\"false\" lb=\"b\"><assertionResult><failure>true</failure>\
        <failureMessage>no &gt; 5</failureMessage></assertionResult></sample>\n<sample t=\"z\" ts=\"6\"/>\n<sample t=\"3\" ts=\"7\" s=\"true\" lb=\"c\"/>\n<sample t=\"3\" ts=\"8\">";
    let mut failures = Vec::new();
    let counts =
        read_samples(text.as_bytes(), |sample| failures.push(sample.failure.to_owned())).expect("read");
    assert_eq!(
        read(text.as_bytes()).0,
        [seen(5, 12, "a & <b>", true), seen(6, 2, "b", false), seen(7, 3, "c", true)]
    );
    assert_eq!(failures, ["", "no > 5", ""]);
    assert_eq!((counts.samples, counts.bad, counts.has_users), (3, 2, true));
    let lines: Vec<_> = counts.first_bad.iter().map(|bad| bad.line).collect();
    assert_eq!(lines, [7, 9]);
}

#[test]
fn intervals_hold_all_rows_whatever_their_order() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("r.jtl");
    let mut text = String::from("timeStamp,elapsed,label,success,allThreads,responseMessage\n");
    for number in 0..500_u64 {
        let at = 1_000_000 + number * 7919 % 100_000;
        let good = !number.is_multiple_of(10);
        writeln!(text, "{at},5,label {},{good},{},OK", number % 3, number % 7).expect("a String takes it");
    }
    text += "1000000,5,t,true,1,\"Number of samples in transaction : 2, number of failing samples : 0\"\n";
    text += "1000000,5,t,true,1,\"Number of samples in transaction : 0, number of failing samples : 0\"\n";
    std::fs::write(&path, text).expect("written");
    let mut rows = 0;
    let mut samples = 0;
    let mut errors = 0;
    let mut transactions = 0;
    let mut most = 0;
    let counts = read_intervals(
        &path,
        IntervalOptions::default(),
        |_| rows += 1,
        |interval| {
            let total = interval.labels.total();
            samples += total.samples;
            errors += total.errors;
            transactions += interval.labels.get("t", true).map_or(0, |row| row.stats.samples);
            most = most.max(interval.users.active);
            assert_eq!((interval.length_ms, interval.start_ms % 1000), (1000, 0));
        },
    );
    assert_eq!((rows, samples, errors, transactions, most), (502, 500, 50, 2, 6));
    assert_eq!(counts.expect("read").samples, 502);
}

#[test]
fn a_long_file_has_longer_intervals() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("r.jtl");
    let rows: Vec<_> = (0..2000).map(|number| format!("{},5,a,true\n", 1_000_000 + number * 4000)).collect();
    std::fs::write(&path, format!("timeStamp,elapsed,label,success\n{}", rows.concat())).expect("written");
    let mut lengths = Vec::new();
    read_intervals(&path, IntervalOptions::default(), |_| {}, |interval| lengths.push(interval.length_ms))
        .expect("read");
    assert!(
        lengths.iter().all(|length| *length == 8000) && lengths.len() == 1000,
        "{} of {:?}",
        lengths.len(),
        lengths.first()
    );
}

#[test]
fn text_of_utf_16_is_named_as_that() {
    for bytes in [&b"\xff\xfet\0i\0"[..], b"\xfe\xff\0t\0i"] {
        let refused = read(bytes).1.expect_err("no UTF-8").to_string();
        assert!(refused.contains("UTF-16, and UTF-8 is wanted"), "{refused}");
    }
}

#[test]
fn a_compressed_file_that_was_cut_counts_up_to_there() {
    use std::io::Write as _;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(b"timeStamp,elapsed,label\n").expect("a Vec takes it");
    for number in 0..20_000_u64 {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(packer, "{number},{},label {mixed}", mixed % 1000).expect("a Vec takes it");
    }
    let packed = packer.finish().expect("a Vec takes it");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.jtl.gz");
    std::fs::write(&path, &packed[..packed.len() / 2]).expect("written");
    let mut samples = 0;
    let counts = read_file(&path, |_| samples += 1).expect("what is there is read");
    assert!((5000..15_000).contains(&samples) && counts.samples == samples, "{samples}");
    assert!(counts.damaged.is_some() && counts.bad <= 1, "{counts:?}");
    std::fs::write(&path, &packed[..5]).expect("written");
    assert!(matches!(read_file(&path, |_| {}), Err(JtlError::Io(_))), "nothing was there");
}

#[test]
fn another_document_and_a_file_without_lines_are_refused() {
    let plan = "<?xml version=\"1.0\"?>\n<jmeterTestPlan version=\"1.2\"><hashTree/></jmeterTestPlan>";
    for (text, told) in [
        (plan, "it begins with <jmeterTestPlan>: it is a plan, which `swell run` runs"),
        ("<html><sample ts=\"1\" t=\"1\"/></html>", "it begins with <html>: testResults is wanted"),
    ] {
        let (rows, refused) = read(text.as_bytes());
        let Err(JtlError::NotJtl(why)) = refused else { panic!("{text}: {refused:?}") };
        assert_eq!((rows.len(), &*why), (0, told));
    }
    // It never ends: a reader that waited for a line would not either.
    let refused = read_samples(std::io::repeat(0), |_| ());
    let Err(JtlError::NotJtl(why)) = refused else { panic!("{refused:?}") };
    assert_eq!(why, "its first line has more than 16 MB");
}

/// A file that is made as it is read: a beginning, a byte again and again, an end.
fn made<'t>(begin: &'t str, byte: u8, count: u64, end: &'t str) -> impl std::io::Read + 't {
    use std::io::Read as _;
    begin.as_bytes().chain(std::io::repeat(byte).take(count)).chain(end.as_bytes())
}

#[test]
fn an_attribute_of_300_mb_ends_the_file_there_and_is_not_held() {
    let begin =
        "<testResults><sample ts=\"1000\" t=\"2\" lb=\"a\" s=\"true\"/>\n<sample ts=\"1001\" t=\"2\" lb=\"";
    let mut labels = Vec::new();
    let mut counts = None;
    let used = allocation_counter::measure(|| {
        let source = made(begin, b'x', 300 << 20, "\"/></testResults>");
        counts = Some(read_samples(source, |sample| labels.push(sample.label.to_owned())));
    });
    let counts = counts.expect("it was read").expect("the first sample is one");
    assert_eq!((labels, counts.samples, counts.bad), (vec!["a".to_owned()], 1, 1));
    let why = &counts.first_bad[0].why;
    assert!(why.contains("larger than 64 MiB") && counts.first_bad[0].line == 2, "{why}");
    assert!(used.bytes_max < 200 << 20, "{} bytes", used.bytes_max);
}

#[test]
fn labels_that_are_all_different_take_the_memory_of_some_thousands() {
    let rows = |count: u64| {
        let header = "timeStamp,elapsed,label,responseCode,success\n".to_owned();
        (0..count)
            .fold(header, |text, row| text + &format!("{},5,label {row},200,true\n", row / 5_000 * 1000))
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("labels.csv");
    std::fs::write(&path, rows(150_000)).expect("written");
    let mut samples = 0;
    let used = allocation_counter::measure(|| {
        let options = IntervalOptions { length_ms: Some(1000) };
        let each = |interval: swell_stats::Interval| {
            samples += interval.labels.rows.iter().map(|row| row.stats.samples).sum::<u64>();
        };
        read_intervals(&path, options, |_| {}, each).expect("rows");
    });
    assert_eq!(samples, 150_000, "each row counts once");
    assert!(used.bytes_max < 150 << 20, "{} bytes", used.bytes_max);
}

#[test]
fn samples_inside_a_transaction_are_rows_and_parts_of_a_sample_are_none() {
    let text = r#"<testResults version="1.2"><sample t="3" ts="1" s="false" lb="All" rm="Number of samples in transaction : 2, number of failing samples : 1">
<sample t="2" ts="1" s="false" lb="Inner" rm="Number of samples in transaction : 1, number of failing samples : 1">
<httpSample t="2" ts="1" s="false" lb="page" rm="no"><httpSample t="1" ts="1" s="true" lb="page-0"/>
<assertionResult><failureMessage>why</failureMessage></assertionResult></httpSample></sample>
<httpSample t="1" ts="3" s="true" lb="next"/></sample><httpSample t="1" ts="9" s="true" lb="last"/></testResults>"#;
    let mut rows = Vec::new();
    let counts = read_samples(text.as_bytes(), |sample| {
        rows.push((sample.label.to_owned(), sample.place, sample.failure.to_owned()));
    });
    assert_eq!(counts.expect("read").samples, 5);
    let row = |label: &str, place, failure: &str| (label.to_owned(), place, failure.to_owned());
    let wanted = [
        ("page", Place::InTransaction, "why"),
        ("Inner", Place::InTransaction, ""),
        ("next", Place::InTransaction, ""),
        ("All", Place::Own, ""),
        ("last", Place::Own, ""),
    ];
    assert_eq!(rows, wanted.map(|(label, place, failure)| row(label, place, failure)));
}

#[test]
fn branches_of_a_parallel_controller_are_rows_and_sub_results_of_a_script_are_none() {
    let text = r#"<testResults version="1.2"><sample t="3" ts="1" s="true" lb="both" rm="OK">
<httpSample t="2" ts="1" s="true" lb="a"><httpSample t="1" ts="1" s="true" lb="a-0"/></httpSample><httpSample t="2" ts="1" s="true" lb="b"/></sample>
<sample t="3" ts="1" s="true" lb="script" rm="OK"><sample t="2" ts="1" s="true" lb="script-0"/></sample>
<sample t="3" ts="1" s="true" lb="T" rm="Number of samples in transaction : 1, number of failing samples : 0">
<sample t="3" ts="1" s="true" lb="two"><httpSample t="2" ts="1" s="true" lb="c"/></sample></sample></testResults>"#;
    let mut rows = Vec::new();
    read_samples(text.as_bytes(), |sample| rows.push((sample.label.to_owned(), sample.place))).expect("read");
    let wanted = [
        ("a", Place::InTransaction),
        ("b", Place::InTransaction),
        ("both", Place::Parallel),
        ("script", Place::Own),
        ("c", Place::InTransaction),
        ("two", Place::ParallelInTransaction),
        ("T", Place::Own),
    ];
    assert_eq!(rows, wanted.map(|(label, place)| (label.to_owned(), place)));
}

#[test]
fn redirects_in_a_csv_file_are_parts_of_their_sample() {
    let text = "timeStamp,elapsed,label,success,threadName,bytes\n1,5,go,true,u 1,30\n1,2,go-0,true,u 1,10\n3,3,go-1,true,u 1,20\n7,2,go-2,true,u 1,9\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, text).expect("written");
    let mut counted = Vec::new();
    read_intervals(
        &path,
        IntervalOptions::default(),
        |_| {},
        |interval| {
            counted.push((interval.labels.total().samples, interval.labels.as_reported().total().samples));
        },
    )
    .expect("rows");
    assert_eq!(counted, [(2, 4)], "JMeter's report has each row");
}
