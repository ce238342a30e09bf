use super::*;
use crate::model::{Body, Capture, Check, CheckOf, Comparison, Exchange, Folder, FolderKind, Item, Pause};
use crate::options::Options;

fn read_with(text: &str, options: &Options) -> Result<(Flow, Notes), ReadError> {
    let mut notes = Notes::default();
    let source = Source { name: "dir/shop.hurl", bytes: text.as_bytes() };
    let mut document = read(&source, options, &mut notes)?;
    Ok((document.flows.remove(0), notes))
}

fn read_all(text: &str) -> (Flow, Notes) {
    read_with(text, &Options::default()).expect("a file of Hurl")
}

fn first(text: &str) -> (Exchange, Notes) {
    let (flow, notes) = read_all(text);
    (flow.exchanges()[0].clone(), notes)
}

fn problems(notes: &Notes) -> Vec<String> {
    notes.all().iter().map(|note| format!("{}: {}: {}", note.place, note.what, note.reason)).collect()
}

#[test]
fn errors_have_a_place_and_what_was_expected() {
    for (text, place, expected) in [
        ("get http://a", "1:1", "expected a request, as `GET http://localhost/`"),
        ("GET", "1:4", "expected a blank and the URL"),
        ("GET http://a\n[Quer]\n", "2:2", "invalid section `Quer` of a request; expected one of Query"),
        ("GET http://a\nHTTP 200\n[Query]\n", "3:2", "expected one of Captures, Asserts"),
        ("GET http://a\nHTTP/4 200", "2:1", "expected HTTP/1.0"),
        ("GET http://a\nHTTP abc", "2:6", "expected a status"),
        ("GET http://a\n[Query]\na: 1\n[Query]\nb: 2", "4:1", "expected each section once"),
        (
            "GET http://a\n[Options]\nlocatoin: true",
            "3:1",
            "invalid option `locatoin`; expected one of aws-sigv4",
        ),
        ("GET http://a\n[Options]\nlocation: yes", "3:11", "expected true or false"),
        ("GET http://a\n[Options]\ndelay: 5h", "3:9", "expected the unit ms, s or m"),
        ("GET http://{{a", "1:15", "expected `}}`"),
        ("GET http://a\nHTTP 200\n[Asserts]\nstatus = 200", "4:8", "expected a predicate: one of ==, !="),
        ("GET http://a\nHTTP 200\n[Asserts]\nstatus >= true", "4:11", "expected a number or a text"),
        ("GET http://a\nHTTP 200\n[Asserts]\njsonpath $.a == 1", "4:10", "expected `\"`"),
        ("GET http://a\nHTTP 200\n[Asserts]\nbody matches /(/", "4:15", "invalid regular expression"),
        ("GET http://a\nHTTP 200\n[Captures]\nid: jsonpth \"$.a\"", "4:5", "expected one of status, version"),
        ("POST http://a\n{\"a\": 1,}", "2:8", "no comma may be after the last element"),
        ("POST http://a\n{\"a\" 1}", "2:6", "expected `:`"),
        ("POST http://a\n```\nabc", "3:4", "expected `"),
        ("POST http://a\nhex,abc;", "2:8", "expected an even number of hexadecimal digits"),
        ("POST http://a\n<a><b></a>", "2:7", "expected the end of another element"),
        ("GET http://a\nname value\n", "2:1", "or `name: value`"),
        ("GET http://a\nHTTP 200\n[Asserts]\nstatus==200", "4:7", "expected a blank"),
    ] {
        let error = read_with(text, &Options::default()).expect_err(text);
        let found = error.place.to_string();
        assert_eq!(found, format!("dir/shop.hurl:{place}"), "{text}: {}", error.message);
        assert!(error.message.contains(expected), "{text}: {}", error.message);
    }
}

#[test]
fn requests_are_taken() {
    for (text, wanted) in [
        (
            "# remark\nGET http://a/b?x=1 # why\nAccept: text/html\nX\\:y: a\\#b  \n",
            "GET http://a/b?x=1 Accept=text/html X:y=a#b None",
        ),
        (
            "GET http://a\n[Query]\nq: a b&c\nn: {{v}}\n[Cookies]\nc: 1\nd: 2\n",
            "GET http://a?q=a%20b%26c&n=${__urlencode(${v})} Cookie=c=1; d=2 None",
        ),
        (
            "POST http://a\n[Form]\nuser: a@b\n",
            "POST http://a Content-Type=application/x-www-form-urlencoded Text(\"user=a%40b\")",
        ),
        (
            "POST http://a\n{\"a\": {{n}}, \"b\": \"x{{v}}\\n\"}\n",
            "POST http://a Content-Type=application/json Text(\"{\\\"a\\\": ${n}, \\\"b\\\": \\\"x${v}\\\\\\\\n\\\"}\")",
        ),
        ("PUT http://a\n`one line`\n", "PUT http://a Text(\"one line\")"),
        ("PUT http://a\n```\ntwo\nlines\n```\n", "PUT http://a Text(\"two\\nlines\\n\")"),
        (
            "PUT http://a\n```json,escape\n\"\\t\"\n```",
            "PUT http://a Content-Type=application/json Text(\"\\\"\\t\\\"\\n\")",
        ),
        (
            "POST http://a\n```graphql\n{ a }\nvariables {\"x\": 1}\n```\n",
            "POST http://a Content-Type=application/json Text(\"{\\\"query\\\":\\\"{ a }\\\",\\\"variables\\\":{\\\"x\\\": 1}}\")",
        ),
        (
            "POST http://a\n<?xml version=\"1.0\"?><a x='1'><b/></a>\n",
            "POST http://a Content-Type=application/xml Text(\"<?xml version=\\\"1.0\\\"?><a x='1'><b/></a>\")",
        ),
        ("POST http://a\nbase64,aGk=;\n", "POST http://a Text(\"hi\")"),
        ("POST http://a\nhex,ff00;\n", "POST http://a Bytes([255, 0])"),
        ("POST http://a\nfile,d/b.txt;\n", "POST http://a File { path: \"d/b.txt\", mime: \"\" }"),
        ("GET http://a/{{newUuid}}\n", "GET http://a/${__UUID()} None"),
    ] {
        let (one, notes) = first(text);
        let header = |header: &crate::model::Header| format!(" {}={}", header.name, header.value.to_plan());
        let headers: String = one.headers.iter().map(header).collect();
        assert_eq!(format!("{} {}{headers} {:?}", one.method, one.url.to_plan(), one.body), wanted, "{text}");
        assert!(!notes.is_lossy(), "{text}: {notes:?}");
    }
}

#[test]
fn parts_options_and_names_are_taken() {
    let (flow, notes) = read_all(
        "# @name sign in\nPOST http://a\n[Options]\nlocation: true\ndelay: 2s\nuser: ada:secret\nvariable: x=1\nrepeat: 3\n\
         [Multipart]\nfield: v\nphoto: file,p.png;\ndoc: file,d.bin; text/csv\n",
    );
    assert!(!notes.is_lossy(), "{notes:?}");
    assert_eq!(
        (flow.name.as_str(), flow.on_error, flow.has_cookie_jar),
        ("shop", OnError::NextIteration, true)
    );
    let Item::Folder(Folder { kind: FolderKind::Loop(times), .. }) = &flow.items[0] else {
        panic!("{flow:?}")
    };
    assert_eq!(times.to_plan(), "3");
    let one = flow.exchanges()[0];
    assert_eq!(one.name.as_deref(), Some("sign in"));
    assert!(one.follows_redirects && one.pause == Some(Pause::Fixed(2_000)));
    assert_eq!(one.auth.as_ref().map(|auth| auth.password.to_plan()), Some("secret".to_owned()));
    assert_eq!(one.scripts[0].text, "vars.put('x', '1')");
    let Body::Multipart(parts) = &one.body else { panic!("{one:?}") };
    let mimes: Vec<_> = parts.iter().map(|part| part.mime.as_str()).collect();
    assert_eq!(mimes, ["", "image/png", "text/csv"]);
}

/// The checks of a response, without that of the status.
fn checks(asserts: &str) -> (Vec<Capture>, Vec<CheckOf>, Notes) {
    let (one, notes) = first(&format!("GET http://a\nHTTP 200\n[Asserts]\n{asserts}\n"));
    let of: Vec<CheckOf> = one.checks.into_iter().skip(1).map(|check: Check| check.of).collect();
    (one.captures, of, notes)
}

#[test]
fn asserts_compare_types_too() {
    for (assert, wanted) in [
        ("jsonpath \"$.a\" == 1", &["$[?($['a'] === 1)] Exists"][..]),
        ("jsonpath \"$.a\" == \"1\"", &["$['a'] Equals(\"\\\"1\\\"\")", "$[?($['a'] >= '')] Exists"]),
        ("jsonpath \"$.a\" != null", &["$[?($['a'] == null)] Missing", "is JSON", "$['a'] Exists"]),
        ("jsonpath \"$.a\" not exists", &["$['a'] Missing", "is JSON"]),
        ("jsonpath \"$.a[0].b\" > 2.5", &["$[?($['a'][0]['b'] > 2.5)] Exists"]),
        ("jsonpath \"$.a[*].b\" contains \"x\"", &["$['a'][*]['b'] Equals(\"\\\"x\\\"\")"]),
        ("jsonpath \"$.a\" isString", &["$[?($['a'] >= '')] Exists"]),
        (
            "jsonpath \"$.a\" includes 3",
            &["$['a'][?(@ === 3)] Exists", "$[?($['a'] == [] || $['a'][0] == $['a'][0])] Exists"],
        ),
        ("jsonpath \"$.a\" nth 1 == true", &["$[?($['a'][1] === true)] Exists"]),
    ] {
        let (_, found, notes) = checks(assert);
        assert!(!notes.is_lossy(), "{assert}: {notes:?}");
        let found: Vec<String> = found
            .iter()
            .map(|of| match of {
                CheckOf::JsonPath(path, how) => format!("{path} {how:?}"),
                CheckOf::Body(Comparison::Matches(_)) => "is JSON".to_owned(),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(found, wanted, "{assert}");
    }
}

#[test]
fn other_asserts_become_checks() {
    for (assert, wanted) in [
        ("status == 201", "Status(Equals(\"201\"))"),
        (
            "status >= 300",
            "Status(Matches(\"\\\\A(?:300|[4-9]\\\\d{2}|3[1-9]\\\\d{1}|30[1-9]\\\\d{0}|[1-9]\\\\d{3,})(?![\\\\s\\\\S])\"))",
        ),
        ("duration < 1000", "Groovy(\"prev.getTime() < 1000\")"),
        ("body contains \"a.b\"", "Body(Contains(\"a.b\"))"),
        ("url endsWith \"/x\"", "Url(EndsWith(\"/x\"))"),
        ("header \"Location\" exists", "Header(\"Location\", Exists)"),
        ("header \"Location\" not exists", "Header(\"Location\", Missing)"),
        (
            "header \"Content-Type\" == \"a/b\"",
            "Header(\"Content-Type\", Exists) Header(\"Content-Type\", Equals(\"a/b\"))",
        ),
        ("bytes count == 12", "SizeOf(12)"),
        ("xpath \"count(//b)\" == 2", "XPath(\"count(//b) = 2\", true)"),
        ("xpath \"//li\" count > 2", "HtmlXPath(\"count(//li) > 2\", true)"),
        ("xpath \"string(//head/title)\" == \"Hi\"", "HtmlXPath(\"string(//head/title) = 'Hi'\", true)"),
        (
            "regex \"id=(\\\\d+)\" == \"7\"",
            "Variable(\"hurl.1\", Differs(\"no value of hurl\")) Variable(\"hurl.1\", Equals(\"7\"))",
        ),
        (
            "jsonpath \"$.a\" matches /^x.$/",
            "JsonPath(\"$[?($['a'] >= '')]\", Exists) Variable(\"hurl.1\", Matches(\"\\\\\\\\Ax.(?![\\\\\\\\s\\\\\\\\S])\"))",
        ),
        (
            "jsonpath \"$.a\" count == 2",
            "Variable(\"hurl.1_matchNr\", Equals(\"2\")) JsonPath(\"$['a']\", Exists) \
             JsonPath(\"$[?($['a'] == [] || $['a'][0] == $['a'][0])]\", Exists)",
        ),
    ] {
        let (_, found, notes) = checks(assert);
        assert!(!notes.is_lossy(), "{assert}: {notes:?}");
        let found: Vec<String> = found.iter().map(|of| format!("{of:?}")).collect();
        assert_eq!(
            found.join(" ").replace("\\\\\\\\", "\\\\"),
            wanted.replace("\\\\\\\\", "\\\\"),
            "{assert}"
        );
    }
}

#[test]
fn asserts_that_cannot_be_checked_are_refused_with_their_place() {
    for (assert, column, reason) in [
        ("sha256 == hex,00;", 8, "this hash has 32 bytes, not 1"),
        ("md5 != hex,00112233445566778899aabbccddeeff;", 5, "compared only by `== hex,…;`"),
        ("jsonpath \"$.a{{x}}\" exists", 10, "a variable in the name of a member"),
        ("body replace /a+/ \"b\" == \"b\"", 15, "only a text without variables and special"),
        ("body split \"{{x}}\" nth 0 == \"b\"", 12, "only at a text without variables"),
        ("certificate \"Subject\" exists", 1, "no element of JMeter gives this value"),
        ("header \"Date\" toDate \"%a\" daysAfterNow > 1", 15, "the filter `toDate`"),
        ("jsonpath \"$.a\" split \",\" count == 2", 26, "the filter `count`"),
        ("jsonpath \"$.a[*]\" == 1", 19, "this path has a list of values"),
        ("jsonpath \"$..*\" exists", 10, "another order in JMeter"),
        ("header \"A\" == 1", 12, "write it in quotes"),
        ("body matches /\\p{Greek}/", 15, "classes of Unicode"),
        ("body == hex,00;", 6, "a text never equals"),
        ("status == 200.5", 8, "whole numbers"),
        ("xpath \"//a\" == \"x\"", 13, "not supported"),
    ] {
        let (_, _, notes) = checks(assert);
        let found = problems(&notes);
        assert!(notes.is_lossy() && found.len() == 1, "{assert}: {found:?}");
        assert!(found[0].starts_with(&format!("dir/shop.hurl:4:{column}: assert `")), "{assert}: {found:?}");
        assert!(found[0].contains(reason), "{assert}: {found:?}");
    }
    let options = Options { skips_asserts: true, ..Options::default() };
    let (_, notes) = read_with("GET http://a\nHTTP 200\n[Asserts]\nmd5 == hex,00;", &options).expect("valid");
    assert!(!notes.is_lossy() && notes.all().len() == 1, "{notes:?}");
}

#[test]
fn hashes_parts_and_variables_in_expressions_are_checked() {
    for (assert, wanted) in [
        ("md5 == hex,00112233445566778899aabbccddeeff;", "Md5(\"00112233445566778899aabbccddeeff\")"),
        (
            "header \"A\" split \", \" nth 1 == \"b\"",
            r#"hurl.1 Header("A") None / hurl.2 Regex("(?s)\\A(?:.*?, ){1}(.*?)(?:, |(?![\\s\\S]))", 1) Some("hurl.1") / Variable("hurl.2", Differs("no value of hurl")) / Variable("hurl.2", Equals("b"))"#,
        ),
        (
            "body replace \"a\" \"it's\" == \"b\"",
            r#"hurl.1 Body None / hurl.2 Groovy("vars.get('hurl.1') == 'no value of hurl' ? 'no value of hurl' : vars.get('hurl.1').replace('a', 'it\\'s')") None / Variable("hurl.2", Differs("no value of hurl")) / Variable("hurl.2", Equals("b"))"#,
        ),
        (
            "jsonpath \"$.a[?(@.id=='{{x}}')].b\" includes \"z\"",
            r#"JsonPathText("$['a'][?(@['id'] === '${x}')]['b']", Equals("\"z\""))"#,
        ),
        ("jsonpath \"$.a[{{x}}]\" == 1", r#"JsonPathText("$[?($['a'][${x}] === 1)]", Exists)"#),
        ("body matches \"^{{x}}\\\\d\"", r#"Body(Matches("\\\\A${x}\\\\d"))"#),
        (
            "body regex \"{{x}}=(.)\" == \"b\"",
            r#"hurl.1 RegexText("${x}=(.)", 1) None / Variable("hurl.1", Differs("no value of hurl")) / Variable("hurl.1", Equals("b"))"#,
        ),
    ] {
        let text = format!("GET http://a\n[Options]\nvariable: x=7\nHTTP 200\n[Asserts]\n{assert}\n");
        let (flow, notes) = read_all(&text);
        assert!(!notes.is_lossy(), "{assert}: {notes:?}");
        let exchange = flow.exchanges()[0].clone();
        let captures =
            exchange.captures.iter().map(|one| format!("{} {:?} {:?}", one.variable, one.from, one.of));
        let checks = exchange.checks.iter().skip(1).map(|one| format!("{:?}", one.of));
        assert_eq!(captures.chain(checks).collect::<Vec<_>>().join(" / "), wanted, "{assert}");
    }
    let (_, found, notes) = checks(&format!("sha256 == hex,{};", "0f".repeat(32)));
    assert!(!notes.is_lossy() && found.len() == 1, "{notes:?}");
    let CheckOf::Groovy(script) = &found[0] else { panic!("{found:?}") };
    assert!(script.ends_with(&format!("== '{}'", "0f".repeat(32))), "{script}");
}

#[test]
fn a_text_is_no_value_of_json() {
    let text = "POST http://a\n[Options]\nvariable: x=abc\nvariable: n=1\n{\"a\": {{n}}, \"b\": {{x}}}\n";
    let (_, notes) = read_all(text);
    let found = problems(&notes);
    assert!(notes.is_lossy() && found.len() == 1, "{found:?}");
    assert!(found[0].starts_with("dir/shop.hurl:5:21: variable in JSON: its value is a text"), "{found:?}");
}

#[test]
fn captures_give_variables_and_have_to_be_there() {
    let (flow, notes) = read_all(
        "GET http://a\nHTTP 200\n[Captures]\nid: jsonpath \"$.id\"\nlast: jsonpath \"$.all[*].id\" nth 2\n\
         n: jsonpath \"$.all\" count\ntoken: header \"X-Token\" regex /t=(.*)/\nsid: cookie \"sid\"\n\
         title: xpath \"string(//head/title)\"\n\nGET http://a/{{id}}/{{n}}/{{token}}\nHTTP *\n",
    );
    assert!(!notes.is_lossy(), "{notes:?}");
    let all = flow.exchanges();
    let captures: Vec<String> = all[0]
        .captures
        .iter()
        .map(|one| format!("{} {:?} {:?} {}", one.variable, one.from, one.of, one.match_number))
        .collect();
    assert_eq!(
        captures,
        [
            "id JsonPath(\"$['id']\") None 1",
            "last JsonPath(\"$['all'][*]['id']\") None 3",
            "n JsonPath(\"$['all'][*]\") None -1",
            "hurl.1 Header(\"X-Token\") None 1",
            "token Regex(\"t=(.*)\", 1) Some(\"hurl.1\") 1",
            "sid Cookie(\"sid\") None 1",
            "title XPath { path: \"string(//head/title)\", is_html: true } None 1",
        ]
    );
    let there = |name: &str| {
        let of = CheckOf::Variable(name.to_owned(), Comparison::Differs(Text::literal(captures::NO_VALUE)));
        all[0].checks.iter().any(|check| check.of == of)
    };
    for name in ["id", "last", "n_matchNr", "token", "sid", "title"] {
        assert!(there(name), "{name}: {:?}", all[0].checks);
    }
    assert_eq!(all[1].url.to_plan(), "http://a/${id}/${n_matchNr}/${token}");
}

#[test]
fn a_variable_without_a_value_has_a_place() {
    let text = "GET {{host}}/a\n[Query]\nq: {{word}}\n";
    let (_, notes) = read_all(text);
    assert_eq!(
        problems(&notes),
        [
            "dir/shop.hurl:1:7: variable host: it has no value in the file: set -Jhost=…",
            "dir/shop.hurl:3:6: variable word: it has no value in the file: set -Jword=…",
        ]
    );
    let options = |variables: &[(&str, &str)]| Options {
        needs_values: true,
        variables: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..Options::default()
    };
    let error = read_with(text, &options(&[("host", "http://a")])).expect_err("no value");
    assert_eq!(error.place.to_string(), "dir/shop.hurl:3:6");
    assert!(read_with(text, &options(&[("host", "http://a"), ("word", "x")])).is_ok());
}

#[test]
fn a_status_is_checked_only_where_the_file_has_one() {
    for (text, wanted) in [
        ("GET http://a\n", "Matches(\"\\\\A(?:[0-9]{3})(?![\\\\s\\\\S])\")"),
        ("GET http://a\nHTTP *\n", "Matches(\"\\\\A(?:[0-9]{3})(?![\\\\s\\\\S])\")"),
        ("GET http://a\nHTTP 404\n", "Equals(\"404\")"),
    ] {
        let (one, _) = first(text);
        assert_eq!(format!("{:?}", one.checks[0].of), format!("Status({wanted})"), "{text}");
    }
}

#[test]
fn files_of_hurl_are_told_from_others() {
    for (text, is_hurl) in [
        ("GET http://a\nHTTP 200\n", true),
        ("# x\nPOST http://a\n[Form]\na: b\n", true),
        ("GET http://a\n", false),
        ("## one\nGET http://a\nHTTP/1.1 200 OK\n", false),
        ("HTTP 200\n", false),
    ] {
        assert_eq!(fits(text), is_hurl, "{text}");
    }
}
