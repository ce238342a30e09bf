use std::sync::Arc;

use super::pool::USERS;
use super::*;

fn pool(user_bytes: usize) -> Arc<RecentPool> {
    Arc::new(RecentPool::new(RecentLimits { body_bytes: None, user_bytes }))
}

fn request(path: &str) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nHost: shop.test:8080\r\n\r\nbody").into_bytes()
}

const OK: Text = Text::Static("OK");
const CODE: Text = Text::Static("200");

/// A sample ends; a part of it began 2 ns after it.
fn end_step(
    recent: &mut RecentSteps,
    (label, start_ns, success): (&str, i64, bool),
    body: &[u8],
    is_shared: bool,
) {
    let times = RecentTimes { start_ns, elapsed_ns: 5_000_000, ..RecentTimes::default() };
    let label = Text::from(label.to_owned());
    let sample = RecentSample {
        label: &label,
        code: &CODE,
        message: &OK,
        times,
        received_bytes: 0,
        sent_bytes: 0,
        body,
        body_size: body.len() as u64,
        success,
    };
    recent.step(&sample, is_shared, |part_ns| part_ns == start_ns + 2);
}

fn take_step(recent: &mut RecentSteps, label: &str, start_ns: i64) {
    assert!(recent.is_open(recent.iteration), "{label}");
    recent.request(start_ns, &request(label), false);
    recent.response(start_ns, b"HTTP/1.1 201 Created\r\nA: b\r\n\r\n");
    end_step(recent, (label, start_ns, true), b"", false);
}

#[test]
fn steps_have_the_heads_of_their_requests_and_no_body() {
    let shared = pool(1 << 16).take(0).expect("room");
    let mut recent = shared.borrow_mut();
    assert!(recent.is_open(1));
    take_step(&mut recent, "/a", 10);
    take_step(&mut recent, "/b", 20);
    let (steps, left_out) = recent.steps();
    let labels: Vec<_> = steps.iter().map(|step| step.label.as_str()).collect();
    assert_eq!((labels, left_out), (vec!["/a", "/b"], 0));
    let sample = steps[1].sample.as_ref().expect("a sample");
    let exchange = &sample.exchanges[0];
    assert_eq!(sample.url.as_deref(), Some("http://shop.test:8080/b"));
    let sent = exchange.request.as_ref().expect("a request");
    assert_eq!(sent.head.text(), Some("POST /b HTTP/1.1\r\nHost: shop.test:8080\r\n\r\n"));
    assert_eq!((sent.body.size, sent.body.bytes.len(), sent.size), (4, 0, 46));
    let response = exchange.response.as_ref().expect("a response");
    assert_eq!((response.status, response.head.size), (201, 30));
    assert!((sample.timing.elapsed_ms - 5.0).abs() < 1e-9);
}

#[test]
fn a_new_iteration_forgets_the_one_before() {
    let shared = pool(1 << 16).take(0).expect("room");
    let mut recent = shared.borrow_mut();
    assert!(recent.is_open(1));
    take_step(&mut recent, "/a", 10);
    assert!(recent.is_open(2));
    take_step(&mut recent, "/b", 20);
    let (steps, _) = recent.steps();
    assert_eq!((steps.len(), steps[0].iteration, steps[0].label.as_str()), (1, 2, "/b"));
}

#[test]
fn a_long_iteration_loses_its_first_steps() {
    let shared = pool(1000).take(0).expect("room");
    let mut recent = shared.borrow_mut();
    assert!(recent.is_open(1));
    let labels: Vec<String> = (0..100).map(|number| format!("/{number}")).collect();
    for (start_ns, label) in labels.iter().enumerate() {
        take_step(&mut recent, label, start_ns as i64);
    }
    let (steps, left_out) = recent.steps();
    assert_eq!(steps.len() + left_out, 100);
    assert!(recent.bytes.len() < 1200 && steps.len() > 2, "{} bytes", recent.bytes.len());
    for (step, label) in steps.iter().zip(&labels[left_out..]) {
        let sample = step.sample.as_ref().expect("a sample");
        assert_eq!((&step.label, sample.exchanges.len()), (label, 1));
        assert_eq!(sample.url, Some(format!("http://shop.test:8080{label}")));
    }
}

#[test]
fn samples_at_the_same_time_have_their_own_requests() {
    let shared = pool(1 << 16).take(0).expect("room");
    let mut recent = shared.borrow_mut();
    assert!(recent.is_open(1));
    recent.request(10, &request("/a"), true);
    recent.request(11, &request("/b"), true);
    end_step(&mut recent, ("b", 11, true), b"", true);
    end_step(&mut recent, ("a", 10, false), b"", true);
    let (steps, _) = recent.steps();
    let urls: Vec<_> =
        steps.iter().map(|step| step.sample.as_ref().and_then(|sample| sample.url.clone())).collect();
    assert_eq!(
        urls,
        [Some("https://shop.test:8080/b".to_owned()), Some("https://shop.test:8080/a".to_owned())]
    );
}

#[test]
fn no_group_takes_all_the_room_and_users_give_it_back() {
    let pool = pool(1000);
    let first: Vec<_> = std::iter::from_fn(|| pool.take(0)).collect();
    assert_eq!(first.len(), USERS / 2);
    let second: Vec<_> = std::iter::from_fn(|| pool.take(1)).collect();
    assert!(second.len() >= USERS / 8, "{}", second.len());
    drop(first);
    assert!(pool.take(0).is_some());
    pool.close();
    assert!(pool.take(0).is_none());
}

#[test]
fn bodies_are_kept_up_to_their_limit_and_move_with_what_is_before_them() {
    let limits = RecentLimits { body_bytes: Some(3), user_bytes: 250 };
    let shared = Arc::new(RecentPool::new(limits)).take(0).expect("room");
    let mut recent = shared.borrow_mut();
    assert!(recent.is_open(1));
    for start_ns in 1..20 {
        assert!(recent.is_open(1));
        recent.request(start_ns, &request("/a"), false);
        end_step(&mut recent, ("a", start_ns, true), b"12345", false);
    }
    let (steps, left_out) = recent.steps();
    assert!(left_out > 0 && steps.len() > 1, "{left_out} left out");
    for step in &steps {
        let sample = step.sample.as_ref().expect("a sample");
        let sent = sample.exchanges[0].request.as_ref().expect("a request");
        assert_eq!((&*sample.body.bytes, &*sent.body.bytes), (&b"123"[..], &b"bod"[..]));
    }
}

#[test]
fn a_sample_that_ran_beside_others_leaves_them_their_requests() {
    let shared = pool(1 << 16).take(0).expect("room");
    let mut recent = shared.borrow_mut();
    assert!(recent.is_open(1));
    take_step(&mut recent, "/before", 5);
    for (start_ns, path) in [(10, "/a"), (11, "/b"), (12, "/part of a")] {
        recent.request(start_ns, &request(path), false);
    }
    recent.response(10, b"HTTP/1.1 500 No\r\n\r\n");
    recent.response(99, b"HTTP/1.1 204 Not of a request\r\n\r\n");
    end_step(&mut recent, ("a", 10, true), b"", true);
    end_step(&mut recent, ("rest", 20, true), b"", false);
    let (steps, _) = recent.steps();
    let of = |step: &crate::Step| -> Vec<(String, Option<u16>)> {
        let exchanges = &step.sample.as_ref().expect("a sample").exchanges;
        let status = |exchange: &crate::Exchange| exchange.response.as_ref().map(|response| response.status);
        let path = |exchange: &crate::Exchange| exchange.url.replace("http://shop.test:8080", "");
        exchanges.iter().map(|exchange| (path(exchange), status(exchange))).collect()
    };
    assert_eq!(of(&steps[0]), [("/before".to_owned(), Some(201))]);
    assert_eq!(of(&steps[1]), [("/a".to_owned(), Some(500)), ("/part".to_owned(), None)]);
    assert_eq!(of(&steps[2]), [("/b".to_owned(), None)]);
}
