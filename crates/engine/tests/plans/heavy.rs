//! Checks of large bodies in parallel with other users.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use parking_lot::Mutex;
use swell_api::{Listener, Needs, SampleEvent, SampleResult, Sampler, SamplerFuture, User};
use swell_expr::Job;

use crate::bench::{Bench, element, group, plan, sampler, text};

/// A sampler with a large body.
struct Large;

impl Sampler for Large {
    fn sample<'a>(&'a self, _user: &'a mut User) -> SamplerFuture<'a> {
        let now_ns = swell_net::now_ns();
        let mut sample =
            SampleResult { success: true, body: vec![b'a'; 300_000].into(), ..SampleResult::default() };
        sample.timing.start_ns = now_ns;
        sample.timing.end_ns = now_ns;
        Box::pin(std::future::ready(Some(Box::new(sample))))
    }
}

/// Lets the checks continue after a number of light samples.
struct Gate {
    heard: Arc<AtomicUsize>,
    wanted: usize,
    open: mpsc::Sender<()>,
}

impl Listener for Gate {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        if &*event.sample.label == "light" && self.heard.fetch_add(1, Ordering::Relaxed) + 1 == self.wanted {
            self.open.send(()).unwrap();
        }
    }
}

fn heavy_plan(lights: i32) -> Vec<u8> {
    let check = element(
        "RegexExtractor",
        "check",
        &[text("RegexExtractor.regex", "(z)"), text("RegexExtractor.refname", "v")].concat(),
        "",
    );
    let heavy = group("Heavy", 1, 1, "", &[element("LargeSampler", "heavy", "", &check)].concat());
    plan(&[heavy, group("Light", 3, lights, "", &sampler("light"))].concat())
}

/// Helper threads whose jobs wait until they are let go.
fn gated(bench: &mut Bench, gate: mpsc::Receiver<()>) {
    let gate = Arc::new(Mutex::new(gate));
    bench.options.aside = Some(Arc::new(move |job: Job| -> Pin<Box<dyn Future<Output = ()>>> {
        let gate = gate.clone();
        Box::pin(swell_net::blocking(move || {
            // The other end is gone where nothing releases it.
            let _ = gate.lock().recv();
            job();
        }))
    }));
}

#[test]
fn other_users_of_a_worker_go_on_while_a_check_of_a_large_body_runs() {
    let (open, gate) = mpsc::channel();
    let mut bench = Bench::default().workers(1);
    bench.add_sampler("LargeSampler", |_, _| Rc::new(Large));
    gated(&mut bench, gate);
    let heard = Arc::new(AtomicUsize::new(0));
    let for_listener = heard.clone();
    bench.listeners = Arc::new(move |_| {
        vec![Rc::new(Gate { heard: for_listener.clone(), wanted: 60, open: open.clone() })]
    });
    let ran = bench.run(&heavy_plan(20));
    assert_eq!(ran.labels().last(), Some(&"heavy"), "its check ends after all samples of the others");
    assert_eq!((ran.outcome.samples, heard.load(Ordering::Relaxed)), (61, 60));
}

#[test]
fn a_stop_at_once_does_not_wait_for_a_check() {
    let (open, gate) = mpsc::channel();
    let mut bench = Bench::default().workers(1);
    bench.add_sampler("LargeSampler", |_, _| Rc::new(Large));
    gated(&mut bench, gate);
    let control = bench.control.clone();
    let heard = Arc::new(AtomicUsize::new(0));
    let (stop, stopping) = mpsc::channel();
    bench.listeners =
        Arc::new(move |_| vec![Rc::new(Gate { heard: heard.clone(), wanted: 3, open: stop.clone() })]);
    let stopper = std::thread::spawn(move || {
        stopping.recv().unwrap();
        control.stop_now();
    });
    let ran = bench.run(&heavy_plan(1));
    stopper.join().unwrap();
    assert_eq!(ran.labels(), ["light"; 3], "a sample whose check was cut is in no results");
    assert_eq!((ran.outcome.samples, ran.outcome.cut), (3, 1));
    drop(open);
}

/// A listener whose file has no room for a second heavy sample before the last light one.
struct SlowFile {
    lights: Cell<u32>,
    makes_room: RefCell<Option<swell_net::Sender<()>>>,
}

const LIGHTS: u32 = 60;

impl Listener for SlowFile {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        if &*event.sample.label == "heavy" {
            let (sender, mut room) = swell_net::channel();
            let all_there = self.lights.get() == LIGHTS;
            *self.makes_room.borrow_mut() = Some(sender).filter(|_| !all_there);
            event.cx.wait_for(Some(Box::pin(async move {
                // None: there is room.
                let _ = room.recv().await;
            })));
            return;
        }
        self.lights.set(self.lights.get() + 1);
        if self.lights.get() == LIGHTS {
            // Who waits for it sees that.
            self.makes_room.take();
        }
    }
}

#[test]
fn a_file_that_cannot_keep_up_holds_up_the_user_that_writes_and_no_other() {
    let mut bench = Bench::default().workers(1);
    bench.listeners =
        Arc::new(|_| vec![Rc::new(SlowFile { lights: Cell::default(), makes_room: RefCell::default() })]);
    let groups = [group("Heavy", 1, 2, "", &sampler("heavy")), group("Light", 3, 20, "", &sampler("light"))];
    let ran = bench.run(&plan(&groups.concat()));
    let labels = ran.labels();
    assert_eq!((labels.len(), labels.last()), (62, Some(&"heavy")), "{labels:?}");
    assert_eq!(labels.iter().filter(|label| **label == "heavy").count(), 2);
    assert!(labels[..61].contains(&"heavy"), "it waits after its first sample: {labels:?}");
}

#[test]
fn a_stop_does_not_wait_for_a_file_that_cannot_keep_up() {
    let mut bench = Bench::default().workers(1);
    let control = bench.control.clone();
    let (stop, stopping) = mpsc::channel();
    bench.listeners = Arc::new(move |_| vec![Rc::new(Stuck(stop.clone()))]);
    let stopper = std::thread::spawn(move || {
        stopping.recv().unwrap();
        control.stop();
    });
    let ran = bench.run(&plan(&group("G", 1, -1, "", &sampler("a"))));
    stopper.join().unwrap();
    assert_eq!(ran.labels(), ["a"]);
}

/// Takes nothing after the first sample, for ever, and wants the test to be stopped.
struct Stuck(mpsc::Sender<()>);

impl Listener for Stuck {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        event.cx.wait_for(Some(Box::pin(std::future::pending())));
        self.0.send(()).unwrap();
    }
}
