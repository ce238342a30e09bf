//! Runs random scripts of statements in whole elements, in three ways: JMeter's element unchanged,
//! Swell's faster path to the same engine, and natively if Swell understands the script.

use std::fmt;
use std::sync::LazyLock;

use swell_expr::ScriptLanguage;
use swell_jvm::request::{self, Family, Overrides, Previous, Script, ScriptRole};
use swell_jvm::{JvmAnswer, Sample, Status};

use super::done::{BODY, CODE, Done, LABEL, MESSAGE};
use super::element;
use super::engine::{Engine, USER, variables};
use super::expression::Writer;
use crate::fuzz::grammar::Grammar;
use crate::fuzz::rng::ChoiceRng;

/// Counts of a run of scripts.
#[derive(Clone, Debug, Default)]
pub struct StatementTotals {
    /// Scripts that ran on both paths to the engine.
    pub compared: u64,
    /// Compared scripts that failed.
    pub failed: u64,
    /// Compared scripts that also ran natively.
    pub native: u64,
    /// Scripts with different effects on one of the paths.
    pub different: u64,
}

impl fmt::Display for StatementTotals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compared, failed, native, different } = self;
        write!(f, "{compared} compared ({failed} failed), {native} natively, too; {different} different")
    }
}

/// Writes scripts of elements and reports those that differ.
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
    const ROLES: [ScriptRole; 5] = [
        ScriptRole::PreProcessor,
        ScriptRole::PostProcessor,
        ScriptRole::Sampler,
        ScriptRole::Assertion,
        ScriptRole::Timer,
    ];
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

/// Whether a plan sees no difference. The logged text of an error may differ.
fn is_same(a: &Done, b: &Done) -> bool {
    let faults = match (&a.fault, &b.fault) {
        (Some(a), Some(b)) => {
            let message =
                |fault: &str| fault.split_once(' ').map_or(String::new(), |(_, message)| message.to_owned());
            let a = message(a);
            let b = message(b);
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
    role: ScriptRole,
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

fn done(answer: &JvmAnswer<'_>) -> Done {
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

/// Removes the number that Groovy gives to the class of each script.
fn unnumbered(text: &str) -> String {
    let Some((start, rest)) = text.split_once("Script") else { return text.to_owned() };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{start}Script{}", unnumbered(rest))
}

/// Writes a script for an element with a role.
fn script(writer: &Writer, language: ScriptLanguage, role: ScriptRole, rng: &mut ChoiceRng) -> String {
    let language = if language == ScriptLanguage::Groovy { "groovy" } else { "beanshell" };
    let rule = format!("{language}_{}", format!("{role:?}").to_lowercase());
    RULES.text_with(&rule, rng, &|name, rng| match name {
        "a_text" => writer.of(&["text"], 2, rng),
        "a_boolean" => writer.of(&["boolean"], 2, rng),
        _ => writer.of(&["int"], 2, rng),
    })
}

static RULES: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::read(include_str!("../../fuzz/statements.txt"), &["a_text", "a_boolean", "an_int"])
});
