//! Functions that need the JVM, in texts that are evaluated when no user can wait: during a
//! request, when its page has arrived, and when a loop is left.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use parking_lot::Mutex;
use swell_plan::{Element, Node};
use swell_run::{ScriptMode, TrialSettings};

use crate::plans::{Ran, jvm, plan, run_with, sampler, sampler_that_says, script};

fn run(children: Vec<Node>) -> Ran {
    run_with(&plan(1, children), |settings: &mut TrialSettings| settings.scripts = ScriptMode::Auto)
}

/// A text whose script only the JVM runs; `n` counts how often it did.
fn on_jvm(value: &str) -> String {
    let count = "def n = (vars.get('n') ?: '0').toInteger(); vars.put('n'\\, '' + (n + 1))";
    format!("${{__groovy({count}; ['{value}'].collect {{ it }}.join())}}")
}

const PAGE: &str = "<html><img src=\"/a.gif\"><img src=\"/b.gif\"><img src=\"/c.png\"></html>";

/// A server that keeps the first lines of requests, with the way to stop it.
fn server() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let at = listener.local_addr().expect("it listens");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = seen.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            lines.find(String::is_empty);
            let (kind, body) = if first.contains("/page") { ("text/html", PAGE) } else { ("image/gif", "x") };
            let head = if first.contains("/moved") {
                "302 Found\r\nLocation: /page".to_owned()
            } else {
                format!("200 OK\r\nContent-Type: {kind}")
            };
            keep.lock().push(first);
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
            // A client that went away is the test's to see.
            let _ = (&stream).write_all(answer.as_bytes());
        }
    });
    (at, seen)
}

fn http(at: SocketAddr, path: &str) -> Element {
    Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "h")
        .with_text("HTTPSampler.domain", &at.ip().to_string())
        .with_text("HTTPSampler.port", &at.port().to_string())
        .with_text("HTTPSampler.path", path)
        .with_text("HTTPSampler.method", "GET")
}

fn requested(seen: &Mutex<Vec<String>>) -> Vec<String> {
    let mut seen: Vec<_> = seen.lock().clone();
    // Downloads at once come in any order.
    seen[1..].sort();
    seen.iter().map(|line| line.split(' ').nth(1).unwrap_or_default().to_owned()).collect()
}

#[test]
fn patterns_of_embedded_resources_call_functions_and_the_page_is_fetched_once() {
    let Some(_jvm) = jvm() else { return };
    for parallel in [false, true] {
        let (at, seen) = server();
        let page = http(at, "/page")
            .with_text("HTTPSampler.image_parser", &on_jvm("true"))
            .with_flag("HTTPSampler.concurrentDwn", parallel)
            .with_text("HTTPSampler.concurrentPool", &on_jvm("2"))
            .with_text("HTTPSampler.embedded_url_re", &on_jvm(".*gif"))
            .with_text("HTTPSampler.embedded_url_exclude_re", &on_jvm(".*b.gif"))
            .with_text("HTTPSampler.connect_timeout", &on_jvm("5000"));
        let ran = run(vec![Node::new(page), sampler_that_says("n", "${n}")]);
        assert_eq!(requested(&seen), ["/page", "/a.gif"], "{parallel} {}", ran.log);
        assert!(ran.samples[0].success, "{:?} {}", ran.samples[0], ran.log);
        assert_eq!(ran.samples[1].message, "5", "each is called once a sample");
        assert!(!ran.log.contains("no user waits"), "{}", ran.log);
    }
}

#[test]
fn a_function_says_that_redirects_are_followed_and_each_request_is_sent_once() {
    let Some(_jvm) = jvm() else { return };
    let (at, seen) = server();
    let moved = http(at, "/moved")
        .with_text("HTTPSampler.follow_redirects", &on_jvm("true"))
        .with_text("HTTPSampler.response_timeout", &on_jvm("5000"))
        .with_text("HTTPSampler.md5", &on_jvm("true"));
    let ran = run(vec![Node::new(moved)]);
    assert_eq!(requested(&seen), ["/moved", "/page"], "{}", ran.log);
    assert_eq!(ran.samples[0].body.len(), 32, "a digest instead of the body: {}", ran.log);
}

#[test]
fn the_condition_of_a_loop_that_is_left_is_evaluated_for_its_effect() {
    let Some(_jvm) = jvm() else { return };
    let condition = Element::new("WhileController", "WhileControllerGui", "w")
        .with_text("WhileController.condition", &on_jvm("true"));
    let leave = script(
        "JSR223PostProcessor",
        "ctx.setTestLogicalAction(org.apache.jmeter.threads.JMeterContext.TestLogicalAction.START_NEXT_ITERATION_OF_THREAD)",
    );
    let ran = run_with(
        &plan(2, vec![Node::new(condition).with(sampler_that_says("in", "${n}").with(Node::new(leave)))]),
        |settings: &mut TrialSettings| settings.scripts = ScriptMode::Auto,
    );
    let messages: Vec<_> = ran.samples.iter().map(|sample| sample.message.as_str()).collect();
    // JMeter 5.6.3: at the start of the loop, and when it is left.
    assert_eq!(messages, ["1", "3"], "{}", ran.log);
}

#[test]
fn the_index_of_a_loop_whose_name_a_function_makes_is_there() {
    let Some(_jvm) = jvm() else { return };
    let repeat = Element::new("LoopController", "LoopControlPanel", &on_jvm("l"))
        .with_flag("LoopController.continue_forever", true)
        .with_text("LoopController.loops", "3");
    let ran = run(vec![Node::new(repeat).with(sampler_that_says("s", "${__jm__l__idx}"))]);
    let messages: Vec<_> = ran.samples.iter().map(|sample| sample.message.as_str()).collect();
    assert_eq!(messages, ["0", "1", "2"], "{}", ran.log);
}

#[test]
fn a_function_says_how_many_branches_of_a_parallel_controller_run_at_once() {
    let Some(_jvm) = jvm() else { return };
    let parallel = Element::new("com.blazemeter.jmeter.controller.ParallelSampler", "", "p")
        .with_flag("LIMIT_MAX_THREAD_NUMBER", true)
        .with_text("MAX_THREAD_NUMBER", &on_jvm("1"));
    let ran =
        run(vec![Node::new(parallel).with(sampler("a")).with(sampler("b")), sampler_that_says("n", "${n}")]);
    let labels: Vec<_> = ran.samples.iter().map(|sample| sample.label.as_str()).collect();
    assert_eq!(labels, ["a", "b", "n"], "{}", ran.log);
    assert_eq!(ran.samples[2].message, "1", "{}", ran.log);
}
