//! `swell import`: plans of foreign files, and what they send.

use std::fmt::Write as _;

use crate::support::{Answer, Folder, Request, Server, jmeter};

/// A server that answers everything with a page.
fn recorder() -> Server {
    Server::start(|request| {
        let body = if request.head.starts_with("HEAD") { "" } else { "ok" };
        Answer::Keep(format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{body}").into_bytes())
    })
}

/// Method, target, headers but those that a client makes, body. The boundary between parts, which
/// each client makes, is `B`.
fn sent(request: &Request) -> String {
    let mut lines = request.head.lines();
    let first = lines.next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let made = ["host:", "connection:", "content-length:", "user-agent: apache"];
    let kept = lines.map(str::trim).filter(|line| {
        let lower = line.to_ascii_lowercase();
        !line.is_empty() && !made.iter().any(|name| lower.starts_with(name))
    });
    let mut kept: Vec<&str> = kept.collect();
    kept.sort_unstable();
    let text =
        format!("{first} [{}] {}", kept.join(" | "), String::from_utf8_lossy(&request.body).escape_debug());
    let boundary = text.split_once("boundary=").and_then(|(_, after)| after.split([';', ' ', ']']).next());
    boundary.map_or_else(|| text.clone(), |boundary| text.replace(boundary, "B"))
}

fn all_sent(server: &Server) -> Vec<String> {
    server.requests().iter().map(sent).collect()
}

/// A recording with what is easily lost: line ends, backslashes, dollars, braces, escapes, an id, a
/// form.
fn har(server: &Server) -> String {
    let addr = server.addr;
    let mut entries = String::new();
    for (method, target, mime, body) in [
        ("GET", "/a?q=%7B1%7D&r=[x]&b=a%20b", "", ""),
        ("POST", "/json", "application/json", r#"{"path":"C:\\tmp\\${x}","é":"\\u00e9"}"#),
        (
            "POST",
            "/parts",
            "multipart/form-data; boundary=B",
            "--B\\r\\nContent-Disposition: form-data; name=\\\"a\\\"\\r\\n\\r\\n1\\r\\n--B--\\r\\n",
        ),
        ("POST", "/form", "application/x-www-form-urlencoded", "a=1+2%2C&b=%C3%A9&c="),
        ("POST", "/odd", "application/x-www-form-urlencoded", "a=1%202&&b[]=$1"),
        ("PUT", "/items/17", "text/plain", " a,b\\\\ ${__time()} \\t\\n"),
    ] {
        let headers = if mime.is_empty() {
            String::new()
        } else {
            format!(r#",{{"name":"Content-Type","value":"{mime}"}}"#)
        };
        let post = if mime.is_empty() {
            String::new()
        } else {
            let body = if mime == "application/json" {
                body.replace('\\', "\\\\").replace('"', "\\\"")
            } else {
                body.to_owned()
            };
            format!(r#","postData":{{"mimeType":"{mime}","text":"{body}"}}"#)
        };
        let comma = if entries.is_empty() { "" } else { "," };
        let _ = write!(
            entries,
            r#"{comma}{{"request":{{"method":"{method}","url":"http://{addr}{target}","headers":[{{"name":"X-Every","value":"a\\b $1"}}{headers}]{post}}},"response":{{"status":200}}}}"#
        );
    }
    format!(r#"{{"log":{{"creator":{{"name":"test"}},"entries":[{entries}]}}}}"#)
}

/// As recorded, but for the `charset` that JMeter adds to the type of a body in parts.
const WANTED: [&str; 6] = [
    r"GET /a?q=%7B1%7D&r=[x]&b=a%20b [X-Every: a\b $1] ",
    r#"POST /json [Content-Type: application/json | X-Every: a\b $1] {\"path\":\"C:\\\\tmp\\\\${x}\",\"é\":\"\\\\u00e9\"}"#,
    r#"POST /parts [Content-Type: multipart/form-data; boundary=B; charset=UTF-8 | X-Every: a\b $1] --B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--B--\r\n"#,
    r"POST /form [Content-Type: application/x-www-form-urlencoded | X-Every: a\b $1] a=1+2%2C&b=%C3%A9&c=",
    r"POST /odd [Content-Type: application/x-www-form-urlencoded | X-Every: a\b $1] a=1%202&&b[]=$1",
    r"PUT /items/17 [Content-Type: text/plain | X-Every: a\b $1]  a,b\\ ${__time()} \t\n",
];

#[test]
fn a_recording_is_sent_again_byte_for_byte_by_both_engines() {
    let server = recorder();
    let folder = Folder::new();
    folder.write("a.har", har(&server));
    folder
        .swell(&["import", "a.har", "-o", "a.jmx"])
        .exits(0)
        .prints(&["6 requests taken, 0 changed, 0 left out"]);
    folder.swell(&["check", "a.jmx"]).exits(0).prints(&["This plan runs."]);
    folder.swell(&["lint", "a.jmx", "--skip", "no-timer"]).exits_in(&[0, 1]);
    folder.swell(&["run", "a.jmx"]).exits(0);
    assert_eq!(all_sent(&server), WANTED);
    let layout = swell_plan::layout(folder.read("a.jmx").as_bytes()).expect("a plan");
    assert!(layout.is_same, "it has JMeter's layout");

    let Some(home) = jmeter() else { return };
    let program = home.join("bin/ApacheJMeter.jar");
    let ran = std::process::Command::new("java")
        .args(["-Djava.awt.headless=true", "-jar"])
        .arg(program)
        .args(["-n", "-t", "a.jmx", "-l", "jmeter.jtl", "-j", "jmeter.log"])
        .current_dir(folder.path())
        .output();
    let ran = match ran {
        Ok(ran) => ran,
        Err(error) => return println!("skipped: java cannot be started: {error}"),
    };
    let log = folder.read("jmeter.log");
    assert!(ran.status.success(), "{log}");
    let warned: Vec<_> =
        log.lines().filter(|line| line.contains(" WARN ") || line.contains(" ERROR ")).collect();
    assert!(warned.is_empty(), "{warned:?}");
    assert_eq!(all_sent(&server)[WANTED.len()..], WANTED);
}

#[test]
fn curl_commands_are_sent_as_curl_does() {
    let server = recorder();
    let folder = Folder::new();
    let addr = server.addr;
    folder.write("body.txt", "from a file\n");
    folder.write(
        "r.sh",
        format!(
            "curl 'http://{addr}/a' -H 'X: C:\\tmp'\ncurl -G http://{addr}/b --data-urlencode 'q=a b'\n\
             curl http://{addr}/c -d 'a=1 2' -d b=%32 -u ada:pw\ncurl http://{addr}/d --data-binary @body.txt -H 'Content-Type: text/x'\n"
        ),
    );
    folder.swell(&["import", "r.sh", "-o", "r.jmx"]).exits(0).prints(&["-Jpassword="]);
    folder.swell(&["run", "r.jmx", "-Jpassword=pw"]).exits(0);
    assert_eq!(
        all_sent(&server),
        [
            r"GET /a [Accept: */* | X: C:\tmp] ",
            "GET /b?q=a%20b [Accept: */*] ",
            "POST /c [Accept: */* | Authorization: Basic YWRhOnB3 | Content-Type: application/x-www-form-urlencoded] a=1 2&b=%32",
            r"POST /d [Accept: */* | Content-Type: text/x] from a file\n",
        ]
    );
}

#[test]
fn an_import_says_what_it_left_out_and_never_overwrites() {
    let folder = Folder::new();
    folder.write("r.sh", "curl http://localhost/a\ncurl --ntlm http://localhost/b\n");
    let lossy = ["import", "r.sh", "-o", "r.jmx"];
    folder.swell(&lossy).exits(1).prints(&["left out   r.sh:2:1: a curl command: NTLM", "1 request taken"]);
    folder.swell(&lossy).refused(&["`r.jmx` exists", "-f"]);
    folder.swell(&["import", "r.sh", "-o", "r.jmx", "-f", "--lossy"]).exits(0);
    let piped = folder.swell(&["import", "r.sh", "-o", "-", "--lossy"]).exits(0).says(&["1 request taken"]);
    assert_eq!(piped.out, folder.read("r.jmx"));
    folder.write("odd.txt", "hello");
    folder.swell(&["import", "odd.txt", "-o", "x.jmx"]).refused(&["odd.txt", "no format", "--from"]);
    folder
        .swell(&["import", "odd.txt", "-o", "x.jmx", "--from", "har"])
        .refused(&["odd.txt:1:1", "not a HAR file"]);
    folder.swell(&["import", "missing.har", "-o", "x.jmx"]).refused(&["cannot read `missing.har`"]);
    folder.write("cut.har", "{\"log\":{\"entries\":[{\"request\":{\"url\":\"http");
    folder.swell(&["import", "cut.har", "-o", "x.jmx"]).refused(&["cut.har:1:4", "cut off"]);
    assert!(!folder.has("x.jmx"));
}

#[test]
fn a_large_body_is_a_file_next_to_the_plan() {
    let server = recorder();
    let folder = Folder::new();
    let body = "x".repeat((1 << 20) + 1);
    let addr = server.addr;
    folder.write(
        "a.har",
        format!(
            r#"{{"log":{{"entries":[{{"request":{{"method":"POST","url":"http://{addr}/","headers":[{{"name":"Content-Type","value":"text/plain"}}],"postData":{{"text":"{body}"}}}}}}]}}}}"#
        ),
    );
    folder.swell(&["import", "a.har", "-o", "p/a.jmx"]).exits(112).says(&["cannot write `p/a.jmx`"]);
    folder.swell(&["import", "a.har", "-o", "a.jmx"]).exits(0).prints(&["and 1 file next to it"]);
    assert!(folder.has("a-files/body-1.txt"));
    folder.swell(&["run", "a.jmx"]).exits(0);
    assert_eq!(server.requests()[0].body, body.as_bytes());
    folder.swell(&["import", "a.har", "-o", "-"]).refused(&["cannot go to standard output"]);
}

/// A file of each format with the requests that its plan sends; `ADDR` is the server.
const FORMATS: [(&str, &str, &[&str]); 8] = [
    (
        "shop.http",
        "@host = http://ADDR\n### search\nGET {{host}}/search?q=a b\nAccept: text/html\n\n###\nPOST {{host}}/items\nContent-Type: application/json\n\n{\"id\": 17}\n",
        &[
            "GET /search?q=a%20b [Accept: text/html] ",
            r#"POST /items [Content-Type: application/json] {\"id\": 17}"#,
        ],
    ),
    (
        "urls.txt",
        "HOST=ADDR\nhttp://$(HOST)/a\nhttp://$(HOST)/b POST user=ada\n",
        &["GET /a [] ", "POST /b [Content-Type: application/x-www-form-urlencoded] user=ada"],
    ),
    (
        "targets.txt",
        "GET http://ADDR/a\nX-A: 1\n\nDELETE http://ADDR/b\nContent-Type: text/plain\n",
        &["GET /a [X-A: 1] ", "DELETE /b [Content-Type: text/plain] "],
    ),
    (
        "shop.postman_collection.json",
        r#"{"info":{"name":"shop","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
            "auth":{"type":"bearer","bearer":[{"key":"token","value":"{{token}}"}]},
            "variable":[{"key":"base","value":"http://ADDR/api"},{"key":"token","value":"abc"}],
            "item":[{"name":"orders","item":[
              {"name":"order","request":{"method":"POST","url":{"host":["{{base}}"],"path":["orders",":id"],"query":[{"key":"q","value":"a b"}],"variable":[{"key":"id","value":"7"}]},
               "body":{"mode":"raw","raw":"{\"n\": 1}","options":{"raw":{"language":"json"}}}},
               "event":[{"listen":"test","script":{"exec":["pm.test('ok', function () {","  pm.response.to.have.status(200);","});"]}}]}]}]}"#,
        &[
            r#"POST /api/orders/7?q=a%20b [Accept: */* | Authorization: Bearer abc | Content-Type: application/json] {\"n\": 1}"#,
        ],
    ),
    (
        "insomnia.yaml",
        "type: collection.insomnia.rest/5.0\nname: shop\ncollection:\n  - name: items\n    children:\n      - {name: item, method: GET, url: '{{ _.base }}/items', parameters: [{name: q, value: a b}]}\nenvironments: {data: {base: 'http://ADDR'}}\n",
        &["GET /items?q=a%20b [Accept: */*] "],
    ),
    (
        "openapi.yaml",
        "openapi: 3.1.0\ninfo: {title: shop}\nservers: [{url: 'http://ADDR/v1'}]\npaths:\n  /items/{id}:\n    parameters: [{name: id, in: path, required: true, schema: {type: integer, minimum: 7}}]\n    get:\n      tags: [items]\n      parameters: [{name: q, in: query, required: true, example: a b}]\n      responses: {'200': {content: {application/json: {}}}}\n    put:\n      tags: [items]\n      requestBody: {content: {application/json: {schema: {properties: {n: {type: integer}}}}}}\n      responses: {'200': {}}\n",
        &[
            "GET /v1/items/7?q=a%20b [Accept: application/json] ",
            r#"PUT /v1/items/7 [Accept: */* | Content-Type: application/json] {\"n\":1}"#,
        ],
    ),
    (
        "artillery.yml",
        "config:\n  target: http://ADDR\n  phases: [{duration: 1, arrivalCount: 1}]\nscenarios:\n  - flow:\n      - get: {url: /a, expect: [{statusCode: 200}]}\n      - loop: [{post: {url: /b, json: {n: 1}}}]\n        count: 2\n",
        &[
            "GET /a [] ",
            r#"POST /b [Content-Type: application/json] {\"n\":1}"#,
            r#"POST /b [Content-Type: application/json] {\"n\":1}"#,
        ],
    ),
    (
        "access.log",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a?b=c HTTP/1.0\" 200 1\n192.0.2.1 - - [10/Oct/2000:13:55:37 -0700] \"HEAD / HTTP/1.0\" 200 1\n",
        &["GET /a?b=c [] ", "HEAD / [] "],
    ),
];

#[test]
fn plans_of_every_format_send_what_the_file_says() {
    for (name, text, wanted) in FORMATS {
        let server = recorder();
        let folder = Folder::new();
        folder.write(name, text.replace("ADDR", &server.addr.to_string()));
        // A log does not say where its site is.
        let base = format!("http://{}", server.addr);
        folder.swell(&["import", name, "-o", "p.jmx", "--keep-secrets", "--base", &base]).exits(0);
        folder.swell(&["check", "p.jmx"]).exits(0).prints(&["This plan runs."]);
        folder.swell(&["run", "p.jmx"]).exits(0);
        assert_eq!(all_sent(&server), wanted, "{name}");
        let layout = swell_plan::layout(folder.read("p.jmx").as_bytes()).expect("a plan");
        assert!(layout.is_same, "{name}: it has JMeter's layout");
    }
}

#[test]
fn an_environment_gives_values_to_a_collection_and_secrets_become_properties() {
    let server = recorder();
    let folder = Folder::new();
    folder.write(
        "shop.json",
        r#"{"info":{"name":"shop"},"variable":[{"key":"user","value":"nobody"}],"item":[{"name":"me","request":{"url":"{{base}}/{{user}}?k={{key}}"}}]}"#,
    );
    let environment = format!(
        r#"{{"name":"local","values":[{{"key":"base","value":"http://{}"}},{{"key":"user","value":"ada"}},{{"key":"key","value":"s3cret","type":"secret"}}],"_postman_variable_scope":"environment"}}"#,
        server.addr
    );
    folder.write("local.json", environment);
    // The environment takes precedence, in whatever order files are given.
    folder.swell(&["import", "local.json", "shop.json", "-o", "p.jmx"]).exits(0).prints(&["-Jkey="]);
    assert!(!folder.read("p.jmx").contains("s3cret"));
    folder.swell(&["run", "p.jmx", "-Jkey=s3cret"]).exits(0);
    assert_eq!(all_sent(&server), ["GET /ada?k=s3cret [Accept: */*] "]);
    folder.swell(&["import", "shop.json", "-o", "q.jmx"]).exits(0).prints(&["variable base", "-Jbase="]);
}

#[test]
fn constants_of_postman_scripts_are_set_before_and_after_requests() {
    let server = recorder();
    let folder = Folder::new();
    let event =
        |listen: &str, code: &str| format!(r#"{{"listen":"{listen}","script":{{"exec":["{code}"]}}}}"#);
    let before = event("prerequest", "pm.environment.set('early', 'a b');");
    let after = event("test", "postman.setGlobalVariable('late', 'x-1');");
    let addr = server.addr;
    let item = |path: &str, events: &str| {
        format!(
            r#"{{"name":"{path}","event":[{events}],"request":{{"url":"http://{addr}{path}","method":"GET"}}}}"#
        )
    };
    let items =
        [item("/first/{{early}}", &format!("{before},{after}")), item("/second/{{late}}", "")].join(",");
    let schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
    let collection = format!(r#"{{"info":{{"name":"c","schema":"{schema}"}},"item":[{items}]}}"#);
    folder.write("c.json", collection);
    folder.swell(&["import", "c.json", "-o", "c.jmx"]).exits(0);
    folder.swell(&["run", "c.jmx"]).exits(0);
    let paths: Vec<_> = server.requests().iter().map(|request| request.path().to_owned()).collect();
    assert_eq!(paths, ["/first/a%20b", "/second/x-1"]);
}

#[test]
fn requests_of_postman_scripts_are_sent_around_those_of_the_collection() {
    let server = Server::start(|request| {
        let body = if request.head.starts_with("POST /login") { r#"{"token":"t-1"}"# } else { "{}" };
        Answer::Keep(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
    });
    let folder = Folder::new();
    let script = "
        const login = pm.environment.get('base') + '/login';
        pm.environment.set('user', 'ada');
        pm.environment.set('who', `u-${pm.environment.get('user')}`);
        pm.sendRequest({ url: login, method: 'POST', header: { 'Content-Type': 'application/json' },
            body: { mode: 'raw', raw: JSON.stringify({ user: pm.environment.get('user'), n: [1, true] }) } },
            (err, res) => {
                if (err) { console.log(err); return; }
                pm.test('in', () => { pm.expect(res).to.have.status(200); });
                pm.environment.set('token', 'Bearer'.length ? res.json().token : '');
                pm.environment.set('key', res.json().token);
                pm.environment.set('empty', '');
            });";
    let after =
        "pm.test('ok', () => pm.response.to.be.ok); pm.sendRequest('{{base}}/done?t={{key}}&e={{empty}}');";
    let event = |listen: &str, code: &str| serde_json::json!({"listen": listen, "script": {"exec": code.lines().collect::<Vec<_>>()}});
    let collection = serde_json::json!({
        "info": {"name": "c", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
        "variable": [{"key": "base", "value": format!("http://{}", server.addr)}],
        "item": [{
            "name": "list", "event": [event("prerequest", script), event("test", after)],
            "request": {"url": "{{base}}/list/{{who}}", "method": "GET", "header": [{"key": "X-Key", "value": "{{key}}"}]},
        }],
    });
    folder.write("c.json", collection.to_string());
    folder.swell(&["import", "c.json", "-o", "c.jmx"]).exits(1).prints(&["pm.environment.set('token'"]);
    folder.swell(&["check", "c.jmx"]).exits(0).prints(&["native"]);
    folder.swell(&["run", "c.jmx", "--threshold", "errors<=0%"]).exits(0);
    assert_eq!(
        all_sent(&server),
        [
            r#"POST /login [Accept: */* | Content-Type: application/json] {\"user\":\"ada\",\"n\":[1,true]}"#,
            "GET /list/u-ada [Accept: */* | X-Key: t-1] ",
            "GET /done?t=t-1&e= [Accept: */*] ",
        ]
    );
}

#[test]
fn typed_values_of_json_bodies_are_lines_of_a_data_file() {
    let server = recorder();
    let folder = Folder::new();
    let addr = server.addr;
    for (file, name) in [("one.har", "Ada"), ("two.har", "Bob")] {
        let entry = |method: &str, path: &str, post: serde_json::Value, text: &str, mime: &str| {
            serde_json::json!({
                "request": {"method": method, "url": format!("http://{addr}{path}"), "postData": post,
                            "headers": [{"name": "Content-Type", "value": "application/json"}]},
                "response": {"status": 200, "content": {"mimeType": mime, "text": text}},
            })
        };
        let body = serde_json::json!({"kind": "person", "name": name, "years": 37}).to_string();
        let entries = [
            entry("GET", "/app.js", serde_json::Value::Null, "f({kind: 'person'})", "application/javascript"),
            entry(
                "POST",
                "/people",
                serde_json::json!({"mimeType": "application/json", "text": body}),
                "{}",
                "application/json",
            ),
        ];
        folder.write(file, serde_json::json!({"log": {"entries": entries}}).to_string());
    }
    folder.swell(&["import", "one.har", "two.har", "--data", "-o", "p.jmx", "--lossy"]).exits(0);
    assert_eq!(folder.read("data.csv").lines().collect::<Vec<_>>(), ["Ada,37", "Bob,37"]);
    folder.swell(&["run", "p.jmx", "-Jloops=2"]).exits(0);
    let bodies: Vec<String> =
        server.requests().iter().map(|one| String::from_utf8_lossy(&one.body).into_owned()).collect();
    let sent = |name: &str| format!(r#"{{"kind":"person","name":"{name}","years":37}}"#);
    assert_eq!(bodies, [sent("Ada"), sent("Bob")]);
}
