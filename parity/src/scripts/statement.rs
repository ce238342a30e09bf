//! Random scripts of statements, run by whole elements: JMeter's own one unchanged, the faster path that Swell takes to the same engine,
//! and natively where Swell understands the script.

use std::fmt;

use swell_expr::ScriptLanguage;
use swell_jvm::request::{self, Family, Overrides, Previous, Role, Script};
use swell_jvm::{Answer, Sample, Status};

use super::engine::{Engine, USER, variables};
use super::expression::Writer;
use super::{MISSING, WRITTEN, element};
use crate::fuzz::rng::ChoiceRng;

/// The sample that scripts find.
pub(super) const CODE: &str = "200";
pub(super) const MESSAGE: &str = "OK";
pub(super) const LABEL: &str = "home";
pub(super) const BODY: &str = "a body, \"quoted\"";

/// What an element did.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    pub(super) variables: Vec<(String, Option<String>)>,
    /// What it changed of the sample, or the sample that it made.
    pub(super) sample: Vec<(&'static str, String)>,
    /// Failure and message of an assertion.
    pub(super) assertion: Option<(bool, Option<String>)>,
    pub(super) delay_ms: i64,
    /// Why it failed.
    pub(super) fault: Option<String>,
}

/// What a run of scripts found.
#[derive(Clone, Debug, Default)]
pub struct StatementTotals {
    /// Scripts that both paths of the engine ran.
    pub compared: u64,
    /// Of these, those that failed.
    pub failed: u64,
    /// Of these, those that ran natively, too.
    pub native: u64,
    /// Scripts that did something else on one of the paths.
    pub different: u64,
}

impl fmt::Display for StatementTotals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compared, failed, native, different } = self;
        write!(f, "{compared} compared ({failed} failed), {native} natively, too; {different} different")
    }
}

/// Writes scripts of elements and tells of those that differ.
///
/// # Errors
/// The JVM cannot be used.
pub fn statements(
    engine: &mut Engine,
    language: ScriptLanguage,
    count: u64,
    seed: u64,
    say: &dyn Fn(&str),
) -> Result<StatementTotals, String> {
    const ROLES: [Role; 5] =
        [Role::PreProcessor, Role::PostProcessor, Role::Sampler, Role::Assertion, Role::Timer];
    let writer = Writer::new(language, false);
    let mut totals = StatementTotals::default();
    for place in 0..count {
        let rng = &mut ChoiceRng::new(seed, &[place]);
        let role = *rng.pick(&ROLES);
        let text = script(&writer, language, role, rng);
        let mut ran = Vec::new();
        for is_strict in [true, false] {
            ran.push(run(engine, language, role, &text, is_strict)?);
        }
        let native = element::run(&text, language, role);
        totals.compared += 1;
        totals.failed += u64::from(ran[0].fault.is_some());
        totals.native += u64::from(native.is_some());
        let is_native_same = native.as_ref().is_none_or(|native| element::is_same(native, &ran[0]));
        if !is_same(&ran[0], &ran[1]) || !is_native_same {
            totals.different += 1;
            let [strict, fast] = [&ran[0], &ran[1]];
            say(&format!(
                "{role:?}\n{text}\n  element: {strict:?}\n  fast:    {fast:?}\n  native:  {native:?}"
            ));
        }
    }
    Ok(totals)
}

/// Whether a plan sees no difference: of a fault the two may say more or less in the log.
fn is_same(a: &Done, b: &Done) -> bool {
    let faults = match (&a.fault, &b.fault) {
        (Some(a), Some(b)) => {
            let message =
                |fault: &str| fault.split_once(' ').map_or(String::new(), |(_, message)| message.to_owned());
            let (a, b) = (message(a), message(b));
            a.contains(&b) || b.contains(&a)
        }
        (a, b) => a.is_none() && b.is_none(),
    };
    faults
        && a.variables == b.variables
        && a.sample == b.sample
        && a.assertion == b.assertion
        && a.delay_ms == b.delay_ms
}

fn run(
    engine: &mut Engine,
    language: ScriptLanguage,
    role: Role,
    text: &str,
    is_strict: bool,
) -> Result<Done, String> {
    let is_groovy = language == ScriptLanguage::Groovy;
    let script = Script {
        family: if is_groovy { Family::Jsr223 } else { Family::BeanShell },
        role,
        strict: is_strict,
        reset_interpreter: false,
        language: if is_groovy { "groovy" } else { "" },
        label: "element",
        text,
        file: "",
        parameters: "",
        cache_key: "true",
    };
    let number = engine.define(&script)?;
    let sample = Sample {
        label: Some(LABEL),
        code: Some(CODE),
        message: Some(MESSAGE),
        success: Some(true),
        body: Some(BODY.as_bytes()),
        ..Sample::default()
    };
    let answer = engine.ask(|message, state| {
        let state = request::CallState { previous: Previous::Is(&sample), ..*state };
        request::run_script(message, USER, number, &Overrides::default(), &state);
    })?;
    Ok(done(&answer))
}

fn done(answer: &Answer<'_>) -> Done {
    let shown = |sample: &Sample<'_>| {
        let body = sample.body.map(|body| String::from_utf8_lossy(body).into_owned());
        let parts = [
            ("label", sample.label.map(str::to_owned)),
            ("code", sample.code.map(str::to_owned)),
            ("message", sample.message.map(unnumbered)),
            ("success", sample.success.map(|success| success.to_string())),
            ("body", body),
            ("ignore", sample.flags.map(|flags| flags.ignore.to_string())),
        ];
        parts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect::<Vec<_>>()
    };
    let mut sample = answer.previous.as_ref().map(shown).unwrap_or_default();
    sample.extend(answer.sample.as_ref().map(shown).unwrap_or_default());
    let fault = answer.fault.map(|fault| unnumbered(&format!("{} {}", fault.class, fault.message)));
    Done {
        variables: variables(answer),
        sample,
        assertion: answer
            .assertion
            .map(|found| (found.failure || found.error, found.message.map(unnumbered))),
        delay_ms: answer.delay_ms,
        fault: fault.or_else(|| (answer.status != Status::Ran).then(|| format!("{:?}", answer.status))),
    }
}

/// Without the number that Groovy gives to the class of each script.
fn unnumbered(text: &str) -> String {
    let Some((start, rest)) = text.split_once("Script") else { return text.to_owned() };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{start}Script{}", unnumbered(rest))
}

fn script(writer: &Writer, language: ScriptLanguage, role: Role, rng: &mut ChoiceRng) -> String {
    let mut text = String::new();
    let count = rng.range(1, 5);
    for at in 0..count {
        text.push_str(&ended(statement(writer, language, role, at, 2, rng)));
        text.push('\n');
    }
    if matches!(role, Role::Sampler | Role::Timer) && rng.chance(60) {
        let value =
            if role == Role::Timer { writer.of(&["int"], 1, rng) } else { writer.of(&["text"], 2, rng) };
        text.extend(["return ", &value, ";\n"]);
    }
    text
}

fn statement(
    writer: &Writer,
    language: ScriptLanguage,
    role: Role,
    at: i32,
    depth: u32,
    rng: &mut ChoiceRng,
) -> String {
    let name = rng.word(&WRITTEN);
    let text = writer.of(&["text"], 2, rng);
    let flag = writer.of(&["boolean"], 2, rng);
    let inner = |rng: &mut ChoiceRng| {
        let at = at * 10 + rng.range(5, 99);
        ended(statement(writer, language, role, at, depth.saturating_sub(1), rng))
    };
    match rng.below(if depth == 0 { 6 } else { 10 }) {
        0 | 1 => format!("vars.put(\"{name}\", {text})"),
        2 => format!("String s{at} = {text}; vars.put(\"{name}\", s{at})"),
        3 => format!("int i{at} = {}; vars.put(\"{name}\", \"\" + i{at})", writer.of(&["int"], 2, rng)),
        4 => of_sample(role, language, &text, &flag, rng),
        5 => log(&text),
        6 => format!("if ({flag}) {{ {} }} else {{ {} }}", inner(rng), inner(rng)),
        7 => format!("boolean b{at} = {flag}; if (b{at}) {{ {} }}", inner(rng)),
        _ => beyond(language, name, &text, &flag, at, rng),
    }
}

/// With the `;` that it needs.
fn ended(statement: String) -> String {
    if statement.ends_with('}') { statement } else { statement + ";" }
}

fn log(text: &str) -> String {
    format!("log.info({text})")
}

/// Something that an element of this role does with its sample.
fn of_sample(role: Role, language: ScriptLanguage, text: &str, flag: &str, rng: &mut ChoiceRng) -> String {
    let is_groovy = language == ScriptLanguage::Groovy;
    let object = match role {
        Role::PostProcessor => "prev",
        Role::Assertion if is_groovy => "prev",
        Role::Assertion | Role::Sampler => "SampleResult",
        _ => return format!("vars.put(\"{}\", null)", rng.word(&WRITTEN)),
    };
    match rng.below(6) {
        0 if role == Role::Assertion && is_groovy => format!("AssertionResult.setFailure({flag})"),
        1 if role == Role::Assertion && is_groovy => format!("AssertionResult.setFailureMessage({text})"),
        0 if role == Role::Assertion => format!("Failure = {flag}"),
        1 if role == Role::Assertion => format!("FailureMessage = {text}"),
        2 => format!("{object}.setResponseMessage({text})"),
        3 => format!("{object}.setSuccessful({flag})"),
        4 => format!("vars.put(\"r1\", {object}.getResponseDataAsString() + {object}.getSampleLabel())"),
        5 => format!("{object}.setIgnore()"),
        _ => format!("{object}.setResponseCode({text})"),
    }
}

/// What only an engine runs.
fn beyond(
    language: ScriptLanguage,
    name: &str,
    text: &str,
    flag: &str,
    at: i32,
    rng: &mut ChoiceRng,
) -> String {
    if language == ScriptLanguage::Groovy {
        match rng.below(9) {
            0 => format!("[1, 2, 3].each {{ vars.put(\"{name}\", '' + it) }}"),
            1 => format!(
                "for (int j{at} = 0; j{at} < 3; j{at}++) {{ vars.put(\"{name}\", vars.get(\"{name}\") + j{at}) }}"
            ),
            2 => format!("throw new IllegalStateException({text})"),
            3 => format!(
                "try {{ vars.get(\"{MISSING}\").length() }} catch (Exception e{at}) {{ vars.put(\"{name}\", e{at}.class.name) }}"
            ),
            4 => format!("def m{at} = [a: {text}, b: {flag}]; vars.put(\"{name}\", m{at}.toString())"),
            5 => format!("x{at} = {text}; vars.put(\"{name}\", \"${{x{at}}}!\")"),
            6 => format!(
                "switch ({text}) {{ case 'a': vars.put(\"{name}\", 'A'); break; default: vars.put(\"{name}\", 'other') }}"
            ),
            7 => format!("vars.putObject(\"{name}\", [{flag}, 1.5, {text}])"),
            _ => format!("def c{at} = {{ it + 1 }}; vars.put(\"{name}\", '' + c{at}(2) + {text}?.size())"),
        }
    } else {
        match rng.below(7) {
            0 => format!(
                "for (int j{at} = 0; j{at} < 3; j{at}++) {{ vars.put(\"{name}\", vars.get(\"{name}\") + j{at}); }}"
            ),
            1 => format!("throw new IllegalStateException({text})"),
            2 => format!(
                "try {{ vars.get(\"{MISSING}\").length(); }} catch (Exception e) {{ vars.put(\"{name}\", \"caught\"); }}"
            ),
            3 => format!(
                "List l{at} = new ArrayList(); l{at}.add({text}); l{at}.add({flag}); vars.put(\"{name}\", l{at}.toString())"
            ),
            4 => format!("f{at}(x) {{ return x + 1; }} vars.put(\"{name}\", \"\" + f{at}(2))"),
            5 => format!("x{at} = {text}; vars.put(\"{name}\", x{at} + x{at})"),
            _ => format!(
                "switch (3) {{ case 3: vars.put(\"{name}\", {text}); break; default: vars.put(\"{name}\", \"other\"); }}"
            ),
        }
    }
}
