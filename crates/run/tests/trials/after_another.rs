//! Trials one after the other: none inherits state.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use swell_net::TimestampSource;
use swell_plan::{Element, Node, Property, PropertyValue};
use swell_run::{PrepareError, Trial, TrialSettings};
use swell_stats::verdict::{Criterion, Grade};

use crate::plans::{any_address, closed_port, counts, plan, run, settings, start, target};

#[test]
fn a_trial_after_another_has_counts_and_verdict_of_its_own() {
    let site = target();
    let closed = closed_port();
    let refused = run(&plan(closed.address, "/", 3, 20));
    let answered = run(&plan(site.addr(), "/bytes/100", 3, 20));
    assert_eq!((counts(&refused), counts(&answered)), ((60, 60), (60, 0)));
    assert!(refused.verdict.is_some_and(|verdict| verdict.grade == Grade::Invalid));
    let verdict = answered.verdict.expect("it ran");
    let unreached = verdict.gates.iter().find(|gate| gate.criterion == Criterion::Unreached);
    assert!(
        unreached.is_some_and(|gate| gate.value == 0.0),
        "the first trial's failures are not the second's"
    );
    // The first had 60 peers that refused; the second knows its own server only.
    assert_eq!(answered.resources.neighbour, Some(site.addr()));
    assert_eq!(refused.resources.neighbour, None);
}

#[test]
fn each_trial_chooses_its_clock() {
    let site = target();
    let clock = |timestamps| {
        let settings = TrialSettings { timestamps, ..settings() };
        let report = start(&plan(site.addr(), "/bytes/100", 2, 200), settings).wait();
        assert_eq!(counts(&report), (400, 0));
        let evidence = &report.evidence;
        (evidence.read_delay_counts, evidence.read_delay_p99_ns.is_some())
    };
    // Whether the reads' delays are part of the times, and whether they are known.
    assert_eq!(clock(TimestampSource::None), (true, false));
    assert_eq!(clock(TimestampSource::UserSpace), (true, true));
    assert_eq!(clock(TimestampSource::Kernel), (false, true));
    assert_eq!(clock(TimestampSource::Socket), (false, true));
}

#[test]
fn a_property_that_a_plan_sets_is_gone_with_its_trial() {
    let site = target();
    let path = "/bytes/${__P(size,10)}${__setProperty(size,20)}";
    let label = |report: &swell_run::TrialReport| report.run.snapshot.rows[0].stats.bytes;
    let first = run(&plan(site.addr(), path, 1, 1));
    let second = run(&plan(site.addr(), path, 1, 1));
    assert_eq!((counts(&first), label(&first)), (counts(&second), label(&second)));
}

/// Answers `times` requests, each on a separate connection, with a body of one byte that names no
/// charset.
fn serve_a_byte(byte: u8, times: usize) -> (SocketAddr, std::thread::JoinHandle<std::io::Result<()>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let at = listener.local_addr().expect("bound");
    let serving = std::thread::spawn(move || {
        for _ in 0..times {
            let (mut stream, _) = listener.accept()?;
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut next = [0];
                stream.read_exact(&mut next)?;
                request.extend(next);
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n")?;
            stream.write_all(&[byte])?;
        }
        Ok(())
    });
    (at, serving)
}

#[test]
fn a_charset_that_one_trial_sets_for_bodies_that_name_none_is_not_that_of_the_next() {
    let (at, serving) = serve_a_byte(0x80, 2);
    let mut euro = plan(at, "/", 1, 1);
    let sought = Property::new("0", PropertyValue::Text("\u{20ac}".to_owned()));
    let mut check = Element::new("ResponseAssertion", "AssertionGui", "euro")
        .with_text("Assertion.test_field", "Assertion.response_data")
        .with_int("Assertion.test_type", 16);
    check.properties.push(Property::new("Asserion.test_strings", PropertyValue::Collection(vec![sought])));
    euro.root.children[0].children[0].children.push(Node::new(check));
    let western = settings();
    western.props.set("sampleresult.default.encoding", "windows-1252");
    let first = start(&euro, western).wait();
    let second = run(&euro);
    assert_eq!((counts(&first), counts(&second)), ((1, 0), (1, 1)), "0x80 is no UTF-8");
    assert!(serving.join().expect("no panic").is_ok());
    let unknown = settings();
    unknown.props.set("sampleresult.default.encoding", "klingon");
    let Err(error) = Trial::prepare(&euro, unknown) else { panic!("it must not run") };
    assert!(error.to_string().contains("unknown charset `klingon`"), "{error}");
}

#[test]
fn a_plan_that_cannot_run_is_told_by_diagnostics() {
    let mut broken = plan(any_address(), "/", 1, 1);
    broken.root.children.push(Node::new(Element::new("com.example.NoSuchElement", "x", "unknown")));
    let Err(error) = Trial::prepare(&broken, settings()) else { panic!("it must not run") };
    assert!(matches!(error, PrepareError::Plan(_)));
    assert!(error.diagnostics().iter().any(|found| found.message.contains("NoSuchElement")), "{error}");
    let wrong = settings();
    wrong.props.set("swell.max_file_bytes", "many");
    let Err(error) = Trial::prepare(&plan(any_address(), "/", 1, 1), wrong) else {
        panic!("it must not run")
    };
    assert!(error.to_string().contains("swell.max_file_bytes: invalid number of bytes `many`"), "{error}");
}
