//! The TCP Sampler with a socket of this process.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, Make, Needs, Registry, SampleResult, Sampler, SamplerInput, User};
use swell_expr::testing::{TestHost, context_of};
use swell_expr::{Compiler, Properties};
use swell_plan::{Element, Node};

/// A server that hands each connection to `serve`, and its port.
fn server(serve: impl Fn(usize, TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            serve(number, stream);
        }
    });
    port
}

struct Bench {
    compile: CompileContext,
    user: User,
}

impl Bench {
    fn new() -> Self {
        let compile = CompileContext {
            expr: Compiler::new(Arc::default()),
            props: Arc::new(Properties::default()),
            host: Arc::new(TestHost::default()),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        };
        let cx = context_of(compile.expr.names.clone(), Arc::default());
        Self { user: User::new(cx, swell_net::now_ns()), compile }
    }

    fn sampler(&self, port: u16, texts: &[(&str, &str)], needs: Needs) -> Rc<dyn Sampler> {
        let element = Element::new("TCPSampler", "TCPSamplerGui", "name")
            .with_text("TCPSampler.server", "127.0.0.1")
            .with_text("TCPSampler.port", &port.to_string())
            .with_text("TCPSampler.request", "ask\n");
        let with = |element: Element, (name, value): &(&str, &str)| {
            element.with_text(&format!("TCPSampler.{name}"), value)
        };
        let node = Node::new(texts.iter().fold(element, with));
        let input = SamplerInput { sampler: &node, configs: Vec::new(), needs };
        let kind =
            Registry::of(swell_samplers::kinds()).kind(&node.element).expect("the kind of TCP Samplers");
        let Make::Sampler(make) = &kind.make else { panic!("it is a sampler") };
        make(&input, &self.compile)
    }

    async fn take(&mut self, sampler: &Rc<dyn Sampler>) -> SampleResult {
        *sampler.sample(&mut self.user).await.expect("a sample")
    }
}

fn run(test: impl AsyncFnOnce(&mut Bench)) {
    let mut runtime = swell_net::Runtime::new().expect("a loop");
    runtime.block_on(async { test(&mut Bench::new()).await });
}

fn read_line(stream: &mut TcpStream) -> Option<()> {
    let mut byte = [0];
    loop {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        if byte[0] == b'\n' {
            return Some(());
        }
    }
}

#[test]
fn a_connection_is_kept_and_what_was_not_used_is_the_start_of_the_next_answer() {
    let port = server(|number, mut stream| {
        std::thread::spawn(move || {
            while read_line(&mut stream).is_some() {
                // Two answers in one piece of a length that ends where JMeter's reads end.
                let answer = format!("{number}{}\n{number}later\n", "x".repeat(4094));
                stream.write_all(answer.as_bytes()).expect("taken");
            }
        });
    });
    run(async |bench: &mut Bench| {
        let sampler = bench.sampler(port, &[("EolByte", "10")], Needs::ALL);
        let first = bench.take(&sampler).await;
        assert_eq!((&*first.code, first.success, first.bytes), ("200", true, 4096), "{first:?}");
        assert!(first.timing.connected_ns >= first.timing.start_ns);
        assert!(
            first.timing.first_byte_ns > first.timing.start_ns
                && first.timing.end_ns >= first.timing.first_byte_ns
        );
        let second = bench.take(&sampler).await;
        assert_eq!((second.body_text(), second.timing.connected_ns), ("0later\n".into(), 0));
        let alone = bench.sampler(port, &[("EolByte", "10"), ("reUseConnection", "false")], Needs::ALL);
        assert!(bench.take(&alone).await.body_text().starts_with('1'), "a separate connection");
    });
}

#[test]
fn silence_is_an_error_with_what_came_before_it() {
    let port = server(|_, mut stream| {
        stream.write_all(b"part").expect("taken");
        std::mem::forget(stream);
    });
    run(async |bench: &mut Bench| {
        let sampler = bench.sampler(port, &[("timeout", "50"), ("EolByte", "10")], Needs::ALL);
        let sample = bench.take(&sampler).await;
        let message =
            "org.apache.jmeter.protocol.tcp.sampler.ReadException: Error reading from server, bytes read: 4";
        assert_eq!((&*sample.code, &*sample.message, sample.success), ("500", message, false));
        assert_eq!(sample.body_text(), "part");
        assert!(sample.timing.elapsed_ns() >= 50_000_000);
    });
}

#[test]
fn an_interrupted_sample_ends_at_that_time() {
    let port = server(|_, stream| std::mem::forget(stream));
    run(async |bench: &mut Bench| {
        let sampler = bench.sampler(port, &[], Needs::ALL);
        let start_ns = swell_net::now_ns();
        bench.user.interrupt_at_ns = start_ns + 30_000_000;
        let sample = bench.take(&sampler).await;
        assert!(sample.timing.end_ns >= start_ns + 30_000_000);
        assert!(sample.message.ends_with("Error reading from server, bytes read: 0"), "{}", &*sample.message);
    });
}

#[test]
fn what_nobody_reads_is_counted() {
    let port = server(|_, mut stream| {
        read_line(&mut stream).expect("asked");
        stream.write_all(b"answer").expect("taken");
    });
    run(async |bench: &mut Bench| {
        let sampler = bench.sampler(port, &[], Needs::default());
        let sample = bench.take(&sampler).await;
        assert_eq!((sample.success, sample.bytes, sample.body.len()), (true, 6, 0), "{sample:?}");
        assert_eq!(sample.sampler_data, None);
    });
}

#[test]
fn a_client_of_the_users_own_is_refused() {
    let bench = Bench::new();
    bench.sampler(1, &[("classname", "com.example.Client")], Needs::ALL);
    let found = bench.compile.diagnostics.borrow();
    assert!(found[0].message.contains("`com.example.Client` is a custom class"), "{}", found[0].message);
}

#[test]
fn the_end_of_a_connection_is_no_late_read() {
    let port = server(|number, mut stream| {
        let _ = read_line(&mut stream);
        if number > 0 {
            stream.write_all(b"an answer").expect("it is read");
        }
    });
    run(async |bench| {
        let sampler = bench.sampler(port, &[("reUseConnection", "false")], Needs::default());
        let nothing = bench.take(&sampler).await;
        let answer = bench.take(&sampler).await;
        assert_eq!((nothing.bytes, nothing.timing.read_delay_ns()), (0, None), "{:?}", nothing.timing);
        assert!(answer.bytes > 0 && answer.timing.read_delay_ns().is_some(), "{:?}", answer.timing);
    });
}
