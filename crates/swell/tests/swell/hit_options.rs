//! `swell hit`: what its options do to requests, connections and results.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Answer, Folder, Server, site};

/// A server that answers `ok`, and its address.
fn server() -> (Server, String) {
    let server = Server::start(|_| Answer::ok("ok"));
    let at = server.addr.to_string();
    (server, at)
}

#[track_caller]
fn hit(args: &[&str]) -> crate::support::Ended {
    Folder::new().swell(&[&["hit"], args].concat()).exits(0)
}

/// Paths of all requests, sorted.
fn paths(server: &Server) -> Vec<String> {
    let mut paths: Vec<_> = server.requests().iter().map(|request| request.path().to_owned()).collect();
    paths.sort();
    paths
}

#[test]
fn a_url_without_a_scheme_is_http_and_a_time_without_a_unit_is_seconds() {
    let (server, at) = server();
    let ended = hit(&[&format!("{at}/page"), "-d", "1", "-r", "20", "--timeout", "1", "--json"]);
    assert_eq!(server.requests()[0].path(), "/page");
    let seconds = ended.json()["duration_s"].as_f64().expect("a number");
    assert!((0.5..30.0).contains(&seconds) && (15..=25).contains(&server.requests().len()), "{ended}");
}

#[test]
fn words_of_other_tools_mean_the_same() {
    let (server, at) = server();
    hit(&[&at, "-z", "300ms", "-m", "PUT", "-T", "text/x", "--data", "body", "-R", "100", "-k", "--latency"])
        .prints(&["up to ms"]);
    let first = &server.requests()[0];
    assert!(first.head.starts_with("PUT / HTTP/1.1\r\n"), "{}", first.head);
    assert_eq!((first.header("content-type"), &*first.body), (Some("text/x"), &b"body"[..]));
    // The command itself may be left out where there is a URL.
    Folder::new().swell(&[&format!("http://{at}/bare"), "-n", "1"]).exits(0);
    Folder::new().swell(&["-c", "1", "-n", "1", &format!("http://{at}/bare")]).exits(0);
    assert_eq!(paths(&server).iter().filter(|path| *path == "/bare").count(), 2);
}

#[test]
fn several_urls_are_taken_in_turn_by_all_users() {
    let (server, at) = server();
    let folder = Folder::new();
    folder.write("urls.txt", format!("# pages\n\n{at}/c?x=1\nhttp://{at}/d\n"));
    let ended = folder.swell(&[
        "hit",
        &format!("{at}/a"),
        &format!("{at}/b"),
        "--urls",
        "urls.txt",
        "-n",
        "40",
        "-c",
        "4",
        "-w",
        "1",
        "--json",
    ]);
    let ended = ended.exits(0);
    let counts = ["/a", "/b", "/c?x=1", "/d"]
        .map(|wanted| paths(&server).iter().filter(|path| *path == wanted).count());
    assert_eq!(counts, [10; 4], "{ended}");
    assert_eq!(ended.json()["labels"].as_array().map(Vec::len), Some(4), "{ended}");
}

#[test]
fn urls_are_drawn_at_random_and_told_apart_by_their_sites() {
    let (one, at_one) = server();
    let (two, at_two) = server();
    let urls = [format!("{at_one}/"), format!("{at_two}/")];
    let ended = hit(&[&urls[0], &urls[1], "--random", "-n", "200", "--json"]);
    let counts = [one.requests().len(), two.requests().len()];
    assert!(counts[0] + counts[1] == 200 && counts.iter().all(|count| *count > 50), "{counts:?}");
    assert!(ended.out.contains(&format!("http://{at_one}/")), "{ended}");
}

#[test]
fn a_file_of_urls_with_a_wrong_one_is_refused_with_its_line() {
    let folder = Folder::new();
    folder.write("urls.txt", "http://a/\nftp://b/\n");
    folder.swell(&["hit", "--urls", "urls.txt"]).refused(&["urls.txt:2: invalid URL `ftp://b/`"]);
    folder.write("empty.txt", "# nothing\n");
    folder.swell(&["hit", "--urls", "empty.txt"]).refused(&["no URL in `empty.txt`", "hint: "]);
}

#[test]
fn a_form_is_url_encoded_and_sent_by_post() {
    let (server, at) = server();
    hit(&[&at, "-n", "1", "--form", "name=a b&c", "--form", "x=${y}ü"]);
    let request = &server.requests()[0];
    assert!(request.head.starts_with("POST / HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded; charset=UTF-8"));
    assert_eq!(String::from_utf8_lossy(&request.body), "name=a+b%26c&x=%24%7By%7D%C3%BC");
}

#[test]
fn a_multipart_body_has_texts_and_files() {
    let (server, at) = server();
    let folder = Folder::new();
    folder.write("photo.bin", "\u{1}PHOTO");
    let parts = ["--multipart", "name=a b", "-F", "file=@photo.bin;type=image/x", "-F", "plain=@photo.bin"];
    folder.swell(&[&["hit", &at, "-n", "1"], &parts[..]].concat()).exits(0);
    let request = &server.requests()[0];
    assert!(
        request.header("content-type").is_some_and(|kind| kind.starts_with("multipart/form-data; boundary="))
    );
    let body = String::from_utf8_lossy(&request.body).into_owned();
    assert!(body.contains("name=\"name\"\r\n\r\na b\r\n"), "{body}");
    assert!(body.contains("filename=\"photo.bin\"\r\nContent-Type: image/x\r\n"), "{body}");
    assert!(body.contains("application/octet-stream") && body.matches("\u{1}PHOTO").count() == 2, "{body}");
}

#[test]
fn a_user_has_a_name_and_a_password() {
    let (server, at) = server();
    let basic = "Basic YWRhOnM6JHt4fQ==";
    for args in [&["-u", "ada:s:${x}"][..], &["-a", "ada:s:${x}"], &["-u", "ada:s:${x}", "--follow"]] {
        hit(&[&[&*at, "-n", "1"], args].concat());
        let request = server.requests().last().cloned().expect("one");
        assert_eq!(request.header("authorization"), Some(basic), "{args:?}");
    }
    let folder = Folder::new();
    let ended = folder
        .swell(&["hit", &format!("http://ada:s%3A$%7Bx%7D@{at}/p"), "-n", "1", "-l", "out.jtl"])
        .exits(0);
    assert_eq!(
        server
            .requests()
            .last()
            .and_then(|request| request.header("authorization").map(str::to_owned))
            .as_deref(),
        Some(basic)
    );
    assert!(!folder.read("out.jtl").contains("ada") && !ended.out.contains("ada"), "{ended}");
}

#[test]
fn a_password_does_not_follow_to_another_site() {
    let (other, elsewhere) = server();
    let server = Server::start(move |request| match request.path() {
        "/here" => Answer::ok("here"),
        "/" => Answer::Keep(b"HTTP/1.1 302 Found\r\nLocation: /here\r\nContent-Length: 0\r\n\r\n".to_vec()),
        _ => Answer::Keep(
            format!("HTTP/1.1 302 Found\r\nLocation: http://{elsewhere}/\r\nContent-Length: 0\r\n\r\n")
                .into_bytes(),
        ),
    });
    let at = server.addr;
    hit(&[&format!("{at}/"), "-n", "1", "-u", "ada:x", "--follow"]);
    let names =
        server.requests().iter().map(|request| request.header("authorization").is_some()).collect::<Vec<_>>();
    assert_eq!(names, [true, true]);
    hit(&[&format!("{at}/away"), "-n", "1", "-u", "ada:x", "--follow"]);
    assert_eq!((other.requests().len(), other.requests()[0].header("authorization")), (1, None));
}

#[test]
fn redirects_are_followed_if_asked_to() {
    let site = site();
    let url = format!("http://{}/redirect/2", site.addr());
    let codes = |args: &[&str]| {
        let folder = Folder::new();
        folder.swell(&[&["hit", &url, "-n", "1", "-l", "out.jtl"], args].concat()).exits(0);
        folder.jtl("out.jtl").column("responseCode").join(" ")
    };
    let [default, off, on, last] = [&[][..], &["--no-follow"], &["-L"], &["-L", "--no-follow"]].map(codes);
    assert!(default.starts_with('3') && default == off && default == last, "{default} {off} {last}");
    assert_eq!(on, "200 302 302 200", "the sample and its steps");
}

#[test]
fn requests_go_through_a_proxy() {
    let (proxy, at) = server();
    hit(&["http://nowhere.invalid/page", "-n", "2", "-x", &at]);
    assert_eq!((proxy.requests().len(), proxy.requests()[0].path()), (2, "http://nowhere.invalid/page"));
    // A proxy that asks receives the name and the password.
    let asked = Arc::new(AtomicUsize::new(0));
    let shy = Server::start({
        let asked = asked.clone();
        move |request| {
            if request.header("proxy-authorization") == Some("Basic YWRhOng=") {
                return Answer::ok("ok");
            }
            asked.fetch_add(1, Ordering::SeqCst);
            let challenge = "Proxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n";
            Answer::Keep(format!("HTTP/1.1 407 Asked\r\n{challenge}").into_bytes())
        }
    });
    let ended =
        hit(&["http://nowhere.invalid/", "-n", "1", "-x", &format!("http://ada:x@{}", shy.addr), "--json"]);
    assert_eq!((asked.load(Ordering::SeqCst), &ended.json()["total"]["errors"]), (1, &0.into()), "{ended}");
}

#[test]
fn one_exchange_is_shown() {
    let server = Server::start(|_| {
        Answer::Keep(b"HTTP/1.1 201 Made\r\nX-Odd: \x1b[31mred\r\nContent-Length: 5\r\n\r\nhello".to_vec())
    });
    let ended = hit(&[&format!("{}/p?q=1", server.addr), "--debug", "-b", "in", "-H", "X-One: 1"]);
    let ended = ended.prints(&[
        "> POST /p?q=1 HTTP/1.1\n",
        "> X-One: 1\n",
        "> in\n",
        "< HTTP/1.1 201 Made\n",
        "hello\n",
        "* ",
    ]);
    assert_eq!((server.requests().len(), ended.out.contains('\u{1b}')), (1, false), "{ended}");
    assert!(!ended.out.contains("Measurement: "), "{ended}");
}

#[test]
fn the_exchange_of_a_redirect_shows_both() {
    let site = site();
    hit(&[&format!("{}/redirect/1", site.addr()), "--debug", "-L"])
        .prints(&["< HTTP/1.1 302", "< HTTP/1.1 200 OK"]);
}

#[test]
fn a_histogram_and_a_report_are_made() {
    let (_server, at) = server();
    let folder = Folder::new();
    let ended = folder.swell(&["hit", &at, "-n", "50", "--histogram", "--report", "out/page"]).exits(0);
    let lines = ended.out.lines().skip_while(|line| !line.contains("up to ms")).skip(1);
    let counted: u64 = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum();
    assert_eq!(counted, 50, "{ended}");
    assert!(folder.read("out/page/index.html").contains("swell hit"));
    let again = ["hit", &*at, "-n", "1", "--report", "out/page"];
    folder.swell(&again).refused(&["the report exists already", "hint: "]);
    folder.swell(&[&again[..], &["-f"]].concat()).exits(0).says(&["The report is out/page/index.html"]);
}

/// As `run -l` does, see `bad_files`.
#[test]
fn an_old_results_file_is_treated_as_run_treats_it() {
    let (_server, at) = server();
    let folder = Folder::new();
    let rows = |args: &[&str]| {
        folder.swell(&[&["hit", &at, "-n", "2", "-l", "out.jtl"], args].concat()).exits(0);
        folder.jtl("out.jtl").len()
    };
    assert_eq!([rows(&[]), rows(&[]), rows(&["-f"])], [2, 4, 2]);
}

#[test]
fn a_saved_plan_sends_the_same_requests() {
    let (server, at) = server();
    let folder = Folder::new();
    let url = format!("{at}/in?a=b");
    let args = [
        "hit",
        &url,
        "-n",
        "3",
        "-c",
        "2",
        "-X",
        "PUT",
        "-b",
        r#"{"a":"${b}\\"}"#,
        "-H",
        "X-Api-Key: s3cret",
    ];
    let ended = folder.swell(&args).exits(0);
    // The command that the summary ends with, without the secret.
    let command = ended.err.lines().find_map(|line| line.strip_prefix("as a plan: ")).expect("a command");
    assert!(command.ends_with("-H 'X-Api-Key:***' --save-plan hit.jmx"), "{command}");
    let saved = folder.swell(&[&args[..], &["--save-plan", "hit.jmx"]].concat()).exits(0);
    assert!(saved.err.contains("swell run hit.jmx --secret x-api-key=env:X_API_KEY"), "{saved}");
    assert!(!folder.read("hit.jmx").contains("s3cret"), "a secret is in the plan");
    assert_eq!(server.requests().len(), 3, "saving sends nothing");
    let run = ["run", "hit.jmx", "--secret", "x-api-key=env:X_API_KEY"];
    folder.call(&run).env("X_API_KEY", "s3cret").run().exits(0);
    let all: Vec<_> = server
        .requests()
        .iter()
        .map(|request| {
            let line = request.head.lines().next().unwrap_or_default().to_owned();
            let key = request.header("x-api-key").map(str::to_owned);
            (line, key, String::from_utf8_lossy(&request.body).into_owned())
        })
        .collect();
    assert_eq!(all.len(), 6);
    assert!(all.iter().all(|request| *request == all[0]), "{all:?}");
    assert_eq!((all[0].1.as_deref(), &*all[0].2), (Some("s3cret"), r#"{"a":"${b}\\"}"#));
}

#[test]
fn a_plan_of_a_rate_has_a_timer_of_jmeter_and_what_a_plan_cannot_hold_is_said() {
    let folder = Folder::new();
    let hit = |args: &[&str]| folder.swell(&[&["hit", "http://a.test/"], args].concat());
    hit(&["-r", "10", "-x", "127.0.0.1:9", "--save-plan", "a.jmx"])
        .exits(0)
        .says(&["swell run a.jmx -J http.proxyHost=127.0.0.1 -J http.proxyPort=9"]);
    assert!(folder.read("a.jmx").contains(r#"<intProp name="calcMode">3</intProp>"#));
    hit(&["--save-plan", "a.jmx"]).refused(&["`a.jmx` exists", "-f overwrites"]);
    hit(&["--save-plan", "a.jmx", "-f", "-u", "ada:secret", "-L"])
        .exits(0)
        .says(&["--secret password=env:PASSWORD"]);
    hit(&["--save-plan", "b.jmx", "--shape", "hold(5, 1s)"]).refused(&["holds no load profile"]);
    folder.swell(&["check", "a.jmx"]).exits(0);
}
