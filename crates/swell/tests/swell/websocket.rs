//! WebSockets as a user of the program sees them: a server that refuses, reports, results files,
//! agents, searches, and a server that breaks the protocol by chance.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use swell_connect::TlsServerConfig;
use swell_plan::{Element, Node};

use crate::support::{Folder, closed_port, nats_server, plan, site, tls_forwarder};
use crate::websocket_script::{read_frame, read_head, server, switching};

#[test]
fn a_refused_websocket_is_given_up_and_asked_ever_less_often() {
    let url = format!("ws://127.0.0.1:{}/ws", closed_port());
    let hit = ["hit", &url, "--send", "hi", "-c", "1", "-w", "1"];
    let args = [&hit[..], &["-d", "10m", "--give-up", "1s", "--json"]].concat();
    let ended = Folder::new().swell(&args).exits(98).says(&["Given up: no server was reached for "]);
    let json = ended.json();
    let samples = json["total"]["samples"].as_f64().expect("a number");
    // From the hundredth on, the pause after the n-th is n times 0.1 ms.
    let pauses_s = (samples * samples - 1e4) / 2.0 * 1e-4;
    assert!(pauses_s <= json["duration_s"].as_f64().expect("a number") + 0.1, "{ended}");
    assert_eq!(json["errors"][0]["kind"], "connection_refused", "{json}");
    let few = Folder::new().swell(&[&hit[..], &["-n", "1"]].concat()).exits(98);
    few.prints(&["nothing answered: connection refused (100 % of 1 sample)"]);
}

#[test]
fn a_host_without_an_address_is_named_before_the_test() {
    let args = ["hit", "ws://no-such-host.invalid/ws", "--send", "hi", "-n", "2", "-c", "1"];
    let ended = Folder::new().swell(&args).exits(98);
    ended.prints(&["nothing answered: name not found: no-such-host.invalid"]);
}

/// A plan whose users open a WebSocket of the test server and exchange messages.
fn plan_of(users: u32, messages: i32, port: u16) -> Folder {
    let sampler = |class: &str, name: &str| {
        Element::new(&format!("eu.luminis.jmeter.wssampler.{class}"), "", name)
            .with_text("server", "127.0.0.1")
            .with_text("port", &port.to_string())
            .with_text("path", "/ws?delay=2ms")
            .with_flag("createNewConnection", false)
            .with_text("requestData", "hello")
    };
    let repeated = Element::new("LoopController", "LoopControlPanel", "messages")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", &messages.to_string());
    let exchange = Node::new(sampler("RequestResponseWebSocketSampler", "echo"));
    let group = plan::group(users, 1)
        .with(Node::new(sampler("OpenWebSocketSampler", "open")))
        .with(Node::new(repeated).with(exchange));
    Folder::with_plan([group])
}

#[test]
fn reports_thresholds_and_results_have_these_samples_as_any_other() {
    let site = site();
    let folder = plan_of(3, 10, site.addr().port());
    let args = [
        "run",
        "plan.jmx",
        "-l",
        "out.jtl",
        "-e",
        "-o",
        "report",
        "--json",
        "--threshold",
        "label(\"echo\"): p(95)<2s",
        "--threshold",
        "label(\"echo\"): mean<1ms",
        "--junit",
        "junit.xml",
    ];
    let ended = folder.swell(&args).exits(99);
    let json = ended.json();
    let labels = json["labels"].as_array().expect("labels");
    let echo = labels.iter().find(|label| label["label"] == "echo").expect("a row");
    assert_eq!((&echo["samples"], &echo["errors"]), (&30.into(), &0.into()), "{json}");
    assert!(echo["p50_ms"].as_f64().is_some_and(|ms| ms >= 2.0), "the delay of the server: {json}");
    let jtl = folder.jtl("out.jtl");
    assert_eq!((jtl.count("label", "open"), jtl.count("label", "echo")), (3, 30));
    assert_eq!((jtl.count("responseCode", "101"), jtl.count("responseCode", "200")), (3, 30));
    assert_eq!(folder.read("junit.xml").matches("<failure").count(), 1, "{}", folder.read("junit.xml"));
    let page = folder.report("report/index.html");
    assert!(page.contains("echo") && page.contains("open"), "the report has the labels");
}

#[test]
fn agents_share_a_plan_of_websockets() {
    if nats_server().is_none() {
        return;
    }
    let site = site();
    let folder = plan_of(4, 5, site.addr().port());
    let args = ["run", "plan.jmx", "-l", "out.jtl", "--agents", "2", "-w", "1", "--json"];
    let json = folder.swell(&args).exits(0).json();
    assert_eq!((&json["total"]["samples"], &json["total"]["errors"]), (&24.into(), &0.into()), "{json}");
    let jtl = folder.jtl("out.jtl");
    let names: std::collections::BTreeSet<_> = jtl.column("threadName").into_iter().collect();
    assert_eq!((names.len(), jtl.count("label", "echo")), (4, 20), "each user once");
}

#[test]
fn a_search_loads_a_websocket() {
    let site = site();
    let url = format!("ws://{}/ws", site.addr());
    let search = |load: [&str; 2]| {
        let args = ["search", &url, "--send", "hi", load[0], load[1], "--slo", "errors<50%"];
        let short = ["--trial", "1s", "--warm-up", "100ms", "--json"];
        Folder::new().swell(&[&args[..], &short].concat()).exits(0).json()
    };
    for load in [["--users", "1..2"], ["--rate", "20..40"]] {
        let found = search(load);
        assert_eq!(found["stopped"], "bears_all", "{found}");
    }
    let other = ["search", "ws://93.184.216.34/", "--send", "hi", "--users", "1..2", "--slo", "errors<50%"];
    Folder::new().swell(&other).refused(&["93.184.216.34"]);
}

/// How many messages a chance server answered, rightly or not.
struct Chances {
    port: u16,
    asked: Arc<AtomicU64>,
}

/// A server that echoes, and breaks the protocol in one of many ways in one of a hundred answers.
fn chances(seed: u64) -> Chances {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let asked = Arc::new(AtomicU64::new(0));
    let counted = asked.clone();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let counted = counted.clone();
            let random = StdRng::seed_from_u64(seed ^ (number as u64) << 20);
            std::thread::spawn(move || {
                // An end at any point is what this server is for.
                let _ = converse(stream, random, &counted);
            });
        }
    });
    Chances { port, asked }
}

fn converse(mut stream: TcpStream, mut random: StdRng, asked: &AtomicU64) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let Some(head) = read_head(&mut stream) else { return Ok(()) };
    let answer = switching(&head, "");
    if random.random_ratio(1, 20) {
        stream.write_all(&answer.as_bytes()[..random.random_range(0..answer.len())])?;
        return Ok(());
    }
    stream.write_all(answer.as_bytes())?;
    let mut frame = [0; 8];
    loop {
        // Six bytes of head and mask, and `hi`.
        stream.read_exact(&mut frame)?;
        if frame[1] & 0x7f != 2 {
            return Ok(());
        }
        asked.fetch_add(1, Ordering::Relaxed);
        if !random.random_ratio(1, 100) {
            stream.write_all(b"\x81\x02hi")?;
            continue;
        }
        match random.random_range(0..12) {
            0 => return Ok(()),
            1 => stream.write_all(b"\x81\x05hi")?,
            2 => stream.write_all(b"\x83\x02hi")?,
            3 => stream.write_all(b"\xf1\x02hi")?,
            4 => stream.write_all(b"\x81\x82\x00\x00\x00\x00hi")?,
            5 => stream.write_all(b"\x80\x02hi")?,
            6 => stream.write_all(b"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff")?,
            7 => stream.write_all(b"\x88\x01x")?,
            8 => stream.write_all(b"\x82\x02\xff\xfe")?,
            9 => stream.write_all(b"\x01\x01h\x00\x00\x89\x00\x80\x01i")?,
            10 => {
                let mut noise = vec![0; random.random_range(1..200)];
                random.fill(&mut noise[..]);
                stream.write_all(&noise)?;
            }
            _ => {}
        }
    }
}

#[test]
fn a_server_that_breaks_websockets_by_chance_for_a_hundred_thousand_messages_is_survived() {
    const USERS: u32 = 50;
    const VISITS: i32 = 60;
    const PAIRS: i32 = 25;
    let server = chances(7);
    let sampler = |class: &str, name: &str| {
        Element::new(&format!("eu.luminis.jmeter.wssampler.{class}"), "", name)
            .with_text("server", "127.0.0.1")
            .with_text("port", &server.port.to_string())
            .with_flag("createNewConnection", false)
            .with_text("requestData", "hi")
            .with_text("readTimeout", "1000")
    };
    let repeated = Element::new("LoopController", "LoopControlPanel", "messages")
        .with_flag("LoopController.continue_forever", true)
        .with_text("LoopController.loops", &PAIRS.to_string());
    let frame = sampler("RequestResponseWebSocketSampler", "echo");
    let message = frame
        .clone()
        .with_text("swell.websocket.messages", "true")
        .with_text("swell.websocket.pings", "true");
    // A user whose connection failed opens another one.
    let group = plan::group_element(&USERS.to_string(), VISITS)
        .with_text("ThreadGroup.on_sample_error", "startnextloop");
    let group = Node::new(group)
        .with(Node::new(sampler("OpenWebSocketSampler", "open")))
        .with(Node::new(repeated).with(Node::new(frame)).with(Node::new(message)));
    let folder = Folder::with_plan([group]);
    let json = folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--json"]).exits(0).json();
    let jtl = folder.jtl("out.jtl");
    let opened = jtl.count("label", "open");
    let echoed = jtl.count("label", "echo") as u64;
    assert_eq!(opened as u64, u64::from(USERS) * VISITS as u64, "each visit has its row");
    assert_eq!(json["total"]["samples"].as_u64(), Some(opened as u64 + echoed), "{json}");
    let asked = server.asked.load(Ordering::Relaxed);
    assert!(asked >= 100_000, "{asked} {json}");
    let failed = jtl.count("success", "false");
    assert_eq!(json["total"]["errors"].as_u64(), Some(failed as u64), "{json}");
    // A message whose connection the server had ended is in no count of the server.
    assert!(asked <= echoed && echoed - asked <= failed as u64, "{asked} {echoed} {failed}");
    // One of a hundred answers is wrong, and most of those are noticed at once.
    assert!(failed > 500, "{failed}");
}

/// A server that sends a ping after each answer, and ends connections whose next frame is not its
/// pong. A thinking user is to answer it before the next message.
#[test]
fn pings_are_answered_while_a_user_waits_for_its_turn() {
    let port = server(|_, mut stream| {
        std::thread::spawn(move || {
            let Some(head) = read_head(&mut stream) else { return };
            let mut is_taken = stream.write_all(switching(&head, "").as_bytes()).is_ok();
            while is_taken && read_frame(&mut stream).is_some_and(|(first, _)| first == 0x81) {
                is_taken = stream.write_all(b"\x81\x02hi\x89\x01p").is_ok();
                is_taken &= read_frame(&mut stream).is_some_and(|frame| frame == (0x8a, b"p".to_vec()));
            }
        });
    });
    let url = format!("ws://127.0.0.1:{port}/");
    let args = ["hit", &url, "--send", "hi", "-n", "4", "-r", "2", "-c", "1", "-w", "1", "--json"];
    let json = Folder::new().swell(&args).exits(0).json();
    let total = &json["total"];
    assert_eq!((&total["samples"], &total["errors"]), (&5.into(), &0.into()), "one opens: {json}");
}

#[test]
fn a_server_that_requires_a_certificate_gets_it() {
    let site = site();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let key = made.signing_key.serialize_der();
    let config = TlsServerConfig::asking(made.cert.der().to_vec(), key, true).expect("they fit");
    let (port, seen) = tls_forwarder(config, site.addr());
    let client = rcgen::generate_simple_self_signed(vec!["client".to_owned()]).expect("a certificate");
    let folder = Folder::new();
    folder.write("both.pem", format!("{}{}", client.signing_key.serialize_pem(), client.cert.pem()));
    let url = format!("wss://localhost:{port}/ws");
    let args = ["hit", &url, "--send", "hi", "-n", "2", "-c", "1", "-w", "1", "--json", "--cert", "both.pem"];
    let json = folder.swell(&args).exits(0).json();
    assert_eq!((&json["total"]["samples"], &json["total"]["errors"]), (&3.into(), &0.into()), "{json}");
    assert_eq!(seen.recv().expect("a connection").as_deref(), Some(&client.cert.der()[..]));
}
