//! The output of a run, including one that breaks.

use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{Listener, Needs, SampleEvent, SampleResult, Sampler, SamplerFuture, User};
use swell_engine::{RunOptions, Support, run, survey};

use crate::bench::{Bench, element, group, java, plan, sampler, serialized, text};

/// Counts what happens to it.
struct Counter(Arc<Mutex<Vec<String>>>);

impl Listener for Counter {
    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn sample(&self, event: &SampleEvent<'_>) {
        self.0.lock().push(event.sample.label.to_string());
    }
    fn tick(&self, at_ns: i64) {
        self.0.lock().push(format!("tick {}", at_ns % 1_000_000_000));
    }
    fn group_done(&self) {
        self.0.lock().push("group done".to_owned());
    }
    fn finish(&self) {
        self.0.lock().push("finish".to_owned());
    }
}

#[test]
fn listeners_hear_that_a_group_is_done_before_the_next_one_starts() {
    let mut bench = Bench::default().workers(2);
    let groups =
        [group("G", 1, 1, "", &java("a", "OK", 0)), group("H", 1, 1, "", &java("b", "OK", 0))].concat();
    let prepared = Arc::new(bench.prepare(&serialized(&plan(&groups))));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let for_listener = heard.clone();
    let options = RunOptions {
        workers: 2,
        root_listeners: Arc::new(move |_| vec![Rc::new(Counter(for_listener.clone()))]),
        ..RunOptions::default()
    };
    run(&prepared, bench.registry, options, &bench.control);
    let heard = heard.lock().clone();
    let place = |wanted: &str| heard.iter().position(|line| line == wanted).expect("it was received");
    let between = &heard[place("a")..place("b")];
    assert!(between.iter().any(|line| line == "group done"), "{heard:?}");
}

#[test]
fn listeners_get_ticks_on_whole_seconds_and_an_end() {
    let mut bench = Bench::default().workers(1);
    let prepared = Arc::new(bench.prepare(&plan(&group("G", 1, 1, "", &java("a", "OK", 1100)))));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let for_listener = heard.clone();
    let options = RunOptions {
        workers: 1,
        root_listeners: Arc::new(move |_| vec![Rc::new(Counter(for_listener.clone()))]),
        ..RunOptions::default()
    };
    run(&prepared, bench.registry, options, &bench.control);
    let heard = heard.lock().clone();
    assert_eq!(heard.iter().filter(|line| *line == "tick 0").count(), heard.len() - 3, "{heard:?}");
    assert_eq!(heard[heard.len() - 3..], ["a", "group done", "finish"]);
    assert!(heard.len() >= 3);
}

/// A broken sampler.
struct Broken;

impl Sampler for Broken {
    fn sample<'a>(&'a self, _user: &'a mut User) -> SamplerFuture<'a> {
        panic!("broken on purpose")
    }
}

#[test]
fn a_broken_worker_stops_the_run_and_still_writes_what_was_measured() {
    let mut bench = Bench::default().workers(2);
    bench.add_sampler("BrokenSampler", |_, _| Rc::new(Broken));
    let below = [sampler("a"), element("BrokenSampler", "x", "", "")].concat();
    let jmx =
        plan(&[group("G", 1, 1, "", &below), group("H", 1, -1, "", &java("h", "OK", 600_000))].concat());
    let prepared = Arc::new(bench.prepare(&jmx));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let for_listener = heard.clone();
    let options = RunOptions {
        workers: 2,
        root_listeners: Arc::new(move |_| vec![Rc::new(Counter(for_listener.clone()))]),
        ..RunOptions::default()
    };
    let outcome = run(&prepared, bench.registry, options, &bench.control);
    assert_eq!(outcome.problems.len(), 1);
    let heard = heard.lock().clone();
    assert!(heard.contains(&"a".to_owned()));
    assert_eq!(heard.iter().filter(|line| *line == "finish").count(), 2, "{heard:?}");
}

#[test]
fn what_is_not_supported_is_said_with_its_place() {
    let below = [
        element("JSR223PreProcessor", "script", &text("script", "new Elsewhere().run()"), ""),
        element("some.plugin.Listener", "graph", "", ""),
        sampler("a"),
    ]
    .concat();
    let mut bench = Bench::default();
    let prepared = bench.prepare(&plan(&group("G", 1, 1, "", &below)));
    let said: Vec<_> = prepared.diagnostics().iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("[P > G > script]") && said[0].contains("JSR223PreProcessor"), "{}", said[0]);
    let all = survey(&prepared, &bench.registry);
    let natives = all.iter().filter(|found| found.support == Support::Native).count();
    assert_eq!((all.len(), natives), (5, 3));
}

#[test]
fn a_sample_that_a_sampler_does_not_want_is_no_sample() {
    struct Nothing;
    impl Sampler for Nothing {
        fn sample<'a>(&'a self, _user: &'a mut User) -> SamplerFuture<'a> {
            Box::pin(std::future::ready(None::<Box<SampleResult>>))
        }
    }
    let mut bench = Bench::default();
    bench.add_sampler("NothingSampler", |_, _| Rc::new(Nothing));
    let jmx = plan(&group("G", 1, 2, "", &[element("NothingSampler", "n", "", ""), sampler("a")].concat()));
    let ran = bench.run(&jmx);
    assert_eq!((ran.labels(), ran.outcome.samples), (vec!["a", "a"], 2));
}

#[test]
fn numbers_that_are_none_are_said_before_the_run() {
    let jmx = String::from_utf8(plan(&group("G", 1, 1, "", &sampler("a")))).unwrap();
    let jmx = jmx.replace(">1</intProp>", "> 5</intProp>");
    let prepared = Bench::default().prepare(jmx.as_bytes());
    let said: Vec<_> = prepared.diagnostics().iter().map(ToString::to_string).collect();
    assert!(
        said.iter().any(|line| line.contains("ThreadGroup.num_threads: ` 5` is not a whole number")),
        "{said:?}"
    );
}
