//! Hurl and `.http` files that are run as plans: what they send, and what their asserts say.

use std::fmt::Write as _;

use crate::support::{Answer, Folder, Server, nats_server};

/// A document with values of all kinds.
const JSON: &str = r#"{"n":1,"f":1.0,"big":12345678901,"s":"abc","num":"1","e":"","t":true,"z":null,"l":[1,"x",null],"none":[],"o":{"k":"v"},"items":[{"id":7,"name":"a"},{"id":8,"name":"b"}],"date":"2024-02-29T10:00:00Z","ip":"10.0.0.1","two":"l1\nl2"}"#;

const XML: &str = "<books><book id=\"1\"><title>One</title></book><book id=\"2\"/></books>";

/// Answers by path: documents, redirects, a status.
fn server() -> Server {
    Server::start(|request| {
        let target = request.head.split(' ').nth(1).unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default();
        let (status, headers, body) = match path {
            "/json" => (
                "200 OK",
                "Content-Type: application/json\r\nX-Twice: a\r\nX-Twice: b\r\nX-One: v=17\r\n",
                JSON,
            ),
            "/many" => ("200 OK", "Content-Type: application/json\r\n", "[1,2,3,4,5,6,7,8,9,10,11,12]"),
            "/xml" => ("200 OK", "Content-Type: application/xml\r\n", XML),
            "/cookie" => ("200 OK", "Set-Cookie: sid=abc; Path=/; HttpOnly\r\n", "in"),
            "/moved" => ("302 Found", "Location: /json\r\n", ""),
            "/missing" => ("404 Not Found", "", "gone"),
            "/empty" => ("200 OK", "", ""),
            _ => ("200 OK", "Content-Type: text/plain\r\n", "hello"),
        };
        let length = body.len();
        Answer::Keep(
            format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes(),
        )
    })
}

/// Path, assert, and whether it holds in Hurl: hurl 6.1.1 said so of each.
const ASSERTS: &[(&str, &str, bool)] = &[
    ("json", "jsonpath \"$.n\" == 1", true),
    ("json", "jsonpath \"$.items[?( @.id == 7 )].name\" includes \"a\"", true),
    ("json", "jsonpath \"$.items[?(@.id=={{seven}})].name\" includes \"a\"", true),
    ("json", "jsonpath \"$.items[?(@.id=={{seven}})].name\" includes \"b\"", false),
    ("json", "jsonpath \"$.items[?(@.name=='{{letter}}')].id\" includes 7", true),
    ("json", "jsonpath \"$.items[?(@.name=='{{letter}}')].id\" includes 8", false),
    ("json", "jsonpath \"$.date\" regex /(\\d+)-02/ == \"2024\"", true),
    ("json", "jsonpath \"$.date\" regex \"([0-9]+)T\" == \"28\"", false),
    ("json", "jsonpath \"$.n\" regex /(1)/ == \"1\"", false),
    ("json", "jsonpath \"$.date\" split \"-\" nth 1 == \"02\"", true),
    ("json", "jsonpath \"$.date\" split \"-\" nth 2 startsWith \"29T\"", true),
    ("json", "jsonpath \"$.date\" split \"-\" nth 3 == \"\"", false),
    ("json", "jsonpath \"$.n\" split \"-\" nth 0 == \"1\"", false),
    ("text", "body split \"l\" nth 1 == \"\"", true),
    ("text", "body split \"l\" nth 2 != \"\"", true),
    ("text", "body split \"l\" nth 2 isEmpty", false),
    ("empty", "body isEmpty", true),
    ("empty", "body == \"\"", true),
    ("empty", "body not isEmpty", false),
    ("empty", "body != \"\"", false),
    ("text", "body isEmpty", false),
    ("text", "body not isEmpty", true),
    ("text", "header \"X-None\" == \"\"", false),
    ("text", "body split \"ll\" nth 1 == \"o\"", true),
    ("text", "body matches \"^{{start}}..o$\"", true),
    ("text", "body matches \"^{{start}}o\"", false),
    ("text", "body regex \"{{start}}(.)\" == \"l\"", true),
    ("text", "md5 == hex,5d41402abc4b2a76b9719d911017c592;", true),
    ("text", "md5 == base64,XUFAKrxLKna5cZ2REBfFkg==;", true),
    ("json", "md5 == hex,5d41402abc4b2a76b9719d911017c592;", false),
    ("json", "jsonpath \"$.n\" == 1.0", true),
    ("json", "jsonpath \"$.f\" == 1", true),
    ("json", "jsonpath \"$.n\" == 2", false),
    ("json", "jsonpath \"$.n\" == \"1\"", false),
    ("json", "jsonpath \"$.num\" == 1", false),
    ("json", "jsonpath \"$.num\" == \"1\"", true),
    ("json", "jsonpath \"$.n\" != 2", true),
    ("json", "jsonpath \"$.n\" != 1", false),
    ("json", "jsonpath \"$.nothing\" != 1", false),
    ("json", "jsonpath \"$.nothing\" not == 1", true),
    ("json", "jsonpath \"$.big\" == 12345678901", true),
    ("json", "jsonpath \"$.n\" > 0", true),
    ("json", "jsonpath \"$.n\" > 1", false),
    ("json", "jsonpath \"$.s\" > 0", false),
    ("json", "jsonpath \"$.s\" >= \"abb\"", true),
    ("json", "jsonpath \"$.s\" not > 0", false),
    ("json", "jsonpath \"$.s\" == \"abc\"", true),
    ("json", "jsonpath \"$.s\" == \"abd\"", false),
    ("json", "jsonpath \"$.l\" == \"x\"", false),
    ("json", "jsonpath \"$.t\" == true", true),
    ("json", "jsonpath \"$.t\" == \"true\"", false),
    ("json", "jsonpath \"$.t\" == false", false),
    ("json", "jsonpath \"$.z\" == null", true),
    ("json", "jsonpath \"$.n\" == null", false),
    ("json", "jsonpath \"$.nothing\" == null", false),
    ("json", "jsonpath \"$.z\" exists", true),
    ("json", "jsonpath \"$.nothing\" exists", false),
    ("json", "jsonpath \"$.nothing\" not exists", true),
    ("json", "jsonpath \"$.n\" not exists", false),
    ("text", "jsonpath \"$.nothing\" not exists", false),
    ("json", "jsonpath \"$.s\" contains \"b\"", true),
    ("json", "jsonpath \"$.s\" contains \"z\"", false),
    ("json", "jsonpath \"$.l\" contains \"x\"", true),
    ("json", "jsonpath \"$.l\" includes 1", true),
    ("json", "jsonpath \"$.l\" includes \"1\"", false),
    ("json", "jsonpath \"$.s\" startsWith \"ab\"", true),
    ("json", "jsonpath \"$.s\" endsWith \"ab\"", false),
    ("json", "jsonpath \"$.n\" startsWith \"1\"", false),
    ("json", "jsonpath \"$.s\" matches /^a.c$/", true),
    ("json", "jsonpath \"$.s\" matches /^b/", false),
    ("json", "jsonpath \"$.two\" matches /^l1$/", false),
    ("json", "jsonpath \"$.two\" matches \"l2$\"", true),
    ("json", "jsonpath \"$.s\" isString", true),
    ("json", "jsonpath \"$.n\" isString", false),
    ("json", "jsonpath \"$.n\" isInteger", true),
    ("json", "jsonpath \"$.f\" isInteger", false),
    ("json", "jsonpath \"$.f\" isFloat", true),
    ("json", "jsonpath \"$.num\" isInteger", false),
    ("json", "jsonpath \"$.n\" isNumber", true),
    ("json", "jsonpath \"$.t\" isBoolean", true),
    ("json", "jsonpath \"$.s\" isBoolean", false),
    ("json", "jsonpath \"$.l\" isCollection", true),
    ("json", "jsonpath \"$.o\" isCollection", true),
    ("json", "jsonpath \"$.s\" isCollection", false),
    ("json", "jsonpath \"$.nothing\" isCollection", false),
    ("json", "jsonpath \"$.e\" isEmpty", true),
    ("json", "jsonpath \"$.none\" isEmpty", true),
    ("json", "jsonpath \"$.l\" isEmpty", false),
    ("json", "jsonpath \"$.l\" not isEmpty", true),
    ("json", "jsonpath \"$.e\" not isEmpty", false),
    ("json", "jsonpath \"$.date\" isIsoDate", true),
    ("json", "jsonpath \"$.s\" isIsoDate", false),
    ("json", "jsonpath \"$.ip\" isIpv4", true),
    ("json", "jsonpath \"$.s\" isIpv4", false),
    ("json", "jsonpath \"$.l\" count == 3", true),
    ("json", "jsonpath \"$.l\" count == 2", false),
    ("json", "jsonpath \"$.l\" count >= 2", true),
    ("many", "jsonpath \"$[0]\" == 1", true),
    ("many", "jsonpath \"$[0]\" count == 1", false),
    ("many", "jsonpath \"$\" includes 12", true),
    ("many", "jsonpath \"$\" isCollection", true),
    ("many", "jsonpath \"$\" count > 0", true),
    ("many", "jsonpath \"$\" count > 11", true),
    ("many", "jsonpath \"$\" count < 12", false),
    ("many", "jsonpath \"$\" count != 12", false),
    ("json", "jsonpath \"$.none\" count < 1", true),
    ("json", "jsonpath \"$.none\" count == 0", true),
    ("json", "jsonpath \"$.o\" count == 1", false),
    ("json", "jsonpath \"$.nothing\" count == 0", false),
    ("json", "jsonpath \"$.items[*].id\" count > 1", true),
    ("json", "jsonpath \"$.items[?(@.id==7)]\" count == 1", true),
    ("json", "jsonpath \"$.items[?(@.id=='7')]\" count == 1", false),
    ("json", "jsonpath \"$.items[?(@.name!='a')].id\" count == 1", true),
    ("json", "jsonpath \"$.items[*].name\" contains \"b\"", true),
    ("json", "jsonpath \"$.items[*].name\" contains \"z\"", false),
    ("json", "jsonpath \"$.items[*].id\" includes 8", true),
    ("json", "jsonpath \"$.items[*].id\" includes 9", false),
    ("json", "jsonpath \"$.items[*].id\" includes \"8\"", false),
    ("json", "jsonpath \"$.items\" nth 1 exists", true),
    ("json", "jsonpath \"$.items\" nth 2 exists", false),
    ("json", "jsonpath \"$.items[0].id\" == 7", true),
    ("json", "status == 200", true),
    ("json", "status >= 300", false),
    ("missing", "status == 404", true),
    ("missing", "status < 400", false),
    ("json", "duration < 60000", true),
    ("json", "duration > 60000", false),
    ("text", "body == \"hello\"", true),
    ("text", "body == \"hell\"", false),
    ("text", "body contains \"ell\"", true),
    ("text", "body not contains \"ell\"", false),
    ("text", "body matches /^h.*o$/", true),
    ("text", "body startsWith \"ello\"", false),
    ("text", "bytes count == 5", true),
    ("text", "bytes count == 6", false),
    ("text", "regex \"h(.)l\" == \"e\"", true),
    ("text", "regex \"h(.)l\" == \"x\"", false),
    ("text", "regex \"x(.)\" exists", false),
    ("text", "regex \"x(.)\" not exists", true),
    ("text", "regex \"x(.)\" matches /.*/", false),
    ("json", "header \"content-type\" == \"application/json\"", true),
    ("json", "header \"Content-Type\" contains \"xml\"", false),
    ("json", "header \"X-None\" exists", false),
    ("json", "header \"X-None\" not exists", true),
    ("json", "header \"X-Twice\" == \"a\"", false),
    ("json", "header \"X-One\" == \"v=17\"", true),
    ("json", "header \"X-One\" matches /^v=\\d+$/", true),
    ("json", "header \"X-One\" regex /v=(\\d+)/ toInt == 17", true),
    ("json", "header \"X-One\" regex /v=(\\d+)/ == \"18\"", false),
    ("cookie", "cookie \"sid\" == \"abc\"", true),
    ("cookie", "cookie \"sid\" == \"abd\"", false),
    ("cookie", "cookie \"none\" exists", false),
    ("xml", "xpath \"count(//book)\" == 2", true),
    ("xml", "xpath \"//book\" count == 3", false),
    ("xml", "xpath \"string(//book[1]/title)\" == \"One\"", true),
    ("xml", "xpath \"string(//book[1]/title)\" == \"Two\"", false),
    ("xml", "xpath \"//nothing\" exists", false),
    ("xml", "xpath \"//nothing\" not exists", true),
    ("json", "url contains \"/json\"", true),
    ("json", "url endsWith \"/xml\"", false),
];

#[test]
fn asserts_hold_where_they_hold_in_hurl() {
    let server = server();
    let folder = Folder::new();
    let host = format!("host=http://{}", server.addr);
    let mut args = vec!["run".to_owned()];
    for (number, (path, assert, _)) in ASSERTS.iter().enumerate() {
        let name = format!("{number}.hurl");
        folder.write(
            &name,
            format!("# @name {number}\nGET {{{{host}}}}/{path}\nHTTP *\n[Asserts]\n{assert}\n"),
        );
        args.push(name);
    }
    // No assert needs a JVM.
    args.extend(["-l", "out.jtl", "--scripts", "native", "--variable", &host].map(str::to_owned));
    for variable in ["seven=7", "letter=a", "start=he"] {
        args.extend(["--variable", variable].map(str::to_owned));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    folder.swell(&args).exits(0);
    let rows = folder.jtl("out.jtl");
    let labels = rows.column("label");
    let successes = rows.column("success");
    let mut wrong = String::new();
    for (number, (path, assert, holds)) in ASSERTS.iter().enumerate() {
        let row = labels.iter().position(|label| *label == number.to_string());
        let found = row.map(|row| successes[row] == "true");
        if found != Some(*holds) {
            let _ = writeln!(wrong, "{path}: {assert}: expected {holds}, got {found:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    folder.call(&["check", "0.hurl"]).run().exits(0).prints(&["This plan runs."]);
}

const SHOP: &str = "\
# @name list
GET {{host}}/json
Accept: application/json
[Query]
user: {{user}}
HTTP 200
[Captures]
id: jsonpath \"$.items[1].id\"
part: header \"X-One\" regex /v=(.*)/
[Asserts]
jsonpath \"$.items\" count == 2

POST {{host}}/orders/{{id}}
[Options]
variable: note=for {{part}}
{\"note\": \"{{note}}\", \"id\": {{id}}}
HTTP 200
[Asserts]
body == \"hello\"
";

#[test]
fn a_file_sends_what_hurl_sends() {
    let server = server();
    let folder = Folder::new();
    folder.write("shop.hurl", SHOP);
    folder.write("users.csv", "user,age\nada,36\nbob,7\n");
    let host = format!("host=http://{}", server.addr);
    let load = ["--users", "1", "--loops", "2", "--think", "1ms..2ms", "--scripts", "native"];
    let run = [&["run", "shop.hurl", "--variable", &host, "--data", "users.csv"], &load[..]].concat();
    folder.swell(&run).exits(0);
    let sent: Vec<String> = server
        .requests()
        .iter()
        .map(|request| {
            let line = request.head.lines().next().unwrap_or_default();
            format!("{line} {}", String::from_utf8_lossy(&request.body))
        })
        .collect();
    let order = "POST /orders/8 HTTP/1.1 {\"note\": \"for 17\", \"id\": 8}";
    assert_eq!(sent, ["GET /json?user=ada HTTP/1.1 ", order, "GET /json?user=bob HTTP/1.1 ", order]);
}

#[test]
fn a_failed_assert_ends_the_iteration_and_is_counted() {
    let server = server();
    let folder = Folder::new();
    let addr = server.addr;
    folder
        .write("a.hurl", format!("GET http://{addr}/json\nHTTP 201\n\nGET http://{addr}/never\nHTTP 200\n"));
    folder.swell(&["run", "a.hurl", "--loops", "2"]).exits(98);
    assert_eq!(server.requests().len(), 2);
    folder.swell(&["debug", "a.hurl"]).exits(98).prints(&["line 2: status 201"]);
}

#[test]
fn what_a_plan_cannot_check_is_refused_or_left_out_on_request() {
    let server = server();
    let folder = Folder::new();
    let addr = server.addr;
    folder.write(
        "a.hurl",
        format!("GET http://{addr}/json\nHTTP 200\n[Asserts]\nsha256 == hex,00;\nstatus == 200\n"),
    );
    folder.swell(&["run", "a.hurl"]).refused(&[
        "a.hurl:4:8: assert `sha256 == hex,00;`: this hash has 32 bytes, not 1",
        "--skip-asserts",
    ]);
    assert_eq!(server.requests().len(), 0);
    folder
        .swell(&["run", "a.hurl", "--skip-asserts"])
        .exits(0)
        .says(&["left out: a.hurl:4:8: assert", "1 asserts of the file were not checked (--skip-asserts)"]);
    folder.write("b.hurl", "GET http://127.0.0.1/\n[Options]\nunix-socket: /run/x\n");
    folder.swell(&["run", "b.hurl"]).refused(&["b.hurl:3:1: option unix-socket", "swell import FILE"]);
    folder.write("c.hurl", "GET {{host}}/\nHTTP 2O0\n");
    folder.swell(&["run", "c.hurl"]).refused(&["c.hurl:2:7: expected the end of the line"]);
    folder.write("d.hurl", "GET {{host}}/\n");
    folder
        .swell(&["run", "d.hurl"])
        .refused(&["d.hurl:1:7: the variable `host` has no value", "--variable host=…"]);
    folder.swell(&["check", "d.hurl"]).exits(0);
    folder.write("p.jmx", "<jmeterTestPlan/>");
    folder
        .swell(&["run", "p.jmx", "--users", "5"])
        .refused(&["--users is for .hurl and .http files", "-Jusers=50"]);
    folder.swell(&["run", "p.jmx", "d.hurl"]).refused(&["unexpected argument `d.hurl`"]);
    folder.swell(&["fmt", "d.hurl"]).exits(104);
    assert_eq!(folder.read("d.hurl"), "GET {{host}}/\n");
}

#[test]
fn several_files_share_users_and_time() {
    let server = server();
    let folder = Folder::new();
    let addr = server.addr;
    folder.write("login.hurl", format!("GET http://{addr}/login\n"));
    folder.write("find.http", format!("### find\nGET http://{addr}/find\n"));
    let run = ["run", "login.hurl", "find.http", "-d", "300ms", "-l", "out.jtl"];
    folder.swell(&[&run[..], &["--users", "5", "--weights", "login=1,find=4"]].concat()).exits(0);
    let rows = folder.jtl("out.jtl");
    let names: std::collections::BTreeSet<&str> = rows.column("threadName").into_iter().collect();
    let of = |group: &str| names.iter().filter(|name| name.starts_with(group)).count();
    assert_eq!((of("login"), of("find")), (1, 4), "{names:?}");
    folder
        .swell(&["run", "login.hurl", "--weights", "logon=2"])
        .refused(&["weight of logon: no file has this name; there are login"]);
}

#[test]
fn agents_run_a_file() {
    if nats_server().is_none() {
        return;
    }
    let server = server();
    let folder = Folder::new();
    let addr = server.addr;
    folder.write(
        "a.hurl",
        format!(
            "GET http://{addr}/json\nHTTP 200\n[Captures]\nid: jsonpath \"$.items[0].id\"\n\nGET http://{addr}/text/{{{{id}}}}\nHTTP 200\n[Asserts]\nbody == \"hello\"\n"
        ),
    );
    let ended = folder.swell(&["run", "a.hurl", "--agents", "2", "-w", "1", "--users", "2", "--loops", "3"]);
    ended.exits(0).prints(&["summary =     12 in ", "Err:     0 "]);
    let mut paths: Vec<_> = server.requests().iter().map(|request| request.path().to_owned()).collect();
    paths.sort();
    assert_eq!(paths, [vec!["/json"; 6], vec!["/text/7"; 6]].concat());
}
