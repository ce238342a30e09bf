//! Runs a script element as Swell does natively.

use swell_expr::{
    Change, Compiler, ElementKind, ElementScript, FieldValue, Logger, SampleBindings, SampleField,
    ScriptLanguage, ScriptOf,
};
use swell_jvm::request::ScriptRole;

use super::done::{BODY, CODE, Done, LABEL, MESSAGE};
use super::{user, written};

/// The sample that scripts see, and their changes to it.
#[derive(Default)]
struct Stage {
    changes: Vec<(&'static str, String)>,
    failure: bool,
    failure_message: Option<String>,
}

impl Stage {
    fn now(&self, name: &str, first: &str) -> FieldValue {
        let changed = self.changes.iter().rev().find(|(changed, _)| *changed == name);
        FieldValue::Text(changed.map_or(first, |(_, value)| value).into())
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.changes.retain(|(changed, _)| *changed != name);
        self.changes.push((name, value.to_owned()));
    }
}

impl SampleBindings for Stage {
    fn part(&self, part: SampleField) -> FieldValue {
        match part {
            SampleField::Code => self.now("code", CODE),
            SampleField::Message => self.now("message", MESSAGE),
            SampleField::Label => self.now("label", LABEL),
            SampleField::Body => FieldValue::Text(BODY.into()),
            SampleField::Success => FieldValue::Flag(
                self.changes
                    .iter()
                    .rev()
                    .find(|(name, _)| *name == "success")
                    .is_none_or(|(_, v)| v == "true"),
            ),
            SampleField::Time | SampleField::Latency => FieldValue::Number(0),
            SampleField::ResponseHeaders | SampleField::Url | SampleField::ThreadName => {
                FieldValue::Text("".into())
            }
        }
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Success(success) => self.set("success", &success.to_string()),
            Change::Code(text) => self.set("code", &text),
            Change::Message(text) => self.set("message", &text),
            Change::Label(text) => self.set("label", &text),
            Change::Ignore => self.set("ignore", "true"),
            Change::Failure(failure) => self.failure = failure,
            Change::FailureMessage(text) => self.failure_message = Some(text.to_string()),
        }
    }
}

/// Runs a script. `None` if Swell leaves it to the engine, or for samplers, whose sample begins
/// empty.
pub(super) fn run(text: &str, language: ScriptLanguage, role: ScriptRole) -> Option<Done> {
    let kind = match role {
        ScriptRole::PreProcessor => ElementKind::PreProcessor,
        ScriptRole::PostProcessor => ElementKind::PostProcessor,
        ScriptRole::Assertion if language == ScriptLanguage::Groovy => ElementKind::Assertion,
        ScriptRole::Timer => ElementKind::Timer,
        _ => return None,
    };
    let template = Compiler::new(std::sync::Arc::default()).template(text);
    let logger = Logger { class: "parity".into(), has_name: false };
    let of = ScriptOf { language, kind, given: &["Label", "FileName", "Parameters"], logger };
    let script = ElementScript::new(&template, of).ok()?;
    let given = ["element", "", ""].map(|text| FieldValue::Text(text.into()));
    let mut cx = user();
    let mut stage = Stage::default();
    let ended = script.run(given.into(), &mut cx, &mut stage);
    let mut fault = ended.as_ref().err().map(ToString::to_string);
    let value = ended.ok().and_then(|ended| ended.value);
    let delay_ms = match value.filter(|_| role == ScriptRole::Timer).map(|value| value.parse()) {
        Some(Ok(delay_ms)) => delay_ms,
        Some(Err(_)) => {
            fault = Some("it is not a number of milliseconds".to_owned());
            0
        }
        None => 0,
    };
    let mut variables = written(&cx);
    variables.sort();
    Some(Done {
        variables,
        sample: stage.changes,
        assertion: (role == ScriptRole::Assertion).then_some((stage.failure, stage.failure_message)),
        delay_ms,
        fault,
    })
}

/// Whether both did the same. Setting a value to itself is no change for the engine; messages of
/// exceptions differ.
pub(super) fn is_same(native: &Done, engine: &Done) -> bool {
    const FIRST: [(&str, &str); 5] =
        [("label", LABEL), ("code", CODE), ("message", MESSAGE), ("success", "true"), ("ignore", "false")];
    let changed = |done: &Done| {
        let mut sample: Vec<_> = done.sample.clone();
        sample.retain(|(name, value)| *name != "body" && !FIRST.contains(&(*name, value.as_str())));
        sample.sort();
        sample
    };
    let assertion = |done: &Done| {
        done.assertion.as_ref().map(|(failure, message)| (*failure, message.clone().unwrap_or_default()))
    };
    native.fault.is_some() == engine.fault.is_some()
        && native.variables == engine.variables
        && changed(native) == changed(engine)
        && native.delay_ms == engine.delay_ms
        && (native.fault.is_some() || assertion(native) == assertion(engine))
}
