//! `swell record`: a client and a real browser through the proxy, and the plan of it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::browser::only_browser;
use crate::support::{Answer, Call, Folder, LIMIT, Request, Running, Server, jmeter};

/// A folder whose recorder has its certificate in it, too.
fn call(folder: &Folder, args: &[&str]) -> Call {
    let args: Vec<&str> = ["record"].iter().chain(args).copied().collect();
    folder.call(&args).env("XDG_DATA_HOME", folder.at("data"))
}

/// The address of the proxy, as the command says it.
fn proxy(running: &mut Running) -> SocketAddr {
    let line = running.wait_for_words("proxy for HTTP and HTTPS: http://");
    let address = line.trim().rsplit("http://").next().expect("an address").parse().expect("an address");
    running.wait_for_words("press Ctrl-C to end");
    address
}

/// A request through the proxy; the whole answer.
fn ask(proxy: SocketAddr, url: &str, more: &str) -> String {
    let mut stream = TcpStream::connect(proxy).expect("the proxy listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a limit");
    let head = format!("GET {url} HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n{more}\r\n");
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn requests_of_any_client_become_a_plan_with_transactions_that_were_typed() {
    let server = Server::start(|request| Answer::ok(&format!("<title>x</title>{}", request.path())));
    let at = server.addr;
    let folder = Folder::new();
    let mut running = call(&folder, &["--proxy", "127.0.0.1:0", "-o", "shop.jmx"]).start();
    let proxy = proxy(&mut running);
    running.type_line("Look around");
    running.wait_for_words("transaction `Look around`: begins with the next request");
    assert!(ask(proxy, &format!("http://{at}/a?x=1"), "").ends_with("</title>/a?x=1"));
    ask(proxy, &format!("http://{at}/b"), "");
    running.type_line("Buy");
    running.wait_for_words("transaction `Buy`");
    ask(proxy, &format!("http://{at}/c"), "X-Own: yes\r\n");
    running.signal("INT");
    let ended = running.wait().exits(0);
    let plan = folder.read("shop.jmx");
    for wanted in ["Look around", "Buy", "X-Own", "/a"] {
        assert!(plan.contains(wanted), "{wanted}: {plan}");
    }
    ended.prints(&[
        "3 exchanges: 3 samplers in 2 transactions; 0 values",
        "wrote shop.jmx",
        "--proxy 127.0.0.1:0 -o shop.jmx --again",
    ]);
    let mode = fs::metadata(folder.at("shop.har")).expect("the recording").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let paths =
        |requests: Vec<Request>| requests.iter().map(|request| request.path().to_owned()).collect::<Vec<_>>();
    let recorded = paths(server.requests());
    assert_eq!(recorded, ["/a?x=1", "/b", "/c"]);
    folder.swell(&["run", "shop.jmx"]).exits(0);
    assert_eq!(paths(server.requests())[3..], recorded);
}

#[test]
fn nothing_is_overwritten_and_nothing_is_open_to_others_unless_asked() {
    let folder = Folder::new();
    folder.write("shop.jmx", "mine");
    call(&folder, &["--proxy", "127.0.0.1:0", "-o", "shop.jmx"]).run().refused(&[
        "shop.jmx exists",
        "-f",
        "--again",
    ]);
    folder.write("other.har", "mine");
    call(&folder, &["--proxy", "127.0.0.1:0", "-o", "other.jmx"]).run().refused(&["other.har exists"]);
    call(&folder, &["--proxy", "127.0.0.1:0", "-o", "new.jmx", "--again"])
        .run()
        .refused(&["new.har is missing: --again needs the first recording", "record without --again first"]);
    call(&folder, &["--proxy", "0.0.0.0:0", "-o", "new.jmx"])
        .run()
        .refused(&["other machines", "--allow-remote"]);
    call(&folder, &["http://127.0.0.1/", "-o", "new.jmx", "--browser", "/nowhere/chromium"])
        .run()
        .refused(&["cannot start /nowhere/chromium", "--proxy"]);
    for (args, wanted) in [
        (&["-o", "new.jmx"][..], "<URL>"),
        (&["http://a/"], "--output"),
        (&["a", "-o", "new.jmx"], "https://shop.test/"),
        (&["http://a/", "-o", "new.jmx", "--host", "https://a"], "invalid host pattern"),
        (&["http://a/", "-o", "new.jmx", "--pause", "2..1s"], "invalid think time"),
    ] {
        call(&folder, args).run().exits(104).says(&[wanted]);
    }
    assert_eq!((folder.read("shop.jmx"), folder.read("other.har")), ("mine".to_owned(), "mine".to_owned()));
    assert!(!folder.has("new.jmx"));
}

#[test]
fn servers_are_reached_through_a_proxy() {
    let upstream = Server::start(|request| {
        let line = request.head.lines().next().unwrap_or_default();
        Answer::ok(&format!("{line}, {}", request.header("Proxy-Authorization").unwrap_or("nobody")))
    });
    let at = upstream.addr;
    for (variables, option, wanted) in [
        (&[("HTTP_PROXY", format!("http://{at}"))][..], None, "nobody"),
        (&[("ALL_PROXY", "socks5://p:1".to_owned())], Some(format!("http://u:p@{at}")), "Basic dTpw"),
    ] {
        let folder = Folder::new();
        let mut args = vec!["--proxy", "127.0.0.1:0", "-o", "shop.jmx"];
        args.extend(option.iter().flat_map(|option| ["--upstream", option]));
        let mut call = call(&folder, &args).env("NO_PROXY", "");
        for (name, value) in variables {
            call = call.env(name, value);
        }
        let mut running = call.start();
        let proxy = proxy(&mut running);
        let said = ask(proxy, "http://shop.test/a?b", "");
        assert!(said.ends_with(&format!("GET http://shop.test/a?b HTTP/1.1, {wanted}")), "{said}");
        running.signal("INT");
        let ended = running.wait().exits(0);
        if option.is_some() {
            ended.prints(&[&format!("-o shop.jmx --upstream http://{at} --again")]);
        }
        for file in ["shop.jmx", "shop.har"] {
            let text = folder.read(file);
            assert!(text.contains("shop.test") && !text.contains("Proxy-Auth"), "{file}: {text}");
        }
    }
    let folder = Folder::new();
    let refused = |args: &[&str], variables: [&str; 2], wanted: &[&str]| {
        let args = [&["--proxy", "127.0.0.1:8888", "-o", "new.jmx"], args].concat();
        call(&folder, &args).env("NO_PROXY", "").env(variables[0], variables[1]).run().refused(wanted);
    };
    let socks = ["ALL_PROXY", "socks5://u:secret@p:1"];
    refused(&[], socks, &["cannot use the proxy in `ALL_PROXY`", "--upstream"]);
    refused(&["--upstream", "socks5://u:secret@p:1"], socks, &["socks5:// proxies are not supported"]);
    let own = ["HTTPS_PROXY", "http://127.0.0.1:8888"];
    refused(&[], own, &["would be the recorder itself, at 127.0.0.1:8888", "unset HTTP_PROXY"]);
}

#[test]
fn browser_that_dies_ends_the_recording() {
    let folder = Folder::new();
    folder.write("dies.sh", "#!/bin/sh\necho 'no display' >&2\nexit 3\n");
    fs::set_permissions(folder.at("dies.sh"), fs::Permissions::from_mode(0o755)).expect("a mode");
    call(&folder, &["http://127.0.0.1/", "-o", "new.jmx", "--browser", "./dies.sh"])
        .run()
        .exits(113)
        .says(&["nothing was recorded: the browser ended with status 3: no display"]);
    assert!(!folder.has("new.jmx"));
}

#[test]
fn certificate_is_private_stays_and_is_renewed_on_request() {
    let folder = Folder::new();
    let certificate = || folder.read("data/swell/record/ca.pem");
    let first = call(&folder, &["ca"]).run().exits(0);
    first.prints(&["Swell recorder on ", "data/swell/record/ca.pem", "--cacert", "keytool", "trust store"]);
    let before = certificate();
    call(&folder, &["ca"]).run().exits(0);
    assert_eq!(certificate(), before);
    call(&folder, &["ca", "--renew"]).run().exits(0);
    assert_ne!(certificate(), before);
    let mode = |name: &str| {
        let facts = fs::metadata(folder.at(&format!("data/swell/record/{name}")));
        facts.expect("a file").permissions().mode() & 0o777
    };
    assert_eq!([mode("ca-key.pem"), mode("ca.pem"), mode("")], [0o600, 0o600, 0o700]);
}

/// The applications and what plays their user.
fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/record")
}

/// What is missing for a recording of a browser.
fn missing() -> Option<&'static str> {
    let runs = |program: &str| {
        let mut call = Command::new(program);
        let status = call.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    match () {
        () if !runs("node") => Some("Node is not installed"),
        () if !runs(&chromium) => Some("Chromium is not installed (or CHROMIUM names another place)"),
        () => None,
    }
}

/// An application of `bench/record`, over TLS.
struct App {
    child: Child,
    url: String,
}

impl App {
    fn start(name: &str, folder: &Folder) -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).expect("a certificate");
        folder.write("cert.pem", made.cert.pem());
        folder.write("key.pem", made.signing_key.serialize_pem());
        let mut child = Command::new("node")
            .arg(bench().join("serve.mjs"))
            .arg(name)
            .env("TLS_KEY", folder.at("key.pem"))
            .env("TLS_CERT", folder.at("cert.pem"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("node starts");
        let mut url = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut url).expect("it says where it listens");
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn shop_that_a_browser_used_twice_is_replayed_without_an_error() {
    if let Some(what) = missing() {
        return println!("skipped: {what}");
    }
    let only = only_browser();
    let folder = Folder::new();
    let shop = App::start("shop", &folder);
    let browser = bench().join("drive.mjs");
    let browser = browser.to_str().expect("a path of text");
    let args = [
        &*shop.url,
        "-o",
        "shop.jmx",
        "--browser",
        browser,
        "--headless",
        "--cacert",
        "cert.pem",
        "--pause",
        "none",
    ];
    let record = |more: &[&str]| {
        let args: Vec<&str> = args.iter().chain(more).copied().collect();
        call(&folder, &args).env("RECORD_APP", "shop").run().exits(0)
    };
    let first = record(&[]);
    assert!(!first.err.contains("warning"), "{}", first.err);
    let again = record(&["--again"]);
    drop(only);
    assert!(!again.err.contains("warning"), "{}", again.err);
    again.prints(&[
        "5 samplers in 2 transactions; 4 values taken from responses",
        "wrote shop.jmx; raw recording: shop.har and shop.again.har",
    ]);
    assert!(folder.has("shop.jmx.old"));
    folder.swell(&["check", "shop.jmx"]).exits(0);
    folder.swell(&["run", "shop.jmx", "-Jusers=5", "-Jloops=10", "-l", "swell.jtl"]).exits(0);
    let all = folder.jtl("swell.jtl");
    assert_eq!((all.count("success", "false"), all.count("label", "POST /api/orders")), (0, 50));
    let Some(home) = jmeter() else { return };
    let mut run = Command::new("java");
    run.arg("-Xmx256m").arg("-jar").arg(home.join("bin/ApacheJMeter.jar")).current_dir(folder.path());
    run.args(["-n", "-t", "shop.jmx", "-l", "jmeter.jtl", "-Jusers=5", "-Jloops=2"]);
    let ended = run.output().expect("JMeter starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    let all = folder.jtl("jmeter.jtl");
    assert_eq!((all.count("success", "false"), all.count("label", "POST /api/orders")), (0, 10));
}
