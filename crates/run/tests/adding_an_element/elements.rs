//! The elements of `docs/adding-an-element.md`, whose blocks of code are copies of these.

use std::any::Any;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use swell_api::{
    Assertion, AssertionResult, Controller, ControllerState, Delay, ElementKind, ElementLoad, ExternalGroup,
    FileUse, GroupSample, GroupStart, GroupUsers, ListEdit, Listener, LoadUnit, Make, Moment, Needs,
    OwnedSample, Pool, PostProcessor, Provider, RequestEdit, Role, RunningGroup, SampleEvent, SampleResult,
    Sampler, SamplerFuture, Schedule, Start, StatedLoad, Step, StepProgress, Taken, ThreadGroup, Timer, User,
    UserState,
};
use swell_expr::{Context, ForeignFunction, Level, Template};
use swell_plan::MissingValue;

/// Waits a step longer before each sample of a user.
struct GrowingTimer {
    step_ms: Template,
}

/// How often a user has asked.
#[derive(Default)]
struct Asked(i64);

impl UserState for Asked {
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Timer for GrowingTimer {
    fn delay<'a>(&'a self, user: &'a mut User, _moment: Moment) -> StepProgress<'a, Delay> {
        let step_ms: i64 = self.step_ms.eval(&mut user.cx).parse().unwrap_or(0);
        let asked = user.state(Asked::default);
        asked.0 += 1;
        StepProgress::Done(Delay::For(asked.0 * step_ms * 1_000_000))
    }
}

pub(crate) fn growing_timer() -> ElementKind {
    let make = Make::timer(|node, compile| {
        Rc::new(GrowingTimer { step_ms: compile.template(&node.element, "GrowingTimer.step", "10") })
    });
    ElementKind::native(Role::Timer, "com.example.GrowingTimer", "Growing Timer", make)
}

/// Runs its children from the last to the first.
struct Backwards;

/// How many children a user has had in this pass.
#[derive(Default)]
struct Pass(usize);

impl Controller for Backwards {
    fn for_user(&self) -> Box<dyn ControllerState> {
        Box::new(Pass::default())
    }
}

impl ControllerState for Pass {
    fn next(&mut self, _cx: &mut Context, children: usize) -> Option<usize> {
        self.0 += 1;
        children.checked_sub(self.0)
    }

    fn restart(&mut self) {
        self.0 = 0;
    }
}

pub(crate) fn backwards() -> ElementKind {
    let make = Make::controller(|_, _| Rc::new(Backwards));
    ElementKind::native(Role::Controller, "com.example.BackwardsController", "Backwards Controller", make)
}

/// Answers with a text of the plan, after the greeting of a config element.
struct Echo {
    greeting: Template,
    text: Template,
    needs: Needs,
}

impl Sampler for Echo {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move {
            let mut sample = SampleResult::boxed();
            sample.timing.start_ns = swell_net::now_ns();
            let answer = format!("{}{}", self.greeting.eval(&mut user.cx), self.text.eval(&mut user.cx));
            sample.timing.end_ns = swell_net::now_ns();
            sample.success = true;
            sample.code = "200".into();
            sample.bytes = answer.len() as u64;
            if self.needs.body {
                sample.body = answer.into();
            }
            Some(sample)
        })
    }
}

pub(crate) fn echo() -> ElementKind {
    let make = Make::sampler(|input, compile| {
        let greeting = input.configs.iter().find(|node| node.element.class == GREETING);
        Rc::new(Echo {
            greeting: greeting.map_or_else(
                || Template::constant_text(""),
                |node| compile.template(&node.element, "Greeting.text", ""),
            ),
            text: compile.template(&input.sampler.element, "Echo.text", ""),
            needs: input.needs,
        })
    });
    ElementKind::native(Role::Sampler, "com.example.EchoSampler", "Echo", make)
}

const GREETING: &str = "com.example.Greeting";

pub(crate) fn greeting() -> ElementKind {
    ElementKind::native(Role::Config, GREETING, "Greeting", Make::Config)
}

/// Writes down what samples answered.
struct Notes(Arc<Mutex<Vec<String>>>);

impl Listener for Notes {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        let sample = event.sample;
        let line = format!("{}: {}, {}", sample.label, sample.body_text(), sample.success);
        self.0.lock().expect("no listener panics").push(line);
    }
}

pub(crate) fn notes(lines: Arc<Mutex<Vec<String>>>) -> ElementKind {
    let make = Make::listener(move |_, _| Some(Rc::new(Notes(lines.clone()))));
    ElementKind::native(Role::Listener, "com.example.NotesListener", "Notes", make)
}

/// Signs the coming request with a key, which takes long, so that it is done on another thread.
struct Sign {
    key: Template,
    threads: Arc<Pool>,
}

impl Step for Sign {
    fn reads_request(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, user: &'a mut User, _sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        let Some(request) = user.request.texts().cloned() else { return StepProgress::Done(()) };
        let key = self.key.eval(&mut user.cx).into_owned();
        let signing = self.threads.run(move |cancel| {
            let mut headers = request.headers.clone();
            if cancel.reason().is_none() {
                headers.push(("X-Signature".into(), format!("{key} for {}", request.path)));
            }
            RequestEdit { headers: ListEdit::between(&request.headers, headers), ..RequestEdit::default() }
        });
        StepProgress::Pending(Box::pin(async move {
            match signing.await {
                Ok(edit) => user.change_request(edit),
                Err(problem) => user.cx.host.log(Level::Error, &format!("not signed: {problem}")),
            }
        }))
    }
}

pub(crate) fn sign() -> ElementKind {
    let make = Make::step(|node, compile| {
        let key = compile.template(&node.element, "Sign.key", "");
        Rc::new(Sign { key, threads: compile.foreign_work() })
    });
    ElementKind::native(Role::PreProcessor, "com.example.SignPreProcessor", "Sign", make)
}

/// `${__twice(text)}`: the text two times.
pub(crate) struct Twice;

impl ForeignFunction for Twice {
    fn name(&self) -> &'static str {
        "__twice"
    }

    fn arguments(&self) -> (usize, Option<usize>) {
        (1, Some(1))
    }

    fn call(&self, arguments: &[String], _cx: &mut Context) -> Result<String, String> {
        Ok(arguments[0].repeat(2))
    }
}

/// Starts users in pairs, a second between two pairs.
struct PairsGroup;

struct Pairs {
    pairs: u32,
    start_ns: i64,
}

impl ThreadGroup for PairsGroup {
    fn schedule(
        &self,
        property: &dyn Fn(&str) -> String,
        start_ns: i64,
    ) -> Result<Arc<dyn Schedule>, String> {
        let text = property("Pairs.number");
        let pairs =
            text.parse().map_err(|_| format!("`Pairs.number` is `{text}`, and not a whole number"))?;
        Ok(Arc::new(Pairs { pairs, start_ns }))
    }
}

impl Schedule for Pairs {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        let start_ns = |user: u32| self.start_ns + i64::from(user / 2) * 1_000_000_000;
        Box::new((0..self.users()).map(move |user| Start {
            user,
            start_ns: start_ns(user),
            end_ns: i64::MAX,
        }))
    }

    fn users(&self) -> u32 {
        self.pairs * 2
    }

    fn end_ns(&self) -> Option<i64> {
        None
    }
}

pub(crate) fn pairs() -> ElementKind {
    let make = Make::thread_group(|_, _| Arc::new(PairsGroup));
    ElementKind::native(Role::ThreadGroup, "com.example.PairsThreadGroup", "Pairs", make)
}

/// Keeps what a sample answered in the variable `last`.
struct KeepLast;

impl PostProcessor for KeepLast {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        cx.vars.put("last", &*sample.body_text());
        StepProgress::Done(())
    }
}

pub(crate) fn keep_last() -> ElementKind {
    let make = Make::post_processor(|_, _| Box::new(KeepLast));
    ElementKind::native(Role::PostProcessor, "com.example.KeepLastPostProcessor", "Keep Last", make)
}

/// A sample must not answer with a text.
struct Without {
    text: Template,
}

impl Assertion for Without {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepProgress<'a, AssertionResult> {
        let text = self.text.eval(cx);
        let found = sample.body_text().contains(&*text);
        StepProgress::Done(if found {
            AssertionResult::failed("without".into(), format!("`{text}` is there").into())
        } else {
            AssertionResult::passed("without".into())
        })
    }
}

pub(crate) fn without() -> ElementKind {
    let make = Make::assertion(|node, compile| {
        Box::new(Without { text: compile.template(&node.element, "Without.text", "") })
    });
    ElementKind::native(Role::Assertion, "com.example.WithoutAssertion", "Without", make)
}

/// A search sets its users: two are a pair.
const PAIRS: ElementLoad = ElementLoad {
    property: "Pairs.number",
    unit: LoadUnit::Users,
    stated: |group| match StatedLoad::of_text(group.text_or_empty("Pairs.number")) {
        StatedLoad::Number(pairs) => StatedLoad::Number(2.0 * pairs),
        other => other,
    },
    set: |group, users, _seed| group.set_text("Pairs.number", &format!("{}", (users / 2.0).ceil())),
};

pub(crate) fn described_pairs() -> ElementKind {
    pairs().load(PAIRS).files(&[("Pairs.names", FileUse::Read)]).missing(&[MissingValue {
        property: "Pairs.number",
        run: "0",
        editor: "10",
    }])
}

/// Its users play what was recorded elsewhere: their samples are ready.
struct ReplayGroup;

impl ExternalGroup for ReplayGroup {
    fn start(&self, start: &GroupStart<'_>) -> Result<Arc<dyn RunningGroup>, String> {
        let labels = (start.property)("Replay.labels");
        let sample = |label: &str| OwnedSample {
            label: label.to_owned(),
            success: true,
            thread_name: format!("{} {}-1", start.name, start.number),
            group_threads: 1,
            ..OwnedSample::default()
        };
        let samples = labels.split_whitespace().map(|label| sample(label).into()).collect();
        Ok(Arc::new(Replay(Mutex::new(samples))))
    }
}

struct Replay(Mutex<Vec<GroupSample>>);

impl RunningGroup for Replay {
    fn take(&self, _limit: Duration) -> Taken {
        let samples = std::mem::take(&mut *self.0.lock().expect("nothing panics with it"));
        Taken { samples, ended: Some(Ok(())), ..Taken::default() }
    }

    fn users(&self) -> GroupUsers {
        GroupUsers { active: 0, started: 1, finished: 1, planned: 1 }
    }

    fn stop(&self, _at_once: bool) {
        self.0.lock().expect("nothing panics with it").clear();
    }
}

pub(crate) fn replay() -> ElementKind {
    let make = Make::external_group(|_, _| Arc::new(ReplayGroup));
    ElementKind::native(Role::ThreadGroup, "com.example.ReplayThreadGroup", "Replay", make)
}

/// Kinds that are known only at run time.
pub(crate) struct Plugins(pub(crate) Vec<ElementKind>);

impl Provider for Plugins {
    fn find(&self, class: &str, _role: Option<Role>) -> Option<ElementKind> {
        self.0.iter().find(|kind| kind.class() == class).cloned()
    }
}
