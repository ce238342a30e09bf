use std::fmt::Write as _;

use super::*;
use crate::model::{Body, PartValue};

fn read_all(text: &str) -> (Document, Notes) {
    let mut notes = Notes::default();
    let source = Source { name: "i.yaml", bytes: text.as_bytes() };
    let document = read(&source, &Options::default(), &mut notes).expect("an export");
    assert!(fits(text), "{text}");
    (document, notes)
}

fn shown(exchange: &Exchange) -> String {
    let mut out = format!("{} {}", exchange.method, exchange.url.to_plan());
    for header in exchange.headers.iter().filter(|header| header.name != "Accept") {
        write!(out, " {}={}", header.name, header.value.to_plan()).unwrap();
    }
    if let Some(auth) = &exchange.auth {
        write!(out, " auth({},{})", auth.user.to_plan(), auth.password.to_plan()).unwrap();
    }
    match &exchange.body {
        Body::None => {}
        Body::Text(text) => write!(out, " [{}]", text.to_plan()).unwrap(),
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
        other => write!(out, " {other:?}").unwrap(),
    }
    out
}

/// A collection of format 5 with one request.
fn one(request: &str) -> (String, Notes) {
    let text = format!("type: collection.insomnia.rest/5.0\nname: c\ncollection:\n  - {request}\n");
    let (document, notes) = read_all(&text);
    let all = document.flows[0].exchanges();
    (all.first().map(|one| shown(one)).unwrap_or_default(), notes)
}

#[test]
fn requests_have_methods_urls_headers_and_bodies() {
    for (request, wanted) in [
        ("{method: get, url: a.test/x}", "GET http://a.test/x"),
        (
            "{method: GET, url: '{{ _.base }}/:id/x', pathParameters: [{name: id, value: 7}], parameters: [{name: q, value: 'a b&{{ v }}'}, {name: r, value: 1, disabled: true}]}",
            "GET ${base}/7/x?q=a%20b%26${v}",
        ),
        (
            "{method: GET, url: 'http://a', headers: [{name: X, value: '{% uuid \"v4\" %}'}, {name: Y, value: 1, disabled: true}]}",
            "GET http://a X=${__UUID}",
        ),
        (
            "{method: POST, url: 'http://a', body: {mimeType: application/json, text: '{\"a\": {{ _.b.c }}}'}}",
            "POST http://a Content-Type=application/json [{\"a\": ${b.c}}]",
        ),
        (
            "{method: POST, url: 'http://a', body: {mimeType: application/graphql, text: '{}'}}",
            "POST http://a Content-Type=application/json [{}]",
        ),
        (
            "{method: POST, url: 'http://a', body: {mimeType: application/x-www-form-urlencoded, params: [{name: a, value: 1}, {name: b, disabled: true}]}}",
            "POST http://a Content-Type=application/x-www-form-urlencoded a:1",
        ),
        (
            "{method: POST, url: 'http://a', body: {mimeType: multipart/form-data, params: [{name: t, value: v}, {name: f, type: file, fileName: d/f.png}]}}",
            "POST http://a t=v() f=File(\"d/f.png\")(application/octet-stream)",
        ),
        (
            "{method: GET, url: 'http://a', authentication: {type: basic, username: u, password: '{{p}}'}}",
            "GET http://a auth(u,${p})",
        ),
        (
            "{method: GET, url: 'http://a', authentication: {type: bearer, token: t, prefix: Token}}",
            "GET http://a Authorization=Token t",
        ),
        (
            "{method: GET, url: 'http://a', authentication: {type: apikey, key: k, value: v, addTo: queryParams}}",
            "GET http://a?k=v",
        ),
        (
            "{method: GET, url: 'http://a', authentication: {type: bearer, token: t, disabled: true}}",
            "GET http://a",
        ),
    ] {
        let (found, notes) = one(request);
        assert_eq!((&*found, notes.all()), (wanted, &[][..]), "{request}");
    }
}

#[test]
fn folders_environments_scripts_and_responses_are_taken() {
    let text = "
type: collection.insomnia.rest/5.0
name: shop
collection:
  - name: f
    authentication: {type: bearer, token: '{{ _.t }}'}
    children:
      - {name: login, method: POST, url: 'http://a/login', meta: {id: req_1}, scripts: {afterResponse: \"insomnia.test('ok', () => {\\n  insomnia.response.to.have.status(200);\\n});\\nf();\"}}
      - {name: me, method: GET, url: \"http://a/{% response 'body', 'req_1', 'b64::JC50b2tlbg==::46b', 'never', 60 %}\"}
environments:
  data: {t: base, n: {a: 1}}
  subEnvironments:
    - {name: local, data: {t: local}}
    - {name: prod, data: {t: prod}}
";
    let (document, notes) = read_all(text);
    let all = document.flows[0].exchanges();
    assert_eq!(shown(all[1]), "GET http://a/${response_1} Authorization=Bearer ${t}");
    assert_eq!(
        (&*all[0].captures[0].variable, all[0].checks.len(), all[0].scripts.len()),
        ("response_1", 1, 1)
    );
    assert!(
        matches!(&document.flows[0].items[0], Item::Folder(folder) if folder.kind == FolderKind::Transaction)
    );
    let values: Vec<_> =
        document.variables.iter().map(|one| format!("{}={}", one.name, one.value.to_plan())).collect();
    assert_eq!(values, ["t=base", "n.a=1", "t=local"]);
    let whats: Vec<_> = notes.all().iter().map(|note| &*note.what).collect();
    assert_eq!(whats, ["environment `prod`", "script `f();`"]);
}

#[test]
fn exports_of_format_4_are_a_tree_by_their_parents() {
    let text = r#"{"_type":"export","__export_format":4,"resources":[
      {"_id":"req_b","_type":"request","parentId":"fld_1","method":"GET","url":"http://a/b","metaSortKey":2},
      {"_id":"req_a","_type":"request","parentId":"fld_1","method":"GET","url":"http://a/a","metaSortKey":1},
      {"_id":"fld_1","_type":"request_group","parentId":"wrk_1","name":"f"},
      {"_id":"wrk_1","_type":"workspace","parentId":null,"name":"shop"},
      {"_id":"env_2","_type":"environment","parentId":"env_1","data":{"v":"sub"}},
      {"_id":"env_1","_type":"environment","parentId":"wrk_1","data":{"v":"base"}},
      {"_id":"ws_1","_type":"websocket_request","parentId":"wrk_1"},
      {"_id":"fld_x","_type":"request_group","parentId":"fld_x","name":"circle"}]}"#;
    let (document, notes) = read_all(text);
    let all: Vec<_> = document.flows[0].exchanges().into_iter().map(shown).collect();
    assert_eq!(all, ["GET http://a/a", "GET http://a/b"]);
    assert_eq!((&*document.name, document.variables[1].value.to_plan()), ("shop", "sub".to_owned()));
    assert_eq!(notes.all()[0].what, "`websocket_request`");
}

#[test]
fn what_cannot_be_taken_over_has_a_note() {
    for (request, what) in [
        ("{name: s, url: 'wss://a', method: GET}", "request `s`"),
        ("{method: GET, url: 'http://a/{% prompt \"x\" %}'}", "tag `{% prompt \"x\" %}`"),
        ("{method: GET, url: 'http://a/{{ _.x | upper }}'}", "value `{{ _.x | upper }}`"),
        (
            "{method: GET, url: 'http://a', authentication: {type: hawk}}",
            "authorization `hawk` of the request",
        ),
        (
            "{method: GET, url: \"http://a/{% response 'body', 'req_9', '$.a' %}\"}",
            "value of the response of `req_9`",
        ),
    ] {
        let (_, notes) = one(request);
        assert!(notes.is_lossy() && notes.all()[0].what == what, "{request}: {notes:?}");
    }
    let source = Source { name: "i", bytes: b"{\"a\":1}" };
    assert!(read(&source, &Options::default(), &mut Notes::default()).is_err());
}
