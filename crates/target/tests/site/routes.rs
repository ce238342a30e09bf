//! What each route answers.

use std::io::Read;
use std::time::{Duration, Instant};

use super::client::{Client, site};

#[test]
fn statuses_of_paths() {
    let target = site();
    let mut client = Client::new(&target);
    for (path, status) in [
        ("/", 200),
        ("/no/such/path?x=1", 200),
        ("/status/204", 204),
        ("/status/304", 304),
        ("/status/418", 418),
        ("/status/599", 599),
        ("/status/600", 400),
        ("/status/99", 400),
        ("/status/x", 400),
        ("/delay", 400),
        ("/delay/soon", 400),
        ("/delay/2h", 400),
        ("/delay?dist=gauss:1,2", 400),
        ("/delay/0?bytes=100000001", 400),
        ("/bytes/x", 400),
        ("/bytes/1?type=a%0d%0ab", 400),
        ("/chunked/-1", 400),
        ("/redirect/x", 400),
        ("/redirect-to", 400),
        ("/redirect-to?url=/%0d%0aX:%20y", 400),
        ("/redirect-to?url=/&status=200", 400),
        ("/cookies/set?a=b%3Bc", 400),
        ("/cookies/eat", 400),
        ("/pool?workers=0", 400),
        ("/admit?rate=0", 400),
        ("/admit?rate=1", 200),
        ("/fail?every=0", 400),
        ("/fail?how=200", 400),
        ("/page/none.gif", 404),
        ("/api/items", 401),
        ("/overloaded", 503),
        ("/stats/none", 404),
    ] {
        let answer = client.get(path);
        assert_eq!(answer.status(), status, "{path}: {}", answer.text());
    }
    assert!(client.get("/no/such/path").text().contains("Site under test"));
}

#[test]
fn delays_are_never_short() {
    let target = site();
    let mut client = Client::new(&target);
    for (path, wanted_ms) in [
        ("/delay/30ms", 30),
        ("/delay/0.03s", 30),
        ("/delay/25000us?bytes=10", 25),
        ("/delay?dist=const:20ms", 20),
        ("/delay?dist=bimodal:20ms,300ms,1", 20),
        ("/pool?service=20ms", 20),
    ] {
        let start = Instant::now();
        assert_eq!(client.get(path).status(), 200);
        let took = start.elapsed();
        assert!(took >= Duration::from_millis(wanted_ms), "{path}: {took:?}");
    }
}

#[test]
fn draws_can_be_named_and_repeated() {
    let target = site();
    let mut client = Client::new(&target);
    let mut asked = |path: &str| {
        client.get(path);
        // A request is kept after its answer was sent; the next one on this connection comes after
        // that.
        client.get("/");
        target.log().last().expect("a request with an id is kept").asked_ns
    };
    let first = asked("/delay?dist=uniform:0ms,2ms&seed=5&id=a");
    let second = asked("/delay?dist=uniform:0ms,2ms&seed=5&id=b");
    assert_ne!(first, second);
    assert_eq!(asked("/delay?dist=uniform:0ms,2ms&seed=5&n=0&id=c"), first);
    assert_eq!(asked("/delay?dist=uniform:0ms,2ms&seed=5&n=1&id=d"), second);
    target.reset_stats();
    assert_eq!(asked("/delay?dist=uniform:0ms,2ms&seed=5&id=e"), first);
}

#[test]
fn a_pool_has_its_capacity_and_its_limit() {
    let target = site();
    let mut clients: Vec<Client> = (0..5).map(|_| Client::new(&target)).collect();
    let start = Instant::now();
    for client in &mut clients {
        client.send("GET /pool?workers=2&service=30ms&key=k&queue=2 HTTP/1.1\r\n\r\n");
    }
    let statuses: Vec<u16> = clients.iter_mut().map(|client| client.answer().status()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 503).count(), 1, "{statuses:?}");
    assert!(start.elapsed() >= Duration::from_millis(60));
    assert_eq!(clients[0].get("/pool?workers=2&service=0&key=other&queue=0").status(), 200);
}

#[test]
fn bodies_have_their_size_and_form() {
    let target = site();
    let mut client = Client::new(&target);
    for bytes in [0, 1, 65_536, 65_537, 3_000_000] {
        assert_eq!(client.get(&format!("/bytes/{bytes}")).body.len(), bytes);
        assert_eq!(client.get(&format!("/delay/1us?bytes={bytes}")).body.len(), bytes);
        assert_eq!(client.get(&format!("/chunked/{bytes}?parts=3")).body.len(), bytes);
    }
    client.send("GET /chunked/10?parts=3 HTTP/1.1\r\n\r\n");
    assert!(client.head().contains("Transfer-Encoding: chunked\r\n"));
    assert_eq!(client.chunks(), [&b"abcd"[..], b"abc", b"abc"]);
    assert_eq!(client.get("/bytes/3?type=image/png").header("content-type"), Some("image/png"));
    client.send("GET /chunked/10 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let old = client.answer();
    assert_eq!((old.header("transfer-encoding"), old.text()), (None, "abcdefghij"));
}

#[test]
fn codings_are_what_they_say() {
    let target = site();
    let mut client = Client::new(&target);
    for (path, coding) in [("/gzip", "gzip"), ("/deflate", "deflate"), ("/brotli", "br")] {
        let answer = client.get(&format!("{path}?bytes=5000"));
        assert_eq!(answer.header("content-encoding"), Some(coding));
        let mut plain = Vec::new();
        let coded = &answer.body[..];
        match coding {
            "gzip" => flate2::read::GzDecoder::new(coded).read_to_end(&mut plain),
            "deflate" => flate2::read::ZlibDecoder::new(coded).read_to_end(&mut plain),
            _ => brotli::Decompressor::new(coded, 4_096).read_to_end(&mut plain),
        }
        .unwrap();
        assert_eq!(plain.len(), 5_000);
    }
}

#[test]
fn redirects_lead_down_to_the_index() {
    let target = site();
    let mut client = Client::new(&target);
    for (path, status, location) in [
        ("/redirect/3", 302, "/redirect/2"),
        ("/redirect/1", 302, "/"),
        ("/redirect-to?url=http%3A%2F%2Fexample.org%2Fa%3Fb&status=307", 307, "http://example.org/a?b"),
    ] {
        let answer = client.get(path);
        assert_eq!((answer.status(), answer.header("location")), (status, Some(location)), "{path}");
    }
}

#[test]
fn cookies_come_and_go() {
    let target = site();
    let mut client = Client::new(&target);
    let set = client.get("/cookies/set?a=1&b=two%20");
    assert_eq!(set.status(), 400, "a blank cannot be in a cookie");
    let set = client.get("/cookies/set?a=1&b=two");
    assert_eq!((set.status(), set.header("location")), (302, Some("/cookies")));
    assert!(set.head.contains("Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=two; Path=/\r\n"), "{}", set.head);
    client.send("GET /cookies HTTP/1.1\r\nCookie: a=1; b=two=2\r\nCookie: c=3\r\n\r\n");
    assert_eq!(
        client.answer().json(),
        serde_json::json!({ "cookies": { "a": "1", "b": "two=2", "c": "3" } })
    );
    assert!(client.get("/cookies/delete?a").head.contains("Set-Cookie: a=; Path=/; Max-Age=0;"));
}

#[test]
fn the_page_and_what_it_embeds_exist() {
    let target = site();
    let mut client = Client::new(&target);
    let page = client.get("/page");
    let urls: Vec<&str> = page.text().split(['"', '\'']).filter(|part| part.contains("page/")).collect();
    assert_eq!(urls.len(), 6, "{urls:?}");
    for url in urls {
        let answer = client.get(&format!("/{}", url.trim_start_matches('/')));
        assert_eq!(answer.status(), 200, "{url}");
        assert_ne!(answer.header("content-type"), Some("text/html"), "{url}");
    }
}

#[test]
fn requests_are_told_back() {
    let target = site();
    let mut client = Client::new(&target);
    client.send(
        "POST /anything/here?a=1&a=2&b=%C3%BC HTTP/1.1\r\nX-One: 1\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Cookie: c=d\r\nContent-Length: 9\r\n\r\nuser=a+b%",
    );
    let seen = client.answer().json();
    assert_eq!(seen["method"], "POST");
    assert_eq!(seen["path"], "/anything/here");
    assert_eq!(seen["args"], serde_json::json!({ "a": "1, 2", "b": "ü" }));
    assert_eq!(seen["headers"]["X-One"], "1");
    assert_eq!(seen["cookies"]["c"], "d");
    assert_eq!(seen["form"]["user"], "a b%");
    assert_eq!(seen["bytes"], 9);
    client.send("GET /headers HTTP/1.1\r\nX-Two: 2\r\n\r\n");
    assert_eq!(client.answer().json(), serde_json::json!({ "headers": { "X-Two": "2" } }));
    client.send("PUT /anything HTTP/1.1\r\nContent-Length: 9\r\n\r\n{\"a\":[1]}");
    assert_eq!(client.answer().json()["json"]["a"][0], 1);
}

fn post(client: &mut Client, target: &str, body: &str) -> super::client::Answer {
    client.send(format!("POST {target} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
    client.answer()
}

fn hidden<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).expect("the page hides it");
    rest.split('"').next().expect("the value ends")
}

#[test]
fn a_login_gives_a_token_that_opens_the_api() {
    let target = site();
    let mut client = Client::new(&target);
    let granted = post(&mut client, "/login", "user=J%C3%B6rg&password=secret");
    let token = granted.json()["token"].as_str().unwrap().to_owned();
    let cookie = format!("session={token}");
    assert_eq!(granted.header("set-cookie"), Some(&*format!("{cookie}; Path=/; HttpOnly")));
    for header in [format!("Authorization: Bearer {token}"), format!("Cookie: a=b; {cookie}")] {
        client.send(format!("GET /api/items?page=1&size=3 HTTP/1.1\r\n{header}\r\n\r\n"));
        let list = client.answer().json();
        assert_eq!((&list["user"], &list["items"][0]["id"]), (&"Jörg".into(), &4.into()));
        assert_eq!(list["items"].as_array().unwrap().len(), 3);
    }
    for (id, status) in [("7", 200), ("0", 404), ("101", 404), ("x", 400)] {
        client.send(format!("GET /api/items/{id} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n\r\n"));
        assert_eq!(client.answer().status(), status, "{id}");
    }
    client.send(format!("GET /api/items HTTP/1.1\r\nAuthorization: Bearer {token}0\r\n\r\n"));
    let refused = client.answer();
    assert_eq!((refused.status(), refused.header("www-authenticate").is_some()), (401, true));
}

#[test]
fn a_login_form_hides_a_value_that_must_come_back() {
    let target = site();
    let mut client = Client::new(&target);
    let form = client.get("/login");
    let csrf = hidden(form.text(), "_csrf").to_owned();
    assert_ne!(hidden(client.get("/login").text(), "_csrf"), csrf);
    let page = post(&mut client, "/login?form=html", &format!("user=a&password=b&_csrf={csrf}"));
    let json = post(&mut client, "/login", "{\"user\":\"a\",\"password\":\"b\"}").json();
    assert_eq!(hidden(page.text(), "token"), json["token"]);
    for (body, status) in [
        ("user=a&password=b&_csrf=0-0", 403),
        ("user=a&password=wrong", 401),
        ("user=a", 401),
        ("password=b", 400),
        ("", 400),
        ("{\"user\":", 400),
    ] {
        assert_eq!(post(&mut client, "/login", body).status(), status, "{body}");
    }
}

#[test]
fn admission_control_turns_away_what_comes_faster() {
    let target = site();
    let mut client = Client::new(&target);
    let turned_away = (0..1_000).any(|_| client.get("/admit?rate=1").status() == 503);
    assert!(turned_away, "a thousand requests one after the other are more than one a second");
    assert_eq!(client.get("/admit?rate=1&key=other").status(), 200);
}

#[test]
fn each_nth_request_fails_and_no_other() {
    let target = site();
    let mut client = Client::new(&target);
    for (path, failed) in [("/fail?every=4", 503), ("/fail?every=4&how=500", 500)] {
        let seen: Vec<_> = (0..8).map(|_| client.get(path).status()).collect();
        assert_eq!(seen, [200, 200, 200, failed, 200, 200, 200, failed], "{path}");
    }
}
