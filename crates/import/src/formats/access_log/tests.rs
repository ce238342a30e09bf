use super::*;

fn read_all(text: &str, options: &Options) -> (Document, Notes) {
    let mut notes = Notes::default();
    let source = Source { name: "logs/access.log", bytes: text.as_bytes() };
    let document = read(&source, options, &mut notes).expect("a log");
    (document, notes)
}

fn rows(text: &str) -> Vec<String> {
    let (document, _) = read_all(text, &Options::default());
    let data = &document.flows[0].data[0];
    data.rows.as_ref().expect("rows").iter().map(|row| row.join(" ")).collect()
}

fn common(second: u32, request: &str, status: u16) -> String {
    format!("192.0.2.1 - - [10/Oct/2000:13:55:{second:02} -0700] \"{request}\" {status} 23 \"-\" \"agent\"\n")
}

#[test]
fn lines_of_many_servers_are_read() {
    for (line, wanted) in [
        (common(36, "GET /a?b=c HTTP/1.0", 200), "971211336000 GET /a?b=c 200 "),
        (common(36, "HEAD / HTTP/1.1", 304), "971211336000 HEAD / 304 "),
        (common(36, "GET /a b HTTP/1.1", 200), "971211336000 GET /a b 200 "),
        (common(36, r#"GET /\x22\"x HTTP/1.1"#, 200), "971211336000 GET /%22%22x 200 "),
        (
            r#"shop.test:443 192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/2.0" 200 1"#.to_owned(),
            "971211336000 GET / 200 shop.test",
        ),
        (
            r#"{"level":"info","ts":1646861401.5241,"logger":"http.log.access","request":{"method":"GET","host":"localhost:80","uri":"/x?y"},"status":200}"#.to_owned(),
            "1646861401524.1 GET /x?y 200 localhost",
        ),
        (
            r#"{"DownstreamStatus":404,"RequestMethod":"POST","RequestPath":"/a","RequestHost":"a.test","StartUTC":"2022-03-09T21:30:01.5Z"}"#.to_owned(),
            "1646861401500 POST /a 404 a.test",
        ),
        (
            r#"{"time_iso8601":"2022-03-09T21:30:01+00:00","request":"GET /q HTTP/1.1","status":"200","http_host":"b.test"}"#.to_owned(),
            "1646861401000 GET /q 200 b.test",
        ),
        (
            r#"{"@timestamp":"2022-03-09T21:30:01Z","method":"get","path":"/p","query":"a=1"}"#.to_owned(),
            "1646861401000 GET /p?a=1 0 ",
        ),
    ] {
        let line_of_log = parsed(&line).expect("a request");
        let shown = format!(
            "{} {} {} {} {}",
            line_of_log.at_ms, line_of_log.method, line_of_log.target, line_of_log.status, line_of_log.host
        );
        assert_eq!(shown, wanted, "{line}");
        assert!(fits(&line), "{line}");
    }
    for line in [
        "",
        "hello",
        "GET http://a.test/",
        r#"{"method":"GET","url":"http://a"}"#,
        r#"{"ts":1}"#,
        "a [x] \"GET / HTTP/1.1\"",
    ] {
        assert!(parsed(line).is_err() && !fits(line), "{line}");
    }
}

#[test]
fn requests_keep_their_times() {
    let text = [
        common(38, "GET /c HTTP/1.1", 200),
        common(36, "GET /a HTTP/1.1", 200),
        common(36, "HEAD /b HTTP/1.1", 200),
    ]
    .concat();
    assert_eq!(rows(&text), ["1000 GET a", "1500 HEAD b", "3000 GET c"]);
    let settings = [("speed".to_owned(), "2x".to_owned())].into();
    let (document, _) = read_all(&text, &Options { settings, ..Options::default() });
    let flow = &document.flows[0];
    let rows = flow.data[0].rows.as_ref().expect("rows");
    assert_eq!(rows.iter().map(|row| &*row[0]).collect::<Vec<_>>(), ["1000", "1250", "2000"]);
    assert_eq!((flow.load.users, flow.load.loops, flow.data[0].ends), (Some(3), Some(0), true));
    assert_eq!(flow.data[0].path, "access-requests.csv");
}

#[test]
fn what_is_not_sent_is_counted() {
    let text = [
        common(1, "GET /a?token=abc&x=1 HTTP/1.1", 200),
        common(1, "POST /b HTTP/1.1", 201),
        common(2, "POST /c HTTP/1.1", 201),
        common(2, "GET /wp-admin HTTP/1.1", 404),
        common(3, "GET http://a.test/d HTTP/1.1", 500),
        common(3, "-", 400),
        "garbage\n".to_owned(),
    ]
    .concat();
    assert_eq!(rows(&text), ["1000 a?token=x&x=1", "3000 d"]);
    let (_, notes) = read_all(&text, &Options::default());
    let all: Vec<_> = notes
        .all()
        .iter()
        .map(|note| format!("{}: {}: {}", note.place.line, note.what, note.reason))
        .collect();
    let has = |text: &str| all.iter().any(|note| note.contains(text));
    for wanted in [
        "2: 2 lines: POST requests have no body",
        "4: 1 line: the server answered with 4xx",
        "1: 1 line: secret values",
        "6: 1 line: it has no request line",
        "7: 1 line: the line is not of the common",
    ] {
        assert!(has(wanted), "{wanted}: {all:?}");
    }
    assert!(notes.is_lossy());
}

#[test]
fn a_log_of_many_sites_gives_one() {
    let line = |host: &str, path: &str| {
        format!(
            r#"{{"ts":1646861401,"request":{{"method":"GET","host":"{host}","uri":"{path}"}},"status":200}}{}"#,
            "\n"
        )
    };
    let text = [line("a.test", "/1"), line("b.test", "/2"), line("a.test", "/3")].concat();
    assert_eq!(rows(&text), ["1000 1", "1500 3"]);
    let options = Options { hosts: vec!["b.test".to_owned()], ..Options::default() };
    let (document, _) = read_all(&text, &options);
    assert_eq!(document.flows[0].data[0].rows.as_ref().map(Vec::len), Some(1));
}

#[test]
fn a_log_without_requests_is_refused() {
    for text in ["x", &common(1, "POST / HTTP/1.1", 200)] {
        let source = Source { name: "a.log", bytes: text.as_bytes() };
        let error = read(&source, &Options::default(), &mut Notes::default()).expect_err("refused");
        assert!(error.message.contains("no line has a GET"), "{error:?}");
    }
    let settings = [("speed".to_owned(), "fast".to_owned())].into();
    let source = Source { name: "a.log", bytes: b"x" };
    let error = read(&source, &Options { settings, ..Options::default() }, &mut Notes::default())
        .expect_err("refused");
    assert!(error.message.contains("invalid speed"));
}
