//! The script settings of an element.

use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, Needs, script_place};
use swell_expr::{
    Compiler, Context, ElementKind, ElementScript, FieldValue, Level, Logger, Properties, SampleBindings,
    SampleField, ScriptEnd, ScriptFailure, ScriptLanguage, ScriptOf, ScriptPlace, Template,
};
use swell_plan::{Element, class_of};

/// Variables that every script has.
const COMMON: &[&str] = &["Label", "FileName", "Parameters"];
/// Those of the BeanShell Sampler: JMeter takes the last three from them when the script ends.
const OF_SAMPLER: &[&str] =
    &["Label", "FileName", "Parameters", "ResponseCode", "ResponseMessage", "IsSuccess"];
/// Those of the BeanShell Assertion: JMeter reads its own first two from them when the script ends.
const OF_ASSERTION: &[&str] = &[
    "Label",
    "FileName",
    "Parameters",
    "Failure",
    "FailureMessage",
    "ResponseCode",
    "ResponseMessage",
    "SampleLabel",
    "Successful",
];

/// Whether the script of an element is understood; the error says what of it needs a script engine.
pub(crate) fn understood(element: &Element, kind: ElementKind, props: &Properties) -> Result<(), String> {
    Source::read_quietly(element, kind, &Compiler::new(Arc::default()), props).map(drop)
}

/// The properties with the script, its file and its parameters. The BeanShell Sampler and Assertion
/// are not beans, and call them otherwise.
fn property_names(element: &Element, kind: ElementKind) -> [String; 3] {
    let class = &element.class;
    match (class.starts_with("JSR223"), kind) {
        (false, ElementKind::Sampler | ElementKind::Assertion) => {
            ["query", "filename", "parameters"].map(|name| format!("{class}.{name}"))
        }
        _ => ["script", "filename", "parameters"].map(str::to_owned),
    }
}

/// A script element, compiled for one worker.
pub(super) struct Source {
    name: Template,
    script: ElementScript,
    parameters: Template,
    jsr223: bool,
    /// JMeter's class of the element, which its messages come from.
    class: Rc<str>,
    place: Rc<ScriptPlace>,
}

impl Source {
    /// The script of an element; none if it is not understood, which the survey of the plan tells.
    pub(super) fn compile(element: &Element, kind: ElementKind, compile: &CompileContext) -> Option<Self> {
        let template = |property: &str, text: &str| compile.text(element, property, text);
        Self::read(element, kind, &compile.props, template).ok()
    }

    fn read_quietly(
        element: &Element,
        kind: ElementKind,
        expr: &Compiler,
        props: &Properties,
    ) -> Result<Self, String> {
        let before = expr.problems.borrow().len();
        let source = Self::read(element, kind, props, |_, text| expr.template(text));
        let mut problems = expr.problems.borrow_mut();
        let is_read = problems.len() == before;
        problems.truncate(before);
        // Text that is not read as a call here stays in the script, and an engine may read it as a
        // call.
        if is_read { source } else { Err("it calls a function that is not native".to_owned()) }
    }

    /// `template` makes the template of a property's text.
    fn read(
        element: &Element,
        kind: ElementKind,
        props: &Properties,
        template: impl Fn(&str, &str) -> Template,
    ) -> Result<Self, String> {
        let jsr223 = element.class.starts_with("JSR223");
        let [script, file, parameters] = property_names(element, kind);
        if !element.text(&file).unwrap_or_default().is_empty() {
            return Err("its script is in a file".to_owned());
        }
        if !jsr223 && props.get(&init_file(kind)).is_some_and(|file| !file.trim().is_empty()) {
            return Err(format!("a script runs before it (`{}`)", init_file(kind)));
        }
        let given = match (jsr223, kind) {
            (false, ElementKind::Sampler) => OF_SAMPLER,
            (false, ElementKind::Assertion) => OF_ASSERTION,
            _ => COMMON,
        };
        let language = if jsr223 { language(element)? } else { ScriptLanguage::BeanShell };
        let class: Rc<str> = class_of(&element.class).into();
        let of = ScriptOf { language, kind, given, logger: logger(jsr223, &class) };
        let property = |name: &str| template(name, element.text(name).unwrap_or_default());
        let script = ElementScript::new(&property(&script), of).map_err(|failure| failure.to_string())?;
        let name = template("TestElement.name", element.name());
        let place = script_place(element);
        Ok(Self { name, script, parameters: property(&parameters), jsr223, class, place })
    }

    pub(super) fn name(&self, cx: &mut Context) -> String {
        self.name.eval(cx).into_owned()
    }

    pub(super) fn is_jsr223(&self) -> bool {
        self.jsr223
    }

    /// What it reads of samples.
    pub(super) fn needs(&self) -> Needs {
        let has = |wanted: &[SampleField]| self.script.reads().iter().any(|part| wanted.contains(part));
        Needs {
            body: has(&[SampleField::Body]),
            response_headers: has(&[SampleField::ResponseHeaders]),
            request: false,
            details: has(&[SampleField::Url]),
        }
    }

    /// The text of the script.
    pub(super) fn text(&self) -> &str {
        self.script.text()
    }

    /// Runs it. `own` are the values of the variables that only this kind of element has. The error
    /// is the exception's text. The few values that only an engine can hold end the test.
    pub(super) fn run(
        &self,
        own: Vec<FieldValue>,
        cx: &mut Context,
        stage: &mut dyn SampleBindings,
    ) -> Result<ScriptEnd, String> {
        let name = self.name(cx);
        self.run_as(name, own, cx, stage)
    }

    /// The same for an element that has another name now.
    pub(super) fn run_as(
        &self,
        name: String,
        own: Vec<FieldValue>,
        cx: &mut Context,
        stage: &mut dyn SampleBindings,
    ) -> Result<ScriptEnd, String> {
        if self.jsr223 && self.text().is_empty() {
            return Err(format!(
                "javax.script.ScriptException: Both script file and script text are empty for element:{name}"
            ));
        }
        let parameters = self.parameters.eval(cx).into_owned();
        let shared = |text: String| FieldValue::Text(text.into());
        let mut given = vec![shared(name), shared(String::new()), shared(parameters)];
        given.extend(own);
        self.script.run(given, cx, stage).map_err(|failure| {
            let reason = failure.to_string();
            if let ScriptFailure::Unsupported(unsupported) = failure {
                cx.refuse(&self.place, unsupported, self.text());
            }
            self.exception(&reason)
        })
    }

    fn exception(&self, reason: &str) -> String {
        if self.jsr223 {
            format!("javax.script.ScriptException: {reason}")
        } else {
            format!("org.apache.jorphan.util.JMeterException: Error invoking bsh method: eval\t{reason}")
        }
    }

    /// Logs an exception as JMeter does.
    pub(super) fn log(&self, exception: &str, cx: &mut Context) {
        let name = self.name(cx);
        let kind = if self.jsr223 { "JSR223" } else { "BeanShell" };
        let level = if self.jsr223 { Level::Error } else { Level::Warn };
        self.tell(level, &format!("Problem in {kind} script, {name}: {exception}"), cx);
    }

    /// A line of the log that comes from the element.
    pub(super) fn tell(&self, level: Level, text: &str, cx: &Context) {
        cx.host.log(level, &format!("{}: {text}", self.class));
    }
}

/// The logger of a script: those of JSR223 have one each.
fn logger(jsr223: bool, class: &Rc<str>) -> Logger {
    const OF_BEANSHELL: &str = "org.apache.jmeter.util.BeanShellTestElement";
    Logger { class: if jsr223 { class.clone() } else { OF_BEANSHELL.into() }, has_name: jsr223 }
}

/// The property that names a script which BeanShell elements run first.
fn init_file(kind: ElementKind) -> String {
    let kind = match kind {
        ElementKind::PreProcessor => "preprocessor",
        ElementKind::PostProcessor => "postprocessor",
        ElementKind::Sampler => "sampler",
        ElementKind::Assertion => "assertion",
        ElementKind::Timer => "timer",
    };
    format!("beanshell.{kind}.init")
}

/// The language of a JSR223 element: Groovy where nothing is said. BeanShell computes otherwise
/// there than in its own elements.
fn language(element: &Element) -> Result<ScriptLanguage, String> {
    match element.text("scriptLanguage").unwrap_or_default() {
        "" | "groovy" | "Groovy" => Ok(ScriptLanguage::Groovy),
        other => Err(format!("its language is `{other}`")),
    }
}
