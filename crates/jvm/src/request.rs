//! Requests to the Java side. Each function replaces the contents of the buffer with one request.

use std::time::Duration;

use crate::message::Write;
use crate::{Sample, Sampler, ValueChange};

const START: u8 = 1;
const DEFINE_SCRIPT: u8 = 2;
const DEFINE_CALL: u8 = 3;
const USER_STARTED: u8 = 4;
const RUN_SCRIPT: u8 = 5;
const EVALUATE: u8 = 6;
const USER_ENDED: u8 = 7;
const INTERRUPT: u8 = 8;
const TEST_ENDED: u8 = 9;
const PLAN: u8 = 10;
const ENTER_GROUP: u8 = 11;
const START_ITERATION: u8 = 12;
const RUN_ELEMENT: u8 = 13;
const GROUPS: u8 = 20;
const START_GROUP: u8 = 21;
const TAKE_SAMPLES: u8 = 22;
const STOP_GROUP: u8 = 23;
const GROUPS_ENDED: u8 = 24;

/// How JMeter's classes start.
#[derive(Clone, Debug, Default)]
pub struct Start<'a> {
    /// JMETER_HOME.
    pub home: &'a str,
    /// The whole path of the plan, by which JMeter's `FileServer` knows its name and folder; empty:
    /// none.
    pub plan: &'a str,
    /// What elements print is a part of the answers, as the run is traced; otherwise it goes to
    /// standard error.
    pub is_traced: bool,
    /// Levels of the log by category; that of the empty category counts where no other does.
    pub log_levels: &'a [(&'a str, &'a str)],
    /// System properties of the JVM (`-D`).
    pub system_properties: &'a [(&'a str, &'a str)],
    /// JMeter's properties beyond its files (`-J`, `-q`); none removes one.
    pub properties: &'a [(&'a str, Option<&'a str>)],
}

/// Starts JMeter's classes; sent before any other.
pub fn start(out: &mut Vec<u8>, start: &Start<'_>) {
    begin(out, START);
    out.string(start.home);
    out.string(start.plan);
    out.u8(u8::from(start.is_traced));
    for list in [start.log_levels, start.system_properties] {
        out.count(list.len());
        for (name, value) in list {
            out.string(name);
            out.string(value);
        }
    }
    write_properties(out, start.properties);
}

/// The family of a script element in JMeter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `JSR223…`, any engine on the class path.
    Jsr223,
    /// `BeanShell…`.
    BeanShell,
    /// `BSF…`.
    Bsf,
}

/// The role of a script element in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptRole {
    /// Its result is a sample.
    Sampler,
    /// Runs before a sampler.
    PreProcessor,
    /// Runs after a sampler.
    PostProcessor,
    /// Judges a sample.
    Assertion,
    /// Hears of samples.
    Listener,
    /// Gives a pause.
    Timer,
}

/// A script element.
#[derive(Clone, Copy, Debug)]
pub struct Script<'a> {
    /// Family of the element.
    pub family: Family,
    /// ScriptRole of the element.
    pub role: ScriptRole,
    /// JMeter's element runs unchanged; otherwise Groovy scripts run without a script engine, and
    /// BeanShell scripts are parsed once.
    pub strict: bool,
    /// BeanShell: a new interpreter for each call.
    pub reset_interpreter: bool,
    /// Language, as in the plan.
    pub language: &'a str,
    /// Name of the element.
    pub label: &'a str,
    /// The script.
    pub text: &'a str,
    /// File with the script, which counts before `text`; empty if there is none.
    pub file: &'a str,
    /// `Parameters`.
    pub parameters: &'a str,
    /// `cacheKey`, as in the plan: `false` compiles for each call.
    pub cache_key: &'a str,
}

/// Describes a script element under a number of the caller's choice. A field with expressions has
/// its raw text here, and its value in each call.
pub fn define_script(out: &mut Vec<u8>, number: u32, script: &Script<'_>) {
    begin(out, DEFINE_SCRIPT);
    out.u32(number);
    out.u8(script.family as u8);
    out.u8(script.role as u8);
    out.u8(u8::from(script.strict) | u8::from(script.reset_interpreter) << 1);
    let fields =
        [script.language, script.label, script.text, script.file, script.parameters, script.cache_key];
    for field in fields {
        out.string(field);
    }
}

/// Describes a call of a function in a text of the plan: its name as `__groovy`, how many
/// parameters it has. JMeter makes one object a call, whose state all users share; so each call has
/// its number.
pub fn define_call(out: &mut Vec<u8>, number: u32, name: &str, parameters: u8) {
    begin(out, DEFINE_CALL);
    out.u32(number);
    out.string(name);
    out.u8(parameters);
}

/// A user, as scripts see it.
#[derive(Clone, Copy, Debug)]
pub struct UserIdentity<'a> {
    /// Name of its thread.
    pub thread_name: &'a str,
    /// Number of its thread, from 0.
    pub thread_number: u32,
    /// Name of its thread group.
    pub group: &'a str,
    /// How many users the group has.
    pub group_threads: u32,
}

/// Makes a user known under a number that no other user of the process has; also gives a known user
/// another identity.
pub fn user_started(out: &mut Vec<u8>, user: u64, identity: &UserIdentity<'_>) {
    begin(out, USER_STARTED);
    out.i64(user.cast_signed());
    out.string(identity.thread_name);
    out.u32(identity.thread_number);
    out.string(identity.group);
    out.u32(identity.group_threads);
}

/// The previous sample, `prev`.
#[derive(Clone, Copy, Debug, Default)]
pub enum Previous<'a> {
    /// That of the last call.
    #[default]
    Same,
    /// There is none.
    None,
    /// This.
    Is(&'a Sample<'a>),
}

/// Data that is sent with each call for a user.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallState<'a> {
    /// How often the user has begun the plan (`vars.getIteration`).
    pub iteration: u32,
    /// How many users of its thread group run, and of all.
    pub running: (u32, u32),
    /// How many users the thread groups of its phase have that have begun, and how many of those
    /// have begun.
    pub of_phase: (u32, u32),
    /// Variables that changed since the last call for this user; all of them in the first.
    pub variables: &'a [(&'a str, ValueChange<'a>)],
    /// Properties that changed since the last call of any user; none removes one.
    pub properties: &'a [(&'a str, Option<&'a str>)],
    /// `prev`.
    pub previous: Previous<'a>,
    /// What an assertion judges or a listener hears of, where that is not `prev`: a transaction.
    pub subject: Option<&'a Sample<'a>>,
    /// `sampler`, with the number of its package: that of another package becomes the previous
    /// sampler. None leaves that of the last call.
    pub sampler: Option<(u64, &'a Sampler<'a>)>,
    /// The sampler before it (`ctx.previousSampler`), where that is another than the one that a
    /// call has told of or run.
    pub sampler_before: Option<&'a Sampler<'a>>,
    /// The package is another than that of the last call: what elements kept for its sampler
    /// (`ctx.getSamplerContext()`) is gone.
    pub begins_package: bool,
}

/// Values of fields with expressions, for one call; `None` for fields without one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides<'a> {
    /// Name of the element.
    pub label: Option<&'a str>,
    /// The script.
    pub text: Option<&'a str>,
    /// File with the script.
    pub file: Option<&'a str>,
    /// `Parameters`.
    pub parameters: Option<&'a str>,
    /// The hosted sampler in whose package the script runs, and the number of that package: it is
    /// the script's `sampler`.
    pub package: Option<(u32, u64)>,
}

/// Runs a script.
pub fn run_script(
    out: &mut Vec<u8>,
    user: u64,
    script: u32,
    overrides: &Overrides<'_>,
    state: &CallState<'_>,
) {
    begin(out, RUN_SCRIPT);
    out.i64(user.cast_signed());
    out.u32(script);
    let fields = [overrides.label, overrides.text, overrides.file, overrides.parameters];
    let has_package = u8::from(overrides.package.is_some());
    out.u8(fields.iter().rev().fold(has_package, |mask, field| mask << 1 | u8::from(field.is_some())));
    fields.iter().flatten().for_each(|field| out.string(field));
    if let Some((sampler, package)) = overrides.package {
        out.u32(sampler);
        out.i64(package.cast_signed());
    }
    write_state(out, state);
}

/// Evaluates a call of a function with parameters that are evaluated.
pub fn evaluate(out: &mut Vec<u8>, user: u64, call: u32, parameters: &[&str], state: &CallState<'_>) {
    begin(out, EVALUATE);
    out.i64(user.cast_signed());
    out.u32(call);
    out.count(parameters.len());
    for parameter in parameters {
        out.string(parameter);
    }
    write_state(out, state);
}

/// The property by which both sides name an element of a hosted plan: its number.
pub const NUMBER: &str = "swell.id";

/// Loads a plan whose foreign elements are to run on the Java side, and starts them
/// (`testStarted`). Each element has its number as an `intProp` or `stringProp` [`NUMBER`]; JMeter
/// refuses the whole plan for one class that is not on the class path. `file` is where the plan
/// came from: relative names of files count from its folder.
pub fn plan(out: &mut Vec<u8>, jmx: &[u8], file: &str) {
    begin(out, PLAN);
    out.bytes(Some(jmx));
    out.string(file);
}

/// A user gets its own copies of the elements of a thread group of the plan, which is named by its
/// number, and their `threadStarted` is called. Answered as a call.
pub fn enter_group(out: &mut Vec<u8>, user: u64, group: u32, state: &CallState<'_>) {
    begin(out, ENTER_GROUP);
    out.i64(user.cast_signed());
    out.u32(group);
    write_state(out, state);
}

/// The iterations that began since hosted elements were last notified.
#[derive(Clone, Copy, Debug, Default)]
pub struct Iterations<'a> {
    /// The user begins its thread group once more (`TestIterationListener`).
    pub of_group: bool,
    /// Elements whose controllers begin once more (`LoopIterationListener`), in order, each with
    /// how many times.
    pub of_elements: &'a [(u32, u32)],
}

/// Tells a user's hosted elements of iterations. Answered as a call.
pub fn start_iteration(out: &mut Vec<u8>, user: u64, iterations: &Iterations<'_>, state: &CallState<'_>) {
    begin(out, START_ITERATION);
    out.i64(user.cast_signed());
    out.u8(u8::from(iterations.of_group));
    out.count(iterations.of_elements.len());
    for (element, times) in iterations.of_elements {
        out.u32(*element);
        out.u32(*times);
    }
    write_state(out, state);
}

/// Runs a hosted element, of any role. `package`: the hosted sampler in whose package that happens,
/// with the configuration of its scope merged into it, and a number that is another for each
/// package of the user; none where the sampler is not hosted. An element that is its own sampler
/// takes the sample. What an assertion finds is in the sample that it judges.
pub fn run_element(
    out: &mut Vec<u8>,
    user: u64,
    element: u32,
    package: Option<(u32, u64)>,
    state: &CallState<'_>,
) {
    begin(out, RUN_ELEMENT);
    out.i64(user.cast_signed());
    out.u32(element);
    let (sampler, number) = package.unwrap_or((u32::MAX, 0));
    out.u32(sampler);
    out.i64(number.cast_signed());
    write_state(out, state);
}

/// Forgets a user and all that it has on the Java side.
pub fn user_ended(out: &mut Vec<u8>, user: u64) {
    begin(out, USER_ENDED);
    out.i64(user.cast_signed());
}

/// Interrupts what runs for a user (`Thread.interrupt`); sent on another thread than that which
/// waits for the call. The answer is [`crate::interrupted`].
pub fn interrupt(out: &mut Vec<u8>, user: u64) {
    begin(out, INTERRUPT);
    out.i64(user.cast_signed());
}

/// A thread group that runs completely on JMeter's engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// Its number in the plan.
    pub id: u32,
    /// Its number in its phase, from 1.
    pub number: u32,
    /// When it starts, in milliseconds from now.
    pub delay_ms: i64,
    /// Bits of the fields of samples that are not read.
    pub without: u32,
}

/// Loads the plan of thread groups that run whole, and starts its elements, as [`plan`] does;
/// `properties` that changed come first.
pub fn groups(out: &mut Vec<u8>, properties: &[(&str, Option<&str>)], jmx: &[u8], file: &str) {
    begin(out, GROUPS);
    write_properties(out, properties);
    out.bytes(Some(jmx));
    out.string(file);
}

/// Starts such a group and does not wait for its users.
pub fn start_group(out: &mut Vec<u8>, properties: &[(&str, Option<&str>)], group: &Group) {
    begin(out, START_GROUP);
    write_properties(out, properties);
    out.u32(group.id);
    out.u32(group.number);
    out.i64(group.delay_ms);
    out.u32(group.without);
}

/// Asks for the samples of such a group; without any it is answered after `limit`. `properties`:
/// those that changed.
pub fn take_samples(out: &mut Vec<u8>, properties: &[(&str, Option<&str>)], group: u32, limit: Duration) {
    begin(out, TAKE_SAMPLES);
    write_properties(out, properties);
    out.u32(group);
    out.i64(i64::try_from(limit.as_millis()).unwrap_or(i64::MAX));
}

/// Asks the users of such a group to stop, and does not wait for them.
pub fn stop_group(out: &mut Vec<u8>, group: u32, at_once: bool) {
    begin(out, STOP_GROUP);
    out.u32(group);
    out.u8(u8::from(at_once));
}

/// Ends the plan of such groups (`testEnded`). The answer has lines of the log.
pub fn groups_ended(out: &mut Vec<u8>) {
    begin(out, GROUPS_ENDED);
}

/// Ends the hosted plan (`testEnded`), and forgets all users, scripts and calls.
pub fn test_ended(out: &mut Vec<u8>) {
    begin(out, TEST_ENDED);
}

fn begin(out: &mut Vec<u8>, operation: u8) {
    out.clear();
    out.u8(operation);
}

fn write_properties(out: &mut Vec<u8>, properties: &[(&str, Option<&str>)]) {
    out.count(properties.len());
    for (name, value) in properties {
        out.string(name);
        out.optional(*value);
    }
}

fn write_state(out: &mut Vec<u8>, state: &CallState<'_>) {
    let previous = match state.previous {
        Previous::Same => 0,
        Previous::None => 1,
        Previous::Is(_) => 2,
    };
    let has_before = state.sampler_before.is_some();
    let follows = [state.sampler.is_some(), state.subject.is_some(), has_before, state.begins_package];
    out.u8(follows.iter().rev().fold(0, |bits, follows| bits << 1 | u8::from(*follows)) << 2 | previous);
    out.u32(state.iteration);
    out.u32(state.running.0);
    out.u32(state.running.1);
    out.u32(state.of_phase.0);
    out.u32(state.of_phase.1);
    out.count(state.variables.len());
    for (name, change) in state.variables {
        out.string(name);
        change.write(out);
    }
    write_properties(out, state.properties);
    if let Previous::Is(sample) = state.previous {
        sample.write(out);
    }
    if let Some(subject) = state.subject {
        subject.write(out);
    }
    if let Some((package, sampler)) = state.sampler {
        out.i64(package.cast_signed());
        sampler.write(out);
    }
    if let Some(sampler) = state.sampler_before {
        sampler.write(out);
    }
}
