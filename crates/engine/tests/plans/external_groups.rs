//! Thread groups run by another component: their place in the run, their samples, their end.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use swell_api::{
    ElementKind, ExternalGroup, GroupChange, GroupSample, GroupStart, GroupUsers, Listener, Make, Needs,
    OwnedSample, Phase, Role, RunningGroup, SampleAudience, SampleEvent, Taken,
};
use swell_engine::{Control, ControlError, Stopped, Support};
use swell_plan::Element;

use crate::bench::{Bench, Ran, element, group, group_of, plan, sampler, serialized, text};

const CLASS: &str = "com.example.RobotThreadGroup";
const CONTROLLER: &str = "com.example.RobotController";
const NOTES: &str = "com.example.NotesListener";
/// Long enough for a machine that is busy with other tests; nothing is judged by it.
const PATIENCE: Duration = Duration::from_mins(1);

/// Its users take the samples that `Robots.samples` names, one after the other.
struct Robots;

/// Robots of that phase, who know all elements but one.
struct Of(Phase);

impl ExternalGroup for Of {
    fn phase(&self) -> Phase {
        self.0
    }

    fn refuses(&self, element: &Element) -> Option<String> {
        (&*element.class == "com.example.UnknownSampler").then(|| "no robot knows it".to_owned())
    }

    fn start(&self, start: &GroupStart<'_>) -> Result<Arc<dyn RunningGroup>, String> {
        Robots.start(start)
    }
}

/// Robots at work.
struct Working {
    state: Mutex<State>,
    changed: Condvar,
    /// They continue until they are stopped.
    is_endless: bool,
    /// They end with this.
    ends_with: Result<(), String>,
    /// They ask the test to stop.
    stops_test: Option<bool>,
}

struct State {
    users: u32,
    left: Vec<GroupSample>,
    stopped: bool,
}

impl ExternalGroup for Robots {
    fn start(&self, start: &GroupStart<'_>) -> Result<Arc<dyn RunningGroup>, String> {
        let text = (start.property)("Robots.samples");
        if text == "none" {
            return Err("robots are missing".to_owned());
        }
        let users = (start.property)("Robots.users").parse().unwrap_or(1);
        let heard_by = |label: &str| match label.strip_prefix('!') {
            None => SampleAudience::Group,
            // Only deeper elements receive these.
            Some(_) => SampleAudience::Elements { listeners: start.listeners.to_vec(), counts: false },
        };
        let mut left: Vec<_> = text
            .split(' ')
            .filter(|label| !label.is_empty())
            .map(|label| GroupSample {
                sample: OwnedSample {
                    label: label.to_owned(),
                    success: true,
                    thread_name: format!("{} {}-1", start.name, start.number),
                    group_threads: users,
                    message: format!("{:?}", start.variables),
                    ..OwnedSample::default()
                },
                variables: Vec::new(),
                heard_by: heard_by(label),
            })
            .collect();
        left.reverse();
        let end = (start.property)("Robots.end");
        Ok(Arc::new(Working {
            state: Mutex::new(State { users, left, stopped: false }),
            changed: Condvar::new(),
            is_endless: end == "never",
            ends_with: if end == "badly" { Err("a robot broke".to_owned()) } else { Ok(()) },
            stops_test: (end == "stops the test").then_some(false),
        }))
    }
}

impl RunningGroup for Working {
    fn take(&self, limit: Duration) -> Taken {
        let mut state = self.state.lock();
        if let Some(sample) = state.left.pop() {
            return Taken { samples: vec![sample], ..Taken::default() };
        }
        if self.is_endless && !state.stopped {
            self.changed.wait_for(&mut state, limit);
        }
        let is_over = !self.is_endless || state.stopped;
        if is_over {
            state.users = 0;
        }
        Taken {
            ended: is_over.then(|| self.ends_with.clone()),
            stops_test: self.stops_test,
            ..Taken::default()
        }
    }

    fn users(&self) -> GroupUsers {
        let active = self.state.lock().users;
        GroupUsers { active, started: 3, finished: 3 - active.min(3), planned: 3 }
    }

    fn stop(&self, _at_once: bool) {
        self.state.lock().stopped = true;
        self.changed.notify_all();
    }

    fn change(&self, change: GroupChange) -> Result<(), String> {
        let GroupChange::Users(Some(users)) = change else { return Err("robots do not do that".to_owned()) };
        self.state.lock().users = users;
        self.changed.notify_all();
        Ok(())
    }
}

/// Writes down labels.
struct Notes(Arc<Mutex<Vec<String>>>);

impl Listener for Notes {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.0.lock().push(event.sample.label.to_string());
    }
}

fn bench() -> (Bench, Arc<Mutex<Vec<String>>>) {
    let mut bench = Bench::default();
    let make = Make::external_group(|_, _| Arc::new(Robots));
    bench.registry.add(ElementKind::native(Role::ThreadGroup, CLASS, "Robots", make));
    let make = Make::in_external_group(|_, phase, _| Arc::new(Of(phase)));
    bench.registry.add(ElementKind::on_jvm(Role::Controller, CONTROLLER, "Robots", "robots know it", make));
    let notes = Arc::new(Mutex::new(Vec::new()));
    let theirs = notes.clone();
    let make = Make::listener(move |_, _| Some(Rc::new(Notes(theirs.clone()))));
    bench.registry.add(ElementKind::native(Role::Listener, NOTES, "Notes", make));
    (bench, notes)
}

fn robots(name: &str, samples: &str, end: &str, below: &str) -> String {
    let fields = text("Robots.samples", samples) + &text("Robots.users", "5") + &text("Robots.end", end);
    element(CLASS, name, &fields, below)
}

fn until(control: &Control, what: &str, holds: impl Fn(&[swell_engine::GroupStatus]) -> bool) {
    let started = std::time::Instant::now();
    while !control.status().is_some_and(|status| holds(&status.groups)) {
        assert!(started.elapsed() < PATIENCE, "{what}: {:?}", control.status());
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs a plan while a closure inspects it. The run always ends.
fn watched(jmx: &[u8], watch: impl FnOnce(&Control) + Send) -> Ran {
    let (bench, _) = bench();
    let control = bench.control.clone();
    std::thread::scope(|scope| {
        let watching = scope.spawn(move || {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| watch(&control)));
            control.stop();
            done
        });
        let ran = bench.run(jmx);
        if let Err(failure) = watching.join().expect("it catches its failures") {
            std::panic::resume_unwind(failure);
        }
        ran
    })
}

#[test]
fn it_runs_in_its_phase_and_in_its_turn() {
    let all = [
        group_of("PostThreadGroup", "Z", 1, 1, "", &sampler("z")),
        robots("R", "r1 r2", "", ""),
        group("G", 1, 1, "", &sampler("g")),
        group_of("SetupThreadGroup", "A", 1, 1, "", &sampler("a")),
    ];
    let (bench, _) = bench();
    let ran = bench.run(&serialized(&plan(&all.concat())));
    assert_eq!(ran.labels(), ["a", "r1", "r2", "g", "z"]);
    assert_eq!((ran.outcome.samples, ran.outcome.external_samples, ran.outcome.users), (5, 2, 6));
    assert!(ran.outcome.problems.is_empty(), "{:?}", ran.outcome.problems);
}

#[test]
fn its_samples_have_its_thread_names_and_variables_of_the_plan() {
    let variables = r#"<collectionProp name="Arguments.arguments"><elementProp name="v" elementType="Argument"><stringProp name="Argument.name">v</stringProp><stringProp name="Argument.value">${__intSum(1,2)}</stringProp></elementProp></collectionProp>"#;
    let jmx = [element("Arguments", "V", variables, ""), robots("R${v}", "r", "", "")].concat();
    let (bench, _) = bench();
    let ran = bench.run(&plan(&jmx));
    let heard = &ran.heard[0];
    assert_eq!((heard.thread.as_str(), heard.group_threads, heard.all_threads), ("R3 1-1", 5, 5));
    assert!(heard.message.contains(r#"("v", "3")"#), "{}", heard.message);
}

#[test]
fn users_of_other_groups_count_it() {
    let jmx = plan(&[robots("R", "", "never", ""), group("G", 1, -1, "", &sampler("g"))].concat());
    let ran = watched(&jmx, |control| {
        until(control, "robots", |groups| groups[0].active == 5);
        let before = control.status().expect("it runs").samples;
        until(control, "samples", |_| control.status().is_some_and(|status| status.samples > before));
    });
    assert!(ran.heard.iter().any(|heard| (heard.group_threads, heard.all_threads) == (1, 6)));
}

#[test]
fn listeners_hear_what_is_in_their_scope() {
    let below = element("GenericController", "deep", "", &element(NOTES, "n", "", ""));
    let (bench, notes) = bench();
    let ran = bench.run(&plan(&robots("R", "r !deep", "", &below)));
    assert_eq!(ran.labels(), ["r"]);
    assert_eq!(*notes.lock(), ["!deep"]);
}

#[test]
fn elements_below_it_need_no_kind_here() {
    let (mut bench, _) = bench();
    let jmx = plan(&robots("R", "r", "", &element("com.example.UnknownSampler", "u", "", "")));
    let prepared = bench.prepare(&jmx);
    assert!(prepared.diagnostics().is_empty(), "{:?}", prepared.diagnostics());
    let here = plan(&group("G", 1, 1, "", &element("com.example.UnknownSampler", "u", "", "")));
    assert!(!bench.prepare(&here).diagnostics().is_empty(), "in a group of the engine's own it is refused");
}

/// A thread group of the engine's own with such a controller in it, or on the level of the Test
/// Plan.
fn taken(below: &str) -> String {
    let fields = text("Robots.samples", "r1 r2") + &text("ThreadGroup.num_threads", "7");
    element("SetupThreadGroup", "S", &fields, below)
}

#[test]
fn an_element_that_only_something_else_runs_takes_its_thread_group_along() {
    let robots = element(CONTROLLER, "robots", "", &sampler("never"));
    let (mut bench, notes) = bench();
    let jmx = plan(
        &[group("G", 1, 1, "", &sampler("g")), taken(&(robots.clone() + &element(NOTES, "n", "", "")))]
            .concat(),
    );
    let prepared = bench.prepare(&jmx);
    let surveyed = swell_engine::survey(&prepared, &bench.registry);
    let of = |name: &str| {
        let found = surveyed.iter().find(|found| found.place.element.ends_with(&format!("> {name}")));
        found.map(|found| found.support.clone()).expect("it exists")
    };
    let why = "JMeter's engine runs its whole thread group because of `robots` (com.example.RobotController): robots know it";
    for name in ["S", "S > robots", "S > robots > never"] {
        assert_eq!(of(name), Support::Jvm(why.into()), "{name}");
    }
    assert_eq!((of("G"), of("G > g")), (Support::Native, Support::Native));
    let ran = bench.run(&jmx);
    assert_eq!(ran.labels(), ["r1", "r2", "g"], "it keeps its phase");
    assert_eq!((ran.outcome.external_samples, &*notes.lock()), (2, &vec!["r1".to_owned(), "r2".to_owned()]));
}

#[test]
fn on_the_level_of_the_test_plan_it_takes_all_thread_groups_along() {
    let (bench, _) = bench();
    let jmx = plan(
        &[
            taken(&sampler("never")),
            group("G", 1, 1, "", &sampler("g")),
            element(CONTROLLER, "robots", "", ""),
        ]
        .concat(),
    );
    let ran = bench.run(&jmx);
    assert_eq!((ran.labels(), ran.outcome.samples), (vec!["r1", "r2"], 2));
}

#[test]
fn what_cannot_be_run_there_is_said_before_the_run() {
    let below = element(CONTROLLER, "robots", "", &element("com.example.UnknownSampler", "u", "", ""));
    let (mut bench, _) = bench();
    let prepared = bench.prepare(&plan(&taken(&below)));
    let said: Vec<_> = prepared.diagnostics().iter().map(|found| found.message.as_str()).collect();
    assert!(said.len() == 1 && said[0].contains("no robot knows it"), "{said:?}");
}

#[test]
fn a_stop_reaches_it() {
    let jmx = plan(&robots("R", "r", "never", ""));
    let ran = watched(&jmx, |control| until(control, "robots", |groups| groups[0].active == 5));
    assert_eq!((ran.labels(), ran.outcome.stopped), (vec!["r"], Some(Stopped::Graceful)));
    let one = watched(&jmx, |control| {
        until(control, "robots", |groups| groups[0].active == 5);
        control.stop_group(0, Stopped::Immediate).expect("it exists");
        until(control, "the end", |groups| groups[0].active == 0);
    });
    assert_eq!(one.labels(), ["r"]);
}

#[test]
fn it_stops_the_test() {
    let jmx = plan(&[robots("R", "r", "stops the test", ""), group("G", 1, -1, "", &sampler("g"))].concat());
    let (bench, _) = bench();
    assert_eq!(bench.run(&jmx).outcome.stopped, Some(Stopped::Graceful));
}

#[test]
fn it_follows_control_as_far_as_it_can() {
    let pause = element("ConstantTimer", "t", &text("ConstantTimer.delay", "1"), "");
    let below = [pause, sampler("g")].concat();
    let jmx = plan(&[robots("R", "", "never", ""), group("G", 2, -1, "", &below)].concat());
    watched(&jmx, |control| {
        until(control, "robots", |groups| groups[0].active == 5 && groups[1].active == 2);
        control.set_users(0, Some(8)).expect("it can do that");
        until(control, "more robots", |groups| groups[0].active == 8);
        let refused = |result: Result<(), ControlError>| result.expect_err("it cannot").to_string();
        for text in [
            refused(control.set_rate(0, Some(1.0))),
            refused(control.pause()),
            refused(control.resume()),
            refused(control.multiply_load(3.0)),
        ] {
            assert!(text.contains("`R`") && text.contains("robots do not do that"), "{text}");
        }
        until(control, "what can be multiplied is", |groups| groups[1].active == 6);
    });
}

#[test]
fn one_that_does_not_start_or_ends_badly_is_told_and_others_run() {
    for (robot, wanted, labels) in [
        (robots("R", "none", "", ""), "robots are missing", vec!["g"]),
        (robots("R", "r", "badly", ""), "a robot broke", vec!["r", "g"]),
    ] {
        let jmx = plan(&[robot, group("G", 1, 1, "", &sampler("g"))].concat());
        let (bench, _) = bench();
        let ran = bench.run(&serialized(&jmx));
        assert_eq!(ran.labels(), labels);
        let [problem] = &ran.outcome.problems[..] else { panic!("{:?}", ran.outcome.problems) };
        assert!(problem.message.contains(wanted), "{problem}");
        assert!(problem.place.element.contains('R'), "{problem}");
    }
}
