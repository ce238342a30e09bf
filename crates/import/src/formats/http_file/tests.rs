use super::*;
use crate::model::{Body, PartValue};
use std::fmt::Write as _;

fn read_all(text: &str) -> (Document, Notes) {
    let mut notes = Notes::default();
    let source = Source { name: "a.http", bytes: text.as_bytes() };
    let document = read(&source, &Options::default(), &mut notes).expect("requests");
    (document, notes)
}

fn shown(exchange: &Exchange) -> String {
    let mut out = format!("{} {}", exchange.method, exchange.url.to_plan());
    for header in &exchange.headers {
        write!(out, " {}={}", header.name, header.value.to_plan()).unwrap();
    }
    match &exchange.body {
        Body::None => {}
        Body::Text(text) => write!(out, " [{}]", text.to_plan()).unwrap(),
        Body::File { path, .. } => write!(out, " <{path}").unwrap(),
        Body::Multipart(parts) => {
            for part in parts {
                let value = match &part.value {
                    PartValue::Text(text) => text.to_plan(),
                    PartValue::File(path) => format!("@{path}"),
                    PartValue::Bytes(name, bytes) => format!("{name}:{}", bytes.len()),
                };
                write!(out, " {}={value}({})", part.name, part.mime).unwrap();
            }
        }
        other => write!(out, " {other:?}").unwrap(),
    }
    out
}

fn requests(text: &str) -> Vec<String> {
    let (document, notes) = read_all(text);
    assert!(!notes.is_lossy(), "{text}: {notes:?}");
    document.flows[0].exchanges().into_iter().map(shown).collect()
}

#[test]
fn requests_have_methods_urls_headers_and_bodies() {
    for (text, wanted) in [
        ("get http://a.test/x HTTP/1.1", &["GET http://a.test/x"][..]),
        (
            "http://a.test/x#top\n###\n\nPOST a.test:81/y\nA: b\n",
            &["GET http://a.test/x", "POST http://a.test:81/y A=b"],
        ),
        ("GET http://a.test/x\n    ?a=1\n    &b=2\nA: b\n", &["GET http://a.test/x?a=1&b=2 A=b"]),
        (
            "GET /x?y\nHost: a.test\n###\nGET /x\nHost: https://b.test",
            &["GET http://a.test/x?y", "GET https://b.test/x"],
        ),
        (
            "### first\n# remark\nPOST http://a.test\nContent-Type: application/json\n\n// remark\n{\"a\":\n  // remark\n 1}\n\n// remark\n### second\nGET http://b.test\n",
            &["POST http://a.test Content-Type=application/json [{\"a\":\n 1}]", "GET http://b.test"],
        ),
        ("POST http://a.test\n\n< ./b/c.json\n\n<> old.200.json\n", &["POST http://a.test <b/c.json"]),
        (
            "POST http://a.test\nContent-Type: application/x-www-form-urlencoded\n\na = 1 &\n  b={{c}}\n@c=2\n",
            &["POST http://a.test Content-Type=application/x-www-form-urlencoded [a=1&b=${c}@c=2]"],
        ),
        (
            "POST http://a.test\nContent-Type: multipart/form-data; boundary=X\n\n--X\nContent-Disposition: form-data; name=\"t\"\n\nhello\nyou\n--X\nContent-Disposition: form-data; name=\"f\"; filename=\"f.png\"\nContent-Type: image/png\n\n< f.png\n--X--\n",
            &["POST http://a.test t=hello\nyou() f=@f.png(image/png)"],
        ),
        (
            "POST http://a.test\nX-Request-Type: GraphQL\n\nquery { a(x: \"1\") }\n\n{\"v\": 2}\n",
            &[
                "POST http://a.test Content-Type=application/json [{\"query\":\"query { a(x: \\\"1\\\") }\",\"variables\":{\"v\": 2}}]",
            ],
        ),
        (
            "GRAPHQL http://a.test\n\n{ a }\n",
            &["POST http://a.test Content-Type=application/json [{\"query\":\"{ a }\",\"variables\":{}}]"],
        ),
        (
            "### one\nGET http://a.test\n###\nGET http://a.test/{{one.response.body.$}}",
            &["GET http://a.test", "GET http://a.test/${one_body}"],
        ),
        ("POST http://a.test\n\n<a>\n</a>\n", &["POST http://a.test [<a>\n</a>]"]),
    ] {
        assert_eq!(requests(text), wanted, "{text}");
    }
}

#[test]
fn directives_and_credentials_are_settings_of_the_request() {
    let (document, notes) = read_all(
        "### Log in\n# @name login\n# @no-redirect\n// @timeout 2\nGET http://a.test\nAuthorization: Basic ada {{pw}}\n\
         ###\nGET http://a.test\nAuthorization: Digest ada:secret\n###\nGET http://a.test\nAuthorization: Basic YTpi\n",
    );
    let all = document.flows[0].exchanges();
    let auth =
        |number: usize| all[number].auth.as_ref().map(|auth| (auth.password.to_plan(), auth.is_digest));
    assert_eq!(all[0].name.as_deref(), Some("Log in"));
    assert_eq!((all[0].follows_redirects, all[0].timeout_ms), (false, Some((0, 2000))));
    assert_eq!(
        [auth(0), auth(1), auth(2)],
        [Some(("${pw}".into(), false)), Some(("secret".into(), true)), None]
    );
    assert_eq!(shown(all[2]), "GET http://a.test Authorization=Basic YTpi");
    assert!(all[1].follows_redirects && document.flows[0].has_cookie_jar);
    assert!(!notes.is_lossy(), "{notes:?}");
}

#[test]
fn braces_are_variables_functions_and_parts_of_responses() {
    let (document, notes) = read_all(
        "@host = a.test\n@base = http://{{host}}/v1\n\n# @name login\nPOST {{base}}/login?id={{$uuid}}\n\n\
         {\"n\": {{$randomInt 1 10}}, \"t\": {{$timestamp}}}\n\n###\n# @prompt pin\n\
         GET {{base}}/me/{{login.response.body.$.user.id}}?pin={{pin}}&x={{unknown}}\n\
         T: {{login.response.headers.X-Token}} {{$random.alphabetic(3)}}\n",
    );
    let all = document.flows[0].exchanges();
    assert_eq!(
        shown(all[0]),
        "POST ${base}/login?id=${__UUID} [{\"n\": ${__Random(1,9)}, \"t\": ${__time(/1000,)}}]"
    );
    assert!(shown(all[1]).starts_with(
        "GET ${base}/me/${login_id}?pin=${pin}&x=${unknown} T=${login_Token} ${__RandomString(3,abc"
    ));
    let captures: Vec<_> =
        all[0].captures.iter().map(|one| format!("{}={:?}", one.variable, one.from)).collect();
    assert_eq!(captures, ["login_Token=Header(\"X-Token\")", "login_id=JsonPath(\"$.user.id\")"]);
    let variables: Vec<_> =
        document.variables.iter().map(|one| format!("{}={}", one.name, one.value.to_plan())).collect();
    assert_eq!(
        variables,
        ["host=a.test", "base=http://a.test/v1", "pin=${__P(pin,)}", "unknown=${__P(unknown,)}"]
    );
    assert!(!notes.is_lossy(), "{notes:?}");
}

#[test]
fn variables_may_have_others_and_parts_of_responses_in_their_values() {
    let (document, notes) = read_all(
        "@a = {{b}}/x\n@b = http://{{host}}\n@token = {{login.response.body.token}}\n\n\
         ### login\nPOST {{a}}\n\n###\nGET {{a}}\nT: {{token}}\n",
    );
    let all = document.flows[0].exchanges();
    assert_eq!(shown(all[1]), "GET ${a} T=${login_token}");
    assert_eq!(all[0].captures.len(), 1);
    let variables: Vec<_> =
        document.variables.iter().map(|one| format!("{}={}", one.name, one.value.to_plan())).collect();
    assert_eq!(variables, ["a=http://${__P(host,)}/x", "b=http://${__P(host,)}", "host=${__P(host,)}"]);
    assert!(!notes.is_lossy(), "{notes:?}");
}

#[test]
fn circles_of_variables_end() {
    let mut text = String::from("@a = {{b}}{{b}}\n@b = {{a}}{{a}}\nGET http://a.test/{{a}}\n");
    assert_eq!(requests(&text), ["GET http://a.test/${a}"]);
    let line = |n: usize| format!("@v{n} = {}\n", format!("{{{{v{}}}}}", n + 1).repeat(50));
    text = (0..50).map(line).collect::<String>() + "GET http://a.test/\n";
    assert_eq!(requests(&text).len(), 1);
}

#[test]
fn usual_scripts_are_captures_and_checks() {
    let (document, notes) = read_all(
        "GET http://a.test\n\n> {%\n  client.test('ok', function() { client.assert(response.status === 200); });\n  \
         client.global.set(\"id\", response.body.id);\n%}\n###\nGET http://a.test/{{id}}\n",
    );
    let all = document.flows[0].exchanges();
    assert_eq!((all[0].captures.len(), all[0].checks.len(), all[0].scripts.len()), (1, 1, 0));
    assert!(document.variables.is_empty() && !notes.is_lossy(), "{notes:?}");
}

#[test]
fn what_cannot_be_taken_over_is_left_out_with_a_reason() {
    for (text, place, reason) in [
        ("GET http://a\n\n> {% f() %}\n", "a.http:3:1", "switched off"),
        ("< {% f() %}\nGET http://a\n", "a.http:1:1", "switched off"),
        ("GET http://a\n\n> s.js\n", "a.http:3:1", "not read"),
        ("WEBSOCKET ws://a\n", "a.http:1:1", "not a method of HTTP"),
        ("DUBBO 127.0.0.1:20880/a/b()\n", "a.http:1:1", "not a method of HTTP"),
        ("OPTIONS * HTTP/1.1\n", "a.http:1:1", "no path"),
        ("curl http://a\n", "a.http:1:1", "--from curl"),
        ("POST http://a\n\n< /etc/passwd\n", "a.http:3:1", "relative path"),
        ("POST http://a\n\n< ../x\n", "a.http:3:1", "`..`"),
        ("POST http://a\n\ntext\n< b.txt\n", "a.http:3:1", "together"),
        ("GET http://a\nbad\n", "a.http:2:1", "no colon"),
        ("GET http://a?{{$aadToken}}\n", "a.http:1:1", "no function"),
        ("GET http://a?{{b.response.body.$.x}}\n", "a.http", "no request of this file"),
        ("import x.http\nGET http://a\n", "a.http:1:1", "not read"),
        ("# @timeout soon\nGET http://a\n", "a.http:1:1", "not a time"),
    ] {
        let (_, notes) = read_all(text);
        let found =
            notes.all().iter().any(|note| note.place.to_string() == place && note.reason.contains(reason));
        assert!(found && notes.is_lossy(), "{text}: {notes:?}");
    }
}

#[test]
fn files_are_told_from_others_with_request_lines() {
    for (text, is_http) in [
        ("### a\nGET http://a\n", true),
        ("@a=b\nhttp://{{a}}/\n", true),
        ("GET http://a\n", true),
        ("# @name x\nGET {{a}}/b\n\n###\nPOST {{a}}\n", true),
        ("GET http://a\nHTTP 200\n", false),
        ("GET http://a\n[Asserts]\nstatus == 200\n", false),
        ("GET http://a\n\nGET http://b\n", false),
        ("POST http://a\n@b.json\n", false),
        ("http://a\nhttp://b\n", false),
        ("curl http://a\n", false),
        ("", false),
    ] {
        assert_eq!(fits(text), is_http, "{text}");
    }
}
