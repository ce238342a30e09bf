use std::fmt::Write as _;

use super::*;
use crate::model::{Body, PartValue};

fn read_all(text: &str) -> (Document, Notes) {
    let mut notes = Notes::default();
    let source = Source { name: "c.json", bytes: text.as_bytes() };
    let document = read(&source, &Options::default(), &mut notes).expect("a file of Postman");
    (document, notes)
}

fn shown(exchange: &Exchange) -> String {
    let mut out = format!("{} {}", exchange.method, exchange.url.to_plan());
    for header in exchange.headers.iter().filter(|header| header.name != "Accept") {
        write!(out, " {}={}", header.name, header.value.to_plan()).unwrap();
    }
    if let Some(auth) = &exchange.auth {
        let kind = if auth.is_digest { "digest" } else { "basic" };
        write!(out, " {kind}({},{})", auth.user.to_plan(), auth.password.to_plan()).unwrap();
    }
    match &exchange.body {
        Body::None => {}
        Body::Text(text) => write!(out, " [{}]", text.to_plan()).unwrap(),
        Body::File { path, .. } => write!(out, " <{path}").unwrap(),
        Body::Form(fields) => {
            for field in fields {
                write!(out, " {}:{}", field.name.to_plan(), field.value.to_plan()).unwrap();
            }
        }
        Body::Multipart(parts) => {
            for part in parts {
                let value = match &part.value {
                    PartValue::Text(text) => text.to_plan(),
                    other => format!("{other:?}"),
                };
                write!(out, " {}={value}({})", part.name, part.mime).unwrap();
            }
        }
        Body::Bytes(bytes) => write!(out, " {} bytes", bytes.len()).unwrap(),
    }
    out
}

/// A collection with one request.
fn with_request(request: &str) -> String {
    format!(
        r#"{{"info":{{"name":"c","schema":"https://schema.getpostman.com/json/collection/v2.1.0/"}},"item":[{{"name":"r","request":{request}}}]}}"#
    )
}

fn one(request: &str) -> (String, Notes) {
    let (document, notes) = read_all(&with_request(request));
    (shown(document.flows[0].exchanges()[0]), notes)
}

#[test]
fn requests_have_methods_urls_headers_and_bodies() {
    for (request, wanted) in [
        (r#""http://a.test/x""#, "GET http://a.test/x"),
        (r#"{"method":"post","url":"a.test/x?y={{z}}"}"#, "POST http://a.test/x?y=${z}"),
        (
            r#"{"url":{"raw":"?","protocol":"https","host":["a","test"],"port":"81","path":["v1",":id","x"],"query":[{"key":"a=b","value":"c d&#"},{"key":"e","value":null},{"key":"f","value":"","disabled":true}],"variable":[{"key":"id","value":"7{{t}}"}]}}"#,
            "GET https://a.test:81/v1/7${t}/x?a%3Db=c%20d%26%23&e",
        ),
        (r#"{"url":{"host":["{{base}}"],"path":["a",":none"]}}"#, "GET ${base}/a/:none"),
        (r#"{"url":{"host":"a.test","path":"/x/y"}}"#, "GET http://a.test/x/y"),
        (
            r#"{"url":"http://a","header":[{"key":"X","value":"{{v}}"},{"key":"Y","value":"1","disabled":true}]}"#,
            "GET http://a X=${v}",
        ),
        (r#"{"url":"http://a","header":"X: 1\nY: 2"}"#, "GET http://a X=1 Y=2"),
        (
            r#"{"method":"POST","url":"http://a","body":{"mode":"raw","raw":"{\"a\":{{b}}}","options":{"raw":{"language":"json"}}}}"#,
            r#"POST http://a Content-Type=application/json [{"a":${b}}]"#,
        ),
        (
            r#"{"method":"POST","url":"http://a","body":{"mode":"raw","raw":"x"}}"#,
            "POST http://a Content-Type=text/plain [x]",
        ),
        (r#"{"method":"GET","url":"http://a","body":{"mode":"raw","raw":"x"}}"#, "GET http://a"),
        (
            r#"{"method":"POST","url":"http://a","body":{"mode":"raw","raw":"x","disabled":true}}"#,
            "POST http://a",
        ),
        (
            r#"{"method":"POST","url":"http://a","body":{"mode":"urlencoded","urlencoded":[{"key":"a","value":"1"},{"key":"b","value":"2"},{"key":"a","value":"3"},{"key":"c","disabled":true}]}}"#,
            "POST http://a Content-Type=application/x-www-form-urlencoded a:1 a:3 b:2",
        ),
        (
            r#"{"method":"POST","url":"http://a","body":{"mode":"formdata","formdata":[{"key":"t","value":"v","type":"text"},{"key":"f","type":"file","src":"d/f.png"},{"key":"g","type":"file","src":["g.bin"],"contentType":"x/y"}]}}"#,
            r#"POST http://a t=v() f=File("d/f.png")(image/png) g=File("g.bin")(x/y)"#,
        ),
        (
            r#"{"method":"POST","url":"http://a","body":{"mode":"graphql","graphql":{"query":"{ a(b: \"{{c}}\") }","variables":"{\"d\": 1}"}}}"#,
            r#"POST http://a Content-Type=application/json [{"query":"{ a(b: \\"${c}\\") }","variables":{"d": 1}}]"#,
        ),
        (
            r#"{"method":"PUT","url":"http://a","body":{"mode":"file","file":{"src":"x.json"}}}"#,
            "PUT http://a Content-Type=application/json <x.json",
        ),
        (
            r#"{"url":"http://a/{{$guid}}?t={{$timestamp}}&i={{$randomIP}}"}"#,
            "GET http://a/${__UUID}?t=${__time(/1000,)}&i=${__Random(0,255)}.${__Random(0,255)}.${__Random(0,255)}.${__Random(0,255)}",
        ),
        (
            r#"{"url":"http://a/${__exec(id)}{{__exec(id)}}"}"#,
            "GET http://a/${__char(36)}{__exec(id)}{{__exec(id)}}",
        ),
    ] {
        let (found, notes) = one(request);
        assert_eq!((&*found, notes.all()), (wanted, &[][..]), "{request}");
    }
}

#[test]
fn authorization_is_inherited_and_replaced() {
    let auth = |kind: &str, values: &str| format!(r#"{{"type":"{kind}","{kind}":[{values}]}}"#);
    for (auth, wanted) in [
        (
            auth("basic", r#"{"key":"username","value":"ada"},{"key":"password","value":"{{p}}"}"#),
            "GET http://a basic(ada,${p})",
        ),
        (
            auth("digest", r#"{"key":"username","value":"ada"},{"key":"password","value":"x"}"#),
            "GET http://a digest(ada,x)",
        ),
        (auth("bearer", r#"{"key":"token","value":"{{t}}"}"#), "GET http://a Authorization=Bearer ${t}"),
        (r#"{"type":"bearer","bearer":{"token":"x"}}"#.to_owned(), "GET http://a Authorization=Bearer x"),
        (
            auth("apikey", r#"{"key":"key","value":"X-Key"},{"key":"value","value":"v"}"#),
            "GET http://a X-Key=v",
        ),
        (
            auth(
                "apikey",
                r#"{"key":"key","value":"k"},{"key":"value","value":"a b"},{"key":"in","value":"query"}"#,
            ),
            "GET http://a?k=a%20b",
        ),
        (
            auth("oauth2", r#"{"key":"accessToken","value":"{{t}}"}"#),
            "GET http://a Authorization=Bearer ${t}",
        ),
        (
            auth("oauth2", r#"{"key":"accessToken","value":"x"},{"key":"headerPrefix","value":"Token"}"#),
            "GET http://a Authorization=Token x",
        ),
    ] {
        let text = format!(
            r#"{{"info":{{}},"auth":{auth},"item":[{{"name":"f","item":[{{"request":"http://a"}},{{"request":{{"url":"http://a","auth":{{"type":"noauth"}}}}}}]}}]}}"#
        );
        let (document, notes) = read_all(&text);
        let all = document.flows[0].exchanges();
        assert_eq!(
            (&*shown(all[0]), &*shown(all[1]), notes.is_lossy()),
            (wanted, "GET http://a", false),
            "{auth}"
        );
    }
    let (_, notes) = one(r#"{"url":"http://a","auth":{"type":"awsv4","awsv4":[]}}"#);
    assert!(notes.is_lossy() && notes.all()[0].what.contains("awsv4"));
}

#[test]
fn folders_are_transactions_and_scripts_have_their_line() {
    let text = r#"{"info":{"name":"shop"},
 "event":[{"listen":"test","script":{"exec":["pm.response.to.be.ok;"]}}],
 "item":[{"name":"f","item":[{"name":"login","request":{"url":"http://a","method":"POST"},
  "event":[{"listen":"test","script":{"exec":[
    "pm.environment.set('t', pm.response.json().token);",
    "f();"]}}]},
  {"name":"me","request":{"url":"http://a/{{t}}"}}]}]}"#;
    let (document, notes) = read_all(text);
    let Item::Folder(folder) = &document.flows[0].items[0] else { panic!("a folder") };
    assert_eq!((&*folder.name, &folder.kind), ("f", &FolderKind::Transaction));
    let all = document.flows[0].exchanges();
    assert_eq!(all[0].captures[0].variable, "t");
    assert!(all.iter().all(|one| one.checks.len() == 1));
    assert!(!all[0].scripts[0].runs && all[0].scripts[0].text == "f();");
    let note = &notes.all()[0];
    assert_eq!((note.place.to_string(), &*note.what), ("c.json:6:5".to_owned(), "script `f();`"));
}

#[test]
fn files_with_values_have_a_scope() {
    for (text, scope, wanted) in [
        (
            r#"{"id":"1","name":"e","values":[{"key":"a","value":"1","enabled":true},{"key":"b","value":"2","enabled":false},{"key":"c","value":"{{a}}","type":"secret"}],"_postman_variable_scope":"environment"}"#,
            Scope::Environment,
            "a=1 c=${a}",
        ),
        (r#"{"values":[{"key":"a","value":1}],"_postman_variable_scope":"globals"}"#, Scope::Global, "a=1"),
        (
            r#"{"info":{},"item":[],"variable":[{"key":"a","value":{"b":1}},{"id":"c","value":true}]}"#,
            Scope::Requests,
            "a={\"b\":1} c=true",
        ),
    ] {
        let (document, _) = read_all(text);
        let all: Vec<_> =
            document.variables.iter().map(|one| format!("{}={}", one.name, one.value.to_plan())).collect();
        assert_eq!((document.scope, &*all.join(" ")), (scope, wanted), "{text}");
        assert_eq!(document.variables.iter().any(|one| one.is_secret), text.contains("secret"));
        assert!(fits(text) || text.contains("{}"), "{text}");
    }
}

#[test]
fn what_cannot_be_taken_over_has_a_note() {
    for (request, what, is_lossy) in [
        (
            r#"{"url":"http://a","method":"POST","body":{"mode":"formdata","formdata":[{"key":"f","type":"file","src":"/C:/u/f.png"}]}}"#,
            "part `f`",
            false,
        ),
        (
            r#"{"url":"http://a","method":"POST","body":{"mode":"formdata","formdata":[{"key":"f","type":"file","src":"../.."}]}}"#,
            "part `f`",
            true,
        ),
        (r#"{"url":"http://a","method":"POST","body":{"mode":"file","file":{}}}"#, "the body", true),
        (r#"{"url":"http://a/{{$randomFirstName}}"}"#, "value `{{$randomFirstName}}`", false),
        (r#"{"url":"http://a/{{$nothing}}"}"#, "value `{{$nothing}}`", true),
        (r#"{"url":"http://a","header":[{"key":"{{h}}","value":"1"}]}"#, "header `{{h}}`", true),
        (
            r#"{"url":"http://a","auth":{"type":"oauth2","oauth2":[]}}"#,
            "authorization `oauth2` of the request",
            true,
        ),
    ] {
        let (_, notes) = one(request);
        assert_eq!(
            (notes.all().len(), &*notes.all()[0].what, notes.is_lossy()),
            (1, what, is_lossy),
            "{request}"
        );
    }
}

#[test]
fn other_files_are_refused_with_a_hint() {
    for (text, wanted) in [
        (r#"{"requests":[],"order":[],"name":"x"}"#, "format 1"),
        (r#"{"a":1}"#, "neither a collection"),
        ("{", "not JSON"),
    ] {
        let source = Source { name: "c.json", bytes: text.as_bytes() };
        let error = read(&source, &Options::default(), &mut Notes::default()).expect_err("refused");
        assert!(error.message.contains(wanted), "{error:?}");
    }
    assert!(!fits("{\"log\":{}}") && !fits("info item request"));
}
