//! Proxies and host tables, compared with JMeter 5.6.3.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::Needs;

use crate::site::{Answer, Site, Then, Visitor, answer, ok, on_loop, redirect, shown};
use swell_plan::{Element, Property, PropertyValue};

fn through(site: &Site, path: &'static str) -> impl Fn(Element) -> Element {
    let port = site.port.to_string();
    move |element| {
        element
            .with_text("HTTPSampler.domain", "Site.Test")
            .with_text("HTTPSampler.port", "")
            .with_text("HTTPSampler.path", path)
            .with_text("HTTPSampler.proxyHost", "127.0.0.1")
            .with_text("HTTPSampler.proxyPort", &port)
    }
}

#[test]
fn a_proxy_is_given_the_whole_url() {
    on_loop(async {
        let site = Site::start(|target, _| -> Answer {
            if target.ends_with("/r") { redirect(302, "/y") } else { ok("") }
        });
        let mut visitor = Visitor::new(&site);
        for (path, line) in [("//a//b?c d", "http://site.test//a//b?c%20d"), ("", "http://site.test/")] {
            visitor.get_with(path, through(&site, path)).await;
            let wanted = format!(
                "GET {line} HTTP/1.1\r\nConnection: keep-alive\r\nHost: Site.Test\r\nProxy-Connection: Keep-Alive\r\n\
                 User-Agent: Apache-HttpClient/4.5.14 (Java/17.0.15)\r\n\r\n"
            );
            assert_eq!(site.last(), wanted);
        }
        for redirects in ["HTTPSampler.follow_redirects", "HTTPSampler.auto_redirects"] {
            let edit = |e| through(&site, "/r")(e).with_flag(redirects, true);
            assert_eq!(&*visitor.get_with("/r", edit).await.expect("a sample").code, "200");
            assert!(site.last().starts_with("GET http://site.test/y HTTP/1.1\r\n"), "{}", site.last());
        }
        visitor.get_with("/", |e| e.with_text("HTTPSampler.proxyHost", "h")).await;
        assert!(site.last().starts_with("GET / HTTP/1.1\r\n"), "a proxy without a port is none");
        assert_eq!(site.targets().last().map(|(n, _)| *n), Some(2), "a separate connection");
    });
}

#[test]
fn a_tunnel_leads_to_https() {
    on_loop(async {
        let refusing = Site::start(|_, _| answer("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", Then::Keep));
        let edit = |e| through(&refusing, "/")(e).with_text("HTTPSampler.protocol", "https");
        let sample = Visitor::new(&refusing).get_with("/", edit).await.expect("a sample");
        let wanted = "org.apache.http.impl.execchain.TunnelRefusedException";
        assert_eq!(shown(&sample), (wanted.into(), "CONNECT refused by proxy: HTTP/1.1 403".into()));
        let request = "CONNECT site.test:443 HTTP/1.1\r\nHost: site.test\r\n\
            User-Agent: Apache-HttpClient/4.5.14 (Java/17.0.15)\r\n\r\n";
        assert_eq!(refusing.last(), request);
    });
}

#[test]
fn a_tunnel_is_asked_for_again_with_a_name() {
    on_loop(async {
        let asking = Site::start(|_, connection| {
            let wants =
                "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 3\r\n\r\nwho";
            answer(
                if connection == 1 { wants } else { "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n" },
                Then::Keep,
            )
        });
        let mut visitor = Visitor::new(&asking);
        let edit = |e| {
            let e = through(&asking, "/")(e).with_text("HTTPSampler.protocol", "https");
            e.with_text("HTTPSampler.proxyUser", "me").with_text("HTTPSampler.proxyPass", "secret")
        };
        let said = "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n";
        for (connection, answers) in [(2, true), (3, true)] {
            let sample = visitor.get_with("/", edit).await.expect("a sample");
            assert_eq!(shown(&sample).1, "CONNECT refused by proxy: HTTP/1.1 403");
            let seen = asking.seen.borrow();
            let (last, request) = seen.last().expect("a request");
            assert_eq!((*last, request.contains(said)), (connection, answers), "{request}");
        }
        assert!(!asking.seen.borrow()[0].1.contains(said));
    });
}

#[test]
fn a_table_of_hosts_comes_first() {
    let manager = |name: &str, address: &str| {
        let host = Element::new("StaticHost", "", "")
            .with_text("StaticHost.Name", name)
            .with_text("StaticHost.Address", address);
        Element::new("DNSCacheManager", "DNSCachePanel", "dns").with_elements("DNSCacheManager.hosts", [host])
    };
    let closed = ("org.apache.http.ConnectionClosedException", "Connection is closed");
    let table = [
        ("one.test", "127.0.0.1", ("200", "OK")),
        ("one.test", "localhost", ("200", "OK")),
        ("one.test", "127.0.0.99 ,127.0.0.1", ("200", "OK")),
        ("ONE.test", "127.0.0.1", closed),
    ];
    for (name, address, (code, message)) in table {
        on_loop(async move {
            let site = Site::start(|_, _| ok(""));
            let mut visitor = Visitor::with(&site, &[], vec![manager(name, address)], Needs::ALL);
            let edit = |e: Element| e.with_text("HTTPSampler.domain", "one.test");
            let sample = visitor.get_with("/", edit).await.expect("a sample");
            let got = if code == "200" { (sample.code.to_string(), "OK".into()) } else { shown(&sample) };
            assert_eq!(got, (code.to_owned(), message.to_owned()), "{name} {address}");
            if code == "200" {
                let host = format!("Host: one.test:{}\r\n", site.port);
                assert!(site.last().contains(&host), "{}", site.last());
                let refused = |e: Element| edit(e).with_text("HTTPSampler.port", "1");
                let message = visitor.get_with("/", refused).await.expect("a sample").message;
                assert!(message.contains("Connect to one.test:1 ["), "{message}");
            }
        });
    }
}

/// A name server on a separate thread; its queries. Names that start with `no` do not exist, others
/// are here.
fn name_server() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let at = socket.local_addr().expect("it is bound");
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let heard = asked.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            let name = String::from_utf8_lossy(&buffer[13..length - 5]).into_owned();
            let known = !name.starts_with("no");
            heard.lock().push(name);
            let mut reply = buffer[..length].to_vec();
            (reply[2], reply[3], reply[7]) = (0x81, if known { 0x80 } else { 0x83 }, u8::from(known));
            if known {
                reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
            }
            socket.send_to(&reply, from).expect("loopback");
        }
    });
    (at, asked)
}

#[test]
fn servers_of_the_plan_are_asked_once_a_user_or_once_an_iteration() {
    for (clear, lookups) in [(false, 1), (true, 2)] {
        let (server, asked) = name_server();
        let servers = vec![Property::new("0", PropertyValue::Text(server.to_string()))];
        let manager = Element::new("DNSCacheManager", "DNSCachePanel", "dns")
            .with("DNSCacheManager.servers", PropertyValue::Collection(servers))
            .with_flag("DNSCacheManager.isCustomResolver", true)
            .with_flag("DNSCacheManager.clearEachIteration", clear);
        on_loop(async move {
            let site = Site::start(|_, _| ok(""));
            let mut visitor = Visitor::with(&site, &[], vec![manager], Needs::ALL);
            let closing = |e: Element| {
                e.with_text("HTTPSampler.domain", "one.").with_flag("HTTPSampler.use_keepalive", false)
            };
            for _ in 0..3 {
                assert_eq!(&*visitor.get_with("/", closing).await.expect("a sample").code, "200");
            }
            visitor.user.start_iteration(true);
            assert_eq!(&*visitor.get_with("/", closing).await.expect("a sample").code, "200");
            assert_eq!(site.targets().len(), 4);
            assert_eq!(asked.lock().len(), lookups, "cleared: {clear}");
            let lost = |e: Element| closing(e).with_text("HTTPSampler.domain", "no.one.");
            for _ in 0..2 {
                let sample = visitor.get_with("/", lost).await.expect("a sample");
                let wanted = ("java.net.UnknownHostException", "Failed to resolve host name: no.one.");
                assert_eq!(shown(&sample), (wanted.0.into(), wanted.1.into()));
            }
            let refused = |e: Element| closing(e).with_text("HTTPSampler.port", "1");
            let message = visitor.get_with("/", refused).await.expect("a sample").message;
            assert!(message.contains("Connect to one.:1 [one./127.0.0.1] failed"), "{message}");
            assert_eq!(asked.lock().len(), lookups + 2, "errors are not cached");
        });
    }
}
