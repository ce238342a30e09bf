//! The HTTP sampler and the Async Controller of bzm's plug-in, on a real target.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use swell_api::{ElementKind, Listener, Make, Needs, Role, SampleEvent};
use swell_plan::{Element, Node, Plan};
use swell_run::{Trial, TrialReport, TrialSettings};
use swell_target::{Options, Target};

use crate::plans::settings;

const SAMPLER: &str = "com.blazemeter.jmeter.http2.sampler.HTTP2Sampler";
const CONTROLLER: &str = "com.blazemeter.jmeter.http2.control.HTTP2Controller";
const PARENT: &str = "blazemeter.http.controller.generateParentSample";
const PRIOR: (&str, &str) = ("HTTP2Sampler.http2PriorKnowledge", "true");

/// A sample, as a listener got it.
#[derive(Clone, Debug)]
struct Heard {
    label: String,
    code: String,
    message: String,
    thread: String,
    /// First line of the response's head.
    status_line: String,
    request: String,
    start_ns: i64,
    end_ns: i64,
    subs: Vec<String>,
}

struct Hearing(Arc<Mutex<Vec<Heard>>>);

impl Listener for Hearing {
    fn needs(&self) -> Needs {
        Needs::ALL
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        let sample = event.sample;
        self.0.lock().expect("no test panics with it").push(Heard {
            label: sample.label.to_string(),
            code: sample.code.to_string(),
            message: sample.message.to_string(),
            thread: sample.thread_name.to_string(),
            status_line: sample.response_headers.lines().next().unwrap_or_default().to_owned(),
            request: sample.request_headers.clone(),
            start_ns: sample.timing.start_ns,
            end_ns: sample.timing.end_ns,
            subs: sample.sub_results.iter().map(|sub| sub.label.to_string()).collect(),
        });
    }
}

fn target() -> Target {
    let tls_bind = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    swell_target::start(Options { tls_bind, ..Options::default() }).expect("a free port")
}

fn sampler(name: &str, at: SocketAddr, path: &str, more: &[(&str, &str)]) -> Node {
    let element = Element::new(SAMPLER, "", name)
        .with_text("HTTPSampler.domain", &at.ip().to_string())
        .with_text("HTTPSampler.port", &at.port().to_string())
        .with_text("HTTPSampler.path", path)
        .with_text("HTTPSampler.method", "GET");
    Node::new(more.iter().fold(element, |element, (name, value)| element.with_text(name, value)))
}

fn controller(more: &[(&str, &str)], below: impl IntoIterator<Item = Node>) -> Node {
    let element = Element::new(CONTROLLER, "", "async");
    let node = Node::new(more.iter().fold(element, |element, (name, value)| element.with_text(name, value)));
    below.into_iter().fold(node, Node::with)
}

fn timer(ms: u32) -> Node {
    Node::new(Element::new("ConstantTimer", "", "pause").with_text("ConstantTimer.delay", &ms.to_string()))
}

/// A plan of one user that takes `loops` iterations.
fn plan(loops: i32, below: impl IntoIterator<Item = Node>) -> Plan {
    let main = Element::new("LoopController", "", "loop")
        .with_flag("LoopController.continue_forever", false)
        .with_int("LoopController.loops", loops);
    let group = Element::new("ThreadGroup", "", "users")
        .with_text("ThreadGroup.num_threads", "1")
        .with_element("ThreadGroup.main_controller", main);
    let group = below.into_iter().fold(Node::new(group), Node::with);
    let group = group.with(Node::new(Element::new("com.example.Hearing", "", "hears")));
    Plan::new(Node::new(Element::new("TestPlan", "", "plan")).with(group))
}

fn run(plan: &Plan) -> (Vec<Heard>, TrialReport) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = heard.clone();
    let make = Make::listener(move |_, _| Some(Rc::new(Hearing(kept.clone())) as Rc<dyn Listener>));
    let listener = ElementKind::native(Role::Listener, "com.example.Hearing", "Hearing", make);
    let settings = TrialSettings { elements: vec![listener], ..settings() };
    let trial = Trial::prepare(plan, settings).expect("the plan can run");
    let report = trial.start().expect("threads").wait();
    let heard = heard.lock().expect("no test panics with it").clone();
    (heard, report)
}

/// Connections for HTTP/2, those that became HTTP/1.1, and the most streams on one.
fn sessions(report: &TrialReport) -> (u64, u64, u32) {
    let sessions = report.outcome.as_ref().expect("the engine ended").sessions;
    (sessions.opened, sessions.refused, sessions.streams_peak)
}

#[test]
fn a_sampler_uses_the_protocols_of_its_profile() {
    let target = target();
    let (plain, secure) = (target.addr(), target.tls_addr().expect("asked for"));
    let https = ("HTTPSampler.protocol", "https");
    let no_http1 = ("HTTP2Sampler.enableHttp1", "false");
    for (at, settings, line) in [
        (plain, &[][..], "HTTP/1.1 200 OK"),
        (plain, &[PRIOR], "HTTP/2.0 200 OK"),
        (plain, &[no_http1], "HTTP/2.0 200 OK"),
        (secure, &[https], "HTTP/2.0 200 OK"),
        (secure, &[https, no_http1], "HTTP/2.0 200 OK"),
        (secure, &[https, ("HTTP2Sampler.profile", "legacy")], "HTTP/1.1 200 OK"),
        (secure, &[https, ("swell.http.version", "1.1")], "HTTP/1.1 200 OK"),
    ] {
        let (heard, report) = run(&plan(2, [sampler("page", at, "/bytes/3", settings)]));
        assert_eq!(heard.len(), 2, "{settings:?}");
        let uses_http2 = line.starts_with("HTTP/2");
        for sample in &heard {
            assert_eq!((&*sample.label, &*sample.code, &*sample.status_line), ("page", "200", line));
            assert!(!sample.request.to_lowercase().contains("user-agent"), "{}", sample.request);
        }
        assert_eq!(sessions(&report), (u64::from(uses_http2), 0, u32::from(uses_http2)), "{settings:?}");
    }
}

#[test]
fn samplers_of_an_async_controller_are_streams_on_the_connection_of_their_user() {
    let target = target();
    let at = target.addr();
    let page = |name: &str, path: &str| sampler(name, at, path, &[PRIOR]);
    let samplers =
        [page("slow", "/delay/200ms"), timer(1), page("fast", "/delay/1ms"), page("mid", "/delay/90ms")];
    let after = page("after", "/delay/1ms");
    let (heard, report) = run(&plan(2, [page("first", "/"), controller(&[], samplers), after]));
    let labels: Vec<_> = heard.iter().map(|sample| &*sample.label).collect();
    let round = ["first", "fast", "mid", "slow", "after"];
    assert_eq!(labels, [round, round].concat(), "as they finish");
    let [_, fast, mid, slow, after] = &heard[..5] else { unreachable!() };
    assert!(slow.start_ns < fast.end_ns && mid.start_ns < fast.end_ns, "{heard:?}");
    assert!(after.start_ns >= slow.end_ns, "the next sampler waits for all");
    assert!(heard.iter().all(|sample| sample.thread == "users 1-1"), "{heard:?}");
    assert_eq!(sessions(&report), (1, 0, 3));
}

#[test]
fn another_element_waits_for_the_samplers_before_it() {
    let target = target();
    let at = target.addr();
    let page = |name: &str, path: &str| sampler(name, at, path, &[PRIOR]);
    let simple = Node::new(Element::new("GenericController", "", "simple")).with(page("between", "/"));
    let below = [page("a", "/delay/60ms"), page("b", "/delay/1ms"), simple, page("c", "/")];
    let (heard, report) = run(&plan(1, [controller(&[], below)]));
    let labels: Vec<_> = heard.iter().map(|sample| &*sample.label).collect();
    assert_eq!(labels, ["b", "a", "between", "c"]);
    assert!(heard[2].start_ns >= heard[1].end_ns, "{heard:?}");
    assert_eq!(sessions(&report), (1, 0, 2));
}

#[test]
fn a_limit_lets_samplers_wait_for_others() {
    let target = target();
    let page = |name: &str| sampler(name, target.addr(), "/delay/5ms", &[PRIOR]);
    let limit = [
        ("blazemeter.http.controller.limitMaxParallel", "true"),
        ("blazemeter.http.controller.maxConcurrentAsyncInController", "2"),
    ];
    let (heard, report) = run(&plan(1, [controller(&limit, ["a", "b", "c", "d"].map(page))]));
    assert_eq!((heard.len(), sessions(&report).2), (4, 2));
}

#[test]
fn a_parent_sample_contains_the_samples() {
    let target = target();
    let at = target.addr();
    let samplers = [
        sampler("a", at, "/delay/30ms", &[PRIOR]),
        sampler("b", at, "/status/503", &[PRIOR]),
        sampler("c", at, "/", &[PRIOR]),
    ];
    let (heard, _) = run(&plan(1, [controller(&[(PARENT, "true")], samplers)]));
    let [whole] = &heard[..] else { panic!("{heard:?}") };
    assert_eq!(whole.label, "async");
    assert_eq!(whole.message, "Number of samples in transaction : 3, number of failing samples : 1");
    assert_eq!(whole.subs.len(), 3, "{whole:?}");
    assert!(whole.end_ns - whole.start_ns >= 30_000_000, "{whole:?}");
}

#[test]
fn what_is_not_native_is_refused_by_name() {
    let target = target();
    let at = target.addr();
    let upgrade = [("HTTP2Sampler.profile", "browser-like"), ("HTTP2Sampler.http1_upgrade", "true")];
    let pause = Node::new(Element::new("GenericController", "", "x"));
    let plain = || sampler("a", at, "/", &[]);
    for (node, why) in [
        (sampler("a", at, "/", &upgrade), "an upgrade from HTTP/1.1"),
        (sampler("a", at, "/", &[("HTTP2Sampler.embedded", "x")]), "`HTTP2Sampler.embedded`"),
        (controller(&[("http2AsyncController.order", "x")], [plain()]), "`http2AsyncController.order`"),
        (controller(&[(PARENT, "true")], [plain(), pause, plain()]), "the sample of an Async Controller"),
    ] {
        let refused = Trial::prepare(&plan(1, [node]), settings()).err().map(|error| format!("{error:?}"));
        assert!(refused.as_ref().is_some_and(|text| text.contains(why)), "{why}: {refused:?}");
    }
}
