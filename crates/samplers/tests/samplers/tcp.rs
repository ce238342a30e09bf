//! The TCP Sampler with a socket of this process.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::rc::Rc;

use swell_api::{Needs, Sampler};
use swell_plan::Element;

use crate::bench::{Bench, run, server};

/// A sampler of a plan with these texts.
fn tcp_sampler(bench: &Bench, port: u16, texts: &[(&str, &str)], needs: Needs) -> Rc<dyn Sampler> {
    let element = Element::new("TCPSampler", "TCPSamplerGui", "name")
        .with_text("TCPSampler.server", "127.0.0.1")
        .with_text("TCPSampler.port", &port.to_string())
        .with_text("TCPSampler.request", "ask\n");
    let with = |element: Element, (name, value): &(&str, &str)| {
        element.with_text(&format!("TCPSampler.{name}"), value)
    };
    bench.sampler(texts.iter().fold(element, with), Vec::new(), needs)
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
        let sampler = tcp_sampler(bench, port, &[("EolByte", "10")], Needs::ALL);
        let first = bench.take(&sampler).await;
        assert_eq!((&*first.code, first.success, first.bytes), ("200", true, 4096), "{first:?}");
        assert!(first.timing.connected_ns >= first.timing.start_ns);
        assert!(
            first.timing.first_byte_ns > first.timing.start_ns
                && first.timing.end_ns >= first.timing.first_byte_ns
        );
        let second = bench.take(&sampler).await;
        assert_eq!((second.body_text(), second.timing.connected_ns), ("0later\n".into(), 0));
        let alone = tcp_sampler(bench, port, &[("EolByte", "10"), ("reUseConnection", "false")], Needs::ALL);
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
        let sampler = tcp_sampler(bench, port, &[("timeout", "50"), ("EolByte", "10")], Needs::ALL);
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
        let sampler = tcp_sampler(bench, port, &[], Needs::ALL);
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
        let sampler = tcp_sampler(bench, port, &[], Needs::default());
        let sample = bench.take(&sampler).await;
        assert_eq!((sample.success, sample.bytes, sample.body.len()), (true, 6, 0), "{sample:?}");
        assert_eq!(sample.sampler_data, None);
    });
}

#[test]
fn a_client_of_the_users_own_is_refused() {
    let bench = &Bench::new();
    tcp_sampler(bench, 1, &[("classname", "com.example.Client")], Needs::ALL);
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
        let sampler = tcp_sampler(bench, port, &[("reUseConnection", "false")], Needs::default());
        let nothing = bench.take(&sampler).await;
        let answer = bench.take(&sampler).await;
        assert_eq!((nothing.bytes, nothing.timing.read_delay_ns()), (0, None), "{:?}", nothing.timing);
        assert!(answer.bytes > 0 && answer.timing.read_delay_ns().is_some(), "{:?}", answer.timing);
    });
}
